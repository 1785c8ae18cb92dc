//! The engine: its shards, and the life of a capture.
//!
//! # Who excludes whom
//! Emitters enter the gate of the core, and never wait. Drains and questions share the core. Start
//! and stop lock it, close its gate, wait until nobody is inside, and change it. Who interns enters
//! the gate too; new names of one shard then take turns, which emitters take no part in. No log call
//! and no release of a ring's memory runs under any of them, and no user code but a custom clock,
//! which an emit calls inside the gate, and the allocator, which a new name calls there.

use parkspin::{Gated, RwLock, StillInside};
use syncface::CachePadded;
use syncface::mutant;

use crate::capture::{CaptureInfo, Core, Run};
use crate::clock::{self, RunningClock, Teller};
use crate::config::Config;
use crate::count::Count;
use crate::counts::{Counts, ShardCounts};
use crate::error::{StartError, StopError};
use crate::event_type::EventType;
use crate::fork::{Owner, Renewable};
use crate::patience::Patience;
use crate::storage::{DefaultStorage, Storage, Tallies};
use crate::switch::Switch;

/// A capture engine of `SHARDS` independent shards, 256 unless told otherwise.
///
/// `const` constructible, so it can be a `static`; any number can exist in a process. An idle
/// engine of 256 shards takes about 600 KiB and no heap. What it records goes to the heap, or, in a
/// [`StaticEngine`](crate::StaticEngine), into the engine itself.
///
/// ```
/// # #[cfg(feature = "std")] {
/// use sys_trace::{Config, Engine, EventType, Payload, Phase};
///
/// static ENGINE: Engine = Engine::new();
///
/// ENGINE.start(&Config::new().events_per_shard(4096)).unwrap();
/// let id = ENGINE.emit(7, EventType::ExecuteApi, Phase::Start, Payload::ZERO);
/// ENGINE.emit_tracked(7, EventType::ExecuteApi, Phase::Stop, Payload::ZERO, id);
/// let events = ENGINE.drain_all(usize::MAX).unwrap();
/// assert_eq!(events.len(), 2);
/// assert_eq!(events[0].tracking_id, events[1].tracking_id);
/// ENGINE.stop().unwrap();
/// # }
/// ```
pub struct Engine<const SHARDS: usize = 256, S: Storage = DefaultStorage> {
    pub(crate) switch: Switch,
    /// Emits for shards that do not exist.
    pub(crate) misdirected: Count,
    /// Captures so far.
    epochs: Count,
    pub(crate) owner: Owner,
    pub(crate) core: Renewable<Gated<Core<SHARDS, S>>>,
    /// Of the running capture.
    pub(crate) teller: Renewable<RwLock<Option<Teller>>>,
    pub(crate) sides: [CachePadded<Side>; SHARDS],
    #[cfg(feature = "log")]
    pub(crate) said: crate::report::Said<SHARDS>,
}

/// What a shard has outside of the gate.
pub(crate) struct Side {
    /// Emits turned away by the gate while a start or stop was at work.
    pub(crate) refused: Count,
}

impl Side {
    syncface::maybe_const! {
        fn new() -> Self {
            Self { refused: Count::new() }
        }
    }
}

#[cfg(feature = "alloc")]
impl<const SHARDS: usize> Engine<SHARDS> {
    syncface::maybe_const! {
        /// An idle engine. Allocates nothing.
        ///
        /// More than 256 shards do not compile:
        ///
        /// ```compile_fail
        /// static TOO_MANY: sys_trace::Engine<257> = sys_trace::Engine::new();
        /// ```
        #[must_use]
        pub fn new() -> Self {
            Self::idle()
        }
    }
}

impl<const SHARDS: usize, S: Storage> Engine<SHARDS, S> {
    /// Refused at compile time: at least one shard, and at most the 256 that an id has room for.
    const FITS: () = assert!(SHARDS >= 1 && SHARDS <= 256, "1 to 256 shards");

    syncface::maybe_const! {
        pub(crate) fn idle() -> Self {
            let () = Self::FITS;
            #[cfg(not(loom))]
            let sides = [const { CachePadded::new(Side::new()) }; SHARDS];
            #[cfg(loom)]
            let sides = core::array::from_fn(|_| CachePadded::new(Side::new()));
            Self {
                switch: Switch::new(),
                misdirected: Count::new(),
                epochs: Count::new(),
                owner: Owner::new(),
                core: Renewable::new(Gated::new(Core::new())),
                teller: Renewable::new(RwLock::new(None)),
                sides,
                #[cfg(feature = "log")]
                said: crate::report::Said::new(),
            }
        }
    }

    /// Arms the engine: from its return on, emits are recorded.
    ///
    /// All or nothing: every ring is there before any shard changes. Allocation does not touch the
    /// rings' pages, so it takes about as long for a thousand events as for a million.
    ///
    /// # Errors
    /// [`StartError`], with the engine as it was; a running capture goes on.
    pub fn start(&self, config: &Config) -> Result<(), StartError> {
        self.start_numbered(config).map(|_| ())
    }

