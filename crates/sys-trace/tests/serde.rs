//! The written forms of the data model, and that they come back.
#![cfg(all(feature = "serde", feature = "std", not(loom)))]
#![allow(missing_docs, reason = "a test")]

use serde_json::{Value, from_str, from_value, json, to_string, to_value};
use sys_trace::{
    CaptureInfo, Clock, Config, Counts, Engine, Event, EventType, Payload, Phase, ShardCounts,
    Symbol,
};

/// `value` is written as `form` and comes back; so it does through text.
fn assert_form<T>(value: &T, form: &Value)
where
    T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
{
    assert_eq!(&to_value(value).unwrap(), form);
    assert_eq!(&from_str::<T>(&to_string(value).unwrap()).unwrap(), value);
}

fn refused<T: serde::de::DeserializeOwned + std::fmt::Debug>(form: Value) -> String {
    from_value::<T>(form).unwrap_err().to_string()
}

#[test]
fn events() {
    let mut event = Event::new(EventType::CcExec, Phase::Stop);
    event.nc_idx = 255;
    event.nc_local_id = u64::MAX;
    event.id = 255 << 50 | 9;
    event.tracking_id = 8;
    event.thread_id = 7;
    event.timestamp_ns = 1_700_000_000_000_000_001;
    event.payload = Payload::from_bytes(std::array::from_fn(|n| n as u8 * 6));
    let mut form = json!({
        "event_type_number": 8,
        "phase_number": 1,
        "nc_idx": 255,
        "nc_local_id": 18_446_744_073_709_551_615_u64,
        "id": 287_104_476_244_869_129_u64,
        "tracking_id": 8,
        "thread_id": 7,
        "timestamp_ns": 1_700_000_000_000_000_001_u64,
        "payload": "00060c12181e242a30363c42484e545a60666c72787e848a90969ca2a8aeb4bac0c6ccd2d8dee4ea",
        "nrta_seq_id": null,
    });
    assert_form(&event, &form);
    event.has_nrta_seq_id = true;
    event.nrta_seq_id = 5;
    form["nrta_seq_id"] = json!(5);
    assert_form(&event, &form);
    // Numbers that name nothing.
    event.event_type_number = 46;
    event.phase_number = u32::MAX;
    assert_eq!(from_value::<Event>(to_value(event).unwrap()).unwrap(), event);
}

#[test]
fn payloads_of_a_wrong_length_or_with_wrong_digits_are_refused() {
    for text in [String::new(), "0".repeat(79), "0".repeat(82), "g".repeat(80), "ü".repeat(40)] {
        let message = refused::<Payload>(json!(text));
        assert!(message.contains("40 bytes, or 80 hexadecimal digits"), "{message}");
    }
    assert_eq!(from_value::<Payload>(json!("AF".repeat(40))).unwrap().bytes(), &[0xaf; 40]);
}

#[test]
fn words() {
    for event_type in EventType::ALL {
        assert_form(&event_type, &json!(event_type.text_name()));
        assert_eq!(from_value::<EventType>(json!(event_type.name())).unwrap(), event_type);
    }
    for (phase, word) in Phase::ALL.into_iter().zip(["start", "stop", "instant", "count"]) {
        assert_form(&phase, &json!(word));
    }
    assert!(refused::<EventType>(json!("cc_exek")).contains("cc_exek"));
    assert!(refused::<Phase>(json!("unknown")).contains("start"));
    assert_form(&Symbol::of("conv2d"), &json!(696_427_417_467_970_u64));
}

#[test]
fn counts() {
    let some = Counts { created: 10, drained: 3, displaced: 2, discarded: 1 };
    let form = json!({ "created": 10, "drained": 3, "displaced": 2, "discarded": 1 });
    assert_form(&some, &form);
    let mut counts = ShardCounts::new(3);
    let empty = json!({ "created": 0, "drained": 0, "displaced": 0, "discarded": 0 });
    assert_form(&counts, &json!({ "shard": 3, "refused": 0, "total": empty, "by_type": {} }));
    counts.refused = 4;
    counts.total = some;
    *counts.of_mut(EventType::DeviceExec) = some;
    let by_type = json!({ "nc_exec_running": form });
    let form = json!({ "shard": 3, "refused": 4, "total": form, "by_type": by_type });
    assert_form(&counts, &form);
    let mut wrong = form;
    wrong["by_type"]["no such type"] = empty;
    assert!(refused::<ShardCounts>(wrong).contains("no such type"));
}

#[test]
fn captures() {
    let engine: Box<Engine<1>> = Box::default();
    for clock in [Clock::Cycles, Clock::Steady, Clock::Realtime, Clock::Custom(|| 7)] {
        engine.start(&Config::new().clock(clock)).unwrap();
        for _ in 0..2 {
            let info = engine.capture_info().unwrap();
            let form = json!({
                "epoch": info.epoch,
                "clock": info.clock,
                "clock_error_ns": info.clock_error_ns,
                "start_ns": info.start_ns,
                "stop_ns": info.stop_ns,
                "start_epoch_ns": info.start_epoch_ns,
                "stop_epoch_ns": info.stop_epoch_ns,
                "ring_events": 1_048_576,
            });
            assert_form(&info, &form);
            engine.close().unwrap();
        }
    }
    let mut form = to_value(engine.capture_info()).unwrap();
    form["clock"] = json!("sundial");
    assert!(refused::<CaptureInfo>(form).contains("realtime"));
}
