//! Readers.

#![allow(unsafe_code, reason = "moves values out of slots that the claim made ours")]

use core::iter::FusedIterator;

use syncface::mutant;

use crate::aside::Aside;
use crate::error::PopError;
use crate::order;
use crate::ring::{Ring, advance};
use crate::slot::Slot;
use crate::stamp::{Read, State};
use crate::storage::Storage;
use crate::word::{Word, is_after};

/// What a look at one position came to.
enum Step<T> {
    /// The value, and the position to go on at.
    Value(T, Word),
    /// Nothing for a reader here; go on at the position given.
    Past(Word),
    /// Others have been here; go on at the position given.
    Behind(Word),
    /// Nothing is here and nothing has been issued from here on.
    Empty,
    /// Somebody is in the middle of a copy here.
    Pending,
}

/// A slot that this thread has just stamped `Taking`, and its position, which is not the last of its
/// lap.
struct Owned<'a, T> {
    slot: &'a Slot<T>,
    position: Word,
    /// The stamp to hand the slot over with, made before it was ours: what comes after waits.
    emptied: Word,
}

/// What [`own_at_once`](Ring::own_at_once) did not get.
struct Missed {
    position: Word,
    /// A race for its value was lost.
    lost: bool,
}

impl<T, S: Storage<T>> Ring<T, S> {
    /// Takes the oldest value; `None` if there is none, *or* if the oldest is still being copied
    /// by the thread that pushes it. [`try_pop`](Self::try_pop) tells the two apart.
    #[inline]
    pub fn pop(&self) -> Option<T> {
        match self.own_at_once() {
            Ok(owned) => Some(self.take_at_once(owned)),
            Err(missed) => self.pop_slow(missed),
        }
    }

    #[cold]
    #[inline(never)]
    fn pop_slow(&self, missed: Missed) -> Option<T> {
        self.try_pop_slow(missed).ok()
    }

    /// Takes the oldest value, or says why there is none to take.
    ///
    /// Never waits. Usually one look at a slot and one locked operation.
    ///
    /// # Errors
    /// [`PopError::Empty`] if nothing was resident or under way; [`PopError::Pending`] if the
    /// oldest is under way. Never "empty" while a value is resident or being pushed.
    ///
    /// ```
    /// # #[cfg(feature = "alloc")] {
    /// use lapring::{PopError, Ring};
    /// let ring = Ring::new(3);
    /// ring.force_push("first");
    /// assert_eq!(ring.try_pop(), Ok("first"));
    /// assert_eq!(ring.try_pop(), Err(PopError::Empty));
    /// # }
    /// ```
    #[inline]
    pub fn try_pop(&self) -> Result<T, PopError> {
        match self.own_at_once() {
            Ok(owned) => Ok(self.take_at_once(owned)),
            Err(missed) => self.try_pop_slow(missed),
        }
    }

