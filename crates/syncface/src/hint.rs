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
