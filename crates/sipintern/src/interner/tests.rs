//! What only hashes chosen by hand can show.

use super::Interner;
use super::May;
use crate::limits::{Limits, MAX_LISTED};
use crate::order;
use crate::record::Source;
use crate::{Outcome, Symbol};
use std::format;
use std::vec::Vec;

/// What no names in the world are known to do: an equal 64-bit hash.
#[test]
fn equal_hash_of_different_texts() {
    let names = Interner::new();
    assert_eq!(
        names.store(Symbol::from_hash(7), Source::Copied("abc"), May::WaitAndAllocate).outcome,
        Outcome::New
    );
    assert_eq!(
        names.store(Symbol::from_hash(7), Source::Copied("abd"), May::WaitAndAllocate).outcome,
        Outcome::Collision
    );
    assert_eq!(
        names.store(Symbol::from_hash(7), Source::Copied("abc"), May::WaitAndAllocate).outcome,
        Outcome::Known
    );
    let other = Interner::new();
    other.store(Symbol::from_hash(7), Source::Static("abe"), May::WaitAndAllocate);
    assert_eq!(names.merge(&other).collided, 1);
    assert_eq!(names.resolve(Symbol::from_hash(7)), Some("abc"));
    let others: Vec<_> = names.collision_pairs().map(|pair| pair.other).collect();
    assert_eq!(others, ["abd", "abe"]);
}

#[test]
fn the_list_of_collisions_is_bounded() {
    let names = Interner::new();
    names.store(Symbol::from_hash(7), Source::Static("first"), May::WaitAndAllocate);
    for round in 0..2 {
        for i in 0..200_u64 {
            let text = format!("other {i}");
            names.store(
                Symbol::from_hash(7 | (i + 1) << 50),
                Source::Copied(&text),
                May::WaitAndAllocate,
            );
        }
        let unlisted = 200 - MAX_LISTED as u64;
        assert_eq!(names.collision_pairs().len(), MAX_LISTED);
        assert_eq!(names.collisions(), 200 + round * unlisted);
    }
    assert_eq!(names.len(), 1);
}

#[test]
fn a_collision_that_does_not_fit_is_counted() {
    let limits = Limits { max_bytes: 8, ..Limits::DEFAULT };
    let names = Interner::with_limits(limits);
    names.store(Symbol::from_hash(7), Source::Copied("12345"), May::WaitAndAllocate);
    assert_eq!(
        names.store(Symbol::from_hash(7), Source::Copied("6789"), May::WaitAndAllocate).outcome,
        Outcome::Collision
    );
    assert_eq!((names.collisions(), names.collision_pairs().len()), (1, 0));
    assert_eq!(
        names.store(Symbol::from_hash(7), Source::Copied("678"), May::WaitAndAllocate).outcome,
        Outcome::Collision
    );
    assert_eq!((names.collisions(), names.collision_pairs().len()), (2, 1));
    assert_eq!(names.bytes(), 8);
}

#[test]
fn counters_stay_at_the_end() {
    let mut names = Interner::with_limits(Limits { max_entries: 0, ..Limits::DEFAULT });
    names.written.dropped.store(usize::MAX, order::PLAIN);
    names.intern("x");
    assert_eq!(names.dropped(), usize::MAX as u64);
    names.written.collisions.store(usize::MAX, order::PLAIN);
    names.limits.max_entries = 1;
    names.intern("pdgtib");
    names.intern("pexlag");
    assert_eq!(names.collisions(), usize::MAX as u64);
}

#[test]
fn both_ends_of_the_range_are_ids_like_others() {
    let names = Interner::new();
    for hash in [0, u64::MAX] {
        let id =
            names.store(Symbol::from_hash(hash), Source::Copied("end"), May::WaitAndAllocate).id;
        assert_eq!(names.resolve(id), Some("end"));
    }
    assert_eq!(names.resolve(Symbol::MAX), Some("end"));
    assert_eq!(names.len(), 2);
}
