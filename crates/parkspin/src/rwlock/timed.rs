//! Guards within a time limit.

#![allow(unsafe_code, reason = "turns holds of the raw lock into guards")]

#[cfg(loom)]
use crate::wait::Deadline as Instant;
#[cfg(not(loom))]
use core::time::Duration;
#[cfg(not(loom))]
use std::time::Instant;

use super::RwLock;
use crate::guard::{RwLockReadGuard, RwLockWriteGuard};
use crate::raw::slow::Queueing;
#[cfg(not(loom))]
use crate::raw::timed::after;
use crate::relax::Relax;

/// Needs the feature `std`, for its clock, and another target than WebAssembly.
impl<T: ?Sized, R: Relax> RwLock<T, R> {
    /// Shared access as by [`read`](Self::read), or `None` if it was not to be had within `timeout`
    /// or there are [`RawRwLock::MAX_READERS`](crate::RawRwLock::MAX_READERS) read guards.
    ///
    /// A timeout of zero makes it a try; one that the clock cannot tell is thirty years. The lock is
    /// looked at once more when the time is up, so this is late rather than early.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let lock = parkspin::RwLock::new(1);
    /// let writer = lock.write();
    /// assert!(lock.try_read_for(Duration::from_millis(1)).is_none());
    /// drop(writer);
    /// assert_eq!(*lock.try_read_for(Duration::MAX).unwrap(), 1);
    /// ```
    #[cfg(not(loom))]
    pub fn try_read_for(&self, timeout: Duration) -> Option<RwLockReadGuard<'_, T>> {
        self.try_read_until(after(timeout))
    }

    /// Shared access as by [`read`](Self::read), or `None` if it was not to be had until `deadline`
    /// or there are [`RawRwLock::MAX_READERS`](crate::RawRwLock::MAX_READERS) read guards.
    ///
    /// A deadline in the past makes it a try.
    ///
    /// ```
    /// let lock = parkspin::RwLock::new(1);
    /// assert!(lock.try_read_until(std::time::Instant::now()).is_some());
    /// ```
    pub fn try_read_until(&self, deadline: Instant) -> Option<RwLockReadGuard<'_, T>> {
        let taken = self.raw.shared_until::<R>(Queueing::Polite, &deadline);
        // SAFETY: the hold was just taken and is the guard's from here on (invariant 1).
        taken.then(|| unsafe { self.read_guard() })
    }

    /// Exclusive access as by [`write`](Self::write), or `None` if it was not to be had within
    /// `timeout`.
    ///
    /// A timeout of zero makes it a try; one that the clock cannot tell is thirty years. The lock is
    /// looked at once more when the time is up, so this is late rather than early. Readers that came
    /// to wait behind this call are let in when it gives up.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let lock = parkspin::RwLock::new(1);
    /// let reader = lock.read();
    /// assert!(lock.try_write_for(Duration::from_millis(1)).is_none());
    /// drop(reader);
    /// *lock.try_write_for(Duration::MAX).unwrap() += 1;
    /// ```
    #[cfg(not(loom))]
    pub fn try_write_for(&self, timeout: Duration) -> Option<RwLockWriteGuard<'_, T>> {
        self.try_write_until(after(timeout))
    }

    /// Exclusive access as by [`write`](Self::write), or `None` if it was not to be had until
    /// `deadline`.
    ///
    /// A deadline in the past makes it a try.
    ///
    /// ```
    /// let lock = parkspin::RwLock::new(1);
    /// assert!(lock.try_write_until(std::time::Instant::now()).is_some());
    /// ```
    pub fn try_write_until(&self, deadline: Instant) -> Option<RwLockWriteGuard<'_, T>> {
        let taken = self.raw.exclusive_until::<R>(&deadline);
        // SAFETY: the hold was just taken and is the guard's from here on (invariant 1).
        taken.then(|| unsafe { self.write_guard() })
    }

    /// Model only: see [`RawRwLock::ring`](crate::RawRwLock::ring).
    #[cfg(loom)]
    #[doc(hidden)]
    pub fn ring(&self, alarm: &Instant) {
        self.raw.ring(alarm);
    }
}
