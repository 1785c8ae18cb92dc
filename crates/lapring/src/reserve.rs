//! Writers in two steps: a slot first, its value later.

#![allow(
    unsafe_code,
    reason = "looks at, drops and replaces the value of a slot that the claim made ours"
)]

use core::marker::PhantomData;

use crate::push::Claim;
use crate::ring::Ring;
use crate::storage::Storage;

impl<T, S: Storage<T>> Ring<T, S> {
    /// Claims the next position as [`force_push`](Self::force_push) does, and leaves the value for
    /// later; `None` where `force_push` would give the value back.
    ///
    /// Until the reservation is filled or dropped its slot counts as mid-copy: forced pushes pass it by,
    /// and nobody waits. Dropped unfilled, the position stays without a value (counted as abandoned) and
    /// the value that was to be displaced is dropped. A reservation that is leaked costs the ring that
    /// slot for good (a [`push`](Self::push) that comes to it is refused as busy, until a forced push has
    /// gone by), and leaks the displaced value.
    ///
    /// ```
    /// # #[cfg(feature = "alloc")] {
    /// let ring = lapring::Ring::new(2);
    /// for text in ["a", "b", "c"] {
    ///     let slot = ring.reserve().expect("nobody is in the middle of a copy");
    ///     let numbered = format!("{text}{}", slot.number());
    ///     slot.fill(numbered);
    /// }
    /// assert_eq!(ring.pop().as_deref(), Some("b1"));
    /// assert_eq!(ring.pop().as_deref(), Some("c2"));
    /// # }
    /// ```
    // Always inlined, like `fill` and `replace`: a reservation that goes through memory is written in
    // bytes and read in words, which a processor cannot forward from one to the other.
    #[inline(always)]
    pub fn reserve(&self) -> Option<Reserved<'_, T, S>> {
        self.claim(true).ok().map(|claim| Reserved { ring: self, claim, displaced: PhantomData })
    }
}

/// A position of a ring that is waiting for its value: see [`Ring::reserve`].
///
/// `Send` if the values are, `Sync` if they are: unlike a ring it gives references to a value, and
/// what must not be shared is not shared by way of it.
///
/// ```compile_fail,E0277
/// fn assert_sync<T: Sync>(_: &T) {}
/// let ring = lapring::Ring::<std::cell::Cell<u8>>::new(1);
/// assert_sync(&ring); // values move between threads
/// assert_sync(&ring.reserve().unwrap());
/// ```
#[must_use = "dropped unfilled, the position stays without a value"]
pub struct Reserved<'a, T, S: Storage<T>> {
    ring: &'a Ring<T, S>,
    claim: Claim<'a, T>,
    /// What will be displaced belongs to this, and can be looked at through it.
    displaced: PhantomData<T>,
}

impl<T, S: Storage<T>> Reserved<'_, T, S> {
    /// How many positions were issued before this one since the ring was built: 0, 1, 2, … in the
    /// order in which values will be popped.
    ///
    /// Unique until the position word wraps: after 2<sup>64</sup> · capacity / (smallest power of two
    /// above the capacity, at least 8) positions on 64-bit targets, 2<sup>32</sup> instead on
    /// 32-bit ones. Positions that are [abandoned](crate::Counters::abandoned) leave gaps. Costs a
    /// shift and a multiplication.
    #[inline]
    #[must_use]
    pub fn number(&self) -> usize {
        self.ring.number_of(self.claim.position)
    }

    /// The value that will be displaced; `None` if the slot was empty.
    #[inline]
    #[must_use]
    pub fn displaced(&self) -> Option<&T> {
        if !self.claim.occupied {
            return None;
        }
        // SAFETY: the claim makes the slot ours for as long as `self` lives (slot invariant 1); it
        // was stamped `Full` (slot invariant 2) and nothing has moved the value out since.
        Some(unsafe { self.claim.slot.peek() })
    }

    /// Puts the value in and hands the slot over; returns what was displaced.
    #[inline(always)]
    pub fn fill(self, value: T) -> Option<T> {
        let this = core::mem::ManuallyDrop::new(self);
        let oldest = this.ring.evict(&this.claim);
        this.ring.fill(&this.claim, value);
        oldest
    }

    /// [`fill`](Self::fill) that drops what was displaced where it is, instead of moving it out.
    ///
    /// If that drop panics, the value is in the ring all the same. A value that is put together in
    /// the argument is put together in the slot.
    #[inline(always)]
    pub fn replace(self, value: T) {
        if core::mem::needs_drop::<T>() {
            drop(self.fill(value));
            return;
        }
        // Without drop glue the bytes can simply be written over.
        let this = core::mem::ManuallyDrop::new(self);
        this.ring.fill(&this.claim, value);
    }
}

impl<T, S: Storage<T>> Drop for Reserved<'_, T, S> {
    /// Gives the slot back without a value.
    fn drop(&mut self) {
        let displaced = self.ring.evict(&self.claim);
        self.ring.give_back(self.claim.slot, self.claim.position);
        // There is a hole in the last lap now, and `push` must not call the ring full.
        self.ring.raise_floor(self.ring.geometry().next(self.claim.position));
        // Last, because it may panic.
        drop(displaced);
    }
}

impl<T, S: Storage<T>> core::fmt::Debug for Reserved<'_, T, S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Reserved").field("number", &self.number()).finish_non_exhaustive()
    }
}
