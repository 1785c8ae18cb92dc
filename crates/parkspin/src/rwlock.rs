//! The lock with data.
//!
//! The invariants cited here are those of `guard.rs`.

#![allow(unsafe_code, reason = "turns holds of the raw lock into references to the data")]

use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use syncface::cell::UnsafeCell;
use syncface::maybe_const;

use crate::guard::{RwLockReadGuard, RwLockWriteGuard};
use crate::raw::RawRwLock;
use crate::relax::{Backoff, Relax};

#[cfg(all(feature = "std", any(loom, not(target_family = "wasm"))))]
mod timed;

/// A reader-writer lock around a value: many readers at once, or one writer.
///
/// See the [crate documentation](crate) for who waits behind whom, what waiting means on which
/// target, and what is left out on purpose.
///
/// ```
/// use parkspin::RwLock;
///
/// static CONFIG: RwLock<[u32; 2]> = RwLock::new([1, 2]);
///
/// assert_eq!(CONFIG.read()[0], 1);
/// CONFIG.write()[0] = 5;
/// assert_eq!(*CONFIG.read(), [5, 2]);
/// ```
///
/// `R` says what to do between two looks where the lock spins (see [`Relax`]); it takes no space,
/// does nothing where the lock sleeps, and need not be named unless it is another than [`Backoff`].
pub struct RwLock<T: ?Sized, R = Backoff> {
    raw: RawRwLock,
    relax: PhantomData<fn() -> R>,
    data: UnsafeCell<T>,
}

// SAFETY: moving the lock moves the value, and a lock that moves has no guards (invariant 2).
unsafe impl<T: ?Sized + Send, R> Send for RwLock<T, R> {}
// SAFETY: by invariant 3 a shared lock gives out `&T` in several threads (hence `Sync`), and
// `&mut T`, by which the value can be moved out to another thread, in one at a time (hence `Send`).
unsafe impl<T: ?Sized + Send + Sync, R> Sync for RwLock<T, R> {}

impl<T> RwLock<T> {
    maybe_const! {
        /// A free lock around `value`. `const`, except under loom.
        ///
        /// ```
        /// static LOCK: parkspin::RwLock<u8> = parkspin::RwLock::new(7);
        /// assert_eq!(*LOCK.read(), 7);
        /// ```
        pub fn new(value: T) -> Self {
            Self::with_relax(value)
        }
    }

    maybe_const! {
        /// Test only: see [`RawRwLock::with_readers`].
        ///
        /// # Panics
        ///
        /// If `readers` is above [`RawRwLock::MAX_READERS`].
        #[doc(hidden)]
        pub fn with_readers(value: T, readers: u32) -> Self {
            Self {
                raw: RawRwLock::with_readers(readers),
                relax: PhantomData,
                data: UnsafeCell::new(value),
            }
        }
    }
}

impl<T, R> RwLock<T, R> {
    maybe_const! {
        /// A free lock around `value` that waits in the manner of `R` where it spins. `const`, except
        /// under loom.
        ///
        /// ```
        /// use parkspin::RwLock;
        ///
        /// static LOCK: RwLock<u8, spin::relax::Spin> = RwLock::with_relax(7);
        /// assert_eq!(*LOCK.read(), 7);
        /// ```
        pub fn with_relax(value: T) -> Self {
            Self { raw: RawRwLock::new(), relax: PhantomData, data: UnsafeCell::new(value) }
        }
    }

    /// Takes the value out. No lock is needed, since nobody else has it any more.
    ///
    /// ```
    /// assert_eq!(parkspin::RwLock::new(3).into_inner(), 3);
    /// ```
    pub fn into_inner(self) -> T {
        self.data.into_inner()
    }
}

