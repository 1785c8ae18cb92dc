//! The Chrome timeline: exact text, pairing, lanes, remarks, loss.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::*;
use proptest::prelude::*;
use serde_json::Value;
use sys_trace::payload::{ExecTensorRead, Generic, ModelLoadStop, NrtExec};
use sys_trace::{Event, EventType, Payload, Phase, ShardCounts};
use sys_trace_export::{Capture, ChromeSummary, write_chrome};

use EventType::ExecuteApi;
use Phase::{Instant, Start, Stop};

fn text(capture: &Capture<'_>) -> (String, ChromeSummary) {
    let mut out = Vec::new();
    let summary = write_chrome(&mut out, capture).unwrap();
    (String::from_utf8(out).unwrap(), summary)
}

/// The slices and the summary of a capture that starts at 1,000 ns and stops at 2,000 ns.
fn drawn(events: &[Event]) -> (Vec<Value>, ChromeSummary) {
    let capture = Capture { start_ns: 1_000, stop_ns: 2_000, ..Capture::new(events, &[]) };
    let (text, summary) = text(&capture);
    (slices(&parse(text.as_bytes())), summary)
}

fn slices(json: &Value) -> Vec<Value> {
    let events = json["traceEvents"].as_array().unwrap();
    events.iter().filter(|event| event["ph"] != "M").cloned().collect()
}

#[test]
fn exact_text() {
    let mut start = event(ExecuteApi, Start, 1, 1_500, 9 << 50);
    start.payload = NrtExec { model_id: 7 }.into();
    start.nc_idx = 3;
    let mut stop = event(ExecuteApi, Stop, 2, 3_001_007, 9 << 50);
    stop.payload = NrtExec { model_id: 7 }.into();
    stop.nc_idx = 3;
    (stop.thread_id, stop.nc_local_id) = (41, 3);
    let mut instant = event(EventType::NumErr, Instant, 2, 2_000, 5);
    instant.nc_idx = 3;
    let names = BTreeMap::from([(7, "rs")]);
    let mut counts = ShardCounts::new(3);
    (counts.total.created, counts.total.drained, counts.total.displaced) = (1_003, 3, 1_000);
    counts.refused = 2;
    let (events, counts) = ([start, instant, stop], [counts]);
    let capture = Capture {
        names: &names,
        clock: "monotonic",
        start_ns: 1_000,
        stop_ns: 4_000_000,
        clock_error_ns: Some(12),
        start_epoch_ns: Some(1_700_000_000_000_000_000),
        stop_epoch_ns: Some(1_700_000_000_003_999_000),
        ..Capture::new(&events, &counts)
    };
    let expected = r#"{"displayTimeUnit":"ns","otherData":{"format":"sys-trace chrome","format_version":1,"clock":"monotonic","capture_start_ns":"1000","capture_stop_ns":"4000000","zero_ns":"1000","capture_start_epoch_ns":"1700000000000000000","capture_stop_epoch_ns":"1700000000003999000","clock_error_ns":"12","complete":false,"shards":[{"nc_idx":3,"created":1003,"drained":3,"displaced":1000,"discarded":0,"refused":2,"by_type":{}}]},
"traceEvents":[
{"ph":"M","pid":4,"name":"process_name","args":{"name":"core 3 (lost 1,000 of 1,003 events, refused 2)"}},
{"ph":"M","pid":4,"name":"process_sort_index","args":{"sort_index":3}},
{"ph":"X","pid":4,"tid":257,"ts":0.500,"dur":2999.507,"cat":"software","name":"nrt_execute rs","args":{"tracking_id":"0x24000000000000","thread_id":40,"nc_local_id":1,"model_id":7,"model_name":"rs","end_nc_local_id":3,"end_thread_id":41}},
{"ph":"M","pid":4,"tid":257,"name":"thread_name","args":{"name":"software 1"}},
{"ph":"M","pid":4,"tid":257,"name":"thread_sort_index","args":{"sort_index":257}},
{"ph":"i","pid":4,"tid":258,"ts":1.000,"s":"t","cat":"hardware","name":"numerical_err","args":{"tracking_id":"0x5","thread_id":40,"nc_local_id":2,"device_core_idx":0,"exec_id":0,"nc_timestamp_ns":0,"cpu_timestamp_ns":0}},
{"ph":"M","pid":4,"tid":258,"name":"thread_name","args":{"name":"hardware 1"}},
{"ph":"M","pid":4,"tid":258,"name":"thread_sort_index","args":{"sort_index":258}}
]}
"#;
    let (text, summary) = text(&capture);
    assert_eq!(text, expected);
    assert_eq!((summary.spans, summary.instants, summary.slices), (1, 1, 2));
    let shard = summary.shards[0];
    assert_eq!((shard.shard, shard.slices, shard.lanes, shard.lost), (3, 2, 2, 1_000));
}

