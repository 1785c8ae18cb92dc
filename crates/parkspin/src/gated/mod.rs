//! A value behind a gate: many readers that never wait, and a rare writer that asks them out.
//!
//! # Invariants
//! 1. **Inside.** While an [`Inside`] lives, its entry is counted by the gate, and nobody has a
//!    `&mut` to the value: who gets one closes the gate first and then finds nobody counted.
//! 2. **Lock.** A [`Shared`] holds the lock shared, a [`Locked`] or [`Exclusive`] holds it
//!    exclusively: never both, and of the last two never more than one.
//! 3. The gate is opened only by the holder of the exclusive lock, when it lets go of the value.

#![allow(unsafe_code, reason = "hands out references to a cell that gate and lock keep apart")]

#[cfg(all(feature = "std", any(target_os = "linux", target_os = "android")))]
mod barrier;
mod counted;
mod guards;
#[cfg(all(feature = "std", any(target_os = "linux", target_os = "android")))]
mod slots;
#[cfg(all(feature = "std", any(target_os = "linux", target_os = "android")))]
mod thread;

use core::fmt;
use core::marker::PhantomData;

use syncface::cell::UnsafeCell;

use crate::{RwLock, RwLockWriteGuard};
#[cfg(not(all(feature = "std", any(target_os = "linux", target_os = "android"))))]
use counted::{Counted as Gate, Entry};
#[cfg(all(feature = "std", any(target_os = "linux", target_os = "android")))]
use slots::{Entry, Slots as Gate};

pub use guards::{Exclusive, Inside, Locked, Shared};

/// Models only: the calling thread ends, and gives its slot back.
#[cfg(all(loom, feature = "std"))]
#[doc(hidden)]
pub fn end_of_thread() {
    thread::end();
}

/// A value with four kinds of access.
///
/// | access | waits | when |
/// |---|---|---|
/// | [`enter`](Self::enter) | never | while the gate is open |
/// | [`share`](Self::share) | for an exclusive holder | always |
/// | [`lock`](Self::lock) | for sharers, as long as the caller wants to | always; leaves the gate alone |
/// | [`exclusive`](Self::exclusive) | for everybody, as long as the caller wants to | always; closes the gate |
///
/// Made for values that are used all the time and changed hardly ever, by code that can also
/// interrupt itself: an entry is refused or granted at once, also to a signal handler on top of
/// another entry, and an entry that never ends costs the exclusive side a refusal, not a hang.
///
/// - **Threads that end.** A thread gives its place back when it ends; entries in destructors of its
///   thread-local values, before and after that, are granted as ever.
/// - **Forks.** In a child, the entries of the parent's other threads count as ended, except those
///   that were counted in the one word of all (see [`enter`](Self::enter)): they never end there, and
///   the exclusive side is refused. The lock is another matter: see [`RwLock::reset_after_fork`].
/// - **Shared libraries.** Each copy of this crate in a process has places of its own, so two
///   libraries with gates do not meet. A library that has closed a gate stays loaded for the rest of
///   the process, for the sake of threads that have been inside.
///
/// ```
/// use parkspin::Gated;
///
/// static TABLE: Gated<Vec<u32>> = Gated::new(Vec::new());
///
/// assert!(TABLE.enter().is_none()); // closed at first
/// let mut table = TABLE.exclusive(|_| false).unwrap();
/// table.push(7);
/// table.open();
/// assert_eq!(TABLE.enter().unwrap()[0], 7);
/// ```
pub struct Gated<T> {
    gate: Gate,
    lock: RwLock<()>,
    value: UnsafeCell<T>,
}

// SAFETY: a `&Gated` gives `&T` to several threads at once, and `&mut T` to one (invariants 1, 2).
unsafe impl<T: Send + Sync> Sync for Gated<T> {}

impl<T> Gated<T> {
    syncface::maybe_const! {
        /// A value behind a closed gate.
        #[must_use]
        pub fn new(value: T) -> Self {
            Self { gate: Gate::new(false), lock: RwLock::new(()), value: UnsafeCell::new(value) }
        }
    }

    syncface::maybe_const! {
        /// As [`new`](Self::new), but closing never asks the kernel for a barrier on all threads.
        ///
        /// Each entry executes a fence instead (about the price of one locked instruction). For
        /// processes with real-time threads that no other thread may interrupt, and for sandboxes in
        /// which `membarrier` is an offence. Where a gate counts in one word, it makes no difference.
        ///
        /// ```
        /// use parkspin::Gated;
        ///
        /// static LEVEL: Gated<u8> = Gated::with_fences(3);
        /// LEVEL.exclusive(|_| false).unwrap().open();
        /// assert_eq!(*LEVEL.enter().unwrap(), 3);
        /// ```
        #[must_use]
        pub fn with_fences(value: T) -> Self {
            Self { gate: Gate::new(true), lock: RwLock::new(()), value: UnsafeCell::new(value) }
        }
    }

