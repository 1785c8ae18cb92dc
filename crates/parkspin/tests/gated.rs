//! A value behind a gate, on one thread and on several; under `--cfg loom` every interleaving of
//! the small bodies within the bound that stands beside each.
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test --release -p parkspin --test gated
//! ```
#![allow(missing_docs, reason = "a test")]

use parkspin::Gated;
use syncface::cell::UnsafeCell;

#[cfg(loom)]
use loom::{sync::Arc, thread};
#[cfg(not(loom))]
use std::{sync::Arc, thread};

/// Under loom its cell reports two accesses that the gate does not order.
struct Probe(UnsafeCell<u32>);

// SAFETY: only reached through the gate under test; that this is enough is what is tested.
#[allow(unsafe_code, reason = "hands an unsynchronized cell to the gate under test")]
unsafe impl Sync for Probe {}

#[allow(unsafe_code, reason = "reads and writes an unsynchronized cell under the gate under test")]
impl Probe {
    fn get(&self) -> u32 {
        // SAFETY: inside; that this excludes writers is what the test is about.
        self.0.with(|value| unsafe { *value })
    }

    fn increment(&self) {
        // SAFETY: exclusive; that this excludes everybody is what the test is about.
        self.0.with_mut(|value| unsafe { *value += 1 });
    }
}

type Subject = Arc<Gated<Probe>>;

/// Behind an open gate, with the value 1.
fn opened() -> Subject {
    let gated = Arc::new(Gated::new(Probe(UnsafeCell::new(0))));
    change(&gated);
    gated
}

/// Adds one and opens the gate.
fn change(gated: &Gated<Probe>) {
    let value = gated.exclusive(patient).unwrap();
    value.increment();
    value.open();
}

/// Waits as long as it takes.
fn patient(_round: u32) -> bool {
    syncface::hint::spin_loop();
    #[cfg(not(loom))]
    thread::yield_now();
    true
}

fn model(bound: usize, body: impl Fn() + Send + Sync + 'static) {
    syncface::model::explore(Some(bound), body);
}

fn look(gated: &Gated<Probe>) -> Option<u32> {
    gated.enter().map(|value| value.get())
}

fn spawn<T: Send + 'static>(
    gated: &Subject,
    body: impl FnOnce(&Gated<Probe>) -> T + Send + 'static,
) -> thread::JoinHandle<T> {
    let gated = Arc::clone(gated);
    thread::spawn(move || body(&gated))
}

#[test]
fn one_inside_beside_a_change() {
    model(4, || {
        let gated = opened();
        let other = spawn(&gated, look);
        change(&gated);
        assert!(matches!(other.join().unwrap(), None | Some(1 | 2)));
        assert_eq!(look(&gated), Some(2));
    });
}

/// What one thread wrote as a soloist is there for the next that gets the number.
#[cfg(all(loom, feature = "std"))]
#[test]
fn a_number_is_handed_on_with_what_goes_with_it() {
    model(3, || {
        let gated = opened();
        let written = Arc::new(Probe(UnsafeCell::new(0)));
        let turn = |gated: &Gated<Probe>, written: &Probe| {
            let inside = gated.enter().unwrap();
            if inside.soloist() == Some(0) {
                written.increment();
            }
            drop(inside);
            parkspin::end_of_thread();
        };
        let others = [(); 2].map(|()| {
            let written = Arc::clone(&written);
            spawn(&gated, move |gated| turn(gated, &written))
        });
        others.into_iter().for_each(|other| other.join().unwrap());
        assert!(written.get() >= 1);
    });
}

/// A thread without a slot, as one that is ending, is counted instead.
#[test]
fn one_without_a_slot_beside_a_change() {
    model(4, || {
        let gated = opened();
        let other = spawn(&gated, |gated| {
            #[cfg(all(loom, feature = "std"))]
            parkspin::end_of_thread();
            look(gated)
        });
        change(&gated);
        assert!(matches!(other.join().unwrap(), None | Some(1 | 2)));
    });
}

