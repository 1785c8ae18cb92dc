//! A barrier on every thread of the process, where the kernel has one.

/// Asks the kernel for the right to [`everywhere`]; false if there is no such thing here. Once per
/// process.
#[cfg(not(any(loom, miri)))]
pub(super) fn register() -> bool {
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
