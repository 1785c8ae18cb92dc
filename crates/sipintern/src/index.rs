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
            len = Self::larger(len).ok_or(NoMemory)?;
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

    /// How long the half of an index is that follows one of `len`.
    ///
    /// To grow is to enter everything anew, and what was outgrown stays. Steps of four do that for a
    /// third of the entries that steps of two do it for, but may leave more words unused: where that is
    /// no more than half a mebibyte, and not in the small tables of machines that have little.
    const fn larger(len: usize) -> Option<usize> {
        len.checked_mul(if len < 1 << 10 || len >= 1 << 16 { 2 } else { 4 })
    }

    #[cfg(test)]
    pub(crate) const fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Words in use that follow each other.
    #[cfg(test)]
    pub(crate) fn longest_run(&self) -> usize {
        let taken: Vec<bool> = self.words.iter().map(|it| it.load(order::PLAIN) != 0).collect();
        let runs = taken.chunk_by(|one, two| one == two).filter(|run| run[0]);
        runs.map(<[bool]>::len).max().unwrap_or(0)
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

    /// Searches a half for this hash, from its start on: what `found` makes of the record of a word
    /// that agrees in its tag, or the empty word that ends the search.
    #[inline(always)]
    fn search<'a, T>(
        &'a self,
        half: Half,
        hash: u64,
        arena: &'a Arena,
        found: impl Fn(Record<'a>) -> Option<T>,
    ) -> Result<T, Gap<'a>> {
        let words = self.half(half);
        let (tag, start) = (self.tag(hash), (hash >> self.shift) as usize);
        for at in start..start.saturating_add(half.probes()) {
            let at = at & (words.len() - 1);
            let word = words[at].load(order::word_look());
            if word == 0 {
                return Err(Gap::new(self, half, at, tag));
            }
            if word & !self.places == tag {
                let record = arena.get(Place((word & self.places) - 1));
                if let Some(found) = found(record) {
                    return Ok(found);
                }
            }
        }
        Err(Gap { index: Some(self), word: Gap::NOWHERE })
    }

    #[inline(always)]
    fn half(&self, half: Half) -> &[AtomicU32] {
        match half {
            Half::Texts => &self.words[..self.len],
            Half::Ids => &self.words[self.len..],
        }
    }

    /// The id of a text that the texts' half has, or where it would be.
    #[inline]
    pub(crate) fn find_text<'a>(&'a self, text: &str, arena: &'a Arena) -> Result<Symbol, Gap<'a>> {
        let hash = self.keys.of_text(text.as_bytes());
        self.search(Half::Texts, hash, arena, |record| {
            same(record.text(), text).then_some(record.id)
        })
    }

    /// The record of an id, or where it would be.
    #[inline]
    pub(crate) fn find_id<'a>(
        &'a self,
        id: Symbol,
        arena: &'a Arena,
    ) -> Result<Record<'a>, Gap<'a>> {
        let hash = self.keys.of_id(id);
        self.search(Half::Ids, hash, arena, |record| (record.id == id).then_some(record))
    }

    /// What a record at `place` with this hash has to put into a half, and from where on.
    #[inline(always)]
    const fn entry(&self, hash: u64, place: Place) -> Entry {
        Entry { start: (hash >> self.shift) as usize, word: self.tag(hash) | (place.0 + 1) }
    }

    /// Puts an entry into the first empty word from its start, if it is not too far for the half.
    #[inline(always)]
    fn put(&self, half: Half, Entry { start, word }: Entry, publish: Ordering) {
        let words = self.half(half);
        for at in start..start.saturating_add(half.probes()) {
            let slot = &words[at & (words.len() - 1)];
            if slot.load(order::PLAIN) == 0 {
                slot.store(word, publish);
                return;
            }
        }
    }

    /// Puts all records of the arena into an index that nobody else has yet.
    fn fill(&self, arena: &Arena, held: &Taken<'_>) {
        let mut batch = Batch { index: self, waiting: [[Entry::default(); 2]; BATCH], count: 0 };
        arena.for_each(held, |place, record| {
            let of_id = self.entry(self.keys.of_id(record.id), place);
            let of_text = self.entry(self.keys.of_text(record.text().as_bytes()), place);
            batch.add([of_id, of_text]);
        });
        batch.put();
    }

    #[cold]
    fn put_id(&self, id: Symbol, place: Place, publish: Ordering) {
        self.put(Half::Ids, self.entry(self.keys.of_id(id), place), publish);
    }

    #[cold]
    fn put_text(&self, text: &str, place: Place, publish: Ordering) {
        let hash = self.keys.of_text(text.as_bytes());
        self.put(Half::Texts, self.entry(hash, place), publish);
    }
}

/// Records on their way into an index. Their first words are asked for together, so that they travel
/// together, and are looked at then.
struct Batch<'a> {
    index: &'a Index,
    waiting: [[Entry; 2]; BATCH],
    count: usize,
}

const BATCH: usize = if cfg!(loom) { 1 } else { 16 };

#[derive(Clone, Copy, Default)]
struct Entry {
    start: usize,
    word: u32,
}

