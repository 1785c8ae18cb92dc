//! `force_push` on a full ring, one thread: ours, a rival, and a queue behind a mutex.

use criterion::measurement::WallTime;
use std::hint::black_box;

use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use sys_trace_benches::{Naive, OverwritingRing, prove};

/// The rival, here and not in the library so that only benchmarks depend on it.
struct ArrayQueue<T>(crossbeam_queue::ArrayQueue<T>);

impl<T: Send> OverwritingRing<T> for ArrayQueue<T> {
    const NAME: &'static str = "crossbeam-queue";

    fn with_capacity(cap: usize) -> Self {
        Self(crossbeam_queue::ArrayQueue::new(cap))
    }

    fn force_push(&self, value: T) -> Option<T> {
        self.0.force_push(value)
    }

    fn pop(&self) -> Option<T> {
        self.0.pop()
    }
}

/// What an event weighs.
type Record = [u64; 14];

fn full<T: Copy, R: OverwritingRing<T>>(group: &mut BenchmarkGroup<'_, WallTime>, value: T) {
    let ring = R::with_capacity(1024);
    for _ in 0..2048 {
        ring.force_push(value);
    }
    group.bench_function(R::NAME, |b| b.iter(|| ring.force_push(black_box(value))));
}

fn force_push_full(c: &mut Criterion) {
    prove::<lapring::Ring<u64>>();
    prove::<ArrayQueue<u64>>();
    prove::<Naive<u64>>();

    let mut group = c.benchmark_group("force_push_full/u64");
    full::<u64, lapring::Ring<_>>(&mut group, 7);
    full::<u64, ArrayQueue<_>>(&mut group, 7);
    full::<u64, Naive<_>>(&mut group, 7);
    group.finish();

    let mut group = c.benchmark_group("force_push_full/112-bytes");
    full::<Record, lapring::Ring<_>>(&mut group, [7; 14]);
    full::<Record, ArrayQueue<_>>(&mut group, [7; 14]);
    full::<Record, Naive<_>>(&mut group, [7; 14]);
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .measurement_time(std::time::Duration::from_secs(2))
        .warm_up_time(std::time::Duration::from_millis(500));
    targets = force_push_full
}
criterion_main!(benches);
