//! Models of the ring: under `--cfg loom` every interleaving up to the preemption bound, natively a
//! few hundred runs of the same bodies on real threads.
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test --release -p lapring --test model
//! ```
//!
//! The number beside each model is its bound of preemptions; `LOOM_MAX_PREEMPTIONS` overrides it.
//!
//! In each model every value is found exactly once at the end, and each producer's values in the
//! order it pushed them. `mutants.txt` beside this file says which model fails for which fault.
#![allow(missing_docs, reason = "a test")]

use std::sync::Arc;

use lapring::{Cursor, Found, PopError, Ring};

#[cfg(loom)]
use loom::thread;
#[cfg(not(loom))]
use std::thread;

/// Under loom every interleaving with at most `bound` preemptions, natively a few hundred runs.
fn model(bound: usize, body: impl Fn() + Sync + Send + 'static) {
    syncface::model::explore(Some(bound), body);
}

/// Values are boxed so that a value used twice, or lost, is also a fault of the heap; the number's
/// tens digit is its producer.
type Value = Box<u32>;

fn ring(cap: usize) -> Arc<Ring<Value>> {
    // The lap counter wraps within every model.
    Arc::new(Ring::with_start_lap(cap, usize::MAX))
}

/// Pushes `values` in order; returns what was displaced or rejected.
fn force(ring: &Ring<Value>, values: &[u32]) -> Vec<u32> {
    values.iter().filter_map(|&n| ring.force_push(Box::new(n))).map(|value| *value).collect()
}

fn pop(ring: &Ring<Value>) -> Vec<u32> {
    ring.pop().map(|value| *value).into_iter().collect()
}

fn drain(ring: &Ring<Value>) -> Vec<u32> {
    ring.drain(usize::MAX).map(|value| *value).collect()
}

/// Each producer's values in `seen` rise.
fn assert_in_order(seen: &[u32]) {
    for producer in 0..10 {
        let of_producer: Vec<_> = seen.iter().filter(|&&n| n / 10 == producer).collect();
        assert!(
            of_producer.windows(2).all(|pair| pair[0] < pair[1]),
            "producer {producer} out of order: {seen:?}"
        );
    }
}

/// Everything in `lists`, and what is still resident, is `expected`, each value once.
fn assert_exactly(ring: &Ring<Value>, lists: &[Vec<u32>], expected: &[u32]) {
    // With nobody at work a pop finds all there is, like a drain.
    let mut resident = pop(ring);
    if ring.len() % 2 == 0 {
        resident.extend(drain(ring));
    }
    resident
        .extend(core::iter::repeat_with(|| pop(ring)).take_while(|it| !it.is_empty()).flatten());
    assert_in_order(&resident);
    assert_eq!(ring.try_pop().err(), Some(PopError::Empty));
    assert!(drain(ring).is_empty());
    assert!(ring.is_empty());
    let mut all: Vec<u32> = lists.iter().flatten().copied().chain(resident).collect();
    all.sort_unstable();
    assert_eq!(all, expected);
}

/// A full ring: as many tokens as slots.
fn full(cap: usize) -> Arc<Ring<Value>> {
    let ring = ring(cap);
    assert!(force(&ring, &TOKENS[..cap]).is_empty());
    ring
}

const TOKENS: [u32; 3] = [1, 11, 21];

/// Takes a token and puts it back; returns it if it was refused.
fn turn(ring: &Ring<Value>) -> Vec<u32> {
    let Some(token) = ring.pop() else { return vec![] };
    match ring.push(token) {
        Ok(()) => vec![],
        Err(refused) => {
            assert!(refused.is_busy());
            vec![*refused.into_inner()]
        }
    }
}

type Body = Box<dyn FnOnce() -> Vec<u32> + Send>;

/// Runs `bodies` on threads of their own and returns what they return.
fn run(bodies: Vec<Body>) -> Vec<Vec<u32>> {
    let threads: Vec<_> = bodies.into_iter().map(thread::spawn).collect();
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}

macro_rules! threads {
    ($ring:ident: $($body:expr),+ $(,)?) => {
        run(vec![$({
            let $ring = $ring.clone();
            Box::new(move || $body) as Body
        }),+])
    };
}

#[test]
fn two_writers_cap_1() {
    model(3, || {
        let ring = ring(1);
        let out = threads!(ring: force(&ring, &[10, 11]), force(&ring, &[20]));
        assert_exactly(&ring, &out, &[10, 11, 20]);
    });
}

