//! The table with limits and counters.

mod store;
#[cfg(test)]
mod tests;

use store::Pairs;

use crate::iter::{IntoIter, Iter};
use crate::limits::{Limits, MergeReport};
use crate::sip13::hash_of;
use crate::table::{Entry, Source, Table};
use crate::{Collision, IdMismatch, Interned, Outcome, Symbol};
use alloc::vec::Vec;
use core::fmt;

/// A table from ids to texts.
///
/// - A text once stored stays, unchanged, until [`clear`](Self::clear): [`resolve`](Self::resolve)
///   never changes its answer from one text to another.
/// - Every method that takes a text gives its id, whatever happens to the text.
/// - A failed allocation is an [`Outcome`]; the contents are as before. Nothing here panics on any
///   input.
/// - Cloning copies the texts: the clone shares nothing with the original.
///
/// Reading takes `&self` and writing `&mut self`, so a shared table wants a readers-writer lock:
/// look the name up under the read lock, and intern it under the write lock if it is missing.
///
/// ```
/// use sipintern::{Interner, Outcome, symbol};
///
/// let mut names = Interner::new();
/// let answer = names.intern("conv2d");
/// assert_eq!(answer.id, symbol!("conv2d"));
/// assert_eq!(answer.outcome, Outcome::New);
/// assert_eq!(names.resolve(answer.id), Some("conv2d"));
/// ```
#[derive(Clone)]
pub struct Interner {
    table: Table,
    limits: Limits,
    /// Texts that lost their id to another one; at most `MAX_LISTED`, without duplicates.
    listed: Vec<Entry>,
    collisions: u64,
    dropped: u64,
}

