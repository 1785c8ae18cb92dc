//! The interner's promises, one by one.
#![cfg(feature = "alloc")]

mod support;

use sipintern::{Cap, Interner, Limits, MAX_LISTED, MergeReport, Outcome, Symbol, merged};
use std::collections::BTreeMap;

#[test]
fn tables_may_be_shared_between_threads() {
    fn check<T: Send + Sync + Clone + 'static>() {}
    check::<Interner>();
    check::<sipintern::Strings>();
    check::<Symbol>();
}

#[test]
fn nothing_moves_or_changes_while_the_table_grows() {
    let count = if cfg!(miri) { 100 } else { 50_000 };
    let names = Interner::new();
    let first = names.intern("first").id;
    let pointer = names.resolve(first).unwrap().as_ptr();
    for i in 0..count {
        assert_eq!(names.intern(&format!("name {i}")).outcome, Outcome::New);
        if (i as u32).is_power_of_two() {
            assert_eq!(names.intern("first").outcome, Outcome::Known);
            assert_eq!(names.resolve(first).unwrap().as_ptr(), pointer);
        }
    }
    for i in 0..count {
        let text = format!("name {i}");
        assert_eq!(names.lookup(&text), Some(Symbol::of(&text)));
        assert_eq!(names.resolve(Symbol::of(&text)), Some(&*text));
    }
    assert_eq!(names.len(), count + 1);
}

#[test]
fn golden_texts_go_in_and_come_out() {
    let names = Interner::new();
    let mut expected = BTreeMap::new();
    for row in support::goldens() {
        if let Ok(text) = String::from_utf8(row.bytes) {
            let answer = names.intern(&text);
            assert_eq!((answer.id.get(), answer.outcome), (row.id, Outcome::New), "{text:?}");
            expected.insert(answer.id, text);
        }
    }
    assert_eq!(names.resolve(Symbol::of("")), Some(""));
    assert!(names.iter().eq(&names) && names.iter().len() == expected.len());
    assert_eq!(names.into_iter().collect::<BTreeMap<_, _>>(), expected);
}

#[test]
fn real_collisions_are_kept_apart() {
    let rows = support::pairs();
    let there = Interner::new();
    let back = Interner::new();
    for row in &rows {
        assert_eq!(there.intern(row.first).outcome, Outcome::New);
        assert_eq!(back.intern_static(row.second).outcome, Outcome::New);
    }
    for row in &rows {
        for _ in 0..2 {
            let answer = there.intern_static(row.second);
            assert_eq!((answer.id.get(), answer.outcome), (row.id, Outcome::Collision));
            assert_eq!(there.register(answer.id, row.second), Ok(Outcome::Collision));
            assert_eq!(back.intern(row.first).outcome, Outcome::Collision);
        }
        assert_eq!(there.resolve(Symbol::of(row.second)), Some(row.first));
        assert_eq!(back.resolve(Symbol::of(row.first)), Some(row.second));
        assert!(there.contains(row.first) && !there.contains(row.second));
    }
    assert_eq!(there.collisions(), rows.len() as u64);
    assert_eq!(there.dropped(), 0);
    for (pair, row) in there.collision_pairs().zip(&rows) {
        assert_eq!((pair.id.get(), pair.kept, pair.other), (row.id, row.first, row.second));
    }
    // Neither order nor direction shows in the union.
    let one = merged([&there, &back]);
    let two = merged([&back, &there]);
    assert!(one.iter().eq(two.iter()));
    assert!(one.collisions().eq(two.collisions()));
    assert_eq!((one.len(), one.collisions().count()), (rows.len(), rows.len()));
    assert!(one.collisions().all(|pair| pair.kept < pair.other));
}

#[test]
fn merge_keeps_what_was_resolved() {
    let row = &support::pairs()[0];
    let one = Interner::new();
    let two = Interner::new();
    one.intern(row.second);
    two.intern(row.first);
    let before = one.resolve(Symbol::of(row.second)).unwrap().as_ptr();
    assert_eq!(one.merge(&two), MergeReport { collided: 1, ..MergeReport::default() });
    assert_eq!(one.resolve(Symbol::of(row.first)).unwrap().as_ptr(), before);
    assert_eq!(one.collision_pairs().next().unwrap().other, row.first);
    assert_eq!(one.collisions(), 1);
    one.merge(&two);
    assert_eq!(one.collisions(), 1);
    // A listed collision travels on, even to a table that has neither text.
    let three = Interner::new();
    assert_eq!(three.merge(&one), MergeReport { new: 1, collided: 1, ..MergeReport::default() });
    assert_eq!(three.collision_pairs().next(), one.collision_pairs().next());
}

#[test]
fn merge_of_static_texts_copies_nothing() {
    let one = Interner::new();
    let two = Interner::new();
    two.intern_static("static");
    two.intern("copied");
    one.merge(&two);
    assert_eq!(one.bytes(), "copied".len());
}

#[test]
fn limits_hold_against_many_names() {
    let count: u32 = if cfg!(miri) { 150 } else { 1_000_000 };
    let limits = Limits { max_entries: 100, max_bytes: 1000, max_len: 50 };
    let names = Interner::with_limits(limits);
    for i in 0..count {
        let text = format!("{i:06}");
        assert_eq!(names.intern(&text).id.get(), support::oracle_id(text.as_bytes()));
    }
    assert_eq!((names.len(), names.bytes()), (100, 600));
    assert_eq!(names.dropped(), u64::from(count) - 100);
    assert_eq!(names.intern("000099").outcome, Outcome::Known);
    let full = Outcome::Full { cap: Cap::Entries, needed: 101, limit: 100 };
    assert_eq!(names.intern("one more").outcome, full);
}

