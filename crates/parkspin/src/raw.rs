//! The lock without data: two words and the protocol between them.
//!
//! Invariants of the state word, each kept by every single step (a step is one compare-exchange,
//! addition or subtraction):
//!
//! 1. The count is n while exactly n shared holds exist, [`COUNT`](word::COUNT) while exactly one
//!    exclusive hold exists, and 0 otherwise. So an exclusive hold never coexists with another.
//! 2. A thread goes to sleep only after it has seen its waiting bit set; whoever clears a waiting
//!    bit then wakes those who sleep behind it.
//! 3. While readers hold the lock, "readers wait" is set only if "writers wait" is, too. So a
//!    leaving reader has to look at the writers' bit alone.
//! 4. While nobody holds the lock and a waiting bit is set, only writers may enter, and somebody is
//!    under way to clear the bit: the thread that released the lock, or a writer it woke.
//! 5. A writer that was woken either enters or, if its time is up while the lock is held, wakes the
//!    next one. So a wake-up is never spent on somebody who walks away with it.
//!
//! Sleepers behind the writers' bit sleep on the count of wake-ups, which changes whenever the bit
//! is cleared; sleepers behind the readers' bit sleep on the state itself.

#![allow(unsafe_code, reason = "releasing a hold is unsafe to call: the caller must have it")]

use core::fmt;

use syncface::atomic::Ordering::Relaxed;
use syncface::{maybe_const, mutant};

pub(crate) mod slow;
#[cfg(all(feature = "std", any(loom, not(target_family = "wasm"))))]
pub(crate) mod timed;

use slow::Queueing;

use crate::order;
use crate::relax::{Backoff, Relax};
use crate::wait::Word;
use crate::word::{self, State};

/// A reader-writer lock without data, for building other locks.
///
/// Two 32-bit words; no allocation, no registration, nothing to drop. [`RwLock`](crate::RwLock) is
/// this with data and guards.
///
/// Releasing is `unsafe`, since it ends a hold that the caller must have. Another rule is
/// checked by the borrow checker for guards and left to you here: the lock must stay alive until
/// the releasing call has *returned*, since that call may still wake somebody after another thread
/// can already see the lock free.
///
/// ```
/// use parkspin::RawRwLock;
///
/// static LOCK: RawRwLock = RawRwLock::new();
///
/// LOCK.lock_shared();
/// assert!(LOCK.try_lock_shared() && !LOCK.try_lock_exclusive());
/// // SAFETY: the two shared holds are the ones that were taken above.
/// unsafe { LOCK.unlock_shared() };
/// // SAFETY: as above, the second of them.
/// unsafe { LOCK.unlock_shared() };
/// assert!(!LOCK.is_locked());
/// ```
pub struct RawRwLock {
    state: Word,
    /// How often a writer was woken, wrapping. A writer that reads this, finds that it has to
    /// sleep and goes to sleep on the number it read cannot miss a wake-up in between.
    wake_ups: Word,
}

impl RawRwLock {
    /// The most shared holds at once: 2<sup>30</sup> − 2.
    ///
    /// ```
    /// assert_eq!(parkspin::RawRwLock::MAX_READERS, 0x3FFF_FFFE);
    /// ```
    pub const MAX_READERS: u32 = word::MAX_READERS;

    maybe_const! {
        /// A free lock. `const`, except under loom.
        ///
        /// ```
        /// static LOCK: parkspin::RawRwLock = parkspin::RawRwLock::new();
        /// assert!(!LOCK.is_locked());
        /// ```
        #[must_use]
        pub fn new() -> Self {
            Self::with_readers(0)
        }
    }

    maybe_const! {
        /// Test only: a lock with `readers` shared holds that nobody owns, to reach the limit
        /// without 2<sup>30</sup> steps.
        ///
        /// # Panics
        ///
        /// If `readers` is above [`MAX_READERS`](Self::MAX_READERS).
        #[doc(hidden)]
        #[must_use]
        pub fn with_readers(readers: u32) -> Self {
            assert!(readers <= word::MAX_READERS, "more readers than the limit of 1073741822");
            Self { state: Word::new(readers), wake_ups: Word::new(0) }
        }
    }

