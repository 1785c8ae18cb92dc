//! Chrome trace JSON, for `ui.perfetto.dev` and `chrome://tracing`.
//!
//! - **A process per shard** (`pid` = shard + 1), named `core 3`, or
//!   `core 3 (lost 120 of 1,000 events)`: the viewer shows what is missing beside what is there.
//! - **Lanes as threads.** Slices of one lane nest or are disjoint; viewers drop partial overlaps.
//!   Host and device events have lanes of their own, and a slice stands inside another one only if
//!   the same thread recorded both. A `tid` is unique in the file and counts from 257, above every
//!   `pid`: of a thread whose two ids are equal viewers say that it is the process's main thread.
//! - **Spans as `X` events**, a start paired with the stop of the same type, shard and tracking id,
//!   the latest open one if there are several, by sequence number. A start without stop lasts
//!   until the end of the capture, with the argument `"end":"not recorded"`. A stop without start
//!   has no length and the argument `"start"`: `"overwritten"` if its shard displaced events,
//!   otherwise `"not recorded"`.
//! - **Instants as `i` events**; so are events of an unknown phase, with `"phase":"unknown"`.
//! - **Times** are µs from the start of the capture with exactly three decimals. Event times before
//!   it become 0. Where time is odd the argument `time` says how, see the table.
//! - **Names** are the type's text name with the model's name behind it, or the name of a GENERIC
//!   event. Control characters are replaced, everything else is raw UTF-8.
//! - **Arguments** are the fields of the payload, of both ends: a field of the stop whose value
//!   differs from the start's has `end_` before its name. Numbers beyond 2^53 are strings.
//! - **`otherData`** has the clock, the start, the stop and the zero of the file in ns as strings, what
//!   is known of wall time and of the clock's error, and the counts of each shard; `complete` is `null`
//!   if no counts were given.
//!
//! | `time` | meaning |
//! |---|---|
//! | `before the capture` | an end lies before the zero of the file and was moved there |
//! | `beyond the range` | an end lies 146 years after it, and was moved there |
//! | `stop before start` | the clock went backwards; the span has no length |
//! | `no sync point` | a device time could not be moved: the host's time of recording is shown |
//!
//! If the capture lasted more than 50 days, the zero of the file is the earliest event, because
//! viewers hold times as doubles.

mod args;
mod lanes;
mod pair;

use std::collections::BTreeMap;
use std::io::{self, Write};

use sys_trace::ShardCounts;

use crate::capture::Capture;
use crate::loss;
use crate::out::Out;
use lanes::Lanes;
use pair::{Kind, LaneKind, Slice, Timeline};

/// The largest `pid`, that of shard 255.
const LAST_PID: u64 = 256;

/// What was written. A viewer that dropped nothing counts [`slices`](ChromeSummary::slices) slices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChromeSummary {
    /// Starts with their stops.
    pub spans: u64,
    /// Starts without stop.
    pub unfinished: u64,
    /// Stops without start.
    pub start_lost: u64,
    /// Instants, and events of an unknown phase.
    pub instants: u64,
    /// The sum of the four.
    pub slices: u64,
    /// Starts that came while a span of the same type, shard and tracking id was open.
    pub duplicate_starts: u64,
    /// Slices with an end that had to be moved to the zero of the file or to the end of the range.
    pub clamped: u64,
    /// Spans whose stop bears an earlier time than their start.
    pub backwards: u64,
    /// By rising number, each shard that has events or counts.
    pub shards: Vec<ShardSummary>,
}

/// What was written of one shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardSummary {
    /// Number of the shard.
    pub shard: u32,
    /// Slices.
    pub slices: u64,
    /// Lanes that hold them.
    pub lanes: u64,
    /// Events displaced or discarded, by the counts given.
    pub lost: u64,
}

