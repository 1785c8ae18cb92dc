//! The engine: its shards, and the life of a capture.
//!
//! # Lock order
//! The control lock before a shard's lock; never two shards' locks at once; a shard's name lock on
//! its own. No log call and no release of a ring's memory runs under any of them, and no user code
//! but a custom clock, which an emit calls with its shard's lock held shared.

use alloc::vec::Vec;

use lapring::Ring;
use parkspin::RwLock;
use syncface::atomic::{AtomicU64, Ordering};

use crate::clock::RunningClock;
use crate::config::Config;
use crate::counts::{Counts, ShardCounts};
use crate::error::{NotCapturing, StartError};
use crate::event::Event;
use crate::gate::Gate;
use crate::shard::{Counters, Open, Shard, ShardParts};

/// A capture engine of `SHARDS` independent shards, 256 unless told otherwise.
///
/// `const` constructible, so it can be a `static`; any number can exist in a process. An idle
/// engine of 256 shards takes about 200 KiB and no heap.
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
pub struct Engine<const SHARDS: usize = 256> {
    pub(crate) gate: Gate,
    /// Emits for shards that do not exist.
    pub(crate) misdirected: AtomicU64,
    pub(crate) control: RwLock<Control>,
    pub(crate) shards: [Shard; SHARDS],
}

/// What only start and stop change.
pub(crate) struct Control {
    capture: Option<CaptureInfo>,
    clock: Option<RunningClock>,
}

impl Control {
    /// The running capture.
    pub(crate) fn running(&self) -> Option<&CaptureInfo> {
        self.capture.as_ref().filter(|last| last.stop_ns.is_none())
    }
}

/// When and how a capture ran: what a file must say of its events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CaptureInfo {
    /// Counts the captures of this engine, from 1 on.
    pub epoch: u64,
    /// Name of the [`Clock`](crate::Clock).
    pub clock: &'static str,
    /// First reading of the clock, ns. No event is earlier.
    pub start_ns: u64,
    /// Reading of the clock just before the gate closed, ns; `None` while the capture runs. Emits
    /// that were under way may be a little later.
    pub stop_ns: Option<u64>,
    /// Events that each shard's ring holds.
    pub ring_events: u64,
}

