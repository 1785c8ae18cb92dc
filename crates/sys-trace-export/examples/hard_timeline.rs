//! Writes a timeline full of what viewers trip over: spans that overlap, nest deeply, start or end
//! together, have no length, lack an end; instants at their edges; clocks that jump back; odd names.
//!
//! ```text
//! cargo run -p sys-trace-export --example hard_timeline -- FILE [EVENTS [SEED]]
//! ```
//!
//! Prints the summary. A viewer that drops nothing counts exactly `slices` slices.

use std::collections::BTreeMap;
use std::fs::File;

use sys_trace::payload::{Generic, NcExecStart, NcExecStop, NrtExec, TimestampSync};
use sys_trace::{Event, EventType, Payload, Phase, ShardCounts, SyncInfo};
use sys_trace_export::{Capture, write_chrome};

const START_NS: u64 = 1_700_000_000_000_000_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: hard_timeline FILE [EVENTS [SEED]]")?;
    let wanted = args.next().map_or(Ok(20_000), |text| text.parse())?;
    let mut random = Random(args.next().map_or(Ok(1), |text| text.parse())?);

    let mut events = Vec::new();
    for shard in [0, 1, 7, 255] {
        let mut clock = START_NS;
        let mut open: Vec<(EventType, u64)> = Vec::new();
        let mut next_id = 1;
        for seq in 1..=wanted / 4 {
            // Small steps and none: edges that coincide are the hard case. Some go back.
            clock += [0, 0, 1, 2, 999, 40_000][random.below(6)];
            clock -= if random.below(200) == 0 { 5_000.min(clock) } else { 0 };
            let mut event = match random.below(10) {
                0..4 if open.len() < 200 => {
                    let types = [EventType::ExecuteApi, EventType::DeviceExec, EventType::Generic];
                    let mut event = Event::new(types[random.below(3)], Phase::Start);
                    event.tracking_id = next_id << 50 | random.below(3) as u64;
                    next_id += u64::from(random.below(20) > 0);
                    open.push((event.event_type().unwrap_or(types[0]), event.tracking_id));
                    event
                }
                4..9 if !open.is_empty() => {
                    // The innermost, any, or none that is known.
                    let at = match random.below(3) {
                        0 => random.below(open.len()),
                        _ => open.len() - 1,
                    };
                    let (event_type, tracking_id) = open[at];
                    let mut event = Event::new(event_type, Phase::Stop);
                    event.tracking_id = tracking_id + u64::from(random.below(30) == 0);
                    if random.below(30) > 0 {
                        open.remove(at);
                    }
                    event
                }
                _ => Event::new(EventType::ALL[random.below(46)], Phase::ALL[2 + random.below(2)]),
            };
            (event.nc_idx, event.nc_local_id, event.timestamp_ns) = (shard, seq, clock);
            event.thread_id = 100 + random.below(3) as u64;
            event.payload = payload(&event, clock, &mut random);
            events.push(event);
        }
    }
    events.sort_by_key(|event| (event.timestamp_ns, event.nc_idx, event.nc_local_id));

    let names: BTreeMap<u64, &str> =
        NAMES.iter().copied().enumerate().map(|(id, name)| (id as u64, name)).collect();
    let mut counts = ShardCounts::new(7);
    counts.total.created = wanted / 4 + 120;
    counts.total.displaced = 120;
    counts.of_mut(EventType::CcExec).displaced = 120;
    let counts = [counts, ShardCounts::new(0)];
    let capture = Capture {
        names: &names,
        start_ns: START_NS,
        clock: "monotonic",
        ..Capture::new(&events, &counts)
    };
    let summary = write_chrome(File::create(&path)?, &capture)?;
    println!("{summary:#?}");
    Ok(())
}

const NAMES: [&str; 7] = [
    "",
    "plain",
    "quo\"te \\ back",
    "tab\there\nline\u{1}",
    "\u{1F680} ракета 模型",
    "line\u{2028}separator",
    "</script>",
];

fn payload(event: &Event, clock: u64, random: &mut Random) -> Payload {
    let sync_info = SyncInfo { nc_timestamp_ns: clock - START_NS + 500_000, cpu_timestamp_ns: 0 };
    let name = random.below(NAMES.len()) as u64;
    match (event.event_type(), event.phase()) {
        (Some(EventType::ExecuteApi), _) => NrtExec { model_id: name }.into(),
        (Some(EventType::Generic), _) => Generic { name, args: [u64::MAX, 1 << 53, 0, 1] }.into(),
        (Some(EventType::DeviceExec), Phase::Start) => {
            NcExecStart { device_core_idx: 0, exec_id: random.below(4) as u32, sync_info }.into()
        }
        (Some(EventType::DeviceExec), Phase::Stop) => NcExecStop { sync_info }.into(),
        (Some(EventType::TimestampSync), Phase::Instant) => {
            let exec_id = random.below(3) as u64;
            let cpu_timestamp_ns = START_NS + random.below(1_000) as u64;
            TimestampSync { exec_id, nc_timestamp_ns: 500_000, cpu_timestamp_ns }.into()
        }
        _ => Payload::ZERO,
    }
}

/// Enough randomness to be hard, and the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}
