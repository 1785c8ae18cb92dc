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