    /// Takes a shared hold, waiting while a writer has the lock or anybody waits for it.
    ///
    /// Free: one compare-exchange. What the last writer did before it released the
    /// lock is visible afterwards (Acquire).
    ///
    /// A thread that already has a shared hold may wait for ever here, since a writer may wait
    /// between the two; see [`lock_shared_recursive`](Self::lock_shared_recursive).
    ///
    /// # Panics
    ///
    /// If [`MAX_READERS`](Self::MAX_READERS) shared holds exist. The lock is not changed then.
    ///
    /// ```
    /// let lock = parkspin::RawRwLock::new();
    /// lock.lock_shared();
    /// assert!(lock.is_locked() && !lock.is_write_locked());
    /// // SAFETY: this is the hold taken above.
    /// unsafe { lock.unlock_shared() };
    /// ```
    #[inline]
    pub fn lock_shared(&self) {
        self.lock_shared_with::<Backoff>();
    }

    /// [`lock_shared`](Self::lock_shared), waiting in the manner of `R` where the lock spins.
    ///
    /// # Panics
    ///
    /// As `lock_shared`.
    ///
    /// ```
    /// let lock = parkspin::RawRwLock::new();
    /// lock.lock_shared_with::<spin::relax::Spin>();
    /// // SAFETY: this is the hold taken above.
    /// unsafe { lock.unlock_shared() };
    /// ```
    #[inline]
    pub fn lock_shared_with<R: Relax>(&self) {
        if let Err(now) = self.enter_shared(State::FREE) {
            self.lock_shared_slow::<R>(Queueing::Polite, now, None);
        }
    }

    /// Takes a shared hold without waiting; `false` if a writer has the lock, anybody waits for
    /// it, or [`MAX_READERS`](Self::MAX_READERS) holds exist.
    ///
    /// Another reader's coming or going at the same moment is no reason for `false`.
    ///
    /// ```
    /// let lock = parkspin::RawRwLock::new();
    /// assert!(lock.try_lock_shared());
    /// assert!(!lock.try_lock_exclusive());
    /// // SAFETY: this is the hold taken above.
    /// unsafe { lock.unlock_shared() };
    /// ```
    #[inline]
    #[must_use]
    pub fn try_lock_shared(&self) -> bool {
        self.try_shared(Queueing::Polite).is_ok()
    }

    /// Takes a shared hold as [`lock_shared`](Self::lock_shared) does, but does not queue behind
    /// those who wait if readers have the lock already.
    ///
    /// With it a thread that has a shared hold can take another and never waits. The price: if all
    /// readers came this way and overlapped without a gap, a writer would wait for ever.
    ///
    /// # Panics
    ///
    /// If [`MAX_READERS`](Self::MAX_READERS) shared holds exist. The lock is not changed then.
    ///
    /// ```
    /// let lock = parkspin::RawRwLock::new();
    /// lock.lock_shared();
    /// lock.lock_shared_recursive(); // returns at once, even if a writer has begun to wait
    /// // SAFETY: the two holds are the ones taken above.
    /// unsafe { lock.unlock_shared() };
    /// // SAFETY: as above, the second of them.
    /// unsafe { lock.unlock_shared() };
    /// ```
    #[inline]
    pub fn lock_shared_recursive(&self) {
        self.lock_shared_recursive_with::<Backoff>();
    }

    /// [`lock_shared_recursive`](Self::lock_shared_recursive), waiting in the manner of `R` where
    /// the lock spins.
    ///
    /// # Panics
    ///
    /// As `lock_shared_recursive`.
    ///
    /// ```
    /// let lock = parkspin::RawRwLock::new();
    /// lock.lock_shared_recursive_with::<spin::relax::Spin>();
    /// // SAFETY: this is the hold taken above.
    /// unsafe { lock.unlock_shared() };
    /// ```
    #[inline]
    pub fn lock_shared_recursive_with<R: Relax>(&self) {
        if let Err(now) = self.enter_shared(State::FREE) {
            self.lock_shared_slow::<R>(Queueing::Recursive, now, None);
        }
    }

    /// Takes a shared hold without waiting, past those who wait if readers have the lock already.
    ///
    /// `false` if a writer has the lock, the lock is between two holders and somebody waits for it,
    /// or [`MAX_READERS`](Self::MAX_READERS) holds exist.
    ///
    /// ```
    /// let lock = parkspin::RawRwLock::new();
    /// assert!(lock.try_lock_shared_recursive() && lock.try_lock_shared_recursive());
    /// // SAFETY: the two holds are the ones taken above.
    /// unsafe { lock.unlock_shared() };
    /// // SAFETY: as above, the second of them.
    /// unsafe { lock.unlock_shared() };
    /// ```
    #[inline]
    #[must_use]
    pub fn try_lock_shared_recursive(&self) -> bool {
        self.try_shared(Queueing::Recursive).is_ok()
    }

