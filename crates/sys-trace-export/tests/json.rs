//! The JSON read-out: exact text, strictness, device times, loss.

mod common;

use std::collections::BTreeMap;
use std::io::{self, Write};

use common::*;
use proptest::prelude::*;
use serde_json::Value;
use sys_trace::payload::{
    CcExecStart, CcExecStop, DmaMemAllocStart, DmaMemAllocStop, DmaMemDeallocStart, DmemBufCopyin,
    EncBarrier, ExecPre, ModelLoadStop, NcExecStart, NrtExec,
};
use sys_trace::{Event, EventType, Payload, Phase, ShardCounts, SyncInfo};
use sys_trace_export::{Capture, JsonOptions, JsonWriter, Names, NoNames, Summary, write_json};

fn text(capture: &Capture<'_>, options: &JsonOptions<'_>) -> (String, Summary) {
    let mut out = Vec::new();
    let summary = write_json(&mut out, capture, options).unwrap();
    (String::from_utf8(out).unwrap(), summary)
}

fn parsed(events: &[Event], options: &JsonOptions<'_>) -> Value {
    parse(text(&Capture::new(events, &[]), options).0.as_bytes())
}

#[test]
fn exact_text() {
    let mut start = event(EventType::ExecuteApi, Phase::Start, 1, 1_700_000_000_000_000_001, 9);
    start.id = 3 << 50 | 1;
    start.nc_idx = 3;
    start.payload = NrtExec { model_id: 77 }.into();
    let mut instant = event(EventType::EncBarrier, Phase::Instant, 2, 5, 2);
    instant.payload = EncBarrier { peer_id: -4, exec_id: 6, nec_dev_id: -1 }.into();
    (instant.has_nrta_seq_id, instant.nrta_seq_id) = (true, u64::MAX);
    let names = BTreeMap::from([(77, "res\"net\n")]);
    let events = [start, instant];
    let capture = Capture {
        names: &names,
        worker_gid: &|shard| if shard == 3 { 12 } else { -1 },
        ..Capture::new(&events, &[])
    };
    let expected = concat!(
        r#"{"events":[{"event_type":"nrt_execute","phase":"start","id":3377699720527873,"#,
        r#""nc_idx":3,"nc_local_id":1,"tracking_id":9,"thread_id":40,"worker_gid":12,"#,
        r#""data":{"model_id":77,"model_name":"res\"net\n"},"timestamp_ns":1700000000000000001},"#,
        r#"{"event_type":"enc_barrier","phase":"instant","id":2,"nc_idx":0,"nc_local_id":2,"#,
        r#""tracking_id":2,"thread_id":40,"worker_gid":-1,"#,
        r#""data":{"peer_id":-4,"exec_id":6,"nec_dev_id":-1},"timestamp_ns":5,"#,
        r#""nrta_seq_id":18446744073709551615}],"data_version":2}"#,
    );
    assert_eq!(text(&capture, &JsonOptions::default()).0, expected);
    let options = JsonOptions { ids_as_strings: true, ..JsonOptions::default() };
    let expected = concat!(
        r#"{"events":[{"event_type":"nrt_execute","phase":"start","id":"3377699720527873","#,
        r#""nc_idx":3,"nc_local_id":"1","tracking_id":"9","thread_id":"40","worker_gid":12,"#,
        r#""data":{"model_id":"77","model_name":"res\"net\n"},"#,
        r#""timestamp_ns":"1700000000000000001"},"#,
        r#"{"event_type":"enc_barrier","phase":"instant","id":"2","nc_idx":0,"nc_local_id":"2","#,
        r#""tracking_id":"2","thread_id":"40","worker_gid":-1,"#,
        r#""data":{"peer_id":-4,"exec_id":"6","nec_dev_id":-1},"timestamp_ns":"5","#,
        r#""nrta_seq_id":"18446744073709551615"}],"data_version":2}"#,
    );
    assert_eq!(text(&capture, &options).0, expected);
}

#[test]
fn strict_parsers_accept_none_one_and_many_events() {
    for count in [0, 1, 2, if cfg!(miri) { 50 } else { 5_000 }] {
        let events: Vec<_> = (0..count)
            .map(|seq| event(EventType::TensorRead, Phase::Start, seq, 1_000 + seq, seq))
            .collect();
        let json = parsed(&events, &JsonOptions::default());
        assert_eq!(json["events"].as_array().unwrap().len() as u64, count);
        assert_eq!(json["data_version"], 2);
        assert_eq!(json.as_object().unwrap().len(), 2);
    }
}

