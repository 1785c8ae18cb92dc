//! What only hashes chosen by hand can show.

use super::Interner;
use super::May;
use crate::index::Gap;
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
        names
            .store(Symbol::from_hash(7), Source::Copied("abc"), Gap::NONE, May::WaitAndAllocate)
            .outcome,
        Outcome::New
    );
    assert_eq!(
        names
            .store(Symbol::from_hash(7), Source::Copied("abd"), Gap::NONE, May::WaitAndAllocate)
            .outcome,
        Outcome::Collision
    );
    assert_eq!(
        names
            .store(Symbol::from_hash(7), Source::Copied("abc"), Gap::NONE, May::WaitAndAllocate)
            .outcome,
        Outcome::Known
    );
    let other = Interner::new();
    other.store(Symbol::from_hash(7), Source::Static("abe"), Gap::NONE, May::WaitAndAllocate);
    assert_eq!(names.merge(&other).collided, 1);
    assert_eq!(names.resolve(Symbol::from_hash(7)), Some("abc"));
    let others: Vec<_> = names.collision_pairs().map(|pair| pair.other).collect();
    assert_eq!(others, ["abd", "abe"]);
}

#[test]
fn the_list_of_collisions_is_bounded() {
    let names = Interner::new();
    names.store(Symbol::from_hash(7), Source::Static("first"), Gap::NONE, May::WaitAndAllocate);
    for round in 0..2 {
        for i in 0..200_u64 {
            let text = format!("other {i}");
            names.store(
                Symbol::from_hash(7 | (i + 1) << 50),
                Source::Copied(&text),
                Gap::NONE,
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
    names.store(Symbol::from_hash(7), Source::Copied("12345"), Gap::NONE, May::WaitAndAllocate);
    assert_eq!(
        names
            .store(Symbol::from_hash(7), Source::Copied("6789"), Gap::NONE, May::WaitAndAllocate)
            .outcome,
        Outcome::Collision
    );
    assert_eq!((names.collisions(), names.collision_pairs().len()), (1, 0));
    assert_eq!(
        names
            .store(Symbol::from_hash(7), Source::Copied("678"), Gap::NONE, May::WaitAndAllocate)
            .outcome,
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
        let id = names
            .store(Symbol::from_hash(hash), Source::Copied("end"), Gap::NONE, May::WaitAndAllocate)
            .id;
        assert_eq!(names.resolve(id), Some("end"));
    }
    assert_eq!(names.resolve(Symbol::MAX), Some("end"));
    assert_eq!(names.len(), 2);
}

#[test]
fn a_try_does_not_wait() {
    let names = Interner::new();
    names.intern("pool");
    let held = names.written.lock.take();
    assert_eq!(names.try_intern("conv2d").outcome, Outcome::Busy);
    assert_eq!(names.try_intern("pool").outcome, Outcome::Known);
    assert_eq!(names.intern("pool").outcome, Outcome::Known);
    assert_eq!(names.lookup("conv2d"), None);
    drop(held);
    assert_eq!(names.try_intern("conv2d").outcome, Outcome::New);
    assert_eq!(names.dropped(), 0);
}

/// Whoever knows the keys of an index can aim any number of names at one of its words. Those that
/// do not fit within the bound are found by their ids.
#[test]
#[cfg_attr(miri, ignore = "searches for a key that is text")]
fn names_aimed_at_one_word() {
    let count = 4747;
    let (names, tail) = (0..)
        .find_map(|seed| {
            let names = Interner::with_seed(Limits::DEFAULT, seed);
            names.reserve_hint(count);
            let tail = names.index.get()?.keys().fatal_tail();
            Some((names, std::string::String::from_utf8(tail.to_vec()).ok()?))
        })
        .unwrap();
    let aimed = |i: usize| format!("{i:08}{tail}");
    for i in 0..count {
        assert_eq!(names.intern(&aimed(i)).outcome, Outcome::New);
    }
    let direct = (0..count).filter(|&i| names.hit(&aimed(i)).is_ok()).count();
    assert_eq!(direct, crate::index::PROBES, "they were to meet at one word");
    for i in 0..count {
        let answer = names.intern(&aimed(i));
        assert_eq!((answer.id, answer.outcome), (Symbol::of(&aimed(i)), Outcome::Known));
        assert_eq!(names.lookup(&aimed(i)), Some(answer.id));
    }
    // Others are not slower for it: they are where they would be.
    names.intern("ordinary");
    assert!(names.hit("ordinary").is_ok());
}

/// Names whose ids end alike, as somebody would choose them against a table that takes the low bits
/// for a place: they queue behind each other no more than others.
#[test]
#[cfg_attr(miri, ignore = "looks for names")]
fn ids_that_end_alike_do_not_queue() {
    let count = 800;
    let aimed = (0..).map(|n: u64| format!("{n:016}"));
    let aimed = aimed.filter(|text| Symbol::of(text).to_packed50() % 1024 == 7).take(count);
    let names = Interner::new();
    for text in aimed {
        assert_eq!(names.intern(&text).outcome, Outcome::New);
    }
    // A search goes over words in use only, so it is no longer than the longest run of them.
    let longest = names.index.get().unwrap().longest_run();
    assert!(longest <= 300, "{longest} words in a row, of {count} names");
}
