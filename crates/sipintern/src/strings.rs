//! The union of many interners, for whoever reads them out.

use crate::{Collision, Interner, Symbol};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// A row per different (id, text); the text is `buffer[start..start + len]`.
#[derive(Clone, Copy)]
struct Row {
    id: Symbol,
    start: usize,
    len: usize,
}

impl Row {
    fn text(self, buffer: &str) -> &str {
        &buffer[self.start..self.start + self.len]
    }
}

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
/// let (mut one, mut two) = (Interner::new(), Interner::new());
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
#[derive(Clone, Default)]
pub struct Strings {
    buffer: String,
    /// Sorted by id, then text; no two rows are equal.
    rows: Vec<Row>,
    /// Different ids in `rows`.
    ids: usize,
    unlisted: u64,
    dropped: u64,
}

impl Strings {
    /// No texts. Allocates nothing.
    ///
    /// ```
    /// assert!(sipintern::Strings::new().is_empty());
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self { buffer: String::new(), rows: Vec::new(), ids: 0, unlisted: 0, dropped: 0 }
    }

    /// Adds the texts and listed collisions of `shard`. Adding it again adds no text.
    ///
    /// Cost: a binary search for each text, and, if any is new, a merge of two sorted lists.
    ///
    /// ```
    /// use sipintern::{Interner, Strings};
    /// let mut shard = Interner::new();
    /// shard.intern("pool");
    /// let mut all = Strings::new();
    /// all.add(&shard);
    /// all.add(&shard);
    /// assert_eq!(all.len(), 1);
    /// ```
    pub fn add(&mut self, shard: &Interner) {
        let before = self.rows.len();
        let listed = shard.collision_pairs();
        let unlisted = shard.collisions().saturating_sub(listed.len() as u64);
        self.unlisted = self.unlisted.saturating_add(unlisted);
        self.dropped = self.dropped.saturating_add(shard.dropped());
        for (id, text) in shard.iter().chain(listed.map(|pair| (pair.id, pair.other))) {
            let known = self.rows[..before]
                .binary_search_by(|row| (row.id, row.text(&self.buffer)).cmp(&(id, text)))
                .is_ok();
            if !known {
                self.rows.push(Row { id, start: self.buffer.len(), len: text.len() });
                self.buffer.push_str(text);
            }
        }
        if self.rows.len() > before {
            let Self { buffer, rows, .. } = self;
            let order = |a: &Row, b: &Row| (a.id, a.text(buffer)).cmp(&(b.id, b.text(buffer)));
            rows[before..].sort_unstable_by(order);
            // Two sorted runs: the stable sort finds and merges them.
            rows.sort_by(order);
            self.ids = rows.chunk_by(|a, b| a.id == b.id).count();
        }
    }

    /// The text of `id`, or `None`. Cost: a binary search.
    ///
    /// ```
    /// use sipintern::{Strings, symbol};
    /// assert_eq!(Strings::new().get(symbol!("pool")), None);
    /// ```
    #[must_use]
    pub fn get(&self, id: Symbol) -> Option<&str> {
        let at = self.rows.partition_point(|row| row.id < id);
        let row = self.rows.get(at).filter(|row| row.id == id)?;
        Some(row.text(&self.buffer))
    }

    /// How many ids have a text.
    ///
    /// ```
    /// assert_eq!(sipintern::Strings::new().len(), 0);
    /// ```
    #[must_use]
    pub const fn len(&self) -> usize {
        self.ids
    }

    /// Whether there is no text.
    ///
    /// ```
    /// assert!(sipintern::merged([]).is_empty());
    /// ```
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.ids == 0
    }

    /// Ids and texts by ascending id, each id once.
    ///
    /// ```
    /// use sipintern::{Interner, merged};
    /// let mut shard = Interner::new();
    /// ["conv2d", "pool", ""].iter().for_each(|text| _ = shard.intern(text));
    /// let all = merged([&shard]);
    /// assert!(all.iter().map(|(id, _)| id).is_sorted());
    /// assert_eq!(all.iter().count(), 3);
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = (Symbol, &str)> {
        let groups = self.rows.chunk_by(|a, b| a.id == b.id);
        groups.map(|group| (group[0].id, group[0].text(&self.buffer)))
    }

    /// Texts whose id resolves to another text, by ascending id and then text.
    ///
    /// ```
    /// use sipintern::{Interner, merged};
    /// let (mut one, mut two) = (Interner::new(), Interner::new());
    /// one.intern("pdgtib");
    /// two.intern("pexlag");
    /// let pairs: Vec<_> = merged([&two, &one]).collisions().map(|pair| pair.to_string()).collect();
    /// assert_eq!(pairs, [r#"0x06b1b877bec41 means "pdgtib", but "pexlag" has it too"#]);
    /// ```
    pub fn collisions(&self) -> impl Iterator<Item = Collision<'_>> {
        self.rows.chunk_by(|a, b| a.id == b.id).flat_map(move |group| {
            let kept = group[0].text(&self.buffer);
            let others = group[1..].iter();
            others.map(move |row| Collision { id: row.id, kept, other: row.text(&self.buffer) })
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
    /// additions.
    ///
    /// ```
    /// use sipintern::{Interner, Limits, merged};
    /// let mut shard = Interner::with_limits(Limits { max_entries: 0, ..Limits::DEFAULT });
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
/// let mut shards = [Interner::new(), Interner::new()];
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

impl fmt::Debug for Strings {
    /// All ids and texts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
