//! The table without a heap.
#![cfg(feature = "heapless")]

mod support;

use sipintern::{Cap, FixedInterner, Outcome, Symbol};
use std::collections::BTreeMap;

static TEXTS: [&str; 8] = ["conv2d", "", "model", "日本語", "pool", "relu", "a", "softmax"];

#[test]
fn holds_its_capacity_and_no_more() {
    let mut names = FixedInterner::<5>::new();
    let mut expected = BTreeMap::new();
    for (i, text) in TEXTS.into_iter().enumerate() {
        let answer = names.intern_static(text);
        assert_eq!(answer.id.get(), support::oracle_id(text.as_bytes()));
        if i < 5 {
            assert_eq!(answer.outcome, Outcome::New);
            expected.insert(answer.id, text);
        } else {
            let full = Outcome::Full { cap: Cap::Entries, needed: 6, limit: 5 };
            assert_eq!(answer.outcome, full);
            assert_eq!(names.resolve(answer.id), None);
        }
        assert!(names.iter().eq(expected.iter().map(|(id, text)| (*id, *text))));
    }
    for text in TEXTS {
        assert_eq!(
            names.intern_static(text).outcome == Outcome::Known,
            names.lookup(text).is_some()
        );
        assert_eq!(
            names.lookup(text),
            expected.contains_key(&Symbol::of(text)).then(|| Symbol::of(text))
        );
    }
    assert_eq!((names.len(), names.capacity(), names.dropped()), (5, 5, 6));
    names.clear();
    assert_eq!((names.len(), names.dropped()), (0, 0));
}

#[test]
fn real_collisions_keep_the_first() {
    let mut names = FixedInterner::<64>::new();
    let rows = support::pairs();
    for row in &rows {
        assert_eq!(names.intern_static(row.first).outcome, Outcome::New);
        assert_eq!(names.intern_static(row.second).outcome, Outcome::Collision);
        assert_eq!(names.resolve(Symbol::of(row.second)), Some(row.first));
    }
    assert_eq!((names.len(), names.collisions()), (rows.len(), rows.len() as u64));
}

/// Copies and references side by side, up to the last byte.
#[test]
fn copies_live_beside_references_and_end_with_the_bytes() {
    const BYTES: usize = 19;
    let mut names = FixedInterner::<8, BYTES>::new();
    let (mut expected, mut used, mut dropped) = (BTreeMap::new(), 0, 0);
    for (i, text) in TEXTS.into_iter().enumerate() {
        let copied = String::from(text);
        let answer = if i % 3 == 0 { names.intern_static(text) } else { names.intern(&copied) };
        let needed = used + if i % 3 == 0 { 0 } else { text.len() };
        if needed > BYTES {
            dropped += 1;
            assert_eq!(answer.outcome, Outcome::Full { cap: Cap::Bytes, needed, limit: BYTES });
        } else {
            used = needed;
            assert_eq!(answer.outcome, Outcome::New);
            expected.insert(answer.id, (text, i % 3 == 0));
        }
        drop(copied);
        assert!(names.iter().eq(expected.iter().map(|(id, (text, _))| (*id, *text))));
        let forever = expected.iter().filter(|(_, (_, forever))| *forever);
        assert!(names.iter_static().eq(forever.map(|(id, (text, _))| (*id, *text))));
    }
    assert!(dropped > 0 && names.dropped() == dropped);
    // What is there is known by either way, and is not stored again.
    for (id, (text, forever)) in expected {
        assert_eq!(names.intern(text).outcome, Outcome::Known);
        assert_eq!(names.intern_static(text).outcome, Outcome::Known);
        assert_eq!(names.resolve(id), Some(text));
        assert_eq!(names.resolve_static(id), forever.then_some(text));
    }
    names.clear();
    assert_eq!(names.intern(&"x".repeat(BYTES)).outcome, Outcome::New, "the bytes are free again");
}

/// As the docs have it: a copy's place takes no more than a reference.
#[test]
fn an_entry_is_as_large_as_it_says() {
    let per_entry = (size_of::<FixedInterner<100>>() - size_of::<FixedInterner<0>>()) / 100;
    assert_eq!(per_entry, if cfg!(target_pointer_width = "64") { 24 } else { 16 });
}
