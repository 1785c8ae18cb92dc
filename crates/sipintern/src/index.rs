//! From a text or an id to the place of its record.
//!
//! An index has two halves of equal size. The texts' half is searched by a fast hash of the text and
//! holds what could be placed within [`PROBES`] words of its start; the ids' half is searched by the
//! id and holds everything. A word is 0 or the place of a record plus one, with as many bits of the
//! hash above it as there is room. Invariants:
//!
//! 1. Words change only from 0 to something, under the insert lock of the table.
//! 2. Where the ids' half has a place, the record is written and counted; the texts' half has it
//!    only after the ids' half.
//! 3. An index that has been published is freed by `Drop` of its table alone. It holds the one
//!    before it, so a reader that still has that one may go on.
//! 4. At most 13 in 16 words of a half are used, so a search that meets a 0 ends.
#![allow(unsafe_code, reason = "a published index is shared by raw pointer")]

use crate::Symbol;
use crate::arena::{Arena, Place};
use crate::keys::Keys;
use crate::lock::Taken;
use crate::memory::{NoMemory, try_box, try_zeros};
use crate::order;
use crate::record::{Record, same};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ptr;
use syncface::atomic::{AtomicPtr, AtomicU32, Ordering};
use syncface::mutant;

/// How far from its start a text may be, in words. Further on it is found by its id.
pub(crate) const PROBES: usize = 32;

/// Words of a half of the first index.
const FIRST: usize = if cfg!(loom) { 2 } else { 64 };

/// Room for places that an index starts with, in bits: 4 MiB of records.
const LEAST_PLACE_BITS: u32 = 20;

pub(crate) struct Index {
    keys: Keys,
    /// Words in a half, a power of two.
    len: usize,
    /// What is left of a hash after this many bits is a number below `len`.
    shift: u32,
    /// The bits of a word that are a place.
    places: u32,
    /// The texts' half, then the ids' half.
    words: Vec<AtomicU32>,
    older: *mut Index,
    /// Stands for the rest where loom watches.
    #[cfg(loom)]
    witness: syncface::cell::UnsafeCell<()>,
}

impl Index {
    /// An empty index with room for `entries` whose places, plus one, have `place_bits`.
    fn new(entries: usize, place_bits: u32, seed: u64) -> Result<Box<Self>, NoMemory> {
        let mut len = FIRST;
        while Self::most(len) < entries {
            len = len.checked_mul(2).ok_or(NoMemory)?;
        }
        let words = try_zeros(len.checked_mul(2).ok_or(NoMemory)?)?;
        // Whoever picks names does not know where memory lies. Loom wants every run alike.
        let entropy = if cfg!(loom) { 0 } else { words.as_ptr().addr() as u64 };
        let places = u32::MAX >> (32 - place_bits.clamp(LEAST_PLACE_BITS, 32));
        let (keys, shift) = (Keys::new(seed, entropy), 64 - len.ilog2());
        try_box(Self {
            keys,
            len,
            shift,
            places,
            words,
            older: ptr::null_mut(),
            #[cfg(loom)]
            witness: syncface::cell::UnsafeCell::new(()),
        })
    }

    #[cfg(test)]
    pub(crate) const fn keys(&self) -> &Keys {
        &self.keys
    }

    const fn most(len: usize) -> usize {
        len / 16 * 13 + len % 16 * 13 / 16
    }

    /// Whether another entry at `place` fits, when there are `count`.
    pub(crate) fn has_room(&self, count: usize, place: Place) -> bool {
        count < Self::most(self.len) && place.0 < self.places
    }

    const fn tag(&self, hash: u64) -> u32 {
        hash as u32 & !self.places
    }

