//! Positions, stamps and what one says about the other: pure arithmetic, no atomics, no unsafe.
//!
//! A **position** is one word: the slot's index in the low bits, the **lap** above them. A
//! **stamp** is one word too: the lap in the same high bits, and a [`State`] in the low three. The
//! slot's own index is implied, so an all-zero slot is "empty, lap 0": zeroed memory is a valid
//! empty ring.
//!
//! ```text
//!            63                         log2(one_lap)        3  2    0
//! position   [           lap            |         index            ]
//! stamp      [           lap            |      zero      |  state  ]
//! ```
//!
//! All arithmetic wraps; "older" and "newer" compare the short way round the circle of words.

#![allow(clippy::unnecessary_cast, reason = "the word is narrower than usize in some test builds")]

use crate::word::{Signed, Word};

/// What a slot is doing, as the low three bits of its stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum State {
    /// No value; a writer of the stamp's lap (or a later one) may claim it.
    Empty = 0,
    /// A writer owns the slot and is copying its value in.
    Writing = 1,
    /// Holds the value of the stamp's lap.
    Full = 2,
    /// A reader owns the slot and is copying the value out.
    Taking = 3,
    /// A snapshot owns the slot and is copying the value, which stays. A writer that passes by moves
    /// the stamp to its own lap: then the value is out of its time and goes when the copy is done.
    Peeking = 4,
}

/// The low bits of a stamp that hold its state.
const STATE_MASK: Word = 0b111;

/// What a writer at a position finds in its slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Write {
    /// Free for this position.
    Vacant,
    /// Holds a value of an earlier lap: claiming it displaces that value.
    Occupied,
    /// Somebody who came for an earlier lap is still copying.
    Busy,
    /// A snapshot is copying the value of an earlier lap.
    Peeked,
    /// The position has been used; the search goes on at the one given here.
    Used(Word),
}

/// What a reader at a position finds in its slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Read {
    /// A value of this lap, or of an earlier one that was published late.
    Ready,
    /// A writer of this lap or an earlier one, or a snapshot, is still copying.
    InFlight,
    /// Nothing has been written for this lap.
    Vacant,
    /// Another reader is copying out a value of an earlier lap.
    BeingTaken,
    /// The position is behind; the oldest one that can still hold a value is given here.
    Behind(Word),
}

/// What a reader that keeps a cursor finds at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    /// Its value.
    Value,
    /// Somebody is copying; there may be a value.
    Undecided,
    /// Its value has left, or it never had one; the next position that can have one is given here.
    Gone(Word),
}

/// The fixed shape of a ring: its capacity and the length of a lap in position units.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Geometry {
    cap: Word,
    one_lap: Word,
}

impl Geometry {
    /// The largest capacity: four bits of the word stay free for laps, so that "older" and
    /// "newer" cannot be confused within a window.
    pub(crate) const MAX_CAP: usize = 1 << (Word::BITS - 4);

    /// The shape of a ring of `cap` slots; `cap` is in `1..=MAX_CAP`.
    ///
    /// `one_lap` is the smallest power of two greater than `cap`, and at least 8 so that a stamp's
    /// three state bits fit below the lap.
    pub(crate) const fn new(cap: usize) -> Self {
        debug_assert!(cap >= 1 && cap <= Self::MAX_CAP);
        let one_lap = (cap + 1).next_power_of_two();
        let one_lap = if one_lap < 8 { 8 } else { one_lap };
        Self { cap: cap as Word, one_lap: one_lap as Word }
    }

    #[inline]
    pub(crate) const fn cap(&self) -> usize {
        self.cap as usize
    }

    /// The slot index of `position`, in `0..cap` for every position made here.
    #[inline]
    pub(crate) const fn index(&self, position: Word) -> usize {
        (position & (self.one_lap - 1)) as usize
    }

    /// The lap bits of a position or stamp, in place.
    #[inline]
    const fn lap(&self, word: Word) -> Word {
        word & !(self.one_lap - 1)
    }

    /// First position of the lap with number `lap` (a multiple of `one_lap` after wrapping).
    pub(crate) const fn lap_start(&self, lap: Word) -> Word {
        lap.wrapping_mul(self.one_lap)
    }

