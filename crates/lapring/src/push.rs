//! Writers.

#![allow(unsafe_code, reason = "moves values into slots that the claim made ours")]

use syncface::mutant;

use crate::aside::Aside;
use crate::error::Full;
use crate::order;
use crate::ring::{Ring, advance};
use crate::slot::Slot;
use crate::stamp::{Geometry, State, Write};
use crate::storage::Storage;
use crate::word::{Word, is_after, is_far_after};

/// What `force_push` did with the value.
///
/// ```
/// # #[cfg(feature = "alloc")] {
/// use lapring::{Forced, Ring};
/// let ring = Ring::new(1);
/// assert_eq!(ring.force_push_full(1), Forced::Stored);
/// assert_eq!(ring.force_push_full(2), Forced::Evicted(1));
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forced<T> {
    /// It is in the ring, and nothing had to leave.
    Stored,
    /// It is in the ring, and this, the oldest value, is not any more.
    Evicted(T),
    /// It is not in the ring: `capacity` slots in a row were seen in the middle of other threads' copies.
    Rejected(T),
}

impl<T> Forced<T> {
    /// The value that is not in the ring (any more), whichever it is.
    #[inline]
    pub fn into_displaced(self) -> Option<T> {
        match self {
            Forced::Stored => None,
            Forced::Evicted(value) | Forced::Rejected(value) => Some(value),
        }
    }
}

/// A slot that this thread owns for writing.
pub(crate) struct Claim<'a, T> {
    pub(crate) slot: &'a Slot<T>,
    pub(crate) position: Word,
    /// The position after this one and the stamp to hand the slot over with. In the common case they
    /// are made before the claim, for what comes after it waits for it.
    next: Word,
    full: Word,
    pub(crate) occupied: bool,
}

/// How a search for a slot ended. With a position, it fits into two registers: a claim that had to go
/// through memory would cost the common case, too.
#[derive(Clone, Copy)]
enum Found {
    /// A slot without a value.
    Vacant,
    /// A slot with the oldest value in it.
    Occupied,
    Refused(Refusal),
}

/// What [`claim_at_once`](Ring::claim_at_once) did not get. Fits into registers.
#[derive(Clone, Copy)]
struct Missed {
    position: Word,
    /// It did get the slot, but must give it back: the position has been passed by.
    claimed: bool,
}

/// Why a search for a slot ended without one.
#[derive(Clone, Copy)]
pub(crate) enum Refusal {
    /// The slot of the next position holds the oldest value and may not be displaced.
    Full,
    /// Other threads are, or were, in the middle of copies in the slots that come next.
    Busy,
}

impl Refusal {
    fn of<T>(self, value: T) -> Full<T> {
        Full { value, busy: matches!(self, Refusal::Busy) }
    }
}

/// True if values travel in registers. Then the slow way of an operation is best the last thing it
/// does, a jump for which the quick way need not save a register: what is saved on the stack, the
/// locked operation has to wait for. Larger values had to be copied once more for that.
const fn in_registers<T>() -> bool {
    size_of::<T>() <= size_of::<usize>()
}

impl<T, S: Storage<T>> Ring<T, S> {
    /// Adds `value` as the newest unless the ring is full.
    ///
    /// Lock-free: a bounded number of own steps, except that losing a compare-and-swap (somebody
    /// else made progress) starts the step again. Never waits for a stopped thread.
    ///
    /// # Errors
    /// [`Full`] gives the value back. It says [busy](Full::is_busy) instead of full if another thread is in
    /// the middle of a copy in the slot that comes next, or positions were passed by.
    #[inline]
    pub fn push(&self, value: T) -> Result<(), Full<T>> {
        match self.claim_at_once(false) {
            Ok(claim) => {
                self.fill(&claim, value);
                Ok(())
            }
            Err(missed) if in_registers::<T>() => self.push_slow(missed, value),
            Err(missed) => self.push_on(missed, value),
        }
    }

    #[cold]
    #[inline(never)]
    fn push_slow(&self, missed: Missed, value: T) -> Result<(), Full<T>> {
        self.push_on(missed, value)
    }

    /// The push, from where [`claim_at_once`](Self::claim_at_once) ended.
    #[inline(always)]
    fn push_on(&self, missed: Missed, value: T) -> Result<(), Full<T>> {
        match self.claim_slow(missed, false) {
            Ok(claim) => {
                self.fill(&claim, value);
                Ok(())
            }
            Err(refusal) => Err(refusal.of(value)),
        }
    }

