//! Rings: steady overwriting of a full ring, push and pop of one that is not, one and two threads,
//! and four threads on two processors.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use concurrent_queue::ConcurrentQueue;
use crossbeam_queue::ArrayQueue;

use crate::case::{Case, Figure, Kind, Target};
use crate::histogram::Histogram;
use crate::measure::{Plan, Sample, solo};
use crate::rings::{Naive, OverwritingRing, prove};
use crate::stand::Runner;
use crate::team::{Worker, team};

/// What an event weighs.
type Record = [u64; 14];

/// Runs all cases.
pub fn run(runner: &mut Runner, quick: bool) {
    prove::<lapring::Ring<u64>>();
    prove::<ArrayQueue<u64>>();
    prove::<ConcurrentQueue<u64>>();
    prove::<Naive<u64>>();

    let caps: &[usize] = if quick { &[1024] } else { &[1024, 131_072] };
    for &cap in caps {
        payload(runner, "u64", cap, 7_u64, [0.60, 0.50, 1.0, 0.85]);
        payload::<Record>(runner, "112B", cap, [7; 14], [0.75, 0.65, 1.0, 0.85]);
    }
    oversubscribed(runner);
}

/// All cases of one payload; the limits of full and not full, with one and two threads each.
fn payload<T: Copy + Send + Sync + 'static>(
    runner: &mut Runner,
    name: &str,
    cap: usize,
    value: T,
    limits: [f64; 4],
) {
    let fair = Figure::ratio(Target::AtLeast(0.25)).kind(Kind::Own).unit("slower-share");
    let case = contenders(&format!("full.{name}.{cap}.1t"), |ring| ring.full_solo(), cap, value);
    runner.run(demand(case, limits[0]));
    let case = contenders(&format!("full.{name}.{cap}.2t"), |ring| ring.full_team(), cap, value);
    runner.run(demand(case, limits[1]).figure(fair.named(".fair")));
    let case = contenders(&format!("pushpop.{name}.{cap}.1t"), |ring| ring.pair_solo(), cap, value);
    runner.run(demand(case, limits[2]));
    let case = contenders(&format!("pushpop.{name}.{cap}.2t"), |ring| ring.pair_team(), cap, value);
    runner.run(demand(case, limits[3]));
}

/// The limit is set against rings. What stops everybody when one thread is stopped is not one, however
/// little it costs while nobody else is there: it is tabled.
fn demand(case: Case, limit: f64) -> Case {
    case.figure(Figure::ratio(Target::AtMost(limit)).against(&RINGS))
        .figure(Figure::ratio(Target::None).against(&["mutex-vecdeque"]).named(".vs-mutex"))
}

/// The rivals that are rings.
const RINGS: [&str; 2] = ["crossbeam-queue", "concurrent-queue"];

type Sampler = Box<dyn FnMut(&Plan) -> Sample>;

/// A ring to be measured and the value that is pushed.
trait Measured {
    fn full_solo(self: Box<Self>) -> Sampler;
    fn full_team(self: Box<Self>) -> Sampler;
    fn pair_solo(self: Box<Self>) -> Sampler;
    fn pair_team(self: Box<Self>) -> Sampler;
    fn four(self: Box<Self>) -> Sampler;
}

struct Subject<R, T> {
    ring: Arc<R>,
    cap: usize,
    value: T,
}

impl<R: OverwritingRing<T>, T: Copy> Subject<R, T> {
    fn new(cap: usize, value: T) -> Box<Self> {
        Box::new(Self { ring: Arc::new(R::with_capacity(cap)), cap, value })
    }

    fn fill(&self) {
        for _ in 0..2 * self.cap {
            self.ring.force_push(self.value);
        }
    }
}

