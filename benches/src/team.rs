//! Timing a team of threads that provably ran at the same time.

use std::hint;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::measure::{Sample, Yield, pin, waited};

/// Unit of what [`line_transfer`] said just before a sample of two threads.
pub const LINE: &str = "line-ns";
/// Share of a sample that its threads may have spent ready to run and not running.
const MAX_WAIT: f64 = 0.05;
/// Share of the longest worker's time during which all workers ran.
const MIN_OVERLAP: f64 = 0.90;

/// What one worker of a team did.
struct Worked<R> {
    start: Instant,
    end: Instant,
    calls: u64,
    waited: Duration,
    result: R,
}

/// What a team did.
pub struct TeamRun<R> {
    /// ns per operation of all threads together, and the slower thread's share of the operations.
    pub sample: Sample,
    /// Operations of each worker.
    pub calls: Vec<u64>,
    /// ns per operation of each worker on its own.
    pub ns_each: Vec<f64>,
    /// What each worker left.
    pub results: Vec<R>,
}

/// A worker of a team: `step` is called until time is up, `finish` gives what it leaves.
pub trait Worker: Send {
    /// What is left at the end.
    type Left: Send;
    /// One operation, and what it came to.
    fn step(&mut self) -> u64;
    /// The end.
    fn finish(self) -> Self::Left;
}

/// Any closure is a worker that leaves nothing.
impl<R: Yield, F: FnMut() -> R + Send> Worker for F {
    type Left = ();

    #[inline]
    fn step(&mut self) -> u64 {
        self().word()
    }

    fn finish(self) {}
}

/// Runs the workers, number `n` pinned to processor `n % 2`, for `length` each by its own clock,
/// behind a spinning start gate. Only operations in the time when all ran count.
///
/// Rejected are samples whose workers overlapped by less than 90 %, and, if there are no more
/// workers than processors, samples during which somebody else took a processor.
pub fn team<W: Worker>(length: Duration, workers: Vec<W>) -> TeamRun<W::Left> {
    const BATCH: u32 = 32;
    let size = workers.len();
    let line = (size == 2).then(line_transfer);
    let ready = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let worked: Vec<Worked<W::Left>> = std::thread::scope(|scope| {
        let handles: Vec<_> = workers
            .into_iter()
            .enumerate()
            .map(|(number, mut worker)| {
                let (ready, stop) = (&ready, &stop);
                scope.spawn(move || {
                    pin(number % 2);
                    for _ in 0..4 * BATCH {
                        worker.step();
                    }
                    // Pairs with the other workers' additions: all are there.
                    ready.fetch_add(1, Ordering::AcqRel);
                    let mut spins = 0_u32;
                    while ready.load(Ordering::Acquire) < size {
                        spins += 1;
                        // More workers than processors: those who wait make way.
                        if spins.is_multiple_of(1024) && size > 2 {
                            std::thread::yield_now();
                        }
                        hint::spin_loop();
                    }
                    let waited_before = waited();
                    let start = Instant::now();
                    let mut calls = 0_u64;
                    while !stop.load(Ordering::Relaxed) {
                        let mut sum = 0_u64;
                        for _ in 0..BATCH {
                            sum = sum.wrapping_add(worker.step());
                        }
                        hint::black_box(sum);
                        calls += u64::from(BATCH);
                    }
                    let end = Instant::now();
                    let waited = waited() - waited_before;
                    Worked { start, end, calls, waited, result: worker.finish() }
                })
            })
            .collect();
        while ready.load(Ordering::Acquire) < size {
            std::thread::sleep(Duration::from_micros(200));
        }
        std::thread::sleep(length);
        stop.store(true, Ordering::Relaxed);
        handles.into_iter().map(|handle| handle.join().expect("a worker panicked")).collect()
    });
    let mut run = judge(worked);
    run.sample.extra.extend(line.map(|ns| (LINE, ns)));
    run
}

