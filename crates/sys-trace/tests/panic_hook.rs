//! What was captured can be saved when the process is about to die. A file of its own: a process has
//! one panic hook.
#![cfg(all(feature = "std", not(loom)))]
#![allow(missing_docs, reason = "a test")]

use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use sys_trace::{Clock, Config, Engine, Event, EventType, Payload, Phase};

static ENGINE: Engine<2> = Engine::new();
static SAVED: Mutex<Vec<Event>> = Mutex::new(Vec::new());
static CLOCK_PANICS: AtomicBool = AtomicBool::new(false);

fn clock() -> u64 {
    assert!(!CLOCK_PANICS.load(Ordering::Relaxed), "on purpose, inside of an emit");
    7
}

fn emit() {
    ENGINE.emit(0, EventType::Generic, Phase::Instant, Payload::ZERO);
}

fn save() {
    let events = ENGINE.drain_all(usize::MAX).unwrap();
    ENGINE.snapshot_all(usize::MAX).unwrap();
    SAVED.lock().unwrap().extend(events);
}

fn saved() -> usize {
    std::mem::take(&mut *SAVED.lock().unwrap()).len()
}

#[test]
fn a_panic_hook_drains_whatever_panicked() {
    panic::set_hook(Box::new(|_| save()));
    ENGINE.start(&Config::new().events_per_shard(1024).clock(Clock::Custom(clock))).unwrap();

    // In the middle of a span, on another thread, while events are recorded beside it.
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let beside = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                emit();
                thread::yield_now();
            }
        });
        let outcome = scope
            .spawn(|| {
                let _span = ENGINE.span(1, EventType::ExecCore, Payload::ZERO);
                panic!("on purpose");
            })
            .join();
        done.store(true, Ordering::Relaxed);
        assert!(outcome.is_err());
        beside.join().unwrap();
    });
    assert!(saved() >= 1, "the start of the span at least");
    save();
    saved();

    // In the middle of an emit: inside of the gate, before the event is there.
    emit();
    CLOCK_PANICS.store(true, Ordering::Relaxed);
    assert!(catch_unwind(AssertUnwindSafe(emit)).is_err());
    CLOCK_PANICS.store(false, Ordering::Relaxed);
    assert_eq!(saved(), 1);

    // Nothing is poisoned.
    emit();
    save();
    assert_eq!(saved(), 1);
    ENGINE.stop().unwrap();
    assert_eq!(ENGINE.loss().lost(), 0);
    drop(panic::take_hook());
}
