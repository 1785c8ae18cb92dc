//! Interners against a model of plain maps, and the algebra of merging.
#![cfg(feature = "alloc")]

mod support;

use proptest::prelude::*;
use sipintern::{Cap, Interner, Limits, Outcome, Symbol, merged};
use std::collections::{BTreeMap, BTreeSet};

/// What an interner must hold. Small tables only: the list of collisions never fills up by number.
struct Model {
    limits: Limits,
    texts: BTreeMap<u64, String>,
    listed: BTreeSet<String>,
    bytes: usize,
    collisions: u64,
    dropped: u64,
}

impl Model {
    fn new(limits: Limits) -> Self {
        let (texts, listed) = (BTreeMap::new(), BTreeSet::new());
        Self { limits, texts, listed, bytes: 0, collisions: 0, dropped: 0 }
    }

    fn intern(&mut self, text: &str, copied: bool) -> Outcome {
        let Limits { max_entries, max_bytes, max_len } = self.limits;
        let id = support::oracle_id(text.as_bytes());
        let needed = self.bytes + if copied { text.len() } else { 0 };
        let fits = text.len() <= max_len && needed <= max_bytes;
        if let Some(kept) = self.texts.get(&id) {
            if kept == text {
                return Outcome::Known;
            }
            if !self.listed.contains(text) {
                self.collisions += 1;
                if fits {
                    self.listed.insert(text.into());
                    self.bytes = needed;
                }
            }
            return Outcome::Collision;
        }
        if !fits || self.texts.len() >= max_entries {
            self.dropped += 1;
            return if text.len() > max_len {
                Outcome::Full { cap: Cap::Length, needed: text.len(), limit: max_len }
            } else if needed > max_bytes {
                Outcome::Full { cap: Cap::Bytes, needed, limit: max_bytes }
            } else {
                Outcome::Full { cap: Cap::Entries, needed: max_entries + 1, limit: max_entries }
            };
        }
        self.texts.insert(id, text.into());
        self.bytes = needed;
        Outcome::New
    }

    fn check(&self, names: &Interner) {
        let held: Vec<(u64, &str)> = names.sorted().iter().map(|(id, t)| (id.get(), *t)).collect();
        let expected: Vec<(u64, &str)> = self.texts.iter().map(|(id, t)| (*id, &**t)).collect();
        assert_eq!(held, expected);
        let listed: BTreeSet<String> =
            names.collision_pairs().map(|pair| pair.other.to_owned()).collect();
        assert_eq!(listed, self.listed);
        assert_eq!(names.bytes(), self.bytes);
        assert_eq!((names.collisions(), names.dropped()), (self.collisions, self.dropped));
    }
}

/// Short, long, empty, foreign and colliding names, from a set small enough to repeat.
fn name() -> impl Strategy<Value = String> {
    let colliding: Vec<String> = support::pairs()
        .iter()
        .take(6)
        .flat_map(|row| [row.first.to_owned(), row.second.to_owned()])
        .collect();
    prop_oneof![
        3 => prop::sample::select(colliding),
        4 => "[ab]{0,3}",
        1 => "\\PC{0,12}",
        1 => (1..3000_usize).prop_map(|len| "x".repeat(len)),
    ]
}

#[derive(Clone, Debug)]
enum Op {
    Intern(String),
    Static(&'static str),
    Register(String),
    RegisterWrong(String, String),
    Merge(Vec<String>),
    CloneAndGoOn,
    Clear,
}

fn op() -> impl Strategy<Value = Op> {
    let statics: Vec<&'static str> =
        support::pairs().iter().take(6).flat_map(|row| [row.first, row.second]).collect();
    prop_oneof![
        8 => name().prop_map(Op::Intern),
        4 => prop::sample::select(statics).prop_map(Op::Static),
        4 => name().prop_map(Op::Register),
        1 => (name(), name()).prop_map(|(a, b)| Op::RegisterWrong(a, b)),
        1 => prop::collection::vec(name(), 0..8).prop_map(Op::Merge),
        1 => Just(Op::CloneAndGoOn),
        1 => Just(Op::Clear),
    ]
}

fn limits() -> impl Strategy<Value = Limits> {
    let small = (0..20_usize, 0..4000_usize, 0..3000_usize)
        .prop_map(|(max_entries, max_bytes, max_len)| Limits { max_entries, max_bytes, max_len });
    prop_oneof![Just(Limits::DEFAULT), small]
}

fn interned(texts: &[String]) -> Interner {
    let names = Interner::new();
    for text in texts {
        names.intern(text);
    }
    names
}

fn union(shards: &[&Interner]) -> Interner {
    let all = Interner::with_limits(Limits::NONE);
    for shard in shards {
        all.merge(shard);
    }
    all
}

/// Names of which no two share an id.
fn lists() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[a-c]{0,4}", 0..40)
}

