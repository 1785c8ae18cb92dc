//! Interners behind two faces: for one thread, and shared by several.

use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use siphasher::sip::SipHasher13;

/// An interner of one thread.
pub trait Table: 'static {
    /// What stands for a text.
    type Key: Clone + Eq + Hash + Debug;
    /// An empty table.
    fn new() -> Self;
    /// The key of a text, stored if it is new.
    fn intern(&mut self, text: &str) -> Self::Key;
    /// The text of a key.
    fn text(&self, key: &Self::Key) -> String;
}

/// An interner of many threads.
pub trait Shared: Send + Sync + 'static {
    /// What stands for a text.
    type Key: Clone + Eq + Hash + Debug + Send;
    /// An empty table.
    fn new() -> Self;
    /// The key of a text, stored if it is new.
    fn intern(&self, text: &str) -> Self::Key;
}

/// Proves that a table gives equal texts one key and different texts different ones, and the text
/// back, before and after it has grown.
///
/// # Panics
/// If the answer is wrong.
pub fn prove<T: Table>(name: &str) {
    let mut table = T::new();
    let text = |n: u32| format!("{name}/{n}");
    let keys: Vec<T::Key> = (0..5000).map(|n| table.intern(&text(n))).collect();
    assert_eq!(keys.iter().collect::<HashSet<_>>().len(), 5000, "{name}: two texts, one key");
    for (n, key) in (0..).zip(&keys) {
        assert_eq!(table.intern(&text(n)), *key, "{name}: another key after growth");
        assert_eq!(table.text(key), text(n), "{name}: another text");
    }
}

/// Proves that two threads that intern the same texts get the same keys.
///
/// # Panics
/// If they do not.
pub fn prove_shared<T: Shared>(name: &str) {
    let table = T::new();
    let work =
        || -> Vec<T::Key> { (0..5000).map(|n| table.intern(&format!("{name}/{n}"))).collect() };
    let [one, other] = std::thread::scope(|scope| {
        let other = scope.spawn(work);
        [work(), other.join().unwrap()]
    });
    assert_eq!(one, other, "{name}: one text, two keys");
    assert_eq!(one.iter().collect::<HashSet<_>>().len(), 5000, "{name}: two texts, one key");
}

/// Ours.
pub struct Ours(sipintern::Interner);

impl Table for Ours {
    type Key = sipintern::Symbol;

    fn new() -> Self {
        Self(sipintern::Interner::with_limits(sipintern::Limits::NONE))
    }

    #[inline]
    fn intern(&mut self, text: &str) -> Self::Key {
        self.0.intern(text).id
    }

    fn text(&self, key: &Self::Key) -> String {
        self.0.resolve(*key).unwrap().into()
    }
}

impl Shared for Ours {
    type Key = sipintern::Symbol;

    fn new() -> Self {
        Self(sipintern::Interner::with_limits(sipintern::Limits::NONE))
    }

    #[inline]
    fn intern(&self, text: &str) -> Self::Key {
        self.0.intern(text).id
    }
}

/// Ours by way of the engine: a shard of a running capture.
pub struct OursEngine(Box<sys_trace::Engine<1>>);

impl Shared for OursEngine {
    type Key = sipintern::Symbol;

    fn new() -> Self {
        let engine: Box<sys_trace::Engine<1>> = Box::default();
        let config = sys_trace::Config::new().events_per_shard(64);
        engine.start(&config.name_limits(sipintern::Limits::NONE)).unwrap();
        Self(engine)
    }

    #[inline]
    fn intern(&self, text: &str) -> Self::Key {
        self.0.intern(0, text)
    }
}

/// Takes the hash that it is given.
#[derive(Default)]
pub struct Identity(u64);

impl Hasher for Identity {
    fn write(&mut self, _: &[u8]) {
        unreachable!("only u64 keys are hashed");
    }

