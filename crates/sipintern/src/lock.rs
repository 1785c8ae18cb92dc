//! The lock that inserts take, and nobody else.

use crate::order;
use syncface::Backoff;
use syncface::atomic::AtomicUsize;

/// Even when free. Every insert adds two, so an equal number means that nothing was inserted since.
pub(crate) struct Lock {
    state: AtomicUsize,
}

impl Lock {
    syncface::maybe_const! {
        pub(crate) fn new() -> Self {
            Self { state: AtomicUsize::new(0) }
        }
    }

    /// The inserts that are over, all of which the caller now sees.
    #[inline]
    pub(crate) fn look(&self) -> Stamp {
        Stamp(self.state.load(order::lock_look()))
    }

    /// The lock, if nobody has it.
    #[inline]
    pub(crate) fn try_take(&self) -> Option<Taken<'_>> {
        // The plain look keeps waiting inserts from pulling the line away from the one at work.
        let state = self.state.load(order::PLAIN);
        if state % 2 == 1 {
            return None;
        }
        let taken = state.wrapping_add(1);
        self.state.compare_exchange(state, taken, order::lock_take(), order::PLAIN).ok()?;
        Some(Taken { lock: self, before: Stamp(state) })
    }

    /// The lock, once nobody else has it.
    #[inline]
    pub(crate) fn take(&self) -> Taken<'_> {
        match self.try_take() {
            Some(taken) => taken,
            None => self.wait(),
        }
    }

    #[cold]
    fn wait(&self) -> Taken<'_> {
        let mut backoff = Backoff::new();
        loop {
            if let Some(taken) = self.try_take() {
                return taken;
            }
            #[cfg(all(feature = "std", not(loom)))]
            if backoff.is_saturated() {
                std::thread::yield_now();
                continue;
            }
            backoff.lost_race();
        }
    }
}

/// How many inserts there have been.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp(usize);

/// Dropped, it gives the lock back, also when a panic passes by.
pub(crate) struct Taken<'a> {
    lock: &'a Lock,
    /// The state when the lock was free.
    pub(crate) before: Stamp,
}

impl Drop for Taken<'_> {
    #[inline]
    fn drop(&mut self) {
        self.lock.state.store(self.before.0.wrapping_add(2), order::lock_leave());
    }
}
