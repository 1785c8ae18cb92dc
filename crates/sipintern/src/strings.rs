//! The union of many interners, for whoever reads them out.

use crate::{Collision, Interner, Limits, Symbol};
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::alloc::Layout;
use core::fmt;

/// The texts of many interners, each once, by ascending id.
///
/// The same interners give the same `Strings` in whatever order they are added, collisions included:
/// an id with several texts resolves to the one that sorts first by bytes, and the others are
/// collisions. (An [`Interner`] keeps the text that came first instead; it cannot know what will
/// come, and what it has answered must stay true.) The one exception is collisions that an
/// interner counted and did not list.
///
/// Interners can be added one by one, so each needs to be locked only while it is added. Memory is
/// allocated in the ordinary way: a failing allocator aborts.
///
/// ```
/// use sipintern::{Interner, Strings, symbol};
///
/// let (one, two) = (Interner::new(), Interner::new());
/// ["pool", "pexlag"].iter().for_each(|text| _ = one.intern(text));
/// ["pool", "pdgtib"].iter().for_each(|text| _ = two.intern(text));
///
/// let mut all = Strings::new();
/// all.add(&one);
/// all.add(&two);
/// assert_eq!(all.len(), 2);
/// assert_eq!(all.get(symbol!("pool")), Some("pool"));
/// assert_eq!(all.get(symbol!("pexlag")), Some("pdgtib")); // they share an id
/// assert_eq!(all.collisions().next().unwrap().other, "pexlag");
/// ```
#[derive(Clone)]
pub struct Strings {
    table: Interner,
    /// All texts of the ids that have several, by id and then text.
    clashes: BTreeSet<(Symbol, String)>,
    unlisted: u64,
    dropped: u64,
}

impl Strings {
    syncface::maybe_const! {
    /// No texts. Allocates nothing.
    ///
    /// ```
    /// assert!(sipintern::Strings::new().is_empty());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        let table = Interner::with_limits(Limits::NONE);
        Self { table, clashes: BTreeSet::new(), unlisted: 0, dropped: 0 }
    }
    }

    /// Adds the texts and listed collisions of `shard`. Adding it again adds no text.
    ///
    /// Cost: as a [`merge`](Interner::merge), so in proportion to the texts of `shard`, however many
    /// there are already.
    ///
    /// ```
    /// use sipintern::{Interner, Strings};
    /// let shard = Interner::new();
    /// shard.intern("pool");
    /// let mut all = Strings::new();
    /// all.add(&shard);
    /// all.add(&shard);
    /// assert_eq!(all.len(), 1);
    /// ```
    pub fn add(&mut self, shard: &Interner) {
        let listed = shard.collision_pairs();
        let unlisted = shard.collisions().saturating_sub(listed.len() as u64);
        self.unlisted = self.unlisted.saturating_add(unlisted);
        let report = self.table.merge(shard);
        if report.out_of_memory > 0 {
            alloc::alloc::handle_alloc_error(Layout::new::<Self>());
        }
        let dropped = shard.dropped().saturating_add(report.full as u64);
        self.dropped = self.dropped.saturating_add(dropped);
        if report.collided == 0 {
            return;
        }
        for (id, text) in shard.iter().chain(listed.map(|pair| (pair.id, pair.other))) {
            if let Some(kept) = self.table.resolve(id).filter(|kept| *kept != text) {
                self.clashes.insert((id, kept.into()));
                self.clashes.insert((id, text.into()));
            }
        }
    }

    /// The text of an id that has several.
    fn first_clash(&self, id: Symbol) -> Option<&str> {
        let (of, text) = self.clashes.range((id, String::new())..).next()?;
        (*of == id).then_some(text)
    }

    /// The text of `id`, or `None`. Cost: as [`Interner::resolve`].
    ///
    /// ```
    /// use sipintern::{Strings, symbol};
    /// assert_eq!(Strings::new().get(symbol!("pool")), None);
    /// ```
    #[must_use]
    pub fn get(&self, id: Symbol) -> Option<&str> {
        self.first_clash(id).or_else(|| self.table.resolve(id))
    }

    /// How many ids have a text.
    ///
    /// ```
    /// assert_eq!(sipintern::Strings::new().len(), 0);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there is no text.
    ///
    /// ```
    /// assert!(sipintern::merged([]).is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Ids and texts by ascending id, each id once. Sorts them when called, in a list of its own.
    ///
    /// ```
    /// use sipintern::{Interner, merged};
    /// let shard = Interner::new();
    /// ["conv2d", "pool", ""].iter().for_each(|text| _ = shard.intern(text));
    /// let all = merged([&shard]);
    /// assert!(all.iter().map(|(id, _)| id).is_sorted());
    /// assert_eq!(all.iter().count(), 3);
    /// ```
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Symbol, &str)> {
        let all = self.table.sorted().into_iter();
        all.map(|(id, text)| (id, self.first_clash(id).unwrap_or(text)))
    }

    /// Texts whose id resolves to another text, by ascending id and then text.
    ///
    /// ```
    /// use sipintern::{Interner, merged};
    /// let (one, two) = (Interner::new(), Interner::new());
    /// one.intern("pdgtib");
    /// two.intern("pexlag");
    /// let pairs: Vec<_> = merged([&two, &one]).collisions().map(|pair| pair.to_string()).collect();
    /// assert_eq!(pairs, [r#"0x06b1b877bec41 means "pdgtib", but "pexlag" has it too"#]);
    /// ```
    pub fn collisions(&self) -> impl Iterator<Item = Collision<'_>> {
        self.clashes.iter().filter_map(|(id, other)| {
            let kept = self.first_clash(*id)?;
            (kept != other).then_some(Collision { id: *id, kept, other })
        })
    }

    /// How many collisions the interners counted and did not list, summed over all additions.
    ///
    /// ```
    /// assert_eq!(sipintern::Strings::new().unlisted_collisions(), 0);
    /// ```
    #[must_use]
    pub const fn unlisted_collisions(&self) -> u64 {
        self.unlisted
    }

    /// How often the interners did not store a text ([`Interner::dropped`]), summed over all
    /// additions, and how many texts found no room here, where all together have 4 GiB.
    ///
    /// ```
    /// use sipintern::{Interner, Limits, merged};
    /// let shard = Interner::with_limits(Limits { max_entries: 0, ..Limits::DEFAULT });
    /// shard.intern("pool");
    /// assert_eq!(merged([&shard]).dropped(), 1);
    /// ```
    #[must_use]
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }
}

