//! Allocation that may fail.
//!
//! 1. The pointer given to `Box::from_raw` was allocated by the global allocator with the layout of
//!    the value, which is not of size zero, and holds a value.
//! 2. An atomic number has the layout of the number, and all bits zero are a value of it.
#![allow(unsafe_code, reason = "there is no stable Box::try_new and no Vec of zeros that may fail")]

use alloc::alloc::alloc;
#[cfg(not(loom))]
use alloc::alloc::alloc_zeroed;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::alloc::Layout;
use syncface::atomic::AtomicU32;

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

/// Exactly `len` zeros, at least one. Fresh memory of the operating system is not written for it.
#[cfg(not(loom))]
pub(crate) fn try_zeros(len: usize) -> Result<Vec<AtomicU32>, NoMemory> {
    let layout = Layout::array::<AtomicU32>(len).map_err(|_| NoMemory)?;
    if layout.size() == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: the size is not zero.
    let memory = unsafe { alloc_zeroed(layout) }.cast::<AtomicU32>();
    if memory.is_null() {
        return Err(NoMemory);
    }
    // SAFETY: allocated with the layout of that many, each a value, by invariant 2.
    Ok(unsafe { Vec::from_raw_parts(memory, len, len) })
}

#[cfg(loom)]
pub(crate) fn try_zeros(len: usize) -> Result<Vec<AtomicU32>, NoMemory> {
    try_many(len, || AtomicU32::new(0))
}
