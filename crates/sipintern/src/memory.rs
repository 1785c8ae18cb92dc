//! Allocation that may fail.
//!
//! 1. The pointer given to `Box::from_raw` was allocated by the global allocator with the layout of
//!    the value, which is not of size zero, and holds a value.
#![allow(unsafe_code, reason = "there is no stable Box::try_new")]

use alloc::alloc::alloc;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::alloc::Layout;

/// The allocator refused, or numbers ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoMemory;

pub(crate) fn try_box<T>(value: T) -> Result<Box<T>, NoMemory> {
    const { assert!(size_of::<T>() > 0) }
    // SAFETY: the size is not zero, as just asserted.
    let memory = unsafe { alloc(Layout::new::<T>()) }.cast::<T>();
    if memory.is_null() {
        return Err(NoMemory);
    }
    // SAFETY: fresh memory of the layout of T.
    unsafe { memory.write(value) };
    // SAFETY: by invariant 1.
    Ok(unsafe { Box::from_raw(memory) })
}

/// Exactly `len` values.
pub(crate) fn try_many<T>(len: usize, mut value: impl FnMut() -> T) -> Result<Vec<T>, NoMemory> {
    let mut all = Vec::new();
    all.try_reserve_exact(len).map_err(|_| NoMemory)?;
    all.extend((0..len).map(|_| value()));
    Ok(all)
}
