//! Bounded exponential back-off.

use crate::hint;

/// Bounded exponential back-off for the loser of a race.
///
/// Losing a compare-and-swap means that somebody else made progress; stepping aside for a moment
/// then lets the winner keep the cache line instead of having it pulled away mid-work. This type
/// never waits *for* anybody: [`lost_race`](Self::lost_race) returns after at most
/// 2<sup>[`CEILING`](Self::CEILING)</sup> spin hints, whatever other threads do.
///
/// ```
/// let mut backoff = syncface::Backoff::new();
/// for _ in 0..10 {
///     backoff.lost_race(); // 1, 2, 4, … 64, 64, 64 spin hints
/// }
/// assert!(backoff.is_saturated());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Backoff {
    step: u32,
}

impl Backoff {
    /// The longest pause is 2<sup>this</sup> spin hints: on common x86-64 cores a pause of
    /// 64 hints is of the order of a microsecond, far less than a time slice.
    pub const CEILING: u32 = 6;

    /// A fresh back-off whose first pause is one spin hint.
    #[inline]
    #[must_use]
    pub const fn new() -> Self {
        Self { step: 0 }
    }

    /// A back-off whose first pause is 2<sup>`step`</sup> spin hints.
    #[inline]
    #[must_use]
    pub const fn starting_at(step: u32) -> Self {
        Self { step }
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
        if self.step < Self::CEILING {
            self.step += 1;
        }
    }

    /// True once pauses no longer grow: a caller that *may* block should now do so.
    #[inline]
    #[must_use]
    pub const fn is_saturated(&self) -> bool {
        self.step >= Self::CEILING
    }

    /// Starts over with the shortest pause.
    #[inline]
    pub fn reset(&mut self) {
        self.step = 0;
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

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
