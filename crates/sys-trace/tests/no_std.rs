//! A program without std, allocator and libc links these crates and runs.
//!
//! Linux on two processors, because a program without libc makes its system calls itself.
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#![cfg(not(any(loom, miri)))]
#![allow(missing_docs, reason = "a test")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const TARGET: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/no-std-proof");

/// Builds the program with these features.
fn build(features: &str) -> Output {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--release", "--features", features, "--target-dir", TARGET])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/no-std-proof"))
        // What was asked of this test's own build is not meant for that one.
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("CARGO_BUILD_TARGET")
        .output()
        .expect("cargo runs")
}

fn built(features: &str) -> PathBuf {
    let output = build(features);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Path::new(TARGET).join("release/no-std-proof")
}

fn symbols(binary: &Path, options: &[&str]) -> Vec<String> {
    let output = Command::new("nm").args(options).arg(binary).output().expect("nm runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_string).collect()
}

/// Symbols of the standard library, the allocator's library, or the C library's allocator.
fn foreign(binary: &Path) -> Vec<String> {
    let marks =
        ["std::", "alloc::", "__rust_alloc", "__rg_alloc", " malloc", "rust_eh_personality"];
    let mut found = symbols(binary, &["-C"]);
    found.retain(|line| marks.iter().any(|mark| line.contains(mark)));
    found
}

/// One test, because the builds share a folder.
#[test]
fn a_program_without_std_links_the_crates_and_runs() {
    for features in ["", "futex"] {
        let binary = built(features);
        assert_eq!(foreign(&binary), [""; 0], "features '{features}'");
        assert_eq!(symbols(&binary, &["-u"]), [""; 0], "undefined symbols");
        assert!(symbols(&binary, &[]).iter().any(|line| line.ends_with(" T _start")));
        let status = Command::new(&binary).status().expect("the program runs");
        assert_eq!(status.code(), Some(0), "features '{features}': {status}");
    }

    // Controls: a program that allocates does not link, and the search finds what it looks for.
    let refused = build("allocates");
    let message = String::from_utf8_lossy(&refused.stderr);
    assert!(
        !refused.status.success() && message.contains("no global memory allocator"),
        "{message}"
    );
    let own = foreign(&std::env::current_exe().unwrap());
    assert!(own.iter().any(|line| line.contains("std::")));
    assert!(own.iter().any(|line| line.contains("alloc::")));
}
