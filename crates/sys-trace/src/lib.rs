//! A capture engine for host spans: 256 shards, each an overwriting ring, behind one gate;
//! emitting never blocks, and what was lost is counted exactly.
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use sys_trace::{Config, Engine, EventType, payload};
//!
//! static ENGINE: Engine = Engine::new();
//!
//! ENGINE.start(&Config::new().events_per_shard(65_536)).unwrap();
//! let model_id = ENGINE.intern(0, "resnet50").get();
//! {
//!     let _execute = ENGINE.span(0, EventType::ExecuteApi, payload::NrtExec { model_id });
//!     let _core = ENGINE.span(0, EventType::ExecCore, payload::ExecCore { exec_id: 1, model_id });
//!     // … the work …
//! } // both spans stop here
//! let events = ENGINE.drain_all(usize::MAX).unwrap();
//! assert_eq!(events.len(), 4);
//! assert_eq!(ENGINE.loss().lost(), 0);
//! ENGINE.stop().unwrap();
//! # }
//! ```
//!
//! # Words
//! - **shard**: one of [`Engine`]'s capture contexts, one per virtual core (`nc_idx`). Never per
//!   thread: any thread may emit on any shard.
//! - **switch**: the engine's flag "capturing". Off, an emit is one load and a branch.
//! - **gate**: what an emit goes in by; start and stop close it and wait until nobody is inside.
//! - **event**: a 112-byte [`Event`] of one of 46 [types](EventType) in a [`Phase`].
//! - **created, drained, displaced, discarded**: the [`Counts`] of a shard. At rest
//!   `created = drained + displaced + discarded + resident`, per shard and per type.
//!
//! # Life of a capture
//! [`start`](Engine::start) → [`emit`](Engine::emit) … [`drain`](Engine::drain) … →
//! [`stop`](Engine::stop). Starting allocates all rings or none; stopping counts what was not
//! drained. Nothing of one capture appears in the next. [`capture`](Engine::capture) starts one that
//! ends with its handle; a [`Reader`] follows one without taking anything.
//!
//! # Without an allocator
//! A [`StaticEngine`] has its rings and names inside and needs no feature but `enable`. It is the same code with
//! the same contract; [`Engine`] alone, with its default storage, keeps them on the heap.
//!
//! # Events of your own
//! The 46 types are those of one accelerator's runtime. Any other records named events, with up to four
//! numbers each, by the macros [`span!`], [`instant!`] and [`count!`].
//!
//! # Who excludes whom
//!
//! | operation | gate | lock | shard's names |
//! |---|---|---|---|
//! | start, stop | closed, and everybody out | exclusive | – |
//! | emit | in, or turned away at once | – | – |
//! | drain or copy a shard, counts | – | shared | – |
//! | intern | in, or no capture | – | new names take turns (of a static engine: all) |
//! | strings | – | shared, anew for each shard | – |
//!
//! # Forks
//! In a child made by `fork` every engine is off and as new, whatever the parent's threads were doing
//! with it: emits are not recorded until the child itself starts a capture, which then works as ever.
//! The memory of the parent's capture is released at the child's first use of the engine but an
//! emit; if somebody was at work with it at the fork, it is leaked in the child.
//!
//! A raw `clone` system call, or `_Fork`, runs no fork handlers, so such a child is not noticed: it
//! goes on emitting into its own copy of the rings, under the parent's thread id, and may hang in
//! anything but an emit. The same holds for a fork before the process first used an engine for
//! anything but an emit, which is harmless, and for a fork inside of an engine's operation (from a
//! custom clock, an allocator): the child must leave without going back there.
//!
//! # Features
//!
//! | feature | default | what it does |
//! |---|---|---|
//! | `std` | on | clocks, thread ids and a futex from the operating system; implies `alloc` |
//! | `alloc` | on | engines on the heap; without it only [`StaticEngine`] |
//! | `enable` | on | recording; without it emits, spans and macros compile to nothing, and a start says [`StartError::Disabled`] |
//! | `serde` | off | events, payloads, counts, [`CaptureInfo`], types, phases and symbols |
//! | `log` | off | one warning per shard and capture, through the `log` facade, when a reader or a stop notices loss; under no lock, and never from an emit |
//! | `portable-atomic` | off | for targets without compare-and-swap |
//! | `mutants` | off | test builds only |
#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod counts;
mod event;
mod event_type;
pub mod payload;
mod phase;
#[cfg(feature = "serde")]
mod serde;
mod sets;

mod active;
mod capture;
mod clock;
mod config;
mod count;
#[cfg(feature = "std")]
mod cycles;
mod drain;
mod emit;
mod engine;
mod error;
mod fork;
#[cfg(all(feature = "alloc", not(loom)))]
mod global;
#[cfg(feature = "alloc")]
mod heap;
mod inline;
mod intern;
mod named;
mod patience;
#[cfg(feature = "alloc")]
mod reader;
mod renew;
mod report;
#[cfg(feature = "alloc")]
mod sites;
mod snapshot;
#[cfg_attr(not(feature = "enable"), path = "span_off.rs")]
mod span;
mod storage;
mod switch;
#[cfg(feature = "alloc")]
mod tally;
mod thread_id;
mod totals;
mod track;
mod try_emit;
#[cfg(feature = "alloc")]
mod vars;

/// Whether this build records anything: the feature `enable`.
pub const ENABLED: bool = cfg!(feature = "enable");

pub use counts::{Counts, ShardCounts};
pub use event::Event;
pub use event_type::{EventType, Group};
pub use payload::{Field, FieldType, FieldValue, Payload, PayloadLayout, SyncInfo};
pub use phase::Phase;
pub use sets::{EventSet, ShardSet, ShardSetError, UnknownEventType};

pub use self::{
    active::ActiveCapture,
    capture::CaptureInfo,
    clock::Clock,
    config::Config,
    emit::TrackingId,
    engine::Engine,
    error::{DrainError, NotCapturing, StartError, StopError},
    inline::{Inline, StaticEngine},
    span::Span,
    storage::{DefaultStorage, Storage},
    try_emit::NotRecorded,
};
#[cfg(all(feature = "alloc", not(loom)))]
pub use global::global;
#[cfg(feature = "alloc")]
pub use heap::Heap;
#[cfg(feature = "alloc")]
pub use reader::{Batch, Missed, Reader};
#[cfg(feature = "alloc")]
pub use sipintern::{Limits, Strings};
pub use sipintern::{Symbol, symbol};
#[cfg(feature = "alloc")]
pub use sites::Name;
#[cfg(feature = "alloc")]
pub use vars::VarError;

/// The examples in the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