/// Writes a capture as Chrome trace JSON.
///
/// The writer is buffered here. Memory: about 100 bytes per event beside the events themselves.
///
/// # Errors
/// Those of the writer; what reached it before is not valid JSON.
///
/// ```
/// use sys_trace::{Event, EventType, Phase};
/// use sys_trace_export::{Capture, write_chrome};
///
/// let mut events = [EventType::ExecuteApi; 2].map(|ty| Event::new(ty, Phase::Start));
/// (events[0].nc_local_id, events[0].timestamp_ns) = (1, 5_000);
/// (events[1].nc_local_id, events[1].timestamp_ns) = (2, 6_500);
/// events[1].phase_number = Phase::Stop.number();
/// let mut out = Vec::new();
/// let summary = write_chrome(&mut out, &Capture::new(&events, &[]))?;
/// assert_eq!((summary.spans, summary.slices), (1, 1));
/// assert!(String::from_utf8_lossy(&out).contains(r#""ts":0.000,"dur":1.500,"#));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_chrome<W: Write>(writer: W, capture: &Capture<'_>) -> io::Result<ChromeSummary> {
    let timeline = Timeline::new(capture);
    let shards = shards(capture);
    let mut file =
        File { out: Out::new(writer), capture, timeline: &timeline, tids: LAST_PID, comma: "" };
    let mut summary = ChromeSummary::default();

    file.out.raw("{\"displayTimeUnit\":\"ns\",\"otherData\":");
    file.other_data()?;
    file.out.raw(",\n\"traceEvents\":[");
    let mut rest = &timeline.slices[..];
    for (&shard, counts) in &shards {
        let of_shard = |slice: &Slice| capture.events[slice.first()].nc_idx == shard;
        let (slices, others) = rest.split_at(rest.partition_point(of_shard));
        rest = others;
        let lanes = file.process(shard, *counts, slices, &mut summary)?;
        let lost = counts.map_or(0, |counts| counts.total.lost());
        summary.shards.push(ShardSummary { shard, slices: slices.len() as u64, lanes, lost });
    }
    debug_assert!(rest.is_empty(), "every event's shard is listed");
    file.out.raw("\n]}\n");
    file.out.finish()?;

    summary.slices = summary.spans + summary.unfinished + summary.start_lost + summary.instants;
    Ok(summary)
}

/// Shards to show: those with events, and those that have something to say about them.
fn shards<'a>(capture: &Capture<'a>) -> BTreeMap<u32, Option<&'a ShardCounts>> {
    let mut shards: BTreeMap<_, _> =
        capture.events.iter().map(|event| (event.nc_idx, None)).collect();
    for counts in capture.counts {
        if counts.total.created > 0 || loss::lossy(counts) {
            shards.insert(counts.shard, Some(counts));
        }
    }
    shards
}

struct File<'a, W> {
    out: Out<W>,
    capture: &'a Capture<'a>,
    timeline: &'a Timeline,
    /// Handed out so far, in the whole file.
    tids: u64,
    comma: &'static str,
}

