//! One slot: a stamp and room for a value. The smallest unsafe room of this crate.
//!
//! # Invariants
//! 1. **Ownership.** A thread that moved a stamp to `Writing`, `Taking` or `Peeking` by
//!    compare-and-swap owns the slot's value until it moves the stamp to another state. Meanwhile
//!    nobody else touches the value, or moves the stamp to another state.
//! 2. **Fullness.** A slot stamped `Full` holds an initialised value; one stamped `Empty` holds
//!    none. A slot stamped `Taking` or `Peeking` was `Full`, and one stamped `Writing` holds no value that
//!    anybody but its owner may use.

#![allow(unsafe_code, reason = "moves values in and out of uninitialised slots")]

use core::mem::MaybeUninit;

use syncface::cell::UnsafeCell;
use syncface::mutant;

use crate::order;
use crate::stamp::{Geometry, State};
use crate::word::{AtomicWord, Word};

/// A stamp and the value it speaks of.
///
/// Public only so that [`InlineRing`](crate::InlineRing) can name its storage.
// Aligned so that copies in steps of 16 bytes never straddle two cache lines.
#[repr(C)]
#[cfg_attr(target_pointer_width = "64", repr(align(16)))]
pub struct Slot<T> {
    value: UnsafeCell<MaybeUninit<T>>,
    stamp: AtomicWord,
}

impl<T> Slot<T> {
    syncface::maybe_const! {
        /// An empty slot of lap zero.
        pub(crate) fn new() -> Self {
            Self { value: UnsafeCell::new(MaybeUninit::uninit()), stamp: AtomicWord::new(0) }
        }
    }

    /// The stamp. What its last writer knew, this thread knows from here on.
    #[inline]
    pub(crate) fn look(&self) -> Word {
        self.stamp.load(order::look())
    }

    /// Moves the stamp from `seen` to `stamp`, a `Writing` stamp; true if that made us the owner.
    #[inline]
    pub(crate) fn try_claim(&self, seen: Word, stamp: Word) -> bool {
        debug_assert_eq!(Geometry::state(stamp), State::Writing);
        if mutant::is("lapring.claim_skipped") {
            self.stamp.store(stamp, order::PLAIN);
            return true;
        }
        self.stamp.compare_exchange(seen, stamp, order::claim(), order::PLAIN).is_ok()
    }

    /// Moves the stamp from `seen` to `stamp`, a `Taking` stamp; true if that made us the owner.
    #[inline]
    pub(crate) fn try_take(&self, seen: Word, stamp: Word) -> bool {
        debug_assert_eq!(Geometry::state(stamp), State::Taking);
        if mutant::is("lapring.take_skipped") {
            self.stamp.store(stamp, order::PLAIN);
            return true;
        }
        self.stamp.compare_exchange(seen, stamp, order::take(), order::PLAIN).is_ok()
    }

    /// Moves the stamp from `seen` to `stamp`, a `Peeking` stamp; true if that made us the owner.
    #[inline]
    pub(crate) fn try_peek(&self, seen: Word, stamp: Word) -> bool {
        debug_assert_eq!(Geometry::state(stamp), State::Peeking);
        self.stamp.compare_exchange(seen, stamp, order::PLAIN, order::PLAIN).is_ok()
    }

    /// Moves the stamp of a slot that a snapshot holds to a later lap; true if that was done.
    #[cold]
    pub(crate) fn try_doom(&self, seen: Word, stamp: Word) -> bool {
        debug_assert_eq!(Geometry::state(stamp), State::Peeking);
        self.stamp.compare_exchange(seen, stamp, order::doom(), order::PLAIN).is_ok()
    }

    /// Gives a peeked slot back with its value; the stamp of now if a writer has passed it by.
    #[inline]
    pub(crate) fn try_unpeek(&self, peeking: Word, full: Word) -> Result<(), Word> {
        debug_assert_eq!(Geometry::state(full), State::Full);
        let (success, failure) = (order::unpeek(), order::PLAIN);
        self.stamp.compare_exchange(peeking, full, success, failure).map(|_| ())
    }

