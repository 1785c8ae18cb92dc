//! Models of the engine: under `--cfg loom` every interleaving up to the preemption bound, natively
//! a few hundred runs of the same bodies on real threads.
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test --release -p sys-trace --test model
//! ```
//!
//! Each model ends with the accounting identity: what was created was drained, displaced, discarded
//! or is resident.
#![cfg(feature = "std")]
#![allow(missing_docs, reason = "a test")]

use std::sync::Arc;

use sys_trace::{
    Clock, Config, Engine, Event, EventType, Heap, Inline, Payload, Phase, Storage, Symbol,
};

#[cfg(loom)]
use loom::thread;
#[cfg(not(loom))]
use std::thread;

/// Under loom every interleaving with at most `bound` preemptions, natively a few hundred runs.
fn model(bound: usize, body: impl Fn() + Sync + Send + 'static) {
    syncface::model::explore(Some(bound), body);
}

fn config(events: u64) -> Config {
    Config::new().clock(Clock::Custom(|| 1)).events_per_shard_exact(events)
}

/// Models that do not depend on the storage, with as many events in a ring.
macro_rules! on_both {
    ($($model:ident: $events:literal),* $(,)?) => {
        mod heap {
            $(#[test] fn $model() { super::$model::<sys_trace::Heap>() })*
        }
        mod inline {
            $(#[test] fn $model() { super::$model::<sys_trace::Inline<$events, 1>>() })*
        }
    };
}

on_both!(
    two_emitters_overwrite: 1,
    drain_beside_an_emitter: 2,
    stop_beside_an_emitter: 2,
    restart_beside_a_late_emitter: 2,
    stop_beside_a_drain: 2,
    two_starts_one_wins: 1,
    every_emit_beside_a_stop_is_counted: 2,
    a_span_beside_a_restart: 2,
    snapshot_beside_an_emitter: 2,
    a_reader_beside_an_emitter: 1,
);

fn started<S: Storage>(events: u64) -> Arc<Engine<1, S>> {
    let engine = Arc::new(Engine::<1, S>::default());
    engine.start(&config(events)).unwrap();
    engine
}

fn emit<S: Storage>(engine: &Engine<1, S>) -> bool {
    engine.emit(0, EventType::Generic, Phase::Instant, Payload::ZERO).is_some()
}

fn drain<S: Storage>(engine: &Engine<1, S>) -> u64 {
    engine.drain(0, &mut [Event::ZERO; 4]).unwrap_or(0) as u64
}

fn assert_exact<S: Storage>(engine: &Engine<1, S>, created: u64, drained: u64) {
    let total = engine.shard_counts(0).unwrap().total;
    assert_eq!((total.created, total.drained), (created, drained), "{total:?}");
    assert_eq!(total.live(), engine.resident(0) as u64, "{total:?}");
}

fn two_emitters_overwrite<S: Storage>() {
    model(3, || {
        let engine = started::<S>(1);
        let other = thread::spawn({
            let engine = engine.clone();
            move || emit(&engine)
        });
        // Who finds the only slot in the middle of the other's copy is turned away, and counted.
        let here = emit(&engine);
        assert!(other.join().unwrap() || here);
        assert_exact(&engine, 2, 0);
        assert_eq!(engine.loss().displaced, 1);
        assert_eq!(drain(&engine), 1);
    });
}

fn drain_beside_an_emitter<S: Storage>() {
    model(3, || {
        let engine = started::<S>(2);
        assert!(emit(&engine));
        let other = thread::spawn({
            let engine = engine.clone();
            move || assert!(emit(&engine))
        });
        let drained = drain(&engine);
        assert!(drained >= 1, "the first was there");
        other.join().unwrap();
        assert_exact(&engine, 2, drained);
    });
}

/// An emit beside a stop is either in the accounts or was not accepted.
fn stop_beside_an_emitter<S: Storage>() {
    model(3, || {
        let engine = started::<S>(2);
        let other = thread::spawn({
            let engine = engine.clone();
            move || u64::from(emit(&engine))
        });
        engine.stop().unwrap();
        let created = other.join().unwrap();
        assert_exact(&engine, created, 0);
        assert_eq!(engine.loss().discarded, created);
        assert!(!emit(&engine));
    });
}

/// A late emitter of one capture beside the start of the next: no event crosses over uncounted, and
/// no ring is used after it was dropped.
fn restart_beside_a_late_emitter<S: Storage>() {
    model(3, || {
        let engine = started::<S>(2);
        let other = thread::spawn({
            let engine = engine.clone();
            move || emit(&engine)
        });
        engine.stop().unwrap();
        engine.start(&config(2)).unwrap();
        assert!(emit(&engine), "the first event after a start");
        other.join().unwrap();
        let total = engine.shard_counts(0).unwrap().total;
        assert!((1..=2).contains(&total.created));
        assert_exact(&engine, total.created, 0);
    });
}

fn stop_beside_a_drain<S: Storage>() {
    model(3, || {
        let engine = started::<S>(2);
        assert!(emit(&engine));
        let other = thread::spawn({
            let engine = engine.clone();
            move || drain(&engine)
        });
        engine.stop().unwrap();
        let drained = other.join().unwrap();
        assert_exact(&engine, 1, drained);
        assert_eq!(engine.loss().discarded, 1 - drained);
    });
}

fn two_starts_one_wins<S: Storage>() {
    model(3, || {
        let engine = Arc::new(Engine::<1, S>::default());
        let other = thread::spawn({
            let engine = engine.clone();
            move || engine.start(&config(1)).is_ok()
        });
        let here = engine.start(&config(1)).is_ok();
        let there = other.join().unwrap();
        assert!(here != there);
        assert_eq!(engine.capture_info().unwrap().epoch, 1);
    });
}

/// Interning on a shard keeps no emitter of it from being accepted; a stop finds both at work.
#[test]
fn intern_beside_an_emitter_and_a_stop() {
    model(2, || {
        let engine = started::<Heap>(2);
        assert!(emit(&engine));
        let other = thread::spawn({
            let engine = engine.clone();
            move || {
                assert_eq!(engine.intern(0, "name"), Symbol::of("name"));
                u64::from(emit(&engine))
            }
        });
        engine.stop().unwrap();
        let created = 1 + other.join().unwrap();
        assert!(engine.strings().get(Symbol::of("name")).is_none_or(|text| text == "name"));
        assert_exact(&engine, created, 0);
    });
}

#[test]
fn two_threads_intern_one_name() {
    model(3, || {
        let engine = started::<Heap>(1);
        let other = thread::spawn({
            let engine = engine.clone();
            move || engine.intern(0, "name")
        });
        assert_eq!(engine.intern(0, "name"), other.join().unwrap());
        assert_eq!(engine.strings().len(), 1);
    });
}

/// While the switch is on, an emit is created or counted as refused.
fn every_emit_beside_a_stop_is_counted<S: Storage>() {
    model(3, || {
        let engine = started::<S>(2);
        let other = thread::spawn({
            let engine = engine.clone();
            move || {
                let was_on = engine.is_capturing();
                let accepted = emit(&engine);
                // Only a stop that has not yet turned the switch off leaves it on here.
                (was_on && engine.is_capturing(), accepted)
            }
        });
        let stopped = thread::spawn({
            let engine = engine.clone();
            move || engine.stop().unwrap()
        });
        let (on, accepted) = other.join().unwrap();
        stopped.join().unwrap();
        let counts = engine.shard_counts(0).unwrap();
        assert_eq!(counts.total.created, u64::from(accepted));
        assert!(counts.refused <= u64::from(!accepted));
        assert!(!on || counts.total.created + counts.refused == 1, "{counts:?}");
    });
}

/// A span of one capture, dropped beside the end of it and the start of the next, stops in its own or
/// nowhere.
fn a_span_beside_a_restart<S: Storage>() {
    model(2, || {
        let engine = started::<S>(2);
        let other = thread::spawn({
            let engine = engine.clone();
            move || drop(engine.span(0, EventType::ExecCore, Payload::ZERO))
        });
        engine.stop().unwrap();
        engine.start(&config(2)).unwrap();
        other.join().unwrap();
        let total = engine.shard_counts(0).unwrap().total;
        // A lone stop is of another capture's span.
        assert!(total.created != 1, "{total:?}");
        assert_exact(&engine, total.created, 0);
    });
}

/// A name that is interned beside a stop is stored before it or not at all: what is read after the
/// stop does not change any more.
#[test]
fn intern_beside_a_stop() {
    model(3, || {
        let engine = started::<Heap>(1);
        let other = thread::spawn({
            let engine = engine.clone();
            move || engine.intern(0, "name")
        });
        engine.stop().unwrap();
        let stored = engine.strings().len();
        assert_eq!(other.join().unwrap(), Symbol::of("name"));
        assert_eq!(engine.strings().len(), stored);
    });
}

/// A copy of an event whose time comes meanwhile is counted by who made it.
fn snapshot_beside_an_emitter<S: Storage>() {
    model(3, || {
        let engine = started::<S>(2);
        assert!(emit(&engine) && emit(&engine));
        let other = thread::spawn({
            let engine = engine.clone();
            move || engine.snapshot(0, &mut [Event::ZERO; 2]).unwrap()
        });
        let accepted = emit(&engine);
        assert!(other.join().unwrap() <= 2);
        let drained = drain(&engine);
        let total = engine.shard_counts(0).unwrap().total;
        assert_eq!((total.created, total.drained, total.live()), (3, drained, 0), "{total:?}");
        assert!(accepted || total.displaced >= 1);
    });
}

/// Between two calls nothing is seen twice or forgotten.
fn a_reader_beside_an_emitter<S: Storage>() {
    model(2, || {
        let engine = started::<S>(1);
        assert!(emit(&engine));
        // Reads here, because loom hides stores behind the emitter's own loads.
        let other = thread::spawn({
            let engine = engine.clone();
            move || {
                let mut reader = engine.reader();
                [reader.read(9).unwrap(), reader.read(9).unwrap()]
            }
        });
        let accepted = 1 + u64::from(emit(&engine));
        let batches = other.join().unwrap();
        let numbers: Vec<u64> =
            batches.iter().flat_map(|it| &it.events).map(|event| event.nc_local_id).collect();
        let told = numbers.len() as u64 + batches[0].missed() + batches[1].missed();
        assert!(told <= 3 && numbers.len() as u64 <= accepted, "{batches:?}");
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), numbers.len(), "seen twice: {numbers:?}");
        let drained = drain(&engine);
        let total = engine.shard_counts(0).unwrap().total;
        assert_eq!((total.created, total.drained, total.live()), (2, drained, 0), "{total:?}");
    });
}

/// The same of an engine whose table a writer has to itself.
#[test]
fn a_static_engine_interns_beside_a_stop() {
    model(3, || {
        let engine = started::<Inline<1, 2>>(1);
        let other = thread::spawn({
            let engine = engine.clone();
            move || engine.intern_static(0, "name")
        });
        engine.stop().unwrap();
        let stored = engine.names_of(0).count();
        assert_eq!(other.join().unwrap(), Symbol::of("name"));
        assert_eq!(engine.names_of(0).count(), stored);
    });
}

/// What a capture left in a ring that stays is not in the next one.
#[test]
fn a_restart_empties_the_ring() {
    model(2, || {
        let engine = started::<Inline<2, 1>>(2);
        assert!(emit(&engine));
        let other = thread::spawn({
            let engine = engine.clone();
            move || emit(&engine)
        });
        engine.stop().unwrap();
        engine.start(&config(2)).unwrap();
        other.join().unwrap();
        let created = engine.shard_counts(0).unwrap().total.created;
        assert_exact(&engine, created, 0);
        let mut out = [Event::ZERO; 4];
        assert_eq!(engine.drain(0, &mut out), Ok(created as usize));
        assert_eq!(out[0].nc_local_id, created);
    });
}
