//! The table with limits and counters.

mod store;
#[cfg(test)]
mod tests;

pub(crate) use store::May;
use store::Pairs;

use crate::arena::{Arena, Place};
use crate::index::{Current, Gap};
use crate::iter::{IntoIter, Iter};
use crate::limits::{Limits, MergeReport};
use crate::listed::List;
use crate::lock::Lock;
use crate::order;
use crate::record::{Source, same};
use crate::{Collision, IdMismatch, Interned, Outcome, Symbol};
use alloc::vec::Vec;
use core::fmt;
use syncface::CachePadded;
use syncface::atomic::AtomicUsize;

/// A table from ids to texts.
///
/// - A text once stored stays, unchanged, until [`clear`](Self::clear): [`resolve`](Self::resolve)
///   never changes its answer from one text to another.
/// - Every method that takes a text gives its id, whatever happens to the text.
/// - A failed allocation is an [`Outcome`]; the contents are as before. Nothing here panics on any
///   input.
/// - Cloning copies the texts: the clone shares nothing with the original.
///
/// Any number of threads may use one table through `&self`. Who interns or looks up a text that is
/// there writes nothing and waits for nobody, whatever others insert meanwhile: it is found by a fast
/// hash that is no part of the id, and compared. Threads that insert do so one after the other;
/// [`try_intern`](Self::try_intern) does not wait for them either.
///
/// ```
/// use sipintern::{Interner, Outcome, symbol};
///
/// static NAMES: Interner = Interner::new();
/// let names = &NAMES;
/// let answer = names.intern("conv2d");
/// assert_eq!(answer.id, symbol!("conv2d"));
/// assert_eq!(answer.outcome, Outcome::New);
/// assert_eq!(names.resolve(answer.id), Some("conv2d"));
/// ```
pub struct Interner {
    index: Current,
    arena: Arena,
    /// Texts that lost their id to another one; at most `MAX_LISTED`, without duplicates.
    listed: List,
    limits: Limits,
    seed: u64,
    /// For call sites: a number of this table and its contents since the last clear, or 0 if no site
    /// has asked.
    epoch: AtomicUsize,
    /// What inserts write, away from what a hit reads.
    written: CachePadded<Written>,
}

struct Written {
    lock: Lock,
    count: AtomicUsize,
    collisions: AtomicUsize,
    dropped: AtomicUsize,
}

