//! Locks: uncontended, two readers, a writer against readers.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use crate::case::{Case, Figure, Kind, Target};
use crate::histogram::Histogram;
use crate::measure::{Plan, Sample, solo};
use crate::stand::Runner;
use crate::team::{LINE, Worker, team};

/// A reader-writer lock around two numbers that a writer keeps equal.
pub trait Lock: Sync + Send + 'static {
    /// An unlocked lock around zeros.
    fn new() -> Self;
    /// Reads under a shared hold.
    fn read(&self) -> (u64, u64);
    /// Adds one to both under an exclusive hold.
    fn write(&self);
}

macro_rules! lock {
    ($name:ident, $lock:ty, $(.$unwrap:ident())?) => {
        struct $name($lock);

        impl Lock for $name {
            fn new() -> Self {
                Self(<$lock>::new((0, 0)))
            }

            #[inline]
            fn read(&self) -> (u64, u64) {
                *self.0.read()$(.$unwrap())?
            }

            #[inline]
            fn write(&self) {
                let mut both = self.0.write()$(.$unwrap())?;
                both.0 += 1;
                both.1 += 1;
            }
        }
    };
}

lock!(Ours, parkspin::RwLock<(u64, u64)>,);
lock!(Std, std::sync::RwLock<(u64, u64)>, .unwrap());
lock!(ParkingLot, parking_lot::RwLock<(u64, u64)>,);
lock!(Spin, spin::RwLock<(u64, u64)>,);

macro_rules! gated {
    ($name:ident, $new:ident) => {
        /// Readers who find the gate closed wait for the writer by the ordinary lock.
        struct $name(parkspin::Gated<(u64, u64)>);

        impl Lock for $name {
            fn new() -> Self {
                let gated = parkspin::Gated::$new((0, 0));
                gated.exclusive(|_| false).expect("it is new").open();
                Self(gated)
            }

            #[inline]
            fn read(&self) -> (u64, u64) {
                self.0.enter().map_or_else(|| *self.0.share(), |inside| *inside)
            }

            fn write(&self) {
                let patient = |_| {
                    std::thread::yield_now();
                    true
                };
                let mut both = self.0.exclusive(patient).expect("it is patient");
                both.0 += 1;
                both.1 += 1;
                both.open();
            }
        }
    };
}

gated!(Gate, new);
gated!(GateByFences, with_fences);

/// Proves that a lock excludes: two writers lose no addition, and no reader sees half of one.
fn prove<L: Lock>(name: &str) {
    const WRITES: u64 = 20_000;
    let lock = L::new();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| (0..WRITES).for_each(|_| lock.write()));
        }
        scope.spawn(|| {
            for _ in 0..WRITES {
                let (one, other) = lock.read();
                assert_eq!(one, other, "{name}: a reader saw half of a write");
            }
        });
    });
    assert_eq!(lock.read(), (2 * WRITES, 2 * WRITES), "{name}: a write was lost");
}

/// Runs all cases.
pub fn run(runner: &mut Runner, _quick: bool) {
    prove::<Ours>("parkspin");
    prove::<Std>("std");
    prove::<ParkingLot>("parking_lot");
    prove::<Spin>("spin");
    prove::<Gate>("gate");
    prove::<GateByFences>("gate, fences");

    runner.run(contenders("read.1t", read_solo).at_most(1.0));
    runner.run(contenders("write.1t", write_solo).at_most(1.0));
    runner.run(contenders("read.2t", read_team).at_most(0.9));
    runner.run(gates("gate.1t", read_solo, 0.20, 0.40));
    runner.run(gates("gate.2t", read_team, 0.06, 0.06));
    for (case, work) in [
        ("writer-vs-1-reader", writer_against as fn(Which, usize) -> Sampler),
        ("writer-vs-3-readers", writer_against),
    ] {
        let readers = if case.contains('1') { 1 } else { 3 };
        runner.run(
            contenders(case, |which| work(which, readers))
                .figure(Figure::ratio(Target::None))
                .figure(Figure::ratio(Target::None).unit("writer-p99-ns").named(".writer-p99"))
                .figure(Figure::ratio(Target::None).unit("reader-p99-ns").named(".reader-p99"))
                .figure(Figure::ratio(Target::None).unit("longest-ns").named(".longest"))
                // Nobody on either side waits longer than a tenth of a second.
                .figure(
                    Figure::ratio(Target::AtMost(100e6))
                        .kind(Kind::Own)
                        .unit("longest-ns")
                        .named(".starved"),
                ),
        );
    }
}

type Sampler = Box<dyn FnMut(&Plan) -> Sample>;

/// Whose lock.
#[derive(Clone, Copy)]
enum Which {
    Ours,
    Std,
    ParkingLot,
    Spin,
    Gate,
    GateByFences,
}