    /// Gives a shared hold back, and wakes a writer if this was the last one and a writer waits.
    ///
    /// One subtraction if nobody waits. The next writer sees this reader's use as finished
    /// (Release).
    ///
    /// # Safety
    ///
    /// The caller has a shared hold on this lock, which ends here. The lock stays alive until this
    /// call has returned.
    ///
    /// ```
    /// let lock = parkspin::RawRwLock::new();
    /// lock.lock_shared();
    /// // SAFETY: this is the hold taken above.
    /// unsafe { lock.unlock_shared() };
    /// assert!(!lock.is_locked());
    /// ```
    #[inline]
    pub unsafe fn unlock_shared(&self) {
        let before = self.state.value().fetch_add(word::RELEASE_READER, order::read_unlock());
        debug_assert!(State(before).is_read_locked() && State(before).is_legal(), "{before:#x}");
        let after = State(before.wrapping_add(word::RELEASE_READER));
        // By invariant 3 readers never wait alone here.
        if after.reader_may_have_to_wake() {
            self.reader_left();
        }
    }

    /// Takes the exclusive hold, waiting until nobody else has any.
    ///
    /// Free: one compare-exchange. Everything that earlier holders did is visible afterwards
    /// (Acquire). While it waits, new readers wait behind it.
    ///
    /// ```
    /// let lock = parkspin::RawRwLock::new();
    /// lock.lock_exclusive();
    /// assert!(lock.is_write_locked());
    /// // SAFETY: this is the hold taken above.
    /// unsafe { lock.unlock_exclusive() };
    /// ```
    #[inline]
    pub fn lock_exclusive(&self) {
        self.lock_exclusive_with::<Backoff>();
    }

    /// [`lock_exclusive`](Self::lock_exclusive), waiting in the manner of `R` where the lock spins.
    ///
    /// ```
    /// let lock = parkspin::RawRwLock::new();
    /// lock.lock_exclusive_with::<spin::relax::Spin>();
    /// // SAFETY: this is the hold taken above.
    /// unsafe { lock.unlock_exclusive() };
    /// ```
    #[inline]
    pub fn lock_exclusive_with<R: Relax>(&self) {
        if self.enter_exclusive(State::FREE, State::FREE.plus_writer()).is_err() {
            self.lock_exclusive_slow::<R>(None);
        }
    }

    /// Takes the exclusive hold without waiting; `false` if anybody has a hold.
    ///
    /// It may overtake those who wait, and they go on waiting.
    ///
    /// ```
    /// let lock = parkspin::RawRwLock::new();
    /// assert!(lock.try_lock_exclusive());
    /// assert!(!lock.try_lock_exclusive() && !lock.try_lock_shared());
    /// // SAFETY: this is the hold taken above.
    /// unsafe { lock.unlock_exclusive() };
    /// ```
    #[inline]
    #[must_use]
    pub fn try_lock_exclusive(&self) -> bool {
        let mut state = State::FREE;
        while state.is_unlocked() {
            match self.enter_exclusive(state, state.plus_writer()) {
                Ok(()) => return true,
                Err(now) => state = now,
            }
        }
        false
    }

    /// Gives the exclusive hold back and wakes a waiting writer, or all waiting readers if there
    /// is none.
    ///
    /// One addition if nobody waits. The next holder sees what this one did (Release).
    ///
    /// # Safety
    ///
    /// The caller has the exclusive hold on this lock, which ends here. The lock stays alive until
    /// this call has returned.
    ///
    /// ```
    /// let lock = parkspin::RawRwLock::new();
    /// lock.lock_exclusive();
    /// // SAFETY: this is the hold taken above.
    /// unsafe { lock.unlock_exclusive() };
    /// assert!(!lock.is_locked());
    /// ```
    #[inline]
    pub unsafe fn unlock_exclusive(&self) {
        let value = self.state.value();
        let before = if mutant::is("parkspin.write_unlock_stores_zero") {
            // The fault: a store between two looks forgets who began to wait meanwhile.
            let before = value.load(Relaxed);
            value.store(0, order::write_unlock());
            State(before)
        } else {
            State(value.fetch_add(word::RELEASE_WRITER, order::write_unlock()))
        };
        debug_assert!(before.is_write_locked(), "{before:?}");
        if before != State::FREE.plus_writer() {
            self.writer_left();
        }
    }