fn judge<R>(worked: Vec<Worked<R>>) -> TeamRun<R> {
    let seconds = |from: Instant, to: Instant| to.saturating_duration_since(from).as_secs_f64();
    let start = worked.iter().map(|it| it.start).max().expect("a team has workers");
    let end = worked.iter().map(|it| it.end).min().expect("a team has workers");
    let longest = worked.iter().map(|it| seconds(it.start, it.end)).fold(0.0, f64::max);
    let overlap = seconds(start, end);
    let in_overlap = |it: &Worked<R>| it.calls as f64 * overlap / seconds(it.start, it.end);
    let total: f64 = worked.iter().map(in_overlap).sum();
    let slowest = worked.iter().map(in_overlap).fold(f64::INFINITY, f64::min);

    let mut sample = Sample::of(overlap * 1e9 / total);
    sample.extra.push(("slower-share", slowest / total));
    let lost = worked.iter().map(|it| it.waited.as_secs_f64()).fold(0.0, f64::max);
    if overlap < MIN_OVERLAP * longest {
        sample.reject = Some("little overlap");
    } else if worked.len() <= 2 && lost > MAX_WAIT * longest {
        sample.reject = Some("disturbed");
    }
    TeamRun {
        sample,
        calls: worked.iter().map(|it| it.calls).collect(),
        ns_each: worked
            .iter()
            .map(|it| seconds(it.start, it.end) * 1e9 / it.calls.max(1) as f64)
            .collect(),
        results: worked.into_iter().map(|it| it.result).collect(),
    }
}

/// ns that a cache line takes from processor 0 to processor 1 or back: the shortest of several
/// rallies, so that other threads do not count.
#[must_use]
pub fn line_transfer() -> f64 {
    const EXCHANGES: usize = 300;
    const RALLIES: usize = 5;
    #[repr(align(128))]
    struct Alone(AtomicUsize);
    let line = Alone(AtomicUsize::new(0));
    // Thread `first` writes the even numbers or the odd ones, each after it has seen the one before.
    let play = |first: usize| {
        pin(first);
        let start = Instant::now();
        for turn in (first..2 * EXCHANGES).step_by(2) {
            // Each load pairs with the store of the other thread.
            while line.0.load(Ordering::Acquire) != turn {
                hint::spin_loop();
            }
            line.0.store(turn + 1, Ordering::Release);
        }
        start.elapsed().as_secs_f64() * 1e9 / (2 * EXCHANGES) as f64
    };
    let mut shortest = f64::INFINITY;
    for _ in 0..RALLIES {
        line.0.store(0, Ordering::Relaxed);
        std::thread::scope(|scope| {
            let one = scope.spawn(|| play(0));
            let other = scope.spawn(|| play(1));
            // Their starts differ; the one that started later saw less waiting.
            let (one, other) = (one.join().unwrap(), other.join().unwrap());
            shortest = shortest.min(one.min(other));
        });
    }
    shortest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_team_that_ran_together_is_accepted_or_says_why_not() {
        let run = team(Duration::from_millis(30), vec![|| hint::spin_loop(), || hint::spin_loop()]);
        assert_eq!(run.calls.len(), 2);
        assert!(run.sample.ns > 0.0);
        let share = run.sample.extra[0].1;
        assert!((0.0..=0.5).contains(&share), "{share}");
    }

    #[test]
    fn a_cache_line_takes_time() {
        assert!((1.0..100_000.0).contains(&line_transfer()));
    }

    #[test]
    fn workers_that_ran_one_after_the_other_are_rejected() {
        let zero = Instant::now();
        let at = |ms| zero + Duration::from_millis(ms);
        let worker = |from, to| Worked {
            start: at(from),
            end: at(to),
            calls: 1000,
            waited: Duration::ZERO,
            result: (),
        };
        let apart = judge(vec![worker(0, 100), worker(50, 150)]);
        assert_eq!(apart.sample.reject, Some("little overlap"));
        let together = judge(vec![worker(0, 100), worker(1, 101)]);
        assert_eq!(together.sample.reject, None);
        assert!((together.sample.ns - 50_000.0).abs() < 1.0, "{}", together.sample.ns);
    }

    #[test]
    fn a_team_that_lost_its_processor_is_rejected() {
        let zero = Instant::now();
        let worker = |ms| Worked {
            start: zero,
            end: zero + Duration::from_millis(100),
            calls: 1,
            waited: Duration::from_millis(ms),
            result: (),
        };
        assert_eq!(judge(vec![worker(0), worker(6)]).sample.reject, Some("disturbed"));
        assert_eq!(judge(vec![worker(0), worker(4)]).sample.reject, None);
    }
}
