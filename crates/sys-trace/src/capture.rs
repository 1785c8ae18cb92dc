//! What a capture consists of: behind the engine's gate.

use lapring::Ring;
use sipintern::Interner;
use syncface::CachePadded;

use crate::clock::RunningClock;
use crate::counts::ShardCounts;
use crate::event::Event;
use crate::event_type::EventType;
use crate::sets::EventSet;
use crate::tally::Tallies;
use crate::totals::Totals;

/// Emitters read it while the gate is open; start and stop change it while the gate is closed.
pub(crate) struct Core<const SHARDS: usize> {
    /// The running capture; `None` when there is none.
    pub(crate) run: Option<Run>,
    /// How the running capture runs, or how the last one ran.
    pub(crate) info: Option<CaptureInfo>,
    /// What emitters have counted and not yet added to the shards' totals.
    pub(crate) tallies: Option<Tallies>,
    pub(crate) shards: [Shard; SHARDS],
}

impl<const SHARDS: usize> Core<SHARDS> {
    /// What became of a shard's events; exact when nobody emits or drains.
    pub(crate) fn counts(&self, shard: u32) -> Option<ShardCounts> {
        let parts = self.shards.get(shard as usize)?;
        let mut counts = parts.totals.load(shard);
        if let Some(tallies) = self.tallies.as_ref().filter(|_| parts.totals.took_part()) {
            for event_type in EventType::ALL {
                *counts.of_mut(event_type) += tallies.load(shard, event_type);
            }
            counts.total = counts.by_type.iter().copied().sum();
        }
        Some(counts)
    }
}

/// What an emit needs to know of its capture.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub(crate) epoch: u64,
    pub(crate) types: EventSet,
    pub(crate) clock: RunningClock,
}

/// Nothing here shares a cache line with the next shard.
pub(crate) type Shard = CachePadded<ShardParts>;

pub(crate) struct ShardParts {
    /// `None` while the shard is not captured.
    pub(crate) ring: Option<Ring<Event>>,
    /// Of the running capture, or of the last one until the next start.
    pub(crate) totals: Totals,
    /// Of the running capture, or of the last one until the next start. In cache lines of its own.
    pub(crate) names: Interner,
}

impl ShardParts {
    syncface::maybe_const! {
        pub(crate) fn new() -> Self {
            Self { ring: None, totals: Totals::new(), names: Interner::new() }
        }
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
    /// Events that each shard's ring holds.
    pub ring_events: u64,
}
