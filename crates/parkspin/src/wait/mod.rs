//! Waiting for a word to change. The one place that knows what the target can do.
//!
//! | build | back end | `wake_one` answers |
//! |---|---|---|
//! | Linux or Android, feature `futex` | `futex.rs`: sleep in the kernel | whether somebody was asleep |
//! | `--cfg loom`, feature `futex` | `model.rs`: a queue that loom can explore | whether somebody was asleep |
//! | everything else | `spin.rs`: look again and again | always `false` |
//!
//! The contract of a back end, on which the lock above relies:
//!
//! 1. `wait(expected)` may return at any time, and its caller looks again.
//! 2. `wait(expected)` returns if the word is not `expected`; no wake that follows a change of the
//!    word is lost between the comparison and the sleep.
//! 3. `wake_one` answers `true` only if it ended some `wait` on this word that had not ended by
//!    itself. `false` may also mean "cannot tell".

use syncface::atomic::{AtomicU32, Ordering};
use syncface::{maybe_const, mutant};

#[cfg(all(
    not(loom),
    feature = "futex",
    any(target_os = "linux", target_os = "android"),
    target_has_atomic = "32"
))]
#[path = "futex.rs"]
mod backend;

#[cfg(all(loom, feature = "futex"))]
#[path = "model.rs"]
mod backend;

#[cfg(not(any(
    all(loom, feature = "futex"),
    all(
        not(loom),
        feature = "futex",
        any(target_os = "linux", target_os = "android"),
        target_has_atomic = "32"
    )
)))]
#[path = "spin.rs"]
mod backend;

/// How often to look before sleeping. A hundred looks with a spin hint between them are of the
/// order of a microsecond, about what one sleep and wake-up cost. Under loom every look multiplies
/// the interleavings and shows nothing new.
pub(crate) const LOOKS_BEFORE_SLEEP: u32 = if cfg!(loom) { 0 } else { 100 };

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
    pub(crate) fn look(&self, enough: impl Fn(u32) -> bool) -> u32 {
        let mut looks = LOOKS_BEFORE_SLEEP;
        loop {
            let value = self.value.load(Ordering::Relaxed);
            if looks == 0 || enough(value) {
                return value;
            }
            syncface::hint::spin_loop();
            looks -= 1;
        }
    }

    /// Waits while the word is `expected`; may return early (contract 1, 2).
    pub(crate) fn wait(&self, expected: u32) {
        backend::wait(&self.value, &self.queue, expected);
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
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_different_value_is_not_waited_for() {
        let word = Word::new(1);
        word.wait(0);
        word.wait(2);
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
        assert_eq!(word.look(|_| false), 7);
        assert_eq!(word.look(|value| value == 7), 7);
    }

    #[test]
    fn waiters_see_a_change_that_is_followed_by_a_wake() {
        for all in [false, true] {
            let word = Word::new(0);
            thread::scope(|scope| {
                let waiter = scope.spawn(|| {
                    while word.value().load(Ordering::Relaxed) == 0 {
                        word.wait(0);
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
