//! Panics and emits where nobody expects them: inside a clock, a drain loop, a span, an allocator, a
//! `Drop`. The engine stays usable, and its accounts stay exact.
#![cfg(all(feature = "std", not(loom)))]
#![allow(missing_docs, reason = "a test")]
#![allow(unsafe_code, reason = "a global allocator is")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;
use syncface::atomic::{AtomicU64, Ordering::Relaxed};

use sys_trace::{Clock, Config, Engine, Event, EventType, Payload, Phase};

/// Emits at each allocation of a thread that asks for it.
struct Emitting;

static HOOKED: Engine<1> = Engine::new();
thread_local! {
    static EMITS: Cell<bool> = const { Cell::new(false) };
    /// Emits in the allocator: tried and accepted.
    static TRIED: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

fn hook() {
    if EMITS.try_with(Cell::get) == Ok(true) {
        let accepted = u64::from(instant(&HOOKED));
        TRIED.with(|it| it.set((it.get().0 + 1, it.get().1 + accepted)));
    }
}

// SAFETY: forwards to the system's allocator.
unsafe impl GlobalAlloc for Emitting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        hook();
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        hook();
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Emitting = Emitting;

fn instant<const S: usize>(engine: &Engine<S>) -> bool {
    engine.emit(0, EventType::Generic, Phase::Instant, Payload::ZERO).is_some()
}

fn small() -> Config {
    Config::new().events_per_shard(1024).clock(Clock::Custom(|| 7))
}

/// A panic that prints nothing.
fn quietly_panic() -> ! {
    resume_unwind(Box::new("on purpose"))
}

fn assert_usable<const S: usize>(engine: &Engine<S>) {
    let resident = engine.resident(0) as u64;
    assert_eq!(engine.loss().live(), resident, "{:?}", engine.loss());
    if engine.is_capturing() {
        engine.stop().unwrap();
        assert_eq!(engine.loss().live(), 0);
        assert_eq!(engine.loss().discarded, resident);
    }
    engine.start(&small()).unwrap();
    assert!(instant(engine));
    assert_eq!(engine.drain_all(9).unwrap().len(), 1);
    engine.stop().unwrap();
}

#[test]
fn a_clock_that_panics() {
    static LEFT: AtomicU64 = AtomicU64::new(u64::MAX);
    fn clock() -> u64 {
        match LEFT.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)) {
            Ok(_) => 7,
            Err(_) => quietly_panic(),
        }
    }
    let engine: Box<Engine<1>> = Box::default();
    let config = small().clock(Clock::Custom(clock));
    // In the start.
    LEFT.store(0, Relaxed);
    assert!(catch_unwind(AssertUnwindSafe(|| engine.start(&config))).is_err());
    assert!(!engine.is_capturing());
    // In an emit, and in the stop of a span.
    LEFT.store(u64::MAX, Relaxed);
    engine.start(&config).unwrap();
    assert!(instant(&engine));
    let span = engine.span(0, EventType::ExecCore, Payload::ZERO);
    LEFT.store(0, Relaxed);
    assert!(catch_unwind(AssertUnwindSafe(|| instant(&engine))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| drop(span))).is_err());
    assert_eq!(engine.loss().created, 2, "what panicked was not created");
    // In the stop.
    assert!(catch_unwind(AssertUnwindSafe(|| engine.stop())).is_err());
    LEFT.store(u64::MAX, Relaxed);
    assert!(instant(&engine), "the capture goes on");
    assert_usable(&engine);
}

#[test]
fn a_consumer_that_panics() {
    let engine: Box<Engine<1>> = Box::default();
    engine.start(&small()).unwrap();
    for _ in 0..10 {
        assert!(instant(&engine));
    }
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let mut out = [Event::ZERO; 4];
        engine.drain(0, &mut out).unwrap();
        quietly_panic();
    }));
    assert!(outcome.is_err());
    assert_eq!((engine.loss().drained, engine.resident(0)), (4, 6));
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let events = engine.drain_all(2).unwrap();
        assert_eq!(events.len(), 2);
        quietly_panic();
    }));
    assert!(outcome.is_err());
    assert_eq!((engine.loss().drained, engine.resident(0)), (6, 4));
    assert_usable(&engine);
}

#[test]
fn spans_stop_on_unwind_innermost_first() {
    let engine: Box<Engine<1>> = Box::default();
    engine.start(&small()).unwrap();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let _outer = engine.span(0, EventType::ExecuteApi, Payload::ZERO);
        let _inner = engine.span(0, EventType::ExecCore, Payload::ZERO);
        quietly_panic();
    }));
    assert!(outcome.is_err());
    let mut out = [Event::ZERO; 9];
    assert_eq!(engine.drain(0, &mut out), Ok(4));
    let ids: Vec<_> = out[..4].iter().map(|it| it.tracking_id).collect();
    assert_eq!((ids[2], ids[3]), (ids[1], ids[0]));
    assert_usable(&engine);
}