    /// Adds `value` as the newest, displacing the oldest if the ring is full; returns what was
    /// displaced.
    ///
    /// Never waits for another thread: one stopped in the middle of a copy costs its slot for the
    /// time being and nothing else. If `capacity` slots in a row were seen in the middle of a copy
    /// (by other threads, stopped or at work), `value` itself comes back;
    /// [`force_push_full`](Self::force_push_full) tells the two apart. Usually one look at a slot
    /// and one locked operation, also on a full ring.
    #[inline]
    pub fn force_push(&self, value: T) -> Option<T> {
        match self.claim_at_once(true) {
            Ok(claim) => {
                let oldest = self.evict(&claim);
                self.fill(&claim, value);
                oldest
            }
            Err(missed) if in_registers::<T>() => self.force_push_slow(missed, value),
            Err(missed) => self.force_push_on(missed, value),
        }
    }

    #[cold]
    #[inline(never)]
    fn force_push_slow(&self, missed: Missed, value: T) -> Option<T> {
        self.force_push_on(missed, value)
    }

    /// The forced push, from where [`claim_at_once`](Self::claim_at_once) ended.
    #[inline(always)]
    fn force_push_on(&self, missed: Missed, value: T) -> Option<T> {
        let Ok(claim) = self.claim_slow(missed, true) else {
            return Some(value);
        };
        let oldest = self.evict(&claim);
        self.fill(&claim, value);
        oldest
    }

    /// [`force_push`](Self::force_push) that tells an evicted value from a rejected one.
    #[inline]
    pub fn force_push_full(&self, value: T) -> Forced<T> {
        let Ok(claim) = self.claim(true) else {
            return Forced::Rejected(value);
        };
        let oldest = self.evict(&claim);
        self.fill(&claim, value);
        oldest.map_or(Forced::Stored, Forced::Evicted)
    }

    /// [`force_push_full`](Self::force_push_full) of a value made after its slot has been claimed,
    /// in place where the compiler can.
    ///
    /// While `make` runs the slot counts as mid-copy: forced pushes pass it by. If `make` panics the
    /// position stays without a value, a displaced value is dropped, and the ring goes on. If every
    /// slot is held by others, the value is made all the same and comes back rejected.
    /// [`reserve`](Self::reserve) is the same in two steps.
    ///
    /// ```
    /// # #[cfg(feature = "alloc")] {
    /// let ring = lapring::Ring::new(2);
    /// ring.force_push_with(|| {
    ///     // Other users of the ring are not held up by what happens here.
    ///     assert_eq!(ring.force_push("quick"), None);
    ///     "slow"
    /// });
    /// assert_eq!(ring.pop(), Some("slow")); // it was first to claim
    /// assert_eq!(ring.pop(), Some("quick"));
    /// # }
    /// ```
    #[inline]
    pub fn force_push_with(&self, make: impl FnOnce() -> T) -> Forced<T> {
        let Some(reserved) = self.reserve() else {
            return Forced::Rejected(make());
        };
        // A reservation that is dropped gives its slot back without a value.
        let value = make();
        reserved.fill(value).map_or(Forced::Stored, Forced::Evicted)
    }

    /// Moves the old value, if there is one, out of a claimed slot. Once per claim.
    #[inline(always)]
    pub(crate) fn evict(&self, claim: &Claim<'_, T>) -> Option<T> {
        if !claim.occupied {
            return None;
        }
        // SAFETY: the claim makes the slot ours (slot invariant 1); it was stamped `Full` (slot
        // invariant 2); nothing has read it since.
        Some(unsafe { claim.slot.read() })
    }

    /// Moves `value` into a claimed slot whose old value, if any, is out, and hands it over.
    #[inline(always)]
    pub(crate) fn fill(&self, claim: &Claim<'_, T>, value: T) {
        if mutant::is("lapring.evicted_twice") && claim.occupied {
            // The old bytes stay, and are handed over as if they were the new value.
            core::mem::forget(value);
        } else {
            // SAFETY: the claim makes the slot ours (slot invariant 1), and it holds no value any more.
            unsafe { claim.slot.write(value) };
        }
        claim.slot.publish(claim.full);
        advance(&self.tail, claim.next, order::tail_store());
    }

