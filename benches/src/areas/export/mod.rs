//! Writers of files, on a generated capture. No target: tabled.

mod naive;

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;
use sys_trace::payload::{ExecCore, ExecTensorRead, NrtExec};
use sys_trace::{Event, EventType, Payload, Phase};
use sys_trace_export::{Capture, JsonOptions, write_chrome, write_json};

use crate::case::{Case, Figure, Target};
use crate::measure::{Plan, Sample, once, random};
use crate::stand::Runner;

/// A capture and what gives it meaning.
struct Generated {
    events: Vec<Event>,
    names: HashMap<u64, String>,
}

fn worker_gid(shard: u32) -> i32 {
    shard as i32 / 2
}

impl Generated {
    /// Spans of three types, nested by two, on four shards, as a runtime would leave them.
    fn new(spans: usize) -> Self {
        let names = (1..=16).map(|n| (n * 1000, format!("model-{n}"))).collect();
        let mut events = Vec::with_capacity(4 * spans);
        let mut sequence = [0_u64; 4];
        let mut now = 1_700_000_000_000_000_000;
        let mut emit = |shard: u32, event_type, phase, payload, tracking: Option<u64>| {
            now += 50 + random() % 400;
            let count = &mut sequence[shard as usize];
            *count += 1;
            let mut event = Event::new(event_type, phase);
            event.id = *count | u64::from(shard) << 50;
            event.tracking_id = tracking.unwrap_or(event.id);
            event.nc_local_id = *count;
            event.nc_idx = shard;
            event.thread_id = 4000 + u64::from(shard);
            event.timestamp_ns = now;
            event.payload = payload;
            events.push(event);
            event.tracking_id
        };
        for n in 0..spans as u64 {
            let shard = (random() % 4) as u32;
            let model_id = (1 + random() % 16) * 1000;
            let outer = Payload::from(NrtExec { model_id });
            let (inner_type, inner) = if n % 2 == 0 {
                (EventType::ExecCore, Payload::from(ExecCore { exec_id: n, model_id }))
            } else {
                let read = ExecTensorRead { tensor_id: n, size: random() % (1 << 24) };
                (EventType::TensorRead, Payload::from(read))
            };
            let execute = emit(shard, EventType::ExecuteApi, Phase::Start, outer, None);
            let core = emit(shard, inner_type, Phase::Start, inner, None);
            emit(shard, inner_type, Phase::Stop, inner, Some(core));
            emit(shard, EventType::ExecuteApi, Phase::Stop, outer, Some(execute));
        }
        Self { events, names }
    }

    fn capture(&self) -> Capture<'_> {
        Capture {
            names: &self.names,
            worker_gid: &worker_gid,
            clock: "generated",
            ..Capture::new(&self.events, &[])
        }
    }

    fn ours_json(&self, out: &mut Vec<u8>) {
        write_json(out, &self.capture(), &JsonOptions::default()).expect("memory takes all");
    }

    fn naive_json(&self, out: &mut Vec<u8>) {
        naive::json(out, &self.events, &self.names, worker_gid).expect("memory takes all");
    }

    fn ours_chrome(&self, out: &mut Vec<u8>) {
        write_chrome(out, &self.capture()).expect("memory takes all");
    }

    fn naive_chrome(&self, out: &mut Vec<u8>) {
        naive::chrome(out, &self.events, &self.names).expect("memory takes all");
    }
}

type Write = fn(&Generated, &mut Vec<u8>);

fn parse(write: Write, generated: &Generated) -> Value {
    let mut out = Vec::new();
    write(generated, &mut out);
    serde_json::from_slice(&out).expect("valid JSON")
}

/// Start, length and name of every span, sorted.
fn spans(trace: &Value) -> Vec<(i64, i64, String)> {
    let events = trace["traceEvents"].as_array().expect("a list");
    let nanos = |value: &Value| (value.as_f64().expect("a number") * 1000.0).round() as i64;
    let mut spans: Vec<_> = { events.iter() }
        .filter(|event| event["ph"] == "X")
        .map(|it| (nanos(&it["ts"]), nanos(&it["dur"]), it["name"].to_string()))
        .collect();
    spans.sort();
    spans
}

/// Proves that the read-outs hold equal events and the timelines spans of equal times.
fn prove() {
    let generated = Generated::new(500);
    let ours = parse(Generated::ours_json, &generated);
    let naive = parse(Generated::naive_json, &generated);
    assert_eq!(ours["events"].as_array().expect("a list").len(), generated.events.len());
    assert_eq!(ours, naive, "read-outs differ");
    let times = |write: Write| -> Vec<(i64, i64)> {
        spans(&parse(write, &generated)).into_iter().map(|(ts, dur, _)| (ts, dur)).collect()
    };
    let ours = times(Generated::ours_chrome);
    assert_eq!(ours.len(), 1000, "a span is missing");
    assert_eq!(ours, times(Generated::naive_chrome), "timelines differ");
}

fn writer(generated: &Arc<Generated>, write: Write) -> impl FnMut(&Plan) -> Sample + use<> {
    let generated = Arc::clone(generated);
    let mut out = Vec::new();
    move |_| {
        out.clear();
        let mut sample = once(generated.events.len(), || write(&generated, &mut out));
        let seconds = sample.ns * generated.events.len() as f64 / 1e9;
        sample.extra.push(("M-events/s", 1e3 / sample.ns));
        sample.extra.push(("MB/s", out.len() as f64 / 1e6 / seconds));
        sample
    }
}

/// Runs all cases.
pub fn run(runner: &mut Runner, quick: bool) {
    prove();
    let generated = Arc::new(Generated::new(if quick { 10_000 } else { 50_000 }));
    let kinds: [(&str, Write, Write); 2] = [
        ("json", Generated::ours_json, Generated::naive_json),
        ("chrome", Generated::ours_chrome, Generated::naive_chrome),
    ];
    for (name, ours, naive) in kinds {
        let case = Case::new(name)
            .ours("sys-trace-export", writer(&generated, ours))
            .rival("serde_json-structs", writer(&generated, naive));
        runner.run(case.figure(Figure::ratio(Target::None)));
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn all_contenders_are_right() {
        super::prove();
    }
}
