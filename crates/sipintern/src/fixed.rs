//! The table without a heap.

use crate::sip13::hash_of;
use crate::{Cap, Interned, Outcome, Symbol};
use core::fmt;
use heapless::{String, Vec};

#[derive(Clone, Copy)]
struct Entry {
    hash: u64,
    text: Text,
}

/// As large as a reference: what is copied has small numbers.
#[derive(Clone, Copy)]
enum Text {
    Static(&'static str),
    /// In the table's own bytes.
    Copied {
        start: u16,
        len: u16,
    },
}

impl Text {
    const fn forever(self) -> Option<&'static str> {
        match self {
            Text::Static(text) => Some(text),
            Text::Copied { .. } => None,
        }
    }
}

impl Entry {
    const fn id(&self) -> Symbol {
        Symbol::from_hash(self.hash)
    }
}

/// A table of at most `N` texts, for machines without a heap: of texts that live for ever, and of up to
/// `BYTES` bytes of copies of others. The ids are those of every other table.
///
/// Entries are sorted by id: looking up costs a binary search, a new text moves the entries behind
/// it. Takes 24 bytes an entry on 64-bit machines and 16 on 32-bit ones, and `BYTES`, of which there
/// can be at most 65,535: more does not compile.
///
/// ```
/// use sipintern::{FixedInterner, Outcome, symbol};
///
/// let mut names = FixedInterner::<8, 64>::new();
/// assert_eq!(names.intern_static("conv2d").outcome, Outcome::New);
/// let read_from_a_wire = String::from("pool");
/// assert_eq!(names.intern(&read_from_a_wire).outcome, Outcome::New);
/// assert_eq!(names.resolve(symbol!("conv2d")), Some("conv2d"));
/// assert_eq!(names.resolve(symbol!("pool")), Some("pool"));
/// ```
/// ```compile_fail
/// let names = sipintern::FixedInterner::<8, 65_536>::new();
/// ```
#[derive(Clone)]
pub struct FixedInterner<const N: usize, const BYTES: usize = 0> {
    /// By ascending id, which no two share.
    entries: Vec<Entry, N>,
    copied: String<BYTES>,
    collisions: u64,
    dropped: u64,
}

impl<const N: usize, const BYTES: usize> FixedInterner<N, BYTES> {
    /// Refused at compile time: a text's place must fit its entry.
    const FITS: () = assert!(BYTES <= u16::MAX as usize, "at most 65,535 bytes of copies");

    /// An empty table.
    ///
    /// ```
    /// use sipintern::FixedInterner;
    /// const EMPTY: FixedInterner<4> = FixedInterner::new();
    /// assert!(EMPTY.is_empty());
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        let () = Self::FITS;
        Self { entries: Vec::new(), copied: String::new(), collisions: 0, dropped: 0 }
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
        self.store(text, |_| Ok(Text::Static(text)))
    }

    /// Copies the text unless it is there, and gives its id. Compares the text itself.
    ///
    /// ```
    /// use sipintern::{Cap, FixedInterner, Outcome};
    /// let mut names = FixedInterner::<9, 8>::new();
    /// assert_eq!(names.intern("conv2d").outcome, Outcome::New);
    /// assert_eq!(names.intern("conv2d").outcome, Outcome::Known);
    /// let full = Outcome::Full { cap: Cap::Bytes, needed: 10, limit: 8 };
    /// assert_eq!(names.intern("pool").outcome, full);
    /// assert_eq!(names.dropped(), 1);
    /// ```
    pub fn intern(&mut self, text: &str) -> Interned {
        self.store(text, |copied| {
            let (start, needed) = (copied.len(), copied.len().saturating_add(text.len()));
            let full = Outcome::Full { cap: Cap::Bytes, needed, limit: BYTES };
            copied.push_str(text).map_err(|_| full)?;
            // Both fit: see `FITS`.
            Ok(Text::Copied { start: start as u16, len: text.len() as u16 })
        })
    }

    fn store(
        &mut self,
        text: &str,
        keep: impl FnOnce(&mut String<BYTES>) -> Result<Text, Outcome>,
    ) -> Interned {
        let hash = hash_of(text.as_bytes());
        let id = Symbol::from_hash(hash);
        let outcome = match self.position(id) {
            Ok(at) if self.text(&self.entries[at]) == text => Outcome::Known,
            Ok(_) => {
                self.collisions = self.collisions.saturating_add(1);
                Outcome::Collision
            }
            Err(_) if self.entries.is_full() => {
                Outcome::Full { cap: Cap::Entries, needed: N.saturating_add(1), limit: N }
            }
            Err(at) => match keep(&mut self.copied) {
                // There is room: it was just looked for.
                Ok(text) => self.entries.insert(at, Entry { hash, text }).map_or_else(
                    |_| Outcome::Full { cap: Cap::Entries, needed: N, limit: N },
                    |()| Outcome::New,
                ),
                Err(full) => full,
            },
        };
        if let Outcome::Full { .. } = outcome {
            self.dropped = self.dropped.saturating_add(1);
        }
        Interned { id, outcome }
    }

    fn text(&self, entry: &Entry) -> &str {
        match entry.text {
            Text::Static(text) => text,
            Text::Copied { start, len } => {
                let (start, len) = (usize::from(start), usize::from(len));
                // Always there: it was put there whole, and nothing shrinks but by `clear`.
                self.copied.get(start..start + len).unwrap_or_default()
            }
        }
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
    pub fn resolve(&self, id: Symbol) -> Option<&str> {
        self.position(id).ok().map(|at| self.text(&self.entries[at]))
    }

    /// The text stored under `id` if it was stored by reference: it outlives the table.
    ///
    /// ```
    /// let mut names = sipintern::FixedInterner::<4, 16>::new();
    /// let (here, copied) = (names.intern_static("pool").id, names.intern("conv2d").id);
    /// let texts = (names.resolve_static(here), names.resolve_static(copied));
    /// drop(names);
    /// assert_eq!(texts, (Some("pool"), None));
    /// ```
    #[must_use]
    pub fn resolve_static(&self, id: Symbol) -> Option<&'static str> {
        let at = self.position(id).ok()?;
        self.entries[at].text.forever()
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
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Symbol, &str)> + Clone + '_ {
        self.entries.iter().map(|entry| (entry.id(), self.text(entry)))
    }

    /// [`iter`](Self::iter), of the texts that were stored by reference.
    ///
    /// ```
    /// let mut names = sipintern::FixedInterner::<4, 16>::new();
    /// names.intern("conv2d");
    /// names.intern_static("pool");
    /// assert_eq!(names.iter_static().map(|(_, text)| text).collect::<Vec<_>>(), ["pool"]);
    /// ```
    pub fn iter_static(&self) -> impl Iterator<Item = (Symbol, &'static str)> + Clone + '_ {
        self.entries.iter().filter_map(|entry| Some((entry.id(), entry.text.forever()?)))
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

    /// How often a text was not stored because the table was full, of entries or of bytes; stays at `u64::MAX`.
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

impl<const N: usize, const BYTES: usize> Default for FixedInterner<N, BYTES> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize, const BYTES: usize> fmt::Debug for FixedInterner<N, BYTES> {
    /// All ids and texts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
