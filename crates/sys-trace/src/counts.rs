//! [`Counts`] and [`ShardCounts`]: what became of every event, lost ones included.

use core::ops::{Add, AddAssign};

use crate::event_type::EventType;

/// What became of the events of one type, or of one shard.
///
/// At rest `created = drained + displaced + discarded + resident`; while emitters run, an event
/// that is created but not yet in the ring is counted by [`live`](Counts::live) as well.
///
/// ```
/// use sys_trace::Counts;
/// let counts = Counts { created: 10, drained: 3, displaced: 2, discarded: 1 };
/// assert_eq!(counts.lost(), 3);
/// assert_eq!(counts.live(), 4);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Accepted by the shard.
    pub created: u64,
    /// Handed to a reader.
    pub drained: u64,
    /// Overwritten by newer events before a reader came.
    pub displaced: u64,
    /// Still in the ring when the capture stopped.
    pub discarded: u64,
}

impl Counts {
    /// Nothing happened.
    pub const ZERO: Counts = Counts { created: 0, drained: 0, displaced: 0, discarded: 0 };

    /// Events that no reader will see: displaced and discarded ones. Saturates.
    #[must_use]
    pub const fn lost(&self) -> u64 {
        self.displaced.saturating_add(self.discarded)
    }

    /// Events in the ring or on their way into it. Saturates at 0, because the four numbers are
    /// read one after the other and events may move between the reads.
    #[must_use]
    pub const fn live(&self) -> u64 {
        self.created.saturating_sub(self.drained).saturating_sub(self.lost())
    }
}

/// Adds each number. Saturates.
impl Add for Counts {
    type Output = Counts;

    fn add(self, other: Counts) -> Counts {
        Counts {
            created: self.created.saturating_add(other.created),
            drained: self.drained.saturating_add(other.drained),
            displaced: self.displaced.saturating_add(other.displaced),
            discarded: self.discarded.saturating_add(other.discarded),
        }
    }
}

/// Adds each number. Saturates.
impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        *self = *self + other;
    }
}

/// Adds them all up. Saturates.
impl core::iter::Sum for Counts {
    fn sum<I: Iterator<Item = Counts>>(counts: I) -> Counts {
        counts.fold(Counts::ZERO, Add::add)
    }
}

/// The counts of one shard, in total and by event type. About 1.5 KiB.
///
/// ```
/// use sys_trace::{EventType, ShardCounts};
/// let mut counts = ShardCounts::new(3);
/// counts.of_mut(EventType::CcExec).created += 1;
/// assert_eq!(counts.of(EventType::CcExec).created, 1);
/// assert_eq!(counts.shard, 3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardCounts {
    /// Number of the shard.
    pub shard: u32,
    /// All types together.
    pub total: Counts,
    /// Emits turned away because the shard was being started or stopped. They were never created,
    /// so no number of `total` or `by_type` contains them.
    pub refused: u64,
    /// Indexed by the number of the event type.
    pub by_type: [Counts; EventType::COUNT],
}

impl ShardCounts {
    /// Counts of a shard on which nothing happened.
    #[must_use]
    pub const fn new(shard: u32) -> ShardCounts {
        let by_type = [Counts::ZERO; EventType::COUNT];
        ShardCounts { shard, total: Counts::ZERO, refused: 0, by_type }
    }

    /// The counts of one event type.
    #[must_use]
    pub const fn of(&self, event_type: EventType) -> &Counts {
        &self.by_type[event_type as usize]
    }

    /// The counts of one event type, to change.
    pub const fn of_mut(&mut self, event_type: EventType) -> &mut Counts {
        &mut self.by_type[event_type as usize]
    }
}
