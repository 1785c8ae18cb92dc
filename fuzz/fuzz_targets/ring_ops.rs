//! Random calls on two rings, each against a `VecDeque`. The body is shared with the tests of
//! lapring, which replay the corpus.
#![no_main]

#[path = "../../crates/lapring/tests/ops/mod.rs"]
mod ops;

libfuzzer_sys::fuzz_target!(|case: ops::Case| ops::run(&case));
