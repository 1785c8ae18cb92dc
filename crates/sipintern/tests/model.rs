//! Models of the shared table: under `--cfg loom` every interleaving up to the preemption bound,
//! natively a few hundred runs of the same bodies on real threads.
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test --release -p sipintern --test model
//! ```
//!
//! Under loom the first index has room for one text and the second for three, so that few names make
//! it grow. Inserts beside readers run in the first thread: loom looks for races from the later
//! access back to the last one of the same word, and an insert reads each word before it writes it.
//! `mutants.txt` beside this file says which model fails for which fault.
#![cfg(feature = "alloc")]
#![allow(missing_docs, reason = "a test")]

use sipintern::{Interner, Limits, Outcome, Site, Symbol};
use std::sync::Arc;

#[cfg(loom)]
use loom::thread;
#[cfg(not(loom))]
use std::thread;

/// Two names with one id.
const PAIR: [&str; 2] = ["pdgtib", "pexlag"];

fn model(bound: usize, body: impl Fn(Arc<Interner>) + Sync + Send + 'static) {
    syncface::model::explore(Some(bound), move || {
        body(Arc::new(Interner::with_limits(Limits::NONE)));
    });
}

fn spawn<T: Send + 'static>(
    names: &Arc<Interner>,
    body: impl FnOnce(&Interner) -> T + Send + 'static,
) -> thread::JoinHandle<T> {
    let names = Arc::clone(names);
    thread::spawn(move || body(&names))
}

/// What a reader that knows nothing sees of `text`: all of it or nothing.
fn all_or_nothing(names: &Interner, text: &str) {
    if let Some(id) = names.lookup(text) {
        assert_eq!(id, Symbol::of(text));
        assert_eq!(names.resolve(id), Some(text), "found by its text and not by its id");
        assert!(names.iter().any(|(_, stored)| stored == text), "found and not counted");
    }
}

/// A hit finds what was there before, and all of what comes meanwhile, while the index grows.
#[test]
fn hit_beside_growth() {
    model(3, |names| {
        names.intern("a");
        let reading = spawn(&names, |names| {
            assert_eq!(names.lookup("a"), Some(Symbol::of("a")));
            assert_eq!(names.resolve(Symbol::of("a")), Some("a"));
            all_or_nothing(names, "b");
        });
        assert_eq!(names.intern("b").outcome, Outcome::New);
        reading.join().unwrap();
        assert_eq!(names.len(), 2);
    });
}

/// A hit of one name beside an insert of another into the same index.
#[test]
fn hit_beside_a_miss() {
    model(3, |names| {
        names.intern("a");
        names.intern("b");
        let reading = spawn(&names, |names| {
            assert_eq!(names.intern("a").outcome, Outcome::Known);
            all_or_nothing(names, "c");
        });
        assert_eq!(names.intern("c").outcome, Outcome::New);
        reading.join().unwrap();
    });
}

/// A reader by id alone sees the whole text or none.
#[test]
fn resolve_beside_a_miss() {
    model(3, |names| {
        names.intern("a");
        names.intern("b");
        let reading = spawn(&names, |names| {
            assert!(names.resolve(Symbol::of("c")).is_none_or(|text| text == "c"));
        });
        assert_eq!(names.intern("c").outcome, Outcome::New);
        reading.join().unwrap();
    });
}

/// A reader that walks the records sees whole ones.
#[test]
fn iteration_beside_a_miss() {
    model(3, |names| {
        names.intern("a");
        names.intern("b");
        let reading = spawn(&names, |names| {
            let texts: Vec<_> = names.iter().map(|(_, text)| text).collect();
            assert!(["a", "b", "c"].starts_with(&texts) && texts.len() >= 2);
        });
        assert_eq!(names.intern("c").outcome, Outcome::New);
        reading.join().unwrap();
    });
}

/// Two threads that intern one new name: one stores it, the other finds it.
#[test]
fn two_misses_of_one_name() {
    model(2, |names| {
        let other = spawn(&names, |names| names.intern("a"));
        let (one, other) = (names.intern("a"), other.join().unwrap());
        let mut outcomes = [one.outcome, other.outcome];
        outcomes.sort_by_key(|outcome| *outcome == Outcome::Known);
        assert_eq!(outcomes, [Outcome::New, Outcome::Known]);
        assert_eq!((one.id, other.id), (Symbol::of("a"), Symbol::of("a")));
        assert_eq!((names.len(), names.bytes()), (1, 1));
    });
}

/// Two threads that intern different new names, one of which makes the index grow.
#[test]
fn two_misses_of_two_names() {
    model(2, |names| {
        let other = spawn(&names, |names| names.intern("a").outcome);
        assert_eq!(names.intern("b").outcome, Outcome::New);
        assert_eq!(other.join().unwrap(), Outcome::New);
        assert_eq!(names.len(), 2);
        for text in ["a", "b"] {
            assert_eq!(names.intern(text).outcome, Outcome::Known);
            all_or_nothing(&names, text);
        }
    });
}

/// Two names with one id: one is kept, the other listed once, whoever comes first.
#[test]
fn a_collision() {
    model(2, |names| {
        let other = spawn(&names, |names| names.intern(PAIR[1]).outcome);
        let one = names.intern(PAIR[0]).outcome;
        let pairs = names.collision_pairs();
        assert!(
            pairs.into_iter().all(|pair| pair.kept != pair.other && PAIR.contains(&pair.other))
        );
        let other = other.join().unwrap();
        assert!(matches!(
            (one, other),
            (Outcome::New, Outcome::Collision) | (Outcome::Collision, Outcome::New)
        ));
        assert_eq!((names.len(), names.collisions(), names.collision_pairs().len()), (1, 1, 1));
    });
}

/// A reader of the list sees whole collisions.
#[test]
fn list_beside_a_collision() {
    model(3, |names| {
        names.intern(PAIR[0]);
        let reading = spawn(&names, |names| {
            for pair in names.collision_pairs() {
                assert_eq!((pair.kept, pair.other), (PAIR[0], PAIR[1]));
            }
        });
        assert_eq!(names.intern(PAIR[1]).outcome, Outcome::Collision);
        reading.join().unwrap();
    });
}

/// An insert that may not wait is done or refused, and nothing between.
#[test]
fn try_beside_a_miss() {
    model(3, |names| {
        names.intern("a");
        names.intern("b");
        let other = spawn(&names, |names| names.intern("c").outcome);
        let tried = names.try_intern("c").outcome;
        let other = other.join().unwrap();
        match tried {
            Outcome::New => assert_eq!(other, Outcome::Known),
            Outcome::Known | Outcome::Busy => assert_eq!(other, Outcome::New),
            outcome => panic!("{outcome}"),
        }
        assert_eq!((names.len(), names.dropped()), (3, 0));
    });
}

/// Two threads at one call site: whoever returns from it finds the text.
#[test]
fn a_site_of_two_threads() {
    model(3, |names| {
        let site = Arc::new(Site::new("a"));
        let other = {
            let site = Arc::clone(&site);
            spawn(&names, move |names| {
                let id = site.intern(names);
                assert_eq!(names.resolve(id), Some("a"));
            })
        };
        assert_eq!(names.resolve(site.intern(&names)), Some("a"));
        other.join().unwrap();
        assert_eq!(names.len(), 1);
    });
}
