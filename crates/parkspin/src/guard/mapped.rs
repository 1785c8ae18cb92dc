//! Guards of a part of the value.
//!
//! Invariants are those of [`super`]. There is nothing here that gives the lock up for a while or
//! turns a mapped write guard into a mapped read guard: the closure that made the part may have made
//! it from exclusive access (a `&T` into a `Cell<T>`, by way of `&mut`), and sharing that part with
//! readers of the whole would be a data race.

#![allow(unsafe_code, reason = "keeps a hold of the raw lock beside a part of the data")]

use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

use super::{RwLockReadGuard, RwLockWriteGuard};
use crate::raw::RawRwLock;

/// Shared access to a part of the value of a [`RwLock`](crate::RwLock), from
/// [`RwLockReadGuard::map`]. Covariant in `T`, and not `Send`:
///
/// ```compile_fail,E0277
/// use parkspin::{RwLock, RwLockReadGuard};
/// static LOCK: RwLock<(u8, u8)> = RwLock::new((1, 2));
/// let guard = RwLockReadGuard::map(LOCK.read(), |pair| &pair.1);
/// std::thread::spawn(move || drop(guard));
/// ```
#[must_use = "the lock is given back at once if the guard is not kept"]
pub struct MappedRwLockReadGuard<'a, T: ?Sized> {
    data: NonNull<T>,
    raw: &'a RawRwLock,
    /// As in [`RwLockReadGuard`].
    _data: PhantomData<(&'a T, *const ())>,
}

/// Exclusive access to a part of the value of a [`RwLock`](crate::RwLock), from
/// [`RwLockWriteGuard::map`]. Not `Send`, and there is no way to downgrade it:
///
/// ```compile_fail,E0308
/// use parkspin::{RwLock, RwLockWriteGuard};
/// let lock = RwLock::new((1, 2));
/// let guard = RwLockWriteGuard::map(lock.write(), |pair| &mut pair.1);
/// RwLockWriteGuard::downgrade(guard);
/// ```
#[must_use = "the lock is given back at once if the guard is not kept"]
pub struct MappedRwLockWriteGuard<'a, T: ?Sized> {
    data: NonNull<T>,
    raw: &'a RawRwLock,
    /// As in [`RwLockWriteGuard`].
    _data: PhantomData<(&'a mut T, *const ())>,
}

// SAFETY: a shared guard gives out `&T` and nothing else (invariant 3).
unsafe impl<T: ?Sized + Sync> Sync for MappedRwLockReadGuard<'_, T> {}
// SAFETY: a shared exclusive guard gives out `&T` and nothing else (invariant 3).
unsafe impl<T: ?Sized + Sync> Sync for MappedRwLockWriteGuard<'_, T> {}

