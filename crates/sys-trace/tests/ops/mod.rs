//! Calls decoded from bytes, made on an engine and on a model of it that is too simple to be wrong.
//!
//! Shared by the property test, by the replay of the fuzz corpus and by the fuzz target itself.

use std::collections::{BTreeSet, VecDeque};

use arbitrary::{Arbitrary, Unstructured};
use sys_trace::{
    Clock, Config, Counts, DrainError, Engine, Event, EventSet, EventType, Heap, Inline, Limits,
    NotCapturing, Payload, Phase, ShardSet, StartError, StopError, Storage, Symbol, TrackingId,
};

const SHARDS: u32 = 3;
const NAMES: [&str; 6] = ["", "a", "conv2d", "all reduce", "ä", "a name of some length"];

/// One call. Numbers are taken modulo what makes sense, or a little more, to meet what does not.
#[derive(Debug, Clone, Arbitrary)]
pub(crate) enum Op {
    Start { events: u8, shards: u8, types: u64, names: u8 },
    StartTooLarge,
    Stop,
    Close,
    Emit { shard: u8, event_type: u8, phase: u8, tracking: u8, seq_id: Option<u8> },
    SpanStart { shard: u8, event_type: u8 },
    SpanEnd(u8),
    Drain { shard: u8, max: u8 },
    DrainAll(u8),
    Intern { shard: u8, name: u8 },
    Look,
    Snapshot { shard: u8, max: u8 },
    SnapshotAll(u8),
    Read(u8),
}

/// As many calls as the bytes yield. The list type's own way of decoding tosses a coin after each
/// element: two calls on average, which reach nothing.
#[derive(Debug)]
pub(crate) struct Ops(pub(crate) Vec<Op>);

impl<'a> Arbitrary<'a> for Ops {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let mut ops = Vec::new();
        while !bytes.is_empty() {
            ops.push(bytes.arbitrary()?);
        }
        Ok(Self(ops))
    }
}

/// In what a storage differs.
pub(crate) trait Kind: Storage {
    /// Events in every ring, whatever is asked for.
    const EVENTS: Option<u64>;
    /// Names in every table, whatever is asked for.
    const NAMES: Option<usize>;
    fn intern(engine: &Engine<{ SHARDS as usize }, Self>, shard: u32, name: &'static str)
    -> Symbol;
    fn names(engine: &Engine<{ SHARDS as usize }, Self>) -> Vec<(Symbol, String)>;
}

impl Kind for Heap {
    const EVENTS: Option<u64> = None;
    const NAMES: Option<usize> = None;

    fn intern(engine: &Engine<{ SHARDS as usize }>, shard: u32, name: &'static str) -> Symbol {
        engine.intern(shard, name)
    }

    fn names(engine: &Engine<{ SHARDS as usize }>) -> Vec<(Symbol, String)> {
        engine.strings().iter().map(|(id, text)| (id, text.to_string())).collect()
    }
}

/// As small as can be told apart.
pub(crate) type Small = Inline<5, 3>;

impl Kind for Small {
    const EVENTS: Option<u64> = Some(5);
    const NAMES: Option<usize> = Some(3);

    fn intern(
        engine: &Engine<{ SHARDS as usize }, Self>,
        shard: u32,
        name: &'static str,
    ) -> Symbol {
        engine.intern_static(shard, name)
    }

    fn names(engine: &Engine<{ SHARDS as usize }, Self>) -> Vec<(Symbol, String)> {
        let names = (0..SHARDS).flat_map(|shard| engine.names_of(shard));
        let texts: BTreeSet<_> = names.map(|(id, text)| (id, text.to_string())).collect();
        texts.into_iter().collect()
    }
}

/// The model of one shard.
struct Shard {
    ring: VecDeque<Event>,
    open: bool,
    took_part: bool,
    sequence: u64,
    counts: [Counts; EventType::COUNT],
    names: BTreeSet<&'static str>,
    names_dropped: u64,
    /// The last sequence number that the reader has dealt with.
    read: u64,
    /// How many events had been drained when it last had dealt with all.
    drained_when_read: u64,
}

impl Shard {
    fn new(open: bool) -> Self {
        Self {
            ring: VecDeque::new(),
            open,
            took_part: open,
            sequence: 0,
            counts: [Counts::ZERO; EventType::COUNT],
            names: BTreeSet::new(),
            names_dropped: 0,
            read: 0,
            drained_when_read: 0,
        }
    }
}

struct Model {
    shards: [Shard; SHARDS as usize],
    capturing: bool,
    epoch: u64,
    events: usize,
    types: EventSet,
    most_names: usize,
    misdirected: u64,
}

fn event_type_of(number: u8) -> EventType {
    EventType::ALL[usize::from(number) % EventType::COUNT]
}

impl Model {
    fn new() -> Self {
        Self {
            shards: std::array::from_fn(|_| Shard::new(false)),
            capturing: false,
            epoch: 0,
            events: 0,
            types: EventSet::EMPTY,
            most_names: 0,
            misdirected: 0,
        }
    }

