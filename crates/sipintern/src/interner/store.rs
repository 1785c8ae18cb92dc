//! The ways into an interner, and its list of collisions.

use super::Interner;
use crate::arena::Place;
use crate::index::Current;
use crate::limits::{Limits, MAX_LISTED};
use crate::listed::Nodes;
use crate::lock::{Stamp, Taken};
use crate::memory::NoMemory;
use crate::order;
use crate::record::{Record, Source, same};
use crate::{Cap, Collision, Interned, Outcome, Symbol};
use core::fmt;
use syncface::atomic::AtomicUsize;
use syncface::mutant;

/// What an insert may do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum May {
    WaitAndAllocate,
    Neither,
}

/// See [`Interner::judge`].
enum Verdict {
    /// Nothing: this is to be said.
    Settled(Outcome),
    /// Its id belongs to another text, and it is not listed.
    List,
    Insert,
}

/// Adds one to a counter that is written under the insert lock only.
fn add_one(counter: &AtomicUsize, _held: &Taken<'_>) {
    counter.store(counter.load(order::PLAIN).saturating_add(1), order::PLAIN);
}

impl Interner {
    /// The id of a text that is found by its fast hash. No lock, no write, no SipHash.
    #[inline]
    pub(super) fn hit(&self, text: &str) -> Option<Symbol> {
        self.index.get()?.find_text(text, &self.arena)
    }

    #[inline]
    pub(super) fn find(&self, id: Symbol) -> Option<Record<'_>> {
        self.index.get()?.find_id(id, &self.arena)
    }

    /// Everything that stores comes through here. All that can fail comes before all that changes.
    pub(crate) fn store(&self, id: Symbol, source: Source<'_>, may: May) -> Interned {
        let stamp = self.written.lock.look();
        let outcome = match (self.judge(id, source.text()), may) {
            (Verdict::Settled(outcome), _) => outcome,
            (verdict, May::Neither) => match self.written.lock.try_take() {
                None => Outcome::Busy,
                Some(held) => self.store_held(id, source, may, (stamp, verdict), &held),
            },
            (verdict, May::WaitAndAllocate) => {
                let held = self.written.lock.take();
                self.store_held(id, source, may, (stamp, verdict), &held)
            }
        };
        Interned { id, outcome }
    }

    /// What is to be done about a text.
    #[inline]
    fn judge(&self, id: Symbol, text: &str) -> Verdict {
        match self.find(id) {
            None => Verdict::Insert,
            Some(record) if same(record.text(), text) => Verdict::Settled(Outcome::Known),
            Some(_) if self.listed.contains(id, text) => Verdict::Settled(Outcome::Collision),
            Some(_) => Verdict::List,
        }
    }

    #[inline]
    fn store_held(
        &self,
        id: Symbol,
        source: Source<'_>,
        may: May,
        (stamp, verdict): (Stamp, Verdict),
        held: &Taken<'_>,
    ) -> Outcome {
        // Whoever came between may have stored this text, or another with this id.
        let unchanged = held.before == stamp || mutant::is("sipintern.no_second_look");
        match if unchanged { verdict } else { self.judge(id, source.text()) } {
            Verdict::Settled(outcome) => return outcome,
            Verdict::List => {
                self.note_collision(id, source, may, held);
                return Outcome::Collision;
            }
            Verdict::Insert => {}
        }
        let outcome = match self.over_limit(source) {
            Some(full) => full,
            None if self.len() >= self.limits.max_entries => {
                let limit = self.limits.max_entries;
                Outcome::Full { cap: Cap::Entries, needed: self.len().saturating_add(1), limit }
            }
            None => match self.insert(id, source, may == May::WaitAndAllocate, held) {
                Ok(()) => return Outcome::New,
                // It could be stored by somebody who may allocate, so it is not lost.
                Err(NoMemory) if may == May::Neither => return Outcome::Busy,
                Err(NoMemory) => Outcome::OutOfMemory,
            },
        };
        add_one(&self.written.dropped, held);
        outcome
    }

    fn insert(
        &self,
        id: Symbol,
        source: Source<'_>,
        grow: bool,
        held: &Taken<'_>,
    ) -> Result<(), NoMemory> {
        let place = self.arena.prepare(source, grow, held)?;
        let count = self.len();
        let index = match self.index.get() {
            Some(index) if index.has_room(count, place) => index,
            _ if !grow => return Err(NoMemory),
            _ => self.grow(count.checked_add(1).ok_or(NoMemory)?, place, held)?,
        };
        // Nothing below can fail.
        self.arena.write(place, id, source, held);
        let counted = || self.written.count.store(count + 1, order::count_publish());
        if mutant::is("sipintern.count_last") {
            Current::enter(index, id, source.text(), place, held);
            counted();
            return Ok(());
        }
        counted();
        Current::enter(index, id, source.text(), place, held);
        Ok(())
    }

    pub(super) fn grow(
        &self,
        entries: usize,
        place: Place,
        held: &Taken<'_>,
    ) -> Result<&crate::index::Index, NoMemory> {
        self.index.grow((entries, place), self.seed, &self.arena, self.len(), held)
    }

    fn note_collision(&self, id: Symbol, source: Source<'_>, may: May, held: &Taken<'_>) {
        add_one(&self.written.collisions, held);
        let room = self.listed.iter().count() < MAX_LISTED && self.over_limit(source).is_none();
        if room && may == May::WaitAndAllocate && self.listed.try_push(id, source, held).is_ok() {
            self.arena.add_used(source.copied_len(), held);
        }
        // Otherwise the pair goes unlisted; it is counted.
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
}

/// See [`Interner::collision_pairs`].
#[derive(Clone)]
pub(super) struct Pairs<'a> {
    pub(super) interner: &'a Interner,
    pub(super) nodes: Nodes<'a>,
    /// How many are left of those that there were at the start.
    pub(super) left: usize,
}

impl<'a> Iterator for Pairs<'a> {
    type Item = Collision<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let node = self.nodes.next()?;
        // Listed texts always have a rival that stays as long as they do.
        let kept = self.interner.resolve(node.id).unwrap_or_default();
        Some(Collision { id: node.id, kept, other: node.source().text() })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Pairs<'_> {}

impl fmt::Debug for Pairs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