impl Interner {
    syncface::maybe_const! {
    /// An empty table with [`Limits::DEFAULT`]. Allocates nothing.
    ///
    /// ```
    /// use sipintern::Interner;
    /// static NAMES: Interner = Interner::new();
    /// assert!(NAMES.is_empty());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::with_limits(Limits::DEFAULT)
    }
    }

    syncface::maybe_const! {
    /// An empty table with these limits. Allocates nothing.
    ///
    /// ```
    /// use sipintern::{Cap, Interner, Limits, Outcome, symbol};
    /// let names = Interner::with_limits(Limits { max_entries: 1, ..Limits::DEFAULT });
    /// names.intern("first");
    /// let answer = names.intern("second");
    /// assert_eq!(answer.id, symbol!("second"));
    /// assert_eq!(answer.outcome, Outcome::Full { cap: Cap::Entries, needed: 2, limit: 1 });
    /// assert_eq!(names.dropped(), 1);
    /// ```
    #[must_use]
    pub fn with_limits(limits: Limits) -> Self {
        Self::with_seed(limits, 0)
    }
    }

    syncface::maybe_const! {
    /// An empty table with these limits whose places are chosen by `seed` too. Allocates nothing.
    ///
    /// Where a text is looked for first depends on the seed and on the address of the index, so
    /// that who chooses names cannot aim them at one place unless they know both; a seed of one's
    /// own is for machines where addresses are no secret. Neither changes what can be seen.
    ///
    /// ```
    /// use sipintern::{Interner, Limits, symbol};
    /// let names = Interner::with_seed(Limits::DEFAULT, 0x5EED);
    /// assert_eq!(names.intern("conv2d").id, symbol!("conv2d"));
    /// ```
    #[must_use]
    pub fn with_seed(limits: Limits, seed: u64) -> Self {
        const fn at_most_u32(limit: usize) -> usize {
            if limit > u32::MAX as usize { u32::MAX as usize } else { limit }
        }
        let limits = Limits {
            max_entries: limits.max_entries,
            max_bytes: at_most_u32(limits.max_bytes),
            max_len: at_most_u32(limits.max_len),
        };
        let written = Written {
            lock: Lock::new(),
            count: AtomicUsize::new(0),
            collisions: AtomicUsize::new(0),
            dropped: AtomicUsize::new(0),
        };
        Self {
            index: Current::new(),
            arena: Arena::new(),
            listed: List::new(),
            limits,
            seed,
            epoch: AtomicUsize::new(0),
            written: CachePadded::new(written),
        }
    }
    }

    /// Stores a copy of `text` unless it is there, and gives its id.
    ///
    /// Compares the text itself with what is stored, so `Known` and `Collision` are exact.
    /// Cost of a known text: a fast hash, a lookup, a comparison; no lock. Of a new one: also a
    /// SipHash, the copy, and now and then an allocation or a larger index for the whole table, one
    /// thread at a time.
    ///
    /// ```
    /// use sipintern::{Interner, Outcome};
    /// let names = Interner::new();
    /// // Two real names with one id: the first is kept.
    /// let first = names.intern("pdgtib");
    /// let second = names.intern("pexlag");
    /// assert_eq!(first.id, second.id);
    /// assert_eq!(second.outcome, Outcome::Collision);
    /// assert_eq!(names.resolve(second.id), Some("pdgtib"));
    /// ```
    #[inline]
    pub fn intern(&self, text: &str) -> Interned {
        match self.hit(text) {
            Ok(id) => Interned { id, outcome: Outcome::Known },
            Err(gap) => self.miss(Source::Copied(text), gap, May::WaitAndAllocate),
        }
    }

    /// Like [`intern`](Self::intern), but never waits and never allocates: for signal handlers.
    ///
    /// Where either would be needed (another thread is inserting, or there is no room prepared) the
    /// answer is [`Outcome::Busy`] beside the id, nothing is counted as dropped, and a later attempt
    /// may succeed. A new collision is counted and not listed.
    ///
    /// ```
    /// use sipintern::{Interner, Outcome, symbol};
    /// let names = Interner::new();
    /// let answer = names.try_intern("conv2d");
    /// assert_eq!((answer.id, answer.outcome), (symbol!("conv2d"), Outcome::Busy)); // no memory yet
    /// names.intern("pool");
    /// assert_eq!(names.try_intern("conv2d").outcome, Outcome::New);
    /// ```
    pub fn try_intern(&self, text: &str) -> Interned {
        match self.hit(text) {
            Ok(id) => Interned { id, outcome: Outcome::Known },
            Err(gap) => self.miss(Source::Copied(text), gap, May::Neither),
        }
    }

    #[cold]
    #[inline(never)]
    fn miss<'a>(&'a self, source: Source<'_>, gap: Gap<'a>, may: May) -> Interned {
        self.store(Symbol::of(source.text()), source, gap, may)
    }

    /// Like [`intern`](Self::intern), but keeps the reference instead of a copy: costs no bytes of
    /// [`Limits::max_bytes`].
    ///
    /// The text must outlive the table, as the type says. A literal in a library that may be
    /// unloaded does not; give such texts to [`intern`](Self::intern).
    ///
    /// ```
    /// let names = sipintern::Interner::new();
    /// let text: &'static str = "conv2d";
    /// let id = names.intern_static(text).id;
    /// assert!(core::ptr::eq(names.resolve(id).unwrap(), text));
    /// assert_eq!(names.bytes(), 0);
    /// ```
    #[inline]
    pub fn intern_static(&self, text: &'static str) -> Interned {
        match self.hit(text) {
            Ok(id) => Interned { id, outcome: Outcome::Known },
            Err(gap) => self.miss(Source::Static(text), gap, May::WaitAndAllocate),
        }
    }

    /// Stores a text that comes with its id, for example from a file or another process.
    ///
    /// # Errors
    /// [`IdMismatch`] if `id` is not the id of `text`. Nothing is stored or counted then.
    ///
    /// ```
    /// use sipintern::{Interner, Outcome, symbol};
    /// let names = Interner::new();
    /// assert_eq!(names.register(symbol!("pool"), "pool"), Ok(Outcome::New));
    /// let error = names.register(symbol!("pool"), "conv2d").unwrap_err();
    /// assert_eq!(error.actual, symbol!("conv2d"));
    /// assert_eq!(names.len(), 1);
    /// ```
    pub fn register(&self, id: Symbol, text: &str) -> Result<Outcome, IdMismatch> {
        let answer = self.hit(text);
        let actual = answer.unwrap_or_else(|_| Symbol::of(text));
        if id != actual {
            return Err(IdMismatch { given: id, actual });
        }
        let Err(gap) = answer else { return Ok(Outcome::Known) };
        Ok(self.store(id, Source::Copied(text), gap, May::WaitAndAllocate).outcome)
    }

    /// The id of `text` if it is stored here.
    ///
    /// Compares the text itself. No lock; cost: as a hit of [`intern`](Self::intern) if it is there,
    /// and a SipHash and another lookup if not.
    ///
    /// ```
    /// use sipintern::{Interner, symbol};
    /// let names = Interner::new();
    /// names.intern("pdgtib");
    /// assert_eq!(names.lookup("pdgtib"), Some(symbol!("pdgtib")));
    /// assert_eq!(names.lookup("pexlag"), None); // the same id, but not stored
    /// ```
    #[must_use]
    #[inline]
    pub fn lookup(&self, text: &str) -> Option<Symbol> {
        self.hit(text).ok().or_else(|| self.find_slowly(text))
    }

    #[cold]
    fn find_slowly(&self, text: &str) -> Option<Symbol> {
        let id = Symbol::of(text);
        self.find(id).ok().filter(|record| same(record.text(), text)).map(|_| id)
    }

    /// Whether `text` is stored here, by the comparison of [`lookup`](Self::lookup).
    ///
    /// ```
    /// let names = sipintern::Interner::new();
    /// assert!(!names.contains(""));
    /// names.intern("");
    /// assert!(names.contains(""));
    /// ```
    #[must_use]
    pub fn contains(&self, text: &str) -> bool {
        self.lookup(text).is_some()
    }

    /// The text stored under `id`, or `None` if there is none. Never panics, whatever table the id
    /// came from. No lock; cost: one lookup. The text stays where it is until
    /// [`clear`](Self::clear).
    ///
    /// ```
    /// use sipintern::{Interner, Symbol, symbol};
    /// let names = Interner::new();
    /// names.intern("pool");
    /// assert_eq!(names.resolve(symbol!("pool")), Some("pool"));
    /// assert_eq!(names.resolve(Symbol::MAX), None);
    /// ```
    #[must_use]
    pub fn resolve(&self, id: Symbol) -> Option<&str> {
        self.find(id).ok().map(|record| record.text())
    }

    /// How many texts are stored. Collided and dropped ones are not.
    ///
    /// ```
    /// let names = sipintern::Interner::new();
    /// names.intern("pool");
    /// names.intern("pool");
    /// assert_eq!(names.len(), 1);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.written.count.load(order::count_look())
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

    /// Bytes of copied text, listed collisions included; what [`Limits::max_bytes`] limits.
    ///
    /// The memory taken: a text costs eight bytes more than its own (a long one twelve, one stored by
    /// reference the reference) and is rounded up to a multiple of four; all texts together at most
    /// twice that plus 64 KiB; and the index, the outgrown ones included, 9 to 60 bytes a text (512
    /// bytes at least).
    ///
    /// ```
    /// let names = sipintern::Interner::new();
    /// names.intern("pool");
    /// names.intern_static("conv2d");
    /// assert_eq!(names.bytes(), 4);
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.arena.used()
    }

    /// Whether a thread is inserting at this moment, so that [`try_intern`](Self::try_intern) of a
    /// new text would be refused.
    ///
    /// In a forked child: whether one was, at the fork, that is not there to end it. Such a table is
    /// half written: it must not be asked, merged or dropped, only forgotten.
    ///
    /// ```
    /// assert!(!sipintern::Interner::new().is_busy());
    /// ```
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.written.lock.is_taken()
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
    /// different texts (who is not stored is not remembered); stays at `usize::MAX`.
    ///
    /// ```
    /// use sipintern::{Interner, Limits};
    /// let names = Interner::with_limits(Limits { max_len: 3, ..Limits::DEFAULT });
    /// names.intern("pool");
    /// names.intern("pool");
    /// assert_eq!(names.dropped(), 2);
    /// ```
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.written.dropped.load(order::PLAIN) as u64
    }

    /// How many texts lost their id to another one.
    ///
    /// Exact while all of them are in [`collision_pairs`](Self::collision_pairs). One that found no
    /// room there is not remembered and is counted each time it comes; stays at `usize::MAX`.
    ///
    /// ```
    /// let names = sipintern::Interner::new();
    /// for text in ["pdgtib", "pexlag", "pexlag"] {
    ///     names.intern(text);
    /// }
    /// assert_eq!(names.collisions(), 1);
    /// ```
    #[must_use]
    pub fn collisions(&self) -> u64 {
        self.written.collisions.load(order::PLAIN) as u64
    }

    /// The texts that lost their id, in the order in which they came; at most
    /// [`MAX_LISTED`](crate::MAX_LISTED), and
    /// only those that the limits on bytes and length and the memory left allowed to keep.
    ///
    /// ```
    /// let names = sipintern::Interner::new();
    /// names.intern("pdgtib");
    /// names.intern("pexlag");
    /// let pair = names.collision_pairs().next().unwrap();
    /// assert_eq!((pair.kept, pair.other), ("pdgtib", "pexlag"));
    /// ```
    #[must_use]
    pub fn collision_pairs(
        &self,
    ) -> impl ExactSizeIterator<Item = Collision<'_>> + Clone + fmt::Debug {
        let nodes = self.listed.iter();
        Pairs { interner: self, left: nodes.clone().count(), nodes }
    }

    /// Ids and texts in the order in which they came, without those that come meanwhile; see
    /// [`sorted`](Self::sorted).
    ///
    /// ```
    /// use sipintern::{Interner, symbol};
    /// let names = Interner::new();
    /// names.intern("pool");
    /// assert_eq!(names.iter().next(), Some((symbol!("pool"), "pool")));
    /// ```
    #[must_use]
    pub fn iter(&self) -> Iter<'_> {
        Iter::new(&self.arena, self.len())
    }

    /// Ids and texts by ascending id: the same list for the same contents, however they came in.
    /// Allocates the list in the ordinary way.
    ///
    /// ```
    /// let (one, two) = (sipintern::Interner::new(), sipintern::Interner::new());
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
        *self = Self::with_seed(self.limits, self.seed);
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
    /// let (one, two) = (Interner::new(), Interner::new());
    /// one.intern("conv2d");
    /// ["conv2d", "pool"].iter().for_each(|text| _ = two.intern(text));
    /// let report = one.merge(&two);
    /// assert_eq!((report.new, report.known), (1, 1));
    /// assert_eq!(one.sorted(), two.sorted());
    /// ```
    pub fn merge(&self, other: &Self) -> MergeReport {
        // The list first: whoever is in it has a rival among the texts counted later.
        let listed = other.listed.iter().take(other.listed.iter().count());
        let mut texts = other.iter();
        // Room for all if `other` is the larger one; half of it would be wasted if all are known.
        self.reserve_hint(texts.len().min(self.limits.max_entries));
        let mut report = MergeReport::default();
        let texts = core::iter::from_fn(|| texts.next_record()).map(|r| (r.id, r.source));
        for (id, source) in texts.chain(listed.map(|node| (node.id, node.source()))) {
            match self.store(id, source, Gap::NONE, May::WaitAndAllocate).outcome {
                Outcome::New => report.new += 1,
                Outcome::Known => report.known += 1,
                Outcome::Collision => report.collided += 1,
                Outcome::Full { .. } => report.full += 1,
                // Only those who may not wait are told to come again.
                Outcome::OutOfMemory | Outcome::Busy => report.out_of_memory += 1,
            }
        }
        report
    }

    /// Makes the index large enough for `entries`, or does nothing if memory is short: saves
    /// growing step by step.
    fn reserve_hint(&self, entries: usize) {
        let held = self.written.lock.take();
        let fits =
            |index: &crate::index::Index| index.has_room(entries.saturating_sub(1), Place(0));
        if entries > self.len() && !self.index.get().is_some_and(fits) {
            let place = self.arena.after_last();
            let _ = self.grow(entries, place, &held);
        }
    }

    #[inline]
    pub(crate) fn epoch(&self) -> usize {
        self.epoch.load(order::PLAIN)
    }

    /// The epoch, which begins now if it has not.
    pub(crate) fn begin_epoch(&self) -> usize {
        let _held = self.written.lock.take();
        if self.epoch() == 0 {
            self.epoch.store(crate::site::new_epoch(), order::PLAIN);
        }
        self.epoch()
    }

    pub(crate) const fn arena(&self) -> &Arena {
        &self.arena
    }
}

impl Clone for Interner {
    /// Copies what is there at this moment. Allocates in the ordinary way.
    fn clone(&self) -> Self {
        let clone = Self::with_seed(self.limits, self.seed);
        let (collisions, dropped) = (&self.written.collisions, &self.written.dropped);
        let counts = [collisions, dropped].map(|counter| counter.load(order::PLAIN));
        if clone.merge(self).out_of_memory > 0 {
            alloc::alloc::handle_alloc_error(core::alloc::Layout::new::<Self>());
        }
        clone.written.collisions.store(counts[0], order::PLAIN);
        clone.written.dropped.store(counts[1], order::PLAIN);
        clone
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
            .field("collisions", &self.collisions())
            .field("dropped", &self.dropped())
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
        IntoIter::new(self)
    }
}