/// The closer waits for the first entry while the second one has begun.
#[test]
fn two_entries_in_a_row_beside_a_change() {
    model(3, || {
        let gated = opened();
        let other = spawn(&gated, |gated| (look(gated), look(gated)));
        change(&gated);
        let (first, second) = other.join().unwrap();
        assert!(first.is_none_or(|first| second.is_none_or(|second| first <= second)));
    });
}

/// The closer finds that the thread has gone on to another gate, and does not wait for it there.
#[test]
fn an_entry_elsewhere_beside_a_change() {
    model(3, || {
        let (gated, elsewhere) = (opened(), opened());
        let other = spawn(&gated, move |gated| (look(gated), look(&elsewhere)));
        change(&gated);
        let (here, there) = other.join().unwrap();
        assert!(matches!(here, None | Some(1 | 2)));
        assert_eq!(there, Some(1));
    });
}

#[test]
fn two_inside_beside_a_change() {
    model(3, || {
        let gated = opened();
        let others = [(); 2].map(|()| spawn(&gated, look));
        change(&gated);
        for other in others {
            assert!(matches!(other.join().unwrap(), None | Some(1 | 2)));
        }
    });
}

#[test]
fn nested_entries_beside_a_change() {
    model(3, || {
        let gated = opened();
        let other = spawn(&gated, |gated| {
            let Some(outer) = gated.enter() else { return };
            let before = outer.get();
            let inner = gated.enter();
            // In the order in which no scope would end them.
            drop(outer);
            assert!(inner.is_none_or(|inner| inner.get() == before));
        });
        change(&gated);
        other.join().unwrap();
    });
}

/// A handler on top of an entry that has announced itself and not yet looked whether it may go in: the
/// closer may have passed its slot by before.
#[cfg(all(feature = "std", any(target_os = "linux", target_os = "android")))]
#[test]
fn an_interrupted_entry_beside_a_change() {
    model(3, || {
        let gated = opened();
        let other = spawn(&gated, |gated| {
            let inside = gated.enter_interrupted(|| {
                assert!(matches!(look(gated), None | Some(1 | 2)));
            });
            inside.map(|value| value.get())
        });
        change(&gated);
        assert!(matches!(other.join().unwrap(), None | Some(1 | 2)));
    });
}

#[test]
fn sharing_beside_a_change() {
    model(3, || {
        let gated = opened();
        let other = spawn(&gated, |gated| gated.share().get());
        change(&gated);
        assert!(matches!(other.join().unwrap(), 1 | 2));
        assert_eq!(gated.share().get(), 2);
    });
}

#[test]
fn two_changes_one_after_the_other() {
    model(3, || {
        let gated = opened();
        let other = spawn(&gated, change);
        change(&gated);
        other.join().unwrap();
        assert_eq!(look(&gated), Some(3));
    });
}

#[cfg(not(loom))]
mod native {
    use parkspin::StillInside;

    use super::*;

    #[test]
    fn closed_at_first_after_a_change_without_opening_and_after_giving_up() {
        let gated = Gated::new(5);
        assert!(gated.enter().is_none());
        *gated.exclusive(|_| false).unwrap() = 6;
        assert!(gated.enter().is_none());
        assert_eq!(*gated.share(), 6);
        gated.exclusive(|_| false).unwrap().open();
        let inside = gated.enter().unwrap();
        let mut rounds = 0;
        let error = gated.exclusive(|round| {
            assert_eq!(round, rounds);
            rounds += 1;
            round < 9
        });
        assert_eq!(error.unwrap_err(), StillInside { entries: 1 });
        assert_eq!(rounds, 10);
        let somebody_new = || gated.enter().is_some();
        assert!(!thread::scope(|scope| scope.spawn(somebody_new).join().unwrap()));
        assert_eq!(*inside, 6, "who was in is still in");
        assert!(gated.enter().is_none(), "closed to who is in, too");
        drop(inside);
        *gated.exclusive(|_| false).unwrap() += 1;
        assert_eq!(*gated.share(), 7);
    }

