//! Engines behind one face: ours, the reference, and what one would write without thinking.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use sys_trace::{Clock, Config, Engine, Event, EventType, Payload, Phase, TrackingId};

use crate::reference::{self, Reference};

/// Records events in overwriting rings.
pub trait Recorder: Send + Sync + 'static {
    /// A running capture on two shards with rings of so many events.
    fn start(events: usize) -> Self;
    /// Records one event under this tracking id, or one of its own if 0; which.
    fn emit(&self, shard: u32, phase: Phase, payload: Payload, tracking: u64) -> u64;
    /// Takes the oldest events; how many.
    fn drain(&self, shard: u32, out: &mut [Event]) -> usize;
}

/// The type of all events here.
pub const TYPE: EventType = EventType::ExecuteApi;

/// Our engine with the clock number `CLOCK`.
pub struct Ours<const CLOCK: u8>(Box<Engine<2>>);

/// The default clock.
pub const DEFAULT: u8 = 0;
/// The wall clock, read for every event.
pub const REALTIME: u8 = 1;
/// None: a function that returns 0.
pub const NONE: u8 = 2;

impl<const CLOCK: u8> Ours<CLOCK> {
    /// A span that ends at once.
    #[inline]
    pub fn pair(&self, shard: u32, payload: Payload) {
        drop(self.0.span(shard, TYPE, payload));
    }

    /// Proves that a span leaves a start and a stop with one id and its payload.
    ///
    /// # Panics
    /// If it does not.
    pub fn prove_pairs() {
        const PAIRS: usize = 100;
        let recorder = Self::start(1024);
        let payload = Payload::from_bytes([9; Payload::SIZE]);
        (0..PAIRS).for_each(|_| recorder.pair(1, payload));
        let mut events = vec![Event::ZERO; 1024];
        assert_eq!(recorder.drain(1, &mut events), 2 * PAIRS, "span: other events than were made");
        for pair in events[..2 * PAIRS].chunks(2) {
            assert_eq!([pair[0].phase(), pair[1].phase()], [Phase::Start, Phase::Stop]);
            assert_eq!(pair[0].tracking_id, pair[1].tracking_id, "span: no pair");
            assert!(pair.iter().all(|event| event.payload == payload), "span: another payload");
        }
    }
}

impl<const CLOCK: u8> Recorder for Ours<CLOCK> {
    fn start(events: usize) -> Self {
        let engine: Box<Engine<2>> = Box::default();
        let config = Config::new().events_per_shard(events as u64);
        let config = match CLOCK {
            DEFAULT => config,
            REALTIME => config.clock(Clock::Realtime),
            _ => config.clock(Clock::Custom(|| 0)),
        };
        engine.start(&config).expect("the rings fit into memory");
        Self(engine)
    }

    #[inline]
    fn emit(&self, shard: u32, phase: Phase, payload: Payload, tracking: u64) -> u64 {
        let tracking = TrackingId::new(tracking);
        self.0.emit_tracked(shard, TYPE, phase, payload, tracking).map_or(0, TrackingId::get)
    }

    fn drain(&self, shard: u32, out: &mut [Event]) -> usize {
        self.0.drain(shard, out).expect("the capture runs")
    }
}

/// The reference with (`true`) or without its clock.
pub struct Composed<const CLOCK: bool>(Reference);

impl<const CLOCK: bool> Recorder for Composed<CLOCK> {
    fn start(events: usize) -> Self {
        let now = if CLOCK { reference::wall_clock } else { reference::no_clock };
        Self(Reference::start(2, events, now))
    }

    #[inline]
    fn emit(&self, shard: u32, phase: Phase, payload: Payload, tracking: u64) -> u64 {
        self.0.emit(shard, TYPE, phase, payload, tracking)
    }

    fn drain(&self, shard: u32, out: &mut [Event]) -> usize {
        self.0.drain(shard, out)
    }
}

/// A queue behind a mutex per shard, with the wall clock.
pub struct Naive {
    shards: [Mutex<VecDeque<Event>>; 2],
    events: usize,
    sequence: AtomicU64,
}

