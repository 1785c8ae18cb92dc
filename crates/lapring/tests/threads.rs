//! Many threads: every value popped, displaced or resident exactly once, each producer's in order.
#![cfg(not(loom))]
#![allow(missing_docs, reason = "a test")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, mpsc};
use std::thread;

use lapring::{Forced, PopError, Ring};

const ROUNDS: u64 = if cfg!(miri) { 50 } else { 20_000 };

/// Rounds for each of three threads on a ring of `cap` slots.
///
/// With the narrow word of a special test build a thread may not sleep for half a circle of words,
/// and on a busy machine any thread may sleep for a whole test: so all threads together stay below
/// that. The start close to the wrap makes up for it.
fn rounds(cap: usize) -> u64 {
    let one_lap = (cap + 1).next_power_of_two().max(8) as u64;
    if cfg!(lapring_word = "16") { (1 << 13) / one_lap * cap as u64 / 3 } else { ROUNDS }
}

/// A producer's number and its count.
fn value(producer: u64, n: u64) -> u64 {
    producer << 32 | n
}

/// Checks that `values`, as one reader saw them, keep each producer's order.
fn assert_in_order(values: &[u64]) {
    let mut last = [None; 8];
    for value in values {
        let producer = (value >> 32) as usize;
        assert!(last[producer] < Some(value & 0xFFFF_FFFF), "producer {producer} out of order");
        last[producer] = Some(value & 0xFFFF_FFFF);
    }
}

#[test]
fn exactly_once_and_in_order() {
    for cap in [1, 2, 3, 7, 64, 1000] {
        let ring = Ring::with_start_lap(cap, 0usize.wrapping_sub(3));
        let done = AtomicBool::new(false);
        let (producers, readers) = (3, 2);
        let (mut out, displaced) = thread::scope(|scope| {
            let writers: Vec<_> = (0..producers)
                .map(|producer| {
                    let ring = &ring;
                    scope.spawn(move || {
                        let mut displaced = Vec::new();
                        for n in 0..rounds(cap) {
                            let value = value(producer, n);
                            if n % 4 == 3 {
                                displaced.extend(ring.push(value).err().map(|f| f.into_inner()));
                            } else {
                                displaced.extend(ring.force_push(value));
                            }
                        }
                        displaced
                    })
                })
                .collect();
            let readers: Vec<_> = (0..readers)
                .map(|reader| {
                    let (ring, done) = (&ring, &done);
                    scope.spawn(move || {
                        let mut seen = Vec::new();
                        while !done.load(Ordering::Acquire) {
                            if reader == 0 {
                                seen.extend(ring.pop());
                            } else {
                                seen.extend(ring.drain(3));
                            }
                        }
                        assert_in_order(&seen);
                        seen
                    })
                })
                .collect();
            let displaced: Vec<_> = writers.into_iter().flat_map(|w| w.join().unwrap()).collect();
            done.store(true, Ordering::Release);
            (readers.into_iter().flat_map(|r| r.join().unwrap()).collect::<Vec<_>>(), displaced)
        });
        let resident: Vec<_> = ring.drain(usize::MAX).collect();
        assert_in_order(&resident);
        assert_eq!(ring.try_pop(), Err(PopError::Empty));
        out.extend(displaced);
        out.extend(resident);
        out.sort_unstable();
        let all: Vec<_> =
            (0..producers).flat_map(|p| (0..rounds(cap)).map(move |n| value(p, n))).collect();
        assert!(out == all, "cap {cap}: {} values for {}", out.len(), all.len());
    }
}

#[test]
fn a_ring_that_is_never_empty_never_says_so() {
    for cap in [1, 2, 3] {
        let ring = Ring::new(cap);
        ring.force_push(0);
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                for n in 1..rounds(cap) {
                    ring.force_push(n);
                }
                done.store(true, Ordering::Release);
            });
            scope.spawn(|| {
                while !done.load(Ordering::Acquire) {
                    assert!(!ring.is_empty(), "cap {cap}");
                    assert!(ring.len() <= cap);
                }
            });
        });
    }
}

