//! Emitters, drains, starts, stops and interning, all at once: nothing is lost uncounted.
#![cfg(all(feature = "std", not(loom)))]
#![allow(missing_docs, reason = "a test")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use syncface::atomic::AtomicU64;
use sys_trace::{Config, Engine, Event, EventType, Payload, Phase, payload};

/// Counts the allocations of each thread, and on demand makes those of one size fail.
struct Watched;

/// The size of an allocation, and what to do in it.
type Hook = Option<(usize, fn())>;

thread_local! {
    /// Runs once, in the next allocation of that size.
    static HOOK: Cell<Hook> = const { Cell::new(None) };
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static REFUSE_FROM: Cell<usize> = const { Cell::new(usize::MAX) };
}

fn refused(size: usize) -> bool {
    ALLOCATIONS.with(|count| count.set(count.get() + 1));
    if let Some((at, run)) = HOOK.with(Cell::get) {
        if at == size {
            HOOK.with(Cell::take);
            run();
        }
    }
    size >= REFUSE_FROM.with(Cell::get)
}

#[allow(unsafe_code, reason = "a global allocator is")]
// SAFETY: forwards to the system's allocator, or returns null, which is always allowed.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if refused(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if refused(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watched = Watched;

#[test]
fn emitting_does_not_allocate() {
    let engine: Box<Engine<2>> = Box::default();
    engine.start(&Config::new().events_per_shard(1024)).unwrap();
    let emit_all = || {
        for n in 0..5_000 {
            let id = engine.emit(0, EventType::Generic, Phase::Start, Payload::ZERO);
            engine.emit_with_seq(n % 3, EventType::Generic, Phase::Stop, Payload::ZERO, id, 1);
            drop(engine.span(1, EventType::ExecCore, Payload::ZERO));
        }
    };
    let before = ALLOCATIONS.with(Cell::get);
    emit_all();
    engine.close().unwrap();
    // Stop may allocate; the emits after it may not.
    let after_stop = ALLOCATIONS.with(Cell::get);
    emit_all();
    assert_eq!(ALLOCATIONS.with(Cell::get), after_stop);
    engine.start(&Config::new().events_per_shard(1024)).unwrap();
    let before_again = ALLOCATIONS.with(Cell::get);
    emit_all();
    assert_eq!(ALLOCATIONS.with(Cell::get), before_again);
    assert!(before_again > before, "the counter counts");
}

#[test]
fn a_start_that_finds_no_memory_changes_nothing() {
    let engine: Box<Engine<8>> = Box::default();
    engine.start(&Config::new().events_per_shard(1050)).unwrap();
    engine.emit(3, EventType::Generic, Phase::Instant, Payload::ZERO);
    engine.stop().unwrap();
    let before = (engine.counts(), engine.capture_info());

    // Large allocations are refused, such as the counters. (Rings may come straight from the kernel;
    // lapring's tests see it refuse.)
    REFUSE_FROM.with(|from| from.set(64 << 10));
    let config = Config::new().events_per_shard(1080);
    let bytes = 1080 * if cfg!(target_pointer_width = "64") { 128 } else { 120 };
    let outcome = engine.start(&config);
    // A panic would want memory for its message.
    REFUSE_FROM.with(|from| from.set(usize::MAX));
    let error = outcome.unwrap_err();
    assert_eq!(error, sys_trace::StartError::OutOfMemory { shard: 0, bytes });
    assert_eq!((engine.counts(), engine.capture_info()), before);
    assert!(!engine.is_capturing());
    // Afterwards a capture can be had.
    engine.start(&Config::new().events_per_shard(1050)).unwrap();
    assert!(engine.emit(3, EventType::Generic, Phase::Instant, Payload::ZERO).is_some());
}

/// A drain of all shards that meets a stop and a start returns nothing of the next capture.
#[test]
fn a_merged_drain_does_not_mix_captures() {
    static ENGINE: Engine<2> = Engine::new();
    fn config() -> Config {
        Config::new().events_per_shard(1024).clock(sys_trace::Clock::Custom(|| 1))
    }
    fn emit(event_type: EventType) {
        ENGINE.emit(0, event_type, Phase::Instant, Payload::ZERO).unwrap();
    }
    ENGINE.start(&config()).unwrap();
    emit(EventType::Generic);
    // The first growth of the result: no lock is held, and shard 0 is known to hold an event.
    let first_growth = 4 * size_of::<Event>();
    HOOK.with(|hook| {
        hook.set(Some((first_growth, || {
            let next = || {
                ENGINE.stop().unwrap();
                ENGINE.start(&config()).unwrap();
                emit(EventType::NumErr);
            };
            thread::spawn(next).join().unwrap();
        })));
    });
    let events = ENGINE.drain_all(usize::MAX).unwrap();
    assert!(HOOK.with(Cell::get).is_none(), "the hook ran");
    assert_eq!(events, []);
    assert_eq!(ENGINE.resident(0), 1, "the next capture has its event");
}

