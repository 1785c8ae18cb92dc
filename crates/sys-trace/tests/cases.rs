//! Faults that users of such engines have met, one test for each kind that has no other place.
#![cfg(all(feature = "std", not(loom)))]
#![allow(missing_docs, reason = "a test")]

use std::future::Future;
use std::pin::pin;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};
use syncface::atomic::{AtomicBool, AtomicU64, Ordering};

use sys_trace::{Clock, Config, Engine, EventType, Payload, Phase, Span, StopError};

fn instant<const N: usize>(engine: &Engine<N>, shard: u32) -> bool {
    engine.emit(shard, EventType::Generic, Phase::Instant, Payload::ZERO).is_some()
}

fn small() -> Config {
    Config::new().events_per_shard(1024)
}

/// A dump of a full ring neither refuses nor holds up who emits meanwhile: many emits begin and end
/// within it. (On a busy machine a dump may find nobody emitting; there are more dumps.)
#[test]
fn emits_beside_a_drain_of_a_full_ring() {
    const EVENTS: u64 = 1 << 16;
    let within_one_dump = (0..200).map(|_| emits_within_a_dump(EVENTS)).find(|emits| *emits >= 100);
    assert!(within_one_dump.is_some(), "emits wait for the dump");
}

fn emits_within_a_dump(events: u64) -> u64 {
    let engine: Box<Engine<1>> = Box::default();
    engine.start(&Config::new().events_per_shard(events)).unwrap();
    (0..events).for_each(|_| assert!(instant(&engine, 0)));
    let (emits, done) = (AtomicU64::new(0), AtomicBool::new(false));
    let within = thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Acquire) {
                assert!(instant(&engine, 0), "turned away");
                emits.fetch_add(1, Ordering::Release);
            }
        });
        while emits.load(Ordering::Acquire) == 0 {
            thread::yield_now();
        }
        let before = emits.load(Ordering::Acquire);
        let drained = engine.drain_all(usize::MAX).unwrap().len() as u64;
        let within = emits.load(Ordering::Acquire) - before;
        done.store(true, Ordering::Release);
        (within, drained)
    });
    let loss = engine.loss();
    assert_eq!((loss.created, loss.drained), (events + emits.into_inner(), within.1));
    assert!(within.1 + loss.displaced >= events);
    within.0
}

/// A stop waits for nobody who waits for it.
#[test]
fn a_stop_beside_eight_emitters_and_an_interner_is_quick() {
    let engine: Box<Engine<2>> = Box::default();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for emitter in 0..8 {
            let (engine, done) = (&engine, &done);
            scope.spawn(move || {
                while !done.load(Ordering::Acquire) {
                    instant(engine, emitter % 2);
                }
            });
        }
        scope.spawn(|| {
            for n in 0_u64.. {
                engine.intern(0, &format!("name {n}"));
                if done.load(Ordering::Acquire) {
                    break;
                }
            }
        });
        for _ in 0..20 {
            engine.start(&small()).unwrap();
            thread::sleep(Duration::from_millis(2));
            let before = Instant::now();
            assert_eq!(engine.stop(), Ok(()));
            assert!(before.elapsed() < Duration::from_secs(1), "{:?}", before.elapsed());
            assert_eq!(engine.loss().live(), 0);
        }
        done.store(true, Ordering::Release);
    });
}

/// Whatever a clock says, no event is before its capture or at 0, and the order is that of the
/// sequence numbers.
#[test]
fn clocks_that_go_backwards_or_stand_before_the_epoch() {
    static NOW: AtomicU64 = AtomicU64::new(0);
    fn clock() -> u64 {
        NOW.load(Ordering::Relaxed)
    }
    let engine: Box<Engine<1>> = Box::default();
    for times in [[100, 90, 0, 150, 120], [0, 0, 0, 0, 0], [u64::MAX, 5, u64::MAX, 0, 1]] {
        NOW.store(times[0], Ordering::Relaxed);
        engine.start(&small().clock(Clock::Custom(clock))).unwrap();
        let start = engine.capture_info().unwrap().start_ns;
        assert!(start >= 1);
        for time in times {
            NOW.store(time, Ordering::Relaxed);
            assert!(instant(&engine, 0));
        }
        let mut events = engine.drain_all(9).unwrap();
        events.sort_by_key(|event| event.nc_local_id);
        let told: Vec<u64> = events.iter().map(|event| event.timestamp_ns).collect();
        assert_eq!(told, times.map(|time| time.max(start)));
        engine.stop().unwrap();
        let info = engine.capture_info().unwrap();
        assert!(info.stop_ns.unwrap() >= info.start_ns);
    }
}

/// With the system's clocks too: the first events of many captures, on threads that were there
/// before.
#[test]
fn no_event_is_earlier_than_its_capture() {
    let engine: Box<Engine<2>> = Box::default();
    let (done, rounds) = (AtomicBool::new(false), if cfg!(miri) { 2 } else { 50 });
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Acquire) {
                instant(&engine, 1);
            }
        });
        for round in 0..rounds {
            let clock = [Clock::Cycles, Clock::Steady, Clock::Realtime][round % 3];
            engine.start(&small().clock(clock)).unwrap();
            let start = engine.capture_info().unwrap().start_ns;
            assert!(instant(&engine, 0));
            let events = engine.drain_all(usize::MAX).unwrap();
            assert!(events.iter().any(|event| event.nc_idx == 0), "the first event is there");
            assert!(events.iter().all(|event| event.timestamp_ns >= start && start > 0));
            engine.stop().unwrap();
        }
        done.store(true, Ordering::Release);
    });
}