#[test]
fn two_writers_cap_2() {
    model(3, || {
        let ring = ring(2);
        let out = threads!(ring: force(&ring, &[10, 11]), force(&ring, &[20, 21]));
        assert_exactly(&ring, &out, &[10, 11, 20, 21]);
    });
}

#[test]
fn writer_and_reader_cap_1() {
    model(3, || {
        let ring = ring(1);
        let out = threads!(ring: force(&ring, &[10, 11]), [pop(&ring), pop(&ring)].concat());
        assert_in_order(&out[1]);
        assert_exactly(&ring, &out, &[10, 11]);
    });
}

#[test]
fn writer_and_two_readers_cap_2() {
    model(3, || {
        let ring = ring(2);
        let out = threads!(ring: force(&ring, &[10, 11]), pop(&ring), pop(&ring));
        assert_exactly(&ring, &out, &[10, 11]);
    });
}

#[test]
fn two_writers_and_reader_cap_1() {
    model(3, || {
        let ring = ring(1);
        let out = threads!(ring:
            force(&ring, &[10]), force(&ring, &[20]), [pop(&ring), pop(&ring)].concat());
        assert_exactly(&ring, &out, &[10, 20]);
    });
}

/// A full ring: the writer meets the slot that the reader is taking, and passes it by.
#[test]
fn overwriting_meets_a_reader_cap_2() {
    model(3, || {
        let ring = ring(2);
        assert!(force(&ring, &[1, 2]).is_empty());
        let out = threads!(ring:
            force(&ring, &[10, 11]), [pop(&ring), pop(&ring), pop(&ring)].concat());
        assert_in_order(&out[1]);
        assert_exactly(&ring, &out, &[1, 2, 10, 11]);
    });
}

#[test]
fn overwriting_meets_two_readers_cap_2() {
    model(3, || {
        let ring = ring(2);
        assert!(force(&ring, &[1, 2]).is_empty());
        let out = threads!(ring: force(&ring, &[10]), pop(&ring), pop(&ring));
        assert_exactly(&ring, &out, &[1, 2, 10]);
    });
}

/// After a writer has passed by a slot, its later pushes must not land there, before the earlier.
#[test]
fn order_across_a_skip_cap_2() {
    model(2, || {
        let ring = ring(2);
        assert!(force(&ring, &[1, 2]).is_empty());
        let out = threads!(ring: force(&ring, &[10, 11]), pop(&ring), force(&ring, &[20]));
        let resident = drain(&ring);
        assert_in_order(&resident);
        assert!(out[0].iter().chain(&out[2]).all(|n| !resident.contains(n)));
        // What one producer lost is older than what of it is left.
        for producer in [1, 2] {
            let lost = out.iter().flatten().filter(|&&n| n / 10 == producer).max();
            let left = resident.iter().filter(|&&n| n / 10 == producer).min();
            assert!(lost.is_none() || left.is_none() || lost < left, "{out:?} {resident:?}");
        }
    });
}

/// A slot passed by while a reader held it is empty afterwards, with values beyond it: the reader
/// that comes next must not take that for the end.
#[test]
fn no_false_empty_after_a_skip_cap_2() {
    model(3, || {
        let ring = ring(2);
        assert!(force(&ring, &[1, 2]).is_empty());
        let out = threads!(ring: pop(&ring), force(&ring, &[10, 11]));
        let mut rest = Vec::new();
        loop {
            match ring.try_pop() {
                Ok(value) => rest.push(*value),
                Err(PopError::Empty) => break,
                Err(PopError::Pending) => panic!("nobody is in the middle of anything"),
            }
        }
        assert_in_order(&rest);
        assert_exactly(&ring, &[out.concat(), rest], &[1, 2, 10, 11]);
    });
}

/// A value that a writer puts into a slot late, after others have passed it by, is found.
#[test]
fn late_value_is_found_cap_2() {
    model(3, || {
        let ring = ring(2);
        let out = threads!(ring: force(&ring, &[10]), force(&ring, &[20, 21, 22]));
        assert_exactly(&ring, &out, &[10, 20, 21, 22]);
    });
}