#[test]
fn every_key_has_one_type_in_all_types_and_phases() {
    let tables: [&dyn Names; 2] = [&["zero"], &NoNames];
    for bytes in [[0; 40], [255; 40]] {
        for table in [None, Some(tables[0]), Some(tables[1])] {
            for ids_as_strings in [false, true] {
                let (algorithms, usage_types, mem_types) = (table, table, table);
                let options = JsonOptions { ids_as_strings, algorithms, usage_types, mem_types };
                let events = one_of_each(Payload::from_bytes(bytes));
                let json = parsed(&events, &options);
                let mut types = BTreeMap::new();
                for (event, json) in events.iter().zip(json["events"].as_array().unwrap()) {
                    let data = json["data"].as_object().unwrap();
                    let has_data = event.event_type().unwrap().payload(event.phase()).is_some();
                    assert_eq!(has_data, !data.is_empty());
                    for (key, value) in json.as_object().unwrap().iter().chain(data) {
                        let before = types.insert(key.clone(), json_type(value));
                        assert!(before.is_none_or(|ty| ty == json_type(value)), "{key}: {value}");
                    }
                }
                assert_eq!(types["exec_id"], if ids_as_strings { "string" } else { "number" });
                assert_eq!(types["physical_address"], "string");
                assert_eq!(types["usage_type"], if table.is_some() { "string" } else { "number" });
                assert_eq!(types.contains_key("algorithm"), table.is_some());
                assert_eq!(types.contains_key("algo"), table.is_none());
                assert!(!types.contains_key("sync_info"));
            }
        }
    }
}

#[test]
fn fields_with_rules_of_their_own() {
    let of = |event_type, phase, payload| {
        let mut event = event(event_type, phase, 1, 1, 1);
        event.payload = payload;
        event
    };
    let sync_info = SyncInfo { nc_timestamp_ns: 0, cpu_timestamp_ns: 5 };
    let copyin = DmemBufCopyin { mem_type: 1, ..Default::default() };
    let alloc = DmaMemAllocStart { usage_type: 9, is_aligned: true, ..Default::default() };
    let address = DmaMemAllocStop { physical_address: 0xAB0, ..Default::default() };
    let dealloc = DmaMemDeallocStart { physical_address: u64::MAX, ..Default::default() };
    let events = [
        of(
            EventType::CcExec,
            Phase::Start,
            CcExecStart { algo: 1, sync_info, ..Default::default() }.into(),
        ),
        of(EventType::DmemBufCopyin, Phase::Stop, copyin.into()),
        of(EventType::DmaMemAlloc, Phase::Start, alloc.into()),
        of(EventType::DmaMemAlloc, Phase::Stop, address.into()),
        of(EventType::DmaMemDealloc, Phase::Instant, dealloc.into()),
        of(EventType::ModelLoad, Phase::Start, ModelLoadStop { model_id: 4 }.into()),
        of(EventType::ModelLoad, Phase::Count, ModelLoadStop { model_id: 4 }.into()),
        sync_point(2, 77, 6, 10, 20),
    ];
    let json = parsed(&events, &JsonOptions::default());
    let data = |index: usize| &json["events"][index]["data"];
    assert_eq!(data(0)["algo"], 1);
    assert_eq!(data(0)["nc_timestamp_ns"], 0);
    assert_eq!(data(0).get("cpu_timestamp_ns"), None);
    assert_eq!(data(1)["mem_type"], 1);
    assert_eq!((&data(2)["usage_type"], &data(2)["is_aligned"]), (&9.into(), &true.into()));
    assert_eq!(data(3)["physical_address"], "0xab0");
    assert_eq!(data(4)["physical_address"], "0xffffffffffffffff");
    assert_eq!(data(5), &serde_json::json!({}));
    assert_eq!(data(6), &serde_json::json!({}));
    assert_eq!(json["events"][6]["phase"], "unknown");
    let both = serde_json::json!({"exec_id": 6, "nc_timestamp_ns": 10, "cpu_timestamp_ns": 20});
    assert_eq!(data(7), &both);
    assert_eq!(json["events"][7]["timestamp_ns"], 77);

    let options = JsonOptions {
        algorithms: Some(&["ring", "mesh"]),
        usage_types: Some(&["scratch"]),
        mem_types: Some(&["host", "device"]),
        ..JsonOptions::default()
    };
    let json = parsed(&events, &options);
    let data = |index: usize| &json["events"][index]["data"];
    assert_eq!(data(0)["algorithm"], "mesh");
    assert_eq!(data(0).get("algo"), None);
    assert_eq!(data(1)["mem_type"], "device");
    assert_eq!(data(2)["usage_type"], "9");
}