    #[test]
    fn the_last_of_nested_entries_to_end_is_waited_for() {
        let gated = Gated::new(5);
        gated.exclusive(|_| false).unwrap().open();
        let (outer, inner) = (gated.enter().unwrap(), gated.enter().unwrap());
        drop(outer);
        assert!(gated.exclusive(|_| false).is_err(), "one of two has come out");
        assert_eq!(*inner, 5);
        drop(inner);
        assert!(gated.exclusive(|_| false).is_ok());
    }

    #[test]
    fn a_sharer_keeps_exclusive_holders_out_and_the_gate_open() {
        let gated = Gated::new(0);
        gated.exclusive(|_| false).unwrap().open();
        let shared = gated.share();
        let error = gated.exclusive(|_| false).unwrap_err();
        assert_eq!(error.to_string(), "somebody else has the value");
        assert!(gated.enter().is_some());
        drop(shared);
        assert!(gated.exclusive(|_| false).is_ok());
    }

    #[test]
    fn only_the_outermost_entry_of_a_thread_is_a_soloist() {
        let (gated, other) = (Gated::new(1), Gated::new(2));
        gated.exclusive(|_| false).unwrap().open();
        other.exclusive(|_| false).unwrap().open();
        let outer = gated.enter().unwrap();
        assert_eq!(outer.soloist().is_some(), parkspin::Inside::<u32>::SOLOISTS != 0);
        assert_eq!(gated.enter().unwrap().soloist(), None);
        assert_eq!(other.enter().unwrap().soloist(), None);
        let elsewhere = thread::scope(|scope| {
            let handle = scope.spawn(|| gated.enter().unwrap().soloist());
            handle.join().unwrap()
        });
        assert!(elsewhere.is_none() || elsewhere != outer.soloist());
    }

