//! What a gated value is reached by. Invariants are those of [`super`].

#![allow(unsafe_code, reason = "hands out references to a cell that gate and lock keep apart")]

use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

use super::{Entry, Gate, Gated, StillInside};
use crate::{RwLockReadGuard, RwLockWriteGuard};

/// Access by an open gate: see [`Gated::enter`].
#[must_use = "the entry ends when this is dropped"]
pub struct Inside<'a, T> {
    pub(super) of: &'a Gated<T>,
    pub(super) entry: Entry,
    pub(super) not_send: PhantomData<*const ()>,
}

impl<T> Inside<'_, T> {
    /// A number below [`SOLOISTS`](Self::SOLOISTS) that no other entry has while this one lasts,
    /// in any thread, to whatever gate: whoever has it is the only one to write what goes with it.
    /// One thread's entries, and those of a thread that comes after it, see what was written so.
    ///
    /// `None` for entries on top of one of the same thread that has the number (of a signal handler,
    /// say), for those of threads that have no number, and where there are no numbers at all.
    #[inline]
    #[must_use]
    pub fn soloist(&self) -> Option<usize> {
        self.entry.soloist()
    }

    /// How many numbers [`soloist`](Self::soloist) can give; 0 where there are none.
    pub const SOLOISTS: usize = Gate::SOLOISTS;
}

impl<T> Deref for Inside<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: nobody has a `&mut` while this lives (invariant 1).
        self.of.value.with(|value| unsafe { &*value })
    }
}

impl<T> Drop for Inside<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.of.gate.leave(&self.entry);
    }
}

/// Access that keeps exclusive holders out: see [`Gated::share`].
pub struct Shared<'a, T> {
    pub(super) of: &'a Gated<T>,
    pub(super) _held: RwLockReadGuard<'a, ()>,
}

impl<T> Deref for Shared<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: nobody has a `&mut` while the lock is held shared (invariant 2).
        self.of.value.with(|value| unsafe { &*value })
    }
}

/// The lock without the value: see [`Gated::lock`]. Those inside stay inside.
pub struct Locked<'a, T> {
    pub(super) of: &'a Gated<T>,
    pub(super) held: RwLockWriteGuard<'a, ()>,
}

impl<'a, T> Locked<'a, T> {
    /// Closes the gate, then waits until nobody is inside.
    ///
    /// `wait` is called with 0, 1, 2, … each time somebody was still there: it passes the time as
    /// the caller likes (spins, sleeps), and gives up by returning `false`. The gate then stays
    /// closed, and the next call goes on where this one left off. It stays closed also when the
    /// guard is dropped; [`Exclusive::open`] opens it.
    ///
    /// A caller that is itself inside waits for itself: `wait` is what ends that.
    ///
    /// # Errors
    /// [`StillInside`] if `wait` gave up; the lock is released.
    pub fn close(self, mut wait: impl FnMut(u32) -> bool) -> Result<Exclusive<'a, T>, StillInside> {
        let Self { of, held } = self;
        let mut closing = of.gate.close();
        let mut rounds = 0;
        loop {
            let entries = closing.inside();
            if entries == 0 {
                return Ok(Exclusive { of, held });
            }
            if !wait(rounds) {
                return Err(StillInside { entries });
            }
            rounds = rounds.saturating_add(1);
        }
    }
}

impl<T> Deref for Locked<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: a `&mut` needs an `Exclusive`, which needs the lock held here (invariant 2).
        self.of.value.with(|value| unsafe { &*value })
    }
}

/// The value to oneself: see [`Gated::exclusive`].
pub struct Exclusive<'a, T> {
    of: &'a Gated<T>,
    held: RwLockWriteGuard<'a, ()>,
}

impl<T> Exclusive<'_, T> {
    /// Opens the gate and lets go of the value.
    pub fn open(self) {
        let Self { of, held } = self;
        of.gate.open();
        drop(held);
    }
}

impl<T> Deref for Exclusive<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the gate was closed and drained under the lock, which is still held, so nobody
        // else has any reference (invariants 1, 2, 3).
        self.of.value.with(|value| unsafe { &*value })
    }
}

impl<T> DerefMut for Exclusive<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as for `deref`, and `&mut self` keeps this guard's own `&T` away.
        self.of.value.with_mut(|value| unsafe { &mut *value })
    }
}

macro_rules! debug_like_the_value {
    ($($guard:ident),*) => {$(
        impl<T: fmt::Debug> fmt::Debug for $guard<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                (**self).fmt(f)
            }
        }
    )*};
}
debug_like_the_value!(Inside, Shared, Locked, Exclusive);
