//! Keeping a value on cache lines of its own.

use core::fmt;
use core::ops::{Deref, DerefMut};

/// Aligns a value so that it shares no cache line with its neighbours.
///
/// 128 bytes on x86-64, aarch64 and powerpc64 (x86-64 prefetches lines in pairs; the other two
/// have cores with 128-byte lines), 256 on s390x, 32 on 32-bit arm, mips, riscv32 and sparc class
/// targets, 64 elsewhere.
///
/// ```
/// use syncface::CachePadded;
/// let pair = [CachePadded::new(1u64), CachePadded::new(2u64)];
/// let distance = (&raw const pair[1]).addr() - (&raw const pair[0]).addr();
/// assert!(distance >= 32);
/// assert_eq!(*pair[1], 2);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "powerpc64"),
    repr(align(128))
)]
#[cfg_attr(target_arch = "s390x", repr(align(256)))]
#[cfg_attr(
    any(
        target_arch = "arm",
        target_arch = "mips",
        target_arch = "riscv32",
        target_arch = "sparc",
        target_arch = "hexagon"
    ),
    repr(align(32))
)]
#[cfg_attr(
    not(any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "powerpc64",
        target_arch = "s390x",
        target_arch = "arm",
        target_arch = "mips",
        target_arch = "riscv32",
        target_arch = "sparc",
        target_arch = "hexagon"
    )),
    repr(align(64))
)]
pub struct CachePadded<T> {
    value: T,
}

impl<T> CachePadded<T> {
    /// Wraps `value`.
    #[inline]
    pub const fn new(value: T) -> Self {
        Self { value }
    }

    /// Gives the value back.
    #[inline]
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl<T> Deref for CachePadded<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for CachePadded<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for CachePadded<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}