#[test]
fn device_times_move_to_host_time() {
    let mut other_shard = device_start(9, 40, 5, 6, 1_500);
    other_shard.nc_idx = 1;
    let mut barrier = event(EventType::CcExec, Phase::Stop, 6, 37, 8);
    let sync_info = SyncInfo { nc_timestamp_ns: 900, cpu_timestamp_ns: 0 };
    barrier.payload = CcExecStop { sync_info }.into();
    let mut zero = device_start(10, 50, 9, 6, 0);
    zero.payload =
        NcExecStart { device_core_idx: 0, exec_id: 6, sync_info: SyncInfo::default() }.into();
    let events = [
        device_start(1, 31, 5, 6, 1_500), // moved by a sync point that comes later
        device_stop(2, 32, 5, 1_700),     // takes the execution of its start
        device_stop(3, 33, 5, 1_800),     // start known from the batch only
        device_start(4, 34, 7, 8, 1_234), // no sync point for execution 8
        device_stop(5, 35, 7, 1_300),
        barrier, // no start at all
        sync_point(7, 38, 6, 1_000, 50_000),
        sync_point(8, 39, 6, 1_000, 70_000), // the later one counts
        other_shard,
        zero, // a device half of 0 is none
    ];
    let (text, summary) = text(&Capture::new(&events, &[]), &JsonOptions::default());
    let json = parse(text.as_bytes());
    let times: Vec<_> = json["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["timestamp_ns"].as_u64().unwrap())
        .collect();
    assert_eq!(times, [70_500, 70_700, 70_800, 1_234, 1_300, 900, 38, 39, 1_500, 50]);
    assert_eq!(json["events"][0]["data"]["nc_timestamp_ns"], 1_500);
    assert_eq!((summary.events, summary.moved, summary.no_sync_point), (10, 3, 4));
}

#[test]
fn moved_times_never_wrap() {
    for (device, nc, cpu, expected) in [
        (1, u64::MAX, 0, 0),
        (u64::MAX, 0, u64::MAX, u64::MAX),
        (5, 10, 3, 0),
        (u64::MAX, u64::MAX, 7, 7),
    ] {
        let events = [sync_point(1, 1, 6, nc, cpu), device_start(2, 2, 5, 6, device)];
        let json = parsed(&events, &JsonOptions::default());
        assert_eq!(json["events"][1]["timestamp_ns"], expected);
    }
}

#[test]
fn a_tracking_id_used_again_takes_the_execution_of_its_own_start() {
    let events = [
        sync_point(1, 1, 6, 0, 1_000),
        sync_point(2, 2, 7, 0, 2_000),
        device_start(3, 3, 5, 6, 10),
        device_stop(4, 4, 5, 11),
        device_start(5, 5, 5, 7, 20),
        device_stop(6, 6, 5, 21),
    ];
    let json = parsed(&events, &JsonOptions::default());
    let times = [2, 3, 4, 5].map(|index: usize| json["events"][index]["timestamp_ns"].as_u64());
    assert_eq!(times, [Some(1_010), Some(1_011), Some(2_020), Some(2_021)]);
}

#[test]
fn batches_make_the_same_text_when_sync_points_come_first() {
    let events = [
        sync_point(1, 1, 6, 0, 1_000),
        device_start(3, 3, 5, 6, 10),
        device_stop(4, 4, 5, 11),
        event(EventType::CcLoad, Phase::Stop, 5, 5, 1),
    ];
    let (whole, summary) = text(&Capture::new(&events, &[]), &JsonOptions::default());
    let mut out = Vec::new();
    let mut json = JsonWriter::new(&mut out, &NoNames, &|_| -1, &JsonOptions::default());
    for event in &events {
        json.batch(&[]).unwrap();
        json.batch(&[*event]).unwrap();
    }
    assert_eq!(json.finish(&[]).unwrap(), summary);
    assert_eq!(String::from_utf8(out).unwrap(), whole);
}

#[test]
fn loss_is_stated_and_only_if_there_is_any() {
    let mut clean = ShardCounts::new(0);
    (clean.total.created, clean.total.drained) = (5, 5);
    let mut lossy = ShardCounts::new(3);
    (lossy.total.created, lossy.total.drained) = (9, 4);
    (lossy.total.displaced, lossy.total.discarded) = (3, 2);
    *lossy.of_mut(EventType::CcExec) = lossy.total;
    lossy.of_mut(EventType::CcLoad).created = 1;
    let mut refused = ShardCounts::new(4);
    refused.refused = 7;

    let options = JsonOptions::default();
    let (out, summary) = text(&Capture::new(&[], &[clean]), &options);
    assert_eq!((out.as_str(), summary.lost), (r#"{"events":[],"data_version":2}"#, 0));
    let (out, summary) = text(&Capture::new(&[], &[clean, lossy, refused]), &options);
    let expected = concat!(
        r#"{"events":[],"data_version":2,"loss":{"shards":[{"nc_idx":3,"#,
        r#""created":9,"drained":4,"displaced":3,"discarded":2,"refused":0,"by_type":{"#,
        r#""cc_running":{"created":9,"drained":4,"displaced":3,"discarded":2}}},"#,
        r#"{"nc_idx":4,"created":0,"drained":0,"displaced":0,"discarded":0,"refused":7}]}}"#,
    );
    assert_eq!((out.as_str(), summary.lost), (expected, 5));
    parse(out.as_bytes());
}

#[test]
fn any_name_survives() {
    for name in
        ["", "\"", "\\", "\u{0}\u{1f}\u{7f}\u{85}", "\u{2028}\u{2029}", "🚀ß模", "</script>"]
    {
        let mut named = event(EventType::ExecPre, Phase::Start, 1, 1, 1);
        named.payload = ExecPre { exec_id: 1, model_id: 2 }.into();
        let names = BTreeMap::from([(2, name)]);
        let events = [named];
        let capture = Capture { names: &names, ..Capture::new(&events, &[]) };
        let json = parse(text(&capture, &JsonOptions::default()).0.as_bytes());
        assert_eq!(json["events"][0]["data"]["model_name"], name);
    }
}

#[test]
fn a_record_of_no_type_still_prints() {
    let mut odd = event(EventType::Generic, Phase::Start, 1, 1, 1);
    odd.event_type_number = 46;
    odd.phase_number = u32::MAX;
    let json = parsed(&[odd], &JsonOptions::default());
    assert_eq!(json["events"][0]["event_type"], "unknown");
    assert_eq!(json["events"][0]["phase"], "unknown");
}

/// Fails after some bytes, and remembers the largest write.
struct Full {
    room: usize,
    largest: usize,
}

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.largest = self.largest.max(bytes.len());
        self.room = self.room.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn output_is_streamed_and_errors_of_the_writer_come_back() {
    let events = vec![event(EventType::CcLoad, Phase::Start, 1, 1, 1); 2_000];
    let capture = Capture::new(&events, &[]);
    let mut sink = Full { room: usize::MAX, largest: 0 };
    write_json(&mut sink, &capture, &JsonOptions::default()).unwrap();
    assert!(sink.largest < 40_000, "{}", sink.largest);
    let sink = Full { room: 100_000, largest: 0 };
    let error = write_json(sink, &capture, &JsonOptions::default()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_events_make_valid_json(
        events in prop::collection::vec(any_event(), 0..40),
        ids_as_strings: bool,
    ) {
        let options = JsonOptions { ids_as_strings, ..JsonOptions::default() };
        let (text, summary) = text(&Capture::new(&events, &[]), &options);
        let json = parse(text.as_bytes());
        let array = json["events"].as_array().unwrap();
        prop_assert_eq!(array.len(), events.len());
        prop_assert_eq!(summary.events, events.len() as u64);
        for (event, json) in events.iter().zip(array) {
            let id = Value::from(event.id);
            let id = if ids_as_strings { id.to_string().into() } else { id };
            prop_assert_eq!(&json["id"], &id);
            prop_assert_eq!(json.get("nrta_seq_id").is_some(), event.has_nrta_seq_id);
        }
    }
}
