//! Reading on from where one left off, without taking.

use core::iter::FusedIterator;

use crate::ring::Ring;
use crate::stamp::Seen;
use crate::storage::Storage;
use crate::word::{Word, is_after};

/// Where a reader that takes nothing is in a ring: every position before it has been accounted for.
///
/// Belongs to the ring that made it. With another one nothing breaks, but what is read and what is
/// called gone means nothing. To be read on before half of the circle of positions has gone by: on
/// 32-bit targets that is 2<sup>30</sup> pushes or more, and 2<sup>28</sup> if the ring has fewer than
/// four slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor(Word);

/// A position whose value was being copied when a reader came by. Belongs to its ring as a [`Cursor`]
/// does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place(Word);

/// What [`Ring::read_on`] finds, position by position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found<T> {
    /// A copy of a value.
    Value {
        /// The copy.
        value: T,
        /// A writer came for the slot while the copy was made, so that the value has left the ring.
        /// No one else will see or count it.
        displaced: bool,
    },
    /// A value may be on its way; [`Ring::read_again`] tells later.
    InFlight(Place),
    /// So many positions hold nothing any more: their values were displaced or popped, or there
    /// never were any (see [`Counters::abandoned`](crate::Counters::abandoned)).
    Gone(usize),
}

impl<T, S: Storage<T>> Ring<T, S> {
    /// A cursor before the first value that this ring has ever held.
    ///
    /// ```
    /// # #[cfg(feature = "alloc")] {
    /// use lapring::{Found, Ring};
    /// let ring = Ring::new(2);
    /// let mut cursor = ring.cursor();
    /// ring.force_push('a');
    /// let first: Vec<_> = ring.read_on(&mut cursor).collect();
    /// assert_eq!(first, [Found::Value { value: 'a', displaced: false }]);
    /// ('b'..='e').for_each(|letter| {
    ///     ring.force_push(letter);
    /// });
    /// let then: Vec<_> = ring.read_on(&mut cursor).collect();
    /// let value = |value| Found::Value { value, displaced: false };
    /// assert_eq!(then, [Found::Gone(2), value('d'), value('e')]);
    /// # }
    /// ```
    #[must_use]
    pub fn cursor(&self) -> Cursor {
        Cursor(self.start())
    }

    /// A cursor before the newest `count` positions, or before the oldest that can still hold a
    /// value if that is later.
    ///
    /// ```
    /// # #[cfg(feature = "alloc")] {
    /// let ring = lapring::Ring::new(8);
    /// (0..5).for_each(|n| {
    ///     ring.force_push(n);
    /// });
    /// assert_eq!(ring.read_on(&mut ring.cursor_before_newest(2)).count(), 2);
    /// # }
    /// ```
    #[must_use]
    pub fn cursor_before_newest(&self, count: usize) -> Cursor {
        let (oldest, end) = (self.oldest(), self.frontier());
        let resident = self.geometry().distance_clamped(oldest, end);
        if count >= resident { Cursor(oldest) } else { Cursor(self.geometry().back(end, count)) }
    }
}

impl<T: Copy, S: Storage<T>> Ring<T, S> {
    /// An iterator over what has become of the positions from `cursor` on, oldest first, of those
    /// issued before this call; it moves the cursor past each position it tells of.
    ///
    /// Takes nothing. What [`snapshot`](Self::snapshot) says of copies holds here too. Dropping the
    /// iterator early leaves the rest for the next call.
    pub fn read_on<'a>(&'a self, cursor: &'a mut Cursor) -> Reading<'a, T, S> {
        // One of another ring may be no position here.
        cursor.0 = self.geometry().own(cursor.0);
        Reading { ring: self, cursor, end: self.frontier() }
    }

    /// What has become of a position that was in flight: never `Gone` of more than one.
    ///
    /// ```
    /// # #[cfg(feature = "alloc")] {
    /// use lapring::{Found, Ring};
    /// let ring = Ring::new(4);
    /// let mut cursor = ring.cursor();
    /// let slot = ring.reserve().unwrap();
    /// ring.force_push(2);
    /// let Some(Found::InFlight(place)) = ring.read_on(&mut cursor).next() else { panic!() };
    /// slot.fill(1);
    /// assert_eq!(ring.read_again(place), Found::Value { value: 1, displaced: false });
    /// # }
    /// ```
    #[must_use]
    pub fn read_again(&self, place: Place) -> Found<T> {
        // One of another ring may be no position here.
        let position = self.geometry().own(place.0);
        loop {
            let seen = self.slot(position).look();
            match self.geometry().for_cursor(seen, position) {
                // If somebody else gets there first, that is their progress.
                Seen::Value => match self.copy_out(position, seen) {
                    Some((value, displaced)) => return Found::Value { value, displaced },
                    None => continue,
                },
                Seen::Undecided => return Found::InFlight(place),
                Seen::Gone(_) => return Found::Gone(1),
            }
        }
    }
}

/// The iterator of [`Ring::read_on`].
#[derive(Debug)]
#[must_use = "values are copied as the iterator is advanced"]
pub struct Reading<'a, T, S: Storage<T>> {
    ring: &'a Ring<T, S>,
    cursor: &'a mut Cursor,
    end: Word,
}

impl<T: Copy, S: Storage<T>> Iterator for Reading<'_, T, S> {
    type Item = Found<T>;

    /// Positions in a row that are gone come as one item, as far as one look at a slot tells.
    fn next(&mut self) -> Option<Found<T>> {
        let geometry = self.ring.geometry();
        let mut gone = 0_usize;
        loop {
            let position = self.cursor.0;
            if !is_after(self.end, position) {
                return (gone > 0).then_some(Found::Gone(gone));
            }
            let seen = self.ring.slot(position).look();
            let found = match geometry.for_cursor(seen, position) {
                Seen::Gone(to) => {
                    // What was issued since this call is the next one's.
                    let to = if is_after(to, self.end) { self.end } else { to };
                    gone = gone.wrapping_add(geometry.count(position, to));
                    self.cursor.0 = to;
                    continue;
                }
                _ if gone > 0 => return Some(Found::Gone(gone)),
                Seen::Value => match self.ring.copy_out(position, seen) {
                    Some((value, displaced)) => Found::Value { value, displaced },
                    // Overtaken since the look, which will now be different.
                    None => continue,
                },
                Seen::Undecided => Found::InFlight(Place(position)),
            };
            self.cursor.0 = geometry.next(position);
            return Some(found);
        }
    }
}

impl<T: Copy, S: Storage<T>> FusedIterator for Reading<'_, T, S> {}
