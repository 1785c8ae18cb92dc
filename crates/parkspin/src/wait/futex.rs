//! Sleeping in the kernel, through `rustix`.
//!
//! Private futexes: the lock is not for memory shared between processes.
//!
//! Invariant 1: where this file is compiled the target has 32-bit atomics, and
//! `portable_atomic::AtomicU32` is then a `u32` in size, alignment and representation that is only
//! ever accessed atomically, as core's type is.

#![cfg_attr(
    feature = "portable-atomic",
    allow(unsafe_code, reason = "the kernel interface wants core's atomic type")
)]

use rustix::thread::futex::{self, Flags, Timespec};
use syncface::atomic::AtomicU32;

use super::{Deadline, left};

/// Looks before a wait. A hundred with a spin hint between them are of the order of a microsecond,
/// about what one sleep and wake-up cost.
pub(super) const LOOKS: u32 = 100;

/// Between those looks.
#[inline(always)]
pub(super) fn pause(_looks: u32, _relax: impl Fn(u32)) {
    syncface::hint::spin_loop();
}

/// The queue is the kernel's.
#[derive(Debug)]
pub(super) struct Queue;

impl Queue {
    pub(super) const fn new() -> Self {
        Self
    }
}

#[cfg(not(feature = "portable-atomic"))]
fn native(word: &AtomicU32) -> &core::sync::atomic::AtomicU32 {
    word
}

#[cfg(feature = "portable-atomic")]
fn native(word: &AtomicU32) -> &core::sync::atomic::AtomicU32 {
    // SAFETY: by invariant 1 the pointer is aligned and all other accesses are atomic; it is valid
    // for as long as `word` is borrowed, which is as long as the result is.
    unsafe { core::sync::atomic::AtomicU32::from_ptr(word.as_ptr()) }
}

/// What is left until the deadline, as the kernel wants it.
///
/// At most a day: a wait may return early, and every kernel takes a day.
fn time_left(deadline: &Deadline) -> Timespec {
    const DAY: u64 = 24 * 60 * 60;
    let left = left(deadline);
    // The fields' types differ between targets; a day and a second fit all of them.
    Timespec { tv_sec: left.as_secs().min(DAY) as _, tv_nsec: left.subsec_nanos() as _ }
}

pub(super) fn wait(
    word: &AtomicU32,
    _queue: &Queue,
    expected: u32,
    deadline: Option<&Deadline>,
    _relax: impl Fn(u32),
) {
    let timeout = deadline.map(time_left);
    // A signal (EINTR), a word that is no longer `expected` (EAGAIN), the end of the time
    // (ETIMEDOUT) and anything a sandbox or an old kernel may answer all mean the same: look again.
    let _ = futex::wait(native(word), Flags::PRIVATE, expected, timeout.as_ref());
}

pub(super) fn wake_one(word: &AtomicU32, _queue: &Queue) -> bool {
    // An error cannot be told from "nobody slept"; `false` is always a safe answer.
    futex::wake(native(word), Flags::PRIVATE, 1).is_ok_and(|woken| woken > 0)
}

pub(super) fn wake_all(word: &AtomicU32, _queue: &Queue) {
    // The kernel reads the number as a signed int.
    let _ = futex::wake(native(word), Flags::PRIVATE, i32::MAX as u32);
}
