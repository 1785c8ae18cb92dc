//! The read-out of events as JSON: `{"events":[…],"data_version":2}`, compact, one pass.
//!
//! Each event has, in this order, `event_type`, `phase`, `id`, `nc_idx`, `nc_local_id`,
//! `tracking_id`, `thread_id`, `worker_gid`, `data`, `timestamp_ns`, and `nrta_seq_id` if it has
//! one. `data` holds the fields of the payload under their names, except:
//!
//! - `sync_info` prints as `nc_timestamp_ns`, its device half.
//! - `algo` prints as `algorithm`, `usage_type` and `mem_type` as they are called, each by name
//!   when [`JsonOptions`] has a table. A number that its table lacks then prints as a string, so
//!   that the key keeps one type.
//! - `physical_address` prints as a `"0x…"` string.
//! - After a `model_id` whose name is known comes `model_name`.
//!
//! A record whose type number names no type has the `event_type` `unknown` and empty `data`.
//! `timestamp_ns` of an event with a device timestamp is moved into host time as [`SyncPoints`]
//! tells; without a sync point it is the device timestamp.
//!
//! If events were lost, the object ends with
//! `"loss":{"shards":[{"nc_idx":…,"created":…,"drained":…,"displaced":…,"discarded":…,"refused":…,"by_type":{…}}]}`:
//! one entry per shard that lost any, `by_type` with the same four counts per event type that lost
//! any, `refused` the emits turned away while the shard was started or stopped.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Write};

use sys_trace::{Event, EventType, Field, FieldType, FieldValue, ShardCounts, payload};

use crate::capture::Capture;
use crate::loss;
use crate::names::Names;
use crate::out::Out;
use crate::sync::{HostTime, SyncPoints};

/// How to print.
///
/// ```
/// use sys_trace_export::JsonOptions;
/// let options = JsonOptions { algorithms: Some(&["ring", "mesh"]), ..JsonOptions::default() };
/// assert!(!options.ids_as_strings);
/// ```
#[derive(Clone, Copy, Default)]
pub struct JsonOptions<'a> {
    /// Every key that is 64 bits wide in any event prints as a string, in every event: ids, times,
    /// sizes. For JavaScript, whose numbers lose digits beyond 2^53. Counts of `loss` stay numbers.
    pub ids_as_strings: bool,
    /// Names of the collective algorithms.
    pub algorithms: Option<&'a dyn Names>,
    /// Names of the purposes of memory.
    pub usage_types: Option<&'a dyn Names>,
    /// Names of the kinds of memory.
    pub mem_types: Option<&'a dyn Names>,
}

impl fmt::Debug for JsonOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonOptions")
            .field("ids_as_strings", &self.ids_as_strings)
            .field("algorithms", &self.algorithms.is_some())
            .field("usage_types", &self.usage_types.is_some())
            .field("mem_types", &self.mem_types.is_some())
            .finish()
    }
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Events printed.
    pub events: u64,
    /// Events whose device timestamp was moved into host time.
    pub moved: u64,
    /// Events printed with their device timestamp because there was no sync point.
    pub no_sync_point: u64,
    /// Events displaced or discarded, by the counts given.
    pub lost: u64,
}

/// Writes a capture as JSON.
///
/// Reads the events twice, because a sync point may follow the events that it places. The writer is
/// buffered here. Memory does not grow with the number of events beyond what [`SyncPoints`] keeps.
///
/// # Errors
/// Those of the writer; what reached it before is not valid JSON.
///
/// ```
/// use sys_trace_export::{Capture, JsonOptions, write_json};
/// let mut out = Vec::new();
/// write_json(&mut out, &Capture::new(&[], &[]), &JsonOptions::default())?;
/// assert_eq!(out, br#"{"events":[],"data_version":2}"#);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_json<W: Write>(
    writer: W,
    capture: &Capture<'_>,
    options: &JsonOptions<'_>,
) -> io::Result<Summary> {
    let mut json = JsonWriter::new(writer, capture.names, capture.worker_gid, options);
    json.batch(capture.events)?;
    json.finish(capture.counts)
}

/// The same, batch by batch, for a reader that drains a running capture.
///
/// A sync point is known to the batch that brings it and to later ones, not to earlier ones.
///
/// ```
/// use sys_trace::{Event, EventType, Phase};
/// use sys_trace_export::{JsonOptions, JsonWriter, NoNames};
///
/// let mut out = Vec::new();
/// let mut json = JsonWriter::new(&mut out, &NoNames, &|_| -1, &JsonOptions::default());
/// json.batch(&[Event::new(EventType::CcLoad, Phase::Start)])?;
/// json.batch(&[Event::new(EventType::CcLoad, Phase::Stop)])?;
/// assert_eq!(json.finish(&[])?.events, 2);
/// assert!(out.ends_with(br#"],"data_version":2}"#));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct JsonWriter<'a, W: Write> {
    out: Out<W>,
    names: &'a dyn Names,
    worker_gid: &'a dyn Fn(u32) -> i32,
    options: JsonOptions<'a>,
    /// Keys of `data` that print as strings.
    wide: BTreeSet<&'static str>,
    sync: SyncPoints,
    summary: Summary,
}

