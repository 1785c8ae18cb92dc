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
    // Whoever panics while a panic is handled takes the message of the first one with it.
    let (Ok(events), Ok(_)) = (ENGINE.drain_all(usize::MAX), ENGINE.snapshot_all(usize::MAX))
    else {
        eprintln!("nothing can be read");
        return;
    };
    SAVED.lock().unwrap().extend(events);
}

fn saved() -> usize {
    std::mem::take(&mut *SAVED.lock().unwrap()).len()
}

#[test]
fn a_panic_hook_drains_whatever_panicked() {
    panic::set_hook(Box::new(|info| {
        eprintln!("{info}");
        save();
    }));
    ENGINE.start(&Config::new().events_per_shard(1024).clock(Clock::Custom(clock))).unwrap();

    // In the middle of a span, on another thread, while events are recorded beside it. How many
    // there are depends on the machine; they may well displace one another.
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let beside = scope.spawn(|| {
            let mut emitted = 0;
            while !done.load(Ordering::Relaxed) {
                emit();
                emitted += 1;
                thread::yield_now();
            }
            emitted
        });
        let outcome = scope
            .spawn(|| {
                let _span = ENGINE.span(1, EventType::ExecCore, Payload::ZERO);
                panic!("on purpose");
            })
            .join();
        done.store(true, Ordering::Relaxed);
        assert!(outcome.is_err());
        let emitted: u64 = beside.join().unwrap();
        let of_the_span = |event: &&Event| event.nc_idx == 1;
        let in_the_hook = SAVED.lock().unwrap().iter().filter(of_the_span).count();
        assert_eq!(in_the_hook, 1, "its start");
        save();
        // The span stopped while the thread unwound.
        assert_eq!(saved() as u64 + ENGINE.loss().lost(), emitted + 2);
    });
    let displaced = ENGINE.loss().lost();

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
    assert_eq!(ENGINE.loss().lost(), displaced);
    drop(panic::take_hook());
}
