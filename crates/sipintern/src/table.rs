//! Hash and text of every entry, found by id. Knows no limits and counts nothing.

use crate::Symbol;
use crate::arena::{Arena, NoMemory, Span};
use alloc::vec::Vec;
use hashbrown::HashTable;
use hashbrown::hash_table;

/// A text that may be put into a table.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    /// To be copied.
    Copied(&'a str),
    /// Lives for ever; the reference is kept.
    Static(&'static str),
}

impl<'a> Source<'a> {
    pub(crate) const fn text(self) -> &'a str {
        match self {
            Self::Copied(text) | Self::Static(text) => text,
        }
    }

    /// How many bytes the arena will take.
    pub(crate) const fn copied_len(self) -> usize {
        match self {
            Self::Copied(text) => text.len(),
            Self::Static(_) => 0,
        }
    }
}

/// Where the text of an entry is.
#[derive(Clone, Copy)]
enum Place {
    Static(&'static str),
    Copied(Span),
}

/// One stored text: 24 bytes on 64-bit machines.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) hash: u64,
    place: Place,
}

impl Entry {
    pub(crate) const fn id(&self) -> Symbol {
        Symbol::from_hash(self.hash)
    }

    pub(crate) const fn len(&self) -> usize {
        match self.place {
            Place::Static(text) => text.len(),
            Place::Copied(span) => span.len(),
        }
    }
}

/// Spreads an id over the 64 bits that the hash table looks at: bucket from the low end, tag from
/// the top seven.
///
/// An id has 50 bits, so used as it is it would leave all tags equal; and whoever picks names can
/// fix its low bits. A 64×64 multiplication folded onto itself makes both ends depend on every bit.
#[inline]
const fn bucket(id: Symbol, seed: u64) -> u64 {
    let product = (id.get() ^ seed) as u128 * 0x9E37_79B9_7F4A_7C15_u128;
    (product >> 64) as u64 ^ product as u64
}

#[derive(Clone)]
pub(crate) struct Table {
    index: HashTable<Entry>,
    arena: Arena,
    seed: u64,
}

impl Table {
    pub(crate) const fn new(seed: u64) -> Self {
        Self { index: HashTable::new(), arena: Arena::new(), seed }
    }

    pub(crate) const fn seed(&self) -> u64 {
        self.seed
    }

    pub(crate) fn len(&self) -> usize {
        self.index.len()
    }

    pub(crate) const fn bytes(&self) -> usize {
        self.arena.used()
    }

    #[inline]
    pub(crate) fn find(&self, id: Symbol) -> Option<&Entry> {
        self.index.find(bucket(id, self.seed), |entry| entry.id() == id)
    }

    pub(crate) fn text(&self, entry: &Entry) -> &str {
        match entry.place {
            Place::Static(text) => text,
            Place::Copied(span) => self.arena.get(span),
        }
    }

    /// The text of an entry, in the form in which another table would take it.
    pub(crate) fn source(&self, entry: &Entry) -> Source<'_> {
        match entry.place {
            Place::Static(text) => Source::Static(text),
            Place::Copied(span) => Source::Copied(self.arena.get(span)),
        }
    }

    /// Makes room for `additional` entries, or does nothing if memory is short.
    pub(crate) fn reserve_hint(&mut self, additional: usize) {
        let seed = self.seed;
        // Only saves rehashing; `try_insert` reserves for itself and reports.
        let _ = self.index.try_reserve(additional, |entry| bucket(entry.id(), seed));
    }

    /// Adds an entry whose id is not in the table. On `Err` the contents have not changed.
    pub(crate) fn try_insert(&mut self, hash: u64, source: Source<'_>) -> Result<(), NoMemory> {
        let seed = self.seed;
        let id = Symbol::from_hash(hash);
        debug_assert!(self.find(id).is_none());
        self.index.try_reserve(1, |entry| bucket(entry.id(), seed)).map_err(|_| NoMemory)?;
        let entry = Entry { hash, place: self.try_place(source)? };
        // The room is there: nothing below can fail.
        self.index.insert_unique(bucket(id, seed), entry, |entry| bucket(entry.id(), seed));
        Ok(())
    }

    /// Adds a text to `list` and not to the index. On `Err` nothing has changed.
    pub(crate) fn try_list(
        &mut self,
        list: &mut Vec<Entry>,
        hash: u64,
        source: Source<'_>,
    ) -> Result<(), NoMemory> {
        list.try_reserve(1).map_err(|_| NoMemory)?;
        list.push(Entry { hash, place: self.try_place(source)? });
        Ok(())
    }

    fn try_place(&mut self, source: Source<'_>) -> Result<Place, NoMemory> {
        Ok(match source {
            Source::Static(text) => Place::Static(text),
            // The arena does not hold empty texts.
            Source::Copied("") => Place::Static(""),
            Source::Copied(text) => Place::Copied(self.arena.try_push(text)?),
        })
    }

    pub(crate) fn entries(&self) -> hash_table::Iter<'_, Entry> {
        self.index.iter()
    }

    pub(crate) fn into_parts(self) -> (hash_table::IntoIter<Entry>, Texts) {
        (self.index.into_iter(), Texts(self.arena))
    }
}

