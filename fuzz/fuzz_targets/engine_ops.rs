//! Random calls on an engine against a simple model of it. The body is shared with the tests of
//! sys-trace, which replay the corpus.
#![no_main]

#[path = "../../crates/sys-trace/tests/ops/mod.rs"]
mod ops;

libfuzzer_sys::fuzz_target!(|calls: ops::Ops| ops::run(&calls.0));
