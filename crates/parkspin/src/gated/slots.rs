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
//!    gate: it is written before the barrier, and emptied by the last of the entries to end, in
//!    whatever order they do. Entries to another gate on top are not made by way of the slot.
//! 3. **Closed.** An entry that was announced after the closer's barrier sees the gate closed, and
//!    ends without looking at the value. Each entry looks for itself, also one on top of another: the
//!    lower one may have been interrupted between its announcement and its look. So a slot that the
//!    closer once found without the gate's name holds no entry that looks at the value, whatever it
//!    names afterwards.
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
const EMPTY: usize = 0;

/// Where one thread announces itself.
pub(super) struct Slot {
    /// Address of the gate that the outermost entry is of, or `EMPTY`.
    gate: AtomicUsize,
    /// Entries beside one, to the same gate.
    further: AtomicUsize,
    claimed: AtomicBool,
}

impl Slot {
    syncface::maybe_const! {
        pub(super) fn new() -> Self {
            Self {
                gate: AtomicUsize::new(EMPTY),
                further: AtomicUsize::new(0),
                claimed: AtomicBool::new(false),
            }
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
        self.further.store(0, Ordering::Relaxed);
        if !stay_claimed {
            self.claimed.store(false, Ordering::Relaxed);
        }
    }

    /// One more entry to the gate that the slot names. False if a number would overflow: only leaked
    /// entries can be that many.
    #[cold]
    fn go_further(&self) -> bool {
        let further = self.further.load(Ordering::Relaxed);
        let more = further.checked_add(1);
        more.inspect(|more| self.further.store(*more, Ordering::Relaxed)).is_some()
    }

    /// One entry less. Release: pairs with the closer's look, and carries that all entries have
    /// ended.
    #[inline]
    fn leave(&self) {
        let further = self.further.load(Ordering::Relaxed);
        if further == 0 || mutant::is("parkspin.first_out_empties") {
            self.gate.store(EMPTY, order::slot_leave());
        } else {
            self.further.store(further - 1, Ordering::Relaxed);
        }
    }
}

/// What became of an entry.
pub(super) enum Entry {
    /// Inside, by way of this slot.
    Slot {
        slot: &'static Slot,
        /// No other entry of this thread is around this one.
        outermost: bool,
    },
    /// Inside, counted with those who have no slot.
    Counted,
}

impl Entry {
    /// See `Inside::soloist`. An entry that is refused a number while another of its thread has it
    /// is one on top; handing a slot on goes by `release` and `try_claim`, which pair.
    #[inline]
    pub(super) fn soloist(&self) -> Option<usize> {
        match self {
            Entry::Slot { slot, outermost: true } => Some(thread::index_of(slot)),
            _ => None,
        }
    }
}

const CLOSED: usize = 1;
/// Readers must use a fence of their own.
const FENCES: usize = 2;

/// One gate.
pub(super) struct Slots {
    /// `CLOSED`, `FENCES`.
    state: AtomicUsize,
    /// Entries of threads that have no slot.
    others: Counted,
}

impl Slots {
    pub(super) const SOLOISTS: usize = thread::SLOTS;

    syncface::maybe_const! {
        /// A closed gate with nobody inside, whose readers use fences of their own if so asked.
        pub(super) fn new(fences: bool) -> Self {
            let state = CLOSED | if fences { FENCES } else { 0 };
            Self { state: AtomicUsize::new(state), others: Counted::new(false) }
        }
    }

    /// Whether readers use fences of their own, by the owner's wish or for want of a barrier.
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
        let Some(slot) = thread::slot() else { return self.enter_counted() };
        if slot.gate.load(Ordering::Relaxed) != EMPTY {
            return self.enter_again(slot);
        }
        let state = self.state.load(Ordering::Relaxed);
        if state & CLOSED != 0 {
            return None;
        }
        // Release: a closer of another gate, which the slot named before, then knows that the
        // entries to that one have ended.
        slot.gate.store(self.address(), order::slot_enter());
        handler();
        if !self.is_open(state) {
            slot.leave();
            return None;
        }
        Some(Entry::Slot { slot, outermost: true })
    }

    /// The barrier of a thread whose slot names this gate, in a `state` that it has seen, and its look.
    #[inline(always)]
    fn is_open(&self, state: usize) -> bool {
        if state & FENCES == 0 {
            compiler_fence(Ordering::SeqCst); // the closer's barrier does the rest
        } else if !mutant::is("parkspin.reader_fence") {
            fence(Ordering::SeqCst); // with the closer's
        }
        self.state.load(order::gate_look()) & CLOSED == 0
    }

    /// On top of another entry of this thread.
    ///
    /// If that is to this gate, the slot names it already. That the other one has also looked is not
    /// certain: it may have been interrupted just before. So this one looks for itself.
    #[cold]
    fn enter_again(&self, slot: &'static Slot) -> Option<Entry> {
        if slot.gate.load(Ordering::Relaxed) != self.address() {
            return self.enter_counted();
        }
        let open = self.is_open(self.state.load(Ordering::Relaxed));
        if !open && !mutant::is("parkspin.nested_unlooked") {
            return None;
        }
        if slot.go_further() {
            return Some(Entry::Slot { slot, outermost: false });
        }
        self.enter_counted()
    }

    #[cold]
    fn enter_counted(&self) -> Option<Entry> {
        self.others.go_in().then_some(Entry::Counted)
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
            Entry::Slot { slot, .. } => slot.leave(),
            Entry::Counted => self.others.come_out(),
        }
    }

    /// Lets nobody in from here on.
    pub(super) fn close(&self) -> Closing<'_> {
        thread::prepare();
        // Once with fences, always with fences: the state changes under the lock only.
        let fences = self.has_fences() || !barrier::is_to_be_had();
        self.state.store(CLOSED | if fences { FENCES } else { 0 }, Ordering::Relaxed);
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
        let state = self.state.load(Ordering::Relaxed);
        self.state.store(state & !CLOSED, order::gate_open());
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
    /// How many threads' entries have not ended. Pairs with `leave`, and with the next entry's
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
