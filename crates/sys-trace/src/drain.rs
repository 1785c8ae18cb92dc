//! Reading: drain → shard → the caller's buffer.

use crate::capture::{Core, Run, ShardParts};
use crate::clock::RunningClock;
use crate::engine::Engine;
use crate::error::DrainError;
use crate::event::Event;
use crate::storage::Storage;

/// Events that are copied in one go, between looks at whether there is memory for more.
/// (Models have small stacks.)
#[cfg(feature = "alloc")]
pub(crate) const CHUNK: usize = if cfg!(loom) { 4 } else { 256 };

/// Sorts events of many shards by time, then shard, then sequence number.
#[cfg(feature = "alloc")]
pub(crate) fn merge(events: &mut [Event]) {
    events.sort_unstable_by_key(|event| (event.timestamp_ns, event.nc_idx, event.nc_local_id));
}

impl<const SHARDS: usize, S: Storage> Engine<SHARDS, S> {
    /// Takes up to `out.len()` of the oldest events of `shard`, oldest first, into `out`; returns
    /// how many. Consuming: an event is drained once.
    ///
    /// Emitters go on meanwhile. An event whose emitter is stopped in the middle of it is stepped
    /// over and comes in a later drain. 0 means that nothing was there, or that the shard is not
    /// captured.
    ///
    /// # Errors
    /// [`DrainError`]: no capture runs, or there is no such shard.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use sys_trace::{Config, Engine, Event, EventType, Payload, Phase};
    /// let engine: Box<Engine<2>> = Box::default();
    /// engine.start(&Config::new()).unwrap();
    /// for _ in 0..5 {
    ///     engine.emit(1, EventType::Generic, Phase::Instant, Payload::ZERO);
    /// }
    /// let mut buffer = [Event::ZERO; 3];
    /// assert_eq!(engine.drain(1, &mut buffer), Ok(3));
    /// assert_eq!(buffer[0].nc_local_id, 1);
    /// assert_eq!(engine.drain(1, &mut buffer), Ok(2));
    /// assert_eq!(engine.drain(1, &mut buffer), Ok(0));
    /// # }
    /// ```
    pub fn drain(&self, shard: u32, out: &mut [Event]) -> Result<usize, DrainError> {
        let outcome = self.drain_of(None, shard, out);
        self.report_loss(shard, None);
        outcome
    }

    /// [`drain`](Self::drain), of this capture only if one is named.
    fn drain_of(
        &self,
        epoch: Option<u64>,
        shard: u32,
        out: &mut [Event],
    ) -> Result<usize, DrainError> {
        let core = self.core();
        let run = run_of(&core, epoch)?;
        let parts = parts_of(&core, shard)?;
        let Some(ring) = parts.ring() else { return Ok(0) };
        let mut count = 0;
        for (place, event) in out.iter_mut().zip(ring.drain(usize::MAX)) {
            if !syncface::mutant::is("sys_trace.drained_uncounted") {
                parts.totals.drained(&event);
            }
            *place = event;
            count += 1;
        }
        self.tell(&run.clock, &mut out[..count]);
        Ok(count)
    }

    /// Turns the stamps of events that have just been taken into times.
    pub(crate) fn tell(&self, clock: &RunningClock, events: &mut [Event]) {
        // On other clocks a stamp is a time, and a handler may drain where another drain was.
        if events.is_empty() || !clock.needs_a_teller() {
            return;
        }
        // One reader at a time renews; another's is as good if it came after the events.
        let teller = {
            let mut teller = self.teller.write();
            teller.as_mut().map(|teller| {
                teller.renew();
                *teller
            })
        };
        if let Some(teller) = teller {
            for event in events {
                event.timestamp_ns = teller.tell(event.timestamp_ns);
            }
        }
    }

    /// About how many events are in the ring of `shard`: a snapshot; 0 if it is not captured.
    #[must_use]
    pub fn resident(&self, shard: u32) -> usize {
        let core = self.core();
        let ring = core.shards.get(shard as usize).and_then(|parts| parts.ring());
        ring.map_or(0, lapring::Ring::len)
    }
}

#[cfg(feature = "alloc")]
impl<const SHARDS: usize, S: Storage> Engine<SHARDS, S> {
    /// Takes up to `max_per_shard` events of every shard and merges them by time, then shard, then
    /// sequence number.
    ///
    /// Where two emitters of one shard overlapped, the one with the later sequence number may have
    /// read the clock first, and comes first here; `nc_local_id` tells the shard's own order.
    ///
    /// # Errors
    /// [`NotCapturing`](crate::NotCapturing) if no capture runs. A stop that comes meanwhile ends the drain early: what
    /// was taken until then is returned, and nothing of another capture.
    ///
    /// # Panics
    /// As any `Vec` does when memory is short; each portion of memory is had before the events for
    /// it are taken.
    pub fn drain_all(
        &self,
        max_per_shard: usize,
    ) -> Result<alloc::vec::Vec<Event>, crate::NotCapturing> {
        let epoch = self.core().run.ok_or(crate::NotCapturing)?.epoch;
        let mut events = alloc::vec::Vec::new();
        let mut chunk = [Event::ZERO; CHUNK];
        for shard in 0..SHARDS as u32 {
            // What is pushed while this runs is left for the next call, or a fast emitter could
            // keep it here for ever.
            let left = max_per_shard.min(self.resident(shard));
            let take = |out: &mut [Event]| self.drain_of(Some(epoch), shard, out).unwrap_or(0);
            gather(&mut events, &mut chunk, left, take);
            self.report_loss(shard, Some(epoch));
        }
        merge(&mut events);
        Ok(events)
    }
}

/// Adds up to `left` events, a chunk at a time, until `next` has put none into the slice it gets. Memory
/// is had before the events for it are.
#[cfg(feature = "alloc")]
pub(crate) fn gather(
    events: &mut alloc::vec::Vec<Event>,
    chunk: &mut [Event; CHUNK],
    mut left: usize,
    mut next: impl FnMut(&mut [Event]) -> usize,
) {
    while left > 0 {
        let wanted = left.min(CHUNK);
        events.reserve(wanted);
        let count = next(&mut chunk[..wanted]);
        if count == 0 {
            break;
        }
        events.extend_from_slice(&chunk[..count]);
        left -= count;
    }
}

/// The running capture, if it has this number where one is named.
pub(crate) fn run_of<const SHARDS: usize, S: Storage>(
    core: &Core<SHARDS, S>,
    epoch: Option<u64>,
) -> Result<&Run, DrainError> {
    let run = core.run.as_ref().filter(|run| epoch.is_none_or(|epoch| epoch == run.epoch));
    run.ok_or(DrainError::NotCapturing)
}

/// The shard, or the error that names it.
pub(crate) fn parts_of<const SHARDS: usize, S: Storage>(
    core: &Core<SHARDS, S>,
    shard: u32,
) -> Result<&ShardParts<S>, DrainError> {
    let shards = SHARDS as u32;
    let parts = core.shards.get(shard as usize);
    parts.map(|parts| &**parts).ok_or(DrainError::ShardOutOfRange { shard, shards })
}