/// N tokens in a ring of N slots, each thread taking one out and putting it back: there is always
/// room, so a refusal must say "busy", never "full".
#[test]
fn push_after_pop_is_never_refused_as_full() {
    for cap in [1, 2, 3, 256] {
        let ring = Ring::new(cap);
        for n in 0..cap {
            assert!(ring.push(n).is_ok());
        }
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for _ in 0..rounds(cap) {
                        let Some(mut token) = ring.pop() else { continue };
                        while let Err(refused) = ring.push(token) {
                            assert!(refused.is_busy(), "cap {cap}");
                            token = refused.into_inner();
                            thread::yield_now();
                        }
                    }
                });
            }
        });
        let mut tokens: Vec<_> = ring.into_iter().collect();
        tokens.sort_unstable();
        assert_eq!(tokens, (0..cap).collect::<Vec<_>>());
    }
}

/// A push that passed by a slot in use would leave a hole, which comes into use only when all older
/// values have been popped: whoever only pushes would be told "busy" until then, for ever.
#[test]
fn busy_passes_without_a_pop() {
    for (cap, turns) in (1..=9).flat_map(|cap| (0..cap).map(move |turns| (cap, turns))) {
        let ring = Ring::new(cap);
        (0..cap).for_each(|n| ring.push(n).unwrap());
        let mut refused = vec![];
        let first = ring.pop_stopped(|| {
            for _ in 0..turns {
                let token = ring.pop().unwrap();
                let full = ring.push(token).unwrap_err();
                assert!(full.is_busy(), "cap {cap}");
                refused.push(full.into_inner());
            }
        });
        for token in refused.into_iter().chain(first) {
            assert_eq!(
                ring.push(token),
                Ok(()),
                "cap {cap}, {turns} turns: nobody is at work any more"
            );
        }
        assert_eq!(ring.push(cap).map_err(|full| full.is_busy()), Err(false));
    }
}

/// Three at once: the one who is in the middle of a push when another looks for a slot has a value
/// that nobody can see yet, and that is older than what the other will push.
#[test]
fn busy_passes_without_a_pop_also_beside_a_push() {
    let ring = Ring::new(3);
    ["a", "b", "c"].into_iter().for_each(|token| ring.push(token).unwrap());
    let first = ring.pop().unwrap();
    let mut pushing = None;
    let mut third = None;
    let second = ring.pop_stopped(|| {
        pushing = ring.reserve();
        third = ring.push(ring.pop().unwrap()).err().map(lapring::Full::into_inner);
    });
    assert_eq!(pushing.unwrap().fill(first), None);
    for token in third.into_iter().chain(second) {
        assert_eq!(ring.push(token), Ok(()));
    }
    assert_eq!(ring.drain(9).count(), 3);
}

/// A value whose push has returned is there: after a message about it, a pop finds something.
#[test]
fn announced_values_are_found() {
    let ring = Ring::new(4096);
    let (announce, announced) = mpsc::channel();
    thread::scope(|scope| {
        for producer in 0..3 {
            let (ring, announce) = (&ring, announce.clone());
            scope.spawn(move || {
                for n in 0..1000 {
                    assert!(ring.push(value(producer, n)).is_ok());
                    announce.send(()).unwrap();
                }
            });
        }
        drop(announce);
        for () in announced {
            loop {
                match ring.try_pop() {
                    Ok(_) => break,
                    Err(PopError::Pending) => thread::yield_now(),
                    Err(PopError::Empty) => panic!("an announced value is not there"),
                }
            }
        }
    });
    assert!(ring.is_empty());
}

/// A writer stopped mid-copy: everybody else goes on, and its value comes out in the end.
#[test]
fn a_stopped_writer_stops_nobody() {
    for cap in 1..=9u64 {
        let ring = Ring::new(cap as usize);
        let (mut seen, mut displaced) = (Vec::new(), Vec::new());
        let own = ring.force_push_with(|| {
            for n in 0..10 * cap {
                match ring.force_push_full(n) {
                    Forced::Stored => {}
                    Forced::Evicted(oldest) => displaced.push(oldest),
                    Forced::Rejected(value) => {
                        assert_eq!(cap, 1, "only a ring of one slot has no other slot");
                        displaced.push(value);
                    }
                }
                assert_ne!(ring.try_pop(), Err(PopError::Empty), "a push is under way");
            }
            seen.extend(ring.drain(usize::MAX));
            1_000
        });
        assert_eq!(own, Forced::Stored, "cap {cap}");
        seen.extend(ring.drain(usize::MAX));
        assert_eq!(seen.last(), Some(&1_000), "cap {cap}");
        assert!(ring.is_empty());
    }
}

