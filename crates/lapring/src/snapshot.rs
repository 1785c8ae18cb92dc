//! Reading without taking.

#![allow(unsafe_code, reason = "copies values out of slots that the claim made ours")]

use core::iter::FusedIterator;

use crate::ring::Ring;
use crate::stamp::{Geometry, Read, State};
use crate::storage::Storage;
use crate::word::{Word, is_after};

impl<T: Copy, S: Storage<T>> Ring<T, S> {
    /// An iterator over copies of the values that are resident now, oldest first; they stay.
    ///
    /// One pass of at most `capacity` slots, and each value is copied while its slot is held for
    /// the length of that copy. Others never wait for it: a `pop` that comes to the slot meanwhile
    /// answers "pending", and a writer that comes to displace the value passes the slot by. In that
    /// case the value, whose time is over, leaves the ring when the copy is done, and
    /// [`displaced`](Snapshot::displaced) counts it. Slots that others hold are stepped over and
    /// counted by [`in_flight`](Snapshot::in_flight).
    ///
    /// ```
    /// # #[cfg(feature = "alloc")] {
    /// let ring = lapring::Ring::new(3);
    /// (0..5).for_each(|n| {
    ///     ring.force_push(n);
    /// });
    /// assert_eq!(ring.snapshot().collect::<Vec<_>>(), [2, 3, 4]);
    /// assert_eq!(ring.len(), 3); // nothing was taken
    /// # }
    /// ```
    pub fn snapshot(&self) -> Snapshot<'_, T, S> {
        let end = self.frontier();
        let position = self.oldest();
        Snapshot { ring: self, position, end, in_flight: 0, displaced: 0 }
    }

    /// Copies the value of the slot of `position`, stamped `seen` and full, unless somebody is
    /// faster; `true` with it if a writer came for the slot meanwhile, so that the value is not in
    /// the ring any more.
    pub(crate) fn copy_out(&self, position: Word, seen: Word) -> Option<(T, bool)> {
        let geometry = self.geometry();
        let slot = self.slot(position);
        let peeking = geometry.with_state(seen, State::Peeking);
        if !slot.try_peek(seen, peeking) {
            return None;
        }
        // SAFETY: the peek makes the slot ours (slot invariant 1); it was stamped `Full` (slot
        // invariant 2).
        let value = unsafe { slot.copy() };
        let mut outcome = slot.try_unpeek(peeking, seen);
        let displaced = outcome.is_err();
        if let Err(doomed) = outcome {
            // Other writers may move the stamp further on meanwhile.
            outcome = slot.try_vacate(doomed, geometry.emptied(doomed));
            while let Err(now) = outcome {
                outcome = slot.try_vacate(now, geometry.emptied(now));
            }
        }
        Some((value, displaced))
    }
}

/// The iterator of [`Ring::snapshot`].
#[derive(Debug)]
#[must_use = "values are copied as the iterator is advanced"]
pub struct Snapshot<'a, T, S: Storage<T>> {
    ring: &'a Ring<T, S>,
    position: Word,
    end: Word,
    in_flight: usize,
    displaced: usize,
}

impl<T: Copy, S: Storage<T>> Snapshot<'_, T, S> {
    /// Values stepped over so far because another thread was copying them.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Values that left the ring so far because a writer came for their slot while they were being
    /// copied. They are among those returned by this iterator.
    #[must_use]
    pub fn displaced(&self) -> usize {
        self.displaced
    }
}

impl<T: Copy, S: Storage<T>> Iterator for Snapshot<'_, T, S> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        while is_after(self.end, self.position) {
            let (geometry, position) = (self.ring.geometry(), self.position);
            let seen = self.ring.slot(position).look();
            match geometry.for_reader(seen, position) {
                Read::Ready => {
                    if let Some((value, displaced)) = self.ring.copy_out(position, seen) {
                        self.displaced += usize::from(displaced);
                        self.position = geometry.next(position);
                        return Some(value);
                    }
                }
                Read::Behind(next) => self.position = next,
                Read::InFlight => {
                    debug_assert!(Geometry::state(seen) != State::Full);
                    self.in_flight += 1;
                    self.position = geometry.next(position);
                }
                Read::Vacant | Read::BeingTaken => self.position = geometry.next(position),
            }
        }
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.ring.geometry().distance_clamped(self.position, self.end)))
    }
}

impl<T: Copy, S: Storage<T>> FusedIterator for Snapshot<'_, T, S> {}
