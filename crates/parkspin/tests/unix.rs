//! What only a Unix system does to a lock: signals while threads sleep, and forks while threads hold.
#![cfg(all(unix, not(loom), not(miri)))]
#![allow(unsafe_code, reason = "signals and forks are C interfaces")]

mod common;

use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::sync::{Barrier, mpsc};
use std::thread;
use std::time::Duration;

use common::{is_as_new, shows};
use parkspin::{RwLock, RwLockWriteGuard};

static SIGNALS: AtomicU32 = AtomicU32::new(0);

extern "C" fn count(_signal: libc::c_int) {
    SIGNALS.fetch_add(1, Relaxed);
}

/// Interrupted sleeps must neither lose a wake-up nor leave a bit behind.
#[test]
fn signals_at_sleepers() {
    const WORKERS: usize = 5;
    const ROUNDS: u32 = 400;
    // SAFETY: all zeros is a valid `sigaction`: no flags, so a system call is not restarted.
    let mut action: libc::sigaction = unsafe { mem::zeroed() };
    action.sa_sigaction = count as extern "C" fn(libc::c_int) as usize;
    // SAFETY: the handler does one atomic addition.
    let refused = unsafe { libc::sigaction(libc::SIGUSR1, &raw const action, ptr::null_mut()) };
    assert_eq!(refused, 0);

    let lock = RwLock::new(0u32);
    let finished = AtomicUsize::new(0);
    let all_done = Barrier::new(WORKERS + 1);
    let (send, receive) = mpsc::channel();
    thread::scope(|scope| {
        for worker in 0..WORKERS {
            let (lock, finished, all_done, send) = (&lock, &finished, &all_done, send.clone());
            scope.spawn(move || {
                // SAFETY: has no preconditions.
                send.send(unsafe { libc::pthread_self() }).unwrap();
                for round in 0..ROUNDS {
                    if worker % 2 == 0 {
                        let mut writer = lock.write();
                        *writer += 1;
                        // Long enough for the others to fall asleep.
                        thread::sleep(Duration::from_micros(20));
                        if round % 8 == 0 {
                            thread::yield_now();
                            drop(RwLockWriteGuard::downgrade(writer));
                        }
                    } else {
                        assert!(*lock.read() <= 3 * ROUNDS);
                        #[cfg(feature = "std")]
                        drop(lock.try_write_for(Duration::from_micros(30)));
                    }
                }
                finished.fetch_add(1, Relaxed);
                // The thread must exist as long as it is sent signals.
                all_done.wait();
            });
        }
        let threads: Vec<_> = receive.iter().take(WORKERS).collect();
        while finished.load(Relaxed) < WORKERS {
            for &thread in &threads {
                // SAFETY: the thread waits for `all_done`, so it exists.
                assert_eq!(unsafe { libc::pthread_kill(thread, libc::SIGUSR1) }, 0);
            }
            thread::sleep(Duration::from_micros(50));
        }
        all_done.wait();
    });
    assert!(is_as_new(&lock), "{lock:?}");
    assert_eq!(*lock.read(), 3 * ROUNDS);
    assert!(SIGNALS.load(Relaxed) > 0);
}

/// How a thread of the parent has the lock when another one forks.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Free,
    Read,
    Write,
    WriteWithReaderWaiting,
    ReadWithWriterWaiting,
}

/// Runs `child` in a child process and returns what it answers.
fn in_a_child(child: impl FnOnce() -> bool) -> bool {
    // SAFETY: the child does atomic operations and system calls only, and leaves by `_exit`.
    let id = unsafe { libc::fork() };
    assert!(id >= 0, "fork failed");
    if id == 0 {
        // A child that hangs is ended by the alarm.
        // SAFETY: has no preconditions.
        unsafe { libc::alarm(20) };
        let code = i32::from(!child());
        // SAFETY: has no preconditions.
        unsafe { libc::_exit(code) };
    }
    let mut status = 0;
    // SAFETY: the status is ours to write to.
    assert_eq!(unsafe { libc::waitpid(id, &raw mut status, 0) }, id);
    libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
}

#[test]
fn a_child_can_free_a_lock_that_nobody_in_it_holds() {
    for mode in [
        Mode::Free,
        Mode::Read,
        Mode::Write,
        Mode::WriteWithReaderWaiting,
        Mode::ReadWithWriterWaiting,
    ] {
        let lock = RwLock::new(1_u32);
        let (held, release) = (Barrier::new(2), Barrier::new(2));
        thread::scope(|scope| {
            scope.spawn(|| {
                let reads = matches!(mode, Mode::Read | Mode::ReadWithWriterWaiting);
                let writes = matches!(mode, Mode::Write | Mode::WriteWithReaderWaiting);
                let reader = reads.then(|| lock.read());
                let writer = writes.then(|| lock.write());
                held.wait();
                release.wait();
                drop((reader, writer));
            });
            held.wait();
            let waiting = match mode {
                Mode::WriteWithReaderWaiting => Some(scope.spawn(|| _ = *lock.read())),
                Mode::ReadWithWriterWaiting => Some(scope.spawn(|| *lock.write() += 0)),
                _ => None,
            };
            if waiting.is_some() {
                while !shows(&lock, "Writer", true, false)
                    && !shows(&lock, "Readers(1)", false, true)
                {
                    thread::yield_now();
                }
            }
            let wrote = matches!(mode, Mode::Write | Mode::WriteWithReaderWaiting);
            let fine = in_a_child(|| {
                let inherited = lock.is_locked();
                // SAFETY: the only thread of the child; no guard was taken over; a number is valid
                // whatever its writer was about to do.
                let writer = unsafe { lock.reset_after_fork() };
                let mut fine = writer == wrote && inherited == (mode != Mode::Free);
                // All modes work again.
                *lock.write() += 1;
                fine &= *lock.read() == 2 && lock.try_write().is_some() && !lock.is_locked();
                let reader = RwLockWriteGuard::downgrade(lock.write());
                fine && lock.try_read_recursive().is_some() && *reader == 2
            });
            release.wait();
            assert!(fine, "{mode:?}");
        });
        // The parent's lock is its own.
        assert!(is_as_new(&lock), "{mode:?}: {lock:?}");
        assert_eq!(lock.into_inner(), 1);
    }
}