#[test]
fn each_limit_is_exact() {
    let limits = Limits { max_entries: 10, max_bytes: 8, max_len: 5 };
    let names = Interner::with_limits(limits);
    let full = Outcome::Full { cap: Cap::Length, needed: 6, limit: 5 };
    assert_eq!(names.intern("123456").outcome, full);
    assert_eq!(names.intern_static("123456").outcome, full);
    assert_eq!(names.intern("12345").outcome, Outcome::New);
    let full = Outcome::Full { cap: Cap::Bytes, needed: 9, limit: 8 };
    assert_eq!(names.intern("6789").outcome, full);
    assert_eq!(names.intern_static("6789").outcome, Outcome::New);
    assert_eq!(names.intern("678").outcome, Outcome::New);
    assert_eq!(names.intern("").outcome, Outcome::New);
    assert_eq!((names.len(), names.bytes(), names.dropped()), (4, 8, 3));

    let none = Interner::with_limits(Limits { max_entries: 0, ..Limits::DEFAULT });
    assert!(!none.intern("").outcome.is_stored());
    assert!(none.is_empty());
}

#[test]
fn long_texts() {
    let len = if cfg!(miri) { 1 << 17 } else { 1 << 20 };
    let long = "é".repeat(len / 2);
    let names = Interner::new();
    let full = Outcome::Full { cap: Cap::Length, needed: len, limit: 1 << 16 };
    assert_eq!(names.intern(&long).outcome, full);
    let names = Interner::with_limits(Limits::NONE);
    names.intern("before");
    let id = names.intern(&long).id;
    names.intern("after");
    assert_eq!(names.resolve(id), Some(&*long));
    assert_eq!(names.resolve(Symbol::of("after")), Some("after"));
}

#[test]
fn zero_bytes_are_bytes_like_others() {
    let names = Interner::new();
    let texts = ["", "\0", "\0\0", "a", "a\0", "\0a", "a\0b", "sixteen bytes\0\0\0"];
    for text in texts {
        assert_eq!(names.intern(text).outcome, Outcome::New, "{text:?}");
    }
    for text in texts {
        assert_eq!(names.resolve(Symbol::of(text)), Some(text));
    }
}

#[test]
fn limits_beyond_positions_are_brought_down() {
    let limits = Interner::with_limits(Limits::NONE).limits();
    let most = u32::MAX as usize;
    assert_eq!(limits, Limits { max_entries: usize::MAX, max_bytes: most, max_len: most });
}

#[test]
fn a_clone_outlives_its_source() {
    let names = Interner::new();
    for text in ["conv2d", "pool", "pdgtib", "pexlag"] {
        names.intern(text);
    }
    let clone = names.clone();
    names.intern("only in the source");
    clone.intern("only in the clone");
    assert!(!clone.contains("only in the source"));
    drop(names);
    assert_eq!(clone.resolve(Symbol::of("pool")), Some("pool"));
    assert_eq!(clone.collision_pairs().next().unwrap().other, "pexlag");
}

#[test]
fn clear_starts_anew() {
    let mut names = Interner::with_seed(Limits { max_entries: 2, ..Limits::DEFAULT }, 9);
    for text in ["pdgtib", "pexlag", "pool", "too many"] {
        names.intern(text);
    }
    assert_eq!((names.len(), names.collisions(), names.dropped()), (2, 1, 1));
    names.clear();
    assert_eq!((names.len(), names.bytes(), names.collisions(), names.dropped()), (0, 0, 0, 0));
    assert_eq!(names.collision_pairs().len(), 0);
    assert_eq!(names.limits().max_entries, 2);
    assert_eq!(names.intern("pexlag").outcome, Outcome::New);
}

#[test]
fn a_seed_changes_nothing() {
    let mut tables = [0, 1, u64::MAX].map(|seed| Interner::with_seed(Limits::DEFAULT, seed));
    for i in 0..if cfg!(miri) { 50 } else { 2000 } {
        let text = format!("name {i}");
        let answers = tables.each_mut().map(|names| names.intern(&text));
        assert!(answers.iter().all(|answer| *answer == answers[0]));
    }
    assert_eq!(tables[0].sorted(), tables[1].sorted());
    assert_eq!(tables[0].sorted(), tables[2].sorted());
    assert!(tables[0].iter().eq(tables[1].iter()));
}

#[test]
fn unlisted_collisions_reach_the_reader_as_a_count() {
    let rows = support::pairs();
    // Room for the kept texts only, so no collision can be listed.
    let max_bytes = rows.iter().map(|row| row.first.len()).sum();
    let names = Interner::with_limits(Limits { max_bytes, ..Limits::DEFAULT });
    for text in rows.iter().map(|row| row.first).chain(rows.iter().map(|row| row.second)) {
        names.intern(text);
    }
    assert_eq!(names.collision_pairs().len(), 0);
    assert_eq!(merged([&names]).unlisted_collisions(), rows.len() as u64);
    assert!(rows.len() < MAX_LISTED);
}
