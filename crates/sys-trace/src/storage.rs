//! Where an engine keeps what it records: on the heap, or inside itself.
//!
//! The engine is one code for both. What differs is small and stands behind [`Parts`]: how a shard's
//! ring comes and goes, what a name table is, and whether threads count for themselves.

use lapring::Ring;

use crate::capture::Shard;
use crate::config::Config;
use crate::counts::Counts;
use crate::error::StartError;
use crate::event::Event;
use crate::event_type::EventType;

/// What an [`Engine`](crate::Engine) keeps its events, names and counts in.
///
#[cfg_attr(
    feature = "alloc",
    doc = "[`Heap`](crate::Heap) and [`Inline`](crate::Inline) are all there are."
)]
#[cfg_attr(
    not(feature = "alloc"),
    doc = "Without `alloc`, [`Inline`](crate::Inline) is all there is."
)]
pub trait Storage: Parts {}

/// What a default engine keeps its events in.
#[cfg(feature = "alloc")]
pub type DefaultStorage = crate::heap::Heap;
/// What an engine keeps its events in if nothing is said: very little.
#[cfg(not(feature = "alloc"))]
pub type DefaultStorage = crate::inline::Inline<8, 8>;

/// The parts of a storage. Not reachable from outside, so nobody else can implement it.
pub trait Parts: Sized + 'static {
    /// What a ring keeps its slots in.
    type Slots: lapring::Storage<Event> + Send + Sync;
    /// The ring of one shard, or none.
    type Ring: Send + Sync;
    /// The names of one shard.
    type Names: Send + Sync;
    /// What emitters count in first.
    type Tallies: Tallies + Send + Sync;
    /// What a start has to have before it locks anything, and what it replaces.
    type Supplies;
    /// What a stop lets go of after the locks.
    type Remains;

    /// The ring of a shard that takes no part.
    #[cfg(not(loom))]
    const NO_RING: Self::Ring;
    /// No names.
    #[cfg(not(loom))]
    const NO_NAMES: Self::Names;
    /// Nothing counted, nowhere to count.
    const NO_TALLIES: Self::Tallies;

    /// As the constant, whose atomics loom cannot make in constants.
    #[cfg(loom)]
    fn no_ring() -> Self::Ring;
    /// As the constant.
    #[cfg(loom)]
    fn no_names() -> Self::Names;

    /// Everything for a capture of `shards` shards. Their numbers in `config` exist.
    fn supplies(config: &Config, shards: u32) -> Result<Self::Supplies, StartError>;

    /// Events that each ring will hold.
    fn ring_events(config: &Config) -> u64;

    /// Makes the tallies new.
    fn renew_tallies(supplies: &mut Self::Supplies, tallies: &mut Self::Tallies);

    /// Gives a shard that takes part an empty ring, and any other none. In order of the shards.
    fn arm(supplies: &mut Self::Supplies, takes_part: bool, ring: &mut Self::Ring);

    /// Makes a shard's names new.
    fn renew_names(supplies: &mut Self::Supplies, names: &mut Self::Names, config: &Config);

    /// In a forked child: no names. What another thread may have been at work with is leaked.
    fn inherit_names(names: &mut Self::Names);

    /// In a forked child: no ring and no names, where another thread may have been at work with both.
    /// Neither is looked at; what they hold is leaked.
    fn abandon(ring: &mut Self::Ring, names: &mut Self::Names);

    /// The ring, if the shard takes part.
    fn ring(ring: &Self::Ring) -> Option<&Ring<Event, Self::Slots>>;

    /// Room for what is [disarmed](Self::disarm).
    fn remains(shards: usize) -> Self::Remains;

    /// Takes a shard's ring away; `false` if it had none.
    fn disarm(remains: &mut Self::Remains, ring: &mut Self::Ring) -> bool;

    /// Names that were not stored.
    fn names_dropped(names: &Self::Names) -> u64;
}

/// Counters that come before the shards' totals.
#[allow(unreachable_pub, reason = "a bound of a sealed trait")]
pub trait Tallies {
    /// Counts an event that was created and, by the number of its type, one that it displaced;
    /// `false` if this is not the place to count it.
    fn count<S: Storage>(
        &self,
        soloist: Option<usize>,
        shard: u32,
        created: EventType,
        displaced: Option<u32>,
        shards: &[Shard<S>],
    ) -> bool;

    /// What is counted here and not yet in the totals.
    fn load(&self, shard: u32, event_type: EventType) -> Counts;

    /// Moves everything to the totals. Nobody may be inside.
    fn flush<S: Storage>(&mut self, shards: &[Shard<S>]);
}

/// None: everything is counted in the totals straight away.
impl Tallies for () {
    #[inline(always)]
    fn count<S: Storage>(
        &self,
        _soloist: Option<usize>,
        _shard: u32,
        _created: EventType,
        _displaced: Option<u32>,
        _shards: &[Shard<S>],
    ) -> bool {
        false
    }

    fn load(&self, _shard: u32, _event_type: EventType) -> Counts {
        Counts::ZERO
    }

    fn flush<S: Storage>(&mut self, _shards: &[Shard<S>]) {}
}