    /// True if the position after `position` is of the next lap.
    #[inline]
    pub(crate) const fn is_last(&self, position: Word) -> bool {
        (self.index(position) as Word) + 1 >= self.cap
    }

    /// The position after `position`.
    #[inline]
    pub(crate) const fn next(&self, position: Word) -> Word {
        if self.is_last(position) {
            self.lap(position).wrapping_add(self.one_lap)
        } else {
            position.wrapping_add(1)
        }
    }

    /// `position`, or, if no ring of this shape has such a one, the next that it has.
    #[inline]
    pub(crate) const fn own(&self, position: Word) -> Word {
        if self.index(position) < self.cap() {
            position
        } else {
            self.lap_after(self.lap(position))
        }
    }

    /// How many positions there are before `position`, from the word's 0 on.
    #[inline]
    pub(crate) const fn absolute(&self, position: Word) -> usize {
        let laps = (position >> self.one_lap.trailing_zeros()) as usize;
        laps.wrapping_mul(self.cap()).wrapping_add(self.index(position))
    }

    /// How many positions there are from `from` up to `to`, which is not before it; modulo the
    /// number of positions that a word can tell apart.
    pub(crate) const fn count(&self, from: Word, to: Word) -> usize {
        let laps = self.laps(from, to);
        laps.wrapping_mul(self.cap()).wrapping_add(self.index(to)).wrapping_sub(self.index(from))
    }

    /// How many laps the stamp or position `to` is ahead of `from`; 0 if it is not.
    pub(crate) const fn laps(&self, from: Word, to: Word) -> usize {
        let distance = self.lap(to).wrapping_sub(self.lap(from));
        if distance as Signed <= 0 {
            return 0;
        }
        // A lap is never 0 long; said in a way that compiles to no panic.
        match distance.checked_div(self.one_lap) {
            Some(laps) => laps as usize,
            None => 0,
        }
    }

    /// The position `cap` before `position`: same slot, previous lap.
    #[inline]
    pub(crate) const fn lap_before(&self, position: Word) -> Word {
        position.wrapping_sub(self.one_lap)
    }

    /// The position `cap` after `position`: same slot, next lap.
    #[inline]
    pub(crate) const fn lap_after(&self, position: Word) -> Word {
        position.wrapping_add(self.one_lap)
    }

    /// The position `steps` before `position`; `cap` at most.
    pub(crate) const fn back(&self, position: Word, steps: usize) -> Word {
        let index = self.index(position);
        if steps <= index {
            return position.wrapping_sub(steps as Word);
        }
        let before = self.lap_before(self.lap(position));
        before.wrapping_add((self.cap() + index).wrapping_sub(steps) as Word)
    }

    /// How many positions lie from `from` up to `to`; 0 if `to` is not after `from`, `cap` at most.
    pub(crate) const fn distance_clamped(&self, from: Word, to: Word) -> usize {
        if to.wrapping_sub(from) as Signed <= 0 {
            return 0;
        }
        let laps = self.lap(to).wrapping_sub(self.lap(from));
        if laps == 0 {
            return self.index(to) - self.index(from);
        }
        if laps == self.one_lap && self.index(to) <= self.index(from) {
            return self.cap() - (self.index(from) - self.index(to));
        }
        self.cap()
    }

    /// The stamp of `position`'s lap in `state`.
    #[inline]
    pub(crate) const fn stamp(&self, position: Word, state: State) -> Word {
        self.lap(position) | state as Word
    }

    /// The stamp that a reader leaves behind: empty, one lap after that of `stamp`.
    #[inline]
    pub(crate) const fn emptied(&self, stamp: Word) -> Word {
        self.lap(stamp).wrapping_add(self.one_lap)
    }

    /// `stamp` with another state, same lap.
    #[inline]
    pub(crate) const fn with_state(&self, stamp: Word, state: State) -> Word {
        self.lap(stamp) | state as Word
    }

    /// The state in `stamp`.
    #[inline]
    pub(crate) const fn state(stamp: Word) -> State {
        match stamp & STATE_MASK {
            0 => State::Empty,
            1 => State::Writing,
            2 => State::Full,
            3 => State::Taking,
            _ => State::Peeking,
        }
    }