/// The same with a stopped reader; nothing is lost or seen twice.
#[test]
fn a_stopped_reader_stops_nobody() {
    for cap in 1..=9u64 {
        let ring = Ring::new(cap as usize);
        let mut out = Vec::new();
        for n in 0..cap {
            ring.force_push(n);
        }
        let mut inner = Vec::new();
        let own = ring.pop_stopped(|| {
            for n in cap..10 * cap {
                inner.extend(ring.force_push(n));
                inner.extend((n % 3 == 0).then(|| ring.pop()).flatten());
            }
            inner.extend(ring.drain(usize::MAX));
        });
        assert_eq!(own, Some(0));
        out.extend(own);
        out.extend(inner);
        out.extend(ring.drain(usize::MAX));
        out.sort_unstable();
        assert_eq!(out, (0..10 * cap).collect::<Vec<_>>(), "cap {cap}");
        assert!(ring.is_empty());
    }
}

/// Beside a stopped thread, whichever end it is at, a push that comes to its slot is refused as busy, and a
/// forced push passes by: then pushes go on for another lap.
#[test]
fn a_forced_push_gets_by_where_a_push_is_refused() {
    fn laps(ring: &Ring<usize>) {
        let mut forced = 0;
        let mut out = vec![];
        for n in 0..10 * ring.capacity() {
            if let Err(refused) = ring.push(n) {
                assert!(refused.is_busy(), "{n} of a ring that is kept empty: {ring:?}");
                assert_eq!(ring.force_push(n), None);
                forced += 1;
            }
            out.extend(ring.drain(1));
        }
        assert_eq!(out, (0..10 * ring.capacity()).collect::<Vec<_>>());
        // A lap is that slot and the others.
        let others = ring.capacity() - 1;
        assert_eq!(forced, (10 * ring.capacity()).div_ceil(others) - 1, "cap {}", others + 1);
    }
    for cap in 2..=9 {
        let ring = Ring::new(cap);
        ring.push(1000).unwrap();
        assert_eq!(ring.pop_stopped(|| laps(&ring)), Some(1000), "a reader, cap {cap}");

        let ring = Ring::new(cap);
        let writing = ring.reserve().unwrap();
        laps(&ring);
        assert_eq!(writing.fill(2000), None, "a writer, cap {cap}");
        assert_eq!(ring.drain(9).collect::<Vec<_>>(), [2000]);
    }
}

/// A pop is pending behind a stopped reader whose slot comes round again, until forced pushes have moved
/// the window on: some come through in each lap. (With two slots, every window begins or ends there.)
#[test]
fn forced_pushes_bring_pops_past_a_stopped_reader() {
    const LAPS: usize = 10;
    for cap in 3..=9 {
        let ring = Ring::new(cap);
        ring.push(0).unwrap();
        let (mut popped, mut seen) = (0, vec![]);
        let taken = ring.pop_stopped(|| {
            for n in 1..LAPS * cap {
                seen.extend(ring.force_push(n));
                match ring.try_pop() {
                    Ok(value) => {
                        popped += 1;
                        seen.push(value);
                    }
                    Err(error) => assert_eq!(error, PopError::Pending, "cap {cap}: {n} is there"),
                }
            }
        });
        assert!(popped >= LAPS, "cap {cap}: {popped}");
        seen.extend(taken);
        seen.extend(ring.drain(cap));
        seen.sort_unstable();
        assert_eq!(seen, (0..LAPS * cap).collect::<Vec<_>>(), "cap {cap}");
    }
}

/// All slots but one held by stopped writers, nested as signal handlers would be.
#[test]
fn as_many_stopped_writers_as_slots() {
    fn nest(ring: &Ring<u64>, depth: u64, rejected: &mut Vec<u64>) {
        match ring.force_push_with(|| {
            if depth > 0 {
                nest(ring, depth - 1, rejected);
            }
            depth
        }) {
            Forced::Stored => {}
            Forced::Evicted(value) | Forced::Rejected(value) => rejected.push(value),
        }
    }
    for cap in 1..=5 {
        for depth in 0..8 {
            let ring = Ring::new(cap);
            let mut out = Vec::new();
            nest(&ring, depth, &mut out);
            out.extend(ring.drain(usize::MAX));
            out.sort_unstable();
            assert_eq!(out, (0..=depth).collect::<Vec<_>>(), "cap {cap} depth {depth}");
        }
    }
}

