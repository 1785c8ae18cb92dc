//! Where records live: blocks that never move and are freed together.
//!
//! A [`Place`] is the number of a block and an offset in units of four bytes. Invariants:
//!
//! 1. Only whoever holds the insert lock of the table writes anything here, and only behind the
//!    filled part of the last block: a record is written once, before its place is known to others.
//! 2. Whoever has a place got it by an Acquire that pairs with a Release after the record was
//!    written (see [`order`]), or holds the lock. So block pointers and the record are seen.
//! 3. Blocks and segments are freed by `Drop` alone, which has the arena for itself.
//! 4. A block is closed by a record that did not fit its free end, and that record opens the next
//!    one. So closed ends together are shorter than all records together, and the memory taken is at
//!    most twice the records plus the free end of the last block (less than [`LARGEST`]).
#![allow(unsafe_code, reason = "records of different lengths lie side by side")]

use crate::Symbol;
use crate::lock::Taken;
use crate::memory::{NoMemory, try_many};
use crate::order;
use crate::record::{self, Record, Source, UNIT};
use alloc::alloc::{alloc, dealloc};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::alloc::Layout;
use core::ptr;
use syncface::atomic::{AtomicPtr, AtomicU32, AtomicUsize};

/// Size of the first block in bytes. Later ones are as large as all records before them, so the
/// total doubles, up to [`LARGEST`].
const FIRST: usize = if cfg!(loom) { 64 } else { 1 << 10 };

/// Size above which a block is opened only for a single text that needs it.
const LARGEST: usize = if cfg!(loom) { 64 } else { 1 << 16 };

/// Bits of a place that are the offset.
const OFFSET_BITS: u32 = (LARGEST / UNIT).ilog2();

/// Blocks that can be numbered.
const MOST_BLOCKS: u32 = 1 << (31 - OFFSET_BITS);

/// Blocks of the first segment; each further one has twice as many.
const FIRST_SEGMENT: usize = if cfg!(loom) { 2 } else { 8 };
const SEGMENTS: usize =
    if cfg!(loom) { 3 } else { (MOST_BLOCKS.ilog2() - FIRST_SEGMENT.ilog2() + 1) as usize };

/// Where a record lies; below 2^31.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(pub(crate) u32);

impl Place {
    const fn new(block: u32, offset: u32) -> Self {
        Self(block << OFFSET_BITS | offset)
    }

    #[inline]
    const fn block(self) -> u32 {
        self.0 >> OFFSET_BITS
    }

    #[inline]
    const fn offset(self) -> u32 {
        self.0 & ((1 << OFFSET_BITS) - 1)
    }
}

/// A block, or room for one. Sizes are in units.
struct Slot {
    start: AtomicPtr<u8>,
    size: AtomicU32,
    filled: AtomicU32,
    #[cfg(loom)]
    witness: [syncface::cell::UnsafeCell<()>; LARGEST / UNIT],
}

impl Slot {
    fn new() -> Self {
        Self {
            start: AtomicPtr::new(ptr::null_mut()),
            size: AtomicU32::new(0),
            filled: AtomicU32::new(0),
            #[cfg(loom)]
            witness: core::array::from_fn(|_| syncface::cell::UnsafeCell::new(())),
        }
    }

    #[inline]
    fn at(&self, offset: u32) -> *mut u8 {
        let start = self.start.load(order::PLAIN);
        assert!(!cfg!(loom) || !start.is_null(), "a place was known before its block");
        start.wrapping_add(offset as usize * UNIT)
    }
}

/// Room for one record, as long as the lock is held under which it was made.
pub(crate) struct Room<'a> {
    pub(crate) place: Place,
    slot: &'a Slot,
    /// In bytes.
    size: usize,
}

pub(crate) struct Arena {
    segments: [AtomicPtr<Slot>; SEGMENTS],
    blocks: AtomicU32,
    /// The slot of the last block.
    last: AtomicPtr<Slot>,
    /// Bytes of all records.
    records: AtomicUsize,
    /// Bytes of copied text.
    text: AtomicUsize,
}

impl Arena {
    syncface::maybe_const! {
        pub(crate) fn new() -> Self {
            #[cfg(not(loom))]
            let segments = [const { AtomicPtr::new(ptr::null_mut()) }; SEGMENTS];
            #[cfg(loom)]
            let segments = core::array::from_fn(|_| AtomicPtr::new(ptr::null_mut()));
            Self {
                segments,
                blocks: AtomicU32::new(0),
                last: AtomicPtr::new(ptr::null_mut()),
                records: AtomicUsize::new(0),
                text: AtomicUsize::new(0),
            }
        }
    }

    /// Bytes of copied text.
    pub(crate) fn used(&self) -> usize {
        self.text.load(order::PLAIN)
    }

    /// Counts text that is copied elsewhere.
    pub(crate) fn add_used(&self, bytes: usize, _held: &Taken<'_>) {
        self.text.store(self.used() + bytes, order::PLAIN);
    }