    /// What an accepted emit returns and how it is recorded.
    fn emit(
        &mut self,
        number: u32,
        event_type: EventType,
        phase: Phase,
        tracking: Option<u64>,
        seq_id: Option<u64>,
    ) -> Option<u64> {
        if !self.capturing {
            return None;
        }
        let Some(shard) = self.shards.get_mut(number as usize) else {
            self.misdirected += 1;
            return None;
        };
        if !shard.open || !self.types.contains(event_type) {
            return None;
        }
        shard.sequence += 1;
        shard.counts[event_type as usize].created += 1;
        if shard.ring.len() == self.events {
            let lost = shard.ring.pop_front().unwrap();
            shard.counts[lost.event_type_number as usize].displaced += 1;
        }
        let mut event = Event::new(event_type, phase);
        event.nc_idx = number;
        event.nc_local_id = shard.sequence;
        event.id = shard.sequence | u64::from(number) << 50;
        event.tracking_id = tracking.unwrap_or(event.id);
        event.timestamp_ns = 7;
        if let Some(seq_id) = seq_id {
            event.nrta_seq_id = seq_id;
            event.has_nrta_seq_id = true;
        }
        shard.ring.push_back(event);
        Some(event.tracking_id)
    }

    fn drain(&mut self, number: u32, max: usize) -> Vec<Event> {
        let shard = &mut self.shards[number as usize];
        let count = max.min(shard.ring.len());
        let events: Vec<_> = shard.ring.drain(..count).collect();
        for event in &events {
            shard.counts[event.event_type_number as usize].drained += 1;
        }
        events
    }

    fn snapshot(&self, number: u32, max: usize) -> Vec<Event> {
        let ring = &self.shards[number as usize].ring;
        ring.iter().skip(ring.len().saturating_sub(max)).copied().collect()
    }

    /// What a reader that reads on is given of a shard, and what it has missed: how many, and how
    /// many were drained meanwhile.
    fn read(&mut self, number: u32, max: usize) -> (Vec<Event>, u64, u64) {
        let shard = &mut self.shards[number as usize];
        if !shard.open || max == 0 {
            return (Vec::new(), 0, 0);
        }
        let new = shard.ring.iter().filter(|event| event.nc_local_id > shard.read);
        let events: Vec<_> = new.take(max).copied().collect();
        let drained = shard.counts.iter().map(|counts| counts.drained).sum::<u64>();
        let meanwhile = drained - shard.drained_when_read;
        let to = if events.len() == max {
            events[max - 1].nc_local_id
        } else {
            shard.drained_when_read = drained;
            shard.sequence
        };
        let missed = to - shard.read - events.len() as u64;
        shard.read = to;
        (events, missed, meanwhile)
    }