impl<T: ?Sized, R: Relax> RwLock<T, R> {
    /// Waits until no writer has the lock and nobody waits for it, and gives shared access.
    ///
    /// Free: one compare-exchange. What the last writer did is visible (Acquire).
    ///
    /// A thread that already has a read guard of this lock may wait for ever here: a writer may
    /// have begun to wait in between, for the first guard. [`read_recursive`](Self::read_recursive)
    /// is for that. A thread that has the write guard always waits for ever.
    ///
    /// # Panics
    ///
    /// If there are [`RawRwLock::MAX_READERS`] read guards. The lock is not changed then.
    ///
    /// ```
    /// let lock = parkspin::RwLock::new(1);
    /// assert_eq!(*lock.read(), 1);
    /// ```
    #[inline]
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        self.raw.lock_shared_with::<R>();
        // SAFETY: the hold was just taken and is the guard's from here on (invariant 1).
        unsafe { self.read_guard() }
    }

    /// Shared access, or `None` if that would mean to wait or to go beyond
    /// [`RawRwLock::MAX_READERS`] read guards.
    ///
    /// Never waits, so it is the one to use in an interrupt or signal handler. Other readers coming
    /// and going are never a reason for `None`.
    ///
    /// ```
    /// let lock = parkspin::RwLock::new(1);
    /// let first = lock.try_read().unwrap();
    /// assert_eq!(*first + *lock.try_read().unwrap(), 2);
    /// drop(first);
    /// let _writer = lock.write();
    /// assert!(lock.try_read().is_none());
    /// ```
    #[inline]
    pub fn try_read(&self) -> Option<RwLockReadGuard<'_, T>> {
        // SAFETY: the hold was just taken and is the guard's from here on (invariant 1).
        self.raw.try_lock_shared().then(|| unsafe { self.read_guard() })
    }

    /// Shared access as by [`read`](Self::read), but past those who wait if readers have the lock.
    ///
    /// A thread that already has a read guard never waits here. The price: if all readers came this
    /// way and overlapped without a gap, a writer would wait for ever.
    ///
    /// # Panics
    ///
    /// If there are [`RawRwLock::MAX_READERS`] read guards. The lock is not changed then.
    ///
    /// ```
    /// let lock = parkspin::RwLock::new(1);
    /// let outer = lock.read();
    /// let inner = lock.read_recursive(); // safe even if a writer has begun to wait
    /// assert_eq!(*outer + *inner, 2);
    /// ```
    #[inline]
    pub fn read_recursive(&self) -> RwLockReadGuard<'_, T> {
        self.raw.lock_shared_recursive_with::<R>();
        // SAFETY: the hold was just taken and is the guard's from here on (invariant 1).
        unsafe { self.read_guard() }
    }

    /// Shared access past those who wait if readers have the lock, or `None` if that would mean to
    /// wait or to go beyond [`RawRwLock::MAX_READERS`] read guards. Never waits.
    ///
    /// ```
    /// let lock = parkspin::RwLock::new(1);
    /// let outer = lock.read();
    /// assert!(lock.try_read_recursive().is_some());
    /// drop(outer);
    /// let _writer = lock.write();
    /// assert!(lock.try_read_recursive().is_none());
    /// ```
    #[inline]
    pub fn try_read_recursive(&self) -> Option<RwLockReadGuard<'_, T>> {
        // SAFETY: the hold was just taken and is the guard's from here on (invariant 1).
        self.raw.try_lock_shared_recursive().then(|| unsafe { self.read_guard() })
    }

    /// Waits until nobody else has the lock, and gives exclusive access.
    ///
    /// Free: one compare-exchange. What earlier holders did is visible (Acquire). New readers queue
    /// behind a waiting writer. Waits for ever in a thread that has any guard of this lock.
    ///
    /// ```
    /// let lock = parkspin::RwLock::new(1);
    /// *lock.write() += 1;
    /// assert_eq!(lock.into_inner(), 2);
    /// ```
    #[inline]
    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        self.raw.lock_exclusive_with::<R>();
        // SAFETY: the hold was just taken and is the guard's from here on (invariant 1).
        unsafe { self.write_guard() }
    }

    /// Exclusive access, or `None` if anybody has the lock. Never waits; may overtake those who do.
    ///
    /// ```
    /// let lock = parkspin::RwLock::new(1);
    /// *lock.try_write().unwrap() += 1;
    /// let reader = lock.read();
    /// assert!(lock.try_write().is_none());
    /// assert_eq!(*reader, 2);
    /// ```
    #[inline]
    pub fn try_write(&self) -> Option<RwLockWriteGuard<'_, T>> {
        // SAFETY: the hold was just taken and is the guard's from here on (invariant 1).
        self.raw.try_lock_exclusive().then(|| unsafe { self.write_guard() })
    }
}

impl<T: ?Sized, R> RwLock<T, R> {
    /// The value, without locking: the exclusive borrow proves that there is no guard.
    ///
    /// ```
    /// let mut lock = parkspin::RwLock::new(1);
    /// *lock.get_mut() = 2;
    /// assert_eq!(*lock.read(), 2);
    /// ```
    pub fn get_mut(&mut self) -> &mut T {
        // SAFETY: by invariant 3, `self` is borrowed exclusively for as long as the result lives,
        // so by invariant 2 there is no guard.
        self.data.with_mut(|data| unsafe { &mut *data })
    }

