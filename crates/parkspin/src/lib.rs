//! A reader-writer lock that needs no `std`: it sleeps on a futex where the target has one, by way of
//! `std` where there is that, and spins where there is neither, with one algorithm above all three.
//!
//! ```
//! use parkspin::RwLock;
//! use std::thread;
//!
//! static TOTALS: RwLock<(u64, u64)> = RwLock::new((0, 0));
//!
//! thread::scope(|scope| {
//!     for _ in 0..2 {
//!         scope.spawn(|| {
//!             for _ in 0..100 {
//!                 let mut totals = TOTALS.write();
//!                 totals.0 += 1;
//!                 totals.1 += 2;
//!             }
//!         });
//!     }
//!     // A reader never sees one half of an update.
//!     let totals = TOTALS.read();
//!     assert_eq!(totals.1, totals.0 * 2);
//! });
//! assert_eq!(*TOTALS.read(), (200, 400));
//! ```
//!
//! # Who waits behind whom
//!
//! - Many readers or one writer. Readers that arrive while a writer waits queue behind it, so
//!   readers cannot keep a writer out for ever. Within each kind there is no order, and a thread
//!   that arrives while the lock is free may overtake a writer that was just woken.
//! - When the lock becomes free, a sleeping writer is woken first, all sleeping readers if there is
//!   none. Where the target spins, nobody knows who is there, and both are let go at once.
//! - Because readers queue behind writers, [`RwLock::read`] by a thread that already reads can wait
//!   for ever. [`RwLock::read_recursive`] does not: it enters past waiting writers if readers have
//!   the lock. The same goes for code that a reader calls without knowing, such as a `Drop` or a
//!   `Debug` of the value which takes the same lock: under a write guard that always waits for ever.
//!
//! # What waiting means
//!
//! | target | features `futex` and `std` (default) | `futex` | `std` | neither |
//! |---|---|---|---|---|
//! | Linux, Android | sleep in the kernel | sleep in the kernel | sleep by way of std | spin |
//! | WebAssembly | spin | spin | spin | spin |
//! | everything else with std | sleep by way of std | spin | sleep by way of std | spin |
//! | everything else | – | spin | – | spin |
//!
//! A thread looks about 100 times before it sleeps. "By way of std" is a list of sleepers under a
//! mutex, with a condition variable for each wait, which allocates; so an allocator must not wait for
//! such a lock. WebAssembly spins because its wait instruction traps on a browser's main thread.
//!
//! Spinning backs off exponentially and never gives the processor away, unless the lock's second type
//! parameter says otherwise: see [`Relax`]. Code that can interrupt the holder on the same processor
//! (interrupt handlers, signal handlers, a higher priority without time slices) must not wait at all,
//! on any target, since the holder cannot go on before it returns: [`RwLock::try_read`] and
//! [`RwLock::try_write`] are for such code.
//!
//! Where there is a clock (feature `std`, not on WebAssembly) waiting can be limited:
//! `RwLock::try_read_for`, `try_write_for` and their `until` forms. A writer that gives up lets in
//! the readers who came to wait behind it.
//!
//! After a fork the child may find a lock held by threads that it has not got:
//! [`RwLock::reset_after_fork`].
//!
//! # Left out on purpose
//!
//! - **Poisoning.** A panic of a holder releases the lock on unwinding, like any other way out, and
//!   the next holder finds the value as the panic left it. With `panic = "abort"`, the usual choice
//!   where there is no `std`, there is nobody left to warn; elsewhere a value that must be whole is
//!   better protected by an update that cannot stop halfway.
//! - **Upgrading** a read guard, whether by an upgradable kind of hold or by a try. Two readers that
//!   both want to upgrade wait for each other; the usual way out, a third kind of hold that excludes
//!   its like, makes every one of its users a half-writer and costs a bit and a state of the word.
//!   Dropping the read guard, taking the write guard and checking again does the same work, and says
//!   where the value may have changed. [`RwLockWriteGuard::downgrade`] needs no such care and is
//!   here.
//!
//! # What is proved, and how far
//!
//! The loom model checker explores the algorithm above the sleeping back end, which is then the list
//! of sleepers that ships for use with std: two threads exhaustively (with a recursive reader or a
//! timed waiter: up to 4 preemptions), three threads up to 3 preemptions or, where a try or a
//! recursive reader takes part, up to 2. Above the spinning back end it explores two threads up to 2.
//! Each ordering and delicate branch can be broken by name to show that some model notices
//! (`tests/model.rs`, `tests/mutants.txt`). Loom does not explore load buffering or compare-exchanges
//! that fail for no reason, its atomics hide some interleavings, and the kernel is not in the model;
//! so a green model is evidence, not proof.
#![no_std]

#[cfg(any(loom, test, feature = "std"))]
extern crate std;

mod gated;
mod guard;
#[cfg(all(feature = "lock_api", not(loom)))]
mod lock_api;
mod order;
mod raw;
mod relax;
mod rwlock;
mod wait;
mod word;

#[cfg(all(loom, feature = "std"))]
#[doc(hidden)]
pub use gated::end_of_thread;
pub use gated::{Exclusive, Gated, Inside, Locked, Shared, StillInside};
pub use guard::{MappedRwLockReadGuard, MappedRwLockWriteGuard, RwLockReadGuard, RwLockWriteGuard};
#[cfg(all(feature = "lock_api", not(loom)))]
pub use lock_api::Raw;
pub use raw::RawRwLock;
pub use relax::{Backoff, Relax};
pub use rwlock::RwLock;
/// Models only: the deadline of a timed wait.
#[cfg(all(loom, feature = "std"))]
#[doc(hidden)]
pub use wait::Alarm;

/// The examples in the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