    fn stop(&mut self) {
        self.capturing = false;
        for shard in &mut self.shards {
            shard.open = false;
            for event in shard.ring.drain(..) {
                shard.counts[event.event_type_number as usize].discarded += 1;
            }
        }
    }
}

/// The thread is the one thing that the model does not know.
fn without_thread(events: &[Event]) -> Vec<Event> {
    let strip = |event: &Event| {
        assert_ne!(event.thread_id, 0);
        let mut event = *event;
        event.thread_id = 0;
        event
    };
    events.iter().map(strip).collect()
}

/// Makes the calls and compares after each.
pub(crate) fn run<K: Kind>(ops: &[Op]) {
    let engine: Box<Engine<{ SHARDS as usize }, K>> = Box::default();
    let mut model = Model::new();
    let mut spans = Vec::new();
    let (mut reader, mut read_in) = (engine.reader(), 0);
    for op in ops {
        match *op {
            Op::Start { events, shards, types, names } => {
                let events = u64::from(events % 9) + 1;
                let set: ShardSet = (0..4).filter(|bit| shards >> bit & 1 == 1).collect();
                // Every other time all types, or few emits would be accepted.
                let types = EventSet::from_bits(if names % 2 == 0 { u64::MAX } else { types });
                let most_names = usize::from(names % 5);
                let limits = Limits { max_entries: most_names, ..Limits::DEFAULT };
                let config = Config::new()
                    .events_per_shard_exact(events)
                    .shards(set)
                    .types(types)
                    .name_limits(limits)
                    .clock(Clock::Custom(|| 7));
                let expected = if model.capturing {
                    Err(StartError::AlreadyCapturing)
                } else if set.contains(SHARDS) {
                    Err(StartError::ShardOutOfRange { shard: SHARDS, shards: SHARDS })
                } else if let Some(limit) = K::EVENTS.filter(|limit| events > *limit) {
                    Err(StartError::RingTooLarge { requested: events, limit })
                } else {
                    Ok(())
                };
                assert_eq!(engine.start(&config), expected);
                if expected.is_ok() {
                    model.capturing = true;
                    model.epoch += 1;
                    model.events = K::EVENTS.unwrap_or(events) as usize;
                    model.types = types;
                    model.most_names = K::NAMES.unwrap_or(most_names);
                    model.misdirected = 0;
                    for (number, shard) in (0..).zip(&mut model.shards) {
                        *shard = Shard::new(set.contains(number));
                    }
                }
            }
            Op::StartTooLarge => {
                let requested = Config::MAX_EVENTS_PER_SHARD + 1;
                let limit = K::EVENTS.unwrap_or(Config::MAX_EVENTS_PER_SHARD);
                let expected = if model.capturing {
                    StartError::AlreadyCapturing
                } else {
                    StartError::RingTooLarge { requested, limit }
                };
                let config = Config::new().events_per_shard(requested);
                assert_eq!(engine.start(&config), Err(expected));
            }
            Op::Stop => {
                let expected = if model.capturing { Ok(()) } else { Err(StopError::NotCapturing) };
                assert_eq!(engine.stop(), expected);
                model.stop();
            }
            Op::Close => {
                assert_eq!(engine.close(), Ok(()));
                model.stop();
            }
            Op::Emit { shard, event_type, phase, tracking, seq_id } => {
                let shard = u32::from(shard) % (SHARDS + 1);
                let event_type = event_type_of(event_type);
                let phase = Phase::ALL[usize::from(phase) % 4];
                let own = TrackingId::new(tracking.into());
                let expected = model.emit(
                    shard,
                    event_type,
                    phase,
                    own.map(TrackingId::get),
                    seq_id.map(u64::from),
                );
                let got = match seq_id {
                    None => engine.emit_tracked(shard, event_type, phase, Payload::ZERO, own),
                    Some(seq_id) => {
                        let seq_id = seq_id.into();
                        engine.emit_with_seq(shard, event_type, phase, Payload::ZERO, own, seq_id)
                    }
                };
                assert_eq!(got.map(TrackingId::get), expected);
            }
            Op::SpanStart { shard, event_type } => {
                let shard = u32::from(shard) % (SHARDS + 1);
                let event_type = event_type_of(event_type);
                let expected = model.emit(shard, event_type, Phase::Start, None, None);
                let span = engine.span(shard, event_type, Payload::ZERO);
                assert_eq!(span.tracking_id().map(TrackingId::get), expected);
                spans.push((span, shard, event_type, expected, model.epoch));
            }
            Op::SpanEnd(which) => {
                if !spans.is_empty() {
                    let which = usize::from(which) % spans.len();
                    let (span, shard, event_type, started, epoch) = spans.swap_remove(which);
                    drop(span);
                    if started.is_some() && epoch == model.epoch {
                        model.emit(shard, event_type, Phase::Stop, started, None);
                    }
                }
            }
            Op::Drain { shard, max } => {
                let shard = u32::from(shard) % (SHARDS + 1);
                let mut out = vec![Event::ZERO; usize::from(max % 12)];
                let got = engine.drain(shard, &mut out);
                if !model.capturing {
                    assert_eq!(got, Err(DrainError::NotCapturing));
                } else if shard >= SHARDS {
                    assert_eq!(got, Err(DrainError::ShardOutOfRange { shard, shards: SHARDS }));
                } else {
                    let expected = model.drain(shard, out.len());
                    assert_eq!(without_thread(&out[..got.unwrap()]), expected);
                }
            }
            Op::DrainAll(max) => {
                let max = if max > 200 { usize::MAX } else { usize::from(max % 12) };
                let got = engine.drain_all(max);
                if model.capturing {
                    // One time for all events: by shard, then sequence.
                    let expected: Vec<_> =
                        (0..SHARDS).flat_map(|shard| model.drain(shard, max)).collect();
                    assert_eq!(without_thread(&got.unwrap()), expected);
                } else {
                    assert_eq!(got, Err(NotCapturing));
                }
            }
            Op::Intern { shard, name } => {
                let shard = u32::from(shard) % (SHARDS + 1);
                let name = NAMES[usize::from(name) % NAMES.len()];
                assert_eq!(K::intern(&engine, shard, name), Symbol::of(name));
                let most = model.most_names;
                if let Some(shard) = model.shards.get_mut(shard as usize).filter(|it| it.open) {
                    if shard.names.len() < most || shard.names.contains(name) {
                        shard.names.insert(name);
                    } else {
                        shard.names_dropped += 1;
                    }
                }
            }
            Op::Look => compare(&engine, &model),
            Op::Snapshot { shard, max } => {
                let shard = u32::from(shard) % (SHARDS + 1);
                let mut out = vec![Event::ZERO; usize::from(max % 12)];
                let got = engine.snapshot(shard, &mut out);
                if !model.capturing {
                    assert_eq!(got, Err(DrainError::NotCapturing));
                } else if shard >= SHARDS {
                    assert_eq!(got, Err(DrainError::ShardOutOfRange { shard, shards: SHARDS }));
                } else {
                    let expected = model.snapshot(shard, out.len());
                    assert_eq!(without_thread(&out[..got.unwrap()]), expected);
                }
            }
            Op::SnapshotAll(max) => {
                let max = if max > 200 { usize::MAX } else { usize::from(max % 12) };
                let got = engine.snapshot_all(max);
                if model.capturing {
                    let expected: Vec<_> =
                        (0..SHARDS).flat_map(|shard| model.snapshot(shard, max)).collect();
                    assert_eq!(without_thread(&got.unwrap()), expected);
                } else {
                    assert_eq!(got, Err(NotCapturing));
                }
            }
            Op::Read(max) => {
                let max = if max > 200 { usize::MAX } else { usize::from(max % 12) };
                let got = reader.read(max);
                if !model.capturing {
                    assert_eq!(got, Err(NotCapturing));
                    continue;
                }
                let got = got.unwrap();
                let (mut events, mut missed_in, mut more) = (Vec::new(), Vec::new(), false);
                for shard in 0..SHARDS {
                    let (new, missed, drained) = model.read(shard, max);
                    more |= max > 0 && new.len() == max;
                    events.extend(new);
                    if missed > 0 {
                        missed_in.push((shard, missed, drained));
                    }
                }
                assert_eq!((got.epoch, got.starts_anew), (model.epoch, read_in != model.epoch));
                read_in = model.epoch;
                assert_eq!(without_thread(&got.events), events);
                let missed = got.missed_in.iter().map(|it| (it.shard, it.count, it.drained));
                assert_eq!(missed.collect::<Vec<_>>(), missed_in);
                assert_eq!(got.more, more);
            }
        }
    }
    compare(&engine, &model);
    // What remains open stops here, in its own capture or nowhere.
    for (span, shard, event_type, started, epoch) in spans {
        drop(span);
        if started.is_some() && epoch == model.epoch {
            model.emit(shard, event_type, Phase::Stop, started, None);
        }
    }
    compare(&engine, &model);
}

fn compare<K: Kind>(engine: &Engine<{ SHARDS as usize }, K>, model: &Model) {
    assert_eq!(engine.is_capturing(), model.capturing);
    assert_eq!(engine.capture_info().map_or(0, |info| info.epoch), model.epoch);
    assert_eq!(engine.ring_size(), model.events as u64);
    assert_eq!(engine.misdirected(), model.misdirected);
    assert_eq!(engine.shard_counts(SHARDS), None);
    let mut took_part = Vec::new();
    for (number, shard) in (0..).zip(&model.shards) {
        let counts = engine.shard_counts(number).unwrap();
        assert_eq!(counts.by_type, shard.counts);
        assert_eq!(counts.total, shard.counts.iter().copied().sum());
        for event_type in EventType::ALL.into_iter().step_by(15) {
            assert_eq!(engine.counts_of(number, event_type), Some(*counts.of(event_type)));
        }
        assert_eq!((counts.shard, counts.refused), (number, 0));
        // The identity, which the model keeps by another way.
        assert_eq!(counts.total.live(), shard.ring.len() as u64);
        assert_eq!(engine.resident(number), shard.ring.len());
        assert_eq!(engine.names_dropped(number), shard.names_dropped);
        if shard.took_part {
            took_part.push(counts);
        }
    }
    assert_eq!(engine.counts(), took_part);
    let open = model.shards.iter().filter(|shard| shard.open);
    assert_eq!(engine.total_event_count(), open.map(|it| it.sequence).sum::<u64>());
    assert_eq!(engine.loss(), took_part.iter().map(|it| it.total).sum());
    let names: BTreeSet<_> = model.shards.iter().flat_map(|shard| &shard.names).collect();
    let mut expected: Vec<_> =
        names.iter().map(|name| (Symbol::of(name), name.to_string())).collect();
    expected.sort();
    assert_eq!(K::names(engine), expected);
}
