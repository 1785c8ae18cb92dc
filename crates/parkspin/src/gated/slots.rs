//! A gate whose readers write nothing that another reader writes: each thread announces itself in a
//! slot of its own, and who closes the gate looks at all slots.
//!
//! # The question and its answer
//! A reader writes its slot and then looks at the gate; a closer writes the gate and then looks at
//! the slots. If each of the two could do its look before its write is seen, both would go on: the
//! one thing that must not happen. A barrier between write and look on *both* sides rules it out.
//! Where the kernel lends the closer a barrier that acts on all threads at once (see
//! [`barrier`]), the reader's half shrinks to an order to the compiler.
//!
//! # Invariants
//! 1. **One writer.** A slot is written only by the thread that has claimed it, and by signal
//!    handlers on top of that thread, which leave it as they found it. So a plain load and store is
//!    as good as one step: whatever ran in between has undone itself.
//! 2. **Announced.** While an entry lives that was made by way of a slot, the slot names the entry's
//!    gate: it is written before the barrier, and emptied when the entry ends. A slot is for one entry
//!    at a time. Those on top are counted: they may outlive the lower one, which may have been
//!    interrupted before it has looked whether it may go in at all.
//! 3. **Closed.** An entry that was announced after the closer's barrier sees the gate closed, and
//!    ends without looking at the value. So a slot that the closer once found without the gate's name
//!    holds no entry that looks at the value, whatever it names afterwards.
//!
//! What a reader writes does not depend on what it read: its slot is not a chain that each entry
//! adds a link to, and a processor can be at several entries at once.

use core::sync::atomic::compiler_fence;

use syncface::CachePadded;
use syncface::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use syncface::mutant;

use super::barrier;
use super::counted::Counted;
use super::thread;
use crate::order;

/// A slot that names no gate.
pub(super) const EMPTY: usize = 0;

/// What nobody's slot names. No gate's address: it is odd.
pub(super) const NO_GATE: usize = 1;

/// Where one thread announces itself.
pub(super) struct Slot {
    /// Address of the gate that the entry is of, or `EMPTY`; nobody's slot names `NO_GATE`.
    gate: AtomicUsize,
    claimed: AtomicBool,
}

impl Slot {
    syncface::maybe_const! {
        /// A slot that nobody has claimed.
        pub(super) fn naming(gate: usize) -> Self {
            Self { gate: AtomicUsize::new(gate), claimed: AtomicBool::new(false) }
        }
    }

    /// Makes the slot the calling thread's; pairs with `release`, so that what its last owner did is
    /// seen by the next.
    pub(super) fn try_claim(&self) -> bool {
        let (taken, failed) = (order::slot_claim(), Ordering::Relaxed);
        self.claimed.compare_exchange(false, true, taken, failed).is_ok()
    }

    /// Gives the slot back unless an entry is still inside (it was leaked).
    pub(super) fn release(&self) {
        if self.gate.load(Ordering::Relaxed) == EMPTY {
            self.claimed.store(false, order::slot_release());
        }
    }

    /// Forgets whoever announced itself here: in a forked child, where its thread is not.
    #[cfg(not(any(loom, miri)))]
    pub(super) fn forget(&self, stay_claimed: bool) {
        self.gate.store(EMPTY, Ordering::Relaxed);
        if !stay_claimed {
            self.claimed.store(false, Ordering::Relaxed);
        }
    }

    /// Ends the entry. Release: pairs with the closer's look.
    #[inline]
    fn leave(&self) {
        self.gate.store(EMPTY, order::slot_leave());
    }
}

/// What became of an entry.
pub(super) enum Entry {
    /// Inside, by way of this slot.
    Slot(&'static Slot),
    /// Inside, counted with those who have no slot, or one that is in use.
    Counted,
}

impl Entry {
    /// See `Inside::soloist`: a slot is for one entry at a time. It is handed on by `release` and
    /// `try_claim`, which pair.
    #[inline]
    pub(super) fn soloist(&self) -> Option<usize> {
        match self {
            Entry::Slot(slot) => Some(thread::index_of(slot)),
            Entry::Counted => None,
        }
    }
}

const CLOSED: usize = 1;
/// Readers must use a fence of their own.
const FENCES: usize = 2;
/// Set where one of the others is: one look tells the common case. It is the sign, since compilers
/// take negative numbers for the rare one.
const SPECIAL: usize = 1 << (usize::BITS - 1);

#[inline(always)]
const fn is_special(state: usize) -> bool {
    (state as isize) < 0
}

/// The state of a gate that is closed, or open, with or without fences.
const fn state_of(closed: bool, fences: bool) -> usize {
    let special = if closed || fences { SPECIAL } else { 0 };
    special | if closed { CLOSED } else { 0 } | if fences { FENCES } else { 0 }
}

/// Takes the announcement back: the gate has been closed.
#[cold]
#[inline(never)]
fn turned_away(slot: &'static Slot) -> Option<Entry> {
    slot.leave();
    None
}

/// One gate.
pub(super) struct Slots {
    /// Of [`state_of`].
    state: AtomicUsize,
    /// Entries of threads that have no slot, or are in another entry.
    others: Counted,
}

impl Slots {
    pub(super) const SOLOISTS: usize = thread::SLOTS;

