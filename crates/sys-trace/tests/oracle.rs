//! Random calls on an engine, of either storage, against a simple model of it, and the fuzz corpus on any toolchain.
#![cfg(all(feature = "std", not(loom)))]
#![allow(missing_docs, reason = "a test")]

#[allow(unreachable_pub, reason = "shared with the fuzz target")]
mod ops;

use arbitrary::{Arbitrary, Unstructured};
use proptest::prelude::*;
use sys_trace::Heap;

fn decode(bytes: &[u8]) -> Vec<ops::Op> {
    ops::Ops::arbitrary(&mut Unstructured::new(bytes)).expect("any bytes are calls").0
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 4 } else { 400 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn like_the_model(bytes in proptest::collection::vec(any::<u8>(), 0..1_500)) {
        ops::run::<Heap>(&decode(&bytes));
    }

    #[test]
    fn a_static_engine_like_the_model(bytes in proptest::collection::vec(any::<u8>(), 0..1_500)) {
        ops::run::<ops::Small>(&decode(&bytes));
    }
}

/// Random bytes must reach every kind of call, and captures with events in them.
#[test]
fn random_bytes_make_calls_of_every_kind() {
    let mut seen = std::collections::HashSet::new();
    let mut state = 1_u64;
    for _ in 0..50 {
        let bytes: Vec<u8> = (0..1_500)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 56) as u8
            })
            .collect();
        let ops = decode(&bytes);
        assert!(ops.len() > 100, "{} calls", ops.len());
        seen.extend(ops.iter().map(std::mem::discriminant));
    }
    assert_eq!(seen.len(), 14);
}

#[cfg(not(miri))]
#[test]
fn fuzz_corpus() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/engine_ops");
    // Absent from a packaged crate.
    let Ok(files) = std::fs::read_dir(corpus) else { return };
    let mut count = 0;
    for file in files {
        let calls = decode(&std::fs::read(file.unwrap().path()).unwrap());
        ops::run::<Heap>(&calls);
        ops::run::<ops::Small>(&calls);
        count += 1;
    }
    assert!(count > 0, "an empty corpus shows nothing");
}