    /// [`start`](Self::start); returns the number of the capture.
    pub(crate) fn start_numbered(&self, config: &Config) -> Result<u64, StartError> {
        if !crate::ENABLED {
            return Err(StartError::Disabled);
        }
        if !self.own() {
            return Err(StartError::OutOfMemory { shard: 0, bytes: config.ring_bytes(1) as u64 });
        }
        // A cheap early answer; the one that counts is taken under the lock.
        if self.is_capturing() {
            return Err(StartError::AlreadyCapturing);
        }
        let shards = SHARDS as u32;
        let named = config.shards.iter().flat_map(|named| named.iter());
        if let Some(shard) = { named }.find(|&shard| shard >= shards) {
            return Err(StartError::ShardOutOfRange { shard, shards });
        }
        // What is replaced is let go of with them, after the locks.
        let mut supplies = S::supplies(config, shards)?;
        let clock = RunningClock::start(config.clock).ok_or(StartError::NoClock)?;
        let start_epoch_ns = clock::wall();
        let teller = clock.teller();

        let busy = |still: StillInside| StartError::Busy { emitters: still.entries as u64 };
        let mut patience = Patience::new();
        let locked = self.core.lock(|round| patience.wait(round)).map_err(busy)?;
        if locked.run.is_some() {
            return Err(StartError::AlreadyCapturing);
        }
        // Nothing runs, so the gate is closed; late emitters of the last capture are let out.
        let mut core = locked.close(|round| patience.wait(round)).map_err(busy)?;
        self.epochs.add_alone(1);
        let epoch = self.epochs.get();
        for (number, (shard, side)) in (0..).zip(core.shards.iter_mut().zip(&self.sides)) {
            let takes_part = config.has_shard(number);
            S::arm(&mut supplies, takes_part, &mut shard.ring);
            shard.totals.reset(takes_part);
            side.refused.reset();
            S::renew_names(&mut supplies, &mut shard.names, config);
        }
        S::renew_tallies(&mut supplies, &mut core.tallies);
        core.run = Some(Run { epoch, types: config.types, clock, context: config.context });
        core.info = Some(CaptureInfo {
            epoch,
            clock: clock.clock.name(),
            clock_error_ns: teller.error_ns(),
            start_ns: clock.start_ns,
            stop_ns: None,
            start_epoch_ns,
            stop_epoch_ns: None,
            ring_events: S::ring_events(config),
        });
        *self.teller.write() = Some(teller);
        self.misdirected.reset();
        // Before the gate opens: who comes in then never finds the switch off again in this capture,
        // as the stop of a span would if it came in by what it had seen of the last capture.
        if !mutant::is("sys_trace.switched_late") {
            self.switch.set(true);
        }
        if !mutant::is("sys_trace.left_closed") {
            core.open();
        }
        if mutant::is("sys_trace.switched_late") {
            self.switch.set(true);
        }
        Ok(epoch)
    }

    /// Ends the capture: closes the gate, then every shard; what was not drained is counted as
    /// discarded. Counters and names stay readable until the next start.
    ///
    /// Waits for emitters that are inside at this moment, each for the length of one emit, for those
    /// who intern, and for drains; not longer than a second in all (without `std`, ten million looks).
    ///
    /// # Errors
    /// [`StopError::NotCapturing`] if no capture is running; see [`close`](Self::close).
    /// [`StopError::StillInside`] if an emitter did not come out in time (it was stopped, or a
    /// custom clock hangs): nothing is recorded any more, memory and counters are as they were, and
    /// another stop goes on from there.
    pub fn stop(&self) -> Result<(), StopError> {
        self.stop_only(None)
    }

    /// [`stop`](Self::stop); of this capture only if one is named.
    pub(crate) fn stop_only(&self, epoch: Option<u64>) -> Result<(), StopError> {
        let wanted = |run: &Run| epoch.is_none_or(|epoch| epoch == run.epoch);
        let mut remains = S::remains(SHARDS);
        let mut patience = Patience::new();
        let still = |still: StillInside| StopError::StillInside { emitters: still.entries as u64 };
        let (locked, stop_ns, stop_epoch_ns) = loop {
            // The clock may be the user's function: it is not called under a lock.
            let run = self.core().run.filter(wanted).ok_or(StopError::NotCapturing)?;
            let (stop_ns, stop_epoch_ns) = (run.clock.now(), clock::wall());
            let locked = self.core.lock(|round| patience.wait(round)).map_err(still)?;
            if locked.run.is_some_and(|it| it.epoch == run.epoch) {
                break (locked, stop_ns, stop_epoch_ns);
            }
        };
        self.switch.set(false);
        let mut core = locked.close(|round| patience.wait(round)).map_err(still)?;
        core.run = None;
        let Core { tallies, shards, .. } = &mut *core;
        tallies.flush(shards);
        if let Some(info) = &mut core.info {
            (info.stop_ns, info.stop_epoch_ns) = (Some(stop_ns), stop_epoch_ns);
        }
        for shard in &mut core.shards {
            if !S::disarm(&mut remains, &mut shard.ring) {
                continue;
            }
            if !mutant::is("sys_trace.rest_uncounted") {
                shard.totals.discard_rest();
            }
        }
        let stopped = core.info;
        drop(core);
        drop(remains);
        for shard in 0..SHARDS as u32 {
            self.report_loss(shard, stopped.map(|info| info.epoch));
        }
        Ok(())
    }

