//! Uncontended locks: read and unlock, try-read and unlock, write and unlock.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};

macro_rules! bench {
    ($criterion:ident, $group:literal, $method:ident) => {
        let mut group = $criterion.benchmark_group($group);
        let ours = parkspin::RwLock::new(7_u64);
        group.bench_function("parkspin", |b| b.iter(|| drop(black_box(&ours).$method())));
        let std = std::sync::RwLock::new(7_u64);
        group.bench_function("std", |b| b.iter(|| drop(black_box(&std).$method())));
        let parking_lot = parking_lot::RwLock::new(7_u64);
        group.bench_function("parking_lot", |b| b.iter(|| drop(black_box(&parking_lot).$method())));
        let spin = spin::RwLock::<u64>::new(7);
        group.bench_function("spin", |b| b.iter(|| drop(black_box(&spin).$method())));
        group.finish();
    };
}

fn uncontended(c: &mut Criterion) {
    bench!(c, "read", read);
    bench!(c, "try_read", try_read);
    bench!(c, "write", write);
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .measurement_time(std::time::Duration::from_secs(2))
        .warm_up_time(std::time::Duration::from_millis(500));
    targets = uncontended
}
criterion_main!(benches);