fn config() -> ProptestConfig {
    let cases = if cfg!(miri) { 4 } else { 200 };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn ids_are_the_oracles(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert_eq!(Symbol::of_bytes(&bytes).get(), support::oracle_id(&bytes));
    }

    #[test]
    fn behaves_like_the_model(limits in limits(), ops in prop::collection::vec(op(), 0..60)) {
        let mut names = Interner::with_limits(limits);
        let mut model = Model::new(limits);
        for op in ops {
            match op {
                Op::Intern(text) => {
                    let answer = names.intern(&text);
                    prop_assert_eq!(answer.id.get(), support::oracle_id(text.as_bytes()));
                    prop_assert_eq!(answer.outcome, model.intern(&text, true));
                    prop_assert_eq!(names.contains(&text), answer.outcome.is_stored());
                }
                Op::Static(text) => {
                    let answer = names.intern_static(text);
                    prop_assert_eq!(answer.id.get(), support::oracle_id(text.as_bytes()));
                    prop_assert_eq!(answer.outcome, model.intern(text, false));
                }
                Op::Register(text) => {
                    let outcome = names.register(Symbol::of(&text), &text);
                    prop_assert_eq!(outcome, Ok(model.intern(&text, true)));
                }
                Op::RegisterWrong(other, text) => {
                    let given = Symbol::of(&other);
                    if given.get() != support::oracle_id(text.as_bytes()) {
                        let error = names.register(given, &text).unwrap_err();
                        prop_assert_eq!((error.given, error.actual), (given, Symbol::of(&text)));
                    }
                }
                Op::Merge(texts) => {
                    let shard = interned(&texts);
                    let before = (model.dropped, model.texts.len());
                    let others = shard.collision_pairs().map(|pair| pair.other);
                    for text in shard.iter().map(|(_, text)| text).chain(others) {
                        model.intern(text, true);
                    }
                    let report = names.merge(&shard);
                    let full = (model.dropped - before.0) as usize;
                    prop_assert_eq!((report.full, report.new), (full, model.texts.len() - before.1));
                }
                Op::CloneAndGoOn => names = names.clone(),
                Op::Clear => {
                    names.clear();
                    model = Model::new(limits);
                }
            }
            model.check(&names);
        }
    }

    #[test]
    fn merge_is_a_union(a in lists(), b in lists(), c in lists()) {
        let [a, b, c] = [a, b, c].map(|texts| interned(&texts));
        let ab = union(&[&a, &b]);
        // Commutative, associative, idempotent, and with a neutral element.
        assert_eq!(ab.sorted(), union(&[&b, &a]).sorted());
        let bc = union(&[&b, &c]);
        assert_eq!(union(&[&ab, &c]).sorted(), union(&[&a, &bc]).sorted());
        assert_eq!(union(&[&a, &a]).sorted(), a.sorted());
        assert_eq!(union(&[&ab, &b]).sorted(), ab.sorted());
        assert_eq!(union(&[&a, &Interner::new()]).sorted(), a.sorted());
        assert_eq!(ab.collisions(), 0);
        assert!(merged([&a, &b]).iter().eq(ab.sorted()));
    }

    #[test]
    fn strings_forget_every_order(
        shards in prop::collection::vec(prop::collection::vec(name(), 0..30), 1..5),
        turn in any::<usize>(),
    ) {
        let there: Vec<Interner> = shards.iter().map(|texts| interned(texts)).collect();
        // Other order of shards, other order of names within each, some shards twice.
        let mut turned: Vec<Interner> = shards
            .iter()
            .map(|texts| interned(&texts.iter().rev().cloned().collect::<Vec<_>>()))
            .collect();
        turned.rotate_left(turn % shards.len());
        let one = merged(&there);
        let two = merged(turned.iter().chain(&turned));
        prop_assert!(one.iter().eq(two.iter()));
        prop_assert!(one.collisions().eq(two.collisions()));

        let mut expected: BTreeMap<u64, BTreeSet<&str>> = BTreeMap::new();
        for text in shards.iter().flatten() {
            expected.entry(support::oracle_id(text.as_bytes())).or_default().insert(text);
        }
        prop_assert_eq!(one.len(), expected.len());
        prop_assert!(one.iter().map(|(id, text)| (id.get(), text)).eq(
            expected.iter().map(|(id, texts)| (*id, *texts.first().unwrap()))
        ));
        let pairs = expected.iter().flat_map(|(id, texts)| texts.iter().map(|text| (*id, *text)));
        let found = sipintern::union(turned.iter().chain(&there));
        prop_assert!(found.map(|(id, text)| (id.get(), text)).eq(pairs));
        let others = expected.values().map(|texts| texts.len() - 1).sum::<usize>();
        prop_assert_eq!(one.collisions().count(), others);
        for (id, texts) in &expected {
            let id = Symbol::new(*id).unwrap();
            prop_assert_eq!(one.get(id), texts.first().copied());
        }
    }
}
