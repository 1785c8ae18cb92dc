//! Timing on one thread.

use std::cell::Cell;
use std::hint;
use std::thread;
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_setaffinity};

/// How long and how often to measure.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Length of a sample of one thread.
    pub solo: Duration,
    /// Length of a sample of several threads.
    pub team: Duration,
    /// Rounds over all contenders of a case.
    pub rounds: usize,
    /// Fewer and smaller cases.
    pub quick: bool,
}

impl Plan {
    /// One area within 50 seconds.
    pub const QUICK: Plan = Plan {
        solo: Duration::from_millis(6),
        team: Duration::from_millis(100),
        rounds: 7,
        quick: true,
    };
    /// What the record is made with.
    pub const FULL: Plan = Plan {
        solo: Duration::from_millis(20),
        team: Duration::from_millis(200),
        rounds: 11,
        quick: false,
    };
}

/// One measurement of one contender.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// Nanoseconds per operation, over all threads together: the time divided by the operations.
    pub ns: f64,
    /// Further figures of the same sample, by unit.
    pub extra: Vec<(&'static str, f64)>,
    /// Why the sample says nothing, if so.
    pub reject: Option<&'static str>,
}

impl Sample {
    /// A sample of one figure.
    #[must_use]
    pub fn of(ns: f64) -> Self {
        Self { ns, ..Self::default() }
    }
}

/// Binds the calling thread to one processor.
///
/// # Panics
/// If the system refuses: an unpinned figure would be another figure.
pub fn pin(cpu: usize) {
    let mut set = CpuSet::new();
    set.set(cpu);
    sched_setaffinity(None, &set).unwrap_or_else(|error| panic!("pinning to cpu {cpu}: {error}"));
}

/// Calls `work` on a thread of its own on processor 0, away from the one that is measured: threads
/// that it makes stay there.
///
/// # Panics
/// If `work` does.
pub fn beside<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    thread::scope(|scope| {
        let worker = scope.spawn(|| {
            pin(0);
            work()
        });
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Time that this thread was ready and another one had its processor.
pub(crate) fn waited() -> Duration {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split_whitespace().nth(1)?.parse().ok())
        .map_or(Duration::ZERO, Duration::from_nanos)
}

/// What an operation came to. A number is added up in a register and shown to the compiler once a
/// batch: to show it each time is to write memory, which a locked operation has to wait for.
pub trait Yield {
    /// The number.
    fn word(self) -> u64;
}

impl Yield for () {
    #[inline(always)]
    fn word(self) -> u64 {
        0
    }
}

impl Yield for u64 {
    #[inline(always)]
    fn word(self) -> u64 {
        self
    }
}

/// Calls `op` for about `length` on this thread; ns per call.
///
/// The calls are timed in chunks of at least 0.1 ms, in batches of `batch`, and the median chunk
/// counts: that another thread took the processor for a while changes a few chunks, not the answer.
pub fn solo<R: Yield>(length: Duration, batch: u32, mut op: impl FnMut() -> R) -> Sample {
    const CHUNK: Duration = Duration::from_micros(100);
    let mut chunks = Vec::with_capacity(1024);
    let begin = Instant::now();
    while begin.elapsed() < length || chunks.len() < 3 {
        let mut calls = 0_u64;
        let start = Instant::now();
        let elapsed = loop {
            let mut sum = 0_u64;
            for _ in 0..batch {
                sum = sum.wrapping_add(op().word());
            }
            hint::black_box(sum);
            calls += u64::from(batch);
            let elapsed = start.elapsed();
            if elapsed >= CHUNK {
                break elapsed;
            }
        };
        chunks.push(elapsed.as_secs_f64() * 1e9 / calls as f64);
    }
    let middle = chunks.len() / 2;
    Sample::of(*chunks.select_nth_unstable_by(middle, f64::total_cmp).1)
}

/// Times a single run of `work`, which does `ops` operations. Time during which this thread was
/// ready and another one had its processor does not count; a run of which that was more than half
/// is rejected.
pub fn once<R>(ops: usize, work: impl FnOnce() -> R) -> Sample {
    let waited_before = waited();
    let start = Instant::now();
    let result = hint::black_box(work());
    let elapsed = start.elapsed().as_secs_f64();
    drop(result);
    let lost = (waited() - waited_before).as_secs_f64();
    let mut sample = Sample::of((elapsed - lost).max(0.0) * 1e9 / ops as f64);
    if lost > elapsed / 2.0 {
        sample.reject = Some("disturbed");
    }
    sample
}

/// ns of one spin hint.
#[must_use]
pub fn pause() -> f64 {
    solo(Duration::from_millis(20), 16, hint::spin_loop).ns
}

thread_local! {
    static SEED: Cell<u64> = const { Cell::new(0x9E37_79B9_7F4A_7C15) };
}

/// The next of a fixed sequence of numbers that look random: the same in every run.
#[must_use]
pub fn random() -> u64 {
    SEED.with(|seed| {
        let mut x = seed.get();
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        seed.set(x);
        x.wrapping_mul(0x2545_F491_4F6C_DD1D)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_chunk_counts() {
        let mut calls = 0_u64;
        let sample = solo(Duration::from_millis(20), 1, || {
            calls += 1;
            // One long call among short ones changes nothing.
            let wait = if calls == 300 { 5_000 } else { 20 };
            let start = Instant::now();
            while start.elapsed() < Duration::from_micros(wait) {}
        });
        assert!((20_000.0..100_000.0).contains(&sample.ns), "{}", sample.ns);
    }

    #[test]
    fn a_spin_hint_takes_time() {
        assert!((0.1..10_000.0).contains(&pause()), "{}", pause());
    }
}
