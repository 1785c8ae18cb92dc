//! Where timestamps come from.

use core::fmt;

/// The source of timestamps of one capture.
///
/// Whatever the clock, a shard numbers its events in the order in which it accepted them
/// (`nc_local_id`): that, not the time, is their order. No event carries a time before the start of
/// its capture (an earlier reading counts as the start).
#[derive(Clone, Copy, Default)]
#[non_exhaustive]
pub enum Clock {
    /// The processor's cycle counter, told in epoch nanoseconds when events are read: wall time
    /// taken once at the start, advanced at the rate of the system's monotonic clock. The cheapest
    /// by far. Where the counter is not fit for it, the capture runs on [`Steady`](Self::Steady)
    /// and its header says so. Needs `std`.
    ///
    /// Fit is x86-64 Linux whose kernel uses the counter as its own clock, and aarch64.
    #[cfg(feature = "std")]
    #[default]
    Cycles,
    /// Wall time taken once at the start, advanced by the system's monotonic clock: epoch
    /// nanoseconds that never go backwards and do not follow later adjustments of the wall clock.
    /// Stands still while the machine sleeps. Needs `std`.
    #[cfg(feature = "std")]
    Steady,
    /// The system's wall clock, read for every event: epoch nanoseconds that follow every
    /// adjustment, also backwards. Needs `std`.
    #[cfg(feature = "std")]
    Realtime,
    /// A function of yours that returns nanoseconds. An emit calls it inside the engine's gate, so that
    /// a start or stop waits for it: it must not panic (the event would be lost, uncounted), block, or
    /// call the engine.
    Custom(fn() -> u64),
    /// No clock; a capture does not start with it.
    #[cfg_attr(not(feature = "std"), default)]
    None,
}

impl Clock {
    /// The clock in a word, for the header of a file: `cycles`, `steady`, `realtime`, `custom` or `none`.
    ///
    /// ```
    /// # #[cfg(feature = "std")]
    /// assert_eq!(sys_trace::Clock::Steady.name(), "steady");
    /// assert_eq!(sys_trace::Clock::Custom(|| 7).name(), "custom");
    /// ```
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            #[cfg(feature = "std")]
            Clock::Cycles => "cycles",
            #[cfg(feature = "std")]
            Clock::Steady => "steady",
            #[cfg(feature = "std")]
            Clock::Realtime => "realtime",
            Clock::Custom(_) => "custom",
            Clock::None => "none",
        }
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A clock that has been started: what emitters read.
#[derive(Clone, Copy)]
pub(crate) struct RunningClock {
    /// As it runs, not as it was asked for.
    pub(crate) clock: Clock,
    #[cfg(feature = "std")]
    base: std::time::Instant,
    /// The first reading, ns; no later one is below it. Never 0.
    pub(crate) start_ns: u64,
}

impl RunningClock {
    /// Takes the first reading; `None` if there is no clock.
    pub(crate) fn start(clock: Clock) -> Option<Self> {
        #[cfg(feature = "std")]
        let clock = match clock {
            Clock::Cycles if !crate::cycles::are_usable() => Clock::Steady,
            clock => clock,
        };
        let start_ns = match clock {
            #[cfg(feature = "std")]
            Clock::Cycles | Clock::Steady | Clock::Realtime => realtime(),
            Clock::Custom(now) => now(),
            Clock::None => return None,
        };
        Some(Self {
            clock,
            #[cfg(feature = "std")]
            base: std::time::Instant::now(),
            start_ns: start_ns.max(1),
        })
    }

    /// What an emit stores: nanoseconds, or the bare counter, for [`Teller`] to tell.
    #[inline]
    pub(crate) fn stamp(&self) -> u64 {
        match self.clock {
            #[cfg(feature = "std")]
            Clock::Cycles => crate::cycles::read(),
            _ => self.now(),
        }
    }

    /// Nanoseconds, never before the start.
    #[inline]
    pub(crate) fn now(&self) -> u64 {
        let now = match self.clock {
            #[cfg(feature = "std")]
            Clock::Cycles | Clock::Steady => {
                self.start_ns.saturating_add(nanos(std::time::Instant::now() - self.base))
            }
            #[cfg(feature = "std")]
            Clock::Realtime => realtime(),
            Clock::Custom(now) => now(),
            Clock::None => 0,
        };
        now.max(self.start_ns)
    }

