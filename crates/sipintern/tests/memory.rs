//! What the kernel has given to the process. `threads.rs` counts what the allocator has.
#![cfg(all(feature = "alloc", target_os = "linux", not(loom), not(miri)))]

use std::fmt::Write;

use sipintern::{Interner, Limits};

fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Ten million names into a table for a thousand. One test, so that nothing else in the process
/// allocates meanwhile.
#[test]
fn ten_million_fresh_names_take_no_memory() {
    let count = if cfg!(debug_assertions) { 1_000_000 } else { 10_000_000 };
    let names = Interner::with_limits(Limits { max_entries: 1000, ..Limits::DEFAULT });
    let mut text = String::new();
    let mut before = 0;
    for i in 0..count {
        text.clear();
        write!(text, "fresh name {i:08}").unwrap();
        names.intern(&text);
        if i == 2000 {
            before = resident_kib();
        }
    }
    assert_eq!((names.len(), names.dropped()), (1000, count - 1000));
    let after = resident_kib();
    // Machines of other kinds are mostly emulated, and the emulator's own memory grows, too. Names that
    // were kept would take 30 MiB at least.
    let spare = if cfg!(any(target_arch = "x86_64", target_arch = "x86")) { 256 } else { 8 * 1024 };
    assert!(after <= before + spare, "{before} KiB before, {after} KiB after");
}
