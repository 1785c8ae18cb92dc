//! Random calls on an engine, of either storage, against a simple model of it. The body is shared with the tests of
//! sys-trace, which replay the corpus.
#![no_main]

#[path = "../../crates/sys-trace/tests/ops/mod.rs"]
mod ops;

libfuzzer_sys::fuzz_target!(|calls: ops::Ops| {
    ops::run::<sys_trace::Heap>(&calls.0);
    ops::run::<ops::Small>(&calls.0);
});
