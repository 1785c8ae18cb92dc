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

use sys_trace::{Clock, Config, Engine, Event, EventType, Payload, Phase, Symbol};

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

fn started(events: u64) -> Arc<Engine<1>> {
    let engine = Arc::new(Engine::new());
    engine.start(&config(events)).unwrap();
    engine
}

fn emit(engine: &Engine<1>) -> bool {
    engine.emit(0, EventType::Generic, Phase::Instant, Payload::ZERO).is_some()
}

fn drain(engine: &Engine<1>) -> u64 {
    engine.drain(0, &mut [Event::ZERO; 4]).unwrap_or(0) as u64
}

fn assert_exact(engine: &Engine<1>, created: u64, drained: u64) {
    let total = engine.shard_counts(0).unwrap().total;
    assert_eq!((total.created, total.drained), (created, drained), "{total:?}");
    assert_eq!(total.live(), engine.resident(0) as u64, "{total:?}");
}

#[test]
fn two_emitters_overwrite() {
    model(3, || {
        let engine = started(1);
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

#[test]
fn drain_beside_an_emitter() {
    model(3, || {
        let engine = started(2);
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
#[test]
fn stop_beside_an_emitter() {
    model(3, || {
        let engine = started(2);
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
#[test]
fn restart_beside_a_late_emitter() {
    model(3, || {
        let engine = started(2);
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

#[test]
fn stop_beside_a_drain() {
    model(3, || {
        let engine = started(2);
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

#[test]
fn two_starts_one_wins() {
    model(3, || {
        let engine = Arc::new(Engine::<1>::new());
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
        let engine = started(2);
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
        let engine = started(1);
        let other = thread::spawn({
            let engine = engine.clone();
            move || engine.intern(0, "name")
        });
        assert_eq!(engine.intern(0, "name"), other.join().unwrap());
        assert_eq!(engine.strings().len(), 1);
    });
}

/// While the switch is on, an emit is created or counted as refused.
#[test]
fn every_emit_beside_a_stop_is_counted() {
    model(3, || {
        let engine = started(2);
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
#[test]
fn a_span_beside_a_restart() {
    model(2, || {
        let engine = started(2);
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
        let engine = started(1);
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
#[test]
fn snapshot_beside_an_emitter() {
    model(3, || {
        let engine = started(2);
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
#[test]
fn a_reader_beside_an_emitter() {
    model(2, || {
        let engine = started(1);
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