    /// Finds the next position, in order, whose slot can be made ours, and makes it ours.
    ///
    /// With `displace`, a slot that holds a value of an earlier lap will do.
    #[inline(always)]
    pub(crate) fn claim(&self, displace: bool) -> Result<Claim<'_, T>, Refusal> {
        match self.claim_at_once(displace) {
            Ok(claim) => Ok(claim),
            Err(missed) => self.claim_slow(missed, displace),
        }
    }

    /// The common case, kept small for inlining: the first slot looked at can be claimed, and is not
    /// the last of its lap, which has more to do.
    #[inline(always)]
    fn claim_at_once(&self, displace: bool) -> Result<Claim<'_, T>, Missed> {
        let geometry = self.geometry();
        // The floor is not looked at for the position, but for whether this one will do: the address of
        // the slot need not wait for that.
        let position = self.load_tail();
        let mut missed = Missed { position, claimed: false };
        if geometry.is_last(position) {
            return Err(missed);
        }
        let slot = self.slot_in(geometry, position);
        let seen = slot.look();
        let writing = geometry.stamp(position, State::Writing);
        let full = geometry.stamp(position, State::Full);
        let next = position.wrapping_add(1);
        if !self.is_open(position) {
            return Err(missed);
        }
        // Claimed by the stamp that is expected, not by the one that was seen: the locked operation
        // need not wait for the look.
        let oldest = geometry.stamp(geometry.lap_before(position), State::Full);
        if displace && seen == oldest {
            if slot.try_claim(oldest, writing) {
                return Ok(Claim { slot, position, next, full, occupied: true });
            }
            return Err(missed);
        }
        let empty = geometry.stamp(position, State::Empty);
        if seen == empty && slot.try_claim(empty, writing) {
            if self.is_open(position) {
                return Ok(Claim { slot, position, next, full, occupied: false });
            }
            missed.claimed = true;
        }
        Err(missed)
    }

    /// The search, from where [`claim_at_once`](Self::claim_at_once) ended.
    #[inline(always)]
    fn claim_slow(&self, missed: Missed, displace: bool) -> Result<Claim<'_, T>, Refusal> {
        let (position, found) = self.search(missed, displace);
        let occupied = match found {
            Found::Vacant => false,
            Found::Occupied => true,
            Found::Refused(refusal) => return Err(refusal),
        };
        let next = self.geometry().next(position);
        let full = self.geometry().stamp(position, State::Full);
        Ok(Claim { slot: self.slot(position), position, next, full, occupied })
    }

    #[cold]
    #[inline(never)]
    fn search(&self, missed: Missed, displace: bool) -> (Word, Found) {
        if missed.claimed {
            self.give_back(self.slot(missed.position), missed.position);
        }
        let from = self.known_tail();
        let (position, found) = self.search_from(from, displace);
        // The last position of a lap has been claimed, or passed by.
        let lap_ends =
            self.geometry().is_last(position) || !self.geometry().same_lap(from, position);
        if lap_ends && !matches!(found, Found::Refused(_)) {
            self.keep_hints_near(self.geometry().next(position));
        }
        (position, found)
    }

    fn search_from(&self, mut position: Word, displace: bool) -> (Word, Found) {
        let mut aside = Aside::new();
        let mut busy = 0;
        loop {
            let slot = self.slot(position);
            let seen = slot.look();
            let occupied = match self.geometry().for_writer(seen, position) {
                Write::Used(next) => {
                    position = aside.overtaken(next, || self.known_tail());
                    busy = 0;
                    continue;
                }
                Write::Busy => {
                    // Somebody who came a lap earlier is stopped, or just slow, in this slot. The
                    // position is passed over, not waited for.
                    self.keep_stamp_near(slot, seen, position);
                    if !displace && !mutant::is("lapring.push_passes_by") {
                        // Not by a push: a position without a value takes the room of one until all
                        // older values have been popped, and threads that only push would be
                        // refused for that long, though nobody is at work any more.
                        return (position, Found::Refused(Refusal::Busy));
                    }
                    busy += 1;
                    if busy >= self.capacity() {
                        return (position, Found::Refused(Refusal::Busy));
                    }
                    position = self.geometry().next(position);
                    if !mutant::is("lapring.skip_unmarked") {
                        // Declared before the next slot is looked at: the one who is copying here
                        // must not put what it pushes next into a position before that slot.
                        self.raise_floor(position);
                    }
                    continue;
                }
                Write::Peeked if displace => {
                    // A snapshot holds the oldest value. Once its stamp is moved on to this lap the
                    // value cannot come back behind newer ones.
                    if busy + 1 >= self.capacity() {
                        return (position, Found::Refused(Refusal::Busy));
                    }
                    let doomed = self.geometry().stamp(position, State::Peeking);
                    if mutant::is("lapring.peek_not_doomed") || slot.try_doom(seen, doomed) {
                        busy += 1;
                        self.count_abandoned(self.geometry().laps(seen, position));
                        position = self.geometry().next(position);
                        self.raise_floor(position);
                    }
                    continue;
                }
                Write::Occupied | Write::Peeked if !displace => {
                    let skipped_lately =
                        is_after(self.load_floor(), self.geometry().lap_before(position));
                    let refusal = if skipped_lately { Refusal::Busy } else { Refusal::Full };
                    return (position, Found::Refused(refusal));
                }
                Write::Occupied | Write::Peeked => true,
                Write::Vacant => false,
            };
            if slot.try_claim(seen, self.geometry().stamp(position, State::Writing)) {
                // Laps of this slot that nobody used lie between the old stamp and this claim.
                let unused = self.geometry().laps(seen, position) - usize::from(occupied);
                self.count_abandoned(unused);
                if occupied {
                    return (position, Found::Occupied);
                }
                if self.is_open(position) {
                    return (position, Found::Vacant);
                }
                self.give_back(slot, position);
                position = self.known_tail();
                busy = 0;
                continue;
            }
            // A lost race is somebody else's progress: step aside, then look where things are now.
            aside.lost_race();
            let now = self.known_tail();
            if is_after(now, position) {
                position = now;
                busy = 0;
            }
        }
    }

    /// True if the position has not been passed by. After the claim of an empty slot this must be asked
    /// again, and the slot given back if it is not so any more: a value here could stand before an
    /// earlier one of this thread that was overtaken while it was being copied.
    #[inline(always)]
    fn is_open(&self, position: Word) -> bool {
        !is_after(self.load_floor(), position)
    }

    /// Hands a claimed slot over without a value.
    #[cold]
    pub(crate) fn give_back(&self, slot: &Slot<T>, position: Word) {
        let writing = self.geometry().stamp(position, State::Writing);
        slot.vacate(self.geometry().emptied(writing));
        self.count_abandoned(1);
    }

    /// Counts positions that will never have held a value.
    #[inline]
    pub(crate) fn count_abandoned(&self, positions: usize) {
        if positions > 0 {
            self.shared.abandoned.fetch_add(positions, order::PLAIN);
        }
    }

    /// Declares every position below `to` issued or skipped, and that some of them within the last
    /// lap may be without a value.
    #[cold]
    pub(crate) fn raise_floor(&self, to: Word) {
        let floor = &self.shared.floor;
        let mut seen = floor.load(order::PLAIN);
        while is_after(to, seen) {
            match floor.compare_exchange(seen, to, order::PLAIN, order::PLAIN) {
                Ok(_) => break,
                Err(now) => seen = now,
            }
        }
    }

    /// Once a lap: drags along the hints that a ring without readers, or without skips, leaves
    /// behind, long before they would be half a circle of words away and look newer than the tail.
    #[cold]
    fn keep_hints_near(&self, tail: Word) {
        let head = self.head.load(order::PLAIN);
        if is_far_after(tail, head) {
            self.drag_head(head, self.geometry().lap_before(tail));
        }
        if is_far_after(tail, self.load_floor()) {
            self.raise_floor(tail);
        }
    }

    /// Keeps the stamp of a slot whose owner does not come back from ageing until it looks newer
    /// than the writers that pass it. The owner's own store, if it ever comes, wins.
    #[inline]
    fn keep_stamp_near(&self, slot: &Slot<T>, seen: Word, position: Word) {
        let before = self.geometry().lap_before(position);
        if is_far_after(before, seen) {
            slot.try_refresh(seen, self.geometry().stamp(before, Geometry::state(seen)));
        }
    }

    /// Moves the head from `seen` to `to` unless a reader moves it first.
    #[cold]
    fn drag_head(&self, seen: Word, to: Word) {
        // Losing to a reader is as good: it has moved the head itself.
        let _ = self.head.compare_exchange(seen, to, order::head_store(), order::PLAIN);
    }
}
