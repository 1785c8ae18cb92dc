//! Hints to the processor, or to the model's scheduler.

/// Tells the processor that this is a spin loop; under loom, lets another thread run.
///
/// ```
/// syncface::hint::spin_loop();
/// ```
#[inline(always)]
pub fn spin_loop() {
    #[cfg(not(loom))]
    core::hint::spin_loop();
    // loom explores a spin loop only if the spinning thread says so.
    #[cfg(loom)]
    loom::thread::yield_now();
}

/// Ends a pause made of [`spin_loop`]s: nothing after it is begun early.
///
/// A processor guesses when a loop ends and runs ahead. After a pause made so that others keep
/// their cache lines, the first thing ahead is a load of just these lines, so a wrong guess takes
/// them away in the middle of the pause; measured on two cores, that made contended operations up
/// to five times slower. On x86 this is `lfence`; aarch64's spin hint is a barrier of that kind
/// itself; elsewhere, and in models, it does nothing. It orders nothing that a program can see.
///
/// ```
/// syncface::hint::pause_over();
/// ```
#[inline(always)]
#[allow(unsafe_code, unused_unsafe, reason = "lfence; newer compilers call it safe")]
pub fn pause_over() {
    #[cfg(all(target_arch = "x86_64", not(loom), not(miri)))]
    // SAFETY: SSE2, which has the instruction, is part of every x86-64 (no other precondition).
    unsafe {
        core::arch::x86_64::_mm_lfence();
    }
}
