//! The lock's concurrent behaviour. One body for each shape: natively it runs a few times on real
//! threads, under `--cfg loom` every interleaving is explored:
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test --release -p parkspin --test model
//! ```
//!
//! A test's name lists its threads by the letters of [`Role`]. The bound of preemptions stands beside
//! each shape (`None`: exhaustive), and `LOOM_MAX_PREEMPTIONS` overrides it. A deadlock that loom
//! finds ends the process by an abort, so a script has to look at the exit code. `mutants.txt` lists
//! which fault each shape must catch.
//!
//! With `--no-default-features` the spinning back end is explored instead. Loom then finishes the
//! shapes of two threads, and those of three hardly beyond `LOOM_MAX_PREEMPTIONS=1`.

use parkspin::{RawRwLock, RwLock, RwLockWriteGuard};
use syncface::cell::UnsafeCell;
use syncface::model::explore;

#[cfg(loom)]
use loom::{sync::Arc, thread};
#[cfg(not(loom))]
use std::{sync::Arc, thread};

/// The protected number. Under loom its cell reports two accesses that the lock does not order.
struct Probe(UnsafeCell<u32>);

// SAFETY: only reached through the lock under test; that this is enough is what is tested.
#[allow(unsafe_code, reason = "hands an unsynchronized cell to the lock under test")]
unsafe impl Sync for Probe {}

#[allow(unsafe_code, reason = "reads and writes an unsynchronized cell under the lock under test")]
impl Probe {
    fn get(&self) -> u32 {
        // SAFETY: a guard is held; that this excludes writers is what the test is about.
        self.0.with(|value| unsafe { *value })
    }

    fn increment(&self) {
        // SAFETY: a write guard is held; that this excludes everybody is what the test is about.
        self.0.with_mut(|value| unsafe { *value += 1 });
    }
}

impl std::fmt::Debug for Probe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.get().fmt(f)
    }
}

type Lock = RwLock<Probe>;

/// What one thread does.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    /// `r`: reads once.
    Reader,
    /// `w`: adds one.
    Writer,
    /// `d`: adds one, downgrades, reads.
    Downgrader,
    /// `c`: reads, and reads again inside.
    Recursive,
    /// `t`: tries to read.
    TryReader,
    /// `u`: tries to add one.
    TryWriter,
    /// `x`: adds one if it may within its time.
    #[cfg(feature = "std")]
    TimedWriter,
    /// `y`: reads if it may within its time.
    #[cfg(feature = "std")]
    TimedReader,
}

use Role::*;

impl Role {
    /// How often it added one.
    #[cfg_attr(not(feature = "std"), allow(unused_variables, reason = "there is no clock"))]
    fn play(self, lock: &Lock, time: &Time) -> u32 {
        match self {
            Reader => {
                lock.read().get();
                0
            }
            Writer => {
                lock.write().increment();
                1
            }
            Downgrader => {
                let writer = lock.write();
                writer.increment();
                let written = writer.get();
                let reader = RwLockWriteGuard::downgrade(writer);
                assert_eq!(reader.get(), written, "a writer came between");
                1
            }
            Recursive => {
                let outer = lock.read();
                let seen = outer.get();
                let inner = lock.read_recursive();
                drop(outer);
                assert_eq!(inner.get(), seen, "a writer came between");
                0
            }
            TryReader => {
                lock.try_read().map(|reader| reader.get());
                0
            }
            TryWriter => lock.try_write().map_or(0, |writer| {
                writer.increment();
                1
            }),
            #[cfg(feature = "std")]
            TimedWriter => lock.try_write_until(time.clone().deadline).map_or(0, |writer| {
                writer.increment();
                1
            }),
            #[cfg(feature = "std")]
            TimedReader => {
                lock.try_read_until(time.clone().deadline).map(|reader| reader.get());
                0
            }
        }
    }
}

/// When time is up for those who have a deadline: whenever the model's main thread says so, which
/// may be before, while or after they wait. Natively some microseconds after the start.
#[derive(Clone)]
struct Time {
    #[cfg(all(loom, feature = "std"))]
    deadline: parkspin::Alarm,
    #[cfg(all(not(loom), feature = "std"))]
    deadline: std::time::Instant,
}

impl Time {
    fn new() -> Self {
        Self {
            #[cfg(all(loom, feature = "std"))]
            deadline: parkspin::Alarm::new(),
            #[cfg(all(not(loom), feature = "std"))]
            deadline: std::time::Instant::now() + std::time::Duration::from_micros(50),
        }
    }
}

/// The main thread's part in a model with deadlines.
#[cfg(feature = "std")]
#[allow(unused_variables, reason = "real time passes by itself")]
fn let_time_pass<T>(lock: &RwLock<T>, time: &Time) {
    #[cfg(loom)]
    lock.ring(&time.deadline);
}

