//! The engine: closed gate, emits, span pairs, two threads, drains.

mod pairs;
mod spans;
mod subjects;
mod under_drain;

use std::hint::black_box;
use std::sync::Arc;

use sys_trace::{Engine, Event, Payload, Phase};

use crate::case::{Case, Figure, Kind, Target};
use crate::measure::{Plan, Sample, once, solo};
use crate::stand::Runner;
use crate::team::team;
use spans::tracing_ring;
use subjects::{Composed, DEFAULT, NONE, Naive, Ours, REALTIME, Recorder, TYPE, prove};

type Sampler = Box<dyn FnMut(&Plan) -> Sample>;

/// Runs all cases.
pub fn run(runner: &mut Runner, _quick: bool) {
    prove_all();

    gate_off(runner);
    for events in [4096, 131_072] {
        emit(runner, events);
    }
    one_shard(runner);
    two_shards(runner);
    drain(runner);
    under_drain::run(runner);
    // Last: the threads of some rivals of spans live on, which teams of two would notice.
    pairs::run(runner);
}

/// Those of rivals of spans stand with the spans.
fn prove_all() {
    prove::<Ours<DEFAULT>>("sys-trace");
    prove::<Ours<REALTIME>>("sys-trace, realtime");
    prove::<Ours<NONE>>("sys-trace, no clock");
    prove::<Composed<true>>("reference");
    prove::<Composed<false>>("reference, no clock");
    prove::<Naive>("mutex-vecdeque");
    tracing_ring::install(4096);
    tracing_ring::prove();
    Ours::<DEFAULT>::prove_pairs();
    Ours::<NONE>::prove_pairs();
}

/// A payload that the optimiser knows nothing of.
fn payload() -> Payload {
    black_box(Payload::from_bytes([7; Payload::SIZE]))
}

fn gate_off(runner: &mut Runner) {
    static IDLE: Engine = Engine::new();
    assert_eq!(IDLE.emit(0, TYPE, Phase::Instant, payload()), None);
    let case = Case::new("gate-off")
        .ours("sys-trace", |plan| {
            solo(plan.solo, 1024, || {
                black_box(IDLE.emit(black_box(3), TYPE, Phase::Instant, Payload::ZERO));
            })
        })
        .rival("tracing-disabled", |plan| {
            solo(plan.solo, 1024, || tracing_ring::disabled(black_box(3)))
        })
        .rival("empty-loop", |plan| solo(plan.solo, 1024, || _ = black_box(black_box(3))));
    let over_empty = Figure::ratio(Target::AtMost(1.0)).kind(Kind::Excess);
    runner.run(case.figure(over_empty.named(".over-empty-loop").against(&["empty-loop"])).figure(
        Figure::ratio(Target::AtMost(1.3)).against(&["tracing-disabled"]).named(".vs-tracing"),
    ));
}

/// Emits on one thread into a ring that is full.
fn emit_solo<R: Recorder>(events: usize) -> Sampler {
    let recorder = full::<R>(events);
    Box::new(move |plan| {
        solo(plan.solo, 128, || {
            black_box(recorder.emit(black_box(0), Phase::Instant, payload(), 0));
        })
    })
}

/// A recorder whose rings are full.
fn full<R: Recorder>(events: usize) -> Arc<R> {
    let recorder = R::start(events);
    for n in 0..4 * events as u32 {
        recorder.emit(n % 2, Phase::Instant, Payload::ZERO, 0);
    }
    Arc::new(recorder)
}

fn emit(runner: &mut Runner, events: usize) {
    let case = Case::new(format!("emit.{events}.1t"))
        .ours("default-clock", emit_solo::<Ours<DEFAULT>>(events))
        .ours("realtime", emit_solo::<Ours<REALTIME>>(events))
        .ours("no-clock", emit_solo::<Ours<NONE>>(events))
        .rival("reference", emit_solo::<Composed<true>>(events))
        .rival("reference-no-clock", emit_solo::<Composed<false>>(events))
        .rival("mutex-vecdeque", emit_solo::<Naive>(events));
    runner.run(three_clocks(case, [Some(0.40), Some(0.80), Some(0.45)]));
}

