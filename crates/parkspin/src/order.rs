//! Every ordering stronger than `Relaxed` in this crate, by name, with its partner.
//!
//! Two words carry the lock's protocol: the *state* (see `word.rs`) and *wake-ups*, which counts how
//! often a writer was woken. The *gate* is one word by itself, or one with a *slot* for each thread
//! (see `gated`).
//!
//! | site | access | ordering | pairs with | what it carries |
//! |---|---|---|---|---|
//! | [`read_lock`] | state, compare-exchange | Acquire | [`write_unlock`], [`downgrade`] | the last writer's data |
//! | [`write_lock`] | state, compare-exchange | Acquire | [`write_unlock`], [`read_unlock`] | the last writer's data, and the end of every reader's use of it |
//! | [`read_unlock`] | state, subtract | Release | [`write_lock`] | this reader has stopped looking |
//! | [`write_unlock`] | state, add | Release | [`read_lock`], [`write_lock`] | this writer's data |
//! | [`downgrade`] | state, compare-exchange | Release | [`read_lock`] | this writer's data |
//! | [`wake_up`] | wake-ups, add | Release | [`wake_ups`] | "writers wait" was taken out of the state |
//! | [`wake_ups`] | wake-ups, load | Acquire | [`wake_up`] | the look at the state that follows is not older than the count |
//! | [`gate_open`] | gate, and | Release | [`gate_enter`] | the value as its exclusive holder left it |
//! | [`gate_enter`] | gate, add | Acquire | [`gate_open`] | the same |
//! | [`gate_leave`] | gate, subtract | Release | [`gate_inside`] | this one has stopped looking at the value |
//! | `slot_claim` | slot's owner, compare-exchange | Acquire | `slot_release` | what the last owner wrote as the only one |
//! | `slot_release` | slot's owner, store | Release | `slot_claim` | the same |
//! | `slot_enter` | slot, store | Release | `slot_look` | the entries of this thread before have ended |
//! | `slot_leave` | slot, store | Release | `slot_look` | this entry has stopped looking at the value |
//! | `slot_look` | slot, load | Acquire | both | the same |
//! | `gate_look` | gate, load | Acquire | [`gate_open`] | the value as its exclusive holder left it |
//! | [`gate_inside`] | gate, load | Acquire | [`gate_leave`] | the same, of everybody |
//!
//! Everything else is `Relaxed`, for these reasons:
//!
//! - Setting and clearing the waiting bits moves no data. They are read-modify-writes, so they
//!   continue the release sequence of the unlock before them, and whoever acquires the lock after
//!   them still synchronizes with that unlock. The same holds for the locking side's own
//!   compare-exchange: several readers in a row all meet the writer before them.
//! - Loads of the state only propose the expected value of a compare-exchange, which decides.
//! - A failed compare-exchange gives nothing away.
//! - A writer that gives up (its time is past) clears waiting bits in the same manner, and then wakes
//!   a writer with the same [`wake_up`] as everybody else.
//! - Clearing the word after a fork is done by the only thread there is.
//! - Readers sleep on the state itself: the kernel (or the spin loop) compares the very word whose
//!   change is the news, so there is no second word to order against. Where std's mutex guards the
//!   list of sleepers, the mutex orders the comparison against the change.
//!
//! Each function maps to `Relaxed` if the mutant of the name it carries is asked for.

use syncface::atomic::Ordering::{self, Acquire, Release};
use syncface::mutant::order;

/// A reader enters.
#[inline(always)]
pub(crate) fn read_lock() -> Ordering {
    order("parkspin.read_lock", Acquire)
}

/// A writer enters.
#[inline(always)]
pub(crate) fn write_lock() -> Ordering {
    order("parkspin.write_lock", Acquire)
}

/// A reader leaves.
#[inline(always)]
pub(crate) fn read_unlock() -> Ordering {
    order("parkspin.read_unlock", Release)
}

/// A writer leaves.
#[inline(always)]
pub(crate) fn write_unlock() -> Ordering {
    order("parkspin.write_unlock", Release)
}

/// A writer becomes a reader.
#[inline(always)]
pub(crate) fn downgrade() -> Ordering {
    order("parkspin.downgrade", Release)
}

/// A writer is woken.
#[inline(always)]
pub(crate) fn wake_up() -> Ordering {
    order("parkspin.wake_up", Release)
}

/// A writer prepares to sleep.
#[inline(always)]
pub(crate) fn wake_ups() -> Ordering {
    order("parkspin.wake_ups", Acquire)
}

/// Somebody goes in by the gate. Pairs with [`gate_open`].
#[inline(always)]
pub(crate) fn gate_enter() -> Ordering {
    order("parkspin.gate_enter", Acquire)
}

/// Somebody comes out. Pairs with [`gate_inside`].
#[inline(always)]
pub(crate) fn gate_leave() -> Ordering {
    order("parkspin.gate_leave", Release)
}

/// The closer looks who is inside. Pairs with [`gate_leave`].
#[inline(always)]
pub(crate) fn gate_inside() -> Ordering {
    order("parkspin.gate_inside", Acquire)
}

/// The gate opens. Pairs with [`gate_enter`].
#[inline(always)]
pub(crate) fn gate_open() -> Ordering {
    order("parkspin.gate_open", Release)
}

/// Where readers have slots of their own.
#[cfg(all(feature = "std", any(target_os = "linux", target_os = "android")))]
mod slots {
    use super::*;

    /// A thread takes a slot. Pairs with `slot_release`.
    #[inline(always)]
    pub(crate) fn slot_claim() -> Ordering {
        order("parkspin.slot_claim", Acquire)
    }

    /// A thread gives its slot back. Pairs with `slot_claim`.
    #[inline(always)]
    pub(crate) fn slot_release() -> Ordering {
        order("parkspin.slot_release", Release)
    }

    /// A reader announces itself. Pairs with `slot_look`.
    #[inline(always)]
    pub(crate) fn slot_enter() -> Ordering {
        order("parkspin.slot_enter", Release)
    }

    /// A reader has come out. Pairs with `slot_look`.
    #[inline(always)]
    pub(crate) fn slot_leave() -> Ordering {
        order("parkspin.slot_leave", Release)
    }

    /// The closer looks at a slot. Pairs with `slot_leave` and `slot_enter`.
    #[inline(always)]
    pub(crate) fn slot_look() -> Ordering {
        order("parkspin.slot_look", Acquire)
    }

    /// A reader, announced, looks at the gate. Pairs with [`gate_open`].
    #[inline(always)]
    pub(crate) fn gate_look() -> Ordering {
        order("parkspin.gate_look", Acquire)
    }
}
#[cfg(all(feature = "std", any(target_os = "linux", target_os = "android")))]
pub(crate) use slots::*;
