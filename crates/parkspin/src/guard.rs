//! The guards of the lock with data.
//!
//! Invariants:
//!
//! 1. A [`RwLockReadGuard`] owns one shared hold of its `raw`, a [`RwLockWriteGuard`] the exclusive
//!    one, from construction to drop or to the move into another guard.
//! 2. The `data` of a guard points into the cell beside its `raw`, in a [`RwLock`](crate::RwLock) that is borrowed
//!    for the guard's lifetime; that of a mapped guard points to what its closure made of a
//!    reference to that, which is valid as long as the hold is kept.
//! 3. The data is reached through `&` only under a shared hold, and through `&mut` only under the
//!    exclusive hold or with the lock itself borrowed exclusively.
//!
//! Guards keep a pointer instead of a reference because a reference promises that its target stays
//! unchanged for as long as the reference exists, even after a drop inside the function it was
//! passed to has let a writer in.

#![allow(unsafe_code, reason = "turns holds of the raw lock into references to the data")]

use core::fmt;
use core::marker::PhantomData;
use core::mem;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

use crate::raw::RawRwLock;

mod mapped;

pub use mapped::{MappedRwLockReadGuard, MappedRwLockWriteGuard};

/// Shared access to the value of a [`RwLock`](crate::RwLock); gives it back when dropped, also by a panic.
///
/// Covariant in `T`. Must stay in its thread:
///
/// ```compile_fail,E0277
/// static LOCK: parkspin::RwLock<u32> = parkspin::RwLock::new(1);
/// let guard = LOCK.read();
/// std::thread::spawn(move || drop(guard));
/// ```
///
/// and cannot outlive the lock:
///
/// ```compile_fail,E0597
/// let guard = {
///     let lock = parkspin::RwLock::new(1);
///     lock.read()
/// };
/// drop(guard);
/// ```
#[must_use = "the lock is given back at once if the guard is not kept"]
pub struct RwLockReadGuard<'a, T: ?Sized> {
    data: NonNull<T>,
    raw: &'a RawRwLock,
    /// The pointer's meaning for the borrow checker. That the guard is not `Send` follows from the
    /// raw pointer in the tuple.
    _data: PhantomData<(&'a T, *const ())>,
}

// SAFETY: a shared guard gives out `&T` and nothing else (invariant 3).
unsafe impl<T: ?Sized + Sync> Sync for RwLockReadGuard<'_, T> {}

impl<'a, T: ?Sized> RwLockReadGuard<'a, T> {
    /// # Safety
    ///
    /// The caller passes on a shared hold of `raw`, whose lock has its value at `data` and is
    /// borrowed for `'a` (invariants 1 and 2).
    #[inline]
    pub(crate) unsafe fn new(data: NonNull<T>, raw: &'a RawRwLock) -> Self {
        Self { data, raw, _data: PhantomData }
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: valid by invariant 2; by invariants 1 and 3 nobody writes while the guard lives.
        unsafe { self.data.as_ref() }
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the hold is ours by invariant 1; the lock outlives the call by invariant 2.
        unsafe { self.raw.unlock_shared() }
    }
}

/// Exclusive access to the value of a [`RwLock`](crate::RwLock); gives it back when dropped, also by a panic.
///
/// Must stay in its thread:
///
/// ```compile_fail,E0277
/// static LOCK: parkspin::RwLock<u32> = parkspin::RwLock::new(1);
/// let guard = LOCK.write();
/// std::thread::spawn(move || drop(guard));
/// ```
///
/// and cannot outlive the lock:
///
/// ```compile_fail,E0597
/// let guard = {
///     let lock = parkspin::RwLock::new(1);
///     lock.write()
/// };
/// drop(guard);
/// ```
#[must_use = "the lock is given back at once if the guard is not kept"]
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    data: NonNull<T>,
    raw: &'a RawRwLock,
    /// The pointer's meaning for the borrow checker, which makes the guard invariant in `T`. That
    /// the guard is not `Send` follows from the raw pointer in the tuple.
    _data: PhantomData<(&'a mut T, *const ())>,
}

// SAFETY: a shared exclusive guard gives out `&T` and nothing else (invariant 3).
unsafe impl<T: ?Sized + Sync> Sync for RwLockWriteGuard<'_, T> {}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// # Safety
    ///
    /// The caller passes on the exclusive hold of `raw`, whose lock has its value at `data` and is
    /// borrowed for `'a` (invariants 1 and 2).
    #[inline]
    pub(crate) unsafe fn new(data: NonNull<T>, raw: &'a RawRwLock) -> Self {
        Self { data, raw, _data: PhantomData }
    }

    /// Keeps reading what was written, and lets other readers in; no other writer comes between.
    ///
    /// Readers that wait come in at once unless a writer waits as well. Never waits. An associated
    /// function, so that it does not hide a method of the value.
    ///
    /// ```
    /// use parkspin::{RwLock, RwLockWriteGuard};
    ///
    /// let lock = RwLock::new(1);
    /// let mut writer = lock.write();
    /// *writer = 2;
    /// let reader = RwLockWriteGuard::downgrade(writer);
    /// assert_eq!(*reader + *lock.read(), 4);
    /// ```
    #[inline]
    pub fn downgrade(this: Self) -> RwLockReadGuard<'a, T> {
        let (data, raw) = (this.data, this.raw);
        // The exclusive hold is not given back, it is turned into the new guard's shared one.
        mem::forget(this);
        // SAFETY: the hold is ours by invariant 1; the lock outlives the call by invariant 2.
        unsafe { raw.downgrade() };
        RwLockReadGuard { data, raw, _data: PhantomData }
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: valid by invariant 2; by invariants 1 and 3 only this guard reaches the data.
        unsafe { self.data.as_ref() }
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: valid by invariant 2; by invariants 1 and 3 only this guard reaches the data.
        unsafe { self.data.as_mut() }
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the hold is ours by invariant 1; the lock outlives the call by invariant 2.
        unsafe { self.raw.unlock_exclusive() }
    }
}

macro_rules! shown_as_the_value {
    ($($trait:ident for $guard:ident),*) => {$(
        impl<T: ?Sized + fmt::$trait> fmt::$trait for $guard<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                (**self).fmt(f)
            }
        }
    )*};
}

shown_as_the_value!(
    Debug for RwLockReadGuard,
    Display for RwLockReadGuard,
    Debug for RwLockWriteGuard,
    Display for RwLockWriteGuard,
    Debug for MappedRwLockReadGuard,
    Display for MappedRwLockReadGuard,
    Debug for MappedRwLockWriteGuard,
    Display for MappedRwLockWriteGuard
);