impl Interner {
    /// An empty table with [`Limits::DEFAULT`]. Allocates nothing.
    ///
    /// ```
    /// use sipintern::Interner;
    /// use std::sync::RwLock;
    /// static NAMES: RwLock<Interner> = RwLock::new(Interner::new());
    /// assert!(NAMES.read().unwrap().is_empty());
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self::with_limits(Limits::DEFAULT)
    }

    /// An empty table with these limits. Allocates nothing.
    ///
    /// ```
    /// use sipintern::{Cap, Interner, Limits, Outcome, symbol};
    /// let mut names = Interner::with_limits(Limits { max_entries: 1, ..Limits::DEFAULT });
    /// names.intern("first");
    /// let answer = names.intern("second");
    /// assert_eq!(answer.id, symbol!("second"));
    /// assert_eq!(answer.outcome, Outcome::Full { cap: Cap::Entries, needed: 2, limit: 1 });
    /// assert_eq!(names.dropped(), 1);
    /// ```
    #[must_use]
    pub const fn with_limits(limits: Limits) -> Self {
        Self::with_seed(limits, 0)
    }

    /// An empty table with these limits whose buckets are chosen by `seed`. Allocates nothing.
    ///
    /// With the usual seed 0, memory use is reproducible, and somebody who searches long enough can
    /// find names that share a bucket. A seed they do not know prevents that. It changes neither
    /// ids nor contents, only the order of [`iter`](Self::iter).
    ///
    /// ```
    /// use sipintern::{Interner, Limits, symbol};
    /// let mut names = Interner::with_seed(Limits::DEFAULT, 0x5EED);
    /// assert_eq!(names.intern("conv2d").id, symbol!("conv2d"));
    /// ```
    #[must_use]
    pub const fn with_seed(limits: Limits, seed: u64) -> Self {
        const fn at_most_u32(limit: usize) -> usize {
            if limit > u32::MAX as usize { u32::MAX as usize } else { limit }
        }
        let limits = Limits {
            max_entries: limits.max_entries,
            max_bytes: at_most_u32(limits.max_bytes),
            max_len: at_most_u32(limits.max_len),
        };
        Self { table: Table::new(seed), limits, listed: Vec::new(), collisions: 0, dropped: 0 }
    }

    /// Stores a copy of `text` unless it is there, and gives its id.
    ///
    /// Compares the text itself with what is stored, so `Known` and `Collision` are exact.
    /// Cost: one hash and one lookup; for a new text also the copy, and now and then an allocation
    /// or a rehash of the whole table.
    ///
    /// ```
    /// use sipintern::{Interner, Outcome};
    /// let mut names = Interner::new();
    /// // Two real names with one id: the first is kept.
    /// let first = names.intern("pdgtib");
    /// let second = names.intern("pexlag");
    /// assert_eq!(first.id, second.id);
    /// assert_eq!(second.outcome, Outcome::Collision);
    /// assert_eq!(names.resolve(second.id), Some("pdgtib"));
    /// ```
    pub fn intern(&mut self, text: &str) -> Interned {
        self.store(hash_of(text.as_bytes()), Source::Copied(text))
    }

    /// Like [`intern`](Self::intern), but keeps the reference instead of a copy: costs no bytes of
    /// [`Limits::max_bytes`].
    ///
    /// The text must outlive the table, as the type says. A literal in a library that may be
    /// unloaded does not; give such texts to [`intern`](Self::intern).
    ///
    /// ```
    /// let mut names = sipintern::Interner::new();
    /// let text: &'static str = "conv2d";
    /// let id = names.intern_static(text).id;
    /// assert!(core::ptr::eq(names.resolve(id).unwrap(), text));
    /// assert_eq!(names.bytes(), 0);
    /// ```
    pub fn intern_static(&mut self, text: &'static str) -> Interned {
        self.store(hash_of(text.as_bytes()), Source::Static(text))
    }

    /// Stores a text that comes with its id, for example from a file or another process.
    ///
    /// # Errors
    /// [`IdMismatch`] if `id` is not the id of `text`. Nothing is stored or counted then.
    ///
    /// ```
    /// use sipintern::{Interner, Outcome, symbol};
    /// let mut names = Interner::new();
    /// assert_eq!(names.register(symbol!("pool"), "pool"), Ok(Outcome::New));
    /// let error = names.register(symbol!("pool"), "conv2d").unwrap_err();
    /// assert_eq!(error.actual, symbol!("conv2d"));
    /// assert_eq!(names.len(), 1);
    /// ```
    pub fn register(&mut self, id: Symbol, text: &str) -> Result<Outcome, IdMismatch> {
        let hash = hash_of(text.as_bytes());
        let actual = Symbol::from_hash(hash);
        if id != actual {
            return Err(IdMismatch { given: id, actual });
        }
        Ok(self.store(hash, Source::Copied(text)).outcome)
    }

    /// The id of `text` if it is stored here.
    ///
    /// Compares the full 64-bit hash and the length, not the text. The id, which depends on the hash
    /// alone, is right even so. What the shortcut can get wrong is the claim that this very text is
    /// stored: another text of equal length with an equal 64-bit hash would be taken for it. Chance
    /// does that to one pair of names in 2^64; somebody willing to compute some 2^32 hashes can do
    /// it on purpose. [`intern`](Self::intern) and [`merge`](Self::merge) do compare texts.
    ///
    /// ```
    /// use sipintern::{Interner, symbol};
    /// let mut names = Interner::new();
    /// names.intern("pdgtib");
    /// assert_eq!(names.lookup("pdgtib"), Some(symbol!("pdgtib")));
    /// assert_eq!(names.lookup("pexlag"), None); // the same id, but not stored
    /// ```
    #[must_use]
    #[inline]
    pub fn lookup(&self, text: &str) -> Option<Symbol> {
        let hash = hash_of(text.as_bytes());
        let id = Symbol::from_hash(hash);
        let entry = self.table.find(id)?;
        (entry.hash == hash && entry.len() == text.len()).then_some(id)
    }

    /// Whether `text` is stored here, by the comparison of [`lookup`](Self::lookup).
    ///
    /// ```
    /// let mut names = sipintern::Interner::new();
    /// assert!(!names.contains(""));
    /// names.intern("");
    /// assert!(names.contains(""));
    /// ```
    #[must_use]
    pub fn contains(&self, text: &str) -> bool {
        self.lookup(text).is_some()
    }

    /// The text stored under `id`, or `None` if there is none. Never panics, whatever table the id
    /// came from. Cost: one lookup and a binary search over the blocks of text.
    ///
    /// ```
    /// use sipintern::{Interner, Symbol, symbol};
    /// let mut names = Interner::new();
    /// names.intern("pool");
    /// assert_eq!(names.resolve(symbol!("pool")), Some("pool"));
    /// assert_eq!(names.resolve(Symbol::MAX), None);
    /// ```
    #[must_use]
    pub fn resolve(&self, id: Symbol) -> Option<&str> {
        self.table.find(id).map(|entry| self.table.text(entry))
    }

    /// How many texts are stored. Collided and dropped ones are not.
    ///
    /// ```
    /// let mut names = sipintern::Interner::new();
    /// names.intern("pool");
    /// names.intern("pool");
    /// assert_eq!(names.len(), 1);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether no text is stored.
    ///
    /// ```
    /// assert!(sipintern::Interner::new().is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of copied text, listed collisions included; what [`Limits::max_bytes`] limits. The
    /// memory behind it is at most twice as much plus 64 KiB.
    ///
    /// ```
    /// let mut names = sipintern::Interner::new();
    /// names.intern("pool");
    /// names.intern_static("conv2d");
    /// assert_eq!(names.bytes(), 4);
    /// ```
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.table.bytes()
    }

    /// The limits in force.
    ///
    /// ```
    /// use sipintern::{Interner, Limits};
    /// assert_eq!(Interner::new().limits(), Limits::DEFAULT);
    /// ```
    #[must_use]
    pub const fn limits(&self) -> Limits {
        self.limits
    }

    /// How often a text was not stored because of a limit or for want of memory. Counts calls, not
    /// different texts (who is not stored is not remembered); stays at `u64::MAX`.
    ///
    /// ```
    /// use sipintern::{Interner, Limits};
    /// let mut names = Interner::with_limits(Limits { max_len: 3, ..Limits::DEFAULT });
    /// names.intern("pool");
    /// names.intern("pool");
    /// assert_eq!(names.dropped(), 2);
    /// ```
    #[must_use]
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// How many texts lost their id to another one.
    ///
    /// Exact while all of them are in [`collision_pairs`](Self::collision_pairs). One that found no
    /// room there is not remembered and is counted each time it comes; stays at `u64::MAX`.
    ///
    /// ```
    /// let mut names = sipintern::Interner::new();
    /// for text in ["pdgtib", "pexlag", "pexlag"] {
    ///     names.intern(text);
    /// }
    /// assert_eq!(names.collisions(), 1);
    /// ```
    #[must_use]
    pub const fn collisions(&self) -> u64 {
        self.collisions
    }

    /// The texts that lost their id, in the order in which they came; at most
    /// [`MAX_LISTED`](crate::MAX_LISTED), and
    /// only those that the limits on bytes and length and the memory left allowed to keep.
    ///
    /// ```
    /// let mut names = sipintern::Interner::new();
    /// names.intern("pdgtib");
    /// names.intern("pexlag");
    /// let pair = names.collision_pairs().next().unwrap();
    /// assert_eq!((pair.kept, pair.other), ("pdgtib", "pexlag"));
    /// ```
    #[must_use]
    pub fn collision_pairs(
        &self,
    ) -> impl ExactSizeIterator<Item = Collision<'_>> + Clone + fmt::Debug {
        Pairs { interner: self, entries: self.listed.iter() }
    }

    /// Ids and texts in no particular order; see [`sorted`](Self::sorted).
    ///
    /// ```
    /// use sipintern::{Interner, symbol};
    /// let mut names = Interner::new();
    /// names.intern("pool");
    /// assert_eq!(names.iter().next(), Some((symbol!("pool"), "pool")));
    /// ```
    #[must_use]
    pub fn iter(&self) -> Iter<'_> {
        Iter::new(&self.table)
    }

    /// Ids and texts by ascending id: the same list for the same contents, however they came in.
    /// Allocates the list in the ordinary way.
    ///
    /// ```
    /// let (mut one, mut two) = (sipintern::Interner::new(), sipintern::Interner::new());
    /// ["conv2d", "pool"].iter().for_each(|text| _ = one.intern(text));
    /// ["pool", "conv2d"].iter().for_each(|text| _ = two.intern(text));
    /// assert_eq!(one.sorted(), two.sorted());
    /// ```
    #[must_use]
    pub fn sorted(&self) -> Vec<(Symbol, &str)> {
        let mut all: Vec<_> = self.iter().collect();
        all.sort_unstable_by_key(|&(id, _)| id);
        all
    }

    /// Forgets all texts, collisions and counts and frees their memory. Limits and seed stay.
    ///
    /// ```
    /// let mut names = sipintern::Interner::new();
    /// let id = names.intern("pool").id;
    /// names.clear();
    /// assert_eq!(names.resolve(id), None);
    /// ```
    pub fn clear(&mut self) {
        *self = Self::with_seed(self.limits, self.table.seed());
    }

    /// Takes in everything that `other` has: its texts and its listed collisions.
    ///
    /// A text stored by reference there is stored by reference here. Merging the same table twice
    /// changes nothing the second time. Without collisions, and within the limits, the order of
    /// merges does not matter to the contents. When two texts have one id, this table keeps its own,
    /// because nobody who has resolved an id may see its text change, and lists the other;
    /// [`Strings`](crate::Strings) is the union whose texts do not depend on the order either.
    ///
    /// The counters of `other` are not added; what this table itself drops or lists is counted.
    /// Each text is stored or refused on its own, so after a refusal for want of memory a second
    /// merge completes the first.
    ///
    /// ```
    /// use sipintern::{Interner, Limits};
    /// let (mut one, mut two) = (Interner::new(), Interner::new());
    /// one.intern("conv2d");
    /// ["conv2d", "pool"].iter().for_each(|text| _ = two.intern(text));
    /// let report = one.merge(&two);
    /// assert_eq!((report.new, report.known), (1, 1));
    /// assert_eq!(one.sorted(), two.sorted());
    /// ```
    pub fn merge(&mut self, other: &Self) -> MergeReport {
        // Room for all if `other` is the larger one; half of it would be wasted if all are known.
        let target = other.len().min(self.limits.max_entries);
        self.table.reserve_hint(target.saturating_sub(self.len()));
        let mut report = MergeReport::default();
        for entry in other.table.entries().chain(&other.listed) {
            match self.store(entry.hash, other.table.source(entry)).outcome {
                Outcome::New => report.new += 1,
                Outcome::Known => report.known += 1,
                Outcome::Collision => report.collided += 1,
                Outcome::Full { .. } => report.full += 1,
                Outcome::OutOfMemory => report.out_of_memory += 1,
            }
        }
        report
    }
}

impl Default for Interner {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Interner {
    /// Sizes and counts; the texts are in [`Interner::iter`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interner")
            .field("len", &self.len())
            .field("bytes", &self.bytes())
            .field("collisions", &self.collisions)
            .field("dropped", &self.dropped)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl<'a> IntoIterator for &'a Interner {
    type Item = (Symbol, &'a str);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl IntoIterator for Interner {
    type Item = (Symbol, alloc::string::String);
    type IntoIter = IntoIter;

    fn into_iter(self) -> IntoIter {
        IntoIter::new(self.table)
    }
}
