//! A ring for which there is no memory is an error value, wherever its memory would come from.
#![cfg(all(
    target_os = "linux",
    target_pointer_width = "64",
    feature = "alloc",
    not(loom),
    not(miri),
    not(lapring_word = "16")
))]
#![allow(missing_docs, reason = "a test")]

use lapring::{CapacityError, Ring};

type Event = [u64; 14];

/// Limits the address space that this process may have from now on.
#[allow(unsafe_code, reason = "asks the system")]
fn limit_address_space(bytes: libc::rlim_t) {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` outlives the call.
    assert_eq!(unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) }, 0);
    limit.rlim_cur = bytes.min(limit.rlim_max);
    // SAFETY: `limit` outlives the call.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) }, 0);
}

/// The only test of its file: the limit is the process's.
#[test]
fn no_memory_is_an_error_and_the_next_ring_can_be_had() {
    const CAP: usize = 1 << 26;
    drop(Ring::<Event>::try_new(CAP).expect("7.5 GiB of addresses, not of memory"));
    limit_address_space(4 << 30);
    let bytes = Ring::<Event>::bytes(CAP).unwrap();
    // Unused memory need not be asked for at all.
    let refused = std::hint::black_box(Ring::<Event>::try_new(CAP));
    assert_eq!(refused.err(), Some(CapacityError::OutOfMemory { bytes }));
    let ring = Ring::<Event>::try_new(1 << 20).expect("128 MiB");
    ring.force_push([1; 14]);
    assert_eq!(ring.pop(), Some([1; 14]));
}