#[test]
fn strict_parsers_accept_none_one_and_many_events() {
    for count in [0, 1, 2, if cfg!(miri) { 50 } else { 3_000 }] {
        let events: Vec<_> =
            (1..=count).map(|seq| event(ExecuteApi, Start, seq, 1_000 + seq, seq)).collect();
        let (slices, summary) = drawn(&events);
        assert_eq!((slices.len() as u64, summary.slices), (count, count));
        assert_eq!(summary.unfinished, count);
    }
}

#[test]
fn unfinished_and_overwritten_spans_say_so() {
    let lost = [
        event(ExecuteApi, Stop, 1, 1_100, 1),
        event(ExecuteApi, Start, 2, 1_200, 2),
        event(ExecuteApi, Instant, 3, 1_300, 1),
        event(ExecuteApi, Phase::Count, 4, 1_400, 1),
    ];
    let (slices, summary) = drawn(&lost);
    assert_eq!((summary.start_lost, summary.unfinished, summary.instants), (1, 1, 2));
    assert_eq!(slices[0]["args"]["start"], "not recorded");
    assert_eq!((&slices[0]["ts"], &slices[0]["dur"]), (&0.1.into(), &0.0.into()));
    assert_eq!(slices[1]["args"]["end"], "not recorded");
    assert_eq!((&slices[1]["ts"], &slices[1]["dur"]), (&0.2.into(), &0.8.into()));
    assert_eq!(slices[2]["args"].get("phase"), None);
    assert_eq!((&slices[3]["ph"], &slices[3]["args"]["phase"]), (&"i".into(), &"unknown".into()));

    let mut counts = ShardCounts::new(0);
    counts.total.displaced = 1;
    let counts = [counts];
    let json = parse(text(&Capture::new(&lost, &counts)).0.as_bytes());
    assert_eq!(args_of(&json, 0)["start"], "overwritten");
}

fn args_of(json: &Value, index: usize) -> Value {
    slices(json)[index]["args"].clone()
}

#[test]
fn a_stop_closes_the_latest_start_of_its_type_shard_and_tracking_id() {
    let mut far = event(ExecuteApi, Stop, 1, 1_900, 1);
    far.nc_idx = 1;
    let events = [
        event(ExecuteApi, Start, 1, 1_000, 1),
        event(ExecuteApi, Start, 2, 1_100, 1), // duplicate
        event(EventType::CcLoad, Stop, 3, 1_150, 1), // another type
        event(ExecuteApi, Stop, 4, 1_200, 1),
        event(ExecuteApi, Stop, 5, 1_300, 1),
        far, // another shard
    ];
    let (slices, summary) = drawn(&events);
    assert_eq!((summary.spans, summary.duplicate_starts, summary.start_lost), (2, 1, 2));
    assert_eq!((&slices[0]["dur"], &slices[1]["dur"]), (&0.3.into(), &0.1.into()));
    assert_eq!(slices[1]["args"]["duplicate_start"], true);
    assert_eq!(slices[0]["args"].get("duplicate_start"), None);
}

#[test]
fn a_clock_that_goes_back_tears_no_pair_apart() {
    // Merged by time, the stop comes first; by sequence it is second.
    let events = [event(ExecuteApi, Stop, 2, 1_400, 1), event(ExecuteApi, Start, 1, 1_500, 1)];
    let (slices, summary) = drawn(&events);
    assert_eq!((summary.spans, summary.backwards, summary.slices), (1, 1, 1));
    assert_eq!((&slices[0]["ts"], &slices[0]["dur"]), (&0.5.into(), &0.0.into()));
    assert_eq!(slices[0]["args"]["time"], "stop before start");
}

