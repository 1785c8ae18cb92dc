//! The ways into an interner, and its list of collisions.

use super::Interner;
use crate::arena::Place;
use crate::index::{Current, Gap, Open};
use crate::limits::{Limits, MAX_LISTED};
use crate::listed::Nodes;
use crate::lock::Taken;
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
enum Verdict<'a> {
    /// Nothing: this is to be said.
    Settled(Outcome),
    /// Its id belongs to another text, and it is not listed.
    List,
    /// It is new; where its id is missing.
    Insert(Gap<'a>),
}

/// Adds one to a counter that is written under the insert lock only.
fn add_one(counter: &AtomicUsize, _held: &Taken<'_>) {
    counter.store(counter.load(order::PLAIN).saturating_add(1), order::PLAIN);
}

impl Interner {
    /// The id of a text that is found by its fast hash, or where it is missing. No lock, no write,
    /// no SipHash.
    #[inline]
    pub(super) fn hit(&self, text: &str) -> Result<Symbol, Gap<'_>> {
        match self.index.get() {
            Some(index) => index.find_text(text, &self.arena),
            None => Err(Gap::NONE),
        }
    }

    #[inline(always)]
    pub(super) fn find(&self, id: Symbol) -> Result<Record<'_>, Gap<'_>> {
        match self.index.get() {
            Some(index) => index.find_id(id, &self.arena),
            None => Err(Gap::NONE),
        }
    }

    /// Everything that stores comes through here. All that can fail comes before all that changes.
    /// `gap` is where a search for the text ended.
    #[inline(never)]
    pub(crate) fn store<'a>(
        &'a self,
        id: Symbol,
        source: Source<'_>,
        gap: Gap<'a>,
        may: May,
    ) -> Interned {
        let outcome = match (self.judge(id, source.text()), may) {
            (Verdict::Settled(outcome), _) => outcome,
            (verdict, May::Neither) => match self.written.lock.try_take() {
                None => Outcome::Busy,
                Some(held) => self.store_held(id, source, may, (verdict, gap), &held),
            },
            (verdict, May::WaitAndAllocate) => {
                let held = self.written.lock.take();
                self.store_held(id, source, may, (verdict, gap), &held)
            }
        };
        Interned { id, outcome }
    }

    /// What is to be done about a text.
    #[inline(always)]
    fn judge(&self, id: Symbol, text: &str) -> Verdict<'_> {
        match self.find(id) {
            Err(gap) => Verdict::Insert(gap),
            Ok(record) if same(record.text(), text) => Verdict::Settled(Outcome::Known),
            Ok(_) if self.listed.contains(id, text) => Verdict::Settled(Outcome::Collision),
            Ok(_) => Verdict::List,
        }
    }

    /// `verdict` is what was seen before the lock was taken.
    #[inline(always)]
    fn store_held<'a>(
        &'a self,
        id: Symbol,
        source: Source<'_>,
        may: May,
        (verdict, of_text): (Verdict<'a>, Gap<'a>),
        held: &Taken<'_>,
    ) -> Outcome {
        // Whoever came between may have stored this text, or another with this id.
        let open = |gap: Gap<'a>| gap.open(self.index.get()?, held);
        let of_id = match verdict {
            Verdict::Insert(gap) => open(gap),
            _ => None,
        };
        let of_id = if of_id.is_some() || mutant::is("sipintern.no_second_look") {
            of_id
        } else {
            match self.judge(id, source.text()) {
                Verdict::Settled(outcome) => return outcome,
                Verdict::List => {
                    self.note_collision(id, source, may, held);
                    return Outcome::Collision;
                }
                Verdict::Insert(gap) => open(gap),
            }
        };
        let outcome = match self.over_limit(source) {
            Some(full) => full,
            None if self.len() >= self.limits.max_entries => {
                let limit = self.limits.max_entries;
                Outcome::Full { cap: Cap::Entries, needed: self.len().saturating_add(1), limit }
            }
            None => {
                match self.insert(id, source, (of_id, of_text), may == May::WaitAndAllocate, held) {
                    Ok(()) => return Outcome::New,
                    // It could be stored by somebody who may allocate, so it is not lost.
                    Err(NoMemory) if may == May::Neither => return Outcome::Busy,
                    Err(NoMemory) => Outcome::OutOfMemory,
                }
            }
        };
        add_one(&self.written.dropped, held);
        outcome
    }

    #[inline(always)]
    fn insert<'a>(
        &'a self,
        id: Symbol,
        source: Source<'_>,
        (of_id, of_text): (Option<Open<'a>>, Gap<'a>),
        grow: bool,
        held: &Taken<'_>,
    ) -> Result<(), NoMemory> {
        let room = self.arena.prepare(source, grow, held)?;
        let (place, count) = (room.place, self.len());
        let (index, words) = match self.index.get() {
            Some(index) if index.has_room(count, place) => {
                (index, (of_id, of_text.open(index, held)))
            }
            _ if !grow => return Err(NoMemory),
            _ => (self.grow(count.checked_add(1).ok_or(NoMemory)?, place, held)?, (None, None)),
        };
        // Nothing below can fail.
        self.arena.write(room, id, source, held);
        let counted = || self.written.count.store(count + 1, order::count_publish());
        if !mutant::is("sipintern.count_last") {
            counted();
        }
        Current::enter(index, (id, source.text()), place, words, held);
        if mutant::is("sipintern.count_last") {
            counted();
        }
        Ok(())
    }

    #[cold]
    pub(super) fn grow(
        &self,
        entries: usize,
        place: Place,
        held: &Taken<'_>,
    ) -> Result<&crate::index::Index, NoMemory> {
        self.index.grow((entries, place), self.seed, &self.arena, held)
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
