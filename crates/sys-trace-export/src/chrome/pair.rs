//! From events to slices: times on one scale, starts with their stops.

use std::collections::HashMap;

use sys_trace::{Event, EventType, Group, Phase};

use crate::capture::Capture;
use crate::sync::{HostTime, SpanKey, SyncPoints, span_key};

/// A double holds microseconds below this with more than three decimals (2^42 µs, 50 days).
const EXACT_NS: u64 = (1 << 42) * 1000;
/// No time is printed beyond this (146 years): readers hold nanoseconds in 63 bits.
const LAST_NS: u64 = 1 << 62;

/// What a slice is made of; the numbers are positions in the events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Span { start: usize, stop: usize },
    Unfinished { start: usize },
    StartLost { stop: usize },
    Instant { at: usize },
}

/// One thing to draw. Times are ns from [`Timeline::zero_ns`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slice {
    pub(crate) kind: Kind,
    pub(crate) begin: u64,
    pub(crate) end: u64,
    /// Began while a span of the same type, shard and tracking id was open.
    pub(crate) duplicate: bool,
    /// Its stop bears an earlier time than its start.
    pub(crate) backwards: bool,
    /// The slice that the next stop closes once this one is closed.
    outer: Option<usize>,
}

impl Slice {
    /// The event that names the slice: its first.
    pub(crate) fn first(&self) -> usize {
        match self.kind {
            Kind::Span { start: at, .. }
            | Kind::Unfinished { start: at }
            | Kind::StartLost { stop: at }
            | Kind::Instant { at } => at,
        }
    }

    /// The stop, if there is one beside the first event.
    pub(crate) fn second(&self) -> Option<usize> {
        match self.kind {
            Kind::Span { stop, .. } => Some(stop),
            _ => None,
        }
    }

    /// Order of drawing: by process, kind of lane, begin, the longer first, and then the order of
    /// recording.
    pub(crate) fn order(&self, events: &[Event]) -> (u32, LaneKind, u64, u64, u64, usize) {
        let event = &events[self.first()];
        let kind = LaneKind::of(event.event_type());
        (event.nc_idx, kind, self.begin, !self.end, event.nc_local_id, self.first())
    }
}

/// Host and device never share a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LaneKind {
    Software,
    Hardware,
    Unknown,
}

impl LaneKind {
    pub(crate) fn of(event_type: Option<EventType>) -> LaneKind {
        match event_type.map(EventType::group) {
            Some(Group::Software) => LaneKind::Software,
            Some(Group::Hardware) => LaneKind::Hardware,
            None => LaneKind::Unknown,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            LaneKind::Software => Group::Software.text_name(),
            LaneKind::Hardware => Group::Hardware.text_name(),
            LaneKind::Unknown => "unknown",
        }
    }
}

/// The time of one event, as far as it needs a remark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Remark {
    pub(crate) before_start: bool,
    pub(crate) beyond_range: bool,
    pub(crate) no_sync_point: bool,
}

impl Remark {
    pub(crate) fn clamped(self) -> bool {
        self.before_start || self.beyond_range
    }
}

/// All slices of a capture in the order of drawing.
pub(crate) struct Timeline {
    pub(crate) slices: Vec<Slice>,
    /// By event.
    pub(crate) remarks: Vec<Remark>,
    /// Clock time of the zero of the file: the start of the capture, or of the earliest event if
    /// the start is not known or so long ago that a double would lose nanoseconds.
    pub(crate) zero_ns: u64,
    pub(crate) start_ns: u64,
    pub(crate) end_ns: u64,
}

impl Timeline {
    pub(crate) fn new(capture: &Capture<'_>) -> Timeline {
        let events = capture.events;
        let (mut times, mut remarks) = host_times(events);
        let earliest = times.iter().copied().min();
        let start_ns = match capture.start_ns {
            0 => earliest.unwrap_or(0),
            start_ns => start_ns,
        };
        let latest = times.iter().copied().max().unwrap_or(0);
        let end_ns = latest.max(capture.stop_ns).max(start_ns);
        let zero_ns = if end_ns - start_ns < EXACT_NS {
            start_ns
        } else {
            earliest.unwrap_or(start_ns).max(start_ns)
        };
        for (time, remark) in times.iter_mut().zip(&mut remarks) {
            remark.before_start = *time < zero_ns;
            let since = time.saturating_sub(zero_ns);
            remark.beyond_range = since > LAST_NS;
            *time = since.min(LAST_NS);
        }
        let mut slices = pair(events, &times, (end_ns - zero_ns).min(LAST_NS));
        slices.sort_by_cached_key(|slice| slice.order(events));
        Timeline { slices, remarks, zero_ns, start_ns, end_ns }
    }
}

/// The host time of each event. Without a sync point that is the time of recording: a device time
/// would put the slice anywhere.
fn host_times(events: &[Event]) -> (Vec<u64>, Vec<Remark>) {
    let mut sync = SyncPoints::new();
    sync.learn(events);
    let place = |event: &Event| match sync.place(event) {
        HostTime::Recorded(ns) | HostTime::Moved(ns) => (ns, Remark::default()),
        HostTime::NoSyncPoint { .. } => {
            (event.timestamp_ns, Remark { no_sync_point: true, ..Remark::default() })
        }
    };
    events.iter().map(place).unzip()
}

/// Pairs each stop with the latest open start of its type, shard and tracking id.
///
/// Goes by sequence number, not by time, so that a clock that jumps back tears no pair apart.
fn pair(events: &[Event], times: &[u64], end: u64) -> Vec<Slice> {
    let mut order: Vec<usize> = (0..events.len()).collect();
    order.sort_by_key(|&at| (events[at].nc_idx, events[at].nc_local_id));
    let mut slices: Vec<Slice> = Vec::new();
    let mut open: HashMap<SpanKey, usize> = HashMap::new();
    for at in order {
        let key = span_key(&events[at]);
        let time = times[at];
        let mut slice = Slice {
            kind: Kind::Instant { at },
            begin: time,
            end: time,
            duplicate: false,
            backwards: false,
            outer: None,
        };
        match events[at].phase() {
            Phase::Start => {
                slice.kind = Kind::Unfinished { start: at };
                slice.end = end.max(time);
                slice.outer = open.insert(key, slices.len());
                slice.duplicate = slice.outer.is_some();
            }
            Phase::Stop => match open.remove(&key) {
                Some(started) => {
                    let span = &mut slices[started];
                    span.kind = Kind::Span { start: span.first(), stop: at };
                    span.backwards = time < span.begin;
                    span.end = time.max(span.begin);
                    if let Some(outer) = span.outer {
                        open.insert(key, outer);
                    }
                    continue;
                }
                None => slice.kind = Kind::StartLost { stop: at },
            },
            Phase::Instant | Phase::Count => {}
        }
        slices.push(slice);
    }
    slices
}
