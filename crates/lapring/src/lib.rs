//! A bounded multi-producer, multi-consumer ring whose [`force_push`](Ring::force_push) overwrites
//! the oldest value and never waits for another thread.
//!
//! Rings that hand out positions by counting up, and let the copy follow, have a gap between the
//! two: a thread that is stopped in that gap (preempted, interrupted by a signal handler or an
//! interrupt that pushes too, killed, forked away) stops every other thread that comes round to
//! its slot. Here the slot is claimed explicitly, with one compare-and-swap on the slot's own
//! stamp that gives position, slot and displaced value at once; a `force_push` that meets a claimed
//! slot passes it by.
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
//! | operation | progress | own steps | may answer |
//! |---|---|---|---|
//! | [`force_push`](Ring::force_push) | lock-free, waits for nobody | usually one look and one locked operation; at most about two laps of looks when others are stopped mid-copy and nobody else pushes | evicted value; own value back if `capacity` slots in a row were seen mid-copy |
//! | [`reserve`](Ring::reserve), [`force_push_with`](Ring::force_push_with) | lock-free, waits for nobody | the same; the slot counts as mid-copy until it is filled | nothing, where `force_push` gives the value back |
//! | [`push`](Ring::push) | lock-free, waits for nobody | the same | full; busy where somebody is mid-copy, or a position was passed by |
//! | [`try_pop`](Ring::try_pop), [`pop`](Ring::pop) | lock-free, waits for nobody | usually one look and one locked operation; at most about two laps of looks while nobody else pushes or pops | pending, while the oldest is mid-copy |
//! | [`drain`](Ring::drain), [`snapshot`](Ring::snapshot) | one pass, waits for nobody | at most `capacity` slots | steps over what is mid-copy |
//! | [`read_on`](Ring::read_on) | one pass, waits for nobody | what is new, `capacity` slots at most | tells what was missed |
//! | [`len`](Ring::len), [`is_empty`](Ring::is_empty), [`is_full`](Ring::is_full) | lock-free | usually four loads; a walk of at most a lap where a hint lags | a snapshot |
//! | [`counters`](Ring::counters) | one pass | `capacity` loads | a snapshot |
//! | [`capacity`](Ring::capacity) | wait-free | one load | |
//!
//! "Lock-free" means that an operation takes a bounded number of its own steps unless other threads
//! make progress meanwhile: a lost compare-and-swap, or a position that somebody else has used. After
//! either it pauses for a moment, some 8,000 spin hints per operation at most if it was overtaken. A
//! *look* is one load of a slot's stamp.
//!
//! - A completed push is popped, displaced (returned to exactly one pusher, or seen by the snapshot
//!   that held it) or resident: exactly one of the three, for ever.
//! - Values come out in the order of their positions, and each producer's in the order it pushed
//!   them. A push whose thread was stopped mid-copy for more than a lap comes out late. It still
//!   comes out before what that thread pushes next, unless the thread goes on in the very few
//!   instructions in which its publication is still in the processor's store buffer while another
//!   thread passes its slot by: then that one value may follow its successor.
//! - What overwriting loses is always the oldest that is not mid-copy.
//! - `pop` never answers "empty" while a value is resident or under way.
//! - Values are moved, never shared; dropping the ring drops each resident value once.
//!
//! # How it works
//!
//! Each slot has a **stamp**: a lap and one of *empty*, *writing*, *full*, *taking*, *peeking*. A
//! **position** is a slot's index with a lap above it. A writer starts at the `tail` hint and walks
//! to the first position that has not been used. One compare-and-swap on that slot's stamp claims
//! position, slot and displaced value at once; it fails if anybody else, writer or reader, came
//! first, and then the loser backs off for a bounded moment. So does a thread whose hint led it to
//! slots that others have used already, and then it starts from the hint anew, as long as the hint
//! moves on: walking behind the threads at work would drag the slots' cache lines away from them.
//! Two threads so take turns of many operations each. `head` and `tail` are
//! plain-stored hints that may lag; nothing but the length of a walk depends on them.
//!
//! # Invariants
//!
//! 1. **Prefix.** When a position is claimed, every earlier position has been claimed, or its slot
//!    has a newer stamp, or it is below the `floor`, the mark of positions issued or passed by for
//!    good.
//! 2. **Exclusion.** A slot stamped *writing*, *taking* or *peeking* belongs to the one thread whose
//!    compare-and-swap put that state there.
//! 3. **No value behind the head.** The head passes a position only when its slot has a newer stamp
//!    (which stops late writers), or by jumping to one lap before a position known to be used, from
//!    where it meets every slot again.
//! 4. **Order.** Who sees that a position is used also sees everything that was used or passed by
//!    before it (the orderings below), and so never claims or reads an earlier one afterwards as if
//!    it were new.
//!
//! # While a thread is stopped
//!
//! A thread can be stopped between its claim and the store that ends it. Its slot then keeps a
//! claimed stamp, and the others do as follows.
//!
//! - A **forced push** that comes to the slot a lap later finds it *busy*. It takes the next position
//!   instead, and first raises the `floor`, so that the one passed by stays unused: otherwise its own
//!   next push could land there, before this one. For the same reason who claims an empty slot looks
//!   at the floor once more. After `capacity` busy slots in a row it gives its value back.
//! - A **push** that comes to the slot is refused as busy. It passes by nothing: a position without a
//!   value takes the room of one until all older values have been popped, and where as many values go
//!   round as there are slots, threads that only push would wait for that for ever.
//! - A **reader** that finds a *writing* slot, or one in which a value of an earlier lap is still being
//!   taken, answers "pending"; once the tail is more than a lap ahead, the head jumps on. `drain` steps
//!   over the slot. A reader that finds *taking* in this lap goes on to the next position: that value
//!   has been taken. So a `drain` reads on beside any stopped thread; for a `pop` it takes forced
//!   pushes to bring the tail that far, in each lap.
//! - The **stopped thread** itself, when it goes on, stores its stamp. A late value is resident like
//!   any other, under its old lap: it is popped where the head meets it, or displaced by the next
//!   writer that comes to the slot. The position that was passed by is skipped by readers, who leave
//!   a newer stamp in it.
//!
//! # Orderings
//!
#![doc = include_str!("orderings.md")]
//!
//! # Width of the position word
//!
//! Positions are pointer-sized and wrap. On 64-bit targets that is never reached. On 32-bit targets
//! a thread that sleeps inside one operation while the others push more than
//! 2<sup>31</sup> / `one_lap` × `capacity` values could mistake an old stamp for a new one, and the
//! stamp it then stores is one that others mistake. (`one_lap` is the power of two above the
//! capacity, at least 8: that is 10<sup>9</sup> values or more from capacity 4 on, 2.7 × 10<sup>8</sup> at
//! capacity 1.) Hints, and the stamps of threads that never come back, are brought forward long
//! before.
//!
//! # Features
//!
//! | feature | default | what it does |
//! |---|---|---|
//! | `alloc` | on | the heap ring; without it only [`InlineRing`] |
//! | `mmap` | off | slots of 128 KiB and more straight from the kernel (Linux, Android): fresh zero pages that are gone when the ring is |
//! | `portable-atomic` | off | atomics for targets without compare-and-swap |
//! | `mutants` | off | test builds only |
#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;

mod aside;
mod cursor;
mod error;
mod iter;
mod order;
mod pop;
mod push;
mod reserve;
mod ring;
mod slot;
mod snapshot;
mod stamp;
mod storage;
mod word;

pub use cursor::{Cursor, Found, Place, Reading};
pub use error::{CapacityError, Full, PopError};
pub use iter::IntoIter;
pub use pop::Drain;
pub use push::Forced;
pub use reserve::Reserved;
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
