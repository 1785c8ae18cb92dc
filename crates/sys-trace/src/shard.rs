//! One shard: a ring behind a lock, its counters, and the names interned on it.

use alloc::boxed::Box;
use alloc::vec::Vec;

use lapring::Ring;
use parkspin::RwLock;
use sipintern::Interner;
use syncface::CachePadded;
use syncface::atomic::{AtomicU64, Ordering};

use crate::clock::RunningClock;
use crate::counts::{Counts, ShardCounts};
use crate::event::Event;
use crate::event_type::EventType;
use crate::sets::EventSet;

/// Nothing here shares a cache line with the next shard.
pub(crate) type Shard = CachePadded<ShardParts>;

pub(crate) struct ShardParts {
    /// Read by emitters and drains, written by start and stop.
    pub(crate) state: RwLock<State>,
    /// Emits turned away while start or stop held the lock.
    pub(crate) refused: AtomicU64,
    /// Its own lock: interning never makes an emitter wait.
    pub(crate) names: RwLock<Names>,
}

impl ShardParts {
    syncface::maybe_const! {
        pub(crate) fn new() -> Self {
            Self {
                state: RwLock::new(State { open: None, counters: None }),
                refused: AtomicU64::new(0),
                names: RwLock::new(Names { open: false, table: Interner::new() }),
            }
        }
    }
}

/// What start and stop change.
pub(crate) struct State {
    /// The running capture; `None` when closed.
    pub(crate) open: Option<Open>,
    /// Of the running capture, or of the last one until the next start.
    pub(crate) counters: Option<Counters>,
}

/// What an emit needs.
pub(crate) struct Open {
    /// Which capture this is.
    pub(crate) epoch: u64,
    pub(crate) types: EventSet,
    pub(crate) clock: RunningClock,
    pub(crate) ring: Ring<Event>,
}

pub(crate) struct Names {
    pub(crate) open: bool,
    pub(crate) table: Interner,
}

/// Counters of one capture. All accesses are Relaxed: each is a number on its own, and the sums are
/// exact once the emitters have been synchronised with, which the shard's lock does.
pub(crate) struct Counters {
    /// Events accepted; the source of sequence numbers.
    created: AtomicU64,
    by_type: Box<[TypeCounters]>,
}

struct TypeCounters {
    created: AtomicU64,
    drained: AtomicU64,
    displaced: AtomicU64,
    discarded: AtomicU64,
}

impl Counters {
    /// All zero; `None` if memory is short.
    pub(crate) fn try_new() -> Option<Self> {
        let mut by_type = Vec::new();
        by_type.try_reserve_exact(EventType::COUNT).ok()?;
        by_type.extend(EventType::ALL.map(|_| TypeCounters {
            created: AtomicU64::new(0),
            drained: AtomicU64::new(0),
            displaced: AtomicU64::new(0),
            discarded: AtomicU64::new(0),
        }));
        Some(Self { created: AtomicU64::new(0), by_type: by_type.into_boxed_slice() })
    }

    /// Counts an accepted event and returns its sequence number, from 1 on.
    #[inline]
    pub(crate) fn accept(&self, event_type: EventType) -> u64 {
        // In range: there is one entry per type.
        if let Some(counters) = self.by_type.get(event_type as usize) {
            counters.created.fetch_add(1, Ordering::Relaxed);
        }
        self.created.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Counts an event that was overwritten, or turned away by a ring whose every slot was in use.
    #[inline]
    pub(crate) fn displaced(&self, event: &Event) {
        if let Some(counters) = self.by_type.get(event.event_type_number as usize) {
            counters.displaced.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts an event handed to a reader.
    #[inline]
    pub(crate) fn drained(&self, event: &Event) {
        if let Some(counters) = self.by_type.get(event.event_type_number as usize) {
            counters.drained.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts everything that is not accounted for as discarded. The caller holds the shard's lock
    /// for writing, so nothing is in flight: what is left was in the ring.
    pub(crate) fn discard_rest(&self) {
        for counters in &self.by_type {
            counters.discarded.fetch_add(counters.load().live(), Ordering::Relaxed);
        }
    }

    pub(crate) fn created(&self) -> u64 {
        self.created.load(Ordering::Relaxed)
    }

    /// A snapshot; exact when nobody is emitting or draining.
    pub(crate) fn load(&self, shard: u32) -> ShardCounts {
        let mut counts = ShardCounts::new(shard);
        for (event_type, counters) in EventType::ALL.into_iter().zip(&self.by_type) {
            *counts.of_mut(event_type) = counters.load();
        }
        counts.total = counts.by_type.iter().copied().sum();
        counts
    }
}

impl TypeCounters {
    /// Losses are read before `created`, so that a moving count rarely shows more out than in; the
    /// accesses are Relaxed, so nothing promises it.
    fn load(&self) -> Counts {
        let drained = self.drained.load(Ordering::Relaxed);
        let displaced = self.displaced.load(Ordering::Relaxed);
        let discarded = self.discarded.load(Ordering::Relaxed);
        Counts { created: self.created.load(Ordering::Relaxed), drained, displaced, discarded }
    }
}
