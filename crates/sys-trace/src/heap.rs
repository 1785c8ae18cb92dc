//! Rings and names on the heap, for the length of a capture.

use alloc::vec::{self, Vec};

use lapring::{HeapSlots, Ring};
use sipintern::Interner;

use crate::config::Config;
use crate::error::StartError;
use crate::event::Event;
use crate::renew::overwrite;
use crate::storage::{Parts, Storage};
use crate::tally::ThreadTallies;

/// Rings of any size, names of any number, and counters for each thread: from the allocator at the
/// start of a capture, and back to it at the end.
#[derive(Debug)]
pub enum Heap {}

impl Storage for Heap {}

/// Had before anything is locked; what it is replaced by goes after the locks.
pub struct Supplies {
    tallies: Option<ThreadTallies>,
    rings: vec::IntoIter<Ring<Event>>,
    replaced: Vec<Interner>,
}

impl Parts for Heap {
    type Slots = HeapSlots<Event>;
    type Ring = Option<Ring<Event>>;
    type Names = Interner;
    type Tallies = Option<ThreadTallies>;
    type Supplies = Supplies;
    type Remains = Vec<Ring<Event>>;

    #[cfg(not(loom))]
    const NO_RING: Self::Ring = None;
    #[cfg(not(loom))]
    const NO_NAMES: Interner = Interner::new();
    const NO_TALLIES: Self::Tallies = None;

    #[cfg(loom)]
    fn no_ring() -> Self::Ring {
        None
    }

    #[cfg(loom)]
    fn no_names() -> Interner {
        Interner::new()
    }

    fn supplies(config: &Config, shards: u32) -> Result<Supplies, StartError> {
        let events = config.ring_events();
        if events > Config::MAX_EVENTS_PER_SHARD {
            let (requested, limit) = (events, Config::MAX_EVENTS_PER_SHARD);
            return Err(StartError::RingTooLarge { requested, limit });
        }
        let bytes = config.ring_bytes(1) as u64;
        let no_memory = StartError::OutOfMemory { shard: 0, bytes };
        // Before the rings: what outlives them must not lie above them in the heap.
        let tallies = Some(ThreadTallies::try_new().ok_or(no_memory)?);
        let mut rings = Vec::new();
        rings.try_reserve_exact(shards as usize).map_err(|_| no_memory)?;
        for shard in (0..shards).filter(|&shard| config.has_shard(shard)) {
            let ring = Ring::try_new(events as usize);
            rings.push(ring.map_err(|_| StartError::OutOfMemory { shard, bytes })?);
        }
        let mut replaced = Vec::new();
        replaced.try_reserve_exact(shards as usize).map_err(|_| no_memory)?;
        Ok(Supplies { tallies, rings: rings.into_iter(), replaced })
    }

    fn ring_events(config: &Config) -> u64 {
        config.ring_events()
    }

    fn renew_tallies(supplies: &mut Supplies, tallies: &mut Self::Tallies) {
        core::mem::swap(&mut supplies.tallies, tallies);
    }

    fn arm(supplies: &mut Supplies, takes_part: bool, ring: &mut Self::Ring) {
        *ring = if takes_part { supplies.rings.next() } else { None };
    }

    fn renew_names(supplies: &mut Supplies, names: &mut Interner, config: &Config) {
        let empty = Interner::with_limits(config.names);
        supplies.replaced.push(core::mem::replace(names, empty));
    }

    fn inherit_names(names: &mut Interner) {
        let names = core::mem::take(names);
        if names.is_busy() {
            core::mem::forget(names);
        }
    }

    fn abandon(ring: &mut Self::Ring, names: &mut Interner) {
        overwrite(ring, None);
        overwrite(names, Interner::new());
    }

    #[inline(always)]
    fn ring(ring: &Self::Ring) -> Option<&Ring<Event>> {
        ring.as_ref()
    }

    fn remains(shards: usize) -> Self::Remains {
        let mut remains = Vec::new();
        // Without the memory, rings are released under the lock: slower, not wrong.
        let _ = remains.try_reserve_exact(shards);
        remains
    }

    fn disarm(remains: &mut Self::Remains, ring: &mut Self::Ring) -> bool {
        let Some(ring) = ring.take() else { return false };
        // Kept until the lock is released, if there was memory to keep it in.
        if remains.len() < remains.capacity() {
            remains.push(ring);
        }
        true
    }

    fn names_dropped(names: &Interner) -> u64 {
        names.dropped()
    }
}