impl Recorder for Naive {
    fn start(events: usize) -> Self {
        let queue = || Mutex::new(VecDeque::with_capacity(events));
        Self { shards: [queue(), queue()], events, sequence: AtomicU64::new(0) }
    }

    #[inline]
    fn emit(&self, shard: u32, phase: Phase, payload: Payload, tracking: u64) -> u64 {
        let mut event = Event::new(TYPE, phase);
        event.nc_local_id = self.sequence.fetch_add(1, Ordering::Relaxed) + 1;
        event.id = event.nc_local_id | u64::from(shard) << 50;
        event.tracking_id = if tracking == 0 { event.id } else { tracking };
        event.timestamp_ns = reference::wall_clock();
        event.payload = payload;
        event.nc_idx = shard;
        let mut queue = self.shards[shard as usize].lock().unwrap();
        if queue.len() == self.events {
            queue.pop_front();
        }
        queue.push_back(event);
        event.tracking_id
    }

    fn drain(&self, shard: u32, out: &mut [Event]) -> usize {
        let mut queue = self.shards[shard as usize].lock().unwrap();
        let count = out.len().min(queue.len());
        for (place, event) in out.iter_mut().zip(queue.drain(..count)) {
            *place = event;
        }
        count
    }
}

/// Proves that a recorder keeps the newest events of each shard, in order, with what they carry,
/// from one thread, and invents none with two.
///
/// # Panics
/// If the answer is wrong.
pub fn prove<R: Recorder>(name: &str) {
    const EVENTS: usize = 1024;
    let recorder = R::start(EVENTS);
    let payload = |n: u64| {
        let mut bytes = [0; Payload::SIZE];
        bytes[..8].copy_from_slice(&n.to_ne_bytes());
        Payload::from_bytes(bytes)
    };
    for n in 0..3 * EVENTS as u64 {
        let start = recorder.emit(1, Phase::Start, payload(n), 0);
        assert_ne!(start, 0, "{name}: an event was not accepted");
        let stop = recorder.emit(1, Phase::Stop, payload(n), start);
        assert_eq!(stop, start, "{name}: a stop lost its start");
    }
    let mut events = vec![Event::ZERO; 2 * EVENTS];
    assert_eq!(recorder.drain(0, &mut events), 0, "{name}: an event on the wrong shard");
    let count = recorder.drain(1, &mut events);
    assert_eq!(count, EVENTS, "{name}: the ring was full");
    let oldest = 3 * EVENTS as u64 - EVENTS as u64 / 2;
    for (n, pair) in (oldest..).zip(events[..count].chunks(2)) {
        let [start, stop] = pair else { panic!("{name}: an odd number of events") };
        assert_eq!(start.phase(), Phase::Start, "{name}");
        assert_eq!(stop.phase(), Phase::Stop, "{name}");
        assert_eq!(start.tracking_id, stop.tracking_id, "{name}");
        assert_eq!((start.payload, stop.payload), (payload(n), payload(n)), "{name}");
        assert_eq!(start.nc_idx, 1, "{name}");
        assert!(start.timestamp_ns <= stop.timestamp_ns, "{name}");
    }

    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for n in 0..10_000 {
                    recorder.emit(0, Phase::Instant, payload(n), 0);
                }
            });
        }
    });
    let count = recorder.drain(0, &mut events);
    assert_eq!(count, EVENTS, "{name}: two threads left another number of events");
    let mut ids: Vec<u64> = events[..count].iter().map(|event| event.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), EVENTS, "{name}: an event came twice");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_contenders_are_right() {
        prove::<Ours<DEFAULT>>("default clock");
        prove::<Ours<REALTIME>>("realtime clock");
        prove::<Ours<NONE>>("no clock");
        prove::<Composed<true>>("reference");
        prove::<Composed<false>>("reference without its clock");
        prove::<Naive>("naive");
    }

    #[test]
    fn the_reference_counts_what_it_pushes() {
        let engine = Reference::start(1, 16, reference::wall_clock);
        for _ in 0..40 {
            engine.emit(0, TYPE, Phase::Start, Payload::ZERO, 0);
        }
        assert_eq!(engine.counts(0), (40, 40));
    }
}
