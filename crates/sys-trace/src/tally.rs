//! Counting without locked operations: each emitting thread counts for itself.
//!
//! A thread that has a number to itself while it is inside the gate (see [`parkspin::Inside::soloist`])
//! adds to counters that nobody else writes, by plain load and store. An emit on top of another one of
//! the same thread has no number, and adds to the shard's totals instead: so nothing is lost to a
//! signal handler either.

use alloc::boxed::Box;
use alloc::vec::Vec;

use parkspin::Inside;
use syncface::CachePadded;
use syncface::atomic::{AtomicU64, Ordering};

use crate::capture::{Core, Shard};
use crate::counts::Counts;
use crate::event_type::EventType;

/// Pairs of shard and type that one thread counts at a time; others push them out to the totals.
const ENTRIES: usize = if cfg!(loom) { 2 } else { 64 };

/// All threads' counters of one capture. All accesses are Relaxed: each is a number on its own.
pub(crate) struct Tallies(Box<[CachePadded<Tally>]>);

/// One thread's counters.
pub(crate) struct Tally([Entry; ENTRIES]);

struct Entry {
    /// Shard and type, from 1 on; 0: unused.
    key: AtomicU64,
    created: AtomicU64,
    displaced: AtomicU64,
}

impl Tallies {
    /// All zero; `None` if memory is short.
    pub(crate) fn try_new<const SHARDS: usize>() -> Option<Self> {
        let threads = Inside::<Core<SHARDS>>::SOLOISTS;
        let mut tallies = Vec::new();
        tallies.try_reserve_exact(threads).ok()?;
        tallies.extend((0..threads).map(|_| CachePadded::new(Tally::new())));
        Some(Self(tallies.into_boxed_slice()))
    }

    /// The counters that are the caller's alone while it is inside.
    #[inline]
    pub(crate) fn of(&self, soloist: Option<usize>) -> Option<&Tally> {
        self.0.get(soloist?).map(|tally| &**tally)
    }

    /// What is counted here for one shard and type.
    pub(crate) fn load(&self, shard: u32, event_type: EventType) -> Counts {
        let key = key(shard, event_type as usize);
        let entries = self.0.iter().map(|tally| tally.entry(key));
        let counts = entries.filter(|entry| entry.key.load(Ordering::Relaxed) == key);
        counts.map(Entry::load).sum()
    }

    /// Moves everything to the totals. Nobody may be inside.
    pub(crate) fn flush(&mut self, shards: &[Shard]) {
        self.0.iter().flat_map(|tally| &tally.0).for_each(|entry| entry.push_out(0, shards));
    }
}

fn key(shard: u32, event_type: usize) -> u64 {
    u64::from(shard) * EventType::COUNT as u64 + event_type as u64 + 1
}

impl Tally {
    fn new() -> Self {
        Self(core::array::from_fn(|_| Entry {
            key: AtomicU64::new(0),
            created: AtomicU64::new(0),
            displaced: AtomicU64::new(0),
        }))
    }

    #[inline]
    fn entry(&self, key: u64) -> &Entry {
        &self.0[key as usize % ENTRIES]
    }

    /// The entry for `key`, whatever was there pushed out.
    #[inline]
    fn entry_for(&self, key: u64, shards: &[Shard]) -> &Entry {
        let entry = self.entry(key);
        if entry.key.load(Ordering::Relaxed) != key {
            entry.push_out(key, shards);
        }
        entry
    }

    #[inline]
    pub(crate) fn created(&self, shard: u32, event_type: EventType, shards: &[Shard]) {
        bump(&self.entry_for(key(shard, event_type as usize), shards).created);
    }

    /// Of an event type by number, as a record holds it.
    #[inline]
    pub(crate) fn displaced(&self, shard: u32, type_number: u32, shards: &[Shard]) {
        if (type_number as usize) < EventType::COUNT {
            bump(&self.entry_for(key(shard, type_number as usize), shards).displaced);
        }
    }
}

/// Only the one thread that is inside with this tally writes: load and store are one step to it.
#[inline]
fn bump(counter: &AtomicU64) {
    counter.store(counter.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
}

impl Entry {
    fn load(&self) -> Counts {
        let displaced = self.displaced.load(Ordering::Relaxed);
        Counts { created: self.created.load(Ordering::Relaxed), displaced, ..Counts::ZERO }
    }

    /// Adds the counts to the totals and makes the entry `next`'s. A reader may meanwhile see them
    /// in both places, or in none.
    #[cold]
    fn push_out(&self, next: u64, shards: &[Shard]) {
        let key = self.key.load(Ordering::Relaxed);
        if let Some(place) = key.checked_sub(1) {
            let (shard, number) =
                (place / EventType::COUNT as u64, place % EventType::COUNT as u64);
            if let Some(parts) = shards.get(shard as usize) {
                parts.totals.add(number as usize, self.load());
            }
        }
        self.created.store(0, Ordering::Relaxed);
        self.displaced.store(0, Ordering::Relaxed);
        self.key.store(next, Ordering::Relaxed);
    }
}