#[test]
fn times_before_the_capture_become_zero_and_huge_ones_are_exact() {
    let (slices, summary) =
        drawn(&[event(ExecuteApi, Start, 1, 900, 1), event(ExecuteApi, Stop, 2, 1_250, 1)]);
    assert_eq!((&slices[0]["ts"], &slices[0]["dur"]), (&0.0.into(), &0.25.into()));
    assert_eq!(slices[0]["args"]["time"], "before the capture");
    assert_eq!(summary.clamped, 1);

    let huge = [event(ExecuteApi, Instant, 1, u64::MAX, 1), event(ExecuteApi, Start, 2, 0, 1)];
    let capture = Capture { start_ns: 1, ..Capture::new(&huge, &[]) };
    let (out, summary) = text(&capture);
    // 2^62 ns, the last time there is.
    assert!(out.contains("\"ts\":4611686018427387.904,"), "{out}");
    assert!(out.contains("\"time\":\"beyond the range\""));
    assert_eq!(summary.clamped, 2);

    // 60 days after the start a double has lost the nanoseconds: zero is the earliest event.
    let days = 60 * 24 * 3_600 * 1_000_000_000_u64;
    let late = [event(ExecuteApi, Start, 1, days + 7, 1), event(ExecuteApi, Stop, 2, days + 9, 1)];
    let (out, summary) = text(&Capture { start_ns: 5, ..Capture::new(&late, &[]) });
    assert!(out.contains("\"ts\":0.000,\"dur\":0.002,"), "{out}");
    assert!(out.contains("\"capture_start_ns\":\"5\""));
    assert!(out.contains(&format!("\"zero_ns\":\"{}\"", days + 7)));
    assert_eq!(summary.clamped, 0);
}

#[test]
fn device_spans_stand_at_host_time() {
    let events = [
        device_start(1, 1_900, 5, 6, 100),
        device_stop(2, 1_950, 5, 350),
        sync_point(3, 1_960, 6, 100, 1_200),
        device_start(4, 1_970, 7, 8, 100),
    ];
    let (slices, _) = drawn(&events);
    let span = slices.iter().find(|slice| slice["args"]["tracking_id"] == "0x5").unwrap();
    assert_eq!((&span["ts"], &span["dur"]), (&0.2.into(), &0.25.into()));
    assert_eq!(span["args"]["nc_timestamp_ns"], 100);
    assert_eq!(span["args"]["end_nc_timestamp_ns"], 350);
    let alone = slices.iter().find(|slice| slice["args"]["tracking_id"] == "0x7").unwrap();
    assert_eq!((&alone["ts"], &alone["args"]["time"]), (&0.97.into(), &"no sync point".into()));
}

#[test]
fn names_of_slices() {
    let named = |event_type, phase, payload| {
        let mut event = event(event_type, phase, 1, 1_000, 1);
        event.payload = payload;
        event
    };
    let names = BTreeMap::from([(1, "\u{2028}モデル\n\u{1b}\"\\"), (2, "step")]);
    let mut unknown = event(ExecuteApi, Instant, 9, 1_000, 1);
    unknown.event_type_number = 77;
    let generic = |name| Payload::from(Generic { name, args: [1 << 53, (1 << 53) + 1, 0, 0] });
    let load_start = event(EventType::ModelLoad, Start, 1, 1_000, 1);
    let mut load_stop =
        named(EventType::ModelLoad, Stop, Payload::from(ModelLoadStop { model_id: 1 }));
    load_stop.nc_local_id = 2;
    for (events, expected) in [
        (
            vec![named(ExecuteApi, Instant, NrtExec { model_id: 1 }.into())],
            "nrt_execute \u{2028}モデル␊␛\"\\",
        ),
        (vec![named(ExecuteApi, Instant, NrtExec { model_id: 5 }.into())], "nrt_execute"),
        (vec![load_start, load_stop], "nrt_load \u{2028}モデル␊␛\"\\"),
        (vec![named(EventType::Generic, Instant, generic(2))], "step"),
        (vec![named(EventType::Generic, Start, generic(3))], "generic"),
        (vec![named(EventType::Generic, Instant, generic(0))], "generic"),
        (vec![unknown], "event type 77"),
    ] {
        let (text, _) = text(&Capture { names: &names, ..Capture::new(&events, &[]) });
        let slice = slices(&parse(text.as_bytes())).remove(0);
        assert_eq!(slice["name"], expected);
        assert!(!text.contains("\\u"), "escapes stay literal in viewers: {text}");
        if expected == "step" {
            let args = &slice["args"];
            assert_eq!((&args["arg0"], &args["arg3"]), (&(1_u64 << 53).into(), &0.into()));
            assert_eq!(args["arg1"], "9007199254740993");
        }
    }
}

#[test]
fn arguments_of_both_ends() {
    let mut start = event(EventType::TensorRead, Start, 1, 1_000, 1);
    start.payload = ExecTensorRead { tensor_id: u64::MAX, size: 5 }.into();
    let mut stop = event(EventType::TensorRead, Stop, 2, 1_001, 1);
    stop.payload = ExecTensorRead { tensor_id: u64::MAX, size: 6 }.into();
    let (slices, _) = drawn(&[start, stop]);
    let args = &slices[0]["args"];
    assert_eq!(args["tensor_id"], "18446744073709551615");
    assert_eq!(args.get("end_tensor_id"), None);
    assert_eq!((&args["size"], &args["end_size"]), (&5.into(), &6.into()));
}