#[test]
fn never_empty_cap_1() {
    model(3, || {
        let ring = ring(1);
        assert!(force(&ring, &[1]).is_empty());
        let out = threads!(ring: force(&ring, &[10, 11]), {
            assert!(!ring.is_empty());
            match ring.try_pop() {
                Ok(value) => vec![*value],
                Err(PopError::Pending) => vec![],
                Err(PopError::Empty) => panic!("the ring is never empty before this pop"),
            }
        });
        assert_exactly(&ring, &out, &[1, 10, 11]);
    });
}

/// A reader that got 2 knows that 1 was taken before, and 3 pushed before that: after it, the ring
/// is not empty.
#[test]
fn no_false_empty_behind_a_take_cap_3() {
    model(3, || {
        let ring = ring(3);
        assert!(force(&ring, &[1, 2]).is_empty());
        let reader = thread::spawn({
            let ring = ring.clone();
            move || {
                if pop(&ring) == [2] {
                    assert_ne!(ring.try_pop().err(), Some(PopError::Empty));
                }
            }
        });
        assert!(force(&ring, &[3]).is_empty());
        pop(&ring);
        reader.join().unwrap();
    });
}

/// The ring holds a value from the start to the end. Only a writer that marked the snapshot's slot
/// can make the reader pass it, and that writer had pushed before.
#[test]
fn no_false_empty_behind_a_snapshot_cap_2() {
    model(2, || {
        let ring = plain(2);
        ring.force_push(1);
        let others = [
            thread::spawn({
                let ring = ring.clone();
                move || assert_ne!(ring.try_pop().err(), Some(PopError::Empty))
            }),
            thread::spawn({
                let ring = ring.clone();
                move || {
                    ring.force_push(2);
                    ring.force_push(3);
                }
            }),
        ];
        ring.snapshot().next();
        others.into_iter().for_each(|other| other.join().unwrap());
    });
}

/// A value announced through another channel must be found.
#[test]
fn announced_value_is_found_cap_2() {
    use syncface::atomic::{AtomicUsize, Ordering};
    model(3, || {
        let ring = ring(2);
        let announced = Arc::new(AtomicUsize::new(0));
        let writers: Vec<_> = [10, 20]
            .map(|n| {
                let (ring, announced) = (ring.clone(), announced.clone());
                thread::spawn(move || {
                    assert!(ring.push(Box::new(n)).is_ok());
                    announced.fetch_add(1, Ordering::Release);
                })
            })
            .into();
        if announced.load(Ordering::Acquire) > 0 {
            assert_ne!(ring.try_pop().err(), Some(PopError::Empty));
        }
        writers.into_iter().for_each(|writer| writer.join().unwrap());
    });
}

/// Two tokens, two slots, two threads that each take one out and put it back.
#[test]
fn push_after_pop_is_never_refused_as_full_cap_2() {
    model(2, || {
        let ring = full(2);
        let out = threads!(ring: [turn(&ring), turn(&ring)].concat(), turn(&ring));
        assert_exactly(&ring, &out, &TOKENS[..2]);
    });
}

/// Who meets a position that was passed by has heard of the hole.
#[test]
fn push_beside_a_hole_is_never_refused_as_full_cap_2() {
    fn forced_turn(ring: &Ring<Value>) -> Vec<u32> {
        let Some(token) = ring.pop() else { return vec![] };
        ring.force_push(token).map(|value| *value).into_iter().collect()
    }
    model(2, || {
        let ring = full(2);
        let out = threads!(ring: [forced_turn(&ring), turn(&ring)].concat(), turn(&ring));
        assert_exactly(&ring, &out, &TOKENS[..2]);
    });
}

/// As many tokens as slots: once nobody is at work, what was refused as busy finds room without a pop.
#[test]
fn busy_passes_without_a_pop_cap_3() {
    model(3, || {
        let ring = full(3);
        let refused = threads!(ring: turn(&ring), turn(&ring));
        for token in refused.into_iter().flatten() {
            assert!(ring.push(Box::new(token)).is_ok());
        }
        assert_exactly(&ring, &[], &TOKENS);
    });
}

/// A forced push passes by a slot in use, a pop passes the hole, and another push has not heard of either:
/// its value must not come to lie where no pop looks any more.
#[test]
fn a_late_push_stays_before_the_head_cap_3() {
    fn push(ring: &Ring<Value>, n: u32) -> Vec<u32> {
        ring.push(Box::new(n)).err().map(|refused| *refused.into_inner()).into_iter().collect()
    }
    model(2, || {
        let ring = ring(3);
        assert!(force(&ring, &[1]).is_empty());
        // The rest of the lap is used, and empty.
        (0..2).for_each(|_| drop(ring.reserve()));
        let out = threads!(ring:
            [pop(&ring), pop(&ring)].concat(), force(&ring, &[20]), push(&ring, 30));
        assert_exactly(&ring, &out, &[1, 20, 30]);
    });
}

