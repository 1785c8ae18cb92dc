//! The steps on the state word, and what happens when the first try to enter fails or somebody has to
//! be woken. Invariants are those of [`super`].

use syncface::atomic::Ordering::{self, Relaxed};
use syncface::{Backoff, mutant};

use super::RawRwLock;
use crate::order;
use crate::relax::Relax;
use crate::wait::{Deadline, has_passed};
use crate::word::{self, State};

/// How a reader treats those who were there before it.
#[derive(Clone, Copy)]
pub(crate) enum Queueing {
    /// Behind everybody who waits.
    Polite,
    /// Past them if readers hold the lock, because this thread may be one of those.
    Recursive,
}

impl Queueing {
    #[inline(always)]
    pub(super) fn admits(self, state: State) -> bool {
        // The fault: a reader that slips past other waiting readers.
        let state = if mutant::is("parkspin.reader_ignores_readers_wait") {
            state.without_readers_wait()
        } else {
            state
        };
        match self {
            // The fault: a recursive reader that queues like any other.
            Self::Recursive if !mutant::is("parkspin.recursive_reader_queues") => {
                state.admits_recursive_reader()
            }
            _ => state.admits_reader(),
        }
    }
}

/// Pauses of a reader that lost a compare-exchange to another thread, which is likely to take and
/// release the lock again and again: then it does so several times before the cache line moves.
/// The first is 2 to the power of this in spin hints. Chosen by measurement.
const FIRST_PAUSE: u32 = 6;

/// A value that the state word had. Looked at closely in builds that check themselves.
#[inline(always)]
fn seen(value: u32) -> State {
    let state = State(value);
    debug_assert!(state.is_legal(), "no step leads to {state:?}");
    state
}

impl RawRwLock {
    #[inline(always)]
    pub(super) fn load(&self) -> State {
        seen(self.state.value().load(Relaxed))
    }

    /// One step from `old` to `new`; may fail for no reason, and tells what it met.
    #[inline(always)]
    pub(super) fn exchange(&self, old: State, new: State, success: Ordering) -> Result<(), State> {
        match self.state.value().compare_exchange_weak(old.0, new.0, success, Relaxed) {
            Ok(_) => Ok(()),
            Err(now) => Err(seen(now)),
        }
    }

    #[inline(always)]
    pub(super) fn enter_shared(&self, state: State) -> Result<(), State> {
        self.exchange(state, state.plus_reader(), order::read_lock())
    }

    #[inline(always)]
    pub(super) fn enter_exclusive(&self, state: State, locked: State) -> Result<(), State> {
        self.exchange(state, locked, order::write_lock())
    }

    /// The state that was left behind on success, the state that refused otherwise.
    ///
    /// The first guess is "free": a load would fetch the cache line once for reading and once more
    /// for writing.
    #[inline]
    pub(super) fn try_shared(&self, queueing: Queueing) -> Result<State, State> {
        match self.enter_shared(State::FREE) {
            Ok(()) => Ok(State::FREE),
            Err(now) => self.try_shared_from(queueing, now),
        }
    }

    #[inline(never)]
    fn try_shared_from(&self, queueing: Queueing, mut state: State) -> Result<State, State> {
        let mut backoff = Backoff::starting_at(FIRST_PAUSE);
        while queueing.admits(state) {
            match self.enter_shared(state) {
                Ok(()) => return Ok(state),
                Err(now) => state = self.after_a_lost_race(state, now, &mut backoff),
            }
        }
        Err(state)
    }

    /// A reader met `now` where it had expected `state`: the state to go on from.
    ///
    /// If it lost to another reader it first lets that one go on for a moment. After a writer it
    /// does not: that would only make it late.
    fn after_a_lost_race(&self, state: State, now: State, backoff: &mut Backoff) -> State {
        let to_a_reader = (state.is_read_locked() || now.is_read_locked()) && !now.anybody_waits();
        // In a model a pause is nothing but one more interleaving.
        if cfg!(loom) || !to_a_reader || now.is_write_locked() {
            return now;
        }
        backoff.lost_race();
        self.load()
    }

    /// Whether the hold was taken; `false` if the deadline passed first, or the lock is full then.
    #[cold]
    #[inline(never)]
    pub(super) fn lock_shared_slow<R: Relax>(
        &self,
        queueing: Queueing,
        mut state: State,
        deadline: Option<&Deadline>,
    ) -> bool {
        // Spinning pays while a writer is at work; not behind others who have given up spinning.
        let look = || {
            seen(self.state.look::<R>(|value| {
                let state = State(value);
                !state.is_write_locked() || state.anybody_waits()
            }))
        };
        let mut backoff = Backoff::starting_at(FIRST_PAUSE);
        if !queueing.admits(state) {
            state = look();
        }
        loop {
            if queueing.admits(state) {
                match self.enter_shared(state) {
                    Ok(()) => return true,
                    Err(now) => state = self.after_a_lost_race(state, now, &mut backoff),
                }
                continue;
            }
            if let Some(deadline) = deadline {
                // A reader's bit that is left behind costs one wake-up of nobody.
                if state.is_full() || has_passed(deadline) {
                    return false;
                }
            } else if state.is_full() {
                too_many_readers();
            }
            let waiting = state.with_readers_wait();
            if !state.readers_wait() {
                if let Err(now) = self.exchange(state, waiting, Relaxed) {
                    state = now;
                    continue;
                }
            }
            // The compared word contains the bit: it cannot be cleared unnoticed (invariant 2).
            self.state.wait::<R>(waiting.0, deadline);
            state = look();
        }
    }

