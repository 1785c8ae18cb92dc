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

/// What is pushed, and how it is kept from being known to the compiler.
trait Payload: Copy + Send + Sync + 'static {
    /// The value to be pushed next.
    fn shown(&self) -> Self;
    /// What was taken, in a way that cannot be left out.
    fn see(taken: Option<Self>) -> u64;
}

/// Comes from memory that nobody can know, and is added up in a register.
impl Payload for u64 {
    #[inline]
    fn shown(&self) -> Self {
        *self
    }

    #[inline]
    fn see(taken: Option<Self>) -> u64 {
        taken.unwrap_or(0)
    }
}

/// Shown whole, or parts of it would not be copied. Handed over by reference, or it would be copied
/// once more.
impl Payload for Record {
    #[inline]
    fn shown(&self) -> Self {
        *black_box(self)
    }

    #[inline]
    fn see(taken: Option<Self>) -> u64 {
        black_box(&taken);
        0
    }
}

/// One thread's use of a ring.
struct User<R, T> {
    ring: Arc<R>,
    value: T,
}

impl<R: OverwritingRing<T>, T: Payload> User<R, T> {
    #[inline]
    fn force_push(&self) -> u64 {
        T::see(self.ring.force_push(self.value.shown()))
    }

    #[inline]
    fn push_and_pop(&self) -> u64 {
        let pushed = u64::from(self.ring.push(self.value.shown()));
        T::see(self.ring.pop()).wrapping_add(pushed)
    }
}

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
fn payload<T: Payload>(runner: &mut Runner, name: &str, cap: usize, value: T, limits: [f64; 4]) {
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

impl<R: OverwritingRing<T>, T: Payload> Subject<R, T> {
    fn new(cap: usize, value: T) -> Box<Self> {
        Box::new(Self { ring: Arc::new(R::with_capacity(cap)), cap, value })
    }

    fn user(&self) -> User<R, T> {
        black_box(User { ring: Arc::clone(&self.ring), value: self.value })
    }

    fn fill(&self) {
        for _ in 0..2 * self.cap {
            self.ring.force_push(self.value);
        }
    }
}

impl<R: OverwritingRing<T>, T: Payload> Measured for Subject<R, T> {
    fn full_solo(self: Box<Self>) -> Sampler {
        self.fill();
        Box::new(move |plan| {
            let user = self.user();
            solo(plan.solo, 256, move || user.force_push())
        })
    }

    fn full_team(self: Box<Self>) -> Sampler {
        self.fill();
        Box::new(move |plan| {
            let worker = || {
                let user = self.user();
                move || user.force_push()
            };
            team(plan.team, vec![worker(), worker()]).sample
        })
    }

    fn pair_solo(self: Box<Self>) -> Sampler {
        Box::new(move |plan| {
            let user = self.user();
            solo(plan.solo, 256, move || user.push_and_pop())
        })
    }

    /// Both threads push and pop in turns, so that the ring stays nearly empty.
    fn pair_team(self: Box<Self>) -> Sampler {
        Box::new(move |plan| {
            let worker = || {
                let user = self.user();
                move || user.push_and_pop()
            };
            team(plan.team, vec![worker(), worker()]).sample
        })
    }

    fn four(self: Box<Self>) -> Sampler {
        self.fill();
        Box::new(move |plan| {
            let workers = (0..4)
                .map(|_| Timed { user: self.user(), calls: 0, latency: Histogram::default() })
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
    user: User<R, T>,
    calls: u32,
    latency: Histogram,
}

impl<R: OverwritingRing<T>, T: Payload> Worker for Timed<R, T> {
    type Left = Histogram;

    #[inline]
    fn step(&mut self) -> u64 {
        self.calls = self.calls.wrapping_add(1);
        if !self.calls.is_multiple_of(16) {
            return self.user.force_push();
        }
        let start = Instant::now();
        let seen = self.user.force_push();
        self.latency.add(start.elapsed().as_nanos() as u64);
        seen
    }

    fn finish(self) -> Histogram {
        self.latency
    }
}

/// The same work for ours and all rivals.
fn contenders<T: Payload>(
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
