//! Pairs of a start and a stop: spans of ours against what users would pick instead.

use std::hint::black_box;

use sys_trace::Phase;

use super::spans::{fastrace, lttng, puffin, tracing_ring, tracy};
use super::subjects::{Composed, DEFAULT, NONE, Naive, Ours, Recorder};
use super::{Sampler, full, payload};
use crate::case::{Case, Figure, Target};
use crate::measure::solo;
use crate::stand::Runner;

/// Rings of so many events, full before it begins.
const EVENTS: usize = 4096;

/// A span of ours.
fn span<const CLOCK: u8>() -> Sampler {
    let recorder = full::<Ours<CLOCK>>(EVENTS);
    Box::new(move |plan| solo(plan.solo, 128, || recorder.pair(black_box(0), payload())))
}

/// Two events.
fn two_emits<R: Recorder>() -> Sampler {
    let recorder = full::<R>(EVENTS);
    Box::new(move |plan| {
        solo(plan.solo, 128, || {
            let start = recorder.emit(black_box(0), Phase::Start, payload(), 0);
            recorder.emit(black_box(0), Phase::Stop, payload(), start);
        })
    })
}

/// Runs the case. A rival that cannot run here is left out; the record says why.
pub fn run(runner: &mut Runner) {
    fastrace::install();
    fastrace::prove();
    puffin::install();
    puffin::prove();
    let against = |rival, suffix| {
        Figure::ratio(Target::None).of("default-clock").against(&[rival]).named(suffix)
    };
    let mut case = Case::new("span-pair")
        .ours("default-clock", span::<DEFAULT>())
        .ours("no-clock", span::<NONE>())
        .rival("reference", two_emits::<Composed<true>>())
        .rival("reference-no-clock", two_emits::<Composed<false>>())
        .rival("mutex-vecdeque", two_emits::<Naive>())
        .rival("tracing-ring-layer", |plan| {
            solo(plan.solo, 128, || tracing_ring::span(black_box(3)))
        })
        .rival("fastrace", fastrace::sample)
        .rival("puffin", puffin::sample)
        .figure(against("reference", ".vs-reference"))
        .figure(
            Figure::ratio(Target::None)
                .of("no-clock")
                .against(&["reference-no-clock"])
                .named(".no-clock"),
        )
        .figure(against("tracing-ring-layer", ".vs-tracing"))
        .figure(against("fastrace", ".vs-fastrace"))
        .figure(against("puffin", ".vs-puffin"));
    let mut picks = vec!["tracing-ring-layer", "fastrace", "puffin"];
    match tracy::install() {
        Ok(()) => {
            tracy::prove();
            picks.push("tracy");
            case = case.rival("tracy", tracy::sample).figure(against("tracy", ".vs-tracy"));
        }
        Err(why) => runner.leave_out("tracy", &why),
    }
    match lttng::Session::start() {
        Ok(mut session) => {
            session.prove();
            picks.push("lttng-ust");
            case = case
                .rival("lttng-ust", move |plan| session.sample(plan))
                .figure(against("lttng-ust", ".vs-lttng"));
        }
        Err(why) => runner.leave_out("lttng-ust", &why),
    }
    // The best of what users would pick.
    let best = Figure::ratio(Target::None).of("default-clock").against(&picks);
    runner.run(case.figure(best.named(".vs-best")));
}
