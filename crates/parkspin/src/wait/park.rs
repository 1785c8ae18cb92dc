//! Sleeping by way of the standard library: a list of sleepers under a mutex, each with a condition
//! variable of its own.
//!
//! Compiled to two worlds, so that the code which the model checker explores is the code that ships:
//! natively the lists stand in a table and a word finds its list by its address, as in the kernel;
//! under loom, which wants everything made anew for each execution, every word has its own.
//!
//! Whoever changes a word and then wakes takes the list's mutex after the change. A waiter compares
//! under the same mutex and is on the list before it gives the mutex up. So the waker either comes
//! before the comparison, which sees the change, or finds the waiter.
//!
//! A wait allocates a condition variable, so an allocator must not wait for a lock of this kind. The
//! model's waits never end without a reason, so a wake-up that is lost stays lost and loom reports
//! the deadlock.

use std::sync::{Arc, PoisonError};
use std::vec::Vec;

#[cfg(loom)]
use loom::sync::{Condvar, Mutex, MutexGuard};
#[cfg(not(loom))]
use std::sync::{Condvar, Mutex, MutexGuard};

use syncface::atomic::{AtomicU32, Ordering::Relaxed};

use super::{Deadline, has_passed};

/// Looks before a wait. A hundred with a spin hint between them are of the order of a microsecond,
/// less than one sleep and wake-up cost. Under loom every look multiplies the interleavings and
/// shows nothing new.
pub(super) const LOOKS: u32 = if cfg!(loom) { 0 } else { 100 };

/// Between those looks.
#[inline(always)]
pub(super) fn pause(_looks: u32, _relax: impl Fn(u32)) {
    syncface::hint::spin_loop();
}

/// One who sleeps, on the list until somebody wakes it or its time is up.
#[derive(Debug)]
struct Sleeper {
    /// Of its word.
    address: usize,
    /// Whether it has a deadline: of interest to the model's clock.
    #[cfg(all(loom, feature = "std"))]
    timed: bool,
    bell: Arc<Condvar>,
}

/// Sleepers in the order in which they went to sleep.
#[derive(Debug)]
struct List(Mutex<Vec<Sleeper>>);

impl List {
    syncface::maybe_const! {
        fn new() -> Self {
            Self(Mutex::new(Vec::new()))
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Sleeper>> {
        // Nothing panics while the list is half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where the sleepers of one word are found.
#[derive(Debug)]
pub(super) struct Queue {
    #[cfg(loom)]
    list: List,
}

impl Queue {
    syncface::maybe_const! {
        pub(super) fn new() -> Self {
            Self {
                #[cfg(loom)]
                list: List::new(),
            }
        }
    }

    #[cfg(loom)]
    fn list(&self, _address: usize) -> &List {
        &self.list
    }

    #[cfg(not(loom))]
    #[allow(clippy::unused_self, reason = "under loom the list is the queue's own")]
    fn list(&self, address: usize) -> &'static List {
        const LISTS: usize = 64;
        static TABLE: [List; LISTS] = [const { List::new() }; LISTS];
        // Words are four bytes; multiplying by an odd number spreads what locks in an array differ in.
        &TABLE[(address / 4).wrapping_mul(0x9E37_79B1) >> 7 & (LISTS - 1)]
    }
}

fn address_of(word: &AtomicU32) -> usize {
    core::ptr::from_ref(word).addr()
}

/// Gives the list up until the bell rings, the time is up, or for no reason.
fn sleep<'a>(
    bell: &Condvar,
    list: MutexGuard<'a, Vec<Sleeper>>,
    deadline: Option<&Deadline>,
) -> MutexGuard<'a, Vec<Sleeper>> {
    #[cfg(not(loom))]
    if let Some(left) = deadline.map(super::left) {
        let woken = bell.wait_timeout(list, left);
        return woken.unwrap_or_else(PoisonError::into_inner).0;
    }
    // The model's clock rings the bells of those whose time is up: `time_is_up`.
    #[cfg(loom)]
    let _ = deadline;
    bell.wait(list).unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn wait(
    word: &AtomicU32,
    queue: &Queue,
    expected: u32,
    deadline: Option<&Deadline>,
    _relax: impl Fn(u32),
) {
    let address = address_of(word);
    let mut list = queue.list(address).lock();
    if word.load(Relaxed) != expected || deadline.is_some_and(has_passed) {
        return;
    }
    let bell = Arc::new(Condvar::new());
    list.push(Sleeper {
        address,
        #[cfg(all(loom, feature = "std"))]
        timed: deadline.is_some(),
        bell: Arc::clone(&bell),
    });
    loop {
        list = sleep(&bell, list, deadline);
        let Some(place) = list.iter().position(|sleeper| Arc::ptr_eq(&sleeper.bell, &bell)) else {
            return;
        };
        if deadline.is_some_and(has_passed) {
            list.remove(place);
            return;
        }
    }
}

pub(super) fn wake_one(word: &AtomicU32, queue: &Queue) -> bool {
    let address = address_of(word);
    let mut list = queue.list(address).lock();
    let Some(place) = list.iter().position(|sleeper| sleeper.address == address) else {
        return false;
    };
    list.remove(place).bell.notify_one();
    true
}

pub(super) fn wake_all(word: &AtomicU32, queue: &Queue) {
    let address = address_of(word);
    queue.list(address).lock().retain(|sleeper| {
        let wanted = sleeper.address == address;
        if wanted {
            sleeper.bell.notify_one();
        }
        !wanted
    });
}

/// Model only: the time of all who sleep here with a deadline is up.
#[cfg(all(loom, feature = "std"))]
pub(super) fn time_is_up(queue: &Queue) {
    for sleeper in queue.list.lock().iter().filter(|sleeper| sleeper.timed) {
        sleeper.bell.notify_one();
    }
}
