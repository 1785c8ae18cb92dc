//! Values of every kind: each is dropped exactly once, whatever happens to the ring.
#![cfg(not(loom))]
#![allow(missing_docs, reason = "a test")]

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use lapring::{CapacityError, Forced, InlineRing, MAX_CAPACITY, Ring};

fn assert_send<T: Send>() {}
fn assert_sync<T: Sync>() {}
fn assert_unwind_safe<T: std::panic::UnwindSafe + std::panic::RefUnwindSafe>() {}

/// `Send` is enough for `Sync`: values move, they are never shared. (That less is not enough is
/// shown by the examples on `Ring` that must not compile.)
#[test]
fn auto_traits() {
    assert_send::<Ring<Cell<u8>>>();
    assert_sync::<Ring<Cell<u8>>>();
    assert_sync::<InlineRing<Cell<u8>, 2>>();
    assert_unwind_safe::<Ring<Box<u8>>>();
}

struct Counted(Rc<Cell<u32>>, bool);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
        assert!(!self.1 || std::thread::panicking(), "this value's drop panics");
    }
}

#[test]
fn each_value_is_dropped_once() {
    for cap in 1..=9 {
        for pushed in 0..3 * cap {
            for popped in 0..=pushed.min(cap) {
                let drops = Rc::new(Cell::new(0));
                let ring = Ring::new(cap);
                for _ in 0..pushed {
                    drop(ring.force_push(Counted(drops.clone(), false)));
                }
                assert_eq!(drops.get() as usize, pushed.saturating_sub(cap));
                for _ in 0..popped {
                    assert!(ring.pop().is_some());
                }
                drop(ring);
                assert_eq!(drops.get() as usize, pushed);
            }
        }
    }
}

/// After any history, and also if a drop panics: empty, all values dropped, numbers from 0 on.
#[test]
fn a_reset_ring_is_as_new() {
    for guilty in [None, Some(0), Some(2)] {
        for pushed in 0..12 {
            let drops = Rc::new(Cell::new(0));
            let mut ring = Ring::new(3);
            drop(ring.reserve());
            for n in 0..pushed {
                let guilty = guilty.is_some_and(|guilty| n + guilty + 1 == pushed);
                drop(ring.force_push(Counted(drops.clone(), guilty)));
            }
            let outcome = catch_unwind(AssertUnwindSafe(|| ring.reset()));
            assert_eq!(outcome.is_err(), guilty.is_some_and(|guilty| guilty < pushed));
            assert_eq!(drops.get() as usize, pushed);
            assert!(ring.is_empty());
            assert_eq!((ring.counters().issued, ring.counters().abandoned), (0, 0));
            for number in 0..7 {
                let slot = ring.reserve().unwrap();
                assert_eq!(slot.number(), number);
                assert_eq!(slot.displaced().is_some(), number >= 3);
                slot.fill(Counted(drops.clone(), false));
            }
        }
    }
}

#[test]
fn a_panicking_drop_leaks_nothing_else() {
    for guilty in 0..4 {
        let drops = Rc::new(Cell::new(0));
        let ring = Ring::new(4);
        for n in 0..4 {
            assert!(ring.force_push(Counted(drops.clone(), n == guilty)).is_none());
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| drop(ring)));
        assert!(outcome.is_err());
        assert_eq!(drops.get(), 4, "all four, once each");
    }
}

#[test]
fn into_iter_halfway_drops_the_rest() {
    let drops = Rc::new(Cell::new(0));
    let ring = Ring::new(8);
    for _ in 0..8 {
        drop(ring.push(Counted(drops.clone(), false)));
    }
    let mut iter = ring.into_iter();
    drop(iter.next());
    drop(iter.next());
    assert_eq!(drops.get(), 2);
    assert_eq!(iter.size_hint(), (0, Some(6)));
    drop(iter);
    assert_eq!(drops.get(), 8);
}

#[test]
fn a_value_that_could_not_be_made_leaves_no_trace() {
    let ring = Ring::new(2);
    assert_eq!(ring.force_push(1), None);
    assert_eq!(ring.force_push(2), None);
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        ring.force_push_with(|| panic!("no value")).into_displaced()
    }));
    assert!(outcome.is_err());
    // The oldest had already made room; its slot is free again.
    assert_eq!(ring.try_pop(), Ok(2));
    assert!(ring.is_empty());
    assert_eq!(ring.force_push_full(3), Forced::Stored);
    assert_eq!(ring.drain(9).collect::<Vec<_>>(), [3]);
}

