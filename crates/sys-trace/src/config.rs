//! What a capture is to record.

use crate::clock::Clock;
use crate::event::Event;
use crate::sets::{EventSet, ShardSet};

/// Ring bytes per event: the record and the stamp of its slot, and what alignment adds.
pub(crate) const BYTES_PER_EVENT: usize = size_of::<lapring::Slot<Event>>();

/// The configuration of one capture: which shards and types, how many events, which clock.
///
/// ```
/// use sys_trace::{Config, EventSet, ShardSet};
///
/// let config = Config::new()
///     .events_per_shard(65_536)
///     .shards(ShardSet::parse("0-3").unwrap())
///     .types(EventSet::parse("software,^tensor_block_while_exec").unwrap());
/// assert_eq!(config.ring_events(), 65_536);
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct Config {
    /// As asked for; `None` is the default.
    pub(crate) events_per_shard: Option<u64>,
    pub(crate) exact: bool,
    pub(crate) shards: Option<ShardSet>,
    pub(crate) types: EventSet,
    pub(crate) clock: Clock,
    pub(crate) context: Option<fn() -> u64>,
    #[cfg(feature = "alloc")]
    pub(crate) names: sipintern::Limits,
}

impl Config {
    /// Events per shard unless told otherwise: 1,048,576.
    pub const DEFAULT_EVENTS_PER_SHARD: u64 = 1 << 20;
    /// The smallest ring; a smaller number is raised to it.
    pub const MIN_EVENTS_PER_SHARD: u64 = 1 << 10;
    /// The largest ring: 2<sup>28</sup> events (32 GiB) on 64-bit targets, 2<sup>20</sup>
    /// elsewhere. A larger number is an error at the start.
    pub const MAX_EVENTS_PER_SHARD: u64 = if usize::BITS >= 64 { 1 << 28 } else { 1 << 20 };

    /// All shards, all types, the default number of events, the default clock.
    pub const fn new() -> Self {
        Self {
            events_per_shard: None,
            exact: false,
            shards: None,
            types: EventSet::ALL,
            #[cfg(feature = "std")]
            clock: Clock::Cycles,
            #[cfg(not(feature = "std"))]
            clock: Clock::None,
            context: None,
            #[cfg(feature = "alloc")]
            names: sipintern::Limits::DEFAULT,
        }
    }

    /// How many events each shard keeps before it overwrites the oldest: any number, not only
    /// powers of two. Below [`MIN_EVENTS_PER_SHARD`](Self::MIN_EVENTS_PER_SHARD) it is raised to
    /// that; above [`MAX_EVENTS_PER_SHARD`](Self::MAX_EVENTS_PER_SHARD) the start is refused. A
    /// [`StaticEngine`](crate::StaticEngine) has its own number: it refuses a larger one, and raises a
    /// smaller one to that.
    pub const fn events_per_shard(mut self, events: u64) -> Self {
        self.events_per_shard = Some(events);
        self.exact = false;
        self
    }

    /// A ring below the floor, for tests that must see it overflow.
    #[doc(hidden)]
    pub const fn events_per_shard_exact(mut self, events: u64) -> Self {
        self.events_per_shard = Some(events);
        self.exact = true;
        self
    }

    /// Captures these shards only. Shards outside the set allocate nothing.
    pub const fn shards(mut self, shards: ShardSet) -> Self {
        self.shards = Some(shards);
        self
    }

    /// Captures these types only.
    pub const fn types(mut self, types: EventSet) -> Self {
        self.types = types;
        self
    }

    /// Takes timestamps from this clock.
    pub const fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Says who emits: what this function returns stands in each event as its `thread_id`, in the
    /// place of the thread's own number. For machines without threads, say the number of the interrupt
    /// at work.
    ///
    /// It is called on the emit path, like [`Clock::Custom`]: it must not panic, block, or call the
    /// engine.
    pub const fn context(mut self, context: fn() -> u64) -> Self {
        self.context = Some(context);
        self
    }

    /// Bounds what each shard stores of interned names. A [`StaticEngine`](crate::StaticEngine) has
    /// its own bound.
    #[cfg(feature = "alloc")]
    pub const fn name_limits(mut self, limits: sipintern::Limits) -> Self {
        self.names = limits;
        self
    }

    /// Events per shard as a start would use them: the floor applied.
    #[must_use]
    pub const fn ring_events(&self) -> u64 {
        match self.events_per_shard {
            None => Self::DEFAULT_EVENTS_PER_SHARD,
            Some(events) if self.exact || events > Self::MIN_EVENTS_PER_SHARD => events,
            Some(_) => Self::MIN_EVENTS_PER_SHARD,
        }
    }

    /// How many shards a capture has on an engine of `engine_shards`.
    ///
    /// ```
    /// use sys_trace::{Config, ShardSet};
    /// assert_eq!(Config::new().shard_count(256), 256);
    /// assert_eq!(Config::new().shards(ShardSet::parse("0-3").unwrap()).shard_count(256), 4);
    /// ```
    #[must_use]
    pub fn shard_count(&self, engine_shards: u32) -> u32 {
        (0..engine_shards).filter(|&shard| self.has_shard(shard)).count() as u32
    }

    /// Bytes of address space that the rings of `shards` shards take: what a capture takes, to be
    /// known before it starts. The operating system commits them page by page as events arrive.
    /// Besides, a start takes some 100 KiB for counters, and names take what they need up to their
    /// limits.
    ///
    /// ```
    /// let config = sys_trace::Config::new();
    /// assert!(config.ring_bytes(config.shard_count(256)) >= 32 << 30);
    /// ```
    #[must_use]
    pub const fn ring_bytes(&self, shards: u32) -> u128 {
        self.ring_events() as u128 * BYTES_PER_EVENT as u128 * shards as u128
    }

    pub(crate) fn has_shard(&self, shard: u32) -> bool {
        self.shards.as_ref().is_none_or(|shards| shards.contains(shard))
    }
}

impl Default for Config {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Two places say which clock is the default, since one of them has to be `const`.
    #[test]
    fn the_default_clock_is_the_default_clock() {
        assert_eq!(Config::new().clock.name(), Clock::default().name());
    }
}
