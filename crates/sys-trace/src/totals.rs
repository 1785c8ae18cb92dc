//! Counters of one shard in one capture.

use crate::count::Count;
use crate::counts::{Counts, ShardCounts};
use crate::event::Event;
use crate::event_type::EventType;

/// What became of the events of one shard. What was discarded is not counted but computed: it is what
/// was left when the capture ended.
pub(crate) struct Totals {
    life: Life,
    by_type: [TypeTotals; EventType::COUNT],
}

/// Changed only with the core to oneself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
    /// The shard takes no part.
    Absent,
    /// It takes part.
    Counting,
    /// It took part, and what was left has been discarded.
    Ended,
}

struct TypeTotals {
    created: Count,
    drained: Count,
    displaced: Count,
}

impl Totals {
    syncface::maybe_const! {
        /// All zero, of a shard that takes no part.
        pub(crate) fn new() -> Self {
            #[cfg(not(loom))]
            let by_type = [const { TypeTotals::new() }; EventType::COUNT];
            #[cfg(loom)]
            let by_type = core::array::from_fn(|_| TypeTotals::new());
            Self { life: Life::Absent, by_type }
        }
    }

    /// Back to zero. A shard that never took part is not touched, nor is its memory.
    pub(crate) fn reset(&mut self, takes_part: bool) {
        if self.took_part() || takes_part {
            self.by_type.iter().for_each(TypeTotals::reset);
            self.life = if takes_part { Life::Counting } else { Life::Absent };
        }
    }

    pub(crate) fn took_part(&self) -> bool {
        self.life != Life::Absent
    }

    /// Counts an event that was accepted and, by the number of its type, one that it overwrote.
    #[inline]
    pub(crate) fn created(&self, event_type: EventType, lost: Option<u32>) {
        self.by_type[event_type as usize].created.add(1);
        if let Some(counters) = lost.and_then(|lost| self.by_type.get(lost as usize)) {
            counters.displaced.add(1);
        }
    }

    /// Adds what was counted elsewhere.
    #[cfg(feature = "alloc")]
    pub(crate) fn add(&self, type_number: usize, counts: Counts) {
        if let Some(counters) = self.by_type.get(type_number) {
            counters.created.add(counts.created);
            counters.displaced.add(counts.displaced);
        }
    }

    /// Counts an event handed to a reader.
    #[inline]
    pub(crate) fn drained(&self, event: &Event) {
        if let Some(counters) = self.by_type.get(event.event_type_number as usize) {
            counters.drained.add(1);
        }
    }

    /// Events of all types handed to readers.
    #[cfg_attr(not(feature = "alloc"), allow(dead_code, reason = "for readers"))]
    pub(crate) fn drained_in_all(&self) -> u64 {
        self.by_type.iter().map(|counters| counters.drained.get()).sum()
    }

    /// Counts an event that was overwritten, by the number of its type, apart from what overwrote it.
    #[cold]
    pub(crate) fn displaced(&self, type_number: u32) {
        if let Some(counters) = self.by_type.get(type_number as usize) {
            counters.displaced.add(1);
        }
    }

    /// From here on everything that is not accounted for is discarded. Nothing may be in flight: what
    /// is left was in the ring.
    pub(crate) fn discard_rest(&mut self) {
        self.life = Life::Ended;
    }

    /// A snapshot of one type; exact when nobody is emitting or draining. `elsewhere` is what was
    /// counted elsewhere and not yet added.
    pub(crate) fn of(&self, event_type: EventType, elsewhere: Counts) -> Counts {
        let mut counts = self.by_type[event_type as usize].load();
        counts += elsewhere;
        if self.life == Life::Ended {
            counts.discarded = counts.live();
        }
        counts
    }

    /// [`of`](Self::of) every type.
    pub(crate) fn load(&self, shard: u32, elsewhere: impl Fn(EventType) -> Counts) -> ShardCounts {
        let mut counts = ShardCounts::new(shard);
        if self.took_part() {
            for event_type in EventType::ALL {
                let of_type = self.of(event_type, elsewhere(event_type));
                *counts.of_mut(event_type) = of_type;
                counts.total += of_type;
            }
        }
        counts
    }
}

impl TypeTotals {
    syncface::maybe_const! {
        fn new() -> Self {
            Self { created: Count::new(), drained: Count::new(), displaced: Count::new() }
        }
    }

    fn reset(&self) {
        self.created.reset();
        self.drained.reset();
        self.displaced.reset();
    }

    /// Losses are read before `created`, so that a moving count rarely shows more out than in; the
    /// accesses are Relaxed, so nothing promises it.
    fn load(&self) -> Counts {
        let (drained, displaced) = (self.drained.get(), self.displaced.get());
        Counts { created: self.created.get(), drained, displaced, discarded: 0 }
    }
}
