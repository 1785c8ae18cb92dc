//! Emitting: gate → shard → ring.

use core::mem::ManuallyDrop;
use core::num::NonZeroU64;

use syncface::mutant;

use crate::engine::Engine;
use crate::event::Event;
use crate::event_type::EventType;
use crate::payload::Payload;
use crate::phase::Phase;
use crate::storage::{Storage, Tallies};
use crate::thread_id;
use crate::try_emit::NotRecorded;

/// Sequence numbers take this many bits of an event's id; the shard's number stands above them.
const SEQUENCE_BITS: u32 = 50;

/// What pairs the stop of a span with its start.
///
/// ```
/// use sys_trace::TrackingId;
/// assert_eq!(TrackingId::new(0), None);
/// assert_eq!(TrackingId::new(9).unwrap().get(), 9);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct TrackingId(NonZeroU64);

impl TrackingId {
    /// `id` as a tracking id; `None` for 0, which means "none" in a record.
    #[must_use]
    pub const fn new(id: u64) -> Option<Self> {
        match NonZeroU64::new(id) {
            Some(id) => Some(Self(id)),
            None => None,
        }
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0.get()
    }
}

/// The part of an id that counts: 1 to 2^50 - 1 for any sequence number, never 0, so that no
/// generated id is 0 and none can reach into the shard's bits.
///
/// After 2^50 - 1 events of one shard (a year at 35 million a second) ids repeat; `nc_local_id`
/// goes on counting, so that the number of repeats is `nc_local_id / (2^50 - 1)`.
const fn counting_part(sequence: u64) -> u64 {
    const PERIOD: u64 = (1 << SEQUENCE_BITS) - 1;
    if sequence <= PERIOD { sequence } else { (sequence - 1) % PERIOD + 1 }
}

/// What few events have.
pub(crate) struct Extra {
    pub(crate) seq_id: Option<u64>,
    /// No other capture than the one of this epoch accepts the event.
    pub(crate) only_in: Option<u64>,
}

/// What became of an event, in two registers, which a `Result` of the same would not get.
pub(crate) struct Recorded {
    /// `None` if it was not recorded.
    pub(crate) tracking: Option<TrackingId>,
    /// The epoch of the capture that has it, or why none has.
    detail: u64,
}

impl Recorded {
    #[inline(always)]
    const fn not(reason: NotRecorded) -> Self {
        Self { tracking: None, detail: reason as u64 }
    }

    /// Tracking id and epoch.
    #[inline(always)]
    pub(crate) fn result(self) -> Result<(TrackingId, u64), NotRecorded> {
        match self.tracking {
            Some(tracking) => Ok((tracking, self.detail)),
            None => Err(NotRecorded::from_number(self.detail)),
        }
    }
}

impl<const SHARDS: usize, S: Storage> Engine<SHARDS, S> {
    /// Records one event on `shard` under a tracking id of its own; returns that id, for the stop
    /// to carry, or `None` if the event was not accepted.
    ///
    /// Not accepted are: anything while no capture runs (one load and a branch), a type or shard
    /// that is not enabled, a shard that does not exist ([counted](Engine::misdirected)), an emit
    /// that meets a start or stop at work (counted as `refused`), and one that finds every slot
    /// of the ring in the middle of a copy (counted as created and displaced).
    /// [`try_emit`](Self::try_emit) tells which.
    ///
    /// Never waits and never allocates, so it may be called wherever the interrupted code may be in
    /// the middle of an emit, a drain or a stop itself: from signal handlers, an allocator, a `Drop`.
    /// (A thread's first emit may allocate once, for the sake of [`parkspin::Gated::enter`].)
    /// On a full ring the oldest event makes room and is counted as displaced.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use sys_trace::{Config, Engine, EventType, Payload, Phase};
    /// let engine: Box<Engine<4>> = Box::default();
    /// assert_eq!(engine.emit(0, EventType::Generic, Phase::Instant, Payload::ZERO), None); // off
    /// engine.start(&Config::new()).unwrap();
    /// assert!(engine.emit(0, EventType::Generic, Phase::Instant, Payload::ZERO).is_some());
    /// assert_eq!(engine.emit(4, EventType::Generic, Phase::Instant, Payload::ZERO), None);
    /// assert_eq!(engine.misdirected(), 1);
    /// # }
    /// ```
    #[inline]
    pub fn emit(
        &self,
        shard: u32,
        event_type: EventType,
        phase: Phase,
        payload: impl Into<Payload>,
    ) -> Option<TrackingId> {
        self.emit_tracked(shard, event_type, phase, payload, None)
    }

    /// [`emit`](Self::emit) under the caller's tracking id; `None` generates one.
    ///
    /// This is how a stop is recorded: with what the start returned. Ids are unique within a
    /// capture; a stop that may come after the next start belongs to a [`Span`](crate::Span), which
    /// keeps it out of a capture that is not its own.
    #[inline]
    pub fn emit_tracked(
        &self,
        shard: u32,
        event_type: EventType,
        phase: Phase,
        payload: impl Into<Payload>,
        tracking: Option<TrackingId>,
    ) -> Option<TrackingId> {
        self.try_emit(shard, event_type, phase, payload, tracking).ok()
    }

