//! Many rounds. In a release build the numbers are those that count; in a debug build a sample.
#![cfg(not(loom))]

mod common;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use common::is_as_new;
use parkspin::RwLock;

const PAIRS: u64 = if cfg!(miri) {
    50
} else if cfg!(debug_assertions) {
    200_000
} else {
    100_000_000
};

/// Write pairs from two threads that both want the lock all the time.
#[test]
fn pairs_of_write_and_unlock_end_at_zero() {
    let lock = RwLock::new(0u64);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| (0..PAIRS / 2).for_each(|_| *lock.write() += 1));
        }
    });
    assert!(is_as_new(&lock), "{lock:?}");
    assert_eq!(lock.into_inner(), PAIRS);
}

/// Read pairs, of readers that lose races to each other.
#[test]
fn pairs_of_read_and_unlock_end_at_zero() {
    let lock = RwLock::new(7u64);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for round in 0..PAIRS / 2 {
                    if round % 2 == 0 {
                        assert_eq!(*lock.read(), 7);
                    } else {
                        // With no writer about, a try is never refused.
                        assert_eq!(*lock.try_read().expect("only readers are about"), 7);
                    }
                }
            });
        }
    });
    assert!(is_as_new(&lock), "{lock:?}");
}

/// Prints the longest that a writer and three readers, none of whom pauses, waited in ten seconds.
/// By hand, on a machine that does nothing else:
/// `cargo test --release -p parkspin --test stress -- --ignored --nocapture`
#[test]
#[ignore = "measures time, which says something on an idle machine only"]
fn nobody_waits_longer_than_a_tenth_of_a_second() {
    const LIMIT: Duration = Duration::from_millis(100);
    for readers in [1, 3] {
        let lock = RwLock::new(0u64);
        let stop = AtomicBool::new(false);
        let longest: Vec<Duration> = thread::scope(|scope| {
            let waits = |writes: bool| {
                let (lock, stop) = (&lock, &stop);
                scope.spawn(move || {
                    let mut longest = Duration::ZERO;
                    while !stop.load(Relaxed) {
                        let start = Instant::now();
                        if writes {
                            *lock.write() += 1;
                        } else {
                            std::hint::black_box(*lock.read());
                        }
                        longest = longest.max(start.elapsed());
                    }
                    longest
                })
            };
            let threads: Vec<_> = (0..=readers).map(|number| waits(number == 0)).collect();
            thread::sleep(Duration::from_secs(10));
            stop.store(true, Relaxed);
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        println!("writer and {readers} readers: longest {longest:?}");
        assert!(longest.iter().all(|wait| *wait < LIMIT), "{longest:?}");
    }
}
