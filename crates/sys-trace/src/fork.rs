//! Noticing that this process is a forked child.
//!
//! A child has one thread and the memory of many: locks held, gates counted and values half written
//! by threads that it has not got. An engine of a child is therefore off until the child starts it,
//! and made as new before anything else is done with it (see `Engine::core`).
//!
//! # Invariants
//! 1. **Replacing.** [`Renewable::alone`] is called by the one thread that won
//!    [`Owner::take`], before any other thread of this process has a reference to the value: all
//!    but emits ask the owner first, and emits need a switch that this process turned on.

#![allow(unsafe_code, reason = "registers a fork handler; replaces values that no thread owns")]

use core::cell::UnsafeCell;
use core::ops::Deref;

use syncface::atomic::{AtomicUsize, Ordering};

use watch::FORKS;
pub(crate) use watch::{generation, watch};

/// The generation of a process in which no fork has been noticed.
const FIRST: usize = 1;

#[cfg(all(feature = "std", unix, not(loom), not(miri)))]
mod watch {
    use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    /// Whether the generation can ever change.
    pub(crate) const FORKS: bool = true;

    static GENERATION: AtomicUsize = AtomicUsize::new(super::FIRST);
    static WATCHED: AtomicBool = AtomicBool::new(false);

    /// Differs between a process and the children that it forked after the first [`watch`]; never 0.
    ///
    /// Relaxed: it changes only where there is no other thread to be ordered with.
    #[inline(always)]
    pub(crate) fn generation() -> usize {
        GENERATION.load(Ordering::Relaxed)
    }

    /// From now on forks are noticed; `false` if there was no memory for that.
    pub(crate) fn watch() -> bool {
        // Acquire pairs with the Release below. Two threads at once register two handlers, which
        // does no harm; waiting for one another could hang a child forked meanwhile.
        if WATCHED.load(Ordering::Acquire) {
            return true;
        }
        // SAFETY: the handler touches an atomic and a thread-local without a destructor.
        let refused = unsafe { libc::pthread_atfork(None, None, Some(in_the_child)) };
        if refused == 0 {
            WATCHED.store(true, Ordering::Release);
        }
        refused == 0
    }

    unsafe extern "C" fn in_the_child() {
        GENERATION.fetch_add(1, Ordering::Relaxed);
        crate::thread_id::forget();
    }
}

#[cfg(not(all(feature = "std", unix, not(loom), not(miri))))]
mod watch {
    /// Nothing forks here.
    pub(crate) const FORKS: bool = false;

    #[inline(always)]
    pub(crate) const fn generation() -> usize {
        super::FIRST
    }

    pub(crate) const fn watch() -> bool {
        true
    }
}

/// Which generation of the process an engine is fit for.
pub(crate) struct Owner(AtomicUsize);

impl Owner {
    /// Set while somebody makes the engine fit.
    const RENEWING: usize = 1 << (usize::BITS - 1);

    syncface::maybe_const! {
        pub(crate) fn new() -> Self {
            Self(AtomicUsize::new(FIRST))
        }
    }

    /// On return the engine is this process's own: `renew` made it so, here or in another thread.
    #[inline]
    pub(crate) fn take(&self, renew: impl FnOnce()) {
        let now = generation();
        // Acquire pairs with the Release of who renewed.
        if FORKS && self.0.load(Ordering::Acquire) != now {
            self.renew(now, renew);
        }
    }

    #[cold]
    fn renew(&self, now: usize, renew: impl FnOnce()) {
        let mut seen = self.0.load(Ordering::Acquire);
        while seen != now {
            if seen == now | Self::RENEWING {
                // By a thread of this process, which is alive.
                syncface::hint::spin_loop();
                seen = self.0.load(Ordering::Acquire);
                continue;
            }
            // A mark of another generation belongs to a thread that is not here.
            let (mark, ordering) = (now | Self::RENEWING, Ordering::Acquire);
            match self.0.compare_exchange(seen, mark, ordering, Ordering::Acquire) {
                Ok(_) => {
                    renew();
                    self.0.store(now, Ordering::Release);
                    return;
                }
                Err(other) => seen = other,
            }
        }
    }
}

/// A value that a child can make new without looking at the old one.
pub(crate) struct Renewable<T>(UnsafeCell<T>);

// SAFETY: hands out `&T`; who makes the value new has it alone (invariant 1).
unsafe impl<T: Send + Sync> Sync for Renewable<T> {}

impl<T> Renewable<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// The value, to be made new where it is. It may be half written.
    ///
    /// # Safety
    /// Nobody has a reference to the value.
    #[cold]
    #[expect(clippy::mut_from_ref, reason = "the caller promises to be alone")]
    pub(crate) unsafe fn alone(&self) -> &mut T {
        // SAFETY: the pointer is the cell's own, and the caller promises that nobody else looks.
        unsafe { &mut *self.0.get() }
    }
}

impl<T> Deref for Renewable<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: the value is made new only while there are no references (invariant 1).
        unsafe { &*self.0.get() }
    }
}
