//! How long start and stop wait for others to come out.

/// Passes the time between two looks, and says when it has been too long.
pub(crate) struct Patience {
    #[cfg(all(feature = "std", not(loom)))]
    since: Option<std::time::Instant>,
    #[cfg(not(feature = "std"))]
    left: u32,
}

impl Patience {
    /// With a clock, one second.
    #[cfg(all(feature = "std", not(loom)))]
    const LIMIT: core::time::Duration = core::time::Duration::from_secs(1);
    /// Without one, so many looks with a spin hint between them.
    #[cfg(not(feature = "std"))]
    const LOOKS: u32 = 10_000_000;

    pub(crate) const fn new() -> Self {
        Self {
            #[cfg(all(feature = "std", not(loom)))]
            since: None,
            #[cfg(not(feature = "std"))]
            left: Self::LOOKS,
        }
    }

    /// Before the next look; `false` if there should be none.
    #[cfg(all(feature = "std", not(loom)))]
    pub(crate) fn wait(&mut self, round: u32) -> bool {
        if round < 100 {
            syncface::hint::spin_loop();
            return true;
        }
        let since = *self.since.get_or_insert_with(std::time::Instant::now);
        if since.elapsed() > Self::LIMIT {
            return false;
        }
        // Emits take well below a microsecond, drains milliseconds.
        if round < 200 {
            std::thread::yield_now();
        } else {
            std::thread::sleep(core::time::Duration::from_micros(50));
        }
        true
    }

    /// In models nobody is stopped for good.
    #[cfg(loom)]
    #[expect(clippy::unused_self, reason = "the same face as outside of models")]
    pub(crate) fn wait(&mut self, _round: u32) -> bool {
        syncface::hint::spin_loop();
        true
    }

    /// Before the next look; `false` if there should be none.
    #[cfg(all(not(feature = "std"), not(loom)))]
    pub(crate) fn wait(&mut self, _round: u32) -> bool {
        syncface::hint::spin_loop();
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }
}
