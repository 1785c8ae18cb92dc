//! `force_push` on a full ring, one thread: ours, rivals, and a queue behind a mutex.

use std::hint::black_box;

use concurrent_queue::ConcurrentQueue;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use crossbeam_queue::ArrayQueue;
use sys_trace_benches::{Naive, OverwritingRing, prove};

/// What an event weighs.
type Record = [u64; 14];

fn full<T: Copy, R: OverwritingRing<T>>(group: &mut BenchmarkGroup<'_, WallTime>, value: T) {
    let ring = R::with_capacity(1024);
    for _ in 0..2048 {
        ring.force_push(value);
    }
    group.bench_function(R::NAME, |b| b.iter(|| ring.force_push(black_box(value))));
}

fn payload<T: Copy + Send + 'static>(c: &mut Criterion, name: &str, value: T) {
    let mut group = c.benchmark_group(format!("force_push_full/{name}"));
    full::<T, lapring::Ring<_>>(&mut group, value);
    full::<T, ArrayQueue<_>>(&mut group, value);
    full::<T, ConcurrentQueue<_>>(&mut group, value);
    full::<T, Naive<_>>(&mut group, value);
    group.finish();
}

fn force_push_full(c: &mut Criterion) {
    prove::<lapring::Ring<u64>>();
    prove::<ArrayQueue<u64>>();
    prove::<ConcurrentQueue<u64>>();
    prove::<Naive<u64>>();
    payload(c, "u64", 7_u64);
    payload::<Record>(c, "112-bytes", [7; 14]);
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .measurement_time(std::time::Duration::from_secs(2))
        .warm_up_time(std::time::Duration::from_millis(500));
    targets = force_push_full
}
criterion_main!(benches);
