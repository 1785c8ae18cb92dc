//! The one way into an interner, and its list of collisions.

use super::Interner;
use crate::limits::{Limits, MAX_LISTED};
use crate::table::{Entry, Source};
use crate::{Cap, Collision, Interned, Outcome, Symbol};
use core::fmt;

impl Interner {
    /// Everything that stores comes through here. All that can fail comes before all that changes.
    pub(super) fn store(&mut self, hash: u64, source: Source<'_>) -> Interned {
        let id = Symbol::from_hash(hash);
        let outcome = match self.table.find(id) {
            Some(entry) if self.same(entry, hash, source.text()) => Outcome::Known,
            Some(_) => {
                self.note_collision(hash, source);
                Outcome::Collision
            }
            None => self.add(hash, source),
        };
        Interned { id, outcome }
    }

    fn add(&mut self, hash: u64, source: Source<'_>) -> Outcome {
        let outcome = match self.over_limit(source) {
            Some(full) => full,
            None if self.len() >= self.limits.max_entries => {
                let limit = self.limits.max_entries;
                Outcome::Full { cap: Cap::Entries, needed: self.len().saturating_add(1), limit }
            }
            None => match self.table.try_insert(hash, source) {
                Ok(()) => return Outcome::New,
                Err(_) => Outcome::OutOfMemory,
            },
        };
        self.dropped = self.dropped.saturating_add(1);
        outcome
    }

    fn note_collision(&mut self, hash: u64, source: Source<'_>) {
        if self.listed.iter().any(|entry| self.same(entry, hash, source.text())) {
            return;
        }
        self.collisions = self.collisions.saturating_add(1);
        if self.listed.len() < MAX_LISTED && self.over_limit(source).is_none() {
            // For want of memory the pair goes unlisted; it is counted.
            let _ = self.table.try_list(&mut self.listed, hash, source);
        }
    }

    /// The limit on bytes or length that this text would pass.
    fn over_limit(&self, source: Source<'_>) -> Option<Outcome> {
        let Limits { max_bytes, max_len, .. } = self.limits;
        let len = source.text().len();
        let bytes = self.bytes().saturating_add(source.copied_len());
        if len > max_len {
            Some(Outcome::Full { cap: Cap::Length, needed: len, limit: max_len })
        } else if bytes > max_bytes {
            Some(Outcome::Full { cap: Cap::Bytes, needed: bytes, limit: max_bytes })
        } else {
            None
        }
    }

    fn same(&self, entry: &Entry, hash: u64, text: &str) -> bool {
        entry.hash == hash && entry.len() == text.len() && self.table.text(entry) == text
    }
}

/// See [`Interner::collision_pairs`].
#[derive(Clone)]
pub(super) struct Pairs<'a> {
    pub(super) interner: &'a Interner,
    pub(super) entries: core::slice::Iter<'a, Entry>,
}

impl<'a> Iterator for Pairs<'a> {
    type Item = Collision<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let entry = self.entries.next()?;
        let (id, table) = (entry.id(), &self.interner.table);
        // Listed texts always have a rival that stays as long as they do.
        let kept = self.interner.resolve(id).unwrap_or_default();
        Some(Collision { id, kept, other: table.text(entry) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.entries.size_hint()
    }
}

impl ExactSizeIterator for Pairs<'_> {}

impl fmt::Debug for Pairs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
