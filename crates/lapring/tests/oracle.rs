//! One thread, random calls: the ring does exactly what a `VecDeque` would.
#![cfg(not(loom))]
#![allow(missing_docs, reason = "a test")]

#[allow(unreachable_pub, reason = "shared with the fuzz target")]
mod ops;

use std::path::Path;

use arbitrary::{Arbitrary, Unstructured};
use ops::{Case, Op};
use proptest::prelude::*;

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        3 => Just(Op::Push),
        4 => Just(Op::ForcePush),
        1 => Just(Op::ForcePushWith),
        4 => Just(Op::Pop),
        1 => any::<u8>().prop_map(Op::Drain),
        1 => Just(Op::Snapshot),
        1 => Just(Op::Look),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 8 } else { 512 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn behaves_like_a_deque(
        cap in any::<u8>(),
        other_cap in any::<u8>(),
        laps_before_wrap in any::<u8>(),
        ops in prop::collection::vec((any::<bool>(), op()), 0..120),
    ) {
        ops::run(&Case { cap, other_cap, laps_before_wrap, ops });
    }
}

/// The corpus of the fuzz target `ring_ops`, on any toolchain.
#[test]
fn fuzz_corpus_replays() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/ring_ops");
    let Ok(files) = std::fs::read_dir(&corpus) else {
        // The published package has no corpus beside it.
        return;
    };
    let mut replayed = 0;
    for file in files {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        if let Ok(case) = Case::arbitrary_take_rest(Unstructured::new(&bytes)) {
            ops::run(&case);
            replayed += 1;
        }
    }
    assert!(replayed > 0, "no usable file in {}", corpus.display());
}

/// What a fuzzer would start with: bytes from a fixed generator, through the same decoder.
#[test]
fn random_bytes() {
    let (mut cases, mut calls) = (0, 0);
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    for _ in 0..if cfg!(miri) { 20 } else { 5_000 } {
        let mut bytes = Vec::new();
        for _ in 0..40 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            bytes.extend_from_slice(&state.to_le_bytes());
        }
        if let Ok(case) = Case::arbitrary_take_rest(Unstructured::new(&bytes)) {
            (cases, calls) = (cases + 1, calls + case.ops.len());
            ops::run(&case);
        }
    }
    assert!(calls > 10 * cases, "{calls} calls in {cases} cases reach nothing");
}
