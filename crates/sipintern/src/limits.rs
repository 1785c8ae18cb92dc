//! What bounds an interner, and the tally of a merge.

/// How many collisions an [`Interner`](crate::Interner) lists; further ones are only counted.
///
/// ```
/// assert_eq!(sipintern::MAX_LISTED, 64);
/// ```
pub const MAX_LISTED: usize = 64;

/// Limits of an [`Interner`](crate::Interner). What would pass one is not stored; its id is valid all the same.
///
/// ```
/// use sipintern::{Interner, Limits};
/// let small = Limits { max_entries: 100, ..Limits::DEFAULT };
/// assert_eq!(Interner::with_limits(small).limits().max_entries, 100);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Texts in the table.
    pub max_entries: usize,
    /// Bytes of all copied texts together, collided ones included; texts stored by reference count
    /// nothing. Values above 2^32 - 1 act as 2^32 - 1.
    pub max_bytes: usize,
    /// Bytes of one text, copied or not. Values above 2^32 - 1 act as 2^32 - 1.
    pub max_len: usize,
}

impl Limits {
    /// 65,536 entries, 4 MiB of text, 64 KiB for one text. A table filled to these limits takes at
    /// most 12 MiB on a 64-bit machine.
    ///
    /// ```
    /// assert_eq!(sipintern::Limits::DEFAULT, sipintern::Limits::default());
    /// ```
    pub const DEFAULT: Self = Self { max_entries: 1 << 16, max_bytes: 4 << 20, max_len: 1 << 16 };

    /// No limit but memory and 4 GiB of text: for a union of tables that have limits themselves.
    ///
    /// ```
    /// use sipintern::{Interner, Limits};
    /// assert_eq!(Interner::with_limits(Limits::NONE).limits().max_entries, usize::MAX);
    /// ```
    pub const NONE: Self =
        Self { max_entries: usize::MAX, max_bytes: usize::MAX, max_len: usize::MAX };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// What a [`merge`](crate::Interner::merge) did with the texts it was given.
///
/// ```
/// use sipintern::{Interner, MergeReport};
/// let report = Interner::new().merge(&Interner::new());
/// assert_eq!(report, MergeReport::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MergeReport {
    /// Texts stored now.
    pub new: usize,
    /// Texts that were there.
    pub known: usize,
    /// Texts whose id belongs to another text.
    pub collided: usize,
    /// Texts not stored because of a limit.
    pub full: usize,
    /// Texts not stored because the allocator refused. Merging again resumes there.
    pub out_of_memory: usize,
}
