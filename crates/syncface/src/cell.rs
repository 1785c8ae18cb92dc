//! A cell whose accesses loom can see.

/// `UnsafeCell` with access through closures, so that loom can check that no two threads use it at
/// once.
///
/// Natively every method compiles to the bare pointer.
///
/// ```
/// let cell = syncface::cell::UnsafeCell::new(1u32);
/// // The pointers are raw: dereferencing one is where the caller's proof of exclusion goes.
/// let address = cell.with(|shared| shared.addr());
/// assert_eq!(cell.with_mut(|exclusive| exclusive.addr()), address);
/// ```
#[cfg(not(loom))]
#[derive(Debug)]
#[repr(transparent)]
pub struct UnsafeCell<T: ?Sized>(core::cell::UnsafeCell<T>);

#[cfg(not(loom))]
impl<T> UnsafeCell<T> {
    /// Wraps `value`.
    #[inline]
    pub const fn new(value: T) -> Self {
        Self(core::cell::UnsafeCell::new(value))
    }

    /// Gives the value back.
    #[inline]
    pub fn into_inner(self) -> T {
        self.0.into_inner()
    }
}

#[cfg(not(loom))]
impl<T: ?Sized> UnsafeCell<T> {
    /// Calls `read` with a pointer for shared reading. Nobody may write meanwhile.
    #[inline(always)]
    pub fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        read(self.0.get())
    }

    /// Calls `write` with a pointer for exclusive use. Nobody else may read or write meanwhile.
    #[inline(always)]
    pub fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        write(self.0.get())
    }

    /// The value, borrowed for as long as the cell is.
    #[inline]
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut()
    }
}

#[cfg(loom)]
pub use loom::cell::UnsafeCell;
