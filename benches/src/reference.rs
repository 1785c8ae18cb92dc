//! The reference: the engine that ours re-creates, put together from what one would take for it.
//! A process-wide gate, per shard a standard reader-writer lock, a crossbeam queue of 112-byte
//! events, two counters that every emit adds to, and the system's wall clock read per event.
//!
//! Only for measuring: it has the recipe's flaws (a thread stopped in the middle of a push stops
//! everybody) and no accounts of what was lost.

use std::cell::Cell;
use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crossbeam_queue::ArrayQueue;
use sys_trace::{Event, EventType, Payload, Phase};

/// Where the reference takes its time from.
pub type Now = fn() -> u64;

/// The recipe's clock: epoch nanoseconds, read for every event.
#[must_use]
pub fn wall_clock() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64)
}

/// No clock: for what the rest of an emit costs.
#[must_use]
pub fn no_clock() -> u64 {
    0
}

/// One shard, apart from its neighbours as in the original.
#[repr(align(128))]
struct Shard {
    inner: RwLock<Inner>,
}

struct Inner {
    ring: Option<ArrayQueue<Event>>,
    enabled: [bool; EventType::COUNT],
    created: AtomicU64,
    pushed: AtomicU64,
}

/// The reference composition.
pub struct Reference {
    gate: AtomicBool,
    shards: Vec<Shard>,
    now: Now,
}

thread_local! {
    static THREAD: Cell<u64> = const { Cell::new(0) };
}

/// The kernel's id of this thread, asked for once.
fn thread_id() -> u64 {
    THREAD.with(|cached| {
        if cached.get() == 0 {
            cached.set(rustix::thread::gettid().as_raw_nonzero().get().unsigned_abs().into());
        }
        cached.get()
    })
}

impl Reference {
    /// A running capture on so many shards with rings of so many events.
    #[must_use]
    pub fn start(shards: usize, events: usize, now: Now) -> Self {
        let shard = || Shard {
            inner: RwLock::new(Inner {
                ring: Some(ArrayQueue::new(events)),
                enabled: [true; EventType::COUNT],
                created: AtomicU64::new(0),
                pushed: AtomicU64::new(0),
            }),
        };
        Self {
            gate: AtomicBool::new(true),
            shards: std::iter::repeat_with(shard).take(shards).collect(),
            now,
        }
    }

    /// Records one event; its id, 0 if it was not accepted.
    #[inline]
    pub fn emit(
        &self,
        shard: u32,
        event_type: EventType,
        phase: Phase,
        payload: Payload,
        tracking: u64,
    ) -> u64 {
        if !self.gate.load(Ordering::Relaxed) {
            return 0;
        }
        let Some(place) = self.shards.get(shard as usize) else { return 0 };
        let inner = place.inner.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        let Some(ring) = &inner.ring else { return 0 };
        if !inner.enabled[event_type as usize] {
            return 0;
        }
        let sequence = inner.created.fetch_add(1, Ordering::Relaxed) + 1;
        let id = sequence | u64::from(shard) << 50;
        let mut event = Event::new(event_type, phase);
        event.thread_id = thread_id();
        event.id = id;
        event.nc_local_id = sequence;
        event.tracking_id = if tracking == 0 { id } else { tracking };
        event.timestamp_ns = (self.now)();
        event.payload = payload;
        event.nc_idx = shard;
        ring.force_push(event);
        inner.pushed.fetch_add(1, Ordering::Relaxed);
        event.tracking_id
    }

    /// Takes the oldest events of a shard into `out`; how many.
    pub fn drain(&self, shard: u32, out: &mut [Event]) -> usize {
        let Some(place) = self.shards.get(shard as usize) else { return 0 };
        let inner = place.inner.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        let Some(ring) = &inner.ring else { return 0 };
        let mut count = 0;
        for place in out {
            let Some(event) = ring.pop() else { break };
            *place = event;
            count += 1;
        }
        count
    }

    /// Events accepted and events pushed on a shard.
    #[must_use]
    pub fn counts(&self, shard: u32) -> (u64, u64) {
        let inner = self.shards[shard as usize]
            .inner
            .read()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        (inner.created.load(Ordering::Relaxed), inner.pushed.load(Ordering::Relaxed))
    }
}
