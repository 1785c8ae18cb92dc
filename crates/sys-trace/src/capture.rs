//! What a capture consists of: behind the engine's gate.

use syncface::CachePadded;

use crate::clock::RunningClock;
use crate::counts::{Counts, ShardCounts};
use crate::event_type::EventType;
use crate::sets::EventSet;
use crate::storage::{Storage, Tallies};
use crate::totals::Totals;

/// Emitters read it while the gate is open; start and stop change it while the gate is closed.
pub(crate) struct Core<const SHARDS: usize, S: Storage> {
    /// The running capture; `None` when there is none.
    pub(crate) run: Option<Run>,
    /// How the running capture runs, or how the last one ran.
    pub(crate) info: Option<CaptureInfo>,
    /// What emitters have counted and not yet added to the shards' totals.
    pub(crate) tallies: S::Tallies,
    pub(crate) shards: [Shard<S>; SHARDS],
}

impl<const SHARDS: usize, S: Storage> Core<SHARDS, S> {
    syncface::maybe_const! {
        /// Of an engine that never ran.
        pub(crate) fn new() -> Self {
            #[cfg(not(loom))]
            let shards = [const { Shard::new(ShardParts::new()) }; SHARDS];
            #[cfg(loom)]
            let shards = core::array::from_fn(|_| Shard::new(ShardParts::new()));
            Self { run: None, info: None, tallies: S::NO_TALLIES, shards }
        }
    }

    /// What became of a shard's events; exact when nobody emits or drains.
    pub(crate) fn counts(&self, shard: u32) -> Option<ShardCounts> {
        let parts = self.shards.get(shard as usize)?;
        Some(parts.totals.load(shard, |event_type| self.tallies.load(shard, event_type)))
    }

    /// [`counts`](Self::counts) of all types together.
    pub(crate) fn total_of(&self, shard: u32) -> Option<Counts> {
        EventType::ALL.into_iter().map(|event_type| self.counts_of(shard, event_type)).sum()
    }

    /// [`counts`](Self::counts) of one type.
    pub(crate) fn counts_of(&self, shard: u32, event_type: EventType) -> Option<Counts> {
        let parts = self.shards.get(shard as usize)?;
        Some(parts.totals.of(event_type, self.tallies.load(shard, event_type)))
    }
}

/// What an emit needs to know of its capture.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub(crate) epoch: u64,
    pub(crate) types: EventSet,
    pub(crate) clock: RunningClock,
    /// Who emits, if not the thread.
    pub(crate) context: Option<fn() -> u64>,
}

/// Nothing here shares a cache line with the next shard.
pub(crate) type Shard<S> = CachePadded<ShardParts<S>>;

/// What the gate guards of one shard.
#[allow(unreachable_pub, reason = "stands in the signature of a sealed trait")]
pub struct ShardParts<S: Storage> {
    /// In use while the shard is captured.
    pub(crate) ring: S::Ring,
    /// Of the running capture, or of the last one until the next start.
    pub(crate) totals: Totals,
    /// Of the running capture, or of the last one until the next start. In cache lines of its own.
    pub(crate) names: S::Names,
}

impl<S: Storage> ShardParts<S> {
    syncface::maybe_const! {
        pub(crate) fn new() -> Self {
            #[cfg(not(loom))]
            return Self { ring: S::NO_RING, totals: Totals::new(), names: S::NO_NAMES };
            #[cfg(loom)]
            return Self { ring: S::no_ring(), totals: Totals::new(), names: S::no_names() };
        }
    }

    /// The ring, if the shard is captured.
    #[inline(always)]
    pub(crate) fn ring(&self) -> Option<&lapring::Ring<crate::event::Event, S::Slots>> {
        S::ring(&self.ring)
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
    /// By how many ns a timestamp may differ from the clock that it is made to follow, measured at
    /// the start: half of the time that reading the two together took. 0 if the clock itself is
    /// read for each event.
    pub clock_error_ns: u64,
    /// First reading of the clock, ns. No event is earlier.
    pub start_ns: u64,
    /// Reading of the clock just before the gate closed, ns; `None` while the capture runs. Emits
    /// that were under way may be a little later.
    pub stop_ns: Option<u64>,
    /// The system's wall clock at the start, ns since 1970; `None` without `std`.
    pub start_epoch_ns: Option<u64>,
    /// The same at the stop. If the two differ by more than `stop_ns` and `start_ns` do, the machine
    /// slept or its clock was set meanwhile.
    pub stop_epoch_ns: Option<u64>,
    /// Events that each shard's ring holds.
    pub ring_events: u64,
}