    /// Whether anybody had the lock at the moment of the look. It can be wrong by the time you act
    /// on it.
    ///
    /// ```
    /// let lock = parkspin::RwLock::new(());
    /// let reader = lock.read();
    /// assert!(lock.is_locked());
    /// drop(reader);
    /// assert!(!lock.is_locked());
    /// ```
    #[must_use]
    pub fn is_locked(&self) -> bool {
        self.raw.is_locked()
    }

    /// Whether a writer had the lock at the moment of the look. It can be wrong by the time you act
    /// on it.
    ///
    /// ```
    /// let lock = parkspin::RwLock::new(());
    /// let reader = lock.read();
    /// assert!(lock.is_locked() && !lock.is_write_locked());
    /// drop(reader);
    /// let _writer = lock.write();
    /// assert!(lock.is_write_locked());
    /// ```
    #[must_use]
    pub fn is_write_locked(&self) -> bool {
        self.raw.is_write_locked()
    }

    /// Makes the lock free in the child of a fork, whatever guards there were in the parent. Returns
    /// whether a writer had it: then the value is as the writer left it at the moment of the fork,
    /// and what it needs to be valid may not hold.
    ///
    /// Where the lock sleeps by way of std (see the [crate documentation](crate#what-waiting-means))
    /// a child may use the lock only as long as nobody waits for it.
    ///
    /// # Safety
    ///
    /// - The caller is in the child of a fork and has made no thread since.
    /// - No guard from before the fork is dropped, downgraded or made use of from here on: not even
    ///   those of the thread that forked, which must be forgotten.
    /// - If a writer had the lock, the value is not used before the caller knows it to be valid (a
    ///   number always is; a collection is to be overwritten by [`core::ptr::write`] instead).
    ///
    /// ```
    /// let lock = parkspin::RwLock::new(1);
    /// std::mem::forget(lock.read()); // by a thread that the child has not got
    /// // SAFETY: nobody else knows this lock, its guard was forgotten, and no writer had it.
    /// assert!(!unsafe { lock.reset_after_fork() });
    /// *lock.write() = 2;
    /// ```
    pub unsafe fn reset_after_fork(&self) -> bool {
        // SAFETY: guards are holds, so the caller's promises are those that are asked for.
        unsafe { self.raw.reset_after_fork() }
    }

    /// # Safety
    ///
    /// The caller has a shared hold and passes it on to the guard.
    #[inline]
    unsafe fn read_guard(&self) -> RwLockReadGuard<'_, T> {
        // SAFETY: by invariant 2 it points into the cell, so it is not null.
        let data = self.data.with(|data| unsafe { NonNull::new_unchecked(data.cast_mut()) });
        // SAFETY: the caller passes the hold on (invariant 1), and both parts are this lock's
        // (invariant 2).
        unsafe { RwLockReadGuard::new(data, &self.raw) }
    }

    /// # Safety
    ///
    /// The caller has the exclusive hold and passes it on to the guard.
    #[inline]
    unsafe fn write_guard(&self) -> RwLockWriteGuard<'_, T> {
        // SAFETY: by invariant 2 it points into the cell, so it is not null.
        let data = self.data.with_mut(|data| unsafe { NonNull::new_unchecked(data) });
        // SAFETY: the caller passes the hold on (invariant 1), and both parts are this lock's
        // (invariant 2).
        unsafe { RwLockWriteGuard::new(data, &self.raw) }
    }
}

impl<T: Default, R> Default for RwLock<T, R> {
    fn default() -> Self {
        Self::with_relax(T::default())
    }
}

impl<T> From<T> for RwLock<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

/// Shows the decoded state word and, unless a writer is in the way, the value. Never waits.
///
/// State and value come from one look: the value is shown if and only if the state shown let a
/// reader in.
impl<T: ?Sized + fmt::Debug, R> fmt::Debug for RwLock<T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("RwLock");
        match self.raw.try_lock_shared_and_tell() {
            Ok(state) => {
                // SAFETY: the hold was just taken and is the guard's from here on (invariant 1).
                let guard = unsafe { self.read_guard() };
                out.field("state", &state).field("data", &&*guard).finish()
            }
            Err(state) => {
                out.field("state", &state).field("data", &format_args!("<locked>")).finish()
            }
        }
    }
}
