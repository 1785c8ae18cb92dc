//! The table without a heap.

use crate::sip13::hash_of;
use crate::{Cap, Interned, Outcome, Symbol};
use core::fmt;
use heapless::Vec;

#[derive(Clone, Copy)]
struct Entry {
    hash: u64,
    text: &'static str,
}

impl Entry {
    const fn id(&self) -> Symbol {
        Symbol::from_hash(self.hash)
    }
}

/// A table of at most `N` texts that live for ever, for machines without a heap. The ids are those
/// of every other table.
///
/// Entries are sorted by id: looking up costs a binary search, a new text moves the entries behind
/// it. Takes 24 bytes an entry on 64-bit machines and 16 on 32-bit ones.
///
/// ```
/// use sipintern::{FixedInterner, Outcome, symbol};
///
/// let mut names = FixedInterner::<8>::new();
/// assert_eq!(names.intern_static("conv2d").outcome, Outcome::New);
/// assert_eq!(names.resolve(symbol!("conv2d")), Some("conv2d"));
/// ```
#[derive(Clone)]
pub struct FixedInterner<const N: usize> {
    /// By ascending id, which no two share.
    entries: Vec<Entry, N>,
    collisions: u64,
    dropped: u64,
}

impl<const N: usize> FixedInterner<N> {
    /// An empty table.
    ///
    /// ```
    /// use sipintern::FixedInterner;
    /// const EMPTY: FixedInterner<4> = FixedInterner::new();
    /// assert!(EMPTY.is_empty());
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self { entries: Vec::new(), collisions: 0, dropped: 0 }
    }

    /// Stores the reference unless the text is there, and gives its id. Compares the text itself.
    ///
    /// ```
    /// use sipintern::{Cap, FixedInterner, Outcome, symbol};
    /// let mut names = FixedInterner::<1>::new();
    /// names.intern_static("conv2d");
    /// let answer = names.intern_static("pool");
    /// assert_eq!(answer.id, symbol!("pool"));
    /// assert_eq!(answer.outcome, Outcome::Full { cap: Cap::Entries, needed: 2, limit: 1 });
    /// ```
    pub fn intern_static(&mut self, text: &'static str) -> Interned {
        let hash = hash_of(text.as_bytes());
        let id = Symbol::from_hash(hash);
        let outcome = match self.position(id) {
            Ok(at) if self.entries[at].text == text => Outcome::Known,
            Ok(_) => {
                self.collisions = self.collisions.saturating_add(1);
                Outcome::Collision
            }
            Err(at) => match self.entries.insert(at, Entry { hash, text }) {
                Ok(()) => Outcome::New,
                Err(_) => {
                    self.dropped = self.dropped.saturating_add(1);
                    Outcome::Full { cap: Cap::Entries, needed: N.saturating_add(1), limit: N }
                }
            },
        };
        Interned { id, outcome }
    }

    fn position(&self, id: Symbol) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&id, Entry::id)
    }

    /// The text stored under `id`, or `None`.
    ///
    /// ```
    /// use sipintern::{FixedInterner, Symbol};
    /// assert_eq!(FixedInterner::<4>::new().resolve(Symbol::MAX), None);
    /// ```
    #[must_use]
    pub fn resolve(&self, id: Symbol) -> Option<&'static str> {
        self.position(id).ok().map(|at| self.entries[at].text)
    }

    /// The id of `text` if it is stored here. Compares the text itself.
    ///
    /// ```
    /// use sipintern::{FixedInterner, symbol};
    /// let mut names = FixedInterner::<4>::new();
    /// names.intern_static("pdgtib");
    /// assert_eq!(names.lookup("pdgtib"), Some(symbol!("pdgtib")));
    /// assert_eq!(names.lookup("pexlag"), None); // the same id, but not stored
    /// ```
    #[must_use]
    pub fn lookup(&self, text: &str) -> Option<Symbol> {
        let id = Symbol::of(text);
        self.resolve(id).filter(|stored| *stored == text).map(|_| id)
    }

    /// Ids and texts by ascending id.
    ///
    /// ```
    /// let mut names = sipintern::FixedInterner::<4>::new();
    /// ["conv2d", "pool"].iter().for_each(|text| _ = names.intern_static(text));
    /// assert!(names.iter().map(|(id, _)| id).is_sorted());
    /// ```
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Symbol, &'static str)> + Clone + '_ {
        self.entries.iter().map(|entry| (entry.id(), entry.text))
    }

    /// How many texts are stored.
    ///
    /// ```
    /// assert_eq!(sipintern::FixedInterner::<4>::new().len(), 0);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no text is stored.
    ///
    /// ```
    /// assert!(sipintern::FixedInterner::<4>::new().is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many texts fit: `N`.
    ///
    /// ```
    /// assert_eq!(sipintern::FixedInterner::<4>::new().capacity(), 4);
    /// ```
    #[must_use]
    pub const fn capacity(&self) -> usize {
        N
    }

    /// How often a text came whose id belongs to another one. Counts calls, because the losing
    /// text is not remembered; stays at `u64::MAX`.
    ///
    /// ```
    /// let mut names = sipintern::FixedInterner::<4>::new();
    /// ["pdgtib", "pexlag"].iter().for_each(|text| _ = names.intern_static(text));
    /// assert_eq!(names.collisions(), 1);
    /// ```
    #[must_use]
    pub const fn collisions(&self) -> u64 {
        self.collisions
    }

    /// How often a text was not stored because the table was full; stays at `u64::MAX`.
    ///
    /// ```
    /// let mut names = sipintern::FixedInterner::<0>::new();
    /// names.intern_static("pool");
    /// assert_eq!(names.dropped(), 1);
    /// ```
    #[must_use]
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Forgets all texts and counts.
    ///
    /// ```
    /// let mut names = sipintern::FixedInterner::<4>::new();
    /// names.intern_static("pool");
    /// names.clear();
    /// assert!(names.is_empty());
    /// ```
    pub fn clear(&mut self) {
        *self = Self::new();
    }
}

impl<const N: usize> Default for FixedInterner<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> fmt::Debug for FixedInterner<N> {
    /// All ids and texts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
