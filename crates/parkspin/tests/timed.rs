//! Waiting up to a point in time. No check here depends on how fast time passes.
#![cfg(all(feature = "std", not(loom), not(target_family = "wasm")))]

mod common;

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use common::{is_as_new, shows};
use parkspin::{RawRwLock, RwLock};

const ROUNDS: u32 = if cfg!(miri) { 10 } else { 2_000 };
const MOMENT: Duration = Duration::from_millis(2);
const I64_MAX: Duration = Duration::from_secs(i64::MAX as u64);

/// Past, now, and further away than the clock can tell.
#[test]
fn deadlines_at_the_ends_of_time() {
    let lock = RwLock::new(0);
    let now = Instant::now();
    let past = now.checked_sub(Duration::from_secs(1)).unwrap_or(now);
    for deadline in [past, now] {
        *lock.try_write_until(deadline).expect("free") += 1;
        assert!(lock.try_read_until(deadline).is_some(), "free");
        let reader = lock.read();
        assert!(lock.try_write_until(deadline).is_none(), "a reader is inside");
        assert!(lock.try_read_until(deadline).is_some(), "only a reader is inside");
        drop(reader);
        let writer = lock.write();
        assert!(lock.try_read_until(deadline).is_none(), "a writer is inside");
        assert!(lock.try_write_until(deadline).is_none(), "a writer is inside");
        assert!(shows(&lock, "Writer", false, false), "a try leaves nothing: {lock:?}");
        drop(writer);
    }
    for timeout in [Duration::ZERO, Duration::from_secs(u64::MAX / 4), Duration::MAX] {
        assert!(lock.try_write_for(timeout).is_some());
        assert!(lock.try_read_for(timeout).is_some());
    }
    let writer = lock.write();
    thread::scope(|scope| {
        let far = scope.spawn(|| lock.try_read_for(Duration::MAX).is_some());
        let further = scope.spawn(|| lock.try_write_for(I64_MAX).is_some());
        drop(writer);
        assert!(far.join().unwrap() && further.join().unwrap());
    });
}

#[test]
fn a_wait_that_ends_is_not_too_short_and_leaves_at_most_a_stale_bit() {
    let lock = RwLock::new(0);
    let writer = lock.write();
    let start = Instant::now();
    assert!(lock.try_read_for(MOMENT).is_none());
    assert!(start.elapsed() >= MOMENT);
    let start = Instant::now();
    assert!(lock.try_write_for(MOMENT).is_none());
    assert!(start.elapsed() >= MOMENT);
    drop(writer);
    assert!(is_as_new(&lock), "{lock:?}");
    let reader = lock.read();
    let start = Instant::now();
    assert!(lock.try_write_for(MOMENT).is_none());
    assert!(start.elapsed() >= MOMENT);
    assert!(shows(&lock, "Readers(1)", false, false), "the writer took its bit along: {lock:?}");
    drop(reader);
    assert!(is_as_new(&lock), "{lock:?}");
}

/// One reads, one wants to write for a moment, one comes to read behind it and must get in when the
/// writer gives up, while the first still reads.
#[test]
fn readers_are_not_left_behind_a_writer_that_gave_up() {
    let lock = RwLock::new(0);
    let stays = lock.read();
    thread::scope(|scope| {
        let writer = scope.spawn(|| lock.try_write_for(20 * MOMENT).is_none());
        let reader = scope.spawn(|| *lock.read());
        assert!(writer.join().unwrap());
        assert_eq!(reader.join().unwrap(), *stays);
    });
    drop(stays);
    assert!(is_as_new(&lock), "{lock:?}");
}

#[test]
fn a_timed_wait_ends_when_the_lock_is_to_be_had() {
    let lock = RwLock::new(0);
    for _ in 0..20 {
        let writer = lock.write();
        thread::scope(|scope| {
            let reader = scope.spawn(|| lock.try_read_for(Duration::MAX).is_some());
            let next = scope.spawn(|| lock.try_write_for(Duration::MAX).is_some());
            thread::yield_now();
            drop(writer);
            assert!(reader.join().unwrap() && next.join().unwrap());
        });
    }
    assert!(is_as_new(&lock), "{lock:?}");
}

#[test]
fn a_full_lock_is_not_waited_for() {
    let lock = RawRwLock::with_readers(RawRwLock::MAX_READERS);
    let deadline = Instant::now() + Duration::from_secs(3600);
    assert!(!lock.try_lock_shared_until(deadline));
    assert!(!lock.try_lock_shared_recursive_until(deadline));
    assert!(!lock.try_lock_exclusive_until(Instant::now() + MOMENT));
}

/// Deadlines of all lengths among waits without one, in all modes: whatever gives up when, everybody
/// else gets on, the additions are exact and the word ends as 0.
#[test]
fn a_storm_of_deadlines_ends_as_new() {
    let lock = RwLock::new(0u32);
    let added = AtomicU32::new(0);
    thread::scope(|scope| {
        for worker in 0..5u32 {
            let (lock, added) = (&lock, &added);
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let timeout = Duration::from_nanos(u64::from(round * 37 % 60_000));
                    let adds = match (round + worker) % 6 {
                        0 | 1 => lock.try_write_for(timeout).map(|mut value| *value += 1).is_some(),
                        2 => lock.try_read_for(timeout).is_some_and(|value| *value == u32::MAX),
                        3 => {
                            *lock.write() += 1;
                            // So that others come to wait.
                            let held = lock.write();
                            thread::yield_now();
                            drop(held);
                            true
                        }
                        4 => lock.try_write().map(|mut value| *value += 1).is_some(),
                        _ => *lock.read() == u32::MAX,
                    };
                    added.fetch_add(u32::from(adds), Relaxed);
                }
            });
        }
        // An observer, whose every look must decode to a possible state (debug builds check).
        scope.spawn(|| {
            for _ in 0..ROUNDS {
                assert!(format!("{lock:?}").contains("State"));
            }
        });
    });
    assert!(is_as_new(&lock), "{lock:?}");
    assert!(lock.try_write().is_some(), "{lock:?}");
    assert_eq!(lock.into_inner(), added.into_inner());
}
