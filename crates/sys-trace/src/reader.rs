//! Following a capture: each call returns what is new, and says what was missed.

use alloc::vec::Vec;

use crate::drain::{CHUNK, merge};
use crate::engine::Engine;
use crate::error::NotCapturing;
use crate::event::Event;
use crate::sets::ShardSet;
use crate::storage::{DefaultStorage, Storage};
use crate::track::Track;

/// A reader that takes nothing and remembers how far it has come, shard by shard.
///
/// Any number of them, and of drains, may read one engine. A reader sees every event at most once.
/// What it did not see it counts: every sequence number of a capture, from the first, is in one of
/// its batches as an event, or counted there as missed, or not dealt with yet. A capture that was
/// stopped is gone: read before.
///
/// About 0.6 KiB for each shard of the engine.
///
/// ```
/// # #[cfg(feature = "std")] {
/// use sys_trace::{Config, Engine, EventType, Payload, Phase};
/// let engine: Box<Engine<1>> = Box::default();
/// engine.start(&Config::new().events_per_shard(1024)).unwrap();
/// let emit = |times| {
///     for _ in 0..times {
///         engine.emit(0, EventType::Generic, Phase::Instant, Payload::ZERO);
///     }
/// };
/// let mut reader = engine.reader();
/// emit(3);
/// assert_eq!(reader.read(usize::MAX).unwrap().events.len(), 3);
/// emit(2000); // the ring holds 1024
/// let batch = reader.read(usize::MAX).unwrap();
/// assert_eq!((batch.events.len(), batch.missed()), (1024, 976));
/// # }
/// ```
#[must_use = "a reader does nothing until it reads"]
pub struct Reader<'a, const SHARDS: usize = 256, S: Storage = DefaultStorage> {
    engine: &'a Engine<SHARDS, S>,
    wanted: ShardSet,
    /// Of the capture that the tracks belong to; 0 before the first.
    epoch: u64,
    /// By shard; empty before the first capture.
    tracks: Vec<Track>,
}

/// What [`Reader::read`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Batch {
    /// Number of the capture that all of it belongs to.
    pub epoch: u64,
    /// This is the reader's first batch of this capture: it knows nothing of an earlier one, whose
    /// unread events were discarded when it stopped.
    pub starts_anew: bool,
    /// The events, by time, then shard, then sequence number. Batches follow one another in each
    /// shard's order, but an event that was being recorded when the last batch was read comes late.
    pub events: Vec<Event>,
    /// The shards in which events were missed, rising.
    pub missed_in: Vec<Missed>,
    /// `max_per_shard` or what was there at the beginning has been read, and there may be more.
    pub more: bool,
}

impl Batch {
    /// Missed in all shards together.
    #[must_use]
    pub fn missed(&self) -> u64 {
        self.missed_in.iter().map(|it| it.count).sum()
    }
}

/// How many events of one shard a [`Reader`] missed between two calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Missed {
    /// Number of the shard.
    pub shard: u32,
    /// Sequence numbers that have gone by without this reader seeing an event: overwritten, or
    /// drained by somebody else, or never given to an event because a writer had to pass by a slot
    /// in use.
    pub count: u64,
    /// Events of the shard that were drained since this reader last had read all there was. If no
    /// drain is at work meanwhile, 0 says that none of `count` was drained. Otherwise it is an upper
    /// bound: some may have been seen here before, and a ring does not keep which.
    pub drained: u64,
}

impl<const SHARDS: usize, S: Storage> Engine<SHARDS, S> {
    /// A reader of all shards, at the beginning of the running capture or of the next one.
    pub const fn reader(&self) -> Reader<'_, SHARDS, S> {
        self.reader_of(ShardSet::ALL)
    }

    /// A reader of some shards; those that the engine has not, or does not capture, have no events.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use sys_trace::{Config, Engine, EventType, Payload, Phase, ShardSet};
    /// let engine: Box<Engine<2>> = Box::default();
    /// engine.start(&Config::new()).unwrap();
    /// let mut reader = engine.reader_of(ShardSet::from_iter([1]));
    /// engine.emit(0, EventType::Generic, Phase::Instant, Payload::ZERO);
    /// assert_eq!(reader.read(9).unwrap().events, []);
    /// # }
    /// ```
    pub const fn reader_of(&self, shards: ShardSet) -> Reader<'_, SHARDS, S> {
        Reader { engine: self, wanted: shards, epoch: 0, tracks: Vec::new() }
    }
}

/// What became of an attempt to read a portion.
enum Portion {
    /// So many events; fewer than there was room for if there is no more.
    Read(usize),
    /// The capture has ended, or the shard takes no part.
    None,
}

