//! The processor's cycle counter, and how its readings become epoch nanoseconds.
//!
//! Emits store the bare counter, which costs a fraction of a system clock's reading. Whoever reads
//! events takes an **anchor**, a reading of both clocks at once, *after* the events were popped:
//! each event then lies between two anchors, and what it gets is interpolated, never extrapolated.

#![allow(unsafe_code, reason = "reads the cycle counter")]

use std::time::Instant;

/// True if the counter ticks at one rate on all processors, whatever they do. Asked once.
///
/// On x86-64 the kernel must use it as its own clock, which it does only where it found that out;
/// aarch64's virtual counter is so by its definition.
pub(crate) fn are_usable() -> bool {
    use core::sync::atomic::{AtomicU8, Ordering};
    // Asked by each of several threads that come at once: waiting for one another could hang a
    // child forked meanwhile. Relaxed: the answer is all there is to know.
    static ANSWER: AtomicU8 = AtomicU8::new(0);
    match ANSWER.load(Ordering::Relaxed) {
        0 => {
            let usable = ask();
            ANSWER.store(if usable { 1 } else { 2 }, Ordering::Relaxed);
            usable
        }
        known => known == 1,
    }
}

fn ask() -> bool {
    if cfg!(any(miri, loom)) {
        return false;
    }
    if cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        let source = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
        return std::fs::read_to_string(source).is_ok_and(|name| name.trim() == "tsc");
    }
    cfg!(target_arch = "aarch64")
}

/// The counter now. Not ordered with the instructions around it.
#[inline(always)]
pub(crate) fn read() -> u64 {
    #[cfg(target_arch = "x86_64")]
    #[allow(unused_unsafe, reason = "newer compilers call it safe")]
    // SAFETY: every x86-64 has the instruction, and Linux lets user code run it.
    return unsafe { core::arch::x86_64::_rdtsc() };
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    {
        let count: u64;
        // SAFETY: reads a register that user code may read; touches neither memory nor flags.
        unsafe {
            core::arch::asm!("mrs {}, cntvct_el0", out(reg) count, options(nomem, nostack, preserves_flags));
        }
        return count;
    }
    #[allow(unreachable_code, reason = "the one return of other targets")]
    0
}

/// One moment on both clocks.
#[derive(Clone, Copy)]
struct Anchor {
    cycles: u64,
    ns: u64,
}

/// How the counter's readings map to nanoseconds: through three anchors.
#[derive(Clone, Copy)]
pub(crate) struct Anchors {
    /// Where nanoseconds count from.
    base: Instant,
    base_ns: u64,
    start: Anchor,
    previous: Anchor,
    latest: Anchor,
    /// Half of the longest time that an anchor's two readings took.
    pub(crate) error_ns: u64,
}

impl Anchors {
    /// The first anchor; `base_ns` is the time at `base`.
    pub(crate) fn new(base: Instant, base_ns: u64) -> Self {
        let nowhere = Anchor { cycles: 0, ns: base_ns };
        let mut anchors =
            Self { base, base_ns, start: nowhere, previous: nowhere, latest: nowhere, error_ns: 0 };
        let first = anchors.take();
        (anchors.start, anchors.previous, anchors.latest) = (first, first, first);
        anchors
    }

    /// Adds an anchor. Afterwards readings taken before this call can be told.
    pub(crate) fn renew(&mut self) {
        let anchor = self.take();
        if anchor.cycles > self.latest.cycles && anchor.ns >= self.latest.ns {
            self.previous = self.latest;
            self.latest = anchor;
        }
    }

    /// Reads both clocks, several times, and keeps the closest pair.
    fn take(&mut self) -> Anchor {
        const TRIES: u32 = 4;
        let mut best: Option<(u64, Anchor)> = None;
        for _ in 0..TRIES {
            let before = Instant::now();
            let cycles = read();
            let took = before.elapsed().as_nanos() as u64;
            if best.as_ref().is_none_or(|(least, _)| took < *least) {
                let since = before.saturating_duration_since(self.base).as_nanos() as u64;
                best = Some((took, Anchor { cycles, ns: self.base_ns + since + took / 2 }));
            }
        }
        // There was at least one try.
        let (took, anchor) = best.unwrap_or((0, self.latest));
        self.error_ns = self.error_ns.max(took.div_ceil(2));
        anchor
    }

    /// The time of a reading that is not later than the latest anchor.
    #[inline]
    pub(crate) fn tell(&self, cycles: u64) -> u64 {
        let (from, to) = if cycles >= self.previous.cycles {
            (self.previous, self.latest)
        } else {
            (self.start, self.previous)
        };
        let span = to.cycles.saturating_sub(from.cycles);
        let passed = cycles.saturating_sub(from.cycles);
        if span == 0 {
            return from.ns;
        }
        // 64 by 64 bits over 64: exact, and no overflow.
        let ns = u128::from(passed) * u128::from(to.ns - from.ns) / u128::from(span);
        from.ns + ns as u64
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::vec::Vec;

    use super::*;

    fn anchors(points: [(u64, u64); 3]) -> Anchors {
        let [start, previous, latest] = points.map(|(cycles, ns)| Anchor { cycles, ns });
        Anchors { base: Instant::now(), base_ns: 0, start, previous, latest, error_ns: 0 }
    }

    #[test]
    fn between_anchors_time_is_interpolated_and_never_runs_backwards() {
        let anchors = anchors([(1_000, 10), (2_000, 510), (4_000, 610)]);
        let table = [(0, 10), (1_000, 10), (1_500, 260), (2_000, 510), (3_000, 560), (4_000, 610)];
        for (cycles, ns) in table {
            assert_eq!(anchors.tell(cycles), ns, "{cycles}");
        }
        let times: Vec<u64> = (0..4_000).map(|cycles| anchors.tell(cycles)).collect();
        assert!(times.is_sorted());
    }

    #[test]
    fn huge_readings_do_not_overflow_and_a_lone_anchor_gives_its_own_time() {
        let top = u64::MAX;
        assert_eq!(anchors([(0, 0), (0, 0), (top, top)]).tell(top), top);
        assert_eq!(anchors([(7, 9), (7, 9), (7, 9)]).tell(50), 9);
    }

    /// The claim of the header: a reading told by anchors is as close to the system's clock as the
    /// header says, plus what the test's own two readings are apart.
    #[test]
    fn a_told_time_agrees_with_the_system_clock() {
        if !are_usable() {
            return;
        }
        let base = Instant::now();
        let mut anchors = Anchors::new(base, 0);
        let mut readings = Vec::new();
        for _ in 0..200 {
            let before = base.elapsed().as_nanos() as u64;
            let cycles = read();
            let after = base.elapsed().as_nanos() as u64;
            readings.push((before, cycles, after));
            for _ in 0..2_000 {
                core::hint::spin_loop();
            }
        }
        anchors.renew();
        let slack = anchors.error_ns + 50;
        let good = readings
            .iter()
            .filter(|(before, cycles, after)| {
                let told = anchors.tell(*cycles);
                told + slack >= *before && told <= *after + slack
            })
            .count();
        // A reading in the middle of which the thread lost its processor still has its bounds.
        assert!(good >= 195, "{good} of 200 within {slack} ns");
    }
}
