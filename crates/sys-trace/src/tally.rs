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
use syncface::atomic::{AtomicUsize, Ordering};

use crate::capture::Shard;
use crate::count::Count;
use crate::counts::Counts;
use crate::event_type::EventType;
use crate::storage::{Storage, Tallies};

/// Pairs of shard and type that one thread counts at a time; others push them out to the totals.
const ENTRIES: usize = if cfg!(loom) { 2 } else { 64 };

/// How many threads can have one. The number is the same whatever is behind the gate.
const THREADS: usize = Inside::<()>::SOLOISTS;

/// All threads' counters of one capture.
pub struct ThreadTallies(Box<[CachePadded<Tally>; THREADS]>);

/// One thread's counters.
struct Tally([Entry; ENTRIES]);

struct Entry {
    /// Shard and type, from 1 on; 0: unused. Relaxed, as all of it: a number on its own.
    key: AtomicUsize,
    created: Count,
    displaced: Count,
}

impl ThreadTallies {
    /// All zero; `None` if memory is short.
    pub(crate) fn try_new() -> Option<Self> {
        let mut tallies = Vec::new();
        tallies.try_reserve_exact(THREADS).ok()?;
        tallies.extend((0..THREADS).map(|_| CachePadded::new(Tally::new())));
        tallies.into_boxed_slice().try_into().ok().map(Self)
    }

    /// The counters that are the caller's alone while it is inside.
    #[inline]
    fn of(&self, soloist: Option<usize>) -> Option<&Tally> {
        self.0.get(soloist?).map(|tally| &**tally)
    }
}

impl Tallies for Option<ThreadTallies> {
    #[inline(always)]
    fn count<S: Storage>(
        &self,
        soloist: Option<usize>,
        shard: u32,
        created: EventType,
        displaced: Option<u32>,
        shards: &[Shard<S>],
    ) -> bool {
        let Some(tally) = self.as_ref().and_then(|tallies| tallies.of(soloist)) else {
            return false;
        };
        tally.entry_for(key(shard, created as usize), shards).created.add_alone(1);
        if let Some(number) = displaced.map(|it| it as usize).filter(|it| *it < EventType::COUNT) {
            tally.entry_for(key(shard, number), shards).displaced.add_alone(1);
        }
        true
    }

    fn load(&self, shard: u32, event_type: EventType) -> Counts {
        let key = key(shard, event_type as usize);
        let tallies = self.iter().flat_map(|tallies| tallies.0.iter());
        let entries = tallies.map(|tally| tally.entry(key));
        let counts = entries.filter(|entry| entry.key.load(Ordering::Relaxed) == key);
        counts.map(Entry::load).sum()
    }

    fn flush<S: Storage>(&mut self, shards: &[Shard<S>]) {
        let tallies = self.iter().flat_map(|tallies| tallies.0.iter());
        tallies.flat_map(|tally| &tally.0).for_each(|entry| entry.push_out(0, shards));
    }
}

/// The shards are few, so that it fits any word.
fn key(shard: u32, event_type: usize) -> usize {
    shard as usize * EventType::COUNT + event_type + 1
}

impl Tally {
    fn new() -> Self {
        Self(core::array::from_fn(|_| Entry {
            key: AtomicUsize::new(0),
            created: Count::new(),
            displaced: Count::new(),
        }))
    }

    #[inline]
    fn entry(&self, key: usize) -> &Entry {
        &self.0[key % ENTRIES]
    }

    /// The entry for `key`, whatever was there pushed out.
    #[inline]
    fn entry_for<S: Storage>(&self, key: usize, shards: &[Shard<S>]) -> &Entry {
        let entry = self.entry(key);
        if entry.key.load(Ordering::Relaxed) != key {
            entry.push_out(key, shards);
        }
        entry
    }
}

impl Entry {
    fn load(&self) -> Counts {
        let displaced = self.displaced.get();
        Counts { created: self.created.get(), displaced, ..Counts::ZERO }
    }

    /// Adds the counts to the totals and makes the entry `next`'s. A reader may meanwhile see them
    /// in both places, or in none.
    #[cold]
    fn push_out<S: Storage>(&self, next: usize, shards: &[Shard<S>]) {
        let key = self.key.load(Ordering::Relaxed);
        if let Some(place) = key.checked_sub(1) {
            let (shard, number) = (place / EventType::COUNT, place % EventType::COUNT);
            if let Some(parts) = shards.get(shard) {
                parts.totals.add(number, self.load());
            }
        }
        self.created.reset();
        self.displaced.reset();
        self.key.store(next, Ordering::Relaxed);
    }
}
