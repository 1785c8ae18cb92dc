//! Operations decoded from bytes, run on a table and on a plain map that cannot be wrong.
//!
//! Shared by the replay of the fuzz corpus and by the fuzz target itself.

use std::collections::BTreeMap;

use arbitrary::{Arbitrary, Unstructured};
use sipintern::{Interner, Limits, Outcome, Site, Symbol, merged};

/// Texts of which some share an id.
const FIXED: [&str; 6] = ["pdgtib", "pexlag", "conv2d", "pool", "", "é"];

/// A text.
#[derive(Debug, Clone, Arbitrary)]
pub(crate) enum Name {
    Fixed(u8),
    Repeated(char, u16),
    Free(String),
}

impl Name {
    fn text(&self) -> String {
        match self {
            Self::Fixed(number) => FIXED[usize::from(*number) % FIXED.len()].into(),
            Self::Repeated(letter, len) => letter.to_string().repeat(usize::from(*len) % 10_000),
            Self::Free(text) => text.clone(),
        }
    }
}

/// One call.
#[derive(Debug, Clone, Arbitrary)]
pub(crate) enum Op {
    Intern(Name),
    /// That many names that differ.
    Many(u8),
    Try(Name),
    Static(u8),
    Site(u8),
    Register(Name, Name),
    Lookup(Name),
    MergeInto(Vec<Name>),
    Clone,
    Clear,
}

/// Limits and the calls to make.
#[derive(Debug, Clone, Arbitrary)]
pub(crate) struct Case {
    pub(crate) max_entries: u16,
    pub(crate) max_bytes: u16,
    #[arbitrary(with = as_many_as_there_are)]
    pub(crate) ops: Vec<Op>,
}

/// As many calls as the bytes yield. The list type's own way of decoding tosses a coin after each
/// element: two calls on average, which reach nothing.
fn as_many_as_there_are<'a, T: Arbitrary<'a>>(
    bytes: &mut Unstructured<'a>,
) -> arbitrary::Result<Vec<T>> {
    let mut calls = Vec::new();
    while !bytes.is_empty() {
        calls.push(bytes.arbitrary()?);
    }
    Ok(calls)
}

struct Both {
    names: Interner,
    /// By id, the text that must be there.
    texts: BTreeMap<Symbol, String>,
}

impl Both {
    /// What the table said of a text that it was given to store.
    fn stored(&mut self, text: &str, id: Symbol, outcome: Outcome, may_be_busy: bool) {
        assert_eq!(id, Symbol::of(text));
        match self.texts.get(&id) {
            Some(kept) if kept == text => assert_eq!(outcome, Outcome::Known),
            Some(_) => assert_eq!(outcome, Outcome::Collision),
            None => match outcome {
                Outcome::New => _ = self.texts.insert(id, text.into()),
                Outcome::Full { needed, limit, .. } => assert!(needed > limit),
                Outcome::Busy => assert!(may_be_busy),
                outcome => panic!("{outcome:?} of a new text"),
            },
        }
    }

    fn intern(&mut self, text: &str) {
        let answer = self.names.intern(text);
        self.stored(text, answer.id, answer.outcome, false);
    }

    fn apply(&mut self, op: &Op, sites: &[Site]) {
        match op {
            Op::Intern(name) => self.intern(&name.text()),
            Op::Many(count) => (0..*count).for_each(|i| self.intern(&format!("name {i}"))),
            Op::Try(name) => {
                let answer = self.names.try_intern(&name.text());
                self.stored(&name.text(), answer.id, answer.outcome, true);
            }
            Op::Static(number) => {
                let text = FIXED[usize::from(*number) % FIXED.len()];
                let answer = self.names.intern_static(text);
                self.stored(text, answer.id, answer.outcome, false);
            }
            Op::Site(number) => {
                let site = &sites[usize::from(*number) % sites.len()];
                let id = site.intern(&self.names);
                assert_eq!(id, Symbol::of(site.text()));
                if let Some(text) = self.names.resolve(id) {
                    self.texts.entry(id).or_insert_with(|| text.into());
                }
            }
            Op::Register(other, name) => {
                let (id, text) = (Symbol::of(&other.text()), name.text());
                match self.names.register(id, &text) {
                    Ok(outcome) => self.stored(&text, id, outcome, false),
                    Err(error) => assert_eq!((error.given, error.actual), (id, Symbol::of(&text))),
                }
            }
            Op::Lookup(name) => {
                let text = name.text();
                let id = Symbol::of(&text);
                let there = self.texts.get(&id).is_some_and(|kept| *kept == text);
                assert_eq!(self.names.lookup(&text), there.then_some(id));
            }
            Op::MergeInto(other) => {
                let shard = Interner::new();
                for name in other {
                    shard.intern(&name.text());
                }
                let united = merged([&self.names, &shard]);
                for (id, text) in self.names.iter().chain(&shard) {
                    assert!(united.get(id).unwrap() <= text);
                }
                self.names.merge(&shard);
                for (id, text) in &self.names {
                    self.texts.entry(id).or_insert_with(|| text.into());
                }
            }
            Op::Clone => self.names = self.names.clone(),
            Op::Clear => {
                self.names.clear();
                self.texts.clear();
            }
        }
    }

    fn check(&self) {
        let expected: Vec<_> = self.texts.iter().map(|(id, text)| (*id, &**text)).collect();
        assert_eq!(self.names.sorted(), expected);
        let limits = self.names.limits();
        assert!(self.names.len() <= limits.max_entries && self.names.bytes() <= limits.max_bytes);
        for pair in self.names.collision_pairs() {
            assert_eq!(Symbol::of(pair.other), pair.id);
            assert!(pair.kept == self.texts[&pair.id] && pair.other != pair.kept);
        }
    }
}

/// Makes the calls and compares after each.
pub(crate) fn run(case: &Case) {
    let limits = Limits {
        max_entries: usize::from(case.max_entries),
        max_bytes: usize::from(case.max_bytes),
        ..Limits::DEFAULT
    };
    let sites = FIXED.map(Site::new);
    let mut both = Both { names: Interner::with_limits(limits), texts: BTreeMap::new() };
    for op in case.ops.iter().take(64) {
        both.apply(op, &sites);
        both.check();
    }
}