    #[inline]
    fn segment_of(block: u32) -> (usize, usize) {
        let number = block as usize + FIRST_SEGMENT;
        let segment = (number.ilog2() - FIRST_SEGMENT.ilog2()) as usize;
        (segment, number - (FIRST_SEGMENT << segment))
    }

    /// The slot of a block that is known to the caller, by invariant 2.
    #[inline]
    fn slot(&self, block: u32) -> &Slot {
        let (segment, at) = Self::segment_of(block);
        let slots = self.segments[segment].load(order::PLAIN);
        assert!(!cfg!(loom) || !slots.is_null(), "a place was known before its segment");
        // SAFETY: the segment is there, by invariant 2, and has that many slots.
        let slot = unsafe { slots.add(at) };
        // SAFETY: it stays, by invariant 3.
        unsafe { &*slot }
    }

    /// The record at a place that was given out by this arena.
    #[inline]
    pub(crate) fn get(&self, place: Place) -> Record<'_> {
        self.read(self.slot(place.block()), place.offset())
    }

    /// The record at an offset that the caller knows, by invariant 2.
    #[inline]
    fn read<'a>(&'a self, slot: &'a Slot, offset: u32) -> Record<'a> {
        #[cfg(loom)]
        slot.witness[offset as usize].with(|_| ());
        // SAFETY: written before, by invariant 2, never again, by 1, and stays, by 3.
        unsafe { record::read(slot.at(offset)) }
    }

    /// Makes room for a record and says where it will be. On `Err` nothing has changed that could be
    /// seen. Without `grow`, does not allocate.
    #[inline(always)]
    pub(crate) fn prepare(
        &self,
        source: Source<'_>,
        grow: bool,
        _held: &Taken<'_>,
    ) -> Result<Room<'_>, NoMemory> {
        let size = record::size(source);
        let units = u32::try_from(size / UNIT).map_err(|_| NoMemory)?;
        // SAFETY: null, or the slot of the last block, which stays, by invariant 3.
        let last = unsafe { self.last.load(order::PLAIN).as_ref() };
        if let Some(slot) = last {
            let filled = slot.filled.load(order::PLAIN);
            if slot.size.load(order::PLAIN) - filled >= units {
                let last = self.blocks.load(order::PLAIN) - 1;
                return Ok(Room { place: Place::new(last, filled), slot, size });
            }
        }
        self.open(size, grow)
    }

    /// Opens a block with room for `size` bytes.
    #[cold]
    fn open(&self, size: usize, grow: bool) -> Result<Room<'_>, NoMemory> {
        let blocks = self.blocks.load(order::PLAIN);
        if !grow || blocks == MOST_BLOCKS {
            return Err(NoMemory);
        }
        let (segment, at) = Self::segment_of(blocks);
        if at == 0 && self.segments[segment].load(order::PLAIN).is_null() {
            let slots = try_many(FIRST_SEGMENT << segment, Slot::new)?;
            let slots = Box::into_raw(slots.into_boxed_slice()).cast::<Slot>();
            self.segments[segment].store(slots, order::PLAIN);
        }
        let wanted = self.records.load(order::PLAIN).clamp(FIRST, LARGEST).max(size);
        let taken = wanted.next_multiple_of(UNIT);
        let layout = Layout::from_size_align(taken, UNIT).map_err(|_| NoMemory)?;
        // SAFETY: the size is at least that of a head.
        let start = unsafe { alloc(layout) };
        if start.is_null() {
            return Err(NoMemory);
        }
        let slot = self.slot(blocks);
        slot.size.store((taken / UNIT) as u32, order::PLAIN);
        slot.start.store(start, order::PLAIN);
        self.blocks.store(blocks + 1, order::PLAIN);
        self.last.store(ptr::from_ref(slot).cast_mut(), order::PLAIN);
        Ok(Room { place: Place::new(blocks, 0), slot, size })
    }

    /// Writes the record that `prepare` made room for, under the same hold of the lock.
    #[inline(always)]
    pub(crate) fn write(
        &self,
        Room { place, slot, size }: Room<'_>,
        id: Symbol,
        source: Source<'_>,
        held: &Taken<'_>,
    ) {
        debug_assert_eq!(slot.filled.load(order::PLAIN), place.offset());
        #[cfg(loom)]
        slot.witness[place.offset() as usize].with_mut(|_| ());
        // SAFETY: the room is there, by `prepare`, and nobody else's, by invariant 1.
        unsafe { record::write(slot.at(place.offset()), id, source) };
        slot.filled.store(place.offset() + (size / UNIT) as u32, order::PLAIN);
        self.records.store(self.records.load(order::PLAIN) + size, order::PLAIN);
        self.add_used(source.copied_len(), held);
    }

    /// The record at `at`, or the first one of a later block if there is none, and the place behind
    /// it. The caller knows that there is one, by having counted it.
    pub(crate) fn next(&self, mut at: Place) -> (Place, Record<'_>, Place) {
        loop {
            if at.offset_is_filled(self.slot(at.block())) {
                at = Place::new(at.block() + 1, 0);
                continue;
            }
            let record = self.get(at);
            let behind = at.offset() as usize + record.size / UNIT;
            let next = if behind < LARGEST / UNIT {
                Place::new(at.block(), behind as u32)
            } else {
                Place::new(at.block() + 1, 0)
            };
            return (at, record, next);
        }
    }

    /// Every record, in the order in which they came.
    pub(crate) fn for_each<'a>(
        &'a self,
        _held: &Taken<'_>,
        mut each: impl FnMut(Place, Record<'a>),
    ) {
        for block in 0..self.blocks.load(order::PLAIN) {
            let slot = self.slot(block);
            let filled = slot.filled.load(order::PLAIN);
            let mut offset = 0;
            while offset < filled {
                let record = self.read(slot, offset);
                each(Place::new(block, offset), record);
                offset += (record.size / UNIT) as u32;
            }
        }
    }

    /// A place at least as large as the next one that fits the last block.
    pub(crate) fn after_last(&self) -> Place {
        Place::new(self.blocks.load(order::PLAIN), 0)
    }

    #[cfg(test)]
    pub(crate) fn taken(&self) -> usize {
        let slots = (0..self.blocks.load(order::PLAIN)).map(|block| self.slot(block));
        slots.map(|slot| slot.size.load(order::PLAIN) as usize * UNIT).sum()
    }
}

