//! Rings and names inside the engine: for statics on machines without an allocator.

use lapring::{InlineRing, InlineSlots, Ring};
use parkspin::RwLock;
use sipintern::{FixedInterner, Symbol};

use crate::config::Config;
use crate::engine::Engine;
use crate::error::StartError;
use crate::event::Event;
use crate::renew::overwrite;
use crate::storage::{Parts, Storage};

/// Inside the engine itself, for good: for each shard a ring of `EVENTS` events and a table of `NAMES`
/// names that live for ever.
#[derive(Debug)]
pub enum Inline<const EVENTS: usize, const NAMES: usize> {}

/// An engine without an allocator: `SHARDS` shards, each with a ring of `EVENTS` events and a table of
/// `NAMES` names, all inside of it. It records, drains and counts as [`Engine`] does, with the same
/// code.
///
/// - **Rings** have `EVENTS` slots in every capture. A configuration that asks for more is refused;
///   one that asks for less, or for nothing, gets `EVENTS`.
/// - **Names** are literals, stored by reference ([`intern_static`](Self::intern_static)); past
///   `NAMES` they are counted and not stored. Best named at compile time, with
///   [`symbol!`](sipintern::symbol): then the table only serves who reads the dump.
/// - **Who emits** is told by [`Config::context`], and **when** by [`Clock::Custom`](crate::Clock):
///   without `std` there are no thread ids and no clocks.
/// - **Interrupts** may emit at any moment, and drain at any moment but within a start or stop (on the
///   cycle counter of a host: nor within a drain). They must not start, stop, intern or look names up:
///   these wait for what they interrupted.
/// - **Counts** have 64 bits on every target. Sequence numbers and ids have the bits of a `usize`: on
///   32-bit targets they repeat after about 4 billion events of a shard.
/// - **Size** per shard: 120 bytes for each event and 16 for each name, on 64-bit machines 128 and 24; three
///   counters of 8 bytes for each of the 46 event types; and about 250 bytes on Cortex-M, 600 where
///   cache lines are kept apart by 128 bytes.
///
/// On a processor without compare-and-swap an emit has four sections with interrupts off, each of a
/// few instructions (in by the gate, the claim of a slot, a count, out by the gate), and a fifth if it
/// overwrites an event. The event is made and copied outside of them.
///
/// ```
/// # #[cfg(not(loom))] {
/// use sys_trace::{Clock, Config, Event, EventType, Payload, Phase, StaticEngine};
///
/// static ENGINE: StaticEngine<4, 8, 16> = StaticEngine::new_inline();
///
/// let config = Config::new().clock(Clock::Custom(|| 7)).context(|| 3);
/// ENGINE.start(&config).unwrap();
/// for _ in 0..10 {
///     ENGINE.emit(1, EventType::Generic, Phase::Instant, Payload::ZERO);
/// }
/// let mut oldest = [Event::ZERO];
/// assert_eq!(ENGINE.drain(1, &mut oldest), Ok(1));
/// assert_eq!((oldest[0].nc_local_id, oldest[0].thread_id), (3, 3));
/// let counts = ENGINE.loss();
/// assert_eq!((counts.created, counts.drained, counts.displaced), (10, 1, 2));
/// ENGINE.stop().unwrap();
/// # }
/// ```
pub type StaticEngine<const SHARDS: usize, const EVENTS: usize, const NAMES: usize> =
    Engine<SHARDS, Inline<EVENTS, NAMES>>;

/// The ring of a shard: there always, in use while the shard takes part.
pub struct ShardRing<const EVENTS: usize> {
    open: bool,
    ring: InlineRing<Event, EVENTS>,
}

impl<const EVENTS: usize> ShardRing<EVENTS> {
    syncface::maybe_const! {
        fn new() -> Self {
            Self { open: false, ring: InlineRing::new_inline() }
        }
    }
}

impl<const EVENTS: usize, const NAMES: usize> Storage for Inline<EVENTS, NAMES> {}

impl<const EVENTS: usize, const NAMES: usize> Parts for Inline<EVENTS, NAMES> {
    type Slots = InlineSlots<Event, EVENTS>;
    type Ring = ShardRing<EVENTS>;
    type Names = RwLock<FixedInterner<NAMES>>;
    type Tallies = ();
    type Supplies = ();
    type Remains = ();

    #[cfg(not(loom))]
    #[expect(clippy::declare_interior_mutable_const, reason = "a fresh ring wherever it is named")]
    const NO_RING: Self::Ring = ShardRing::new();
    #[cfg(not(loom))]
    #[expect(clippy::declare_interior_mutable_const, reason = "a fresh table wherever it is named")]
    const NO_NAMES: Self::Names = RwLock::new(FixedInterner::new());
    const NO_TALLIES: () = ();