/// The union of some interners, see [`Strings`].
///
/// ```
/// use sipintern::{Interner, merged, symbol};
/// let shards = [Interner::new(), Interner::new()];
/// shards[0].intern("conv2d");
/// shards[1].intern("pool");
/// assert_eq!(merged(&shards).get(symbol!("pool")), Some("pool"));
/// ```
#[must_use]
pub fn merged<'a>(shards: impl IntoIterator<Item = &'a Interner>) -> Strings {
    let mut all = Strings::new();
    for shard in shards {
        all.add(shard);
    }
    all
}

/// The union of some interners without a table: every different pair of an id and a text once, by
/// ascending id and then text, listed collisions included. Texts with one id follow each other.
///
/// Copies no text; allocates, in the ordinary way, one list of all pairs, and sorts it.
///
/// ```
/// use sipintern::{Interner, symbol, union};
/// let (one, two) = (Interner::new(), Interner::new());
/// ["pool", "pexlag"].iter().for_each(|text| _ = one.intern(text));
/// ["pool", "pdgtib"].iter().for_each(|text| _ = two.intern(text));
/// let texts: Vec<&str> = union([&one, &two]).map(|(_, text)| text).collect();
/// assert_eq!(texts, ["pdgtib", "pexlag", "pool"]); // the first two share an id
/// ```
pub fn union<'a>(
    shards: impl IntoIterator<Item = &'a Interner>,
) -> impl ExactSizeIterator<Item = (Symbol, &'a str)> {
    let mut all = Vec::new();
    for shard in shards {
        let listed = shard.collision_pairs().map(|pair| (pair.id, pair.other));
        all.extend(shard.iter().chain(listed));
    }
    // By id alone, because nearly all neighbours with one id have one text, too.
    all.sort_unstable_by_key(|&(id, _)| id);
    for same_id in all.chunk_by_mut(|one, two| one.0 == two.0) {
        if same_id.iter().any(|pair| pair.1 != same_id[0].1) {
            same_id.sort_unstable();
        }
    }
    all.dedup();
    all.into_iter()
}

impl Default for Strings {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Strings {
    /// All ids and texts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
