//! Points in time up to which a thread waits.
//!
//! Natively an [`Instant`](std::time::Instant); in a model an alarm that some thread of the model
//! rings; without a clock a type without values, so that code which waits without a deadline is
//! compiled as if there were no deadlines.

#[cfg(all(feature = "std", not(loom), not(target_family = "wasm")))]
mod kind {
    use core::time::Duration;
    use std::time::Instant;

    pub(crate) type Deadline = Instant;

    pub(crate) fn has_passed(deadline: &Deadline) -> bool {
        left(deadline).is_zero()
    }

    /// How long until then; zero if it has passed.
    pub(crate) fn left(deadline: &Deadline) -> Duration {
        deadline.saturating_duration_since(Instant::now())
    }
}

#[cfg(all(feature = "std", loom))]
mod kind {
    use loom::sync::atomic::AtomicBool;
    use std::sync::Arc;
    use syncface::atomic::Ordering::Relaxed;

    /// A point in time that comes when a thread of the model says so.
    #[derive(Clone, Debug)]
    pub struct Alarm(Arc<AtomicBool>);

    impl Alarm {
        /// One that is still to come.
        #[allow(clippy::new_without_default, reason = "for models only")]
        #[must_use]
        pub fn new() -> Self {
            Self(Arc::new(AtomicBool::new(false)))
        }

        pub(crate) fn pass(&self) {
            // Whoever sleeps takes its list's mutex after this; see `RawRwLock::ring`.
            self.0.store(true, Relaxed);
        }
    }

    pub(crate) type Deadline = Alarm;

    pub(crate) fn has_passed(deadline: &Deadline) -> bool {
        deadline.0.load(Relaxed)
    }
}

#[cfg(not(all(feature = "std", any(loom, not(target_family = "wasm")))))]
mod kind {
    /// There is no clock: no such value exists.
    #[derive(Clone, Debug)]
    pub(crate) enum Deadline {}

    pub(crate) fn has_passed(deadline: &Deadline) -> bool {
        match *deadline {}
    }

    #[cfg(not(loom))]
    #[allow(dead_code, reason = "the spinning back end does without")]
    pub(crate) fn left(deadline: &Deadline) -> core::time::Duration {
        match *deadline {}
    }
}

#[cfg(all(feature = "std", loom))]
pub use kind::Alarm;
pub(crate) use kind::*;