/// Emits in an allocator, while the same thread starts, interns, asks, drains and stops.
#[test]
fn an_allocator_that_emits() {
    HOOKED.start(&small()).unwrap();
    EMITS.set(true);
    let mut inside = [0; 4];
    let mut tried = 0;
    let mut look = |place: &mut u64| {
        *place += TRIED.get().0 - tried;
        tried = TRIED.get().0;
    };
    for n in 0..200 {
        HOOKED.intern(0, &format!("name {n} of many, so that the table has to grow"));
        look(&mut inside[0]);
        drop((HOOKED.counts(), HOOKED.strings(), HOOKED.names()));
        look(&mut inside[1]);
        drop(HOOKED.drain_all(usize::MAX));
        look(&mut inside[2]);
        if n % 10 == 0 {
            HOOKED.stop().unwrap();
            HOOKED.start(&small()).unwrap();
        }
        look(&mut inside[3]);
        assert_eq!(HOOKED.names_dropped(0), 0);
    }
    EMITS.set(false);
    assert!(inside.iter().all(|&it| it > 0), "each allocates: {inside:?}");
    let (tried, accepted) = TRIED.get();
    assert!(accepted > 0 && accepted < tried, "{accepted} of {tried}");
    assert_usable(&HOOKED);
}

/// Emits that meet a start or stop of their own thread are turned away and counted.
#[test]
fn a_drop_and_a_clock_that_emit() {
    static ENGINE: Engine<1> = Engine::new();
    struct Emitter;
    impl Drop for Emitter {
        fn drop(&mut self) {
            assert!(instant(&ENGINE));
        }
    }
    thread_local! {
        static DEPTH: Cell<u32> = const { Cell::new(0) };
        /// Destroyed with its thread, after this thread's id was asked for.
        static LAST: Cell<Option<Emitter>> = const { Cell::new(None) };
    }
    fn clock() -> u64 {
        let depth = DEPTH.get();
        if depth < 3 {
            DEPTH.set(depth + 1);
            instant(&ENGINE);
            let _ = ENGINE.start(&small());
            let _ = ENGINE.loss();
            ENGINE.intern(0, "in the clock");
            DEPTH.set(depth);
        }
        7
    }
    DEPTH.set(3);
    ENGINE.start(&small().clock(Clock::Custom(clock))).unwrap();
    DEPTH.set(0);
    assert!(instant(&ENGINE));
    // One, and the three that its clock made on the way down.
    assert_eq!(ENGINE.loss().created, 4);
    drop(vec![Emitter, Emitter]);
    let panicking = catch_unwind(AssertUnwindSafe(|| {
        let _emitter = Emitter;
        quietly_panic();
    }));
    assert!(panicking.is_err());
    thread::spawn(|| LAST.set(Some(Emitter))).join().unwrap();
    assert_eq!(ENGINE.loss().created, 4 * 5);
    DEPTH.set(3);
    assert_usable(&ENGINE);
}

/// A consumer that emits what it reads, as a log sink does, and one that stops the capture.
#[test]
fn a_sink_that_emits() {
    let engine: Box<Engine<1>> = Box::default();
    engine.start(&small()).unwrap();
    assert!(instant(&engine));
    let mut out = [Event::ZERO; 1];
    for _ in 0..5_000 {
        assert_eq!(engine.drain(0, &mut out), Ok(1));
        assert!(instant(&engine));
    }
    assert_eq!(engine.drain_all(usize::MAX).unwrap().len(), 1);
    assert_eq!((engine.loss().created, engine.loss().lost()), (5_001, 0));
    assert_usable(&engine);
}

/// A clock that asks for a stop waits for itself: the stop gives up, and a later one succeeds.
#[cfg(not(miri))]
#[test]
fn a_clock_that_stops_the_capture() {
    static ENGINE: Engine<1> = Engine::new();
    thread_local! {
        static STOPS: Cell<bool> = const { Cell::new(false) };
    }
    fn clock() -> u64 {
        if STOPS.replace(false) {
            assert_eq!(ENGINE.stop(), Err(sys_trace::StopError::StillInside { emitters: 1 }));
        }
        7
    }
    ENGINE.start(&small().clock(Clock::Custom(clock))).unwrap();
    STOPS.set(true);
    assert!(instant(&ENGINE));
    assert!(!ENGINE.is_capturing() && !instant(&ENGINE));
    ENGINE.stop().unwrap();
    assert_eq!((ENGINE.loss().created, ENGINE.loss().discarded), (1, 1));
    assert_usable(&ENGINE);
}
