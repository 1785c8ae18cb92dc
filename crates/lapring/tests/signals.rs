//! A timer signal, 5,000 times a second, whose handler pushes and pops on the very ring that the
//! interrupted thread is using: nothing hangs, and every value is accounted for.
#![cfg(all(target_os = "linux", not(loom), not(miri)))]
#![allow(missing_docs, reason = "a test")]
#![allow(unsafe_code, reason = "installs a signal handler and a timer")]

use std::mem::zeroed;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use lapring::Ring;

/// Invariant 1: points to a live ring while the timer is armed.
static RING: AtomicPtr<Ring<u64>> = AtomicPtr::new(null_mut());
static SIGNALS: AtomicUsize = AtomicUsize::new(0);
/// How many values went in and came out, and their sums: with each value different, and sums of
/// this size, a lost or doubled value shows. Not 64 bits everywhere: a machine without such atomics
/// would take a lock for them, and a handler must not.
static IN: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];
static OUT: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

fn account(side: &[AtomicUsize; 2], value: u64) {
    side[0].fetch_add(1, Relaxed);
    let mixed = value.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32);
    side[1].fetch_add(mixed as usize, Relaxed);
}

fn force(ring: &Ring<u64>, value: u64) {
    account(&IN, value);
    if let Some(displaced) = ring.force_push(value) {
        account(&OUT, displaced);
    }
}

fn pop(ring: &Ring<u64>) {
    if let Some(value) = ring.pop() {
        account(&OUT, value);
    }
}

/// Async-signal-safe: atomics and the ring.
extern "C" fn on_signal(_: libc::c_int) {
    // SAFETY: by invariant 1.
    let ring = unsafe { &*RING.load(Relaxed) };
    let signal = SIGNALS.fetch_add(1, Relaxed) as u64;
    for n in 0..3 {
        force(ring, 1 << 40 | signal << 2 | n);
    }
    pop(ring);
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
        // A signal that was already pending is taken now, while the ring is still there.
        // SAFETY: no precondition.
        unsafe { libc::usleep(1_000) };
    }
}

/// One test, so that no other thread of the process is in the way.
#[test]
fn a_handler_that_uses_the_interrupted_ring() {
    let seconds = std::env::var("LAPRING_SIGNAL_SECONDS").map_or(10.0, |it| it.parse().unwrap());
    for cap in [1, 2, 3, 64] {
        let ring = Ring::with_start_lap(cap, 0usize.wrapping_sub(1000));
        RING.store((&raw const ring).cast_mut(), Relaxed);
        let before = SIGNALS.load(Relaxed);
        let timer = Timer::arm();
        let end = Instant::now() + Duration::from_secs_f64(seconds / 4.0);
        let (mut n, mut gone) = (0, 0);
        while Instant::now() < end {
            for _ in 0..64 {
                n += 1;
                match n % 8 {
                    0 | 1 => pop(&ring),
                    2 => {
                        account(&IN, n);
                        if let Err(refused) = ring.push(n) {
                            account(&OUT, refused.into_inner());
                        }
                    }
                    3 => ring.drain(2).for_each(|value| account(&OUT, value)),
                    // The handler takes values too, so what is copied here may be gone by now.
                    4 => {
                        let mut snapshot = ring.snapshot();
                        snapshot.by_ref().for_each(drop);
                        gone += snapshot.displaced();
                    }
                    _ => force(&ring, n),
                }
            }
        }
        drop(timer);
        RING.store(null_mut(), Relaxed);
        let signals = SIGNALS.load(Relaxed) - before;
        assert!(signals > 100, "cap {cap}: {signals} signals are no test");

        let counters = ring.counters();
        ring.drain(usize::MAX).for_each(|value| account(&OUT, value));
        assert!(ring.is_empty(), "cap {cap}");
        // A snapshot may have displaced values without handing them to anybody, but it counts them.
        println!("cap {cap}: {n} operations, {signals} signals, {gone} gone by a snapshot");
        assert_eq!(IN[0].load(Relaxed) - OUT[0].load(Relaxed), gone, "cap {cap}");
        if gone == 0 {
            assert_eq!(IN[1].load(Relaxed), OUT[1].load(Relaxed), "cap {cap}: another value");
        }
        // The narrow word of a special test build tells only a few thousand positions apart.
        if cfg!(not(lapring_word = "16")) {
            let accounted = counters.departed + counters.abandoned + counters.resident;
            assert_eq!(counters.issued, accounted, "cap {cap}");
        }
        for (side, other) in IN.iter().zip(&OUT) {
            side.store(0, Relaxed);
            other.store(0, Relaxed);
        }
    }
}
