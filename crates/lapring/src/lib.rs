//! A bounded multi-producer, multi-consumer ring whose [`force_push`](Ring::force_push) overwrites
//! the oldest value and never waits for another thread.
//!
//! Rings that hand out positions by counting up, and let the copy follow, have a gap between the
//! two: a thread that is stopped in that gap (preempted, interrupted by a signal handler or an
//! interrupt that pushes too, killed, forked away) stops every other thread that comes round to
//! its slot. Here the slot is claimed explicitly, with one compare-and-swap on the slot's own
//! stamp that gives position, slot and displaced value at once; whoever meets a claimed slot passes
//! it by.
//!
//! ```
//! # #[cfg(feature = "alloc")] {
//! use lapring::Ring;
//!
//! // The last 1,000 measurements, whatever happens.
//! let ring: Ring<u64> = Ring::new(1_000);
//! std::thread::scope(|scope| {
//!     for thread in 0..4 {
//!         let ring = &ring;
//!         scope.spawn(move || (0..10_000).for_each(|n| drop(ring.force_push(thread * 10_000 + n))));
//!     }
//! });
//! assert_eq!(ring.drain(usize::MAX).count(), 1_000);
//! # }
//! ```
//!
//! # What is promised
//!
//! | operation | progress | may answer |
//! |---|---|---|
//! | [`force_push`](Ring::force_push) | lock-free; waits for nobody | evicted value; own value back if `capacity` threads are stopped mid-copy |
//! | [`push`](Ring::push) | lock-free; waits for nobody | full, or busy if others are mid-copy |
//! | [`try_pop`](Ring::try_pop), [`pop`](Ring::pop) | lock-free; waits for nobody | pending, while the oldest is mid-copy |
//! | [`drain`](Ring::drain) | one pass of at most `capacity` slots | steps over what is mid-copy |
//! | [`len`](Ring::len), [`capacity`](Ring::capacity) | wait-free | a snapshot |
//!
//! "Lock-free" means that an operation takes a bounded number of its own steps unless it loses a
//! compare-and-swap to another thread, which has then made progress.
//!
//! - A completed push is popped, displaced (returned to exactly one pusher) or resident: exactly
//!   one of the three, for ever.
//! - Values come out in the order of their positions, and each producer's in the order it pushed
//!   them. A push whose thread was stopped mid-copy for more than a lap comes out late.
//! - What overwriting loses is always the oldest.
//! - Values are moved, never shared; dropping the ring drops each resident value once.
//!
//! # How it works
//!
//! See the source of `stamp.rs` for positions and stamps. In short: each slot's stamp is a lap and
//! one of *empty*, *writing*, *full*, *taking*. A writer starts at the `tail` hint and walks to
//! the first position that has not been used. One compare-and-swap moves the stamp to *writing*;
//! it fails if anybody else, writer or reader, came first. `head` and `tail` are plain-stored hints
//! that may lag; nothing depends on their being exact.
//!
//! 1. **Prefix.** When a position is claimed, every earlier position has been claimed or is below
//!    the `floor`, the mark of positions passed over for good.
//! 2. **Exclusion.** A slot stamped *writing* or *taking* belongs to the one thread whose
//!    compare-and-swap put that stamp there.
//! 3. **No value behind the head.** The head passes a position only when its slot has a newer
//!    stamp (which stops late writers), or by jumping to one lap before a position known to be
//!    used, from where it meets every slot again.
//!
//! # Width of the position word
//!
//! Positions are pointer-sized and wrap. On 64-bit targets that is never reached. On 32-bit targets
//! a thread that sleeps inside one operation while the others push more than
//! 2<sup>31</sup> / `one_lap` × `capacity` values (about 10<sup>9</sup>; `one_lap` is the power of two above the
//! capacity) could mistake an old stamp for a new one. Hints, and the stamps of threads that never
//! come back, are brought forward long before.
//!
//! # Features
//!
//! | feature | default | what it does |
//! |---|---|---|
//! | `alloc` | on | the heap ring; without it only [`InlineRing`] |
//! | `portable-atomic` | off | atomics for targets without compare-and-swap |
//! | `mutants` | off | test builds only |
#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;

mod error;
mod iter;
mod order;
mod pop;
mod push;
mod ring;
mod slot;
mod snapshot;
mod stamp;
mod storage;
mod word;

pub use error::{CapacityError, Full, PopError};
pub use iter::IntoIter;
pub use pop::Drain;
pub use push::Forced;
pub use ring::{Counters, DefaultStorage, InlineRing, MAX_CAPACITY, Ring};
pub use slot::Slot;
pub use snapshot::Snapshot;
#[cfg(feature = "alloc")]
pub use storage::HeapSlots;
pub use storage::{InlineSlots, Storage};

/// The examples in the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
