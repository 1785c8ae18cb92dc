//! Looking again and again, for targets without anybody to sleep on.
//!
//! The only end of a wait is a change of the word, and everybody sees it: there is nothing to wake
//! and nobody to count. A waiter burns its processor and, if it outranks the holder (an interrupt
//! handler above the interrupted thread, a real-time thread above another on one core), it waits
//! for ever; such code must use the `try_` operations.

use syncface::atomic::{AtomicU32, Ordering::Relaxed};

use super::{Deadline, has_passed};

/// Looks before a waiter says that it waits: setting its bit costs the holder a hand-over. By the
/// seventh, [`crate::Backoff`] has reached its longest pause.
pub(super) const LOOKS: u32 = if cfg!(loom) { 0 } else { 7 };

/// Between those looks.
#[inline(always)]
pub(super) fn pause(looks: u32, relax: impl Fn(u32)) {
    relax(looks);
}

/// There is no queue.
#[derive(Debug)]
pub(super) struct Queue;

impl Queue {
    pub(super) const fn new() -> Self {
        Self
    }
}

pub(super) fn wait(
    word: &AtomicU32,
    _queue: &Queue,
    expected: u32,
    deadline: Option<&Deadline>,
    relax: impl Fn(u32),
) {
    let mut looks = 0_u32;
    while word.load(Relaxed) == expected && !deadline.is_some_and(has_passed) {
        relax(looks);
        looks = looks.saturating_add(1);
    }
}

pub(super) fn wake_one(_word: &AtomicU32, _queue: &Queue) -> bool {
    false
}

pub(super) fn wake_all(_word: &AtomicU32, _queue: &Queue) {}
