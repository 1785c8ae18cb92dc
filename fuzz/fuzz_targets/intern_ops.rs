//! Random calls on an interner, against a `BTreeMap`. The body is shared with the tests of sipintern,
//! which replay the corpus.
#![no_main]

#[path = "../../crates/sipintern/tests/ops/mod.rs"]
mod ops;

libfuzzer_sys::fuzz_target!(|case: ops::Case| ops::run(&case));
