//! Bounded exponential back-off.

use crate::hint;

/// Bounded exponential back-off for the loser of a race.
///
/// Losing a compare-and-swap means that somebody else made progress; stepping aside for a moment
/// then lets the winner keep the cache line instead of having it pulled away mid-work. This type
/// never waits *for* anybody: [`lost_race`](Self::lost_race) returns after a bounded number of spin
/// hints, whatever other threads do.
///
/// ```
/// let mut backoff = syncface::Backoff::new();
/// for _ in 0..10 {
///     backoff.lost_race(); // 1, 2, 4, … 64, 64, 64 spin hints
/// }
/// assert!(backoff.is_saturated());
/// ```
#[derive(Debug, Clone)]
pub struct Backoff {
    step: u32,
    last: u32,
}

impl Default for Backoff {
    fn default() -> Self {
        Self::new()
    }
}

impl Backoff {
    /// The longest pause is 2<sup>this</sup> spin hints unless [said otherwise](Self::between): on
    /// common x86-64 cores a pause of 64 hints is of the order of a microsecond, far less than a time
    /// slice.
    pub const CEILING: u32 = 6;

    /// A fresh back-off whose first pause is one spin hint.
    #[inline]
    #[must_use]
    pub const fn new() -> Self {
        Self::starting_at(0)
    }

    /// A back-off whose first pause is 2<sup>`step`</sup> spin hints, or the longest.
    #[inline]
    #[must_use]
    pub const fn starting_at(step: u32) -> Self {
        Self::between(step, Self::CEILING)
    }

    /// A back-off whose first pause is 2<sup>`first`</sup> spin hints and whose longest is
    /// 2<sup>`last`</sup>; 2<sup>16</sup> at most.
    ///
    /// ```
    /// let mut backoff = syncface::Backoff::between(2, 3);
    /// backoff.lost_race(); // 4 spin hints
    /// backoff.lost_race(); // 8, and from here on
    /// assert!(backoff.is_saturated());
    /// ```
    #[inline]
    #[must_use]
    pub const fn between(first: u32, last: u32) -> Self {
        let last = if last < 16 { last } else { 16 };
        Self { step: if first < last { first } else { last }, last }
    }

    /// Pauses after a lost race, twice as long as the last time up to the ceiling.
    ///
    /// Under loom it only tells the scheduler that another thread should run.
    #[inline]
    pub fn lost_race(&mut self) {
        if cfg!(loom) {
            hint::spin_loop();
            return;
        }
        for _ in 0..1u32 << self.step {
            hint::spin_loop();
        }
        hint::pause_over();
        if self.step < self.last {
            self.step += 1;
        }
    }

    /// True once pauses no longer grow: a caller that *may* block should now do so.
    #[inline]
    #[must_use]
    pub const fn is_saturated(&self) -> bool {
        self.step >= self.last
    }

    /// Starts over with a pause of one spin hint.
    #[inline]
    pub fn reset(&mut self) {
        self.step = 0;
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_whatever_they_are() {
        assert!(Backoff::between(5, 2).is_saturated(), "the longest comes first");
        let mut backoff = Backoff::between(16, u32::MAX);
        assert!(backoff.is_saturated());
        backoff.reset();
        assert!(!backoff.is_saturated());
        assert!(Backoff::starting_at(Backoff::CEILING + 1).is_saturated());
    }

    #[test]
    fn grows_to_the_ceiling_and_stays_there() {
        let mut backoff = Backoff::new();
        for step in 0..Backoff::CEILING {
            assert_eq!(backoff.step, step);
            assert!(!backoff.is_saturated());
            backoff.lost_race();
        }
        backoff.lost_race();
        assert_eq!(backoff.step, Backoff::CEILING);
        assert!(backoff.is_saturated());
        backoff.reset();
        assert_eq!(backoff.step, 0);
    }
}