    #[cfg(loom)]
    fn no_ring() -> Self::Ring {
        ShardRing::new()
    }

    #[cfg(loom)]
    fn no_names() -> Self::Names {
        RwLock::new(FixedInterner::new())
    }

    fn supplies(config: &Config, _shards: u32) -> Result<(), StartError> {
        let limit = EVENTS as u64;
        match config.events_per_shard {
            Some(requested) if requested > limit => {
                Err(StartError::RingTooLarge { requested, limit })
            }
            _ => Ok(()),
        }
    }

    fn ring_events(_config: &Config) -> u64 {
        EVENTS as u64
    }

    fn renew_tallies(_supplies: &mut (), _tallies: &mut ()) {}

    fn arm(_supplies: &mut (), takes_part: bool, shard: &mut Self::Ring) {
        shard.open = takes_part;
        if takes_part && !syncface::mutant::is("sys_trace.ring_not_emptied") {
            // What the last capture discarded is still there.
            shard.ring.reset();
        }
    }

    fn renew_names(_supplies: &mut (), names: &mut Self::Names, _config: &Config) {
        names.get_mut().clear();
    }

    fn inherit_names(names: &mut Self::Names) {
        *names = RwLock::new(FixedInterner::new());
    }

    fn abandon(shard: &mut Self::Ring, names: &mut Self::Names) {
        // Events own nothing, and the next start makes the ring new.
        shard.open = false;
        overwrite(names, RwLock::new(FixedInterner::new()));
    }

    #[inline(always)]
    fn ring(shard: &Self::Ring) -> Option<&Ring<Event, Self::Slots>> {
        shard.open.then_some(&shard.ring)
    }

    fn remains(_shards: usize) {}

    fn disarm(_remains: &mut (), shard: &mut Self::Ring) -> bool {
        core::mem::replace(&mut shard.open, false)
    }

    fn names_dropped(names: &Self::Names) -> u64 {
        names.read().dropped()
    }
}

impl<const SHARDS: usize, const EVENTS: usize, const NAMES: usize>
    StaticEngine<SHARDS, EVENTS, NAMES>
{
    syncface::maybe_const! {
        /// An idle engine.
        ///
        /// A ring of no events does not compile:
        ///
        /// ```compile_fail
        /// static NONE: sys_trace::StaticEngine<4, 0, 8> = sys_trace::StaticEngine::new_inline();
        /// ```
        #[must_use]
        pub fn new_inline() -> Self {
            Self::idle()
        }
    }

    /// The id of `text`, which `shard` remembers for the running capture.
    ///
    /// As for [`emit`](Self::emit), a shard that takes no part, or does not exist, stores nothing; nor
    /// does a full table, or one where another text has that id. The id is the same in any case.
    ///
    /// Locks the shard's names for a binary search: not for interrupt and signal handlers.
    ///
    /// ```
    /// # #[cfg(not(loom))] {
    /// use sys_trace::{Clock, Config, StaticEngine, Symbol};
    /// static ENGINE: StaticEngine<1, 8, 4> = StaticEngine::new_inline();
    /// ENGINE.start(&Config::new().clock(Clock::Custom(|| 7))).unwrap();
    /// let id = ENGINE.intern_static(0, "conv2d");
    /// assert_eq!(id, Symbol::of("conv2d"));
    /// assert_eq!(ENGINE.resolve(id), Some("conv2d"));
    /// assert_eq!(ENGINE.names_of(0).collect::<Vec<_>>(), [(id, "conv2d")]);
    /// # }
    /// ```
    pub fn intern_static(&self, shard: u32, text: &'static str) -> Symbol {
        self.intern_by(shard, text, |names| names.write().intern_static(text).id)
    }

    /// The text that a shard remembers under `id`; of several, that of the lowest shard. Of the running
    /// capture, or of the last one until the next start.
    #[must_use]
    pub fn resolve(&self, id: Symbol) -> Option<&'static str> {
        self.core().shards.iter().find_map(|shard| shard.names.read().resolve_static(id))
    }

    /// The names of one shard by ascending id; none of a shard that does not exist.
    ///
    /// A name that is stored meanwhile may be left out, or make another one come twice.
    pub fn names_of(&self, shard: u32) -> impl Iterator<Item = (Symbol, &'static str)> + '_ {
        // No lock is held between two names.
        let name =
            move |at| self.core().shards.get(shard as usize)?.names.read().iter_static().nth(at);
        (0..).map_while(name)
    }
}