#[test]
fn push_and_force_push_mixed_cap_1() {
    model(3, || {
        let ring = ring(1);
        let out = threads!(ring:
            ring.push(Box::new(10)).err().map(|full| *full.into_inner()).into_iter().collect(),
            force(&ring, &[20]),
            pop(&ring),
        );
        assert_exactly(&ring, &out, &[10, 20]);
    });
}

#[test]
fn drain_beside_two_writers_cap_2() {
    model(3, || {
        let ring = ring(2);
        let out = threads!(ring:
            force(&ring, &[10]), force(&ring, &[20]), drain(&ring));
        assert_exactly(&ring, &out, &[10, 20]);
    });
}

/// Two drains in a row by one reader: what the first stepped over comes before what follows it.
#[test]
fn drains_keep_a_producers_order_cap_3() {
    model(3, || {
        let ring = ring(3);
        let out = threads!(ring: force(&ring, &[10, 11]), [drain(&ring), drain(&ring)].concat());
        assert_in_order(&out[1]);
        assert_exactly(&ring, &out, &[10, 11]);
    });
}

/// Numbers instead of boxes: a snapshot copies.
fn plain(cap: usize) -> Arc<Ring<u32>> {
    Arc::new(Ring::with_start_lap(cap, usize::MAX))
}

/// Runs `body` beside a snapshot of a ring that holds 1 and 2, and checks the accounts: each value
/// is in exactly one of what `body` returned, what the snapshot displaced, and what is resident.
fn beside_a_snapshot(body: fn(&Ring<u32>) -> Vec<u32>, pushed: &[u32]) {
    let ring = plain(2);
    ring.force_push(1);
    ring.force_push(2);
    let other = thread::spawn({
        let ring = ring.clone();
        move || body(&ring)
    });
    let mut snapshot = ring.snapshot();
    let seen: Vec<u32> = snapshot.by_ref().collect();
    let (in_flight, displaced) = (snapshot.in_flight(), snapshot.displaced());
    let mut out = other.join().unwrap();
    assert_in_order(&seen);
    assert!(in_flight <= 2 && displaced <= seen.len());

    let counters = ring.counters();
    let resident: Vec<u32> = ring.drain(usize::MAX).collect();
    assert_in_order(&resident);
    assert_eq!(resident.len(), counters.resident);
    assert_eq!(ring.try_pop().err(), Some(PopError::Empty));
    let sum = counters.departed + counters.abandoned + counters.resident;
    assert_eq!(counters.issued, sum);
    assert_eq!(counters.departed, out.len() + displaced);
    // What is gone without having been returned went by the snapshot, which has seen it.
    out.extend(&resident);
    out.sort_unstable();
    let gone: Vec<u32> =
        [&[1, 2], pushed].concat().into_iter().filter(|n| !out.contains(n)).collect();
    assert_eq!(gone.len(), displaced, "{out:?} {seen:?}");
    assert!(gone.iter().all(|n| seen.contains(n)));
    out.extend(gone);
    out.sort_unstable();
    assert_eq!(out, [&[1, 2], pushed].concat());
}

#[test]
fn snapshot_beside_a_writer_cap_2() {
    model(3, || {
        let pushes = |ring: &Ring<u32>| {
            [10, 11, 12].into_iter().filter_map(|n| ring.force_push(n)).collect()
        };
        beside_a_snapshot(pushes, &[10, 11, 12]);
    });
}

#[test]
fn snapshot_beside_a_reader_cap_2() {
    model(3, || beside_a_snapshot(|ring| ring.pop().into_iter().chain(ring.pop()).collect(), &[]));
}

#[test]
fn snapshot_beside_a_snapshot_cap_2() {
    model(3, || {
        beside_a_snapshot(
            |ring| {
                let mut snapshot = ring.snapshot();
                assert!(snapshot.by_ref().count() + snapshot.in_flight() == 2);
                vec![]
            },
            &[],
        );
    });
}

