//! Looking again and again, for targets without anybody to sleep on.
//!
//! The only end of a wait is a change of the word, and everybody sees it: there is nothing to wake
//! and nobody to count. A waiter burns its processor and, if it outranks the holder (an interrupt
//! handler above the interrupted thread, a real-time thread above another on one core), it waits
//! for ever; such code must use the `try_` operations.

use syncface::Backoff;
use syncface::atomic::{AtomicU32, Ordering};

/// There is no queue.
#[derive(Debug)]
pub(super) struct Queue;

impl Queue {
    pub(super) const fn new() -> Self {
        Self
    }
}

pub(super) fn wait(word: &AtomicU32, _queue: &Queue, expected: u32) {
    let mut backoff = Backoff::new();
    while word.load(Ordering::Relaxed) == expected {
        backoff.lost_race();
    }
}

pub(super) fn wake_one(_word: &AtomicU32, _queue: &Queue) -> bool {
    false
}

pub(super) fn wake_all(_word: &AtomicU32, _queue: &Queue) {}