impl<W: Write> File<'_, W> {
    fn other_data(&mut self) -> io::Result<()> {
        let (capture, timeline, out) = (self.capture, self.timeline, &mut self.out);
        out.raw("{\"format\":\"sys-trace chrome\",\"format_version\":1,\"clock\":");
        out.shown(capture.clock);
        for (key, value) in [
            (",\"capture_start_ns\":", Some(timeline.start_ns)),
            (",\"capture_stop_ns\":", Some(timeline.end_ns)),
            (",\"zero_ns\":", Some(timeline.zero_ns)),
            (",\"capture_start_epoch_ns\":", capture.start_epoch_ns),
            (",\"capture_stop_epoch_ns\":", capture.stop_epoch_ns),
            (",\"clock_error_ns\":", capture.clock_error_ns),
        ] {
            if let Some(value) = value {
                out.raw(key);
                out.uint_or_text(value, true);
            }
        }
        let complete = match capture.counts.iter().any(loss::lossy) {
            true => "false",
            false if capture.counts.is_empty() => "null",
            false => "true",
        };
        out.raw(",\"complete\":");
        out.raw(complete);
        out.raw(",\"shards\":[");
        let mut comma = "";
        for counts in shards(capture).values().flatten() {
            out.raw(comma);
            loss::shard_object(out, counts);
            out.spill()?;
            comma = ",";
        }
        out.raw("]}");
        Ok(())
    }

    /// One shard: its names, then its slices lane kind by lane kind. Answers the number of lanes.
    fn process(
        &mut self,
        shard: u32,
        counts: Option<&ShardCounts>,
        slices: &[Slice],
        summary: &mut ChromeSummary,
    ) -> io::Result<u64> {
        // Beyond 31 bits, which no engine records, viewers would merge processes at random.
        let pid = (u64::from(shard) + 1).min(i32::MAX as u64);
        let events = self.capture.events;
        let lossy = counts.filter(|counts| loss::lossy(counts));
        let name = lossy.map_or_else(|| format!("core {shard}"), lossy_name);
        self.metadata(pid, 0, "process_name", |out| {
            out.raw("\"name\":");
            out.text(&name);
        });
        self.metadata(pid, 0, "process_sort_index", |out| {
            out.raw("\"sort_index\":");
            out.uint(shard.into());
        });
        let displaced = counts.is_some_and(|counts| counts.total.displaced > 0);
        let first_tid = self.tids + 1;
        let kind_of = |slice: &Slice| LaneKind::of(events[slice.first()].event_type());
        for same_kind in slices.chunk_by(|a, b| kind_of(a) == kind_of(b)) {
            let mut lanes = Lanes::default();
            let base = self.tids + 1;
            for slice in same_kind {
                let thread = events[slice.first()].thread_id;
                let lane = lanes.place(slice.begin, slice.end, thread);
                self.slice(pid, base + lane as u64, slice, displaced);
                self.tally(slice, summary);
                self.out.spill()?;
            }
            for lane in 1..=lanes.len() as u64 {
                self.tids += 1;
                let tid = self.tids;
                self.metadata(pid, tid, "thread_name", |out| {
                    out.raw("\"name\":\"");
                    out.raw(kind_of(&same_kind[0]).name());
                    out.raw(" ");
                    out.uint(lane);
                    out.raw("\"");
                });
                self.metadata(pid, tid, "thread_sort_index", |out| {
                    out.raw("\"sort_index\":");
                    out.uint(tid);
                });
                self.out.spill()?;
            }
        }
        Ok(self.tids + 1 - first_tid)
    }

    fn tally(&self, slice: &Slice, summary: &mut ChromeSummary) {
        let remarks = &self.timeline.remarks;
        let ends = [Some(slice.first()), slice.second()].into_iter().flatten();
        summary.clamped += u64::from(ends.into_iter().any(|at| remarks[at].clamped()));
        summary.duplicate_starts += u64::from(slice.duplicate);
        summary.backwards += u64::from(slice.backwards);
        match slice.kind {
            Kind::Span { .. } => summary.spans += 1,
            Kind::Unfinished { .. } => summary.unfinished += 1,
            Kind::StartLost { .. } => summary.start_lost += 1,
            Kind::Instant { .. } => summary.instants += 1,
        }
    }

    /// An `M` event; `tid` 0 means the process as a whole and is left out.
    fn metadata(&mut self, pid: u64, tid: u64, what: &str, args: impl FnOnce(&mut Out<W>)) {
        self.begin("M", pid, tid);
        self.out.raw(",\"name\":\"");
        self.out.raw(what);
        self.out.raw("\",\"args\":{");
        args(&mut self.out);
        self.out.raw("}}");
    }

    fn slice(&mut self, pid: u64, tid: u64, slice: &Slice, displaced: bool) {
        let event = &self.capture.events[slice.first()];
        let instant = matches!(slice.kind, Kind::Instant { .. });
        self.begin(if instant { "i" } else { "X" }, pid, tid);
        self.out.raw(",\"ts\":");
        self.out.micros(slice.begin);
        if instant {
            self.out.raw(",\"s\":\"t\"");
        } else {
            self.out.raw(",\"dur\":");
            self.out.micros(slice.end - slice.begin);
        }
        self.out.raw(",\"cat\":\"");
        self.out.raw(LaneKind::of(event.event_type()).name());
        self.out.raw("\",\"name\":");
        let second = slice.second().map(|at| &self.capture.events[at]);
        self.out.shown(&args::slice_name(event, second, self.capture.names));
        self.out.raw(",\"args\":{");
        args::write(&mut self.out, self.capture, self.timeline, slice, displaced);
        self.out.raw("}}");
    }

    /// The part that all trace events share, each on a line of its own.
    fn begin(&mut self, ph: &str, pid: u64, tid: u64) {
        self.out.raw(self.comma);
        self.comma = ",";
        self.out.raw("\n{\"ph\":\"");
        self.out.raw(ph);
        self.out.raw("\",\"pid\":");
        self.out.uint(pid);
        if tid != 0 {
            self.out.raw(",\"tid\":");
            self.out.uint(tid);
        }
    }
}

fn lossy_name(counts: &ShardCounts) -> String {
    let total = &counts.total;
    let mut parts = Vec::new();
    if total.lost() > 0 {
        parts.push(format!("lost {} of {} events", grouped(total.lost()), grouped(total.created)));
    }
    if counts.refused > 0 {
        parts.push(format!("refused {}", grouped(counts.refused)));
    }
    format!("core {} ({})", counts.shard, parts.join(", "))
}

/// `1,234,567`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