impl<R: OverwritingRing<T>, T: Copy + Send + Sync + 'static> Measured for Subject<R, T> {
    fn full_solo(self: Box<Self>) -> Sampler {
        self.fill();
        Box::new(move |plan| {
            solo(plan.solo, 256, || {
                black_box(&self.ring.force_push(*black_box(&self.value)));
            })
        })
    }

    fn full_team(self: Box<Self>) -> Sampler {
        self.fill();
        Box::new(move |plan| {
            let worker = || {
                let (ring, value) = (Arc::clone(&self.ring), self.value);
                move || {
                    black_box(&ring.force_push(*black_box(&value)));
                }
            };
            team(plan.team, vec![worker(), worker()]).sample
        })
    }

    fn pair_solo(self: Box<Self>) -> Sampler {
        Box::new(move |plan| {
            solo(plan.solo, 256, || {
                black_box(&self.ring.push(*black_box(&self.value)));
                black_box(&self.ring.pop());
            })
        })
    }

    /// Both threads push and pop in turns, so that the ring stays nearly empty.
    fn pair_team(self: Box<Self>) -> Sampler {
        Box::new(move |plan| {
            let worker = || {
                let (ring, value) = (Arc::clone(&self.ring), self.value);
                move || {
                    black_box(&ring.push(*black_box(&value)));
                    black_box(&ring.pop());
                }
            };
            team(plan.team, vec![worker(), worker()]).sample
        })
    }

    fn four(self: Box<Self>) -> Sampler {
        self.fill();
        Box::new(move |plan| {
            let workers = (0..4)
                .map(|_| Timed {
                    ring: Arc::clone(&self.ring),
                    value: self.value,
                    calls: 0,
                    latency: Histogram::default(),
                })
                .collect();
            let run = team(plan.team, workers);
            let mut all = Histogram::default();
            run.results.iter().for_each(|one| all.merge(one));
            let mut sample = run.sample;
            sample.extra.push(("p99.9-ns", all.percentile(0.999) as f64));
            sample.extra.push(("max-ns", all.max() as f64));
            sample
        })
    }
}

/// Pushes, and looks at the clock around every 16th push.
struct Timed<R, T> {
    ring: Arc<R>,
    value: T,
    calls: u32,
    latency: Histogram,
}

impl<R: OverwritingRing<T>, T: Copy + Send> Worker for Timed<R, T> {
    type Left = Histogram;

    #[inline]
    fn step(&mut self) {
        self.calls = self.calls.wrapping_add(1);
        if self.calls.is_multiple_of(16) {
            let start = Instant::now();
            black_box(&self.ring.force_push(*black_box(&self.value)));
            self.latency.add(start.elapsed().as_nanos() as u64);
        } else {
            black_box(&self.ring.force_push(*black_box(&self.value)));
        }
    }

    fn finish(self) -> Histogram {
        self.latency
    }
}

/// The same work for ours and all rivals.
fn contenders<T: Copy + Send + Sync + 'static>(
    case: &str,
    work: fn(Box<dyn Measured>) -> Sampler,
    cap: usize,
    value: T,
) -> Case {
    Case::new(case)
        .ours("lapring", work(Subject::<lapring::Ring<T>, T>::new(cap, value)))
        .rival("crossbeam-queue", work(Subject::<ArrayQueue<T>, T>::new(cap, value)))
        .rival("concurrent-queue", work(Subject::<ConcurrentQueue<T>, T>::new(cap, value)))
        .rival("mutex-vecdeque", work(Subject::<Naive<T>, T>::new(cap, value)))
}

/// Four threads on two processors: what happens when one is stopped in the middle of a push.
fn oversubscribed(runner: &mut Runner) {
    let case = contenders("full.112B.1024.4t-on-2", |ring| ring.four(), 1024, [7_u64; 14]);
    runner.run(
        demand(case, 1.0)
            .figure(Figure::ratio(Target::None).unit("p99.9-ns").named(".p999"))
            .figure(Figure::ratio(Target::None).unit("max-ns").named(".max")),
    );
}
