//! The lock as the `lock_api` crate wants it.

#![allow(unsafe_code, reason = "the traits are unsafe: their users rely on mutual exclusion")]

use core::fmt;
use core::marker::PhantomData;
#[cfg(all(feature = "std", not(target_family = "wasm")))]
use core::time::Duration;
#[cfg(all(feature = "std", not(target_family = "wasm")))]
use std::time::Instant;

use lock_api::{GuardNoSend, RawRwLock as Api, RawRwLockDowngrade, RawRwLockRecursive};
#[cfg(all(feature = "std", not(target_family = "wasm")))]
use lock_api::{RawRwLockRecursiveTimed, RawRwLockTimed};

use crate::raw::RawRwLock;
#[cfg(all(feature = "std", not(target_family = "wasm")))]
use crate::raw::{slow::Queueing, timed::after};
use crate::relax::{Backoff, Relax};

/// The raw lock for `lock_api::RwLock`, for code that is generic over the locks of that crate.
///
/// Needs the feature `lock_api`. Downgrading, recursive reads and, where there is a clock (feature
/// `std`, no WebAssembly), timeouts are offered; upgradable reads are not, on purpose, and neither is
/// fair unlocking. `R` as in [`RwLock`](crate::RwLock).
///
/// ```
/// static LOCK: lock_api::RwLock<parkspin::Raw, u8> = lock_api::RwLock::new(1);
///
/// *LOCK.write() += 1;
/// assert_eq!(*LOCK.read(), 2);
/// ```
pub struct Raw<R = Backoff> {
    lock: RawRwLock,
    relax: PhantomData<fn() -> R>,
}

// SAFETY: `RawRwLock` excludes writers from everybody (its invariant 1), and every function here is
// the one of `RawRwLock` of that meaning. Guards are not `Send`, as our own are not.
unsafe impl<R: Relax> Api for Raw<R> {
    #[allow(clippy::declare_interior_mutable_const, reason = "the trait's way to start a lock")]
    const INIT: Self = Self { lock: RawRwLock::new(), relax: PhantomData };

    type GuardMarker = GuardNoSend;

    #[inline]
    fn lock_shared(&self) {
        self.lock.lock_shared_with::<R>();
    }

    #[inline]
    fn try_lock_shared(&self) -> bool {
        self.lock.try_lock_shared()
    }

    #[inline]
    unsafe fn unlock_shared(&self) {
        // SAFETY: the caller has a shared hold.
        unsafe { self.lock.unlock_shared() }
    }

    #[inline]
    fn lock_exclusive(&self) {
        self.lock.lock_exclusive_with::<R>();
    }

    #[inline]
    fn try_lock_exclusive(&self) -> bool {
        self.lock.try_lock_exclusive()
    }

    #[inline]
    unsafe fn unlock_exclusive(&self) {
        // SAFETY: the caller has the exclusive hold.
        unsafe { self.lock.unlock_exclusive() }
    }

    fn is_locked(&self) -> bool {
        self.lock.is_locked()
    }

    fn is_locked_exclusive(&self) -> bool {
        self.lock.is_write_locked()
    }
}

// SAFETY: the exclusive hold becomes a shared one with nothing in between.
unsafe impl<R: Relax> RawRwLockDowngrade for Raw<R> {
    #[inline]
    unsafe fn downgrade(&self) {
        // SAFETY: the caller has the exclusive hold.
        unsafe { self.lock.downgrade() }
    }
}

// SAFETY: as of `Api`; a thread that has a shared hold gets another without waiting.
unsafe impl<R: Relax> RawRwLockRecursive for Raw<R> {
    #[inline]
    fn lock_shared_recursive(&self) {
        self.lock.lock_shared_recursive_with::<R>();
    }

    #[inline]
    fn try_lock_shared_recursive(&self) -> bool {
        self.lock.try_lock_shared_recursive()
    }
}

// SAFETY: as of `Api`.
#[cfg(all(feature = "std", not(target_family = "wasm")))]
unsafe impl<R: Relax> RawRwLockTimed for Raw<R> {
    type Duration = Duration;
    type Instant = Instant;

    fn try_lock_shared_for(&self, timeout: Duration) -> bool {
        self.lock.shared_until::<R>(Queueing::Polite, &after(timeout))
    }

    fn try_lock_shared_until(&self, deadline: Instant) -> bool {
        self.lock.shared_until::<R>(Queueing::Polite, &deadline)
    }

    fn try_lock_exclusive_for(&self, timeout: Duration) -> bool {
        self.lock.exclusive_until::<R>(&after(timeout))
    }

    fn try_lock_exclusive_until(&self, deadline: Instant) -> bool {
        self.lock.exclusive_until::<R>(&deadline)
    }
}

// SAFETY: as of `RawRwLockRecursive`.
#[cfg(all(feature = "std", not(target_family = "wasm")))]
unsafe impl<R: Relax> RawRwLockRecursiveTimed for Raw<R> {
    fn try_lock_shared_recursive_for(&self, timeout: Duration) -> bool {
        self.lock.shared_until::<R>(Queueing::Recursive, &after(timeout))
    }

    fn try_lock_shared_recursive_until(&self, deadline: Instant) -> bool {
        self.lock.shared_until::<R>(Queueing::Recursive, &deadline)
    }
}

impl<R> fmt::Debug for Raw<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lock.fmt(f)
    }
}
