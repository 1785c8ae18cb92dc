//! Copies of what a capture holds: nothing is taken.

#[cfg(feature = "alloc")]
use crate::drain::{CHUNK, gather, merge};
use crate::drain::{parts_of, run_of};
use crate::engine::Engine;
use crate::error::DrainError;
use crate::event::Event;
use crate::storage::Storage;
use crate::track::Track;

impl<const SHARDS: usize, S: Storage> Engine<SHARDS, S> {
    /// Copies up to `out.len()` of the newest events of `shard`, oldest first, into `out`; returns
    /// how many. They stay: nothing is counted as drained.
    ///
    /// Emitters go on meanwhile. An event that is still being recorded is left out. One whose time is
    /// over while it is being copied leaves its ring with the copy, and counts as displaced.
    ///
    /// Not one moment in time: events recorded while this runs may be among the copies, and older
    /// ones may have left; `nc_local_id` shows gaps. With `Clock::Cycles` the time of one
    /// event may come out some nanoseconds different each time that it is read.
    ///
    /// # Errors
    /// [`DrainError`]: no capture runs, or there is no such shard.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use sys_trace::{Config, Engine, Event, EventType, Payload, Phase};
    /// let engine: Box<Engine<1>> = Box::default();
    /// engine.start(&Config::new()).unwrap();
    /// for _ in 0..5 {
    ///     engine.emit(0, EventType::Generic, Phase::Instant, Payload::ZERO);
    /// }
    /// let mut newest = [Event::ZERO; 2];
    /// assert_eq!(engine.snapshot(0, &mut newest), Ok(2));
    /// assert_eq!([newest[0].nc_local_id, newest[1].nc_local_id], [4, 5]);
    /// assert_eq!(engine.resident(0), 5);
    /// # }
    /// ```
    pub fn snapshot(&self, shard: u32, out: &mut [Event]) -> Result<usize, DrainError> {
        let wanted = out.len();
        let outcome = self.copy_of(None, shard, wanted, &mut None, out);
        self.report_loss(shard, None);
        outcome
    }

    /// [`snapshot`](Self::snapshot) of every shard, up to `max_per_shard` of the newest events of
    /// each, merged by time, then shard, then sequence number as by `drain_all`.
    ///
    /// # Errors
    /// [`NotCapturing`](crate::NotCapturing) if no capture runs. A stop that comes meanwhile ends the snapshot early: what
    /// was copied until then is returned, and nothing of another capture.
    ///
    /// # Panics
    /// As any `Vec` does when memory is short.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use sys_trace::{Config, Engine, EventType, Payload, Phase};
    /// let engine: Box<Engine<2>> = Box::default();
    /// engine.start(&Config::new()).unwrap();
    /// engine.emit(1, EventType::Generic, Phase::Instant, Payload::ZERO);
    /// for _ in 0..2 {
    ///     assert_eq!(engine.snapshot_all(100).unwrap().len(), 1);
    /// }
    /// assert_eq!(engine.drain_all(100).unwrap().len(), 1);
    /// # }
    /// ```
    #[cfg(feature = "alloc")]
    pub fn snapshot_all(
        &self,
        max_per_shard: usize,
    ) -> Result<alloc::vec::Vec<Event>, crate::NotCapturing> {
        let epoch = self.core().run.ok_or(crate::NotCapturing)?.epoch;
        let mut events = alloc::vec::Vec::new();
        let mut chunk = [Event::ZERO; CHUNK];
        for shard in 0..SHARDS as u32 {
            let newest = max_per_shard.min(self.resident(shard));
            let mut track = None;
            let copy = |out: &mut [Event]| {
                self.copy_of(Some(epoch), shard, newest, &mut track, out).unwrap_or(0)
            };
            gather(&mut events, &mut chunk, newest, copy);
            self.report_loss(shard, Some(epoch));
        }
        merge(&mut events);
        Ok(events)
    }

    /// Copies on from `track`, which starts before the `newest` events; of this capture only if one
    /// is named.
    fn copy_of(
        &self,
        epoch: Option<u64>,
        shard: u32,
        newest: usize,
        track: &mut Option<Track>,
        out: &mut [Event],
    ) -> Result<usize, DrainError> {
        let core = self.core();
        let run = run_of(&core, epoch)?;
        let parts = parts_of(&core, shard)?;
        let Some(ring) = parts.ring() else { return Ok(0) };
        let track = track.get_or_insert_with(|| Track::before_newest(ring, newest));
        let count = track.read(ring, &parts.totals, out);
        self.tell(&run.clock, &mut out[..count]);
        Ok(count)
    }
}