    /// Hands a peeked slot over without its value; the stamp of now if it has been moved on.
    #[cold]
    pub(crate) fn try_vacate(&self, peeking: Word, empty: Word) -> Result<(), Word> {
        debug_assert_eq!(Geometry::state(empty), State::Empty);
        let (success, failure) = (order::vacate(), order::PLAIN);
        self.stamp.compare_exchange(peeking, empty, success, failure).map(|_| ())
    }

    /// Moves an empty slot on to a later lap without a value; true if nobody else was faster.
    ///
    /// No value changes hands, but the knowledge that the position was passed by does.
    #[inline]
    pub(crate) fn try_bump(&self, seen: Word, stamp: Word) -> bool {
        debug_assert_eq!(Geometry::state(stamp), State::Empty);
        self.stamp.compare_exchange(seen, stamp, order::bump(), order::PLAIN).is_ok()
    }

    /// Replaces the stamp of a slot that somebody else owns by a younger one of the same state.
    ///
    /// Failing is as good: the owner, or another thread, has been faster.
    #[cold]
    pub(crate) fn try_refresh(&self, seen: Word, stamp: Word) {
        debug_assert_eq!(Geometry::state(stamp), Geometry::state(seen));
        let _ = self.stamp.compare_exchange(seen, stamp, order::PLAIN, order::PLAIN);
    }

    /// Hands the slot over with a value in it.
    #[inline]
    pub(crate) fn publish(&self, stamp: Word) {
        debug_assert_eq!(Geometry::state(stamp), State::Full);
        self.stamp.store(stamp, order::publish());
    }

    /// Hands the slot over without a value.
    #[inline]
    pub(crate) fn vacate(&self, stamp: Word) {
        debug_assert_eq!(Geometry::state(stamp), State::Empty);
        self.stamp.store(stamp, order::vacate());
    }

    /// Moves the value out.
    ///
    /// # Safety
    /// The caller owns the slot (invariant 1), it held a value when the caller claimed it
    /// (invariant 2), and this is the first call since.
    #[inline]
    pub(crate) unsafe fn read(&self) -> T {
        self.value.with_mut(|value| {
            // SAFETY: exclusive by invariant 1, initialised by invariant 2; the caller reads once.
            unsafe { value.cast::<T>().read() }
        })
    }

    /// Copies the value out; it stays.
    ///
    /// # Safety
    /// As for [`read`](Self::read), but any number of times.
    #[inline]
    pub(crate) unsafe fn copy(&self) -> T
    where
        T: Copy,
    {
        self.value.with(|value| {
            // SAFETY: nobody writes by invariant 1, initialised by invariant 2.
            unsafe { value.cast::<T>().read() }
        })
    }

    /// The value, in place.
    ///
    /// # Safety
    /// The caller owns the slot (invariant 1) for as long as it uses the reference, the slot held a
    /// value when the caller claimed it (invariant 2), and the value has not been moved out.
    #[inline]
    pub(crate) unsafe fn peek(&self) -> &T {
        self.value.with(|value| {
            // SAFETY: nobody writes by invariant 1, initialised by invariant 2.
            unsafe { &*value.cast::<T>() }
        })
    }

    /// Moves `new` in, over whatever bytes are there.
    ///
    /// # Safety
    /// The caller owns the slot (invariant 1) and has moved out any value it held.
    #[inline]
    pub(crate) unsafe fn write(&self, new: T) {
        self.value.with_mut(|value| {
            // SAFETY: exclusive by invariant 1; the target is valid for writes of `T`.
            unsafe { value.cast::<T>().write(new) }
        });
    }

    /// The stamp, with no other thread about.
    pub(crate) fn stamp_mut(&mut self) -> Word {
        // Loom has no access through `&mut`; a relaxed load under exclusive access is the same.
        self.stamp.load(order::PLAIN)
    }

    /// Sets the stamp, with no other thread about.
    pub(crate) fn set_stamp_mut(&mut self, stamp: Word) {
        self.stamp.store(stamp, order::PLAIN);
    }
}

// SAFETY: by invariant 1 a value is touched only by the thread that owns its slot, and values move
// from the writer to one reader: that is a transfer between threads, for which `Send` suffices.
unsafe impl<T: Send> Sync for Slot<T> {}

// A panic can come only from code that runs between two states of a slot: no operation leaves one
// that another could not go on from.
impl<T> core::panic::UnwindSafe for Slot<T> {}
impl<T> core::panic::RefUnwindSafe for Slot<T> {}
