//! How long an emit takes while somebody drains a full ring of a million events.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sys_trace::{Event, Payload, Phase};

use super::subjects::{Composed, DEFAULT, Ours, Recorder};
use crate::case::{Case, Figure, Target};
use crate::histogram::Histogram;
use crate::measure::{Plan, Sample};
use crate::stand::Runner;
use crate::team::{LINE, Worker, team};

type Sampler = Box<dyn FnMut(&Plan) -> Sample>;

/// Either of the two threads.
enum Part<R> {
    Emitter { recorder: Arc<R>, latency: Histogram },
    Drainer { recorder: Arc<R>, buffer: Vec<Event>, drained: u64 },
    Idler,
}

/// What a part leaves.
enum Left {
    Latency(Histogram),
    Drained(u64),
    Nothing,
}

impl<R: Recorder> Worker for Part<R> {
    type Left = Left;

    fn step(&mut self) -> u64 {
        match self {
            Part::Emitter { recorder, latency } => {
                let start = Instant::now();
                black_box(recorder.emit(0, Phase::Instant, Payload::ZERO, 0));
                latency.add(start.elapsed().as_nanos() as u64);
            }
            Part::Drainer { recorder, buffer, drained } => {
                *drained += recorder.drain(0, buffer) as u64;
            }
            Part::Idler => std::hint::spin_loop(),
        }
        0
    }

    fn finish(self) -> Left {
        match self {
            Part::Emitter { latency, .. } => Left::Latency(latency),
            Part::Drainer { drained, .. } => Left::Drained(drained),
            Part::Idler => Left::Nothing,
        }
    }
}

/// The default ring.
const EVENTS: usize = 1 << 20;

fn sampler<R: Recorder>(recorder: Arc<R>, drains: bool) -> Sampler {
    Box::new(move |_| {
        for _ in 0..EVENTS {
            recorder.emit(0, Phase::Instant, Payload::ZERO, 0);
        }
        let other = if drains {
            let (recorder, buffer) = (Arc::clone(&recorder), vec![Event::ZERO; 64]);
            Part::Drainer { recorder, buffer, drained: 0 }
        } else {
            Part::Idler
        };
        let emitter =
            Part::Emitter { recorder: Arc::clone(&recorder), latency: Histogram::default() };
        // Short, so that the ring does not run empty.
        let run = team(Duration::from_millis(20), vec![emitter, other]);
        let mut sample = run.sample;
        sample.ns = run.ns_each[0];
        sample.extra.retain(|(unit, _)| *unit == LINE);
        for left in run.results {
            match left {
                Left::Latency(latency) => {
                    sample.extra.push(("p99.9-ns", latency.percentile(0.999) as f64));
                    sample.extra.push(("p50-ns", latency.percentile(0.5) as f64));
                }
                Left::Drained(count) => {
                    assert!(count > 0, "the drain got nothing");
                    if count >= EVENTS as u64 {
                        sample.reject = Some("the ring ran empty");
                    }
                }
                Left::Nothing => {}
            }
        }
        sample
    })
}

/// Runs the case. Both clock readings around an emit are part of its latency, drained or not.
pub fn run(runner: &mut Runner) {
    let ours = Arc::new(Ours::<DEFAULT>::start(EVENTS));
    let reference = Arc::new(Composed::<true>::start(EVENTS));
    let case = Case::new("emit-under-drain")
        .ours("drained", sampler(Arc::clone(&ours), true))
        .rival("quiet", sampler(ours, false))
        .rival("reference-drained", sampler(Arc::clone(&reference), true))
        .rival("reference-quiet", sampler(reference, false));
    let figure = |target| Figure::ratio(target).unit("p99.9-ns").of("drained");
    runner.run(
        case.figure(figure(Target::AtMost(3.0)).against(&["quiet"]).named(".p999-vs-quiet"))
            .figure(
                figure(Target::None).against(&["reference-drained"]).named(".p999-vs-reference"),
            ),
    );
}