impl Place {
    /// Whether there is nothing here and never will be, or nothing that the caller has counted.
    fn offset_is_filled(self, slot: &Slot) -> bool {
        self.offset() >= slot.filled.load(order::PLAIN)
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        for block in 0..self.blocks.load(order::PLAIN) {
            let slot = self.slot(block);
            let size = slot.size.load(order::PLAIN) as usize * UNIT;
            let start = slot.start.load(order::PLAIN);
            // SAFETY: the layout was valid when the block was allocated.
            let layout = unsafe { Layout::from_size_align_unchecked(size, UNIT) };
            // SAFETY: allocated with this layout; nobody has it any more, by invariant 3.
            unsafe { dealloc(start, layout) };
        }
        for (segment, slots) in self.segments.iter().enumerate() {
            let slots = slots.load(order::PLAIN);
            if !slots.is_null() {
                let len = FIRST_SEGMENT << segment;
                // SAFETY: a boxed slice of that length was taken apart in `open`; by invariant 3
                // nobody has it any more.
                drop(unsafe { Vec::from_raw_parts(slots, len, len) });
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::lock::Lock;
    use proptest::prelude::*;
    use std::string::String;

    /// More than a block, where bytes are cheap.
    const LONGEST: usize = if cfg!(miri) { 5000 } else { 150_000 };

    fn check(lens: &[usize]) {
        let (arena, lock) = (Arena::new(), Lock::new());
        let held = lock.take();
        let mut known: Vec<(Place, *const u8, String)> = Vec::new();
        let mut records = 0;
        for (i, &len) in lens.iter().enumerate() {
            let letter = char::from(b'a' + (i % 26) as u8);
            let text: String = core::iter::repeat_n(letter, len).collect();
            let source = Source::Copied(&text);
            let room = arena.prepare(source, true, &held).unwrap();
            let place = room.place;
            arena.write(room, Symbol::of(&text), source, &held);
            records += record::size(source);
            known.push((place, arena.get(place).text().as_ptr(), text));
            assert!(arena.taken() <= 2 * records + LARGEST);
        }
        let mut at = Place(0);
        for (place, pointer, text) in &known {
            let (here, record, next) = arena.next(at);
            assert_eq!((here, record.id, record.text()), (*place, Symbol::of(text), &**text));
            assert_eq!(record.text().as_ptr(), *pointer, "the text has moved");
            at = next;
        }
        assert_eq!(arena.used(), lens.iter().sum::<usize>());
    }

    #[test]
    #[cfg_attr(miri, ignore = "half a million bytes, one by one")]
    fn texts_at_block_edges() {
        check(&[
            FIRST - 8,
            1,
            FIRST - 9,
            1,
            FIRST + 1,
            LARGEST - 8,
            1,
            LARGEST - 12,
            LARGEST,
            1,
            1,
        ]);
        check(&[1, FIRST, 1, 2 * FIRST, 1, 4 * FIRST, 1, 8 * FIRST, 0, 0]);
        check(&[3 * LARGEST, 1, 3 * LARGEST, 1]);
    }

    #[test]
    fn segments_follow_each_other() {
        let mut expected = (0, 0);
        for block in 0..10_000 {
            assert_eq!(Arena::segment_of(block), expected);
            expected.1 += 1;
            if expected.1 == FIRST_SEGMENT << expected.0 {
                expected = (expected.0 + 1, 0);
            }
        }
        assert!(Arena::segment_of(MOST_BLOCKS - 1).0 < SEGMENTS);
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 1 } else { 64 },
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn any_lengths(lens in prop::collection::vec(
            prop_oneof![4 => 0..40_usize, 2 => 1..3000_usize, 1 => 1..LONGEST], 0..60,
        )) {
            check(&lens);
        }
    }
}