    /// Whether the hold was taken; `false` if the deadline passed first.
    #[cold]
    #[inline(never)]
    pub(super) fn lock_exclusive_slow<R: Relax>(&self, deadline: Option<&Deadline>) -> bool {
        let look = || {
            seen(self.state.look::<R>(|value| {
                let state = State(value);
                state.is_unlocked() || state.writers_wait()
            }))
        };
        let mut state = look();
        // Set once this thread may have slept: whoever woke it cleared the bit, and others may
        // still sleep behind that bit, so this thread puts it back as it enters. At worst nobody
        // does, and one hand-over finds nobody to wake.
        let mut others_may_sleep = false;
        loop {
            if state.is_unlocked() {
                let locked = if others_may_sleep && !mutant::is("parkspin.woken_writer_forgets") {
                    state.plus_writer().with_writers_wait()
                } else {
                    state.plus_writer()
                };
                match self.enter_exclusive(state, locked) {
                    Ok(()) => return true,
                    Err(now) => state = now,
                }
                continue;
            }
            if deadline.is_some_and(has_passed) {
                if !others_may_sleep {
                    return false;
                }
                match self.give_up(state) {
                    Ok(()) => return false,
                    Err(now) => state = now,
                }
                continue;
            }
            if !state.writers_wait() {
                if let Err(now) = self.exchange(state, state.with_writers_wait(), Relaxed) {
                    state = now;
                    continue;
                }
            }
            others_may_sleep = true;
            // First the ticket, then one more look. If the bit is still there at the look, then
            // clearing it is yet to come, the count moves after that, and the wait below notices.
            let late = mutant::is("parkspin.ticket_after_look");
            let mut ticket = if late { 0 } else { self.ticket() };
            state = self.load();
            let news = state.is_unlocked() || !state.writers_wait();
            if news && !mutant::is("parkspin.no_second_look") {
                continue;
            }
            if late {
                ticket = self.ticket();
            }
            self.wake_ups.wait::<R>(ticket, deadline);
            if deadline.is_some_and(has_passed) && mutant::is("parkspin.timed_writer_looks_no_more")
            {
                return false;
            }
            state = look();
        }
    }

    /// A writer whose time is up, and who said that writers wait, leaves while the lock is held in
    /// `state`. Fails, telling the state, if that is not the state any more.
    ///
    /// Nobody knows whether others sleep behind the bit. So the bit goes, one of them is woken, which
    /// sets it again if there is one, and readers that came to wait only because of it are let in.
    /// A wake-up that was meant for this thread is thereby passed on (invariant 5).
    fn give_up(&self, state: State) -> Result<(), State> {
        let cleared = if mutant::is("parkspin.expiry_leaves_the_bit") {
            state
        } else {
            state.without_waiting_writers()
        };
        // An exchange even if there is nothing to clear: it cannot be fooled by an old value, so
        // the lock is held now by somebody who will look at the bits when it leaves.
        self.exchange(state, cleared, Relaxed)?;
        if !mutant::is("parkspin.expiry_wakes_no_writer") {
            self.wake_writer();
        }
        if state.readers_wait() && !cleared.readers_wait() {
            self.state.wake_all();
        }
        Ok(())
    }

    /// A writer left the lock, with somebody waiting.
    ///
    /// Looks for itself: then the fast path is one instruction that need not give the old value. A
    /// later state is as good, since whoever entered meanwhile comes by as well when it leaves.
    #[cold]
    #[inline(never)]
    pub(super) fn writer_left(&self) {
        self.hand_over(self.load());
    }

    /// A reader left the lock, with writers waiting. Looks for itself, as a writer does.
    #[cold]
    #[inline(never)]
    pub(super) fn reader_left(&self) {
        let state = self.load();
        // The fault: forgetting writers beside whom readers wait as well.
        if mutant::is("parkspin.wake_only_if_writers_alone") && state.readers_wait() {
            return;
        }
        self.hand_over(state);
    }

    #[inline]
    fn ticket(&self) -> u32 {
        self.wake_ups.value().load(order::wake_ups())
    }

    /// The lock was found in `state` after this thread left it: a writer is let at it if one is
    /// there, all readers otherwise.
    ///
    /// Stops as soon as the lock has a holder again. Only a writer can have entered (invariant 4),
    /// it left the waiting bits as they were, and its release comes back here.
    fn hand_over(&self, mut state: State) {
        while state.is_unlocked() && state.anybody_waits() {
            let writer = state.writers_wait();
            let cleared =
                if writer { state.without_writers_wait() } else { state.without_readers_wait() };
            if let Err(now) = self.exchange(state, cleared, Relaxed) {
                // Somebody began to wait or entered. The fault: leaving it to them.
                if mutant::is("parkspin.hand_over_gives_up") {
                    return;
                }
                state = now;
            } else if writer {
                // A writer that was really woken enters (or finds another that did), and its
                // release serves the readers. Without that certainty nobody may ever come by
                // again, so the readers are served now; the writer, if there is one, is awake.
                if self.wake_writer() {
                    return;
                }
                state = cleared;
            } else {
                self.state.wake_all();
                return;
            }
        }
    }

    /// Whether a sleeping writer was woken.
    fn wake_writer(&self) -> bool {
        if !mutant::is("parkspin.wake_up_is_not_counted") {
            self.wake_ups.value().fetch_add(1, order::wake_up());
        }
        self.wake_ups.wake_one()
    }
}

#[cold]
fn too_many_readers() -> ! {
    panic!("the lock has {} readers, which is its limit", word::MAX_READERS);
}