    /// The common case, kept small for inlining: the value of this very position is there, and the lap
    /// goes on.
    #[inline(always)]
    fn own_at_once(&self) -> Result<Owned<'_, T>, Missed> {
        let geometry = self.geometry();
        let position = self.load_head();
        let slot = self.slot_in(geometry, position);
        let full = geometry.stamp(position, State::Full);
        if geometry.is_last(position) || slot.look() != full {
            return Err(Missed { position, lost: false });
        }
        let emptied = geometry.emptied(position);
        if slot.try_take(full, geometry.stamp(position, State::Taking)) {
            return Ok(Owned { slot, position, emptied });
        }
        Err(Missed { position, lost: true })
    }

    #[inline(always)]
    fn take_at_once(&self, owned: Owned<'_, T>) -> T {
        let value = Self::take(owned.slot, owned.emptied);
        advance(&self.head, owned.position.wrapping_add(1), order::head_store());
        value
    }

    #[cold]
    #[inline(never)]
    fn try_pop_slow(&self, missed: Missed) -> Result<T, PopError> {
        let mut position = missed.position;
        let mut aside = Aside::new();
        if missed.lost {
            aside.lost_race();
        }
        loop {
            match self.step(position, || ()) {
                Step::Value(value, next) => {
                    advance(&self.head, next, order::head_store());
                    return Ok(value);
                }
                Step::Past(next) => position = next,
                Step::Behind(next) => {
                    position = aside.overtaken(next, || self.load_head());
                }
                Step::Empty => return Err(PopError::Empty),
                Step::Pending => position = self.after_pending(position)?,
            }
        }
    }

    /// An iterator that takes up to `max` values, oldest first, of those issued before this call.
    ///
    /// Unlike [`pop`](Self::pop) it steps over slots whose copy is under way; their values come
    /// out in a later drain or pop. Values pushed after the call are left for the next one, which
    /// keeps each producer's values in order even when one of its pushes was stepped over (see the
    /// [crate documentation](crate) for the one exception).
    /// Dropping the iterator early leaves the rest in the ring.
    ///
    /// ```
    /// # #[cfg(feature = "alloc")] {
    /// let ring = lapring::Ring::new(4);
    /// (0..6).for_each(|n| {
    ///     ring.force_push(n);
    /// });
    /// assert_eq!(ring.drain(3).collect::<Vec<_>>(), [2, 3, 4]);
    /// assert_eq!(ring.drain(usize::MAX).collect::<Vec<_>>(), [5]);
    /// # }
    /// ```
    pub fn drain(&self, max: usize) -> Drain<'_, T, S> {
        let mut end = self.frontier();
        if mutant::is("lapring.drain_unbounded") {
            // One lap more.
            end = self.geometry().lap_after(end);
        }
        let head = self.load_head();
        Drain { ring: self, position: head, end, left: max, unbroken: true }
    }

    /// A pop that is stopped in the middle of its copy for as long as `stopped` runs.
    #[doc(hidden)]
    pub fn pop_stopped(&self, stopped: impl FnOnce()) -> Option<T> {
        match self.step(self.load_head(), stopped) {
            Step::Value(value, next) => {
                advance(&self.head, next, order::head_store());
                Some(value)
            }
            _ => None,
        }
    }

    /// One look at `position`, taking its value if there is one; `taking` runs in between.
    #[inline]
    fn step(&self, position: Word, taking: impl FnOnce()) -> Step<T> {
        let geometry = self.geometry();
        let slot = self.slot(position);
        let mut aside = Aside::new();
        loop {
            let seen = slot.look();
            match geometry.for_reader(seen, position) {
                Read::Ready => {
                    if !slot.try_take(seen, geometry.with_state(seen, State::Taking)) {
                        aside.lost_race();
                        continue;
                    }
                    taking();
                    let value = Self::take(slot, geometry.emptied(seen));
                    // A late value leaves its slot free for the position itself, where a writer
                    // may still come: only a slot that is newer than a position lets it go.
                    let is_late = !geometry.same_lap(seen, position);
                    let next = if is_late { position } else { geometry.next(position) };
                    return Step::Value(value, next);
                }
                Read::Vacant if is_after(self.load_floor(), position) => {
                    // The position was passed over. A newer stamp stops a writer who has not heard
                    // of it from putting a value where no reader would look any more.
                    if mutant::is("lapring.pass_without_bump") {
                        return Step::Past(geometry.next(position));
                    }
                    let bumped = geometry.emptied(geometry.stamp(position, State::Empty));
                    if slot.try_bump(seen, bumped) {
                        self.count_abandoned(geometry.laps(seen, bumped));
                        return Step::Past(geometry.next(position));
                    }
                    aside.lost_race();
                }
                Read::Vacant => return Step::Empty,
                Read::BeingTaken if is_after(self.load_floor(), position) => return Step::Pending,
                Read::BeingTaken => return Step::Empty,
                Read::InFlight => return Step::Pending,
                Read::Behind(next) => return Step::Behind(next),
            }
        }
    }

    /// Moves the value out of a slot that this thread has just stamped `Taking`, and hands the slot
    /// over with the stamp `emptied`. Once per take.
    #[inline(always)]
    fn take(slot: &Slot<T>, emptied: Word) -> T {
        // SAFETY: the take makes the slot ours (slot invariant 1); it was stamped `Full` (slot
        // invariant 2); nothing has read it since.
        let value = unsafe { slot.read() };
        slot.vacate(emptied);
        value
    }

    /// Where to go on from a position whose value is under way.
    ///
    /// If the window has moved past its slot, one lap before the tail: what is in flight here will be
    /// found when the head comes round again. Unless it has arrived before the window moved, and the
    /// thread that pushed it gone on to the next one: then here.
    #[cold]
    fn after_pending(&self, position: Word) -> Result<Word, PopError> {
        let oldest = self.geometry().lap_before(self.known_tail());
        if !is_after(oldest, position) {
            return Err(PopError::Pending);
        }
        match self.geometry().for_reader(self.slot(position).look(), position) {
            Read::InFlight | Read::BeingTaken => Ok(oldest),
            _ => Ok(position),
        }
    }
}

/// The iterator of [`Ring::drain`].
#[must_use = "values are taken as the iterator is advanced"]
pub struct Drain<'a, T, S: Storage<T>> {
    ring: &'a Ring<T, S>,
    position: Word,
    end: Word,
    left: usize,
    /// False once a slot was stepped over: the head stays before it.
    unbroken: bool,
}

impl<T, S: Storage<T>> Iterator for Drain<'_, T, S> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        while self.left > 0 && is_after(self.end, self.position) {
            match self.ring.step(self.position, || ()) {
                Step::Value(value, next) => {
                    self.position = next;
                    self.left -= 1;
                    if self.unbroken {
                        advance(&self.ring.head, next, order::head_store());
                    } else {
                        // Taken before its turn: a hole in the last lap, and `push` must not call
                        // the ring full because of what is still before it.
                        self.ring.raise_floor(next);
                    }
                    return Some(value);
                }
                Step::Past(next) | Step::Behind(next) => self.position = next,
                // Below `end` an empty slot was skipped by writers we have not heard of yet.
                Step::Empty | Step::Pending => {
                    self.unbroken = false;
                    self.position = self.ring.geometry().next(self.position);
                }
            }
        }
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let span = self.ring.geometry().distance_clamped(self.position, self.end);
        (0, Some(span.min(self.left)))
    }
}

impl<T, S: Storage<T>> FusedIterator for Drain<'_, T, S> {}

#[cfg(all(test, feature = "alloc", not(loom)))]
mod tests {
    use crate::{PopError, Ring};

    #[test]
    fn what_arrives_while_the_window_moves_is_not_left_behind() {
        let ring = Ring::new(3);
        let first = ring.start();
        let late = ring.reserve().unwrap();
        assert_eq!(ring.after_pending(first), Err(PopError::Pending), "the window stands here");
        (1..=4).for_each(|n| _ = ring.force_push(n));
        assert!(ring.after_pending(first).unwrap() > first, "still under way: it has moved on");
        late.fill(0);
        assert_eq!(ring.after_pending(first), Ok(first), "here it is");
    }
}
