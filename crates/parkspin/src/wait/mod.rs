//! Waiting for a word to change. The one place that knows what the target can do.
//!
//! | build | back end | `wake_one` answers |
//! |---|---|---|
//! | Linux or Android, feature `futex` | `futex.rs`: sleep in the kernel | whether somebody was asleep |
//! | others but WebAssembly, feature `std` | `park.rs`: sleep by way of std | whether somebody was asleep |
//! | `--cfg loom`, either feature | `park.rs` on loom's mutex and condition variable | whether somebody was asleep |
//! | everything else | `spin.rs`: look again and again | always `false` |
//!
//! WebAssembly spins: its wait instruction traps on a browser's main thread, and std's own mutex
//! is built on that instruction.
//!
//! A back end is also given what to do between two looks, which only the spinning one makes use of.
//!
//! The contract of a back end, on which the lock above relies:
//!
//! 1. `wait(expected)` may return at any time, and its caller looks again.
//! 2. `wait(expected)` returns if the word is not `expected`, or if its deadline has passed; no wake
//!    that follows a change of the word is lost between the comparison and the sleep.
//! 3. `wake_one` answers `true` only if it ended some `wait` on this word that had not ended by
//!    itself. `false` may also mean "cannot tell".

use syncface::atomic::{AtomicU32, Ordering};
use syncface::{maybe_const, mutant};

use crate::relax::Relax;

mod clock;

#[cfg(all(loom, feature = "std"))]
pub use clock::Alarm;
#[cfg(not(loom))]
#[allow(unused_imports, reason = "the spinning back end does without")]
pub(crate) use clock::left;
pub(crate) use clock::{Deadline, has_passed};

#[cfg(all(
    not(loom),
    feature = "futex",
    any(target_os = "linux", target_os = "android"),
    target_has_atomic = "32"
))]
#[path = "futex.rs"]
mod backend;

#[cfg(any(
    all(loom, any(feature = "futex", feature = "std")),
    all(
        not(loom),
        feature = "std",
        not(target_family = "wasm"),
        not(all(
            feature = "futex",
            any(target_os = "linux", target_os = "android"),
            target_has_atomic = "32"
        ))
    )
))]
#[path = "park.rs"]
mod backend;

#[cfg(not(any(
    all(loom, any(feature = "futex", feature = "std")),
    all(not(loom), feature = "std", not(target_family = "wasm")),
    all(
        not(loom),
        feature = "futex",
        any(target_os = "linux", target_os = "android"),
        target_has_atomic = "32"
    )
)))]
#[path = "spin.rs"]
mod backend;

/// A 32-bit atomic on which threads can wait.
#[derive(Debug)]
pub(crate) struct Word {
    value: AtomicU32,
    queue: backend::Queue,
}

impl Word {
    maybe_const! {
        pub(crate) fn new(value: u32) -> Self {
            Self { value: AtomicU32::new(value), queue: backend::Queue::new() }
        }
    }

    /// The word itself.
    #[inline(always)]
    pub(crate) fn value(&self) -> &AtomicU32 {
        &self.value
    }

    /// The first value that `enough` accepts, or the last of a bounded number of looks.
    pub(crate) fn look<R: Relax>(&self, enough: impl Fn(u32) -> bool) -> u32 {
        let mut looks = 0;
        loop {
            let value = self.value.load(Ordering::Relaxed);
            if looks == backend::LOOKS || enough(value) {
                return value;
            }
            backend::pause(looks, R::relax);
            looks += 1;
        }
    }

    /// Waits while the word is `expected` and the deadline is to come; may return early (contract 1,
    /// 2).
    pub(crate) fn wait<R: Relax>(&self, expected: u32, deadline: Option<&Deadline>) {
        backend::wait(&self.value, &self.queue, expected, deadline, R::relax);
    }

    /// Ends one wait if there is one to end (contract 3).
    pub(crate) fn wake_one(&self) -> bool {
        let woke = backend::wake_one(&self.value, &self.queue);
        if mutant::is("parkspin.wake_always_true") {
            return true;
        }
        woke && !mutant::is("parkspin.wake_always_false")
    }

    /// Ends all waits.
    pub(crate) fn wake_all(&self) {
        backend::wake_all(&self.value, &self.queue);
    }

    /// Model only: the time of those who wait here with a deadline is up.
    #[cfg(all(loom, feature = "std"))]
    pub(crate) fn time_is_up(&self) {
        backend::time_is_up(&self.queue);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::Backoff;
    use std::thread;

    #[test]
    fn a_different_value_is_not_waited_for() {
        let word = Word::new(1);
        word.wait::<Backoff>(0, None);
        word.wait::<Backoff>(2, None);
    }

    #[test]
    fn nobody_to_wake() {
        let word = Word::new(0);
        assert!(!word.wake_one());
        word.wake_all();
    }

    #[test]
    fn a_look_is_bounded_and_stops_early() {
        let word = Word::new(7);
        assert_eq!(word.look::<Backoff>(|_| false), 7);
        assert_eq!(word.look::<Backoff>(|value| value == 7), 7);
    }

    #[test]
    fn waiters_see_a_change_that_is_followed_by_a_wake() {
        for all in [false, true] {
            let word = Word::new(0);
            thread::scope(|scope| {
                let waiter = scope.spawn(|| {
                    while word.value().load(Ordering::Relaxed) == 0 {
                        word.wait::<Backoff>(0, None);
                    }
                });
                for _ in 0..50 {
                    thread::yield_now();
                }
                word.value().store(1, Ordering::Relaxed);
                if all {
                    word.wake_all();
                } else {
                    word.wake_one();
                }
                waiter.join().unwrap();
            });
        }
    }
}