/// The read side of the gate, by the kernel's barrier and by fences, against std's.
fn gates(case: &str, work: impl Fn(Which) -> Sampler, barrier: f64, fences: f64) -> Case {
    Case::new(case)
        .ours("gate", work(Which::Gate))
        .ours("gate-by-fences", work(Which::GateByFences))
        .rival("std", work(Which::Std))
        .figure(Figure::ratio(Target::AtMost(barrier)).of("gate"))
        .figure(Figure::ratio(Target::AtMost(fences)).of("gate-by-fences").named(".fences"))
}

fn contenders(case: &str, work: impl Fn(Which) -> Sampler) -> Case {
    Case::new(case)
        .ours("parkspin", work(Which::Ours))
        .rival("std", work(Which::Std))
        .rival("parking_lot", work(Which::ParkingLot))
        .rival("spin", work(Which::Spin))
}

/// Calls a generic function with the type that `which` names.
macro_rules! with {
    ($which:expr, $function:ident($($argument:expr),*)) => {
        match $which {
            Which::Ours => $function::<Ours>($($argument),*),
            Which::Std => $function::<Std>($($argument),*),
            Which::ParkingLot => $function::<ParkingLot>($($argument),*),
            Which::Spin => $function::<Spin>($($argument),*),
            Which::Gate => $function::<Gate>($($argument),*),
            Which::GateByFences => $function::<GateByFences>($($argument),*),
        }
    };
}

/// What is read, as one word.
#[inline]
fn read_word<L: Lock>(lock: &L) -> u64 {
    let (one, other) = lock.read();
    one ^ other
}

fn read_solo(which: Which) -> Sampler {
    fn of<L: Lock>() -> Sampler {
        let lock = L::new();
        Box::new(move |plan| {
            let lock = black_box(&lock);
            solo(plan.solo, 256, move || read_word(lock))
        })
    }
    with!(which, of())
}

fn write_solo(which: Which) -> Sampler {
    fn of<L: Lock>() -> Sampler {
        let lock = L::new();
        Box::new(move |plan| {
            let lock = black_box(&lock);
            solo(plan.solo, 256, move || lock.write())
        })
    }
    with!(which, of())
}

fn read_team(which: Which) -> Sampler {
    fn of<L: Lock>() -> Sampler {
        let lock = Arc::new(L::new());
        Box::new(move |plan| {
            let worker = || {
                let lock = black_box(Arc::clone(&lock));
                move || read_word(&*lock)
            };
            team(plan.team, vec![worker(), worker()]).sample
        })
    }
    with!(which, of())
}

/// Takes the lock as its role says, and looks at the clock around every 8th time.
struct Role<L> {
    lock: Arc<L>,
    writes: bool,
    calls: u32,
    latency: Histogram,
}

impl<L: Lock> Role<L> {
    #[inline]
    fn act(&self) -> u64 {
        if self.writes {
            self.lock.write();
            return 0;
        }
        read_word(&*self.lock)
    }
}

impl<L: Lock> Worker for Role<L> {
    type Left = (bool, Histogram);

    #[inline]
    fn step(&mut self) -> u64 {
        self.calls = self.calls.wrapping_add(1);
        if !self.calls.is_multiple_of(8) {
            return self.act();
        }
        let start = Instant::now();
        let read = self.act();
        self.latency.add(start.elapsed().as_nanos() as u64);
        read
    }

    fn finish(self) -> Self::Left {
        (self.writes, self.latency)
    }
}

/// Worker 0 writes without a pause, the others read without a pause.
fn writer_against(which: Which, readers: usize) -> Sampler {
    fn of<L: Lock>(readers: usize) -> Sampler {
        let lock = Arc::new(L::new());
        Box::new(move |plan| {
            let workers = (0..=readers)
                .map(|number| Role {
                    lock: Arc::clone(&lock),
                    writes: number == 0,
                    calls: 0,
                    latency: Histogram::default(),
                })
                .collect();
            let run = team(plan.team, workers);
            let (mut writer, mut reader) = (Histogram::default(), Histogram::default());
            for (writes, latency) in &run.results {
                if *writes { &mut writer } else { &mut reader }.merge(latency);
            }
            let mut sample = run.sample;
            sample.extra.retain(|(unit, _)| *unit == LINE);
            sample.extra.extend([
                ("writer-ns", run.ns_each[0]),
                ("writer-p99-ns", writer.percentile(0.99) as f64),
                ("reader-p99-ns", reader.percentile(0.99) as f64),
                ("longest-ns", writer.max().max(reader.max()) as f64),
            ]);
            sample
        })
    }
    with!(which, of(readers))
}
