//! Iterators over an interner.

use crate::Symbol;
use crate::table::{Entry, Table, Texts};
use alloc::string::String;
use core::fmt;
use core::iter::FusedIterator;
use hashbrown::hash_table;

/// Ids and texts of an [`Interner`](crate::Interner), in no particular order.
///
/// ```
/// let mut names = sipintern::Interner::new();
/// names.intern("pool");
/// assert_eq!(names.iter().len(), 1);
/// ```
#[derive(Clone)]
pub struct Iter<'a> {
    table: &'a Table,
    entries: hash_table::Iter<'a, Entry>,
}

impl<'a> Iter<'a> {
    pub(crate) fn new(table: &'a Table) -> Self {
        Self { table, entries: table.entries() }
    }
}

impl<'a> Iterator for Iter<'a> {
    type Item = (Symbol, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let entry = self.entries.next()?;
        Some((entry.id(), self.table.text(entry)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.entries.size_hint()
    }
}

impl ExactSizeIterator for Iter<'_> {}
impl FusedIterator for Iter<'_> {}

impl fmt::Debug for Iter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.clone()).finish()
    }
}

/// Ids and owned texts of an [`Interner`](crate::Interner), in no particular order. Each text is
/// copied when it is yielded.
///
/// ```
/// let mut names = sipintern::Interner::new();
/// names.intern("pool");
/// let owned: Vec<String> = names.into_iter().map(|(_, text)| text).collect();
/// assert_eq!(owned, ["pool"]);
/// ```
pub struct IntoIter {
    entries: hash_table::IntoIter<Entry>,
    texts: Texts,
}

impl IntoIter {
    pub(crate) fn new(table: Table) -> Self {
        let (entries, texts) = table.into_parts();
        Self { entries, texts }
    }
}

impl Iterator for IntoIter {
    type Item = (Symbol, String);

    fn next(&mut self) -> Option<Self::Item> {
        let entry = self.entries.next()?;
        Some((entry.id(), self.texts.text(&entry).into()))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.entries.size_hint()
    }
}

impl ExactSizeIterator for IntoIter {}
impl FusedIterator for IntoIter {}

impl fmt::Debug for IntoIter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IntoIter").field("left", &self.len()).finish_non_exhaustive()
    }
}
