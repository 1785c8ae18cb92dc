//! [`Capture`]: what every writer reads.

use std::fmt;

use sys_trace::{Event, ShardCounts};

use crate::names::{Names, NoNames};

/// One capture, borrowed: the events and everything that gives them meaning.
///
/// ```
/// use std::collections::BTreeMap;
/// use sys_trace::{Event, EventType, Phase};
/// use sys_trace_export::Capture;
///
/// let events = [Event::new(EventType::ModelLoad, Phase::Start)];
/// let names = BTreeMap::from([(3, "resnet")]);
/// let capture = Capture {
///     names: &names,
///     worker_gid: &|shard| shard as i32 / 2,
///     start_ns: 1_000,
///     stop_ns: 9_000,
///     clock: "monotonic",
///     ..Capture::new(&events, &[])
/// };
/// assert_eq!(capture.names.name(3), Some("resnet"));
/// ```
#[derive(Clone, Copy)]
pub struct Capture<'a> {
    /// The events, merged by (timestamp, shard, sequence number).
    pub events: &'a [Event],
    /// What became of all events, shard by shard; files state loss from here. Leave it empty if it
    /// is not known: then no file claims to be complete.
    pub counts: &'a [ShardCounts],
    /// Text of interned ids.
    pub names: &'a dyn Names,
    /// From a shard to the global number of its worker, -1 if it has none.
    pub worker_gid: &'a dyn Fn(u32) -> i32,
    /// Clock of all times, in words, such as `monotonic`; empty if not known.
    pub clock: &'a str,
    /// By how many ns a time may be off, if that is known.
    pub clock_error_ns: Option<u64>,
    /// Start of the capture in ns of that clock; 0 if not known, then the earliest event is taken.
    pub start_ns: u64,
    /// End of the capture in ns of that clock; if it lies before the last event, that is taken.
    pub stop_ns: u64,
    /// Wall time of the start, ns since 1970, if known.
    pub start_epoch_ns: Option<u64>,
    /// Wall time of the end, ns since 1970, if known: if it is not as far from the start as `stop_ns`,
    /// the machine slept or its clock was set meanwhile.
    pub stop_epoch_ns: Option<u64>,
}

impl<'a> Capture<'a> {
    /// A capture of these events and counts, with nothing else known.
    #[must_use]
    pub fn new(events: &'a [Event], counts: &'a [ShardCounts]) -> Capture<'a> {
        Capture {
            events,
            counts,
            names: &NoNames,
            worker_gid: &|_| -1,
            clock: "",
            start_ns: 0,
            stop_ns: 0,
            clock_error_ns: None,
            start_epoch_ns: None,
            stop_epoch_ns: None,
        }
    }
}

impl fmt::Debug for Capture<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Capture")
            .field("events", &self.events.len())
            .field("shards", &self.counts.len())
            .field("clock", &self.clock)
            .field("clock_error_ns", &self.clock_error_ns)
            .field("start_ns", &self.start_ns)
            .field("stop_ns", &self.stop_ns)
            .field("start_epoch_ns", &self.start_epoch_ns)
            .field("stop_epoch_ns", &self.stop_epoch_ns)
            .finish_non_exhaustive()
    }
}