/// All roles at once, each in a thread of its own; then the lock must be as good as new.
fn play(roles: &'static [Role], bound: Option<usize>) {
    explore(bound, move || {
        let lock = Arc::new(RwLock::new(Probe(UnsafeCell::new(0))));
        let time = Time::new();
        let threads: Vec<_> = roles
            .iter()
            .map(|&role| {
                let (lock, time) = (Arc::clone(&lock), time.clone());
                thread::spawn(move || role.play(&lock, &time))
            })
            .collect();
        #[cfg(feature = "std")]
        if roles.iter().any(|role| matches!(role, TimedWriter | TimedReader)) {
            let_time_pass(&lock, &time);
        }
        let added: u32 = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
        assert_idle(&lock);
        assert_eq!(lock.read().get(), added);
    });
}

/// Free, and no bit left behind.
fn assert_idle(lock: &Lock) {
    let state = "State { held: Free, readers_wait: false, writers_wait: false }";
    let shown = format!("{lock:?}");
    assert!(shown.contains(state), "{shown}");
}

macro_rules! shapes {
    ($($name:ident: $($role:ident)*, $bound:expr;)*) => {$(
        #[test]
        fn $name() {
            play(&[$($role),*], $bound);
        }
    )*};
}

shapes! {
    wr: Writer Reader, None;
    ww: Writer Writer, None;
    dr: Downgrader Reader, None;
    dw: Downgrader Writer, None;
    tw: TryReader Writer, None;
    ur: TryWriter Reader, None;
    uw: TryWriter Writer, None;
    cw: Recursive Writer, Some(4);
    wwr: Writer Writer Reader, Some(3);
    wrr: Writer Reader Reader, Some(3);
    drw: Downgrader Reader Writer, Some(3);
    drr: Downgrader Reader Reader, Some(3);
    cwr: Recursive Writer Reader, Some(2);
    twr: TryReader Writer Reader, Some(2);
    uwr: TryWriter Writer Reader, Some(2);
}

#[cfg(feature = "std")]
shapes! {
    xr: TimedWriter Reader, Some(4);
    xw: TimedWriter Writer, Some(4);
    yw: TimedReader Writer, Some(4);
    wxr: Writer TimedWriter Reader, Some(3);
    rxr: Reader TimedWriter Reader, Some(3);
    xwr: TimedWriter Writer Reader, Some(3);
    wyr: Writer TimedReader Reader, Some(2);
}

/// A writer whose time is up while a reader stays must not leave behind those who came to wait
/// because of it.
#[cfg(feature = "std")]
#[test]
fn a_writer_gives_up_beside_a_reader_who_stays() {
    explore(Some(3), || {
        let lock = Arc::new(RwLock::new(Probe(UnsafeCell::new(0))));
        let time = Time::new();
        let stays = lock.read();
        let writer = {
            let (lock, time) = (Arc::clone(&lock), time.clone());
            thread::spawn(move || lock.try_write_until(time.deadline).is_none())
        };
        let reader = {
            let lock = Arc::clone(&lock);
            thread::spawn(move || lock.read().get())
        };
        let_time_pass(&lock, &time);
        assert!(writer.join().unwrap(), "wrote beside a reader");
        assert_eq!(reader.join().unwrap(), 0);
        drop(stays);
        assert_idle(&lock);
    });
}

/// Two writers with deadlines and one without: a wake-up that reaches one whose time is up must go
/// on to the one who would wait for ever.
#[cfg(feature = "std")]
#[test]
fn a_wake_up_is_passed_on() {
    explore(Some(2), || {
        let lock = Arc::new(RwLock::new(Probe(UnsafeCell::new(0))));
        let time = Time::new();
        let roles = [TimedWriter, Writer, Writer];
        let threads = roles.map(|role| {
            let (lock, time) = (Arc::clone(&lock), time.clone());
            thread::spawn(move || role.play(&lock, &time))
        });
        let_time_pass(&lock, &time);
        let added: u32 = threads.map(|thread| thread.join().unwrap()).iter().sum();
        assert_idle(&lock);
        assert_eq!(lock.read().get(), added);
    });
}

/// Two readers that only try: with no writer about, neither may be turned away by the other.
#[test]
fn tt() {
    explore(None, || {
        let lock = Arc::new(RwLock::new(Probe(UnsafeCell::new(0))));
        let threads = [(); 2].map(|()| {
            let lock = Arc::clone(&lock);
            thread::spawn(move || {
                assert!(lock.try_read().is_some(), "turned away by a reader");
                assert!(lock.try_read_recursive().is_some(), "turned away by a reader");
            })
        });
        for thread in threads {
            thread.join().unwrap();
        }
        assert_idle(&lock);
    });
}

/// At the limit two readers race for the last place: one gets it, the count does not wrap.
#[test]
fn limit() {
    explore(None, || {
        let lock = Arc::new(RwLock::with_readers((), RawRwLock::MAX_READERS - 1));
        let threads = [(); 2].map(|()| {
            let lock = Arc::clone(&lock);
            thread::spawn(move || lock.try_read().map(std::mem::forget).is_some())
        });
        let entered = threads.map(|thread| thread.join().unwrap());
        assert_eq!(entered.iter().filter(|&&entered| entered).count(), 1);
        assert!(lock.is_locked() && !lock.is_write_locked());
        assert!(lock.try_read().is_none() && lock.try_write().is_none());
    });
}