    /// The value, if the gate is open.
    ///
    /// Never waits, and may be called on top of another entry, also by a signal handler. A guard
    /// that is leaked keeps the gate from ever draining.
    ///
    /// Who is inside gets in again as long as the gate is open; once it is being closed, nobody does.
    ///
    /// With `std` on Linux and Android a thread announces itself in a cache line of its own: no
    /// locked instruction, no line that other readers write. (Not for more than 64 threads at a time,
    /// not while a thread ends, and not on top of another entry.) Elsewhere, one word
    /// counts all: two locked operations.
    ///
    /// A thread's first entry may allocate where the C library keeps thread-local values on the heap:
    /// glibc does for a process's 33rd thread key, and in libraries that were loaded at run time.
    ///
    /// A signal handler must drop the entries that it makes.
    #[inline]
    pub fn enter(&self) -> Option<Inside<'_, T>> {
        let entry = self.gate.enter()?;
        Some(Inside { of: self, entry, not_send: PhantomData })
    }

    /// Tests only: [`enter`](Self::enter), with `handler` run where a signal handler may run as well,
    /// in the middle of it.
    #[cfg(all(feature = "std", any(target_os = "linux", target_os = "android")))]
    #[doc(hidden)]
    pub fn enter_interrupted(&self, handler: impl FnOnce()) -> Option<Inside<'_, T>> {
        let entry = self.gate.enter_interrupted(handler)?;
        Some(Inside { of: self, entry, not_send: PhantomData })
    }

    /// The value, whether the gate is open or closed; waits while somebody has it exclusively, and
    /// keeps everybody from having it so.
    #[must_use]
    pub fn share(&self) -> Shared<'_, T> {
        Shared { of: self, _held: self.lock.read() }
    }

    /// Takes the lock and leaves the gate as it is: to look before [closing](Locked::close) it.
    ///
    /// `wait` is called with 0, 1, 2, … each time somebody still had the lock: it passes the time as
    /// the caller likes (spins, sleeps), and gives up by returning `false`. With `std` (but not on
    /// WebAssembly), each look from the hundredth on is a stand in line for up to 20 ms, in which those
    /// who come to share wait behind: else a few of them who overlap without a gap could keep the lock
    /// for ever.
    ///
    /// # Errors
    /// [`StillInside`] if `wait` gave up.
    pub fn lock(&self, mut wait: impl FnMut(u32) -> bool) -> Result<Locked<'_, T>, StillInside> {
        let mut rounds = 0;
        loop {
            if let Some(held) = self.look(rounds) {
                return Ok(Locked { of: self, held });
            }
            if !wait(rounds) {
                return Err(StillInside { entries: 0 });
            }
            rounds = rounds.saturating_add(1);
        }
    }

    /// Takes the lock if it is free, or, when it has often not been, becomes free soon.
    fn look(&self, rounds: u32) -> Option<RwLockWriteGuard<'_, ()>> {
        #[cfg(all(feature = "std", not(loom), not(target_family = "wasm")))]
        if rounds >= 100 {
            return self.lock.try_write_for(core::time::Duration::from_millis(20));
        }
        let _ = rounds;
        self.lock.try_write()
    }

    /// The value to oneself: [`lock`](Self::lock), then [`close`](Locked::close).
    ///
    /// # Errors
    /// [`StillInside`] if `wait` gave up.
    pub fn exclusive(
        &self,
        mut wait: impl FnMut(u32) -> bool,
    ) -> Result<Exclusive<'_, T>, StillInside> {
        self.lock(&mut wait)?.close(wait)
    }

    /// Makes gate and lock as new and leaves the value as it is: the gate is closed then, and the lock is
    /// free. For a forked child, where holds and entries of threads that it has not got are leaked. An
    /// entry that a thread of this process has leaked keeps that thread's place all the same, and one
    /// that is still to end must not: it was counted by the gate that was.
    ///
    /// ```
    /// use parkspin::Gated;
    /// let mut gated = Gated::new(5);
    /// std::mem::forget(gated.share());
    /// assert!(gated.exclusive(|_| false).is_err());
    /// gated.renew();
    /// assert_eq!(*gated.exclusive(|_| false).unwrap(), 5);
    /// ```
    pub fn renew(&mut self) {
        self.gate = Gate::new(self.gate.has_fences());
        self.lock = RwLock::new(());
    }

    /// The value, of a gate that nobody else can reach.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.with_mut(|value| {
            // SAFETY: `&mut self`.
            unsafe { &mut *value }
        })
    }
}

/// Who wanted the value exclusively gave up waiting; nothing has changed but that the gate is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StillInside {
    /// Entries that had not ended; 0 if somebody else had the value shared or exclusively.
    pub entries: usize,
}

impl fmt::Display for StillInside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.entries {
            0 => f.write_str("somebody else has the value"),
            entries => write!(f, "{entries} still inside"),
        }
    }
}

impl core::error::Error for StillInside {}

impl<T: fmt::Debug> fmt::Debug for Gated<T> {
    /// Prints the value if the gate is open.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.enter() {
            Some(value) => f.debug_tuple("Gated").field(&*value).finish(),
            None => f.write_str("Gated(closed)"),
        }
    }
}
