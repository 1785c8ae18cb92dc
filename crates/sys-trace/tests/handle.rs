//! Captures that end with their handle.
#![cfg(all(feature = "std", not(loom)))]
#![allow(missing_docs, reason = "a test")]

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

use sys_trace::{
    ActiveCapture, Clock, Config, Engine, EventType, Payload, Phase, StartError, StopError,
};

fn config() -> Config {
    Config::new().events_per_shard(1024).clock(Clock::Custom(|| 7))
}

fn emit<const N: usize>(engine: &Engine<N>) -> bool {
    engine.emit(0, EventType::Generic, Phase::Instant, Payload::ZERO).is_some()
}

#[test]
fn a_drop_stops_and_counts_what_is_left() {
    let engine: Box<Engine<1>> = Box::default();
    {
        let capture = engine.capture(&config()).unwrap();
        assert_eq!(capture.epoch(), engine.capture_info().unwrap().epoch);
        assert!(emit(capture.engine()));
        assert_eq!(engine.capture(&config()).unwrap_err(), StartError::AlreadyCapturing);
        assert_eq!(engine.start(&config()), Err(StartError::AlreadyCapturing));
    }
    assert!(!engine.is_capturing());
    assert_eq!(engine.loss().discarded, 1);
}

#[test]
fn a_handle_stops_its_own_capture_only() {
    let engine: Box<Engine<1>> = Box::default();
    let first = engine.capture(&config()).unwrap();
    engine.stop().unwrap();
    assert_eq!((first.stop(), first.close()), (Err(StopError::NotCapturing), Ok(())));
    let second = engine.capture(&config()).unwrap();
    assert!(emit(&engine));
    assert_eq!((first.stop(), first.close()), (Err(StopError::NotCapturing), Ok(())));
    drop(first);
    assert!(engine.is_capturing());
    assert_eq!(engine.resident(0), 1);
    assert_eq!((second.stop(), second.close()), (Ok(()), Ok(())));
}

#[test]
fn a_handle_stops_while_unwinding_and_on_another_thread() {
    static ENGINE: Engine<1> = Engine::new();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let _capture = ENGINE.capture(&config()).unwrap();
        resume_unwind(Box::new("on purpose"));
    }));
    assert!(outcome.is_err() && !ENGINE.is_capturing());
    let capture: ActiveCapture<'static, 1> = ENGINE.capture(&config()).unwrap();
    thread::spawn(move || drop(capture)).join().unwrap();
    assert!(!ENGINE.is_capturing());
}

#[test]
fn a_detached_capture_runs_on() {
    let engine: Box<Engine<1>> = Box::default();
    engine.capture(&config()).unwrap().detach();
    assert!(engine.is_capturing());
    engine.stop().unwrap();
}

/// A drop inside of an emit waits for itself, gives up, and leaves a capture that only needs to be
/// closed.
#[cfg(not(miri))]
#[test]
fn a_drop_that_gives_up() {
    static ENGINE: Engine<1> = Engine::new();
    thread_local! {
        static HANDLE: Cell<Option<ActiveCapture<'static, 1>>> = const { Cell::new(None) };
    }
    fn clock() -> u64 {
        drop(HANDLE.take());
        7
    }
    let capture = ENGINE.capture(&config().clock(Clock::Custom(clock))).unwrap();
    HANDLE.set(Some(capture));
    assert!(emit(&ENGINE));
    assert!(!ENGINE.is_capturing() && !emit(&ENGINE));
    assert_eq!(ENGINE.start(&config()), Err(StartError::AlreadyCapturing));
    ENGINE.close().unwrap();
    assert_eq!(ENGINE.loss().discarded, 1);
    ENGINE.start(&config()).unwrap();
}
