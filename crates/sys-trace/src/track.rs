//! Where a reader that takes nothing is in one shard's ring.

#![cfg_attr(not(feature = "alloc"), allow(dead_code, reason = "snapshots need a part of it"))]

use lapring::{Cursor, Found, Place, Ring, Storage};

use crate::event::Event;
use crate::totals::Totals;

/// Positions in flight that a reader keeps in mind at a time; further ones count as missed.
const OPEN: usize = 32;

/// The place of one reader in one ring.
pub(crate) struct Track {
    /// `None` before the first look at the ring.
    cursor: Option<Cursor>,
    /// Passed while somebody was copying there.
    open: [Option<Place>; OPEN],
    /// Sequence numbers passed without an event, since they were last [taken](Self::take_missed).
    missed: u64,
    /// Events of the shard that had been drained when this reader last had read all there was.
    drained: u64,
}

impl Track {
    /// Before everything.
    pub(crate) const fn new() -> Self {
        Self { cursor: None, open: [None; OPEN], missed: 0, drained: 0 }
    }

    /// Before the newest `count` events.
    pub(crate) fn before_newest<S: Storage<Event>>(ring: &Ring<Event, S>, count: usize) -> Self {
        Self { cursor: Some(ring.cursor_before_newest(count)), ..Self::new() }
    }

    /// Copies what is new into `out`, oldest first but for what was in flight last time, which comes
    /// before it; returns how many. Counts what is displaced by that.
    pub(crate) fn read<S: Storage<Event>>(
        &mut self,
        ring: &Ring<Event, S>,
        totals: &Totals,
        out: &mut [Event],
    ) -> usize {
        let mut out = out.iter_mut();
        let room = out.len();
        let put = |place: Option<&mut Event>, value: Event, displaced: bool| {
            if displaced && !syncface::mutant::is("sys_trace.peeked_uncounted") {
                totals.displaced(value.event_type_number);
            }
            // There is room: asked before each.
            if let Some(place) = place {
                *place = value;
            }
        };
        for open in &mut self.open {
            let Some(seen) = *open else { continue };
            if out.len() == 0 {
                return room;
            }
            match ring.read_again(seen) {
                Found::Value { value, displaced } => put(out.next(), value, displaced),
                Found::InFlight(_) => continue,
                Found::Gone(gone) => self.missed += gone as u64,
            }
            *open = None;
        }
        let cursor = self.cursor.get_or_insert_with(|| ring.cursor());
        let mut found = ring.read_on(cursor);
        while out.len() > 0 {
            match found.next() {
                Some(Found::Value { value, displaced }) => put(out.next(), value, displaced),
                Some(Found::Gone(gone)) => self.missed += gone as u64,
                Some(Found::InFlight(place)) => {
                    match self.open.iter_mut().find(|open| open.is_none()) {
                        Some(open) => *open = Some(place),
                        None => self.missed += 1,
                    }
                }
                None => break,
            }
        }
        room - out.len()
    }

    /// Sequence numbers passed without an event since the last call; those in flight are not among
    /// them.
    pub(crate) fn take_missed(&mut self) -> u64 {
        core::mem::take(&mut self.missed)
    }

    /// How many of the shard's events were drained, by now, since this reader last was where the ring
    /// was.
    pub(crate) fn drained_since(&self, totals: &Totals) -> u64 {
        totals.drained_in_all().wrapping_sub(self.drained)
    }

    /// This reader has read all there was when `drained` events of the shard had been drained.
    pub(crate) fn caught_up(&mut self, drained: u64) {
        self.drained = drained;
    }
}