/// `map` and `filter_map` of one kind of guard. The closure runs with the guard in place, so that a
/// panic in it releases the lock.
macro_rules! map {
    (
        $guard:ident to $mapped:ident, $reference:ty => $part:ty, $borrow:ident;
        $(#[$doc_map:meta])* map
        $(#[$doc_filter:meta])* filter_map
    ) => {
        impl<'a, T: ?Sized> $guard<'a, T> {
            $(#[$doc_map])*
            #[inline]
            pub fn map<U: ?Sized>(
                this: Self,
                part: impl FnOnce($reference) -> $part,
            ) -> $mapped<'a, U> {
                #[allow(unused_mut, reason = "an exclusive guard is borrowed so")]
                let mut this = this;
                let data = NonNull::from(part(map!($borrow this)));
                let this = ManuallyDrop::new(this);
                $mapped { data, raw: this.raw, _data: PhantomData }
            }

            $(#[$doc_filter])*
            #[inline]
            pub fn filter_map<U: ?Sized>(
                this: Self,
                part: impl FnOnce($reference) -> Option<$part>,
            ) -> Result<$mapped<'a, U>, Self> {
                #[allow(unused_mut, reason = "an exclusive guard is borrowed so")]
                let mut this = this;
                let Some(data) = part(map!($borrow this)).map(NonNull::from) else {
                    return Err(this);
                };
                let this = ManuallyDrop::new(this);
                Ok($mapped { data, raw: this.raw, _data: PhantomData })
            }
        }
    };
    (shared $this:ident) => { &*$this };
    (exclusive $this:ident) => { &mut *$this };
}

map! {
    RwLockReadGuard to MappedRwLockReadGuard, &T => &U, shared;
    /// Keeps reading a part of the value only. Never waits. An associated function, so that it does
    /// not hide a method of the value. If `part` panics the lock is released.
    ///
    /// ```
    /// use parkspin::{RwLock, RwLockReadGuard};
    ///
    /// let lock = RwLock::new((1, "one"));
    /// let name = RwLockReadGuard::map(lock.read(), |pair| pair.1);
    /// assert_eq!(&*name, "one");
    /// ```
    map
    /// Keeps reading a part of the value if there is one.
    ///
    /// # Errors
    ///
    /// The guard as it was, if `part` answers `None`.
    ///
    /// ```
    /// use parkspin::{RwLock, RwLockReadGuard};
    ///
    /// let lock = RwLock::new(vec![1, 2]);
    /// let last = RwLockReadGuard::filter_map(lock.read(), |list| list.last()).unwrap();
    /// assert_eq!(*last, 2);
    /// let whole = RwLockReadGuard::filter_map(lock.read(), |list| list.get(7)).unwrap_err();
    /// assert_eq!(whole.len(), 2);
    /// ```
    filter_map
}

map! {
    RwLockWriteGuard to MappedRwLockWriteGuard, &mut T => &mut U, exclusive;
    /// Keeps exclusive access to a part of the value only. Never waits. An associated function, so
    /// that it does not hide a method of the value. If `part` panics the lock is released.
    ///
    /// ```
    /// use parkspin::{RwLock, RwLockWriteGuard};
    ///
    /// let lock = RwLock::new((1, 2));
    /// *RwLockWriteGuard::map(lock.write(), |pair| &mut pair.1) = 7;
    /// assert_eq!(*lock.read(), (1, 7));
    /// ```
    map
    /// Keeps exclusive access to a part of the value if there is one.
    ///
    /// # Errors
    ///
    /// The guard as it was, if `part` answers `None`.
    ///
    /// ```
    /// use parkspin::{RwLock, RwLockWriteGuard};
    ///
    /// let lock = RwLock::new(vec![1, 2]);
    /// *RwLockWriteGuard::filter_map(lock.write(), |list| list.last_mut()).unwrap() = 7;
    /// let whole = RwLockWriteGuard::filter_map(lock.write(), |list| list.get_mut(7)).unwrap_err();
    /// assert_eq!(*whole, [1, 7]);
    /// ```
    filter_map
}

/// As the functions of the same names of [`RwLockReadGuard`] and [`RwLockWriteGuard`].
mod further {
    use super::*;

    map! {
        MappedRwLockReadGuard to MappedRwLockReadGuard, &T => &U, shared;
        /// Keeps reading a part of the part only.
        ///
        /// ```
        /// use parkspin::{MappedRwLockReadGuard, RwLock, RwLockReadGuard};
        ///
        /// let lock = RwLock::new(((1, 2), 3));
        /// let pair = RwLockReadGuard::map(lock.read(), |value| &value.0);
        /// assert_eq!(*MappedRwLockReadGuard::map(pair, |pair| &pair.1), 2);
        /// ```
        map
        /// Keeps reading a part of the part if there is one.
        ///
        /// # Errors
        ///
        /// The guard as it was, if `part` answers `None`.
        ///
        /// ```
        /// use parkspin::{MappedRwLockReadGuard, RwLock, RwLockReadGuard};
        ///
        /// let lock = RwLock::new(([1, 2], 3));
        /// let list = RwLockReadGuard::map(lock.read(), |value| &value.0);
        /// assert!(MappedRwLockReadGuard::filter_map(list, |list| list.get(7)).is_err());
        /// ```
        filter_map
    }

    map! {
        MappedRwLockWriteGuard to MappedRwLockWriteGuard, &mut T => &mut U, exclusive;
        /// Keeps exclusive access to a part of the part only.
        ///
        /// ```
        /// use parkspin::{MappedRwLockWriteGuard, RwLock, RwLockWriteGuard};
        ///
        /// let lock = RwLock::new(((1, 2), 3));
        /// let pair = RwLockWriteGuard::map(lock.write(), |value| &mut value.0);
        /// *MappedRwLockWriteGuard::map(pair, |pair| &mut pair.1) = 7;
        /// assert_eq!(lock.into_inner(), ((1, 7), 3));
        /// ```
        map
        /// Keeps exclusive access to a part of the part if there is one.
        ///
        /// # Errors
        ///
        /// The guard as it was, if `part` answers `None`.
        ///
        /// ```
        /// use parkspin::{MappedRwLockWriteGuard, RwLock, RwLockWriteGuard};
        ///
        /// let lock = RwLock::new(([1, 2], 3));
        /// let list = RwLockWriteGuard::map(lock.write(), |value| &mut value.0);
        /// assert!(MappedRwLockWriteGuard::filter_map(list, |list| list.get_mut(7)).is_err());
        /// ```
        filter_map
    }
}

impl<T: ?Sized> Deref for MappedRwLockReadGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: valid by invariant 2; by invariants 1 and 3 nobody writes while the guard lives.
        unsafe { self.data.as_ref() }
    }
}

impl<T: ?Sized> Drop for MappedRwLockReadGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the hold is ours by invariant 1; the lock outlives the call by invariant 2.
        unsafe { self.raw.unlock_shared() }
    }
}

impl<T: ?Sized> Deref for MappedRwLockWriteGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: valid by invariant 2; by invariants 1 and 3 only this guard reaches the data.
        unsafe { self.data.as_ref() }
    }
}

impl<T: ?Sized> DerefMut for MappedRwLockWriteGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: valid by invariant 2; by invariants 1 and 3 only this guard reaches the data.
        unsafe { self.data.as_mut() }
    }
}

impl<T: ?Sized> Drop for MappedRwLockWriteGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the hold is ours by invariant 1; the lock outlives the call by invariant 2.
        unsafe { self.raw.unlock_exclusive() }
    }
}
