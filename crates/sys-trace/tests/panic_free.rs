//! No panic can be reached from an emit or a span, as machine code: a release build is disassembled,
//! and what its functions call, directly or not, is searched for the panic machinery.
//!
//! Built with `panic = "abort"`, which leaves every panicking call in place but has no landing pads:
//! those are there for a custom clock's panics. The standard library's clocks are not followed into:
//! they panic if the operating system's clock cannot be read.
#![cfg(all(feature = "std", not(loom), not(miri)))]
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(missing_docs, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

const MANIFEST: &str = r#"
[package]
name = "hot-path"
version = "0.0.0"
edition = "2024"
[dependencies]
sys-trace = { path = "SYS_TRACE" }
[profile.release]
panic = "abort"
codegen-units = 1
[workspace]
"#;

const MAIN: &str = r#"
use sys_trace::{Engine, EventType, Payload, Phase, StaticEngine};

static ENGINE: Engine = Engine::new();
static SMALL: StaticEngine<4, 8, 8> = StaticEngine::new_inline();

#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn hot_emit(shard: u32, seq_id: u64) -> bool {
    ENGINE.emit(shard, EventType::Generic, Phase::Instant, Payload::ZERO).is_some()
        && ENGINE.emit_with_seq(shard, EventType::Generic, Phase::Stop, Payload::ZERO, None, seq_id).is_some()
}

#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn hot_span(shard: u32) {
    drop(ENGINE.span(shard, EventType::ExecCore, Payload::ZERO));
}

#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn hot_static(shard: u32) -> bool {
    drop(SMALL.span(shard, EventType::ExecCore, Payload::ZERO));
    SMALL.emit(shard, EventType::Generic, Phase::Instant, Payload::ZERO).is_some()
}

/// What must be found.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn control(shards: &[u32; 4], shard: usize) -> u32 {
    hidden(shards, shard) + 1
}

#[inline(never)]
fn hidden(shards: &[u32; 4], shard: usize) -> u32 {
    shards[shard]
}

fn main() {
    ENGINE.start(&sys_trace::Config::new()).unwrap();
    let arguments = std::env::args().count();
    hot_emit(arguments as u32, 7);
    hot_span(arguments as u32);
    SMALL.start(&sys_trace::Config::new()).unwrap();
    hot_static(arguments as u32);
    println!("{}", control(&[1; 4], arguments));
}
"#;

/// Function → what it jumps to or calls by name.
fn calls(binary: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new("objdump")
        .args(["--disassemble", "--demangle", "--no-show-raw-insn"])
        .arg(binary)
        .output()
        .expect("objdump, of the binutils that link programs, runs");
    assert!(output.status.success());
    let mut calls = BTreeMap::<String, BTreeSet<String>>::new();
    let mut current = String::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        if line.contains("call") && line.contains("(%rip)") {
            // Through a table after all: nobody can tell from here where it goes.
            calls.entry(current.clone()).or_default().insert("a panic for all we know".to_owned());
            continue;
        }
        let Some((before, name)) = line.split_once('<') else { continue };
        if let Some(name) = name.strip_suffix(">:") {
            current = name.to_owned();
            calls.entry(current.clone()).or_default();
        } else if before.contains("call") || before.contains("j") {
            let name = name.strip_suffix('>').unwrap_or(name);
            let name = name.rsplit_once("+0x").map_or(name, |(name, _)| name);
            calls.entry(current.clone()).or_default().insert(name.to_owned());
        }
    }
    calls
}

/// The panicking functions that can be reached from `from`, with who calls them.
fn reachable_panics(calls: &BTreeMap<String, BTreeSet<String>>, from: &str) -> Vec<String> {
    assert!(calls.contains_key(from), "there is no function {from}");
    let (mut found, mut seen, mut open) = (Vec::new(), BTreeSet::new(), vec![from]);
    while let Some(caller) = open.pop() {
        for callee in calls.get(caller).into_iter().flatten() {
            let panics =
                ["panic", "unwrap_failed", "expect_failed", "slice_index", "rust_begin_unwind"];
            if panics.iter().any(|it| callee.contains(it)) {
                found.push(format!("{caller} -> {callee}"));
            } else if !callee.contains("std::time::")
                && !callee.contains("::time::Timespec")
                && seen.insert(callee)
            {
                open.push(callee);
            }
        }
    }
    println!("{from}: {} functions looked at: {seen:?}", seen.len() + 1);
    found
}

#[test]
fn no_panic_can_be_reached_from_the_hot_path() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hot-path");
    std::fs::create_dir_all(temporary.join("src")).unwrap();
    let manifest = MANIFEST.replace("SYS_TRACE", &own.display().to_string());
    std::fs::write(temporary.join("Cargo.toml"), manifest).unwrap();
    std::fs::write(temporary.join("src/main.rs"), MAIN).unwrap();
    // The versions that the workspace uses. Absent from a packaged crate.
    let _ = std::fs::copy(own.join("../../Cargo.lock"), temporary.join("Cargo.lock"));
    let built = Command::new(env!("CARGO"))
        .args(["build", "--release", "--offline", "--quiet", "--target-dir"])
        .arg(temporary.join("target"))
        .current_dir(&temporary)
        // Calls name what they call, instead of going through a table of addresses.
        .env("RUSTFLAGS", "-Crelocation-model=static")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("CARGO_BUILD_TARGET")
        .status()
        .unwrap();
    assert!(built.success());
    let calls = calls(&temporary.join("target/release/hot-path"));

    let control = reachable_panics(&calls, "control");
    assert!(!control.is_empty(), "the search finds a bounds check, one call down");
    for function in ["hot_emit", "hot_span", "hot_static"] {
        let found = reachable_panics(&calls, function);
        assert!(found.is_empty(), "{function}: {found:#?}");
    }
}
