//! `sys-trace convert`: a binary capture in, the two files out, or one line that says why not.
#![allow(missing_docs, reason = "a test")]

mod common;

use std::fs;
use std::io::Write;
use std::path::Path;

use common::{Run, run};
use serde_json::Value;
use sys_trace::payload::NrtExec;
use sys_trace::{Clock, Config, Event, EventType, StaticEngine};
use sys_trace_export::blob::dump;

fn convert(file: &Path, out: &Path) -> Run {
    run(["convert".as_ref(), file.as_os_str(), "--out".as_ref(), out.as_os_str()])
}

/// Two shards: on 1 five spans of a named model, of which the ring keeps four.
fn some_capture() -> Vec<u8> {
    let engine = Box::new(StaticEngine::<2, 8, 4>::new_inline());
    engine.start(&Config::new().clock(Clock::Custom(|| 1_500))).unwrap();
    let model_id = engine.intern_static(1, "resnet50").get();
    for _ in 0..5 {
        drop(engine.span(1, EventType::ExecuteApi, NrtExec { model_id }));
    }
    assert_eq!(engine.drain(1, &mut [Event::ZERO]), Ok(1));
    let mut bytes = Vec::new();
    dump(&engine, |part| bytes.write_all(part)).unwrap();
    bytes
}

#[test]
fn losses_and_names_are_in_both_files() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("a.blob"), folder.path().join("out"));
    fs::write(&file, some_capture()).unwrap();
    let run = convert(&file, &out);
    assert!(run.ok().starts_with("capture 1 on 2 shards: 0 ns by the clock custom"), "{run:?}");
    let row = run.table()[&Some(1)];
    assert_eq!((row.created, row.drained, row.displaced, row.lost, row.spans), (10, 8, 2, 0, 4));
    for line in [
        "7 events and 1 names are in the file",
        "1 events were read before it was written",
        "2 events were overwritten before they were read",
    ] {
        assert!(run.stdout.contains(line), "{line}: {run:?}");
    }
    let json = |name: &str| -> Value {
        serde_json::from_slice(&fs::read(out.join(name)).unwrap()).unwrap()
    };
    let events = json("events.json");
    assert_eq!(events["events"].as_array().unwrap().len(), 7);
    assert_eq!(events["events"][0]["data"]["model_name"], "resnet50");
    assert_eq!(events["loss"]["shards"][0]["displaced"], 2);
    let trace = json("trace.json");
    assert_eq!(trace["otherData"]["complete"], false);
    let named = |it: &Value| it["name"].as_str().is_some_and(|name| name.contains("resnet50"));
    assert_eq!(trace["traceEvents"].as_array().unwrap().iter().filter(|it| named(it)).count(), 4);
}

#[test]
fn what_is_no_capture_is_refused_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("a.blob"), folder.path().join("out"));
    let missing = convert(&file, &out);
    assert!(missing.refused().contains("cannot read"), "{missing:?}");
    let good = some_capture();
    let mut other = good.clone();
    other[0] = b'S';
    for (bytes, words) in [
        (&good[..good.len() - 1], "cut off at byte"),
        (&other, "the first word at byte 0"),
        (b"", "cut off at byte 0"),
    ] {
        fs::write(&file, bytes).unwrap();
        let run = convert(&file, &out);
        assert!(run.refused().contains(words), "{run:?}");
        assert!(!out.exists());
    }
    assert!(convert(folder.path(), &out).refused().contains("cannot read"));
}