impl<const SHARDS: usize, S: Storage> Reader<'_, SHARDS, S> {
    /// Up to `max_per_shard` events of every shard that this reader has not returned yet, oldest
    /// first, and how many have gone unseen.
    ///
    /// Copies at most `max_per_shard` events a shard, and takes memory for as many as there are.
    /// What is recorded while it runs is left for the next call. Emitters are not held up; what
    /// [`snapshot`](Engine::snapshot) says of copies holds here too.
    ///
    /// In one shard at most 32 events that are being recorded are kept in mind between calls; what
    /// comes of further ones counts as missed.
    ///
    /// # Errors
    /// [`NotCapturing`] if no capture runs. A stop that comes meanwhile ends the call early: what was
    /// copied until then is returned, and nothing of another capture.
    ///
    /// # Panics
    /// As any `Vec` does when memory is short; each portion of memory is had before the events for
    /// it are copied.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use sys_trace::{Config, Engine, EventType, NotCapturing, Payload, Phase};
    /// let engine: Box<Engine<1>> = Box::default();
    /// let mut reader = engine.reader();
    /// assert_eq!(reader.read(9), Err(NotCapturing));
    /// for _ in 0..2 {
    ///     engine.start(&Config::new()).unwrap();
    ///     engine.emit(0, EventType::Generic, Phase::Instant, Payload::ZERO);
    ///     let batch = reader.read(9).unwrap();
    ///     assert_eq!((batch.starts_anew, batch.events.len(), batch.missed()), (true, 1, 0));
    ///     assert!(!reader.read(9).unwrap().starts_anew);
    ///     engine.stop().unwrap();
    /// }
    /// # }
    /// ```
    pub fn read(&mut self, max_per_shard: usize) -> Result<Batch, NotCapturing> {
        let epoch = self.engine.core().run.ok_or(NotCapturing)?.epoch;
        let starts_anew = epoch != self.epoch;
        if starts_anew {
            self.tracks.clear();
            self.tracks.resize_with(SHARDS, Track::new);
            self.epoch = epoch;
        }
        let (events, missed_in) = (Vec::new(), Vec::new());
        let mut batch = Batch { epoch, starts_anew, events, missed_in, more: false };
        let mut chunk = [Event::ZERO; CHUNK];
        for shard in self.wanted.iter().take_while(|&shard| shard < SHARDS as u32) {
            // One more than there is, to see the end. It shows what was missed, too, where there is
            // nothing.
            let mut left = max_per_shard.min(self.engine.resident(shard).saturating_add(1));
            while left > 0 {
                let wanted = left.min(CHUNK);
                batch.events.reserve(wanted);
                batch.missed_in.reserve(1);
                match self.read_portion(shard, &mut chunk[..wanted], &mut batch.missed_in) {
                    Portion::Read(count) => {
                        batch.events.extend_from_slice(&chunk[..count]);
                        left = if count < wanted { break } else { left - count };
                        batch.more |= left == 0;
                    }
                    Portion::None => break,
                }
            }
            self.engine.report_loss(shard, Some(epoch));
        }
        merge(&mut batch.events);
        Ok(batch)
    }

    /// Fills `out` with what is new of a shard, and adds to its entry, the last one, of `missed_in`.
    fn read_portion(
        &mut self,
        shard: u32,
        out: &mut [Event],
        missed_in: &mut Vec<Missed>,
    ) -> Portion {
        let core = self.engine.core();
        let run = core.run.as_ref().filter(|run| run.epoch == self.epoch);
        let (parts, track) = (core.shards.get(shard as usize), self.tracks.get_mut(shard as usize));
        let (Some(run), Some(parts), Some(track)) = (run, parts, track) else {
            return Portion::None;
        };
        let Some(ring) = parts.ring() else { return Portion::None };
        // Before the look at the ring: what is drained after it is the next call's.
        let drained_before = parts.totals.drained_in_all();
        let count = track.read(ring, &parts.totals, out);
        self.engine.tell(&run.clock, &mut out[..count]);
        let (missed, drained) = (track.take_missed(), track.drained_since(&parts.totals));
        if count < out.len() {
            track.caught_up(drained_before);
        }
        match missed_in.last_mut().filter(|last| last.shard == shard) {
            Some(last) => {
                last.count += missed;
                last.drained = drained;
            }
            None if missed > 0 => missed_in.push(Missed { shard, count: missed, drained }),
            None => {}
        }
        Portion::Read(count)
    }
}

impl<const SHARDS: usize, S: Storage> core::fmt::Debug for Reader<'_, SHARDS, S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Reader")
            .field("shards", &self.wanted)
            .field("epoch", &self.epoch)
            .finish_non_exhaustive()
    }
}
