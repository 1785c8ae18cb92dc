//! [`Symbol`] as a checked integer.

use crate::Symbol;
use core::fmt;
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

impl Serialize for Symbol {
    /// The number of [`Symbol::get`]; exact in JSON.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.get())
    }
}

impl<'de> Deserialize<'de> for Symbol {
    /// Refuses numbers that are no ids.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_u64(Number)
    }
}

struct Number;

impl Visitor<'_> for Number {
    type Value = Symbol;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an id in 1..=2^50")
    }

    fn visit_u64<E: Error>(self, id: u64) -> Result<Symbol, E> {
        Symbol::new(id).ok_or_else(|| E::invalid_value(Unexpected::Unsigned(id), &self))
    }

    fn visit_i64<E: Error>(self, id: i64) -> Result<Symbol, E> {
        let unsigned = u64::try_from(id).ok().and_then(Symbol::new);
        unsigned.ok_or_else(|| E::invalid_value(Unexpected::Signed(id), &self))
    }
}