    syncface::maybe_const! {
        /// A closed gate with nobody inside, whose readers use fences of their own if so asked.
        pub(super) fn new(fences: bool) -> Self {
            Self { state: AtomicUsize::new(state_of(true, fences)), others: Counted::new(false) }
        }
    }

    /// Whether readers use fences of their own, by the owner's wish or for want of a barrier.
    #[inline]
    pub(super) fn has_fences(&self) -> bool {
        self.state.load(Ordering::Relaxed) & FENCES != 0
    }

    /// Goes in if the gate is open.
    #[inline]
    pub(super) fn enter(&self) -> Option<Entry> {
        self.enter_interrupted(|| ())
    }

    /// [`enter`](Self::enter), with `handler` run where a signal handler may run as well: when the
    /// thread has announced itself and has not looked.
    #[inline(always)]
    pub(super) fn enter_interrupted(&self, handler: impl FnOnce()) -> Option<Entry> {
        let slot = thread::slot();
        if slot.gate.load(Ordering::Relaxed) != EMPTY {
            return self.enter_slowly(handler);
        }
        self.enter_by(slot, handler)
    }

    /// By way of an empty slot of the calling thread's.
    #[inline(always)]
    fn enter_by(&self, slot: &'static Slot, handler: impl FnOnce()) -> Option<Entry> {
        let state = self.state.load(Ordering::Relaxed);
        // A path for each kind of gate, so that none has to ask again later.
        if !is_special(state) {
            self.announce(slot, false, handler)
        } else if state & CLOSED == 0 {
            self.announce(slot, true, handler)
        } else {
            None
        }
    }

    #[inline(always)]
    fn announce(&self, slot: &'static Slot, fences: bool, handler: impl FnOnce()) -> Option<Entry> {
        // Release: a closer of another gate, which the slot named before, then knows that the
        // entries to that one have ended.
        slot.gate.store(self.address(), order::slot_enter());
        handler();
        if self.is_open(fences) { Some(Entry::Slot(slot)) } else { turned_away(slot) }
    }

    /// The barrier of a thread whose slot names this gate, and its look.
    #[inline(always)]
    fn is_open(&self, fences: bool) -> bool {
        if !fences {
            compiler_fence(Ordering::SeqCst); // the closer's barrier does the rest
        } else if !mutant::is("parkspin.reader_fence") {
            fence(Ordering::SeqCst); // with the closer's
        }
        self.state.load(order::gate_look()) & CLOSED == 0
    }

    /// By way of a slot that is still to be had, or counted.
    #[cold]
    fn enter_slowly(&self, handler: impl FnOnce()) -> Option<Entry> {
        match thread::own_slot().or_else(thread::claim) {
            Some(slot) if slot.gate.load(Ordering::Relaxed) == EMPTY => {
                self.enter_by(slot, handler)
            }
            Some(slot) if mutant::is("parkspin.nested_by_slot") => Some(Entry::Slot(slot)),
            _ => self.others.go_in().then_some(Entry::Counted),
        }
    }

    /// What slots call this gate: never `EMPTY`, as a reference is not.
    #[inline]
    fn address(&self) -> usize {
        core::ptr::from_ref(self).addr()
    }

    /// Comes out.
    #[inline]
    pub(super) fn leave(&self, entry: &Entry) {
        match entry {
            Entry::Slot(slot) => slot.leave(),
            Entry::Counted => self.others.come_out(),
        }
    }

    /// Lets nobody in from here on.
    pub(super) fn close(&self) -> Closing<'_> {
        thread::prepare();
        // Once with fences, always with fences: the state changes under the lock only.
        let fences = self.has_fences() || !barrier::is_to_be_had();
        self.state.store(state_of(true, fences), Ordering::Relaxed);
        self.others.shut();
        if !mutant::is("parkspin.closer_fence") {
            fence(Ordering::SeqCst); // with the readers'
        }
        let barred = fences || barrier::everywhere();
        Closing { gate: self, barred, found_out: [false; thread::SLOTS] }
    }

    /// Lets them in. Pairs with `enter`.
    pub(super) fn open(&self) {
        self.others.open();
        self.state.store(state_of(false, self.has_fences()), order::gate_open());
    }
}

/// A gate that has been closed.
pub(super) struct Closing<'a> {
    gate: &'a Slots,
    /// False if the barrier that readers rely on could not be had: then nobody may go on.
    barred: bool,
    /// Slots whose entries have ended (invariant 3). They need no second look: a thread that
    /// announces itself again and again, to be turned away, holds nobody up.
    found_out: [bool; thread::SLOTS],
}

impl Closing<'_> {
    /// How many entries have not ended. Pairs with `leave`, and with the next entry's
    /// announcement.
    pub(super) fn inside(&mut self) -> usize {
        let mut inside = self.gate.others.inside();
        for (out, slot) in self.found_out.iter_mut().zip(thread::slots()) {
            *out = *out || slot.gate.load(order::slot_look()) != self.gate.address();
            inside += usize::from(!*out);
        }
        if self.barred { inside } else { inside.max(1) }
    }
}

/// The slots of a process.
pub(super) type Table = [CachePadded<Slot>; thread::SLOTS];
