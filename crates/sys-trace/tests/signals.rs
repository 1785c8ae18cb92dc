//! A timer signal, 5,000 times a second, whose handler emits on the very shard that the interrupted
//! thread is using, whatever it is doing there: nothing hangs, and every event is accounted for.
#![cfg(all(feature = "std", target_os = "linux", not(loom), not(miri)))]
#![allow(missing_docs, reason = "a test")]
#![allow(unsafe_code, reason = "installs a signal handler and a timer")]

use std::mem::zeroed;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

use sys_trace::{Config, Engine, Event, EventType, Phase, payload};

static ENGINE: Engine<1> = Engine::new();
static SIGNALS: AtomicU32 = AtomicU32::new(0);
/// Emits of the handler that were accepted, and all of them.
static ACCEPTED: AtomicU32 = AtomicU32::new(0);
static TRIED: AtomicU32 = AtomicU32::new(0);

fn emit(event_type: EventType, n: u64) -> bool {
    let payload = payload::Generic { name: 0, args: [n, !n, n, !n] };
    ENGINE.emit(0, event_type, Phase::Instant, payload).is_some()
}

/// Async-signal-safe: atomics and emits.
extern "C" fn on_signal(_: libc::c_int) {
    let signal = SIGNALS.fetch_add(1, Relaxed).into();
    for _ in 0..3 {
        TRIED.fetch_add(1, Relaxed);
        if emit(EventType::NumErr, signal) {
            ACCEPTED.fetch_add(1, Relaxed);
        }
    }
}

/// Sends SIGALRM to this thread every 200 µs while it lives.
struct Timer(libc::timer_t);

impl Timer {
    fn arm() -> Self {
        // SAFETY: all-zero bytes are a valid sigaction, filled in below.
        let mut action: libc::sigaction = unsafe { zeroed() };
        action.sa_sigaction = on_signal as *const () as usize;
        action.sa_flags = libc::SA_RESTART;
        // SAFETY: the handler is async-signal-safe and has the signature that the flags ask for.
        assert_eq!(unsafe { libc::sigaction(libc::SIGALRM, &action, null_mut()) }, 0);

        // SAFETY: all-zero bytes are a valid sigevent, filled in below.
        let mut event: libc::sigevent = unsafe { zeroed() };
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_signo = libc::SIGALRM;
        // SAFETY: no precondition.
        event.sigev_notify_thread_id = unsafe { libc::gettid() };
        let mut timer = null_mut();
        // SAFETY: both pointers are valid for the call.
        let made = unsafe { libc::timer_create(libc::CLOCK_MONOTONIC, &mut event, &mut timer) };
        assert_eq!(made, 0);

        let period = libc::timespec { tv_sec: 0, tv_nsec: 200_000 };
        let times = libc::itimerspec { it_interval: period, it_value: period };
        // SAFETY: the timer was made above and the times are valid for the call.
        assert_eq!(unsafe { libc::timer_settime(timer, 0, &times, null_mut()) }, 0);
        Self(timer)
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        // SAFETY: made by `arm`, deleted once.
        unsafe { libc::timer_delete(self.0) };
        // A signal that was already pending is taken now.
        // SAFETY: no precondition.
        unsafe { libc::usleep(1_000) };
    }
}

/// What the interrupted thread does over and over; `n` counts.
type Work = fn(&mut Totals, u64);

#[derive(Default)]
struct Totals {
    accepted: u64,
    drained: u64,
}

fn emits(totals: &mut Totals, n: u64) {
    totals.accepted += u64::from(emit(EventType::Generic, n));
}

fn interns(_: &mut Totals, n: u64) {
    // New names, and every now and then a known one.
    ENGINE.intern(0, &format!("name {}", n % 50_000));
}

fn drains(totals: &mut Totals, n: u64) {
    let mut out = [Event::ZERO; 64];
    totals.accepted += u64::from(emit(EventType::Generic, n));
    let count = ENGINE.drain(0, &mut out).unwrap();
    totals.drained += count as u64;
    for event in &out[..count] {
        let payload::Generic { args: [a, b, c, d], .. } = payload::Generic::read(&event.payload);
        assert!(a == c && b == d && a == !b, "torn event {event:?}");
    }
}

fn asks(_: &mut Totals, _: u64) {
    let _ = (ENGINE.counts(), ENGINE.loss(), ENGINE.strings(), ENGINE.capture_info());
}

/// The captures end, so their accounts are checked here, each.
fn restarts(totals: &mut Totals, n: u64) {
    totals.accepted += u64::from(emit(EventType::Generic, n));
    ENGINE.stop().unwrap();
    assert_exact("restarts");
    assert_eq!(ENGINE.loss().live(), 0);
    ENGINE.start(&config()).unwrap();
    // The next round's first event is always accepted.
    assert!(emit(EventType::Generic, n));
}

fn config() -> Config {
    Config::new().events_per_shard(Config::MIN_EVENTS_PER_SHARD)
}

fn assert_exact(what: &str) {
    let resident = ENGINE.resident(0) as u64;
    let counts = ENGINE.shard_counts(0).unwrap();
    let total = counts.total;
    let gone = total.drained + total.displaced + total.discarded;
    assert_eq!(total.created, gone + resident, "{what}: {total:?}, {resident} resident");
    for event_type in EventType::ALL {
        let it = counts.of(event_type);
        assert!(it.created >= it.drained + it.displaced + it.discarded, "{what}: {it:?}");
    }
}

/// One test, so that no other thread of the process is in the way.
#[test]
fn a_handler_that_emits_on_the_interrupted_shard() {
    let default = if cfg!(debug_assertions) { 2.0 } else { 10.0 };
    let seconds = std::env::var("SYS_TRACE_SIGNAL_SECONDS")
        .map_or(default, |it| it.parse().expect("a number of seconds"));
    let works: [(&str, Work, f64); 5] = [
        ("emits", emits, 0.4),
        ("drains", drains, 0.2),
        ("interns", interns, 0.15),
        ("restarts", restarts, 0.15),
        ("asks", asks, 0.1),
    ];
    for (what, work, part) in works {
        ENGINE.start(&config()).unwrap();
        for counter in [&SIGNALS, &ACCEPTED, &TRIED] {
            counter.store(0, Relaxed);
        }
        let mut totals = Totals::default();
        let timer = Timer::arm();
        let end = Instant::now() + Duration::from_secs_f64(seconds * part);
        let mut n = 0;
        while Instant::now() < end {
            n += 1;
            work(&mut totals, n);
        }
        drop(timer);
        let signals = SIGNALS.load(Relaxed);
        let (accepted, tried): (u64, u64) =
            (ACCEPTED.load(Relaxed).into(), TRIED.load(Relaxed).into());
        println!("{what}: {n} rounds, {signals} signals, {accepted} of {tried} accepted");
        assert!(signals > 100, "{what}: {signals} signals are no test");
        assert_exact(what);
        if what != "restarts" {
            // Each emit was accepted, or is counted as one that found no slot.
            let counts = ENGINE.shard_counts(0).unwrap();
            assert_eq!(counts.refused, 0, "{what}: nothing was starting or stopping");
            assert_eq!(counts.of(EventType::NumErr).created, tried, "{what}");
            assert!(tried - accepted <= counts.of(EventType::NumErr).displaced, "{what}");
            assert!(totals.accepted <= counts.of(EventType::Generic).created, "{what}");
            assert_eq!(counts.total.drained, totals.drained, "{what}");
        }
        ENGINE.stop().unwrap();
        assert_exact(what);
        assert_eq!(ENGINE.loss().live(), 0, "{what}");
    }
}