#[test]
fn zero_sized_one_byte_aligned_and_large_values() {
    #[repr(align(64))]
    #[derive(Debug, PartialEq, Clone, Copy)]
    struct Aligned(u8);

    let unit = Ring::new(3);
    for _ in 0..5 {
        unit.force_push(());
    }
    assert_eq!(unit.drain(9).count(), 3);

    let bytes = Ring::new(300);
    for n in 0..=255u8 {
        assert!(bytes.push(n).is_ok());
    }
    assert_eq!(bytes.into_iter().collect::<Vec<_>>(), (0..=255).collect::<Vec<_>>());

    let aligned = Ring::new(3);
    for n in 0..5 {
        aligned.force_push(Aligned(n));
    }
    assert_eq!(aligned.pop(), Some(Aligned(2)));

    let pages = Ring::new(2);
    for n in 0..5u8 {
        pages.force_push([n; 4096]);
    }
    assert_eq!(pages.pop(), Some([3; 4096]));
}

#[test]
fn capacities_out_of_range_are_values() {
    assert_eq!(Ring::<u8>::try_new(0).unwrap_err(), CapacityError::Zero);
    for requested in [MAX_CAPACITY + 1, isize::MAX as usize, usize::MAX] {
        let error = Ring::<()>::try_new(requested).unwrap_err();
        assert_eq!(error, CapacityError::TooLarge { requested, limit: MAX_CAPACITY });
        assert!(error.to_string().contains(&requested.to_string()));
    }
    // Within the limit of the word but not of the memory.
    #[cfg(not(lapring_word = "16"))]
    assert!(matches!(
        Ring::<[u8; 4096]>::try_new(MAX_CAPACITY),
        Err(CapacityError::OutOfMemory { .. })
    ));
    assert!(catch_unwind(|| Ring::<u8>::new(0)).is_err());
}

#[test]
fn the_sequence_widths_that_broke_others() {
    for cap in [127, 128, 129, 255, 256, 257] {
        let ring = Ring::new(cap);
        for n in 0..cap {
            assert!(ring.push(n).is_ok());
        }
        assert!(ring.push(cap).is_err_and(|full| !full.is_busy()));
        for n in 0..cap {
            assert_eq!(ring.pop(), Some(n));
        }
        assert!(ring.is_empty());
    }
}

#[test]
fn debug_shows_shape_not_values() {
    let ring = Ring::new(4);
    ring.force_push(1);
    assert_eq!(format!("{ring:?}"), "Ring { capacity: 4, len: 1, .. }");
}

/// A static without an allocator is the same ring.
#[test]
fn inline_ring() {
    static RING: InlineRing<u64, 3> = InlineRing::new_inline();
    for n in 0..10 {
        assert_eq!(RING.force_push(n), n.checked_sub(3));
    }
    assert_eq!(RING.drain(9).collect::<Vec<_>>(), [7, 8, 9]);
    assert_eq!(RING.capacity(), 3);
}

#[test]
fn reservations_are_numbered_in_order_and_show_what_they_displace() {
    let ring = Ring::new(3);
    for n in 0..10_usize {
        let slot = ring.reserve().unwrap();
        assert_eq!(slot.number(), n);
        assert_eq!(slot.displaced().copied(), n.checked_sub(3));
        if n % 2 == 0 {
            assert_eq!(slot.fill(n), n.checked_sub(3));
        } else {
            slot.replace(n);
        }
    }
    assert_eq!(ring.drain(usize::MAX).collect::<Vec<_>>(), [7, 8, 9]);
}

#[test]
fn an_unfilled_reservation_leaves_a_hole_and_drops_what_it_displaced() {
    let ring = Ring::new(2);
    let witness = std::sync::Arc::new(());
    ring.force_push(witness.clone());
    ring.force_push(witness.clone());
    drop(ring.reserve().unwrap());
    assert_eq!(std::sync::Arc::strong_count(&witness), 2, "the oldest is dropped");
    assert_eq!(ring.reserve().unwrap().number(), 3, "the position is gone");
    let counters = ring.counters();
    assert_eq!((counters.issued, counters.resident), (4, 0), "{counters:?}");
    assert_eq!(counters.abandoned, 2);
    assert_eq!(counters.displaced(0), 2);
}

#[test]
fn replace_drops_the_displaced_value_once() {
    let ring = Ring::new(1);
    let witness = std::sync::Arc::new(());
    for _ in 0..5 {
        ring.reserve().unwrap().replace(witness.clone());
    }
    assert_eq!(std::sync::Arc::strong_count(&witness), 2);
}

#[test]
fn a_leaked_reservation_costs_its_slot_and_nothing_else() {
    let ring = Ring::new(2);
    std::mem::forget(ring.reserve().unwrap());
    for n in 0..10 {
        ring.force_push(n);
    }
    assert_eq!(ring.drain(usize::MAX).collect::<Vec<_>>(), [9]);
    assert!(ring.push(10).unwrap_err().is_busy());
    assert_eq!(ring.force_push(11), None);
    assert_eq!(ring.drain(usize::MAX).collect::<Vec<_>>(), [11]);
}