    /// Whether stamps are not yet times.
    #[cfg_attr(not(feature = "std"), expect(clippy::unused_self, reason = "with `std` it differs"))]
    pub(crate) const fn needs_a_teller(&self) -> bool {
        #[cfg(feature = "std")]
        return matches!(self.clock, Clock::Cycles);
        #[cfg(not(feature = "std"))]
        false
    }

    /// Who turns stamps into times; the capture has one.
    pub(crate) fn teller(&self) -> Teller {
        Teller {
            #[cfg(feature = "std")]
            anchors: matches!(self.clock, Clock::Cycles)
                .then(|| crate::cycles::Anchors::new(self.base, self.start_ns)),
            #[cfg(feature = "std")]
            start_ns: self.start_ns,
        }
    }
}

/// Turns what emits stored into nanoseconds.
#[derive(Clone, Copy)]
pub(crate) struct Teller {
    #[cfg(feature = "std")]
    anchors: Option<crate::cycles::Anchors>,
    #[cfg(feature = "std")]
    start_ns: u64,
}

impl Teller {
    /// To be called after events were taken and before they are [told](Self::tell).
    pub(crate) fn renew(&mut self) {
        #[cfg(feature = "std")]
        if let Some(anchors) = &mut self.anchors {
            anchors.renew();
        }
    }

    /// The time of a stamp, never before the start.
    #[inline]
    pub(crate) fn tell(&self, stamp: u64) -> u64 {
        #[cfg(feature = "std")]
        if let Some(anchors) = &self.anchors {
            return anchors.tell(stamp).max(self.start_ns);
        }
        stamp
    }

    /// By how much a told time may differ from the system's clock.
    pub(crate) fn error_ns(&self) -> u64 {
        #[cfg(feature = "std")]
        if let Some(anchors) = &self.anchors {
            return anchors.error_ns;
        }
        0
    }
}

/// The system's wall clock, if there is a system.
pub(crate) fn wall() -> Option<u64> {
    #[cfg(feature = "std")]
    return Some(realtime());
    #[cfg(not(feature = "std"))]
    None
}

/// Nanoseconds since 1970; 0 if the clock stands before that.
#[cfg(feature = "std")]
fn realtime() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, nanos)
}

/// A duration in nanoseconds, in 64 bits (584 years).
#[cfg(feature = "std")]
fn nanos(duration: std::time::Duration) -> u64 {
    duration.as_secs().saturating_mul(1_000_000_000).saturating_add(duration.subsec_nanos().into())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use syncface::atomic::{AtomicU64, Ordering};

    #[test]
    fn an_earlier_reading_counts_as_the_start() {
        static TIMES: AtomicU64 = AtomicU64::new(100);
        fn backwards() -> u64 {
            TIMES.fetch_sub(10, Ordering::Relaxed)
        }
        let clock = RunningClock::start(Clock::Custom(backwards)).unwrap();
        assert_eq!(clock.start_ns, 100);
        assert_eq!(clock.now(), 100);
        assert_eq!(clock.now(), 100);
    }

    #[test]
    fn a_clock_at_zero_gives_no_time_zero() {
        let clock = RunningClock::start(Clock::Custom(|| 0)).unwrap();
        assert_eq!(clock.now(), 1);
    }

    #[test]
    fn no_clock_does_not_start() {
        assert!(RunningClock::start(Clock::None).is_none());
    }

    #[cfg(feature = "std")]
    #[test]
    fn system_clocks_tell_the_time() {
        for clock in [Clock::Cycles, Clock::Steady, Clock::Realtime] {
            let running = RunningClock::start(clock).unwrap();
            assert!(running.start_ns > 1_600_000_000_000_000_000, "{clock:?}");
            let (first, second) = (running.now(), running.now());
            assert!(running.start_ns <= first && first <= second, "{clock:?}");
        }
    }
}