/// The payload says in which capture, by which thread and as which of its events it was emitted.
fn stamped(epoch: u64, thread: u64, n: u64) -> Payload {
    payload::Generic { name: 0, args: [epoch, thread, n, epoch ^ thread ^ n] }.into()
}

#[test]
fn everything_at_once() {
    const EMITTERS: u64 = 3;
    let rounds = if cfg!(miri) { 3 } else { 40 };
    let engine: Box<Engine<4>> = Box::default();
    let done = AtomicBool::new(false);
    // The capture that runs, as the lifecycle thread announces it.
    let epoch = AtomicU64::new(0);
    thread::scope(|scope| {
        for thread in 0..EMITTERS {
            let (engine, done, epoch) = (&engine, &done, &epoch);
            scope.spawn(move || {
                let mut n = 0;
                while !done.load(Ordering::Acquire) {
                    let now = epoch.load(Ordering::Acquire);
                    let shard = (n % 5) as u32; // 4 does not exist
                    let event_type = EventType::ALL[n as usize % EventType::COUNT];
                    engine.emit(shard, event_type, Phase::Instant, stamped(now, thread, n));
                    n += 1;
                    if n % 64 == 0 {
                        engine.intern(shard, &format!("name {}", n % 1000));
                    }
                }
            });
        }
        let drained = scope.spawn(|| {
            let mut buffer = [Event::ZERO; 100];
            let mut drained = 0;
            while !done.load(Ordering::Acquire) {
                for shard in 0..4 {
                    // An emitter that was told of epoch k cannot appear in an earlier capture.
                    let latest = engine.capture_info().map_or(0, |info| info.epoch);
                    let count = engine.drain(shard, &mut buffer).unwrap_or(0);
                    drained += count;
                    let mut last = [None; EMITTERS as usize + 1];
                    for event in &buffer[..count] {
                        let payload::Generic { args: [of, thread, n, check], .. } =
                            payload::Generic::read(&event.payload);
                        assert_eq!(of ^ thread ^ n, check, "torn event");
                        assert!(of <= latest + 1);
                        assert_eq!(event.nc_idx, shard);
                        let last = &mut last[thread as usize];
                        assert!(*last < Some(n), "thread {thread} out of order");
                        *last = Some(n);
                    }
                }
                let _ = engine.strings();
                let _ = engine.counts();
            }
            drained
        });
        for round in 1..=rounds {
            engine.start(&Config::new().events_per_shard(1024)).unwrap();
            epoch.store(round, Ordering::Release);
            // The first event after the start is always there, whatever else goes on.
            let first =
                engine.emit(0, EventType::Generic, Phase::Instant, stamped(round, EMITTERS, round));
            // Not even beside a second start, which must be refused.
            assert!(engine.start(&Config::new()).is_err());
            assert!(first.is_some());
            while engine.total_event_count() < if cfg!(miri) { 50 } else { 5_000 } {
                thread::yield_now();
            }
            engine.stop().unwrap();
            for counts in engine.counts() {
                for event_type in EventType::ALL {
                    let it = counts.of(event_type);
                    assert_eq!(it.created, it.drained + it.displaced + it.discarded);
                }
                assert_eq!(counts.total.live(), 0);
            }
        }
        done.store(true, Ordering::Release);
        assert!(drained.join().unwrap() > 0);
    });
}

/// Stop beside emitters that never pause.
#[test]
fn stop_gets_through_to_busy_shards() {
    let engine: Box<Engine<1>> = Box::default();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                while !done.load(Ordering::Acquire) {
                    engine.emit(0, EventType::Generic, Phase::Instant, Payload::ZERO);
                }
            });
        }
        for _ in 0..if cfg!(miri) { 2 } else { 200 } {
            engine.start(&Config::new().events_per_shard(1024)).unwrap();
            engine.stop().unwrap();
            assert_eq!(engine.loss().live(), 0);
        }
        done.store(true, Ordering::Release);
    });
}