/// The texts of a table that has been taken apart.
#[derive(Clone)]
pub(crate) struct Texts(Arena);

impl Texts {
    pub(crate) fn text(&self, entry: &Entry) -> &str {
        match entry.place {
            Place::Static(text) => text,
            Place::Copied(span) => self.0.get(span),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Source, Symbol, Table, bucket};
    use core::cell::Cell;
    use std::collections::HashSet;

    /// A name and a function from the counting numbers to ids.
    type Family = (&'static str, fn(u64) -> Symbol);

    /// Ids as an adversary would choose them, beside ordinary ones.
    fn families() -> [Family; 6] {
        [
            ("ordinary", |i| Symbol::of_bytes(&i.to_le_bytes())),
            ("counting", Symbol::from_hash),
            ("low 16 bits zero", |i| Symbol::from_hash((i << 16).wrapping_sub(1))),
            ("low 20 bits one", |i| Symbol::from_hash(i << 20 | 0xF_FFFE)),
            ("low 36 bits zero", |i| Symbol::from_hash((i << 36).wrapping_sub(1))),
            ("from the top", |i| Symbol::from_hash(u64::MAX - i)),
        ]
    }

    #[test]
    #[cfg_attr(miri, ignore = "pure arithmetic on many values")]
    fn tags_spread() {
        for (name, family) in families() {
            for seed in [0, 1, 0x0123_4567_89AB_CDEF] {
                let tags: HashSet<u64> =
                    (0..10_000).map(|i| bucket(family(i), seed) >> 57).collect();
                assert!(tags.len() >= 120, "{name}, seed {seed}: {} tags of 128", tags.len());
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "pure arithmetic on many values")]
    fn buckets_spread() {
        for (name, family) in families() {
            let mut load = std::vec![0_u32; 1 << 12];
            for i in 0..1 << 14 {
                load[(bucket(family(i), 0) & 0xFFF) as usize] += 1;
            }
            // Four a bucket on average; a random spread stays below 17 with room to spare.
            let worst = load.iter().max().unwrap();
            assert!(*worst <= 20, "{name}: {worst} in one bucket");
        }
    }

    /// Counts what a lookup compares: with equal tags it would be thousands.
    #[test]
    fn lookups_compare_few_entries() {
        let n = if cfg!(miri) { 100 } else { 10_000 };
        for (name, family) in families() {
            let mut table = Table::new(0);
            for i in 0..n {
                let hash = family(i).to_packed50();
                if table.find(Symbol::from_hash(hash)).is_none() {
                    table.try_insert(hash, Source::Static("x")).unwrap();
                }
            }
            let compared = Cell::new(0_u64);
            for i in 0..n {
                let id = family(i);
                let found = table.index.find(bucket(id, 0), |entry| {
                    compared.set(compared.get() + 1);
                    entry.id() == id
                });
                assert!(found.is_some());
            }
            assert!(compared.get() <= 2 * n, "{name}: {} compared", compared.get());
        }
    }

    #[test]
    fn extreme_hashes_have_a_place() {
        let mut table = Table::new(0);
        for hash in [0, u64::MAX, 1, 1 << 49, 0xFFFF, 0xFFFF_0000] {
            table.try_insert(hash, Source::Copied("text")).unwrap();
            assert_eq!(table.find(Symbol::from_hash(hash)).unwrap().hash, hash);
        }
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn an_entry_is_small() {
        assert_eq!(size_of::<super::Entry>(), 24);
    }
}
