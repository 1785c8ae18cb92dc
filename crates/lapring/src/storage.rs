//! Where the slots live: on the heap, or inline for rings in statics without an allocator.

#![allow(unsafe_code, reason = "allocates zeroed slots and indexes them without bounds checks")]

use crate::slot::Slot;

mod sealed {
    pub trait Sealed {}
}

/// A fixed run of slots. Implemented by [`HeapSlots`] and [`InlineSlots`] only.
///
/// # Safety
/// `slots` returns the same slots for as long as the storage lives, also after a move of the
/// storage unless nothing borrows it.
#[allow(private_interfaces, reason = "sealed: nobody else can call or implement it")]
pub unsafe trait Storage<T>: sealed::Sealed {
    #[doc(hidden)]
    fn slots(&self) -> &[Slot<T>];
    #[doc(hidden)]
    fn slots_mut(&mut self) -> &mut [Slot<T>];
}

/// Slots inside the ring itself.
pub struct InlineSlots<T, const N: usize>([Slot<T>; N]);

impl<T, const N: usize> InlineSlots<T, N> {
    syncface::maybe_const! {
        pub(crate) fn new() -> Self {
            #[cfg(not(loom))]
            let slots = [const { Slot::new() }; N];
            #[cfg(loom)]
            let slots = core::array::from_fn(|_| Slot::new());
            Self(slots)
        }
    }
}

impl<T, const N: usize> sealed::Sealed for InlineSlots<T, N> {}

// SAFETY: the array is part of `self`.
unsafe impl<T, const N: usize> Storage<T> for InlineSlots<T, N> {
    #[inline(always)]
    fn slots(&self) -> &[Slot<T>] {
        &self.0
    }

    #[inline(always)]
    fn slots_mut(&mut self) -> &mut [Slot<T>] {
        &mut self.0
    }
}

/// Slots in one heap allocation, zeroed by the allocator: an operating system commits the memory
/// page by page as values arrive.
#[cfg(feature = "alloc")]
pub struct HeapSlots<T>(alloc::boxed::Box<[Slot<T>]>);

#[cfg(feature = "alloc")]
mod heap {
    use alloc::boxed::Box;
    use core::alloc::Layout;

    use super::{HeapSlots, Slot, Storage, sealed};
    use crate::error::CapacityError;

    impl<T> HeapSlots<T> {
        /// The bytes that `cap` slots take, if they can exist at all.
        pub(crate) fn layout(cap: usize) -> Option<Layout> {
            Layout::array::<Slot<T>>(cap).ok()
        }

        /// `cap` empty slots of lap zero; `cap` is not 0.
        #[cfg(not(loom))]
        pub(crate) fn try_new(cap: usize) -> Result<Self, CapacityError> {
            let layout =
                Self::layout(cap).ok_or(CapacityError::OutOfMemory { bytes: usize::MAX })?;
            debug_assert!(layout.size() > 0, "a slot holds at least its stamp");
            // SAFETY: the size is not zero: `cap` is not 0 and a slot holds its stamp.
            let memory = unsafe { alloc::alloc::alloc_zeroed(layout) };
            if memory.is_null() {
                return Err(CapacityError::OutOfMemory { bytes: layout.size() });
            }
            let slots = core::ptr::slice_from_raw_parts_mut(memory.cast::<Slot<T>>(), cap);
            // SAFETY: fresh memory of exactly this layout. All zero bytes are a valid slot: the
            // value is `MaybeUninit`, and a zero stamp means "empty, lap 0" (slot invariant 2).
            Ok(Self(unsafe { Box::from_raw(slots) }))
        }

        /// `cap` empty slots of lap zero. Loom's atomics cannot be made of zeroed memory.
        #[cfg(loom)]
        pub(crate) fn try_new(cap: usize) -> Result<Self, CapacityError> {
            Ok(Self((0..cap).map(|_| Slot::new()).collect::<Box<[_]>>()))
        }
    }

    impl<T> sealed::Sealed for HeapSlots<T> {}

    // SAFETY: the slots stand behind a box, which moving `self` does not touch.
    unsafe impl<T> Storage<T> for HeapSlots<T> {
        #[inline(always)]
        fn slots(&self) -> &[Slot<T>] {
            &self.0
        }

        #[inline(always)]
        fn slots_mut(&mut self) -> &mut [Slot<T>] {
            &mut self.0
        }
    }
}