    /// Turns the exclusive hold into a shared one, with no moment in between at which another
    /// writer could enter.
    ///
    /// Waiting readers are let in as well unless a writer waits; then they stay behind it. The
    /// readers that come in see what this holder did (Release). Never waits.
    ///
    /// # Safety
    ///
    /// The caller has the exclusive hold on this lock, which becomes a shared one. The lock stays
    /// alive until this call has returned.
    ///
    /// ```
    /// let lock = parkspin::RawRwLock::new();
    /// lock.lock_exclusive();
    /// // SAFETY: this is the hold taken above.
    /// unsafe { lock.downgrade() };
    /// assert!(lock.try_lock_shared());
    /// // SAFETY: this is the hold just taken.
    /// unsafe { lock.unlock_shared() };
    /// // SAFETY: this is the hold that the downgrade left.
    /// unsafe { lock.unlock_shared() };
    /// ```
    #[inline]
    pub unsafe fn downgrade(&self) {
        let wakes_first = mutant::is("parkspin.downgrade_wakes_first");
        if wakes_first {
            self.state.wake_all();
        }
        let mut before = self.load();
        let after = loop {
            debug_assert!(before.is_write_locked(), "{before:?}");
            let mut after = before.downgraded();
            if before.readers_wait() && mutant::is("parkspin.downgrade_keeps_readers_wait") {
                after = after.with_readers_wait();
            }
            match self.exchange(before, after, order::downgrade()) {
                Ok(()) => break after,
                Err(now) => before = now,
            }
        };
        if before.readers_wait() && !after.writers_wait() && !wakes_first {
            self.state.wake_all();
        }
    }

    /// Makes the lock free in the child of a fork, whatever holds it had in the parent. Returns
    /// whether a writer had it, who may have been halfway through a change of whatever the lock
    /// protects.
    ///
    /// A fork copies the lock and only one of the threads: holds of the others stay for ever, and
    /// those who waited are gone, although the lock's bits say that they wait.
    ///
    /// Where the lock sleeps by way of std (see the [crate documentation](crate#what-waiting-means))
    /// the lists of sleepers are copied as well, in whatever state they were: there a child may use
    /// the lock as long as nobody waits for it.
    ///
    /// # Safety
    ///
    /// - The caller is in the child of a fork and has made no thread since.
    /// - No hold from before the fork is released, downgraded or made use of from here on: not even
    ///   those of the thread that forked, whose guards must be forgotten.
    ///
    /// ```
    /// let lock = parkspin::RawRwLock::new();
    /// lock.lock_exclusive(); // by a thread that the child has not got
    /// // SAFETY: nobody else knows this lock, and the hold above is not used again.
    /// assert!(unsafe { lock.reset_after_fork() });
    /// assert!(lock.try_lock_shared());
    /// ```
    pub unsafe fn reset_after_fork(&self) -> bool {
        // Pairs with nothing: the fork itself orders what the parent did before what the child does,
        // and there is no other thread. The count of wake-ups matters to sleepers only.
        State(self.state.value().swap(State::FREE.0, Relaxed)).is_write_locked()
    }

    /// Whether anybody had a hold at the moment of the look. It can be wrong by the time you act
    /// on it: good for messages and assertions about your own hold, not for decisions.
    ///
    /// ```
    /// assert!(!parkspin::RawRwLock::new().is_locked());
    /// ```
    #[must_use]
    pub fn is_locked(&self) -> bool {
        !self.load().is_unlocked()
    }

    /// Whether a writer had the lock at the moment of the look; as fleeting as
    /// [`is_locked`](Self::is_locked).
    ///
    /// ```
    /// assert!(!parkspin::RawRwLock::new().is_write_locked());
    /// ```
    #[must_use]
    pub fn is_write_locked(&self) -> bool {
        self.load().is_write_locked()
    }

    /// One try that also tells the state it met, which is all that `Debug` of the lock with data
    /// may look at. May overtake those who wait if readers have the lock.
    pub(crate) fn try_lock_shared_and_tell(&self) -> Result<State, State> {
        self.try_shared(Queueing::Recursive)
    }
}

impl Default for RawRwLock {
    fn default() -> Self {
        Self::new()
    }
}

/// Decodes the state word, from one load.
impl fmt::Debug for RawRwLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawRwLock").field("state", &self.load()).finish()
    }
}