/// A writer that never comes back: its slot is passed by for ever, also when the position word has
/// gone round many times (which takes the narrow word of a special test build).
#[test]
fn a_writer_that_never_comes_back() {
    for cap in [2, 3, 8] {
        let ring = Ring::new(cap);
        ring.force_push_with(|| {
            let mut next = 0;
            for n in 0..10 * ROUNDS {
                if let Forced::Rejected(_) = ring.force_push_full(n) {
                    panic!("cap {cap}: there are free slots");
                }
                if n % 7 == 0 {
                    for value in ring.drain(usize::MAX) {
                        assert!(value >= next, "cap {cap}: {value} after {next}");
                        next = value + 1;
                    }
                    assert_eq!(next, n + 1, "cap {cap}: the newest was resident");
                }
            }
            0
        });
    }
}

/// A push whose value could not be made leaves a hole: there is room, so nothing may be refused as
/// "full".
#[test]
fn full_only_if_full_after_an_abandoned_push() {
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    let ring = Ring::new(2);
    ring.push(0).unwrap();
    let failed =
        catch_unwind(AssertUnwindSafe(|| ring.force_push_with(|| resume_unwind(Box::new(())))));
    assert!(failed.is_err());
    assert!(ring.push(1).err().is_none_or(|refused| refused.is_busy()));
    assert_eq!(ring.counters().abandoned, 1);
}

/// The same after a drain that took a value before its turn.
#[test]
fn full_only_if_full_after_a_step_over() {
    let ring = Ring::new(2);
    ring.force_push_with(|| {
        ring.force_push(20);
        assert_eq!(ring.drain(usize::MAX).collect::<Vec<_>>(), [20]);
        10
    });
    assert!(ring.push(30).err().is_none_or(|refused| refused.is_busy()));
}

/// A position that was passed by while its slot was being read is empty afterwards. A thread whose
/// first value was passed by as well must not put its second one there: it would come out first.
#[test]
fn what_was_passed_by_stays_passed_by() {
    let ring = Ring::new(3);
    ring.force_push(1);
    let (reading, read_on) = (Barrier::new(2), Barrier::new(2));
    let (copying, copy_on) = (Barrier::new(2), Barrier::new(2));
    let (beyond, go_on) = (Barrier::new(2), Barrier::new(2));
    let stop = |inside: &Barrier, on: &Barrier| {
        inside.wait();
        on.wait();
    };
    thread::scope(|scope| {
        let reader = scope.spawn(|| ring.pop_stopped(|| stop(&reading, &read_on)));
        reading.wait();
        let writer = scope.spawn(|| {
            ring.force_push_with(|| {
                stop(&copying, &copy_on);
                10
            });
            ring.force_push(11);
        });
        copying.wait();
        let other = scope.spawn(|| {
            ring.force_push(20);
            // Passes by the reader's slot and the writer's; the tail does not tell yet.
            ring.force_push_with(|| {
                stop(&beyond, &go_on);
                21
            });
        });
        beyond.wait();
        read_on.wait();
        assert_eq!(reader.join().unwrap(), Some(1));
        copy_on.wait();
        writer.join().unwrap();
        go_on.wait();
        other.join().unwrap();
    });
    assert_eq!(ring.drain(usize::MAX).collect::<Vec<_>>(), [10, 21, 11]);
}

/// Hints are brought along with the tail even if the last slot of the ring is never filled.
#[test]
fn hints_come_along_beside_a_stuck_last_slot() {
    for cap in [2usize, 3, 8] {
        let ring = Ring::new(cap);
        for n in 0..cap as u64 - 1 {
            ring.force_push(n);
        }
        ring.force_push_with(|| {
            for n in 100..10 * ROUNDS {
                ring.force_push(n);
                assert!(!ring.is_empty(), "cap {cap} after {n}");
                if n % 5_003 == 0 {
                    // The only pops here: the oldest is as old as the ring allows.
                    assert_eq!(ring.drain(1).next(), Some(n + 2 - cap as u64), "cap {cap}");
                }
            }
            0
        });
    }
}