    fn write_u64(&mut self, value: u64) {
        // The ids are hashes, of 50 bits: the map wants some at the top.
        self.0 = value ^ value << 14;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The same ids by what the ecosystem has: the siphasher crate and a hashbrown map.
pub struct SipMap(hashbrown::HashMap<u64, Box<str>, BuildHasherDefault<Identity>>);

/// The id of a text, by siphasher.
#[inline]
#[must_use]
pub fn sip_id(text: &str) -> u64 {
    let mut hasher = SipHasher13::new();
    text.hash(&mut hasher);
    (hasher.finish() & ((1 << 50) - 1)) + 1
}

impl Table for SipMap {
    type Key = u64;

    fn new() -> Self {
        Self(hashbrown::HashMap::default())
    }

    #[inline]
    fn intern(&mut self, text: &str) -> u64 {
        let id = sip_id(text);
        let kept = self.0.entry(id).or_insert_with(|| text.into());
        assert!(**kept == *text, "the names measured here do not collide");
        id
    }

    fn text(&self, key: &u64) -> String {
        self.0[key].to_string()
    }
}

macro_rules! table {
    ($name:ident, $inner:ty, $key:ty, |$self:ident, $text:ident| $intern:expr, |$by:ident| $resolve:expr) => {
        /// A rival.
        pub struct $name($inner);

        impl Table for $name {
            type Key = $key;

            fn new() -> Self {
                Self(<$inner>::new())
            }

            #[inline]
            fn intern(&mut $self, $text: &str) -> $key {
                $intern
            }

            fn text(&$self, $by: &$key) -> String {
                $resolve
            }
        }
    };
}

macro_rules! shared {
    ($name:ident, $inner:ty, $key:ty, |$self:ident, $text:ident| $intern:expr) => {
        impl Shared for $name {
            type Key = $key;

            fn new() -> Self {
                Self(<$inner>::new())
            }

            #[inline]
            fn intern(&$self, $text: &str) -> $key {
                $intern
            }
        }
    };
}

type Backend = string_interner::backend::StringBackend;
type StringInterner = string_interner::StringInterner<Backend>;

table!(LassoRodeo, lasso::Rodeo, lasso::Spur, |self, text| self.0.get_or_intern(text), |key| {
    self.0.resolve(key).into()
});
table!(
    LassoThreaded,
    lasso::ThreadedRodeo,
    lasso::Spur,
    |self, text| self.0.get_or_intern(text),
    |key| self.0.resolve(key).into()
);
shared!(LassoThreaded, lasso::ThreadedRodeo, lasso::Spur, |self, text| {
    self.0.get_or_intern(text)
});
table!(
    StringTable,
    StringInterner,
    string_interner::DefaultSymbol,
    |self, text| self.0.get_or_intern(text),
    |key| self.0.resolve(*key).unwrap().into()
);
table!(
    InternityLocal,
    internity::LocalLexicon,
    internity::Sym,
    |self, text| self.0.intern(text),
    |key| self.0.resolve(*key).into()
);

/// A rival.
pub struct InternityThreaded(internity::ThreadedLexicon);
shared!(InternityThreaded, internity::ThreadedLexicon, internity::Sym, |self, text| {
    self.0.intern(text)
});
table!(
    SymbolTable,
    symbol_table::SymbolTable,
    symbol_table::Symbol,
    |self, text| self.0.intern(text),
    |key| self.0.resolve(*key).into()
);
shared!(SymbolTable, symbol_table::SymbolTable, symbol_table::Symbol, |self, text| {
    self.0.intern(text)
});

/// The process-wide table of ustr, which has no other.
pub struct Ustr;

impl Table for Ustr {
    type Key = ustr::Ustr;

    fn new() -> Self {
        Self
    }

    #[inline]
    fn intern(&mut self, text: &str) -> ustr::Ustr {
        ustr::Ustr::from(text)
    }

    fn text(&self, key: &ustr::Ustr) -> String {
        key.as_str().into()
    }
}

impl Shared for Ustr {
    type Key = ustr::Ustr;

    fn new() -> Self {
        Self
    }

    #[inline]
    fn intern(&self, text: &str) -> ustr::Ustr {
        ustr::Ustr::from(text)
    }
}

/// The process-wide table of string_cache, which has no other. It lets go of a text with the last of
/// its keys.
pub struct StringCache;

impl Table for StringCache {
    type Key = string_cache::DefaultAtom;

    fn new() -> Self {
        Self
    }

    #[inline]
    fn intern(&mut self, text: &str) -> Self::Key {
        text.into()
    }

    fn text(&self, key: &Self::Key) -> String {
        (**key).into()
    }
}

impl Shared for StringCache {
    type Key = string_cache::DefaultAtom;

    fn new() -> Self {
        Self
    }

    #[inline]
    fn intern(&self, text: &str) -> Self::Key {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rival_hash_gives_our_ids() {
        for text in ["", "a", "conv2d", "sixteen bytes...", &"x".repeat(100)] {
            assert_eq!(sip_id(text), sipintern::Symbol::of(text).get(), "{text}");
        }
    }
}