/// Reads on twice beside `body`, and once more at rest: every position is told of exactly once, and
/// what is resident at the end was seen.
fn cursor_beside(body: fn(&Ring<u32>)) {
    let ring = plain(2);
    ring.force_push(1);
    let other = thread::spawn({
        let ring = ring.clone();
        move || body(&ring)
    });
    let mut cursor = ring.cursor();
    let (mut seen, mut late, mut gone) = (vec![], vec![], 0);
    let read = |cursor: &mut Cursor, seen: &mut Vec<u32>, late: &mut Vec<_>, gone: &mut usize| {
        for found in ring.read_on(cursor) {
            match found {
                Found::Value { value, .. } => seen.push(value),
                Found::InFlight(place) => late.push(place),
                Found::Gone(count) => *gone += count,
            }
        }
    };
    read(&mut cursor, &mut seen, &mut late, &mut gone);
    read(&mut cursor, &mut seen, &mut late, &mut gone);
    other.join().unwrap();
    read(&mut cursor, &mut seen, &mut late, &mut gone);
    assert_in_order(&seen);
    for place in late {
        match ring.read_again(place) {
            Found::Value { value, .. } => seen.push(value),
            Found::InFlight(_) => panic!("nobody is at work"),
            Found::Gone(count) => gone += count,
        }
    }
    assert_eq!(seen.len() + gone, ring.counters().issued, "{seen:?}, {gone} gone");
    let resident: Vec<u32> = ring.drain(usize::MAX).collect();
    assert!(resident.iter().all(|n| seen.contains(n)), "{resident:?} {seen:?}");
    seen.sort_unstable();
    assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "seen twice: {seen:?}");
}

#[test]
fn cursor_beside_a_writer_cap_2() {
    model(3, || {
        cursor_beside(|ring| {
            force_numbers(ring, &[10, 11, 12]);
        });
    });
}

#[test]
fn cursor_beside_a_reader_and_writer_cap_2() {
    model(3, || {
        cursor_beside(|ring| {
            ring.pop();
            force_numbers(ring, &[10, 11]);
        });
    });
}

fn force_numbers(ring: &Ring<u32>, numbers: &[u32]) {
    for &n in numbers {
        ring.force_push(n);
    }
}

/// A value that a snapshot held while its slot was passed by does not come back behind newer ones.
#[test]
fn order_across_a_snapshot_cap_3() {
    model(3, || {
        let ring = plain(3);
        for n in [10, 11, 12] {
            ring.force_push(n);
        }
        let other = thread::spawn({
            let ring = ring.clone();
            move || ring.snapshot().next()
        });
        ring.force_push(13);
        let mut popped: Vec<u32> = ring.pop().into_iter().collect();
        assert!(other.join().unwrap().is_some());
        popped.extend(ring.drain(usize::MAX));
        assert_in_order(&popped);
    });
}

/// A writer that gives up its slot because its value could not be made.
#[test]
#[cfg(not(loom))]
fn abandoned_push_beside_a_writer() {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    model(3, || {
        let ring = ring(2);
        let out = threads!(ring: force(&ring, &[10, 11]), {
            let failed = catch_unwind(AssertUnwindSafe(|| {
                ring.force_push_with(|| std::panic::resume_unwind(Box::new(())))
            }));
            assert!(failed.is_err());
            vec![]
        });
        // A displaced value is dropped with the panic, so only an upper bound holds.
        let mut rest = [out.concat(), drain(&ring)].concat();
        rest.sort_unstable();
        rest.dedup();
        assert!(rest.len() <= 2 && rest.iter().all(|n| [10, 11].contains(n)));
        assert_eq!(ring.force_push_full(Box::new(30)), lapring::Forced::Stored);
    });
}

/// Each value is dropped exactly once, whether popped, displaced or left for the ring to drop.
#[test]
fn each_value_is_dropped_once_cap_2() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Counts its drop; a second one would be seen in the sum.
    struct Counted(Arc<AtomicUsize>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    model(3, || {
        let drops = Arc::new(AtomicUsize::new(0));
        let ring = Arc::new(Ring::with_start_lap(2, usize::MAX));
        let writer = thread::spawn({
            let (ring, drops) = (ring.clone(), drops.clone());
            move || (0..3).for_each(|_| drop(ring.force_push(Counted(drops.clone()))))
        });
        drop(ring.force_push(Counted(drops.clone())));
        drop(ring.pop());
        writer.join().unwrap();
        drop(Arc::into_inner(ring));
        assert_eq!(drops.load(Ordering::Relaxed), 4);
    });
}
