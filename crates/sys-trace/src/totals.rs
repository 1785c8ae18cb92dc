//! Counters of one shard in one capture.

use syncface::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::counts::{Counts, ShardCounts};
use crate::event::Event;
use crate::event_type::EventType;

/// All accesses are Relaxed: each is a number on its own, and the sums are exact once the emitters
/// have been synchronised with, which the engine's gate does.
pub(crate) struct Totals {
    /// The shard takes, or took, part.
    took_part: AtomicBool,
    by_type: [TypeTotals; EventType::COUNT],
}

struct TypeTotals {
    created: AtomicU64,
    drained: AtomicU64,
    displaced: AtomicU64,
    discarded: AtomicU64,
}

impl Totals {
    syncface::maybe_const! {
        /// All zero, of a shard that takes no part.
        pub(crate) fn new() -> Self {
            #[cfg(not(loom))]
            let by_type = [const { TypeTotals::new() }; EventType::COUNT];
            #[cfg(loom)]
            let by_type = core::array::from_fn(|_| TypeTotals::new());
            Self { took_part: AtomicBool::new(false), by_type }
        }
    }

    /// Back to zero. A shard that never took part is not touched, nor is its memory.
    pub(crate) fn reset(&mut self, takes_part: bool) {
        if self.took_part() || takes_part {
            *self = Self::new();
            self.took_part.store(takes_part, Ordering::Relaxed);
        }
    }

    pub(crate) fn took_part(&self) -> bool {
        self.took_part.load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn created(&self, event_type: EventType) {
        self.by_type[event_type as usize].created.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts an event that was accepted and found no place.
    #[cold]
    pub(crate) fn rejected(&self, event_type: EventType) {
        self.created(event_type);
        self.by_type[event_type as usize].displaced.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts an event that was overwritten, by the number of its type.
    #[inline]
    pub(crate) fn displaced(&self, type_number: u32) {
        if let Some(counters) = self.by_type.get(type_number as usize) {
            counters.displaced.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Adds what was counted elsewhere.
    pub(crate) fn add(&self, type_number: usize, counts: Counts) {
        if let Some(counters) = self.by_type.get(type_number) {
            counters.created.fetch_add(counts.created, Ordering::Relaxed);
            counters.displaced.fetch_add(counts.displaced, Ordering::Relaxed);
        }
    }

    /// Counts an event handed to a reader.
    #[inline]
    pub(crate) fn drained(&self, event: &Event) {
        if let Some(counters) = self.by_type.get(event.event_type_number as usize) {
            counters.drained.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Events of all types handed to readers.
    pub(crate) fn drained_in_all(&self) -> u64 {
        self.by_type.iter().map(|counters| counters.drained.load(Ordering::Relaxed)).sum()
    }

    /// Counts everything that is not accounted for as discarded. Nothing may be in flight: what is
    /// left was in the ring.
    pub(crate) fn discard_rest(&mut self) {
        for counters in &self.by_type {
            counters.discarded.fetch_add(counters.load().live(), Ordering::Relaxed);
        }
    }

    /// A snapshot; exact when nobody is emitting or draining.
    pub(crate) fn load(&self, shard: u32) -> ShardCounts {
        let mut counts = ShardCounts::new(shard);
        if self.took_part() {
            for (event_type, counters) in EventType::ALL.into_iter().zip(&self.by_type) {
                *counts.of_mut(event_type) = counters.load();
            }
            counts.total = counts.by_type.iter().copied().sum();
        }
        counts
    }
}

impl TypeTotals {
    syncface::maybe_const! {
        fn new() -> Self {
            Self {
                created: AtomicU64::new(0),
                drained: AtomicU64::new(0),
                displaced: AtomicU64::new(0),
                discarded: AtomicU64::new(0),
            }
        }
    }

    /// Losses are read before `created`, so that a moving count rarely shows more out than in; the
    /// accesses are Relaxed, so nothing promises it.
    fn load(&self) -> Counts {
        let drained = self.drained.load(Ordering::Relaxed);
        let displaced = self.displaced.load(Ordering::Relaxed);
        let discarded = self.discarded.load(Ordering::Relaxed);
        Counts { created: self.created.load(Ordering::Relaxed), drained, displaced, discarded }
    }
}
