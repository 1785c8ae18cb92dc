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
    /// Remembers what was taken, in a way that cannot be left out.
    type Seen: Default + Send;
    fn next(&mut self) -> Self;
    fn see(seen: &mut Self::Seen, taken: Option<Self>);
}

/// Counted up and added up, as a program would: to be shown a value, memory is written, and a locked
/// operation has to wait for whatever was written before it.
impl Payload for u64 {
    type Seen = u64;

    #[inline]
    fn next(&mut self) -> Self {
        *self = self.wrapping_add(1);
        *self
    }

    #[inline]
    fn see(seen: &mut u64, taken: Option<Self>) {
        if let Some(taken) = taken {
            *seen = seen.wrapping_add(taken);
        }
    }
}

/// Shown whole, or parts of it would not be copied. Handed over by reference, or it would be copied
/// once more.
impl Payload for Record {
    type Seen = ();

    #[inline]
    fn next(&mut self) -> Self {
        *black_box(&*self)
    }

    #[inline]
    fn see((): &mut (), taken: Option<Self>) {
        black_box(&taken);
    }
}

/// One thread's use of a ring.
struct User<R, T: Payload> {
    ring: Arc<R>,
    value: T,
    seen: T::Seen,
    refused: u64,
}

impl<R: OverwritingRing<T>, T: Payload> User<R, T> {
    #[inline]
    fn force_push(&mut self) {
        T::see(&mut self.seen, self.ring.force_push(self.value.next()));
    }

    #[inline]
    fn push_and_pop(&mut self) {
        self.refused += u64::from(!self.ring.push(self.value.next()));
        T::see(&mut self.seen, self.ring.pop());
    }
}

impl<R, T: Payload> Drop for User<R, T> {
    fn drop(&mut self) {
        // By value: what has its address given away lives in memory.
        black_box((std::mem::take(&mut self.seen), self.refused));
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
        User {
            ring: black_box(Arc::clone(&self.ring)),
            value: self.value,
            seen: T::Seen::default(),
            refused: 0,
        }
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
            let mut user = self.user();
            solo(plan.solo, 256, move || user.force_push())
        })
    }

    fn full_team(self: Box<Self>) -> Sampler {
        self.fill();
        Box::new(move |plan| {
            let worker = || {
                let mut user = self.user();
                move || user.force_push()
            };
            team(plan.team, vec![worker(), worker()]).sample
        })
    }

    fn pair_solo(self: Box<Self>) -> Sampler {
        Box::new(move |plan| {
            let mut user = self.user();
            solo(plan.solo, 256, move || user.push_and_pop())
        })
    }

    /// Both threads push and pop in turns, so that the ring stays nearly empty.
    fn pair_team(self: Box<Self>) -> Sampler {
        Box::new(move |plan| {
            let worker = || {
                let mut user = self.user();
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
struct Timed<R, T: Payload> {
    user: User<R, T>,
    calls: u32,
    latency: Histogram,
}

impl<R: OverwritingRing<T>, T: Payload> Worker for Timed<R, T> {
    type Left = Histogram;

    #[inline]
    fn step(&mut self) {
        self.calls = self.calls.wrapping_add(1);
        if self.calls.is_multiple_of(16) {
            let start = Instant::now();
            self.user.force_push();
            self.latency.add(start.elapsed().as_nanos() as u64);
        } else {
            self.user.force_push();
        }
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