    /// More threads at once than there are slots, and many more one after the other.
    #[test]
    fn threads_without_a_slot_get_in_all_the_same() {
        let gated = Gated::new(());
        gated.exclusive(|_| false).unwrap().open();
        let threads = if cfg!(miri) { 3 } else { 100 };
        for _ in 0..3 {
            let together = std::sync::Barrier::new(threads);
            thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(|| {
                        let inside = gated.enter();
                        together.wait();
                        assert!(inside.is_some());
                    });
                }
            });
        }
        assert!(gated.exclusive(|_| false).is_ok(), "all have come out");
    }

    /// A thread that is inside another gate again and again holds nobody up.
    #[test]
    fn a_thread_busy_with_another_gate_is_waited_for_once() {
        let (gated, other) = (Gated::new(0), Gated::new(0));
        other.exclusive(|_| false).unwrap().open();
        let stop = std::sync::atomic::AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    let inside = other.enter();
                    for _ in 0..200 {
                        std::hint::spin_loop();
                    }
                    drop(inside);
                }
            });
            for _ in 0..if cfg!(miri) { 3 } else { 300 } {
                change_number(&gated);
            }
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        assert_eq!(*gated.share(), if cfg!(miri) { 3 } else { 300 });
    }

    fn change_number(gated: &Gated<u32>) {
        let mut value = gated.exclusive(patient).unwrap();
        *value += 1;
        value.open();
    }

    /// Entries in destructors that run when the thread ends, before and after its slot is given back.
    #[test]
    fn destructors_of_thread_locals_get_in() {
        static GATED: Gated<u32> = Gated::new(0);
        static ENTERED: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        struct Late;
        impl Drop for Late {
            fn drop(&mut self) {
                if GATED.enter().is_some() {
                    ENTERED.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                }
            }
        }
        std::thread_local! { static LATE: Late = const { Late }; }
        GATED.exclusive(|_| false).unwrap().open();
        for enter_first in [false, true] {
            thread::spawn(move || {
                LATE.with(|_| ());
                if enter_first {
                    drop(GATED.enter());
                }
            })
            .join()
            .unwrap();
        }
        assert_eq!(ENTERED.load(std::sync::atomic::Ordering::Relaxed), 2);
        assert!(GATED.exclusive(patient).is_ok(), "nobody is left inside");
    }

    /// Sharers who overlap without a gap do not keep a change out.
    #[cfg(feature = "std")]
    #[test]
    fn a_lock_gets_in_between_overlapping_sharers() {
        use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
        use std::time::{Duration, Instant};

        let gated = Gated::new(0_u32);
        let (done, came) = (AtomicBool::new(false), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        let shared = gated.share();
                        let number = came.fetch_add(1, Ordering::Relaxed);
                        // Until another one has come, but not for ever if none is let in.
                        let since = Instant::now();
                        while came.load(Ordering::Relaxed) == number + 1
                            && since.elapsed() < Duration::from_millis(5)
                        {
                            std::thread::yield_now();
                        }
                        assert!(*shared <= 20);
                    }
                });
            }
            let outcome = (0..20).try_for_each(|_| {
                let since = Instant::now();
                let mut value = gated.exclusive(|_| {
                    std::thread::sleep(Duration::from_micros(50));
                    since.elapsed() < Duration::from_secs(5)
                })?;
                *value += 1;
                Ok::<(), parkspin::StillInside>(())
            });
            done.store(true, Ordering::Relaxed);
            outcome.unwrap();
        });
    }

    #[test]
    fn a_lock_looks_without_closing() {
        let gated = Gated::new(1);
        gated.exclusive(|_| false).unwrap().open();
        let locked = gated.lock(|_| false).unwrap();
        assert_eq!(*locked, 1);
        assert_eq!(gated.enter().as_deref(), Some(&1), "the gate is as it was");
        assert!(gated.lock(|_| false).is_err());
        *locked.close(|_| false).unwrap() += 1;
        assert!(gated.enter().is_none());
        assert_eq!(*gated.share(), 2);
    }

    #[test]
    fn a_leaked_entry_is_refused_for_ever_and_hangs_nobody() {
        let gated = Gated::new(0);
        gated.exclusive(|_| false).unwrap().open();
        std::mem::forget(gated.enter());
        let error = gated.exclusive(|round| round < 3).unwrap_err();
        assert_eq!(error.to_string(), "1 still inside");
    }

    #[test]
    fn debug_shows_the_value_of_an_open_gate() {
        let mut gated = Gated::new(3);
        assert_eq!(format!("{gated:?}"), "Gated(closed)");
        *gated.get_mut() += 1;
        gated.exclusive(|_| false).unwrap().open();
        assert_eq!(format!("{gated:?}"), "Gated(4)");
        assert_eq!(format!("{:?}", gated.enter()), "Some(4)");
    }

    #[test]
    fn nobody_sees_a_value_that_is_gone() {
        replace_under_readers(Gated::new);
    }

    #[test]
    fn nobody_sees_a_value_that_is_gone_by_fences() {
        replace_under_readers(Gated::with_fences);
    }

    /// Values are boxed and replaced under the readers' feet: a use after the end would show.
    fn replace_under_readers<M: Fn(Box<[u64; 8]>) -> Gated<Box<[u64; 8]>>>(make: M) {
        const ROUNDS: u64 = if cfg!(miri) { 20 } else { 2_000 };
        let gated = Arc::new(make(Box::new([0_u64; 8])));
        let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let readers: Vec<_> = (0..3)
            .map(|_| {
                let (gated, stop) = (Arc::clone(&gated), Arc::clone(&stop));
                thread::spawn(move || {
                    let mut seen = 0_u64;
                    while !stop.load(std::sync::atomic::Ordering::Acquire) {
                        if let Some(value) = gated.enter() {
                            assert!(value.iter().all(|it| *it == value[0]));
                            assert!(value[0] >= seen, "an older value came back");
                            seen = value[0];
                        }
                    }
                })
            })
            .collect();
        for round in 1..=ROUNDS {
            let mut value = gated.exclusive(patient).unwrap();
            let old = std::mem::replace(&mut *value, Box::new([round; 8]));
            assert_eq!(*old, [round - 1; 8]);
            value.open();
        }
        stop.store(true, std::sync::atomic::Ordering::Release);
        readers.into_iter().for_each(|reader| reader.join().unwrap());
    }
}