/// Each clock of ours against the reference with the like.
fn three_clocks(case: Case, limits: [Option<f64>; 3]) -> Case {
    let target = |limit: Option<f64>| limit.map_or(Target::None, Target::AtMost);
    let figure = |limit| Figure::ratio(target(limit));
    case.figure(
        figure(limits[0]).of("default-clock").against(&["reference"]).named(".default-clock"),
    )
    .figure(figure(limits[1]).of("realtime").against(&["reference"]).named(".realtime"))
    .figure(figure(limits[2]).of("no-clock").against(&["reference-no-clock"]).named(".no-clock"))
}

/// Two threads that emit, on the shards named.
fn emit_team<R: Recorder>(shards: [u32; 2]) -> Sampler {
    let recorder = full::<R>(4096);
    Box::new(move |plan| {
        let worker = |shard| {
            let recorder = Arc::clone(&recorder);
            move || {
                black_box(recorder.emit(black_box(shard), Phase::Instant, payload(), 0));
            }
        };
        team(plan.team, shards.map(worker).into()).sample
    })
}

fn teams(name: &str, shards: [u32; 2]) -> Case {
    Case::new(name)
        .ours("default-clock", emit_team::<Ours<DEFAULT>>(shards))
        .ours("realtime", emit_team::<Ours<REALTIME>>(shards))
        .ours("no-clock", emit_team::<Ours<NONE>>(shards))
        .rival("reference", emit_team::<Composed<true>>(shards))
        .rival("reference-no-clock", emit_team::<Composed<false>>(shards))
}

fn one_shard(runner: &mut Runner) {
    let case = teams("emit.2t-1-shard", [0, 0]).rival("mutex-vecdeque", emit_team::<Naive>([0, 0]));
    runner.run(
        three_clocks(case, [Some(0.15), None, Some(0.12)]).figure(
            Figure::ratio(Target::None)
                .of("default-clock")
                .kind(Kind::Own)
                .unit("slower-share")
                .named(".fair"),
        ),
    );
}

fn two_shards(runner: &mut Runner) {
    // 1.9 times the throughput is 1/1.9 of the time per event.
    let twice = |target| Figure::ratio(Target::AtMost(target)).of("default-clock");
    let case = teams("emit.2t-2-shards", [0, 1])
        .rival("default-clock-1-thread", emit_solo::<Ours<DEFAULT>>(4096))
        .figure(twice(0.526).against(&["default-clock-1-thread"]).named(".vs-1-thread"));
    runner.run(three_clocks(case, [Some(0.50), None, None]));
}

fn drain_solo<R: Recorder>() -> Sampler {
    const EVENTS: usize = 131_072;
    let recorder = R::start(EVENTS);
    let mut buffer = vec![Event::ZERO; 1024];
    Box::new(move |_| {
        for _ in 0..EVENTS {
            recorder.emit(0, Phase::Instant, Payload::ZERO, 0);
        }
        let mut drained = 0;
        let mut sample = once(EVENTS, || {
            loop {
                match recorder.drain(0, &mut buffer) {
                    0 => break,
                    count => drained += count,
                }
            }
        });
        assert_eq!(drained, EVENTS, "a drain lost events");
        sample.extra.push(("M-events/s", 1e3 / sample.ns));
        sample
    })
}

fn drain(runner: &mut Runner) {
    let case = Case::new("drain")
        .ours("sys-trace", drain_solo::<Ours<NONE>>())
        .rival("reference", drain_solo::<Composed<false>>())
        .rival("mutex-vecdeque", drain_solo::<Naive>());
    let rate = Figure::ratio(Target::AtLeast(10.0)).kind(Kind::Own).unit("M-events/s");
    runner.run(case.figure(rate.named(".rate")).figure(Figure::ratio(Target::None)));
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_recorder_gives_the_right_answer() {
        super::prove_all();
    }
}