impl<'a, W: Write> JsonWriter<'a, W> {
    /// Begins the document.
    pub fn new(
        writer: W,
        names: &'a dyn Names,
        worker_gid: &'a dyn Fn(u32) -> i32,
        options: &JsonOptions<'a>,
    ) -> JsonWriter<'a, W> {
        let mut out = Out::new(writer);
        out.raw("{\"events\":[");
        let wide = if options.ids_as_strings { wide_keys() } else { BTreeSet::new() };
        let (sync, summary) = (SyncPoints::new(), Summary::default());
        JsonWriter { out, names, worker_gid, options: *options, wide, sync, summary }
    }

    /// Writes these events.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn batch(&mut self, events: &[Event]) -> io::Result<()> {
        self.sync.learn(events);
        for event in events {
            self.event(event);
            self.out.spill()?;
        }
        Ok(())
    }

    /// Ends the document with what was lost, and flushes the writer.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn finish(mut self, counts: &[ShardCounts]) -> io::Result<Summary> {
        self.out.raw("],\"data_version\":2");
        let mut before = ",\"loss\":{\"shards\":[";
        for shard in counts {
            self.summary.lost = self.summary.lost.saturating_add(shard.total.lost());
            if loss::lossy(shard) {
                self.out.raw(before);
                loss::shard_object(&mut self.out, shard);
                before = ",";
                self.out.spill()?;
            }
        }
        self.out.raw(if before == "," { "]}}" } else { "}" });
        self.out.finish()?;
        Ok(self.summary)
    }

    fn event(&mut self, event: &Event) {
        let timestamp_ns = match self.sync.place(event) {
            HostTime::Recorded(ns) => ns,
            HostTime::Moved(ns) => {
                self.summary.moved += 1;
                ns
            }
            HostTime::NoSyncPoint { device_ns } => {
                self.summary.no_sync_point += 1;
                device_ns
            }
        };
        self.out.raw(if self.summary.events == 0 { "{" } else { ",{" });
        self.summary.events += 1;
        self.out.raw("\"event_type\":");
        self.out.text(event.event_type().map_or("unknown", EventType::text_name));
        self.out.raw(",\"phase\":");
        self.out.text(event.phase().text_name());
        self.wide_number(",\"id\":", event.id);
        self.out.raw(",\"nc_idx\":");
        self.out.uint(event.nc_idx.into());
        self.wide_number(",\"nc_local_id\":", event.nc_local_id);
        self.wide_number(",\"tracking_id\":", event.tracking_id);
        self.wide_number(",\"thread_id\":", event.thread_id);
        self.out.raw(",\"worker_gid\":");
        self.out.int((self.worker_gid)(event.nc_idx).into());
        self.out.raw(",\"data\":{");
        self.data(event);
        self.wide_number("},\"timestamp_ns\":", timestamp_ns);
        if let Some(seq_id) = event.seq_id() {
            self.wide_number(",\"nrta_seq_id\":", seq_id);
        }
        self.out.raw("}");
    }

    fn wide_number(&mut self, key: &str, value: u64) {
        self.out.raw(key);
        self.out.uint_or_text(value, self.options.ids_as_strings);
    }

    fn data(&mut self, event: &Event) {
        let layout = event.event_type().and_then(|event_type| event_type.payload(event.phase()));
        let mut comma = "";
        for field in layout.map_or(&[][..], |layout| layout.fields) {
            self.out.raw(comma);
            self.field(field, field.read(&event.payload));
            comma = ",";
        }
    }

    fn field(&mut self, field: &Field, value: FieldValue) {
        let options = self.options;
        let (key, table) = match field.name {
            "sync_info" => ("nc_timestamp_ns", None),
            "algo" if options.algorithms.is_some() => ("algorithm", options.algorithms),
            "usage_type" => (field.name, options.usage_types),
            "mem_type" => (field.name, options.mem_types),
            name => (name, None),
        };
        self.out.text(key);
        self.out.raw(":");
        let number = match value {
            FieldValue::Bool(value) => return self.out.raw(if value { "true" } else { "false" }),
            FieldValue::I32(value) => return self.out.int(value.into()),
            FieldValue::Sync(sync) => sync.nc_timestamp_ns,
            FieldValue::U64(value) => value,
            FieldValue::U32(value) => value.into(),
            FieldValue::U16(value) => value.into(),
            FieldValue::U8(value) => value.into(),
        };
        if key == "physical_address" {
            self.out.hex_text(number);
        } else if let Some(table) = table {
            match table.name(number) {
                Some(name) => self.out.text(name),
                None => self.out.uint_or_text(number, true),
            }
        } else {
            self.out.uint_or_text(number, self.wide.contains(key));
        }
        let model = if key == "model_id" { self.names.name(number) } else { None };
        if let Some(name) = model {
            self.out.raw(",\"model_name\":");
            self.out.text(name);
        }
    }
}

impl<W: Write> fmt::Debug for JsonWriter<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonWriter").field("summary", &self.summary).finish_non_exhaustive()
    }
}

/// Keys that are 64 bits wide in any payload. One that is narrower in another payload, such as
/// `exec_id`, belongs to them too: a key has one type.
fn wide_keys() -> BTreeSet<&'static str> {
    let fields = payload::LAYOUTS.iter().flat_map(|layout| layout.fields);
    let wide = fields.filter_map(|field| match field.ty {
        FieldType::U64 => Some(field.name),
        FieldType::Sync => Some("nc_timestamp_ns"),
        _ => None,
    });
    wide.collect()
}