    /// [`stop`](Self::stop) that does not mind if nothing is running.
    ///
    /// # Errors
    /// [`StopError::StillInside`], as for `stop`.
    pub fn close(&self) -> Result<(), StopError> {
        match self.stop() {
            Err(StopError::NotCapturing) => Ok(()),
            other => other,
        }
    }

    /// True while a capture runs: one load.
    #[inline]
    #[must_use]
    pub fn is_capturing(&self) -> bool {
        self.switch.is_on()
    }

    /// When and how the running capture, or the last one, ran; `None` before the first.
    #[must_use]
    pub fn capture_info(&self) -> Option<CaptureInfo> {
        self.core().info
    }

    /// Events that each shard's ring holds, of the running capture or the last one; 0 before.
    #[must_use]
    pub fn ring_size(&self) -> u64 {
        self.capture_info().map_or(0, |capture| capture.ring_events)
    }

    /// Events accepted by all open shards since the start, drained and lost ones included.
    #[must_use]
    pub fn total_event_count(&self) -> u64 {
        let core = self.core();
        let open = (0..).zip(&core.shards).filter(|(_, shard)| shard.ring().is_some());
        open.filter_map(|(number, _)| core.total_of(number)).map(|it| it.created).sum()
    }

    /// What became of `shard`'s events in the running capture or the last one. All zero if the
    /// shard took no part; `None` if there is no such shard. Exact when nobody emits or drains.
    #[must_use]
    pub fn shard_counts(&self, shard: u32) -> Option<ShardCounts> {
        self.counts_in(&self.core(), shard)
    }

    /// What became of `shard`'s events of one type, as in [`shard_counts`](Self::shard_counts), in a
    /// fraction of the memory. `None` if there is no such shard.
    #[must_use]
    pub fn counts_of(&self, shard: u32, event_type: EventType) -> Option<Counts> {
        self.core().counts_of(shard, event_type)
    }

    /// Emits for `shard` that met a start or stop at work, since the start; 0 for a shard that does not
    /// exist.
    #[must_use]
    pub fn refused(&self, shard: u32) -> u64 {
        self.own();
        self.sides.get(shard as usize).map_or(0, |side| side.refused.get())
    }

    /// Texts that `shard` did not store because of the limits or for want of memory; 0 for a shard
    /// that does not exist.
    #[must_use]
    pub fn names_dropped(&self, shard: u32) -> u64 {
        self.core().shards.get(shard as usize).map_or(0, |parts| S::names_dropped(&parts.names))
    }

    /// The sum of all shards' counts: `lost()` of it says whether the capture is complete.
    #[must_use]
    pub fn loss(&self) -> Counts {
        let core = self.core();
        let taking_part = (0..).zip(&core.shards).filter(|(_, shard)| shard.totals.took_part());
        taking_part.filter_map(|(number, _)| core.total_of(number)).sum()
    }

    /// Emits since the start that named a shard that does not exist. They are recorded nowhere.
    #[must_use]
    pub fn misdirected(&self) -> u64 {
        self.misdirected.get()
    }

    fn counts_in(&self, core: &Core<SHARDS, S>, shard: u32) -> Option<ShardCounts> {
        let mut counts = core.counts(shard)?;
        counts.refused = self.sides.get(shard as usize)?.refused.get();
        Some(counts)
    }
}

#[cfg(feature = "alloc")]
impl<const SHARDS: usize, S: Storage> Engine<SHARDS, S> {
    /// [`shard_counts`](Self::shard_counts) of every shard that takes, or took, part.
    #[must_use]
    pub fn counts(&self) -> alloc::vec::Vec<ShardCounts> {
        let core = self.core();
        let took_part = (0..).zip(&core.shards).filter(|(_, shard)| shard.totals.took_part());
        took_part.filter_map(|(number, _)| self.counts_in(&core, number)).collect()
    }
}

impl<const SHARDS: usize, S: Storage> Default for Engine<SHARDS, S> {
    fn default() -> Self {
        Self::idle()
    }
}

impl<const SHARDS: usize, S: Storage> core::fmt::Debug for Engine<SHARDS, S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Engine")
            .field("shards", &SHARDS)
            .field("capturing", &self.is_capturing())
            .finish_non_exhaustive()
    }
}
