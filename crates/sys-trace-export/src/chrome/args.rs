//! Names and arguments of slices.

use std::borrow::Cow;
use std::io::Write;

use sys_trace::payload::Generic;
use sys_trace::{Event, EventType, Field, FieldValue, PayloadLayout};

use super::pair::{Kind, Slice, Timeline};
use crate::capture::Capture;
use crate::names::Names;
use crate::out::Out;

/// Integers above this are not all exact as doubles.
const EXACT_INTEGER: u64 = 1 << 53;

/// The layout to print: GENERIC has one here, in every phase.
fn layout(event: &Event) -> Option<&'static PayloadLayout> {
    match event.event_type()? {
        EventType::Generic => Some(&Generic::LAYOUT),
        event_type => event_type.payload(event.phase()),
    }
}

fn fields(event: &Event) -> &'static [Field] {
    layout(event).map_or(&[], |layout| layout.fields)
}

fn model_name<'n>(event: &Event, names: &'n dyn Names) -> Option<&'n str> {
    let field = layout(event)?.field("model_id")?;
    names.name(field.read(&event.payload).as_u64()?)
}

/// The name of a slice. The model may be known to the stop only, as with `MODEL_LOAD`.
pub(super) fn slice_name<'n>(
    event: &Event,
    stop: Option<&Event>,
    names: &'n dyn Names,
) -> Cow<'n, str> {
    let Some(event_type) = event.event_type() else {
        return Cow::Owned(format!("event type {}", event.event_type_number));
    };
    if event_type == EventType::Generic {
        let id = Generic::read(&event.payload).name;
        let name = if id == 0 { None } else { names.name(id) };
        return Cow::Borrowed(name.unwrap_or(event_type.text_name()));
    }
    let model = model_name(event, names).or_else(|| model_name(stop?, names));
    match model {
        Some(model) if !model.is_empty() => Cow::Owned(format!("{event_type} {model}")),
        _ => Cow::Borrowed(event_type.text_name()),
    }
}

/// The arguments of a slice, without the braces.
pub(super) fn write<W: Write>(
    out: &mut Out<W>,
    capture: &Capture<'_>,
    timeline: &Timeline,
    slice: &Slice,
    displaced: bool,
) {
    let (first, second) = (&capture.events[slice.first()], slice.second());
    out.raw("\"tracking_id\":");
    out.hex_text(first.tracking_id);
    number(out, "", "thread_id", first.thread_id);
    number(out, "", "nc_local_id", first.nc_local_id);
    if let Some(seq_id) = first.seq_id() {
        number(out, "", "nrta_seq_id", seq_id);
    }
    for field in fields(first) {
        value(out, "", field.name, field.read(&first.payload));
    }
    if let Some(name) = model_name(first, capture.names) {
        text(out, "model_name", name);
    }
    if let Some(stop) = second.map(|at| &capture.events[at]) {
        number(out, "end_", "nc_local_id", stop.nc_local_id);
        if stop.thread_id != first.thread_id {
            number(out, "end_", "thread_id", stop.thread_id);
        }
        let started = fields(first);
        for field in fields(stop) {
            let read = field.read(&stop.payload);
            match started.iter().find(|other| other.name == field.name) {
                Some(other) if other.read(&first.payload) == read => {}
                Some(_) => value(out, "end_", field.name, read),
                None => value(out, "", field.name, read),
            }
        }
        // Printed above if the start knows it.
        if let (None, Some(name)) =
            (model_name(first, capture.names), model_name(stop, capture.names))
        {
            text(out, "model_name", name);
        }
    }
    remarks(out, capture, timeline, slice, displaced);
}

fn remarks<W: Write>(
    out: &mut Out<W>,
    capture: &Capture<'_>,
    timeline: &Timeline,
    slice: &Slice,
    displaced: bool,
) {
    match slice.kind {
        Kind::Unfinished { .. } => text(out, "end", "not recorded"),
        Kind::StartLost { .. } => {
            text(out, "start", if displaced { "overwritten" } else { "not recorded" });
        }
        Kind::Instant { at } if capture.events[at].phase_number != 2 => {
            text(out, "phase", "unknown");
        }
        Kind::Span { .. } | Kind::Instant { .. } => {}
    }
    if slice.duplicate {
        out.raw(",\"duplicate_start\":true");
    }
    let first = timeline.remarks[slice.first()];
    let last = slice.second().map_or(first, |at| timeline.remarks[at]);
    let odd = [
        (first.before_start || last.before_start, "before the capture"),
        (first.beyond_range || last.beyond_range, "beyond the range"),
        (slice.backwards, "stop before start"),
        (first.no_sync_point || last.no_sync_point, "no sync point"),
    ];
    let odd: Vec<&str> = odd.into_iter().filter(|(is, _)| *is).map(|(_, text)| text).collect();
    if !odd.is_empty() {
        text(out, "time", &odd.join(", "));
    }
}

fn value<W: Write>(out: &mut Out<W>, prefix: &str, name: &str, value: FieldValue) {
    match value {
        FieldValue::Sync(sync) => {
            number(out, prefix, "nc_timestamp_ns", sync.nc_timestamp_ns);
            number(out, prefix, "cpu_timestamp_ns", sync.cpu_timestamp_ns);
        }
        FieldValue::Bool(value) => {
            key(out, prefix, name);
            out.raw(if value { "true" } else { "false" });
        }
        FieldValue::I32(value) => {
            key(out, prefix, name);
            out.int(value.into());
        }
        FieldValue::U64(value) if name == "physical_address" => {
            key(out, prefix, name);
            out.hex_text(value);
        }
        FieldValue::U64(value) => number(out, prefix, name, value),
        FieldValue::U32(value) => number(out, prefix, name, value.into()),
        FieldValue::U16(value) => number(out, prefix, name, value.into()),
        FieldValue::U8(value) => number(out, prefix, name, value.into()),
    }
}

fn number<W: Write>(out: &mut Out<W>, prefix: &str, name: &str, value: u64) {
    key(out, prefix, name);
    out.uint_or_text(value, value > EXACT_INTEGER);
}

fn text<W: Write>(out: &mut Out<W>, name: &str, value: &str) {
    key(out, "", name);
    out.shown(value);
}

/// Names of fields are plain words.
fn key<W: Write>(out: &mut Out<W>, prefix: &str, name: &str) {
    out.raw(",\"");
    out.raw(prefix);
    out.raw(name);
    out.raw("\":");
}
