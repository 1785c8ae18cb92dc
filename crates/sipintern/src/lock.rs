//! The lock that inserts take, and nobody else.

use crate::order;
use syncface::Backoff;
use syncface::atomic::AtomicUsize;

/// 1 while an insert is at work.
pub(crate) struct Lock {
    state: AtomicUsize,
}

impl Lock {
    syncface::maybe_const! {
        pub(crate) fn new() -> Self {
            Self { state: AtomicUsize::new(0) }
        }
    }

    /// Whether somebody has it; may have changed when the caller hears of it.
    pub(crate) fn is_taken(&self) -> bool {
        self.state.load(order::PLAIN) != 0
    }

    /// The lock, if nobody has it.
    #[inline]
    pub(crate) fn try_take(&self) -> Option<Taken<'_>> {
        // The plain look keeps waiting inserts from pulling the line away from the one at work.
        if self.is_taken() {
            return None;
        }
        self.state.compare_exchange(0, 1, order::lock_take(), order::PLAIN).ok()?;
        Some(Taken(self))
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

/// Dropped, it gives the lock back, also when a panic passes by.
pub(crate) struct Taken<'a>(&'a Lock);

impl Drop for Taken<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.state.store(0, order::lock_leave());
    }
}
