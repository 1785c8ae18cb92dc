//! Iterators over an interner.

use crate::arena::{Arena, Place};
use crate::record::Record;
use crate::{Interner, Symbol};
use alloc::string::String;
use core::fmt;
use core::iter::FusedIterator;

/// The first records of an arena.
#[derive(Clone, Copy)]
pub(crate) struct Walk {
    at: Place,
    left: usize,
}

impl Walk {
    /// The first `count` records, which the caller has seen counted.
    pub(crate) const fn new(count: usize) -> Self {
        Self { at: Place(0), left: count }
    }

    pub(crate) fn next<'a>(&mut self, arena: &'a Arena) -> Option<Record<'a>> {
        self.left = self.left.checked_sub(1)?;
        let (_, record, next) = arena.next(self.at);
        self.at = next;
        Some(record)
    }
}

/// Ids and texts of an [`Interner`] in the order in which they came: those that were there when
/// the iterator was made.
///
/// ```
/// let names = sipintern::Interner::new();
/// names.intern("pool");
/// let iter = names.iter();
/// names.intern("conv2d");
/// assert_eq!(iter.len(), 1);
/// ```
#[derive(Clone)]
pub struct Iter<'a> {
    arena: &'a Arena,
    walk: Walk,
}

impl<'a> Iter<'a> {
    pub(crate) const fn new(arena: &'a Arena, count: usize) -> Self {
        Self { arena, walk: Walk::new(count) }
    }

    pub(crate) fn next_record(&mut self) -> Option<Record<'a>> {
        self.walk.next(self.arena)
    }
}

impl<'a> Iterator for Iter<'a> {
    type Item = (Symbol, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        self.next_record().map(|record| (record.id, record.text()))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.walk.left, Some(self.walk.left))
    }
}

impl ExactSizeIterator for Iter<'_> {}
impl FusedIterator for Iter<'_> {}

impl fmt::Debug for Iter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.clone()).finish()
    }
}

/// Ids and owned texts of an [`Interner`] in the order in which they came. Each text is copied when
/// it is yielded.
///
/// ```
/// let names = sipintern::Interner::new();
/// names.intern("pool");
/// let owned: Vec<String> = names.into_iter().map(|(_, text)| text).collect();
/// assert_eq!(owned, ["pool"]);
/// ```
pub struct IntoIter {
    names: Interner,
    walk: Walk,
}

impl IntoIter {
    pub(crate) fn new(names: Interner) -> Self {
        Self { walk: Walk::new(names.len()), names }
    }
}

impl Iterator for IntoIter {
    type Item = (Symbol, String);

    fn next(&mut self) -> Option<Self::Item> {
        self.walk.next(self.names.arena()).map(|record| (record.id, record.text().into()))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.walk.left, Some(self.walk.left))
    }
}

impl ExactSizeIterator for IntoIter {}
impl FusedIterator for IntoIter {}

impl fmt::Debug for IntoIter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IntoIter").field("left", &self.len()).finish_non_exhaustive()
    }
}