impl Batch<'_> {
    /// Of a record's id and of its text.
    #[inline(always)]
    fn add(&mut self, entries: [Entry; 2]) {
        self.waiting[self.count] = entries;
        self.count += 1;
        if self.count == BATCH {
            self.put();
        }
    }

    #[inline(always)]
    fn put(&mut self) {
        let waiting = &self.waiting[..self.count];
        let first =
            |half: Half, entry: Entry| self.index.half(half)[entry.start].load(order::PLAIN);
        let firsts = waiting
            .iter()
            .map(|[of_id, of_text]| first(Half::Ids, *of_id) | first(Half::Texts, *of_text));
        core::hint::black_box(firsts.fold(0, |all, one| all | one));
        for entries in waiting {
            for (half, entry) in HALVES.into_iter().zip(*entries) {
                self.index.put(half, entry, order::PLAIN);
            }
        }
        self.count = 0;
    }
}

const HALVES: [Half; 2] = [Half::Ids, Half::Texts];

#[derive(Clone, Copy)]
enum Half {
    Texts,
    Ids,
}

impl Half {
    /// How many words a search looks at, at most.
    #[inline(always)]
    const fn probes(self) -> usize {
        match self {
            Self::Texts => PROBES,
            Self::Ids => usize::MAX,
        }
    }
}

/// The empty word at which a search has ended, if it met one. Two registers.
#[derive(Clone, Copy)]
pub(crate) struct Gap<'a> {
    index: Option<&'a Index>,
    /// Number of the word among those of both halves. The tag stands 32 bits higher, which has as
    /// many zeros at its low end as a place at least has.
    word: u64,
}

impl<'a> Gap<'a> {
    /// More than any number with any tag.
    const NOWHERE: u64 = u64::MAX;
    const NUMBER: u64 = (1 << (32 + LEAST_PLACE_BITS)) - 1;

    /// Nothing was searched.
    pub(crate) const NONE: Self = Self { index: None, word: Self::NOWHERE };

    #[inline]
    const fn new(index: &'a Index, half: Half, at: usize, tag: u32) -> Self {
        let first = match half {
            Half::Texts => 0,
            Half::Ids => index.len,
        };
        Self { index: Some(index), word: (first + at) as u64 | (tag as u64) << 32 }
    }

    /// The word, if it is certain that what was sought has not come since: it would stand there,
    /// for the words before it are taken for good, by invariant 1.
    #[inline(always)]
    pub(crate) fn open(self, current: &'a Index, _held: &Taken<'_>) -> Option<Open<'a>> {
        let index = self.index.filter(|index| ptr::eq(*index, current))?;
        let word = index.words.get((self.word & Self::NUMBER) as usize)?;
        let tag = (self.word >> 32) as u32 & !index.places;
        (word.load(order::PLAIN) == 0).then_some(Open { word, tag })
    }
}

/// An empty word that stays empty until the lock is given back, and the tag of what belongs there.
#[derive(Clone, Copy)]
pub(crate) struct Open<'a> {
    word: &'a AtomicU32,
    tag: u32,
}

impl Open<'_> {
    #[inline(always)]
    fn fill(self, place: Place, publish: Ordering) {
        self.word.store(self.tag | (place.0 + 1), publish);
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
    /// arena holds. On `Err` nothing has changed.
    pub(crate) fn grow(
        &self,
        (entries, place): (usize, Place),
        seed: u64,
        arena: &Arena,
        held: &Taken<'_>,
    ) -> Result<&Index, NoMemory> {
        // Places may get eight times as large before another index is needed for their sake.
        let place_bits = u32::BITS - place.0.leading_zeros() + 3;
        let mut index = Index::new(entries, place_bits, seed)?;
        index.fill(arena, held);
        index.older = self.0.load(order::PLAIN);
        #[cfg(loom)]
        index.witness.with_mut(|_| ());
        let index = Box::into_raw(index);
        self.0.store(index, order::index_publish());
        // SAFETY: just published, and not freed while `self` is borrowed, by invariant 3.
        Ok(unsafe { &*index })
    }

    /// Enters a record that is written and counted, into the words where it was sought, if they are
    /// known.
    #[inline(always)]
    pub(crate) fn enter(
        index: &Index,
        (id, text): (Symbol, &str),
        place: Place,
        (of_id, of_text): (Option<Open<'_>>, Option<Open<'_>>),
        _held: &Taken<'_>,
    ) {
        let enter_text = || match of_text {
            Some(open) => open.fill(place, order::text_publish()),
            None => index.put_text(text, place, order::text_publish()),
        };
        if mutant::is("sipintern.text_first") {
            enter_text();
        }
        match of_id {
            Some(open) => open.fill(place, order::id_publish()),
            None => index.put_id(id, place, order::id_publish()),
        }
        if !mutant::is("sipintern.text_first") {
            enter_text();
        }
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// What the documentation of `Interner::bytes` says of the index, from 9 texts on.
    #[test]
    fn bytes_of_all_indexes_per_text() {
        let (mut len, mut fewest, mut all) = (FIRST, 9, 0);
        while len < 1 << 28 {
            // Two halves, of words of four bytes, and those before.
            all += 2 * 4 * len;
            let most = Index::most(len);
            assert!(all <= 60 * fewest, "{all} bytes for {fewest} texts");
            assert!(all >= 9 * most, "{all} bytes for {most} texts");
            (len, fewest) = (Index::larger(len).unwrap(), most + 1);
        }
    }
}
