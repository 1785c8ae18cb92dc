//! Reading on with a cursor, in one thread and beside writers and readers.
#![cfg(all(feature = "alloc", not(loom)))]
#![allow(missing_docs, reason = "a test")]

#[cfg(not(lapring_word = "16"))]
use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use lapring::{Found, Ring};

fn value(value: u32) -> Found<u32> {
    Found::Value { value, displaced: false }
}

fn push(ring: &Ring<u32>, values: std::ops::Range<u32>) {
    for n in values {
        ring.force_push(n);
    }
}

#[test]
fn every_position_is_told_of_once_at_any_distance() {
    for cap in 1..=9_usize {
        for lap in [0, usize::MAX - 1] {
            for step in 1..=3 * cap {
                let ring = Ring::with_start_lap(cap, lap);
                let mut cursor = ring.cursor();
                let mut pushed = 0;
                for _ in 0..20 {
                    for _ in 0..step {
                        ring.force_push(pushed);
                        pushed += 1;
                    }
                    let gone = step.saturating_sub(cap);
                    let mut expected: Vec<_> =
                        (pushed - step.min(cap) as u32..pushed).map(value).collect();
                    if gone > 0 {
                        expected.insert(0, Found::Gone(gone));
                    }
                    let found: Vec<_> = ring.read_on(&mut cursor).collect();
                    assert_eq!(found, expected, "cap {cap} step {step}");
                    assert_eq!(ring.read_on(&mut cursor).next(), None);
                }
            }
        }
    }
}

/// Whatever the two capacities: nothing is looked at that is not there.
#[test]
fn a_cursor_of_another_ring_breaks_nothing() {
    for (cap, other_cap) in (1..=17_usize).flat_map(|cap| (1..=17_usize).map(move |it| (cap, it))) {
        let (ring, other) = (Ring::new(cap), Ring::new(other_cap));
        push(&ring, 0..40);
        for passed in 0..20 {
            let mut cursor = other.cursor();
            assert!(other.read_on(&mut cursor).all(|found| found != Found::Gone(0)));
            let found: Vec<_> = ring.read_on(&mut cursor).collect();
            assert!(found.iter().all(|it| matches!(it, Found::Gone(1..) | Found::Value { .. })));
            assert_eq!(ring.read_on(&mut cursor).next(), None);
            let slot = other.reserve().unwrap();
            let place = other.read_on(&mut other.cursor_before_newest(1)).last();
            let Some(Found::InFlight(place)) = place else { panic!("{place:?}") };
            assert!(!matches!(ring.read_again(place), Found::InFlight(_)));
            slot.fill(passed);
        }
    }
}

#[test]
fn what_others_pop_is_gone() {
    let ring = Ring::new(4);
    let mut cursor = ring.cursor();
    push(&ring, 0..4);
    assert_eq!([ring.pop(), ring.pop()], [Some(0), Some(1)]);
    let found: Vec<_> = ring.read_on(&mut cursor).collect();
    assert_eq!(found, [Found::Gone(2), value(2), value(3)]);
    // Popped after it was seen: nothing to tell.
    assert_eq!(ring.drain(9).count(), 2);
    assert_eq!(ring.read_on(&mut cursor).next(), None);
}

#[test]
fn an_iterator_dropped_early_leaves_the_rest() {
    let ring = Ring::new(4);
    let mut cursor = ring.cursor();
    push(&ring, 0..6);
    assert_eq!(ring.read_on(&mut cursor).next(), Some(Found::Gone(2)));
    assert_eq!(ring.read_on(&mut cursor).next(), Some(value(2)));
    assert_eq!(ring.read_on(&mut cursor).count(), 3);
}

#[test]
fn what_is_in_flight_comes_later() {
    let ring = Ring::new(2);
    let mut cursor = ring.cursor();
    let slot = ring.reserve().unwrap();
    ring.force_push(2);
    let found: Vec<_> = ring.read_on(&mut cursor).collect();
    let [Found::InFlight(place), second] = found[..] else { panic!("{found:?}") };
    assert_eq!(second, value(2));
    assert_eq!(ring.read_again(place), Found::InFlight(place));
    // Others lap the slot: each time one position has no value.
    push(&ring, 3..8);
    assert_eq!(ring.read_again(place), Found::InFlight(place), "its value will still come");
    let found: Vec<_> = ring.read_on(&mut cursor).collect();
    assert_eq!(found.last(), Some(&value(7)));
    slot.fill(1);
    assert_eq!(ring.read_again(place), value(1));
    ring.force_push(8);
    ring.force_push(9);
    assert_eq!(ring.read_again(place), Found::Gone(1));
}

#[test]
fn the_newest() {
    for cap in 1..=9 {
        let ring = Ring::new(cap);
        for n in 0..30_u32 {
            ring.force_push(n);
            let resident = (n as usize + 1).min(cap);
            for count in 0..=cap + 1 {
                let mut cursor = ring.cursor_before_newest(count);
                let found: Vec<_> = ring.read_on(&mut cursor).collect();
                let first = n + 1 - count.min(resident) as u32;
                assert_eq!(found, (first..=n).map(value).collect::<Vec<_>>());
            }
        }
    }
}

/// Two writers, one who pops, two who read on: nobody sees a value twice, or out of a writer's
/// order, and the sum of what is seen and gone is what was issued. (The narrow word goes around too
/// often for readers that are not always on time.)
#[cfg(not(lapring_word = "16"))]
#[test]
fn beside_writers_and_a_reader() {
    for cap in [1, 2, 3, 64] {
        let ring = Ring::<[u32; 8]>::new(cap);
        let done = AtomicBool::new(false);
        let pushes = if cfg!(miri) { 200 } else { 100_000 };
        thread::scope(|scope| {
            let writers: Vec<_> = (0..2_u32)
                .map(|writer| {
                    let ring = &ring;
                    scope.spawn(move || {
                        for n in 0..pushes {
                            ring.force_push([2 * n + writer; 8]);
                        }
                    })
                })
                .collect();
            scope.spawn(|| {
                while !done.load(Ordering::Acquire) {
                    ring.pop();
                    thread::yield_now();
                }
            });
            for _ in 0..2 {
                scope.spawn(|| {
                    let mut cursor = ring.cursor();
                    let (mut seen, mut gone, mut open) = (vec![], 0, vec![]);
                    loop {
                        let last = done.load(Ordering::Acquire);
                        for found in ring.read_on(&mut cursor) {
                            match found {
                                Found::Value { value, .. } => {
                                    assert_eq!(value, [value[0]; 8], "torn");
                                    seen.push(value[0]);
                                }
                                Found::InFlight(place) => open.push(place),
                                Found::Gone(count) => gone += count,
                            }
                        }
                        open.retain(|&place| match ring.read_again(place) {
                            Found::Value { value, .. } => {
                                seen.push(value[0]);
                                false
                            }
                            Found::InFlight(_) => true,
                            Found::Gone(count) => {
                                gone += count;
                                false
                            }
                        });
                        // The other reader may still hold what is open.
                        if last && open.is_empty() {
                            break;
                        }
                    }
                    assert_eq!(seen.len() + gone, ring.counters().issued, "cap {cap}");
                    seen.sort_unstable();
                    assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "cap {cap}: twice");
                });
            }
            for writer in writers {
                writer.join().unwrap();
            }
            done.store(true, Ordering::Release);
        });
    }
}