    /// [`emit_tracked`](Self::emit_tracked) that also carries a sequence id of the runtime.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use sys_trace::{Config, Engine, EventType, Payload, Phase};
    /// let engine: Box<Engine<1>> = Box::default();
    /// engine.start(&Config::new()).unwrap();
    /// let id = engine.emit_with_seq(0, EventType::CcExec, Phase::Start, Payload::ZERO, None, 77);
    /// let event = engine.drain_all(usize::MAX).unwrap()[0];
    /// assert_eq!(event.seq_id(), Some(77));
    /// assert_eq!(event.tracking_id, id.unwrap().get());
    /// # }
    /// ```
    #[inline]
    pub fn emit_with_seq(
        &self,
        shard: u32,
        event_type: EventType,
        phase: Phase,
        payload: impl Into<Payload>,
        tracking: Option<TrackingId>,
        seq_id: u64,
    ) -> Option<TrackingId> {
        if !self.switch.is_on() {
            return None;
        }
        let extra = Extra { seq_id: Some(seq_id), only_in: None };
        self.record(shard, event_type, phase, payload.into(), tracking, Some(&extra)).tracking
    }

    /// Records one event behind the gate.
    pub(crate) fn record(
        &self,
        shard: u32,
        event_type: EventType,
        phase: Phase,
        payload: Payload,
        tracking: Option<TrackingId>,
        extra: Option<&Extra>,
    ) -> Recorded {
        let Some(side) = self.sides.get(shard as usize) else {
            self.misdirected.add(1);
            return Recorded::not(NotRecorded::NoSuchShard);
        };
        // Never waits, whatever it interrupted; refused only while a start or stop is at work.
        let Some(core) = self.core.enter() else {
            if !mutant::is("sys_trace.refused_uncounted") {
                side.refused.add(1);
            }
            return Recorded::not(NotRecorded::Refused);
        };
        let Some(run) = core.run.as_ref() else {
            return Recorded::not(NotRecorded::Off);
        };
        let Some(parts) = core.shards.get(shard as usize) else {
            return Recorded::not(NotRecorded::NoSuchShard);
        };
        let Some(ring) = parts.ring() else {
            return Recorded::not(NotRecorded::ShardOff);
        };
        if !run.types.contains(event_type) {
            return Recorded::not(NotRecorded::TypeOff);
        }
        if extra.is_some_and(|extra| is_foreign(extra.only_in, run.epoch)) {
            return Recorded::not(NotRecorded::Off);
        }
        // Whatever may take its time, before the slot is claimed. The event itself is put together in
        // the slot, where a copy would have to wait for the stores before it.
        let thread_id = run.context.map_or_else(thread_id::current, |context| context());
        let timestamp_ns = run.clock.stamp();
        // Nothing panics until the slot is filled, and what need not be dropped on the way can stay in
        // registers.
        let Some(slot) = ring.reserve().map(ManuallyDrop::new) else {
            if !mutant::is("sys_trace.rejected_uncounted") {
                parts.totals.created(event_type, Some(event_type as u32));
            }
            return Recorded::not(NotRecorded::Rejected);
        };
        let sequence = slot.number() as u64 + 1;
        let id = counting_part(sequence) | u64::from(shard) << SEQUENCE_BITS;
        // The counting part is not 0, so nothing is made up here.
        let generated = NonZeroU64::new(id).unwrap_or(NonZeroU64::MIN);
        let tracking = tracking.unwrap_or(TrackingId(generated));
        let lost = slot.displaced().map(|lost| lost.event_type_number);
        let lost = lost.filter(|_| !mutant::is("sys_trace.displaced_uncounted"));
        // By plain stores if this thread has a tally to itself: see `tally`.
        if !mutant::is("sys_trace.created_uncounted")
            && !core.tallies.count(core.soloist(), shard, event_type, lost, &core.shards)
        {
            parts.totals.created(event_type, lost);
        }
        let mut event = Event::new(event_type, phase);
        event.thread_id = thread_id;
        event.id = id;
        event.nc_local_id = sequence;
        event.tracking_id = tracking.get();
        event.timestamp_ns = timestamp_ns;
        event.payload = payload;
        event.nc_idx = shard;
        if let Some(seq_id) = extra.and_then(|extra| extra.seq_id) {
            event.nrta_seq_id = seq_id;
            event.has_nrta_seq_id = true;
        }
        ManuallyDrop::into_inner(slot).replace(event);
        Recorded { tracking: Some(tracking), detail: run.epoch }
    }
}

/// Whether an event is wanted only in another capture than the one that runs.
#[inline(always)]
fn is_foreign(only_in: Option<u64>, epoch: u64) -> bool {
    only_in.is_some_and(|only_in| only_in != epoch) && !mutant::is("sys_trace.epoch_unchecked")
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn ids_are_never_zero_and_never_reach_the_shard_bits() {
        let last = (1 << SEQUENCE_BITS) - 1;
        assert_eq!(counting_part(1), 1);
        assert_eq!(counting_part(last), last);
        assert_eq!(counting_part(last + 1), 1);
        assert_eq!(counting_part(2 * last), last);
        assert_eq!(counting_part(2 * last + 1), 1);
        for sequence in [1, 2, last - 1, last, last + 1, u64::MAX - 1, u64::MAX] {
            let part = counting_part(sequence);
            assert!(part != 0 && part >> SEQUENCE_BITS == 0, "{sequence}");
        }
    }
}