    /// The records that a search for this hash meets in a half, up to the first empty word.
    #[inline]
    fn probe<'a>(
        &'a self,
        half: &'a [AtomicU32],
        hash: u64,
        arena: &'a Arena,
    ) -> impl Iterator<Item = Option<Record<'a>>> {
        let (tag, start) = (self.tag(hash), (hash >> self.shift) as usize);
        let mut at = start;
        core::iter::from_fn(move || {
            let word = half[at & (half.len() - 1)].load(order::word_look());
            at += 1;
            if word == 0 {
                return None;
            }
            Some((word & !self.places == tag).then(|| arena.get(Place((word & self.places) - 1))))
        })
    }

    /// The id of a text that the texts' half has.
    #[inline]
    pub(crate) fn find_text(&self, text: &str, arena: &Arena) -> Option<Symbol> {
        let hash = self.keys.of_text(text.as_bytes());
        let found = self.probe(&self.words[..self.len], hash, arena).take(PROBES);
        found.flatten().find(|record| same(record.text(), text)).map(|record| record.id)
    }

    /// The record of an id.
    #[inline]
    pub(crate) fn find_id<'a>(&'a self, id: Symbol, arena: &'a Arena) -> Option<Record<'a>> {
        let hash = self.keys.of_id(id);
        let mut found = self.probe(&self.words[self.len..], hash, arena);
        found.find_map(|record| record.filter(|record| record.id == id))
    }

    /// Puts a place into the first empty word of the first `most` from the start.
    fn put(&self, half: &[AtomicU32], hash: u64, place: Place, most: usize, publish: Ordering) {
        let start = (hash >> self.shift) as usize;
        let word = self.tag(hash) | (place.0 + 1);
        for at in start..start.saturating_add(most.min(half.len())) {
            let slot = &half[at & (half.len() - 1)];
            if slot.load(order::PLAIN) == 0 {
                slot.store(word, publish);
                return;
            }
        }
    }

    fn put_id(&self, id: Symbol, place: Place, publish: Ordering) {
        self.put(&self.words[self.len..], self.keys.of_id(id), place, usize::MAX, publish);
    }

    fn put_text(&self, text: &str, place: Place, publish: Ordering) {
        let hash = self.keys.of_text(text.as_bytes());
        self.put(&self.words[..self.len], hash, place, PROBES, publish);
    }
}

/// The index in use, and those before it.
pub(crate) struct Current(AtomicPtr<Index>);

impl Current {
    syncface::maybe_const! {
        pub(crate) fn new() -> Self {
            Self(AtomicPtr::new(ptr::null_mut()))
        }
    }

    #[inline]
    pub(crate) fn get(&self) -> Option<&Index> {
        let index = self.0.load(order::index_look());
        // SAFETY: null, or published and not freed while `self` is borrowed, by invariant 3.
        let index = unsafe { index.as_ref() };
        #[cfg(loom)]
        index.inspect(|index| index.witness.with(|_| ()));
        index
    }

    /// Replaces the index by one with room for `entries`, one of them at `place`, and all that the
    /// arena holds: `count` records. On `Err` nothing has changed.
    pub(crate) fn grow(
        &self,
        (entries, place): (usize, Place),
        seed: u64,
        arena: &Arena,
        count: usize,
        _held: &Taken<'_>,
    ) -> Result<&Index, NoMemory> {
        // Places may get eight times as large before another index is needed for their sake.
        let place_bits = u32::BITS - place.0.leading_zeros() + 3;
        let mut index = Index::new(entries, place_bits, seed)?;
        let mut at = Place(0);
        for _ in 0..count {
            let (place, record, next) = arena.next(at);
            index.put_id(record.id, place, order::PLAIN);
            index.put_text(record.text(), place, order::PLAIN);
            at = next;
        }
        index.older = self.0.load(order::PLAIN);
        #[cfg(loom)]
        index.witness.with_mut(|_| ());
        let index = Box::into_raw(index);
        self.0.store(index, order::index_publish());
        // SAFETY: just published, and not freed while `self` is borrowed, by invariant 3.
        Ok(unsafe { &*index })
    }

    /// Enters a record that is written and counted.
    pub(crate) fn enter(index: &Index, id: Symbol, text: &str, place: Place, _held: &Taken<'_>) {
        if mutant::is("sipintern.text_first") {
            index.put_text(text, place, order::text_publish());
            index.put_id(id, place, order::id_publish());
            return;
        }
        index.put_id(id, place, order::id_publish());
        index.put_text(text, place, order::text_publish());
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        let mut next = self.0.load(order::PLAIN);
        while !next.is_null() {
            // SAFETY: made by `Box::into_raw` and linked once; nobody has it, by invariant 3.
            let index = unsafe { Box::from_raw(next) };
            next = index.older;
        }
    }
}
