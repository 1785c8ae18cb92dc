//! A barrier on every thread of the process, where the kernel has one.

/// Whether there is such a barrier here, and the process may use it: the first call asks the kernel,
/// and its answer never changes within a process.
///
/// Threads that come at once each ask, and the first answer counts: waiting for one another could
/// hang a child forked meanwhile.
#[cfg(not(any(loom, miri)))]
pub(super) fn is_to_be_had() -> bool {
    use core::sync::atomic::{AtomicU8, Ordering};
    const UNKNOWN: u8 = 0;
    const NO: u8 = 1;
    const YES: u8 = 2;
    static ANSWER: AtomicU8 = AtomicU8::new(UNKNOWN);
    // Relaxed: the answer is all there is to know.
    let known = ANSWER.load(Ordering::Relaxed);
    if known != UNKNOWN {
        return known == YES;
    }
    let answer = if register() { YES } else { NO };
    let first = ANSWER.compare_exchange(UNKNOWN, answer, Ordering::Relaxed, Ordering::Relaxed);
    first.map_or_else(|first| first, |_| answer) == YES
}

/// Models and interpreters have no kernel to ask.
#[cfg(any(loom, miri))]
pub(super) fn is_to_be_had() -> bool {
    false
}

#[cfg(not(any(loom, miri)))]
fn register() -> bool {
    use rustix::thread::{MembarrierCommand, membarrier};
    membarrier(MembarrierCommand::RegisterPrivateExpedited).is_ok()
}

/// Every other running thread executes a full barrier before this returns. False if the kernel
/// refused: it did not a moment ago, but a sandbox may have been set up since.
///
/// A forked child has its parent's registration; should it be lost, it is asked for again.
#[cfg(not(any(loom, miri)))]
pub(super) fn everywhere() -> bool {
    use rustix::thread::{MembarrierCommand, membarrier};
    membarrier(MembarrierCommand::PrivateExpedited).is_ok()
        || (register() && membarrier(MembarrierCommand::PrivateExpedited).is_ok())
}

/// Never asked for without a registration, which models and interpreters do not ask for.
#[cfg(any(loom, miri))]
pub(super) fn everywhere() -> bool {
    false
}
