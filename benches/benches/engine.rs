//! Emits on one thread: closed gate, each clock, a span, and the reference composition.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use sys_trace::{Clock, Config, Engine, EventType, Payload, Phase};
use sys_trace_benches::reference::{self, Reference};

const EVENTS: usize = 4096;
const TYPE: EventType = EventType::ExecuteApi;

fn emits(c: &mut Criterion) {
    let mut group = c.benchmark_group("emit");
    let idle: Box<Engine<1>> = Box::default();
    group.bench_function("gate-off", |b| {
        b.iter(|| idle.emit(black_box(0), TYPE, Phase::Instant, Payload::ZERO));
    });
    for clock in [Clock::default(), Clock::Realtime, Clock::Custom(|| 0)] {
        let engine: Box<Engine<1>> = Box::default();
        engine.start(&Config::new().events_per_shard(EVENTS as u64).clock(clock)).unwrap();
        (0..2 * EVENTS).for_each(|_| _ = engine.emit(0, TYPE, Phase::Instant, Payload::ZERO));
        group.bench_function(clock.name(), |b| {
            b.iter(|| engine.emit(black_box(0), TYPE, Phase::Instant, black_box(Payload::ZERO)));
        });
    }
    for (name, now) in [
        ("reference", reference::wall_clock as reference::Now),
        ("reference-no-clock", reference::no_clock),
    ] {
        let engine = Reference::start(1, EVENTS, now);
        (0..2 * EVENTS).for_each(|_| _ = engine.emit(0, TYPE, Phase::Instant, Payload::ZERO, 0));
        group.bench_function(name, |b| {
            b.iter(|| engine.emit(black_box(0), TYPE, Phase::Instant, black_box(Payload::ZERO), 0));
        });
    }
    group.finish();
}

fn spans(c: &mut Criterion) {
    let engine: Box<Engine<1>> = Box::default();
    engine.start(&Config::new().events_per_shard(EVENTS as u64)).unwrap();
    c.bench_function("span", |b| {
        b.iter(|| drop(engine.span(black_box(0), TYPE, black_box(Payload::ZERO))));
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .measurement_time(std::time::Duration::from_secs(2))
        .warm_up_time(std::time::Duration::from_millis(500));
    targets = emits, spans
}
criterion_main!(benches);
