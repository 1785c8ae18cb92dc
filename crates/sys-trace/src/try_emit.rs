//! Emitting, with the reason if nothing was recorded.

use core::fmt;

use crate::emit::TrackingId;
use crate::engine::Engine;
use crate::event_type::EventType;
use crate::payload::Payload;
use crate::phase::Phase;
use crate::storage::Storage;

/// Why an event was not recorded, and where that is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NotRecorded {
    /// No capture runs. Not counted.
    Off,
    /// The engine has no such shard. Counted by [`Engine::misdirected`].
    NoSuchShard,
    /// The capture does not have the shard. Not counted.
    ShardOff,
    /// The capture does not have the type. Not counted.
    TypeOff,
    /// A start or stop was at work. Counted as [`refused`](crate::ShardCounts::refused).
    Refused,
    /// Every slot of the ring was in the middle of somebody's copy. Counted as created and displaced.
    Rejected,
}

impl NotRecorded {
    /// The reason whose discriminant this is.
    #[inline(always)]
    pub(crate) const fn from_number(number: u64) -> Self {
        const ALL: [NotRecorded; 6] = {
            use NotRecorded::{NoSuchShard, Off, Refused, Rejected, ShardOff, TypeOff};
            [Off, NoSuchShard, ShardOff, TypeOff, Refused, Rejected]
        };
        let index = if number < ALL.len() as u64 { number as usize } else { 0 };
        ALL[index]
    }
}

impl fmt::Display for NotRecorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotRecorded::Off => "no capture is running",
            NotRecorded::NoSuchShard => "the engine has no such shard",
            NotRecorded::ShardOff => "the shard is not captured",
            NotRecorded::TypeOff => "the event type is not captured",
            NotRecorded::Refused => "a start or stop is at work",
            NotRecorded::Rejected => "every slot of the ring is in the middle of a copy",
        })
    }
}

impl core::error::Error for NotRecorded {}

impl<const SHARDS: usize, S: Storage> Engine<SHARDS, S> {
    /// [`emit_tracked`](Self::emit_tracked) that says why nothing was recorded.
    ///
    /// No emit ever waits, so this one does not either: the name promises an answer, not more speed.
    ///
    /// # Errors
    /// [`NotRecorded`].
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use sys_trace::{Config, Engine, EventSet, EventType, NotRecorded, Payload, Phase};
    /// let engine: Box<Engine<1>> = Box::default();
    /// let emit = |shard, event_type| {
    ///     engine.try_emit(shard, event_type, Phase::Instant, Payload::ZERO, None).map(|_| ())
    /// };
    /// assert_eq!(emit(0, EventType::Generic), Err(NotRecorded::Off));
    /// engine.start(&Config::new().types(EventSet::parse("generic").unwrap())).unwrap();
    /// assert_eq!(emit(0, EventType::Generic), Ok(()));
    /// assert_eq!(emit(0, EventType::CcExec), Err(NotRecorded::TypeOff));
    /// assert_eq!(emit(1, EventType::Generic), Err(NotRecorded::NoSuchShard));
    /// # }
    /// ```
    #[inline]
    pub fn try_emit(
        &self,
        shard: u32,
        event_type: EventType,
        phase: Phase,
        payload: impl Into<Payload>,
        tracking: Option<TrackingId>,
    ) -> Result<TrackingId, NotRecorded> {
        if !self.is_capturing() {
            return Err(NotRecorded::Off);
        }
        let recorded = self.record(shard, event_type, phase, payload.into(), tracking, None);
        recorded.result().map(|it| it.0)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::NotRecorded;

    #[test]
    fn reasons_survive_being_numbers() {
        use NotRecorded::{NoSuchShard, Off, Refused, Rejected, ShardOff, TypeOff};
        for reason in [Off, NoSuchShard, ShardOff, TypeOff, Refused, Rejected] {
            assert_eq!(NotRecorded::from_number(reason as u64), reason);
        }
    }
}