#[test]
fn one_of_each_type_and_phase() {
    for bytes in [[0; 40], [255; 40]] {
        let events = one_of_each(Payload::from_bytes(bytes));
        let (slices, summary) = drawn(&events);
        assert_eq!((summary.spans, summary.instants), (46, 92));
        assert_eq!(slices.len(), 138);
        for slice in slices {
            assert!(["software", "hardware"].contains(&slice["cat"].as_str().unwrap()));
        }
    }
}

#[test]
fn loss_is_in_the_process_name_and_completeness_in_other_data() {
    let name_of = |counts: &[ShardCounts]| {
        let events = [event(ExecuteApi, Instant, 1, 1_000, 1)];
        let json = parse(text(&Capture::new(&events, counts)).0.as_bytes());
        let names: Vec<_> = json["traceEvents"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|event| event["name"] == "process_name")
            .map(|event| event["args"]["name"].as_str().unwrap().to_owned())
            .collect();
        (names.join(" + "), json["otherData"]["complete"].clone())
    };
    let mut counts = ShardCounts::new(0);
    counts.total.created = 1_234_567;
    assert_eq!(name_of(&[]), ("core 0".into(), Value::Null));
    assert_eq!(name_of(&[counts]), ("core 0".into(), true.into()));
    counts.total.displaced = 120;
    let lost = "core 0 (lost 120 of 1,234,567 events)";
    assert_eq!(name_of(&[counts]), (lost.into(), false.into()));
    // A shard of which nothing is left is shown all the same; an idle one is not.
    let mut gone = ShardCounts::new(5);
    (gone.total.created, gone.total.discarded) = (7, 7);
    let both = format!("{lost} + core 5 (lost 7 of 7 events)");
    assert_eq!(name_of(&[ShardCounts::new(2), gone, counts]), (both, false.into()));
}

/// The number behind `key` in ns, from the text: a double would round it.
fn ns(line: &str, key: &str) -> u64 {
    let Some(at) = line.find(key) else { return 0 };
    let number: String =
        line[at + key.len()..].chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let (whole, fraction) = number.split_once('.').expect("a decimal point");
    assert_eq!(fraction.len(), 3, "{line}");
    whole.parse::<u64>().unwrap() * 1_000 + fraction.parse::<u64>().unwrap()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_events_make_lanes_without_partial_overlap(
        mut events in prop::collection::vec(any_event(), 0..60),
        start_ns in prop_oneof![Just(0_u64), Just(1_050), any::<u64>()],
        stop_ns in prop_oneof![Just(0_u64), Just(1_150)],
    ) {
        events.sort_by_key(|event| (event.timestamp_ns, event.nc_idx, event.nc_local_id));
        let capture = Capture { start_ns, stop_ns, ..Capture::new(&events, &[]) };
        let (text, summary) = text(&capture);
        let json = parse(text.as_bytes());
        prop_assert_eq!(slices(&json).len() as u64, summary.slices);
        prop_assert_eq!(summary.slices + summary.spans, events.len() as u64);
        let shards: u64 = summary.shards.iter().map(|shard| shard.slices).sum();
        prop_assert_eq!(shards, summary.slices);

        let mut lanes: BTreeMap<u64, Vec<(u64, u64)>> = BTreeMap::new();
        let mut pids: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
        for line in text.lines().filter(|line| line.contains("\"ts\":")) {
            let value: Value = serde_json::from_str(line.trim_end_matches(',')).unwrap();
            let tid = value["tid"].as_u64().unwrap();
            prop_assert!(tid > 256 && tid < 1 << 31, "a viewer would merge or rename thread {}", tid);
            prop_assert!((1..i32::MAX as u64).contains(&tid));
            let begin = ns(line, "\"ts\":");
            let end = begin + ns(line, "\"dur\":");
            prop_assert!(end <= 1 << 62);
            for &(other_begin, other_end) in lanes.get(&tid).into_iter().flatten() {
                prop_assert!(other_begin <= begin);
                prop_assert!(other_end <= begin || end <= other_end, "tid {}: {}", tid, text);
            }
            lanes.entry(tid).or_default().push((begin, end));
            pids.entry(tid).or_default().insert(value["pid"].as_u64().unwrap());
        }
        prop_assert!(pids.values().all(|pids| pids.len() == 1), "a tid belongs to one process");
        let count: u64 = summary.shards.iter().map(|shard| shard.lanes).sum();
        prop_assert_eq!(count, lanes.len() as u64);
    }
}
