//! The kernel's queue as loom can explore it: a lock, a count of sleepers and a condition variable
//! for each word.
//!
//! As in the kernel, the comparison and the going to sleep are one step as seen by a waker. Unlike
//! the kernel's, a wait here never ends without a reason, so a wake-up that is lost stays lost and
//! loom reports the deadlock.

use loom::sync::{Condvar, Mutex};
use syncface::atomic::{AtomicU32, Ordering};

#[derive(Debug)]
pub(super) struct Queue {
    sleepers: Mutex<usize>,
    woken: Condvar,
}

impl Queue {
    pub(super) fn new() -> Self {
        Self { sleepers: Mutex::new(0), woken: Condvar::new() }
    }
}

pub(super) fn wait(word: &AtomicU32, queue: &Queue, expected: u32) {
    let mut sleepers = queue.sleepers.lock().unwrap();
    if word.load(Ordering::Relaxed) == expected {
        *sleepers += 1;
        drop(queue.woken.wait(sleepers));
    }
}

pub(super) fn wake_one(_word: &AtomicU32, queue: &Queue) -> bool {
    let mut sleepers = queue.sleepers.lock().unwrap();
    if *sleepers == 0 {
        return false;
    }
    *sleepers -= 1;
    queue.woken.notify_one();
    true
}

pub(super) fn wake_all(_word: &AtomicU32, queue: &Queue) {
    let mut sleepers = queue.sleepers.lock().unwrap();
    *sleepers = 0;
    queue.woken.notify_all();
}
