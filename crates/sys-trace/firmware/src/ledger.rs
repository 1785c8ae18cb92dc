//! Which events have left the rings, one bit for each.

use syncface::atomic::{AtomicU32, Ordering::Relaxed};
use sys_trace::Event;

use crate::recorder::SHARDS;

/// Main loop and interrupt handler.
pub const PRODUCERS: usize = 2;
/// How many events one producer may record on one shard.
pub const LIMIT: u32 = 1024;
const WORDS: usize = LIMIT as usize / 32;

/// Numbers from 1 on: bit `number - 1`.
static GONE: [[[AtomicU32; WORDS]; PRODUCERS]; SHARDS] =
    [const { [const { [const { AtomicU32::new(0) }; WORDS] }; PRODUCERS] }; SHARDS];
static TWICE: AtomicU32 = AtomicU32::new(0);

/// Notes that `event` came out of its ring.
pub fn note(event: &Event) {
    let bit = event.nc_local_id as u32 - 1;
    let word = &GONE[event.nc_idx as usize][event.thread_id as usize][bit as usize / 32];
    if word.fetch_or(1 << (bit % 32), Relaxed) & 1 << (bit % 32) != 0 {
        TWICE.fetch_add(1, Relaxed);
    }
}

/// Events that came out a second time.
pub fn twice() -> u32 {
    TWICE.load(Relaxed)
}

/// The bits of one producer on one shard.
pub fn gone(shard: usize, producer: usize) -> impl Iterator<Item = u32> {
    GONE[shard][producer].iter().map(|word| word.load(Relaxed))
}