impl<const SHARDS: usize> Engine<SHARDS> {
    /// Refused at compile time: at least one shard, and at most the 256 that an id has room for.
    const FITS: () = assert!(SHARDS >= 1 && SHARDS <= 256, "1 to 256 shards");

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
            let () = Self::FITS;
            #[cfg(not(loom))]
            let shards = [const { Shard::new(ShardParts::new()) }; SHARDS];
            #[cfg(loom)]
            let shards = core::array::from_fn(|_| Shard::new(ShardParts::new()));
            Self {
                gate: Gate::new(),
                misdirected: AtomicU64::new(0),
                control: RwLock::new(Control { capture: None, clock: None }),
                shards,
            }
        }
    }

    /// Arms the engine: from its return on, emits are recorded.
    ///
    /// All or nothing: every ring is allocated before any shard changes. Allocation does not touch
    /// the rings' pages, so it takes about as long for a thousand events as for a million.
    ///
    /// # Errors
    /// [`StartError`], with the engine as it was; a running capture goes on.
    pub fn start(&self, config: &Config) -> Result<(), StartError> {
        let rings = self.allocate(config)?;
        let clock = RunningClock::start(config.clock).ok_or(StartError::NoClock)?;
        // What the shards held is let go of after the locks.
        let mut replaced = Vec::new();
        if replaced.try_reserve_exact(SHARDS).is_err() {
            let bytes = config.ring_bytes(1) as u64;
            return Err(StartError::OutOfMemory { shard: 0, bytes });
        }

        let mut control = self.control.write();
        if control.running().is_some() {
            return Err(StartError::AlreadyCapturing);
        }
        let epoch = control.capture.map_or(0, |last| last.epoch) + 1;
        let mut rings = rings.into_iter().peekable();
        for (number, shard) in (0..).zip(&self.shards) {
            let new = rings.next_if(|(of, ..)| *of == number);
            let table = {
                let mut names = shard.names.write();
                names.open = new.is_some();
                let empty = sipintern::Interner::with_limits(config.names);
                core::mem::replace(&mut names.table, empty)
            };
            let (open, counters) = match new {
                Some((_, ring, counters)) => {
                    (Some(Open { epoch, types: config.types, clock, ring }), Some(counters))
                }
                None => (None, None),
            };
            // A late emitter of the last capture may still be inside: the lock waits for it.
            let mut state = shard.state.write();
            shard.refused.store(0, Ordering::Relaxed);
            state.open = open;
            let counters = core::mem::replace(&mut state.counters, counters);
            drop(state);
            replaced.push((table, counters));
        }
        self.misdirected.store(0, Ordering::Relaxed);
        control.clock = Some(clock);
        control.capture = Some(CaptureInfo {
            epoch,
            clock: config.clock.name(),
            start_ns: clock.start_ns,
            stop_ns: None,
            ring_events: config.ring_events(),
        });
        self.gate.set(true);
        Ok(())
    }

    /// The rings and counters of every shard that `config` enables, in order.
    fn allocate(&self, config: &Config) -> Result<Vec<(u32, Ring<Event>, Counters)>, StartError> {
        // A cheap early answer; the one that counts is taken under the lock.
        if self.gate.is_open() {
            return Err(StartError::AlreadyCapturing);
        }
        let events = config.ring_events();
        if events > Config::MAX_EVENTS_PER_SHARD {
            let (requested, limit) = (events, Config::MAX_EVENTS_PER_SHARD);
            return Err(StartError::RingTooLarge { requested, limit });
        }
        let shards = SHARDS as u32;
        let named = config.shards.iter().flat_map(|named| named.iter());
        if let Some(shard) = { named }.find(|&shard| shard >= shards) {
            return Err(StartError::ShardOutOfRange { shard, shards });
        }
        let bytes = config.ring_bytes(1) as u64;
        let mut rings = Vec::new();
        if rings.try_reserve_exact(SHARDS).is_err() {
            return Err(StartError::OutOfMemory { shard: 0, bytes });
        }
        for shard in (0..shards).filter(|&shard| config.has_shard(shard)) {
            let parts = Ring::try_new(events as usize).ok().zip(Counters::try_new());
            let (ring, counters) = parts.ok_or(StartError::OutOfMemory { shard, bytes })?;
            rings.push((shard, ring, counters));
        }
        Ok(rings)
    }

    /// Ends the capture: closes the gate, then every shard; what was not drained is counted as
    /// discarded. Counters and names stay readable until the next start.
    ///
    /// Waits for emitters that are inside a shard at this moment, each for the length of one emit.
    ///
    /// # Errors
    /// [`NotCapturing`] if no capture is running; see [`close`](Self::close).
    pub fn stop(&self) -> Result<(), NotCapturing> {
        let mut rings = Vec::new();
        // Without the memory, rings are released under the control lock: slower, not wrong.
        let _ = rings.try_reserve_exact(SHARDS);
        let (mut control, stop_ns) = loop {
            // The clock may be the user's function: it is not called under a lock.
            let (epoch, clock) = {
                let control = self.control.read();
                let running = control.running().map(|it| it.epoch);
                running.zip(control.clock).ok_or(NotCapturing)?
            };
            let stop_ns = clock.now();
            let control = self.control.write();
            if control.running().is_some_and(|it| it.epoch == epoch) {
                break (control, stop_ns);
            }
        };
        self.gate.set(false);
        if let Some(capture) = &mut control.capture {
            capture.stop_ns = Some(stop_ns);
        }
        for shard in &self.shards {
            shard.names.write().open = false;
            let mut state = shard.state.write();
            let Some(open) = state.open.take() else { continue };
            if let Some(counters) = &state.counters {
                counters.discard_rest();
            }
            drop(state);
            // Kept until the control lock is released, if there was memory to keep it in.
            if rings.len() < rings.capacity() {
                rings.push(open);
            }
        }
        drop(control);
        Ok(())
    }

    /// [`stop`](Self::stop) that does not mind if nothing is running.
    pub fn close(&self) {
        // Not running is what the caller wants.
        let _ = self.stop();
    }

    /// True while a capture runs: one load.
    #[inline]
    #[must_use]
    pub fn is_capturing(&self) -> bool {
        self.gate.is_open()
    }

    /// When and how the running capture, or the last one, ran; `None` before the first.
    #[must_use]
    pub fn capture_info(&self) -> Option<CaptureInfo> {
        self.control.read().capture
    }

    /// Events that each shard's ring holds, of the running capture or the last one; 0 before.
    #[must_use]
    pub fn ring_size(&self) -> u64 {
        self.capture_info().map_or(0, |capture| capture.ring_events)
    }

    /// Events accepted by all open shards since the start, drained and lost ones included.
    #[must_use]
    pub fn total_event_count(&self) -> u64 {
        let _control = self.control.read();
        self.shards
            .iter()
            .map(|shard| {
                let state = shard.state.read();
                let open = state.open.as_ref().and(state.counters.as_ref());
                open.map_or(0, Counters::created)
            })
            .sum()
    }

    /// What became of `shard`'s events in the running capture or the last one. All zero if the
    /// shard took no part; `None` if there is no such shard. Exact when nobody emits or drains.
    #[must_use]
    pub fn shard_counts(&self, shard: u32) -> Option<ShardCounts> {
        let parts = self.shards.get(shard as usize)?;
        let state = parts.state.read();
        let mut counts =
            state.counters.as_ref().map_or(ShardCounts::new(shard), |it| it.load(shard));
        counts.refused = parts.refused.load(Ordering::Relaxed);
        Some(counts)
    }

    /// [`shard_counts`](Self::shard_counts) of every shard that takes, or took, part.
    #[must_use]
    pub fn counts(&self) -> Vec<ShardCounts> {
        let _control = self.control.read();
        (0..SHARDS as u32)
            .filter(|&shard| self.shards[shard as usize].state.read().counters.is_some())
            .filter_map(|shard| self.shard_counts(shard))
            .collect()
    }

    /// The sum of all shards' counts: `lost()` of it says whether the capture is complete. Read shard
    /// by shard: beside a start it may add up two captures.
    #[must_use]
    pub fn loss(&self) -> Counts {
        (0..SHARDS as u32).filter_map(|shard| self.shard_counts(shard)).map(|it| it.total).sum()
    }

    /// Emits since the start that named a shard that does not exist. They are recorded nowhere.
    #[must_use]
    pub fn misdirected(&self) -> u64 {
        self.misdirected.load(Ordering::Relaxed)
    }
}

impl<const SHARDS: usize> Default for Engine<SHARDS> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const SHARDS: usize> core::fmt::Debug for Engine<SHARDS> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Engine")
            .field("shards", &SHARDS)
            .field("capturing", &self.is_capturing())
            .finish_non_exhaustive()
    }
}
