//! Four shards without an allocator: what the firmware asks of an engine.
//!
//! In a file of its own, so that another engine can take its place.

use lapring::InlineRing;
use sys_trace::payload::Generic;
use sys_trace::{Event, EventType, Payload, Phase};

/// How many shards there are.
pub const SHARDS: usize = 4;
/// How many events a shard keeps.
pub const CAPACITY: usize = 8;

static RINGS: [InlineRing<Event, CAPACITY>; SHARDS] = [const { InlineRing::new_inline() }; SHARDS];

/// Records the `number`-th event of `producer`; returns what had to make room.
pub fn emit(shard: usize, producer: u32, number: u32, name: u64) -> Option<Event> {
    let number = u64::from(number);
    let mut event = Event::new(EventType::Generic, Phase::Instant);
    event.thread_id = u64::from(producer);
    event.nc_idx = shard as u32;
    event.nc_local_id = number;
    event.payload = Payload::from(Generic { name, args: [number, !number, number * number, 7] });
    RINGS[shard].force_push(event)
}

/// The oldest event of a shard.
pub fn pop(shard: usize) -> Option<Event> {
    RINGS[shard].pop()
}

/// The record as it lies in memory.
pub fn bytes(event: Event) -> [u8; 112] {
    // SAFETY: the record is `repr(C)` of 112 bytes, and each of them belongs to a field.
    unsafe { core::mem::transmute(event) }
}
