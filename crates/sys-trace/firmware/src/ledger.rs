//! The firmware's own books, kept without the engine's help: what was accepted, what was read, and
//! which numbers.

use syncface::atomic::{AtomicU32, Ordering::Relaxed};
use sys_trace::{Event, EventType};

use crate::SHARDS;

/// The types that are recorded.
pub const TYPES: [EventType; 3] = [EventType::ExecCore, EventType::ExecWait, EventType::Generic];
/// Above every sequence number of a shard: some are left out, where the handler met the main loop
/// reading the very slot whose turn it was.
const NUMBERS: usize = 2176;
const WORDS: usize = NUMBERS / 32;

/// By shard, and place in [`TYPES`].
static ACCEPTED: [[AtomicU32; TYPES.len()]; SHARDS] = zeros();
static READ: [[AtomicU32; TYPES.len()]; SHARDS] = zeros();
/// By shard: emits that were not accepted.
static TURNED_AWAY: [AtomicU32; SHARDS] = [const { AtomicU32::new(0) }; SHARDS];
/// Sequence numbers from 1 on that were read: bit `number - 1`.
static SEEN: [[AtomicU32; WORDS]; SHARDS] =
    [const { [const { AtomicU32::new(0) }; WORDS] }; SHARDS];
/// Events that were read a second time, or can never have been recorded.
static WRONG: AtomicU32 = AtomicU32::new(0);

const fn zeros() -> [[AtomicU32; TYPES.len()]; SHARDS] {
    [const { [const { AtomicU32::new(0) }; TYPES.len()] }; SHARDS]
}

fn place(event_type: EventType) -> usize {
    TYPES.iter().position(|it| *it == event_type).expect("no other type is recorded")
}

/// Notes what came of an emit.
pub fn emitted(shard: usize, event_type: EventType, accepted: bool) {
    let count = if accepted { &ACCEPTED[shard][place(event_type)] } else { &TURNED_AWAY[shard] };
    count.fetch_add(1, Relaxed);
}

/// Notes that `event` was read.
pub fn read(event: &Event) {
    let number = event.nc_local_id.wrapping_sub(1) as usize;
    let (Some(event_type), true) = (event.event_type(), number < NUMBERS) else {
        WRONG.fetch_add(1, Relaxed);
        return;
    };
    let shard = event.nc_idx as usize;
    let bit = 1 << (number % 32);
    if SEEN[shard][number / 32].fetch_or(bit, Relaxed) & bit != 0 {
        WRONG.fetch_add(1, Relaxed);
    }
    READ[shard][place(event_type)].fetch_add(1, Relaxed);
}

pub fn wrong() -> u32 {
    WRONG.load(Relaxed)
}

pub fn turned_away(shard: usize) -> u32 {
    TURNED_AWAY[shard].load(Relaxed)
}

/// Accepted and read events, by shard and place in [`TYPES`].
pub fn counts(shard: usize, place: usize) -> (u32, u32) {
    (ACCEPTED[shard][place].load(Relaxed), READ[shard][place].load(Relaxed))
}

/// The numbers that were read.
pub fn seen(shard: usize) -> impl Iterator<Item = u32> {
    SEEN[shard].iter().map(|word| word.load(Relaxed))
}
