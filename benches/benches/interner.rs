//! Ids at run time, and hits by the length of the name.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use sipintern::{Interner, Symbol};

fn ids(c: &mut Criterion) {
    let mut group = c.benchmark_group("symbol_of");
    for length in [0, 8, 16, 32, 64, 256] {
        let name = "n".repeat(length);
        group.bench_with_input(BenchmarkId::from_parameter(length), &name, |b, name| {
            b.iter(|| Symbol::of(black_box(name)));
        });
    }
    group.finish();
}

fn hits(c: &mut Criterion) {
    for length in [16_usize, 64] {
        let mut group = c.benchmark_group(format!("known_name/{length}"));
        let names: Vec<String> = (0..1000).map(|n| format!("{n:0length$}")).collect();
        let table = Interner::new();
        let mut rival = lasso::Rodeo::default();
        for name in &names {
            table.intern(name);
            rival.get_or_intern(name);
        }
        let mut order = names.iter().cycle();
        let mut next = || order.next().expect("a cycle");
        group.bench_function("intern", |b| b.iter(|| table.intern(black_box(next()))));
        group.bench_function("lookup", |b| b.iter(|| table.lookup(black_box(next()))));
        group.bench_function("lasso", |b| b.iter(|| rival.get_or_intern(black_box(next()))));
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .measurement_time(std::time::Duration::from_secs(2))
        .warm_up_time(std::time::Duration::from_millis(500));
    targets = ids, hits
}
criterion_main!(benches);