    /// True if `stamp` is of the same lap as `position`.
    #[inline]
    pub(crate) const fn same_lap(&self, stamp: Word, position: Word) -> bool {
        self.lap(stamp) == self.lap(position)
    }

    /// Laps from `position` to `stamp`, as a signed distance in position units.
    #[inline]
    fn laps_ahead(&self, stamp: Word, position: Word) -> Signed {
        let ahead = self.lap(stamp).wrapping_sub(self.lap(position)) as Signed;
        if syncface::mutant::is("lapring.laps_inverted") { ahead.wrapping_neg() } else { ahead }
    }

    /// The newest position that `stamp` proves used, given any position of the same slot. An
    /// empty slot of lap L was used up to lap L - 1.
    const fn last_used(&self, stamp: Word, position: Word) -> Word {
        let used = self.lap(stamp) | (position & (self.one_lap - 1));
        match Self::state(stamp) {
            State::Empty => self.lap_before(used),
            _ => used,
        }
    }

    /// What a writer who came to `position` finds in its slot, stamped `stamp`.
    pub(crate) fn for_writer(&self, stamp: Word, position: Word) -> Write {
        let ahead = self.laps_ahead(stamp, position);
        match Self::state(stamp) {
            State::Empty if ahead <= 0 => Write::Vacant,
            State::Full if ahead < 0 => Write::Occupied,
            State::Writing | State::Taking if ahead < 0 => Write::Busy,
            State::Peeking if ahead < 0 => Write::Peeked,
            _ => Write::Used(self.next(self.last_used(stamp, position))),
        }
    }

    /// What a reader that keeps a cursor finds at `position`, which has been issued or passed by.
    pub(crate) fn for_cursor(&self, stamp: Word, position: Word) -> Seen {
        let ahead = self.laps_ahead(stamp, position);
        match Self::state(stamp) {
            State::Full if ahead == 0 => Seen::Value,
            // Of this position, or of the lap before and moved on by a writer that passed by: the
            // next look tells.
            State::Writing | State::Peeking if ahead == 0 => Seen::Undecided,
            // Taken, or passed by.
            State::Empty | State::Taking if ahead == 0 => Seen::Gone(self.next(position)),
            _ if ahead < 0 => Seen::Gone(self.next(position)),
            _ => {
                let oldest = self.lap_before(self.next(self.last_used(stamp, position)));
                Seen::Gone(crate::word::later(oldest, self.next(position)))
            }
        }
    }

