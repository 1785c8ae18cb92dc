//! What the tests of all formats share.
#![allow(dead_code, reason = "each test file uses a part")]

use proptest::prelude::*;
use serde_json::Value;
use sys_trace::payload::{NcExecStart, NcExecStop, TimestampSync};
use sys_trace::{Event, EventType, Payload, Phase, SyncInfo};

/// Parses strictly, and fails if an object has a key twice. Strings must not contain `":`.
pub(crate) fn parse(text: &[u8]) -> Value {
    let text = std::str::from_utf8(text).expect("UTF-8");
    let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(keys(&value), text.matches("\":").count(), "a key stands twice in {text}");
    value
}

fn keys(value: &Value) -> usize {
    match value {
        Value::Array(values) => values.iter().map(keys).sum(),
        Value::Object(map) => map.len() + map.values().map(keys).sum::<usize>(),
        _ => 0,
    }
}

/// `null`, `bool`, `number`, `string`, `array` or `object`.
pub(crate) fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

pub(crate) fn event(
    event_type: EventType,
    phase: Phase,
    seq: u64,
    ns: u64,
    tracking_id: u64,
) -> Event {
    let mut event = Event::new(event_type, phase);
    (event.nc_local_id, event.timestamp_ns, event.tracking_id) = (seq, ns, tracking_id);
    (event.id, event.thread_id) = (seq, 40);
    event
}

fn sync_info(nc_timestamp_ns: u64) -> SyncInfo {
    SyncInfo { nc_timestamp_ns, cpu_timestamp_ns: 1 }
}

pub(crate) fn device_start(
    seq: u64,
    ns: u64,
    tracking_id: u64,
    exec_id: u32,
    device_ns: u64,
) -> Event {
    let mut event = event(EventType::DeviceExec, Phase::Start, seq, ns, tracking_id);
    let sync_info = sync_info(device_ns);
    event.payload = NcExecStart { device_core_idx: 2, exec_id, sync_info }.into();
    event
}

pub(crate) fn device_stop(seq: u64, ns: u64, tracking_id: u64, device_ns: u64) -> Event {
    let mut event = event(EventType::DeviceExec, Phase::Stop, seq, ns, tracking_id);
    event.payload = NcExecStop { sync_info: sync_info(device_ns) }.into();
    event
}

pub(crate) fn sync_point(seq: u64, ns: u64, exec_id: u64, device_ns: u64, host_ns: u64) -> Event {
    let mut event = event(EventType::TimestampSync, Phase::Instant, seq, ns, seq);
    let (nc_timestamp_ns, cpu_timestamp_ns) = (device_ns, host_ns);
    event.payload = TimestampSync { exec_id, nc_timestamp_ns, cpu_timestamp_ns }.into();
    event
}

/// One event of each type and phase, in this order, with every byte of the payload set.
pub(crate) fn one_of_each(payload: Payload) -> Vec<Event> {
    let mut events = Vec::new();
    for event_type in EventType::ALL {
        for phase in Phase::ALL {
            let seq = events.len() as u64 + 1;
            let mut event = event(event_type, phase, seq, 1_000 + seq, event_type.number().into());
            event.payload = payload;
            (event.has_nrta_seq_id, event.nrta_seq_id) = (seq % 2 == 0, seq);
            events.push(event);
        }
    }
    events
}

/// Any event at all, unknown types and phases among them, with ids that often meet.
pub(crate) fn any_event() -> impl Strategy<Value = Event> {
    let time = prop_oneof![6 => 1_000_u64..1_200, 1 => any::<u64>()];
    let bytes = prop_oneof![Just([0; 40]), any::<[u8; 40]>(), Just([255; 40])];
    let ids = (0_u64..3, 0_u64..50, 0_u64..3, any::<Option<u64>>());
    (0_u32..48, 0_u32..5, 0_u32..3, time, bytes, ids).prop_map(
        |(event_type, phase, shard, ns, bytes, (tracking_id, seq, thread, seq_id))| {
            let mut event = event(EventType::Generic, Phase::Start, seq, ns, tracking_id);
            // Every third event is a host span, so that spans meet.
            event.event_type_number = if event_type % 3 == 0 { 3 } else { event_type };
            (event.phase_number, event.nc_idx) = (phase, shard);
            (event.payload, event.thread_id) = (Payload::from_bytes(bytes), thread);
            (event.has_nrta_seq_id, event.nrta_seq_id) = (seq_id.is_some(), seq_id.unwrap_or(0));
            event
        },
    )
}

pub(crate) fn config() -> ProptestConfig {
    ProptestConfig {
        cases: if cfg!(miri) { 2 } else { 128 },
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}
