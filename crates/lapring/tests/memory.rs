//! Zeroed memory is a valid empty ring: building one touches nothing. (30 GB of addresses: not on
//! 32-bit machines.)
#![cfg(all(
    target_os = "linux",
    target_pointer_width = "64",
    not(loom),
    not(miri),
    not(lapring_word = "16")
))]
#![allow(missing_docs, reason = "a test")]

use lapring::Ring;

/// Memory of this process that is really there, in bytes.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() << 10
}

/// One test, so that nothing else in the process allocates meanwhile.
#[test]
fn slots_are_committed_as_values_arrive() {
    const CAP: usize = 1 << 20;
    let before = resident();
    let rings: Vec<_> = (0..256).map(|_| Ring::<[u64; 14]>::new(CAP)).collect();
    let built = resident();
    assert!(built < before + (4 << 20), "256 rings took {} bytes", built - before);
    assert!(rings.iter().all(|ring| ring.is_empty() && ring.capacity() == CAP));

    let bytes = Ring::<[u64; 14]>::bytes(CAP).unwrap();
    for n in 0..CAP as u64 / 16 {
        rings[7].force_push([n; 14]);
    }
    let used = resident() - built;
    assert!((bytes / 20..bytes / 8).contains(&used), "a sixteenth of {bytes} took {used}");

    // Dropping values that need no drop does not touch the slots either.
    drop(rings);
    assert!(resident() < built + (8 << 20));
}
