//! What a capture takes of memory and time: arming 256 shards of a million events, emitting without
//! a reader, stopping.
#![cfg(all(feature = "std", target_os = "linux", not(loom), not(miri)))]
// The rings take 32 GiB of addresses.
#![cfg(target_pointer_width = "64")]
#![allow(missing_docs, reason = "a test")]

use std::time::{Duration, Instant};

use sys_trace::{Config, EventType, Payload, Phase};

fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// One test with memory of its own, so that no other takes any meanwhile.
#[test]
fn memory_of_a_capture() {
    let engine = sys_trace::global();
    assert_eq!(engine.start(&Config::new().events_per_shard(1024)), Ok(()));
    engine.stop().unwrap();
    let before = resident_kib();

    // The shortest of a few: the machine may be doing something else.
    let mut shortest = Duration::MAX;
    let mut armed = 0;
    for _ in 0..5 {
        let since = Instant::now();
        engine.start(&Config::new()).unwrap();
        shortest = shortest.min(since.elapsed());
        armed = resident_kib();
        engine.stop().unwrap();
    }
    println!("armed in {shortest:?}, {} KiB", armed.saturating_sub(before));
    assert!(armed <= before + 64 * 1024, "{before} KiB before, {armed} KiB armed");
    let bound = if cfg!(debug_assertions) { 500 } else { 20 };
    assert!(shortest <= Duration::from_millis(bound), "{shortest:?} to arm");

    // Without a reader: a ring fills up, and then nothing grows.
    let config = Config::new().events_per_shard(1 << 18);
    let emit = |count: u64| {
        for _ in 0..count {
            engine.emit(9, EventType::Generic, Phase::Instant, Payload::ZERO);
        }
    };
    engine.start(&config).unwrap();
    emit(1 << 18);
    let full = resident_kib();
    // Machines of other kinds are mostly emulated, and the emulator's own memory grows, too.
    let spare = if cfg!(target_arch = "x86_64") { 512 } else { 4 * 1024 };
    assert!(full >= before + 24 * 1024, "a full ring is 32 MiB: the measure sees memory");
    let many = if cfg!(debug_assertions) { 2_000_000 } else { 100_000_000 };
    emit(many);
    let after = resident_kib();
    assert!(after <= full + spare, "{full} KiB full, {after} KiB after {many} more");
    assert_eq!(engine.loss().created, many + (1 << 18));
    engine.stop().unwrap();
    let stopped = resident_kib();
    assert!(stopped <= before + 4 * spare, "{before} KiB before, {stopped} KiB after the stop");
}

/// What the documentation of `Engine` says an idle one takes.
#[test]
#[cfg(target_pointer_width = "64")]
fn size_of_an_idle_engine() {
    assert!(size_of::<sys_trace::Engine>() <= 640 << 10, "{}", size_of::<sys_trace::Engine>());
}
