//! The fuzz target `intern_ops` without a fuzzer.
#![cfg(feature = "alloc")]

mod ops;

use arbitrary::{Arbitrary, Unstructured};
use ops::Case;
use std::path::Path;

/// The corpus of the fuzz target, on any toolchain.
#[test]
#[cfg_attr(miri, ignore = "reads files")]
fn fuzz_corpus_replays() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/intern_ops");
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
    // Machines of other kinds are mostly emulated.
    let at_home = cfg!(any(target_arch = "x86_64", target_arch = "x86"));
    for _ in 0..if cfg!(miri) { 5 } else { [50, 500][usize::from(at_home)] } {
        let mut bytes = Vec::new();
        for _ in 0..60 {
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
