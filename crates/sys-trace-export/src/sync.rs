//! [`SyncPoints`]: from the clock of a device to the clock of the host.

use std::collections::HashMap;

use sys_trace::payload::TimestampSync;
use sys_trace::{Event, EventType, FieldType, FieldValue, PayloadLayout, Phase};

/// What [`SyncPoints::place`] found out about the time of an event, in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostTime {
    /// The event carries no device timestamp: the host time of its recording.
    Recorded(u64),
    /// Its device timestamp, moved into host time.
    Moved(u64),
    /// It carries a device timestamp, but there is no sync point to move it with.
    NoSyncPoint {
        /// The device timestamp as it is, on the device's clock.
        device_ns: u64,
    },
}

/// The pairs of device time and host time that `TIMESTAMP_SYNC` events carry, by shard and
/// execution.
///
/// - An event has a device timestamp if its payload has a `sync_info` whose device half is not 0.
///   `TIMESTAMP_SYNC` itself has none in this sense: it is the sync point, and keeps its own
///   time.
/// - Its execution is its payload's `exec_id`. A stop without one takes that of its start, which
///   has the same type, shard and tracking id.
/// - Of several sync points for one execution on one shard, the last one counts.
///
/// Call [`learn`](SyncPoints::learn) with a batch of events, then
/// [`place`](SyncPoints::place) with each of them in order. Memory grows with the sync points, the
/// device spans of one batch, and the device spans still open.
///
/// ```
/// use sys_trace::{Event, EventType, Phase, SyncInfo};
/// use sys_trace::payload::{NcExecStart, TimestampSync};
/// use sys_trace_export::{HostTime, SyncPoints};
///
/// let mut start = Event::new(EventType::DeviceExec, Phase::Start);
/// let sync_info = SyncInfo { nc_timestamp_ns: 130, cpu_timestamp_ns: 0 };
/// start.payload = NcExecStart { device_core_idx: 0, exec_id: 5, sync_info }.into();
/// let mut sync = Event::new(EventType::TimestampSync, Phase::Instant);
/// let point = TimestampSync { exec_id: 5, nc_timestamp_ns: 100, cpu_timestamp_ns: 7_000 };
/// sync.payload = point.into();
///
/// let mut points = SyncPoints::new();
/// assert_eq!(points.place(&start), HostTime::NoSyncPoint { device_ns: 130 });
/// points.learn(&[start, sync]);
/// assert_eq!(points.place(&start), HostTime::Moved(7_030));
/// ```
#[derive(Clone, Debug, Default)]
pub struct SyncPoints {
    points: HashMap<(u32, u64), TimestampSync>,
    /// Execution of the latest start placed and not yet stopped.
    open: HashMap<SpanKey, u64>,
    /// Execution of the first start in the batch, for a stop that a stray clock put before it.
    first: HashMap<SpanKey, u64>,
}

/// What a stop shares with its start.
pub(crate) type SpanKey = (u32, u32, u64);

pub(crate) fn span_key(event: &Event) -> SpanKey {
    (event.event_type_number, event.nc_idx, event.tracking_id)
}

impl SyncPoints {
    /// No sync point.
    #[must_use]
    pub fn new() -> SyncPoints {
        SyncPoints::default()
    }

    /// Takes the sync points of a batch.
    pub fn learn(&mut self, events: &[Event]) {
        self.first.clear();
        for event in events {
            match event.phase() {
                Phase::Instant if event.event_type() == Some(EventType::TimestampSync) => {
                    let point = TimestampSync::read(&event.payload);
                    self.points.insert((event.nc_idx, point.exec_id), point);
                }
                Phase::Start => {
                    let device = device_time(event);
                    if let Some(exec_id) = device.and_then(|(layout, _)| exec_id(event, layout)) {
                        self.first.entry(span_key(event)).or_insert(exec_id);
                    }
                }
                _ => {}
            }
        }
    }

    /// The time of an event.
    pub fn place(&mut self, event: &Event) -> HostTime {
        let Some((layout, device_ns)) = device_time(event) else {
            return HostTime::Recorded(event.timestamp_ns);
        };
        let key = span_key(event);
        let exec_id = match (exec_id(event, layout), event.phase()) {
            (Some(exec_id), Phase::Start) => {
                self.open.insert(key, exec_id);
                Some(exec_id)
            }
            (Some(exec_id), _) => Some(exec_id),
            (None, _) => self.open.remove(&key).or_else(|| self.first.get(&key).copied()),
        };
        match exec_id.and_then(|exec_id| self.points.get(&(event.nc_idx, exec_id))) {
            Some(point) => HostTime::Moved(moved(device_ns, point)),
            None => HostTime::NoSyncPoint { device_ns },
        }
    }
}

/// `cpu_sync + (nc_event - nc_sync)`, held between 0 and the highest time.
fn moved(device_ns: u64, point: &TimestampSync) -> u64 {
    let since = i128::from(device_ns) - i128::from(point.nc_timestamp_ns);
    let host = i128::from(point.cpu_timestamp_ns) + since;
    u64::try_from(host.max(0)).unwrap_or(u64::MAX)
}

fn device_time(event: &Event) -> Option<(&'static PayloadLayout, u64)> {
    let layout = event.event_type()?.payload(event.phase())?;
    let field = layout.fields.iter().find(|field| field.ty == FieldType::Sync)?;
    match field.read(&event.payload) {
        FieldValue::Sync(sync) if sync.nc_timestamp_ns != 0 => Some((layout, sync.nc_timestamp_ns)),
        _ => None,
    }
}

fn exec_id(event: &Event, layout: &PayloadLayout) -> Option<u64> {
    layout.field("exec_id")?.read(&event.payload).as_u64()
}