    /// What a reader who came to `position` finds in its slot, stamped `stamp`.
    #[inline]
    pub(crate) fn for_reader(&self, stamp: Word, position: Word) -> Read {
        let ahead = self.laps_ahead(stamp, position);
        match Self::state(stamp) {
            State::Full if ahead <= 0 => Read::Ready,
            State::Empty if ahead <= 0 => Read::Vacant,
            State::Writing | State::Peeking if ahead <= 0 => Read::InFlight,
            State::Taking if ahead < 0 => Read::BeingTaken,
            _ => {
                // Everything up to `used` has been issued, so nothing older than one lap before
                // the position after it is left.
                let used = self.last_used(stamp, position);
                let oldest = self.lap_before(self.next(used));
                let next = self.next(position);
                Read::Behind(crate::word::later(oldest, next))
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::word::is_after;
    use State::{Empty, Full, Peeking, Taking, Writing};

    /// Laps around the wrap of the lap counter, for `geometry`.
    fn laps(geometry: &Geometry) -> impl Iterator<Item = Word> + use<> {
        let last = Word::MAX / geometry.one_lap;
        [0, 1, 2, last - 2, last - 1, last].into_iter()
    }

    #[test]
    fn one_lap_is_the_smallest_power_of_two_above_cap_and_at_least_eight() {
        for (cap, one_lap) in [(1, 8), (2, 8), (4, 8), (7, 8), (8, 16), (1000, 1024)] {
            assert_eq!(Geometry::new(cap).one_lap, one_lap, "cap {cap}");
        }
        #[cfg(not(lapring_word = "16"))]
        assert_eq!(Geometry::new(0x10_0000).one_lap, 0x20_0000);
        let widest = Geometry::new(Geometry::MAX_CAP);
        assert!(Word::MAX / widest.one_lap >= 7, "at least eight laps before the wrap");
    }

    #[test]
    fn next_walks_every_index_in_order_across_the_wrap() {
        for cap in 1..=9 {
            let g = Geometry::new(cap);
            for lap in laps(&g) {
                let mut position = g.lap_start(lap);
                for step in 0..4 * cap {
                    assert_eq!(g.index(position), step % cap, "cap {cap} lap {lap} step {step}");
                    let next = g.next(position);
                    assert!(is_after(next, position));
                    assert_eq!(g.distance_clamped(position, next), 1);
                    position = next;
                }
                assert_eq!(position, g.lap_start(lap.wrapping_add(4)));
            }
        }
    }

    #[test]
    fn back_undoes_next() {
        for cap in 1..=9 {
            let g = Geometry::new(cap);
            for lap in laps(&g) {
                for index in 0..cap {
                    let start = g.lap_start(lap).wrapping_add(index as Word);
                    let mut position = start;
                    for steps in 0..=cap {
                        assert_eq!(g.back(position, steps), start, "cap {cap} lap {lap}");
                        position = g.next(position);
                    }
                }
            }
        }
    }

    #[test]
    fn a_cursor_sees_values_of_its_own_position_only() {
        for cap in 1..=9 {
            let g = Geometry::new(cap);
            for lap in laps(&g) {
                let position = g.lap_start(lap);
                let (before, after) = (g.lap_before(position), g.lap_after(position));
                let next = Seen::Gone(g.next(position));
                for state in [Empty, Writing, Full, Taking, Peeking] {
                    assert_eq!(g.for_cursor(g.stamp(before, state), position), next);
                    // What is a lap newer proves that everything up to a lap before it is gone.
                    let newer = g.for_cursor(g.stamp(after, state), position);
                    assert_eq!(newer, next, "cap {cap} lap {lap} {state:?}");
                    let two = g.lap_after(after);
                    let jump = if state == Empty { g.next(position) } else { g.next(after) };
                    assert_eq!(g.for_cursor(g.stamp(two, state), position), Seen::Gone(jump));
                }
                let here = |state| g.for_cursor(g.stamp(position, state), position);
                assert_eq!(here(Full), Seen::Value);
                assert_eq!([here(Empty), here(Taking)], [next, next]);
                assert_eq!([here(Writing), here(Peeking)], [Seen::Undecided; 2]);
            }
        }
    }

    #[test]
    fn distance_counts_positions_and_clamps() {
        for cap in 1..=9usize {
            let g = Geometry::new(cap);
            for lap in laps(&g) {
                for start in 0..cap {
                    let mut from = g.lap_start(lap);
                    for _ in 0..start {
                        from = g.next(from);
                    }
                    let mut to = from;
                    for steps in 0..3 * cap {
                        assert_eq!(g.distance_clamped(from, to), steps.min(cap));
                        assert_eq!(g.distance_clamped(to, from), 0);
                        to = g.next(to);
                    }
                }
            }
        }
    }

    #[test]
    fn lap_before_is_cap_positions_back() {
        for cap in 1..=9usize {
            let g = Geometry::new(cap);
            for lap in laps(&g) {
                let mut position = g.lap_start(lap);
                for _ in 0..2 * cap {
                    let mut walked = g.lap_before(position);
                    for _ in 0..cap {
                        walked = g.next(walked);
                    }
                    assert_eq!(walked, position);
                    position = g.next(position);
                }
            }
        }
    }

    /// The verdicts, spelled out for every state and lap distance, at every index, across the wrap.
    #[test]
    fn verdicts() {
        for cap in 1..=9usize {
            let g = Geometry::new(cap);
            for lap in laps(&g) {
                let mut position = g.lap_start(lap);
                for _ in 0..cap {
                    let at = |laps: Signed, state| {
                        let lap = (laps as Word).wrapping_mul(g.one_lap);
                        g.stamp(position.wrapping_add(lap), state)
                    };
                    let next = g.next(position);
                    let plus = |n: Word| position.wrapping_add(g.one_lap.wrapping_mul(n));

                    for laps in [-2, -1, 0] {
                        assert_eq!(g.for_writer(at(laps, Empty), position), Write::Vacant);
                        assert_eq!(g.for_reader(at(laps, Full), position), Read::Ready);
                        assert_eq!(g.for_reader(at(laps, Empty), position), Read::Vacant);
                        assert_eq!(g.for_reader(at(laps, Writing), position), Read::InFlight);
                        assert_eq!(g.for_reader(at(laps, Peeking), position), Read::InFlight);
                    }
                    for laps in [-2, -1] {
                        assert_eq!(g.for_writer(at(laps, Full), position), Write::Occupied);
                        assert_eq!(g.for_writer(at(laps, Writing), position), Write::Busy);
                        assert_eq!(g.for_writer(at(laps, Taking), position), Write::Busy);
                        assert_eq!(g.for_writer(at(laps, Peeking), position), Write::Peeked);
                        assert_eq!(g.for_reader(at(laps, Taking), position), Read::BeingTaken);
                    }
                    for state in [Writing, Full, Taking, Peeking] {
                        assert_eq!(g.for_writer(at(0, state), position), Write::Used(next));
                        assert_eq!(
                            g.for_writer(at(2, state), position),
                            Write::Used(g.next(plus(2)))
                        );
                        assert_eq!(
                            g.for_reader(at(3, state), position),
                            Read::Behind(g.next(plus(2)))
                        );
                    }
                    assert_eq!(g.for_writer(at(1, Empty), position), Write::Used(next));
                    assert_eq!(g.for_reader(at(1, Empty), position), Read::Behind(next));
                    assert_eq!(g.for_reader(at(0, Taking), position), Read::Behind(next));
                    assert_eq!(g.for_reader(at(4, Empty), position), Read::Behind(g.next(plus(2))));
                    position = next;
                }
            }
        }
    }

    #[test]
    fn stamps_keep_state_and_lap_apart() {
        for cap in 1..=9usize {
            let g = Geometry::new(cap);
            for lap in laps(&g) {
                let position = g.lap_start(lap);
                for state in [Empty, Writing, Full, Taking, Peeking] {
                    let stamp = g.stamp(position, state);
                    assert_eq!(Geometry::state(stamp), state);
                    assert!(g.same_lap(stamp, position));
                    assert_eq!(g.with_state(stamp, Full), g.stamp(position, Full));
                    assert_eq!(g.emptied(stamp), g.stamp(g.lap_start(lap.wrapping_add(1)), Empty));
                }
            }
        }
    }

    #[test]
    fn count_and_laps_across_the_wrap() {
        for cap in 1..=9usize {
            let g = Geometry::new(cap);
            for lap in laps(&g) {
                let from = g.lap_start(lap);
                let mut to = from;
                for steps in 0..4 * cap {
                    assert_eq!(g.count(from, to), steps);
                    assert_eq!(g.laps(from, to), steps / cap);
                    assert_eq!(g.laps(to, from), 0);
                    to = g.next(to);
                }
            }
        }
    }

    #[test]
    fn absolute_counts_every_position_once_from_the_words_zero_to_its_wrap() {
        for cap in 1..=9usize {
            let g = Geometry::new(cap);
            let mut position = 0;
            for n in 0..4 * cap {
                assert_eq!(g.absolute(position), n, "cap {cap}");
                position = g.next(position);
            }
            let last_lap = g.lap_start(Word::MAX / g.one_lap);
            let before = g.absolute(last_lap);
            assert_eq!(before, (Word::MAX / g.one_lap) as usize * cap);
            assert_eq!(g.absolute(g.next(last_lap)), if cap == 1 { 0 } else { before + 1 });
        }
    }

    #[test]
    fn zero_is_an_empty_slot_of_lap_zero() {
        let g = Geometry::new(5);
        assert_eq!(g.stamp(0, Empty), 0);
        assert_eq!(g.for_writer(0, 0), Write::Vacant);
        assert_eq!(g.for_reader(0, 0), Read::Vacant);
    }
}
