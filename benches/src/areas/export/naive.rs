//! The files as one would write them without thinking: structs with derived serialisation, filled
//! for the whole capture and handed to `serde_json`.

use std::collections::HashMap;
use std::io::{self, Write};

use serde::Serialize;
use sys_trace::payload::{ExecCore, ExecTensorRead, NrtExec};
use sys_trace::{Event, EventType, Phase};

#[derive(Serialize)]
struct ReadOut<'a> {
    events: Vec<Row<'a>>,
    data_version: u32,
}

#[derive(Serialize)]
struct Row<'a> {
    event_type: &'a str,
    phase: &'a str,
    id: u64,
    nc_idx: u32,
    nc_local_id: u64,
    tracking_id: u64,
    thread_id: u64,
    worker_gid: i32,
    data: Data<'a>,
    timestamp_ns: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    nrta_seq_id: Option<u64>,
}

/// What the types of the generated capture carry.
#[derive(Serialize)]
#[serde(untagged)]
enum Data<'a> {
    Exec {
        model_id: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        model_name: Option<&'a str>,
    },
    Core {
        exec_id: u64,
        model_id: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        model_name: Option<&'a str>,
    },
    Tensor {
        tensor_id: u64,
        size: u64,
    },
}

fn data<'a>(event: &Event, names: &'a HashMap<u64, String>) -> Data<'a> {
    let name = |id: u64| names.get(&id).map(String::as_str);
    match event.event_type() {
        Some(EventType::ExecuteApi) => {
            let NrtExec { model_id } = NrtExec::read(&event.payload);
            Data::Exec { model_id, model_name: name(model_id) }
        }
        Some(EventType::ExecCore) => {
            let ExecCore { exec_id, model_id } = ExecCore::read(&event.payload);
            Data::Core { exec_id, model_id, model_name: name(model_id) }
        }
        Some(EventType::TensorRead) => {
            let ExecTensorRead { tensor_id, size } = ExecTensorRead::read(&event.payload);
            Data::Tensor { tensor_id, size }
        }
        other => panic!("the generated capture has no {other:?}"),
    }
}

fn type_name(event: &Event) -> &'static str {
    event.event_type().map_or("unknown", EventType::text_name)
}

/// The read-out.
///
/// # Errors
/// Those of the writer.
pub fn json(
    out: impl Write,
    events: &[Event],
    names: &HashMap<u64, String>,
    worker_gid: impl Fn(u32) -> i32,
) -> io::Result<()> {
    let row = |event: &Event| Row {
        event_type: type_name(event),
        phase: event.phase().text_name(),
        id: event.id,
        nc_idx: event.nc_idx,
        nc_local_id: event.nc_local_id,
        tracking_id: event.tracking_id,
        thread_id: event.thread_id,
        worker_gid: worker_gid(event.nc_idx),
        data: data(event, names),
        timestamp_ns: event.timestamp_ns,
        nrta_seq_id: event.seq_id(),
    };
    let file = ReadOut { events: events.iter().map(row).collect(), data_version: 2 };
    serde_json::to_writer(out, &file).map_err(io::Error::from)
}

#[derive(Serialize)]
struct Trace<'a> {
    #[serde(rename = "displayTimeUnit")]
    unit: &'static str,
    #[serde(rename = "traceEvents")]
    events: Vec<Slice<'a>>,
}

#[derive(Serialize)]
struct Slice<'a> {
    ph: char,
    pid: u32,
    tid: u64,
    ts: f64,
    dur: f64,
    cat: &'static str,
    name: &'a str,
    args: Args<'a>,
}

#[derive(Serialize)]
struct Args<'a> {
    id: u64,
    #[serde(flatten)]
    data: Data<'a>,
}

/// A timeline of complete spans on the recording threads; no lanes, no accounts of losses, no
/// unfinished spans: less than ours does.
///
/// # Errors
/// Those of the writer.
pub fn chrome(out: impl Write, events: &[Event], names: &HashMap<u64, String>) -> io::Result<()> {
    let zero = events.first().map_or(0, |event| event.timestamp_ns);
    let micros = |ns: u64| ns as f64 / 1000.0;
    let mut open: HashMap<u64, &Event> = HashMap::new();
    let mut slices = Vec::new();
    for event in events {
        if event.phase() == Phase::Start {
            open.insert(event.tracking_id, event);
        } else if let Some(start) = open.remove(&event.tracking_id) {
            slices.push(Slice {
                ph: 'X',
                pid: start.nc_idx + 1,
                tid: start.thread_id,
                ts: micros(start.timestamp_ns - zero),
                dur: micros(event.timestamp_ns - start.timestamp_ns),
                cat: "software",
                name: type_name(start),
                args: Args { id: start.tracking_id, data: data(start, names) },
            });
        }
    }
    serde_json::to_writer(out, &Trace { unit: "ns", events: slices }).map_err(io::Error::from)
}
