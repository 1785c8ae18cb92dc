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
//!    handlers on top of that thread, which leave the depth as they found it. So a plain load and
//!    store is as good as one step: whatever ran in between has undone itself, but for the epoch, and
//!    an epoch that was set back only makes a closer wait longer.
//! 2. **Depth.** While an entry lives that was made by way of a slot, the slot has a depth of at least
//!    one, in the epoch in which the outermost entry began, and names the entry's gate: that is
//!    written after the depth, so no handler changes it any more, and before the barrier. Entries to
//!    another gate on top are not made by way of the slot.
//! 3. **Closed.** An entry that began after the closer's barrier sees the gate closed, and ends
//!    without looking at the value. So a slot of depth zero, or which names another gate, or whose
//!    epoch has moved on since the closer first looked, holds no entry that looks at the value.

use core::sync::atomic::compiler_fence;

use syncface::CachePadded;
use syncface::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use syncface::mutant;

use super::barrier;
use super::counted::Counted;
use super::thread;
use crate::order;

/// How many entries of one thread may be inside each other; a deeper one is counted elsewhere.
const DEPTHS: usize = 1 << 8;
const DEPTH: usize = DEPTHS - 1;

/// Where one thread announces itself.
pub(super) struct Slot {
    /// Epoch above, depth in the low bits.
    word: AtomicUsize,
    /// Address of the gate that the outermost entry is of.
    gate: AtomicUsize,
    claimed: AtomicBool,
}

impl Slot {
    syncface::maybe_const! {
        pub(super) fn new() -> Self {
            Self { word: AtomicUsize::new(0), gate: AtomicUsize::new(0), claimed: AtomicBool::new(false) }
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
        if self.word.load(Ordering::Relaxed) & DEPTH == 0 {
            self.claimed.store(false, order::slot_release());
        }
    }

    /// Forgets whoever announced itself here: in a forked child, where its thread is not.
    #[cfg(not(any(loom, miri)))]
    pub(super) fn forget(&self) {
        self.word.store(0, Ordering::Relaxed);
        self.claimed.store(false, Ordering::Relaxed);
    }
}

/// What became of an entry.
pub(super) enum Entry {
    /// Inside, by way of this slot.
    Slot {
        index: usize,
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
    pub(super) const fn soloist(&self) -> Option<usize> {
        match self {
            Entry::Slot { index, outermost: true } => Some(*index),
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

    /// Goes in if the gate is open.
    #[inline]
    pub(super) fn enter(&self) -> Option<Entry> {
        let state = self.state.load(Ordering::Relaxed);
        if state & CLOSED != 0 {
            return None;
        }
        let Some(index) = thread::slot() else {
            return self.others.go_in().then_some(Entry::Counted);
        };
        let slot = thread::slot_at(index);
        let was = slot.word.load(Ordering::Relaxed);
        let outermost = was & DEPTH == 0;
        if !outermost
            && (was & DEPTH == DEPTH || slot.gate.load(Ordering::Relaxed) != self.address())
        {
            return self.others.go_in().then_some(Entry::Counted);
        }
        // Both Release, like `leave`: a closer that reads from any of them knows that the entries
        // before have ended.
        slot.word.store(was + 1, order::slot_enter());
        if outermost {
            slot.gate.store(self.address(), order::slot_enter());
        }
        if state & FENCES != 0 {
            if !mutant::is("parkspin.reader_fence") {
                fence(Ordering::SeqCst); // with the closer's
            }
        } else {
            compiler_fence(Ordering::SeqCst); // the closer's barrier does the rest
        }
        if self.state.load(order::gate_look()) & CLOSED != 0 {
            Self::leave_slot(index);
            return None;
        }
        Some(Entry::Slot { index, outermost })
    }

    /// What slots call this gate.
    #[inline]
    fn address(&self) -> usize {
        core::ptr::from_ref(self).addr()
    }

    /// Comes out.
    #[inline]
    pub(super) fn leave(&self, entry: &Entry) {
        match entry {
            Entry::Slot { index, .. } => Self::leave_slot(*index),
            Entry::Counted => self.others.come_out(),
        }
    }

    #[inline]
    fn leave_slot(index: usize) {
        let word = &thread::slot_at(index).word;
        let was = word.load(Ordering::Relaxed);
        let last = was & DEPTH == 1;
        let next =
            if last { was.wrapping_sub(1).wrapping_add(DEPTHS) } else { was.wrapping_sub(1) };
        word.store(next, order::slot_leave());
    }

    /// Lets nobody in from here on, and looks who is there.
    pub(super) fn close(&self) -> Closing<'_> {
        thread::prepare();
        // Once with fences, always with fences: the state changes under the lock only.
        let asked_for = self.state.load(Ordering::Relaxed) & FENCES != 0;
        let fences = asked_for || !barrier::is_to_be_had();
        self.state.store(CLOSED | if fences { FENCES } else { 0 }, Ordering::Relaxed);
        self.others.shut();
        if !mutant::is("parkspin.closer_fence") {
            fence(Ordering::SeqCst); // with the readers'
        }
        let barred = fences || barrier::everywhere();
        let slots = thread::slots();
        let mut seen = [0; thread::SLOTS];
        for (seen, slot) in seen.iter_mut().zip(slots) {
            *seen = slot.word.load(order::slot_look());
        }
        // The names are looked at by `inside`, after the words.
        Closing { gate: self, barred, seen }
    }

    /// Lets them in. Pairs with `enter`.
    pub(super) fn open(&self) {
        self.others.open();
        let state = self.state.load(Ordering::Relaxed);
        self.state.store(state & !CLOSED, order::gate_open());
    }
}

/// A gate that has been closed, and whom the closer found.
pub(super) struct Closing<'a> {
    gate: &'a Slots,
    /// False if the barrier that readers rely on could not be had: then nobody may go on.
    barred: bool,
    seen: [usize; thread::SLOTS],
}

impl Closing<'_> {
    /// How many entries have not ended. Pairs with `leave`, and with the next entry's announcement.
    pub(super) fn inside(&mut self) -> usize {
        let mut inside = self.gate.others.inside();
        for (seen, slot) in self.seen.iter_mut().zip(thread::slots()) {
            if *seen & DEPTH == 0 {
                continue;
            }
            let now = slot.word.load(order::slot_look());
            let elsewhere = slot.gate.load(order::slot_look()) != self.gate.address();
            if now & DEPTH == 0 || elsewhere || now / DEPTHS != *seen / DEPTHS {
                *seen = 0;
            } else {
                inside += 1;
            }
        }
        if self.barred { inside } else { inside.max(1) }
    }
}

/// The slots of a process.
pub(super) type Table = [CachePadded<Slot>; thread::SLOTS];
