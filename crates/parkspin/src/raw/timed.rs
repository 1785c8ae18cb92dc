//! Waiting up to a point in time.
//!
//! After every wait comes one more attempt, and only an attempt that fails is followed by a look at
//! the clock. So a writer gives up only while the lock is held, a reader only while it is held or on
//! its way to somebody who waits. What a writer owes to others then stands at `give_up` in `slow.rs`.

#[cfg(loom)]
use crate::wait::Deadline as Instant;
#[cfg(not(loom))]
use core::time::Duration;
#[cfg(not(loom))]
use std::time::Instant;

use super::RawRwLock;
use super::slow::Queueing;
use crate::relax::{Backoff, Relax};
use crate::word::State;

/// So much later than now. Thirty years later if the clock cannot tell such a time.
#[cfg(not(loom))]
pub(crate) fn after(timeout: Duration) -> Instant {
    const LONG: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);
    let now = Instant::now();
    now.checked_add(timeout).unwrap_or_else(|| now + LONG)
}

impl RawRwLock {
    /// Takes a shared hold as [`lock_shared`](Self::lock_shared) does, but waits no longer than to
    /// `deadline`; `false` if that was not long enough, or if
    /// [`MAX_READERS`](Self::MAX_READERS) holds exist.
    ///
    /// A deadline in the past makes it a try.
    ///
    /// ```
    /// use std::time::{Duration, Instant};
    ///
    /// let lock = parkspin::RawRwLock::new();
    /// lock.lock_exclusive();
    /// assert!(!lock.try_lock_shared_until(Instant::now() + Duration::from_millis(1)));
    /// // SAFETY: this is the hold taken above.
    /// unsafe { lock.unlock_exclusive() };
    /// assert!(lock.try_lock_shared_until(Instant::now()));
    /// ```
    #[must_use]
    pub fn try_lock_shared_until(&self, deadline: Instant) -> bool {
        self.shared_until::<Backoff>(Queueing::Polite, &deadline)
    }

    /// Takes a shared hold as [`lock_shared_recursive`](Self::lock_shared_recursive) does, but waits
    /// no longer than to `deadline`; `false` if that was not long enough, or if
    /// [`MAX_READERS`](Self::MAX_READERS) holds exist.
    ///
    /// ```
    /// let lock = parkspin::RawRwLock::new();
    /// lock.lock_shared();
    /// assert!(lock.try_lock_shared_recursive_until(std::time::Instant::now()));
    /// ```
    #[must_use]
    pub fn try_lock_shared_recursive_until(&self, deadline: Instant) -> bool {
        self.shared_until::<Backoff>(Queueing::Recursive, &deadline)
    }

    /// Takes the exclusive hold as [`lock_exclusive`](Self::lock_exclusive) does, but waits no
    /// longer than to `deadline`; `false` if that was not long enough.
    ///
    /// A deadline in the past makes it a try. Readers that came to wait behind this writer are let
    /// in when it gives up.
    ///
    /// ```
    /// use std::time::{Duration, Instant};
    ///
    /// let lock = parkspin::RawRwLock::new();
    /// lock.lock_shared();
    /// assert!(!lock.try_lock_exclusive_until(Instant::now() + Duration::from_millis(1)));
    /// assert!(lock.try_lock_shared(), "no writer is left waiting");
    /// ```
    #[must_use]
    pub fn try_lock_exclusive_until(&self, deadline: Instant) -> bool {
        self.exclusive_until::<Backoff>(&deadline)
    }

    #[inline]
    pub(crate) fn shared_until<R: Relax>(&self, queueing: Queueing, deadline: &Instant) -> bool {
        match self.enter_shared(State::FREE) {
            Ok(()) => true,
            Err(now) => self.lock_shared_slow::<R>(queueing, now, Some(deadline)),
        }
    }

    #[inline]
    pub(crate) fn exclusive_until<R: Relax>(&self, deadline: &Instant) -> bool {
        self.enter_exclusive(State::FREE, State::FREE.plus_writer()).is_ok()
            || self.lock_exclusive_slow::<R>(Some(deadline))
    }

    /// Model only: the time of all who wait for this lock up to `alarm` has come.
    #[cfg(loom)]
    #[doc(hidden)]
    pub fn ring(&self, alarm: &Instant) {
        // First the alarm, then each list's mutex: who goes to sleep after that has seen the alarm.
        alarm.pass();
        self.state.time_is_up();
        self.wake_ups.time_is_up();
    }
}
