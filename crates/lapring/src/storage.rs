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

/// Slots in one allocation of zeroed memory, which an operating system commits page by page as
/// values arrive.
///
/// # Invariant
/// 1. The pointer is to `cap` slots that nobody else owns, had from the allocator with
///    `layout`, or from the kernel if `mapped`.
#[cfg(feature = "alloc")]
pub struct HeapSlots<T> {
    #[cfg(not(loom))]
    slots: core::ptr::NonNull<[Slot<T>]>,
    #[cfg(not(loom))]
    mapped: bool,
    #[cfg(loom)]
    slots: alloc::boxed::Box<[Slot<T>]>,
}

#[cfg(feature = "alloc")]
mod heap {
    use core::alloc::Layout;

    use super::{HeapSlots, Slot, Storage, sealed};
    use crate::error::CapacityError;

    impl<T> HeapSlots<T> {
        /// The bytes that `cap` slots take, if they can exist at all.
        pub(crate) fn layout(cap: usize) -> Option<Layout> {
            Layout::array::<Slot<T>>(cap).ok()
        }
    }

    /// Loom's atomics cannot be made of zeroed memory.
    #[cfg(loom)]
    impl<T> HeapSlots<T> {
        /// `cap` empty slots of lap zero.
        pub(crate) fn try_new(cap: usize) -> Result<Self, CapacityError> {
            Ok(Self { slots: (0..cap).map(|_| Slot::new()).collect() })
        }
    }

    #[cfg(not(loom))]
    mod memory {
        use core::ptr::{NonNull, slice_from_raw_parts_mut};

        use super::{CapacityError, HeapSlots, Layout, Slot};

        impl<T> HeapSlots<T> {
            /// `cap` empty slots of lap zero; `cap` is not 0.
            pub(crate) fn try_new(cap: usize) -> Result<Self, CapacityError> {
                let layout =
                    Self::layout(cap).ok_or(CapacityError::OutOfMemory { bytes: usize::MAX })?;
                debug_assert!(layout.size() > 0, "a slot holds at least its stamp");
                let mapped = kernel::is_for(layout);
                let memory = if mapped {
                    kernel::map(layout)
                } else {
                    // SAFETY: the size is not zero: `cap` is not 0 and a slot holds its stamp.
                    unsafe { alloc::alloc::alloc_zeroed(layout) }
                };
                // All zero bytes are a valid slot: the value is `MaybeUninit`, and a zero stamp
                // means "empty, lap 0" (slot invariant 2).
                NonNull::new(slice_from_raw_parts_mut(memory.cast::<Slot<T>>(), cap))
                    .map(|slots| Self { slots, mapped })
                    .ok_or(CapacityError::OutOfMemory { bytes: layout.size() })
            }
        }

        impl<T> Drop for HeapSlots<T> {
            /// Gives the memory back; whoever owns the storage has dropped the values.
            fn drop(&mut self) {
                let memory = self.slots.cast::<u8>().as_ptr();
                // There was one for so many slots when they were made.
                let Some(layout) = Self::layout(self.slots.len()) else { return };
                if self.mapped {
                    kernel::unmap(memory, layout);
                } else {
                    // SAFETY: had from the allocator with this layout (invariant 1).
                    unsafe { alloc::alloc::dealloc(memory, layout) };
                }
            }
        }

        // SAFETY: the slots are owned (invariant 1), as they would be in a box.
        unsafe impl<T> Send for HeapSlots<T> where Slot<T>: Send {}
        // SAFETY: the same.
        unsafe impl<T> Sync for HeapSlots<T> where Slot<T>: Sync {}

        /// Memory straight from the kernel: always fresh zero pages, and gone when it is given back.
        ///
        /// An allocator that recycles a large block has to write zeros over all of it first, and may
        /// keep what it was given back: glibc's does both once a program has freed a few such blocks.
        #[cfg(all(feature = "mmap", any(target_os = "linux", target_os = "android"), not(miri)))]
        mod kernel {
            use core::ptr::null_mut;

            use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

            use super::Layout;

            /// Smaller blocks are the allocator's business.
            const LEAST: usize = 128 << 10;
            /// What every mapping is aligned to, at least.
            const ALIGN: usize = 4096;

            pub(super) const fn is_for(layout: Layout) -> bool {
                layout.size() >= LEAST && layout.align() <= ALIGN
            }

            /// Null if the kernel refused.
            pub(super) fn map(layout: Layout) -> *mut u8 {
                let (access, flags) =
                    (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE | MapFlags::NORESERVE);
                // SAFETY: a new mapping at a place of the kernel's choice touches no other memory.
                let memory = unsafe { mmap_anonymous(null_mut(), layout.size(), access, flags) };
                memory.map_or(null_mut(), <*mut _>::cast)
            }

            pub(super) fn unmap(memory: *mut u8, layout: Layout) {
                // SAFETY: a mapping of this size that nobody uses any more (invariant 1).
                let result = unsafe { munmap(memory.cast(), layout.size()) };
                debug_assert!(result.is_ok(), "a whole mapping can be given back");
            }
        }

        #[cfg(not(all(
            feature = "mmap",
            any(target_os = "linux", target_os = "android"),
            not(miri)
        )))]
        mod kernel {
            use super::Layout;

            pub(super) const fn is_for(_layout: Layout) -> bool {
                false
            }

            pub(super) const fn map(_layout: Layout) -> *mut u8 {
                core::ptr::null_mut()
            }

            pub(super) const fn unmap(_memory: *mut u8, _layout: Layout) {}
        }
    }

    impl<T> sealed::Sealed for HeapSlots<T> {}

    // SAFETY: the slots stand behind a pointer, which moving `self` does not touch.
    unsafe impl<T> Storage<T> for HeapSlots<T> {
        #[cfg(not(loom))]
        #[inline(always)]
        fn slots(&self) -> &[Slot<T>] {
            // SAFETY: valid for as long as `self` is (invariant 1).
            unsafe { self.slots.as_ref() }
        }

        #[cfg(not(loom))]
        #[inline(always)]
        fn slots_mut(&mut self) -> &mut [Slot<T>] {
            // SAFETY: valid for as long as `self` is, and `self` is borrowed exclusively (invariant 1).
            unsafe { self.slots.as_mut() }
        }

        #[cfg(loom)]
        fn slots(&self) -> &[Slot<T>] {
            &self.slots
        }

        #[cfg(loom)]
        fn slots_mut(&mut self) -> &mut [Slot<T>] {
            &mut self.slots
        }
    }
}