/// After a stop an emit does nothing but look at the switch: no clock, no count, no evaluation.
#[test]
fn after_a_stop_an_emit_is_a_look_at_the_switch() {
    static READINGS: AtomicU64 = AtomicU64::new(0);
    fn clock() -> u64 {
        READINGS.fetch_add(1, Ordering::Relaxed)
    }
    let engine: Box<Engine<1>> = Box::default();
    engine.start(&small().clock(Clock::Custom(clock))).unwrap();
    assert!(instant(&engine, 0));
    let open = engine.span(0, EventType::ExecCore, Payload::ZERO);
    engine.stop().unwrap();
    let (readings, counts) = (READINGS.load(Ordering::Relaxed), engine.counts());
    drop(open);
    for _ in 0..100 {
        assert!(!instant(&engine, 0) && !instant(&engine, 77));
        drop(engine.span(0, EventType::ExecCore, Payload::ZERO));
        sys_trace::instant!(engine, unreachable(), "off", unreachable());
    }
    assert_eq!(READINGS.load(Ordering::Relaxed), readings);
    assert_eq!((engine.counts(), engine.misdirected()), (counts, 0));

    fn unreachable<T>() -> T {
        panic!("evaluated while nothing is captured")
    }
}

/// A future that is pending once.
struct Once(bool);

impl Future for Once {
    type Output = ();

    fn poll(mut self: std::pin::Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// A span lives across an await, and ends where the future is polled to its end.
#[test]
fn a_span_across_an_await() {
    let engine: Box<Engine<1>> = Box::default();
    engine.start(&small()).unwrap();
    let work = async {
        let _span = engine.span(0, EventType::ExecCore, Payload::ZERO);
        Once(false).await;
    };
    let mut work = pin!(work);
    let mut context = Context::from_waker(Waker::noop());
    assert!(work.as_mut().poll(&mut context).is_pending());
    let ended = thread::scope(|scope| {
        scope.spawn(|| work.as_mut().poll(&mut Context::from_waker(Waker::noop()))).join()
    });
    assert!(ended.unwrap().is_ready());
    let events = engine.drain_all(9).unwrap();
    assert_eq!(
        events.iter().map(|event| event.phase()).collect::<Vec<_>>(),
        [Phase::Start, Phase::Stop]
    );
    assert_eq!(events[0].tracking_id, events[1].tracking_id);
    assert_ne!(events[0].thread_id, events[1].thread_id);
}

/// Spans are opened, handed to other threads, ended, kept and leaked in any order beside starts and
/// stops: nothing panics, no stop is without its start, and the accounts are exact.
#[test]
fn spans_in_any_order() {
    static ENGINE: Engine<2> = Engine::new();
    static OPEN: Mutex<Vec<Span<'static, 2>>> = Mutex::new(Vec::new());
    let turns = if cfg!(miri) { 50 } else { 20_000 };
    let work = move |seed: u64| {
        let mut state = seed;
        for _ in 0..turns {
            // Marsaglia's xorshift.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let mut open = OPEN.lock().unwrap();
            match state % 8 {
                0..3 => open.push(ENGINE.span(
                    (state >> 8) as u32 % 3,
                    EventType::ExecCore,
                    Payload::ZERO,
                )),
                3..6 if !open.is_empty() => {
                    let at = (state >> 8) as usize % open.len();
                    let span = open.swap_remove(at);
                    drop(open);
                    span.finish(Payload::ZERO);
                }
                6 if open.len() > 100 => std::mem::forget(open.pop()),
                7 if state % 512 == 7 => {
                    drop(open);
                    let outcome =
                        (ENGINE.stop(), ENGINE.start(&small().clock(Clock::Custom(|| 7))));
                    assert!(
                        !matches!(outcome.0, Err(StopError::StillInside { .. })),
                        "{outcome:?}"
                    );
                }
                _ => {}
            }
        }
    };
    ENGINE.start(&small()).unwrap();
    thread::scope(|scope| {
        for seed in 1..=3_u64 {
            scope.spawn(move || work(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        }
    });
    let _ = ENGINE.start(&small());
    let resident = ENGINE.drain_all(usize::MAX).unwrap();
    // A span's start has the smaller number: what is a stop here has its start before it, here or
    // among the displaced.
    for stop in resident.iter().filter(|event| event.phase() == Phase::Stop) {
        let number = stop.tracking_id & ((1 << 50) - 1);
        assert!(number < stop.nc_local_id, "{stop:?}");
    }
    assert_eq!(ENGINE.loss().live(), 0);
    ENGINE.stop().unwrap();
    drop(std::mem::take(&mut *OPEN.lock().unwrap()));
}
