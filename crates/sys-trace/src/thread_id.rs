//! Who emits.

#[cfg(feature = "std")]
std::thread_local! {
    static CACHED: core::cell::Cell<u64> = const { core::cell::Cell::new(0) };
}

/// Called by the one thread of a forked child, which has another id than it had in the parent.
#[cfg(all(feature = "std", unix, not(loom), not(miri)))]
pub(crate) fn forget() {
    let _ = CACHED.try_with(|cached| cached.set(0));
}

/// The operating system's id of this thread, cached per thread: never 0.
///
/// On Linux and Android the kernel's thread id, asked for once per thread. Elsewhere a number that
/// the process gives each thread when it first emits. Without `std` always 1: there
/// [`Config::context`](crate::Config::context) tells who emits.
///
/// Correct after `fork`, whose handler [forgets](forget) the parent's.
#[cfg(feature = "std")]
#[inline]
pub(crate) fn current() -> u64 {
    CACHED
        .try_with(|cached| match cached.get() {
            0 => {
                let id = ask();
                cached.set(id);
                id
            }
            id => id,
        })
        .unwrap_or_else(|_| ask())
}

#[cfg(all(feature = "std", any(target_os = "linux", target_os = "android")))]
#[cold]
fn ask() -> u64 {
    rustix::thread::gettid().as_raw_nonzero().get().unsigned_abs().into()
}

#[cfg(all(feature = "std", not(any(target_os = "linux", target_os = "android"))))]
#[cold]
fn ask() -> u64 {
    use core::sync::atomic::{AtomicU32, Ordering};
    static LAST: AtomicU32 = AtomicU32::new(0);
    // Unique until 2^32 threads have emitted; 0 is skipped.
    u64::from(LAST.fetch_add(1, Ordering::Relaxed).wrapping_add(1)).max(1)
}

/// Without an operating system there is one thread.
#[cfg(not(feature = "std"))]
pub(crate) fn current() -> u64 {
    1
}

#[cfg(all(test, feature = "std", not(loom)))]
mod tests {
    #[test]
    fn stable_within_a_thread_and_different_between_threads() {
        let here = super::current();
        assert_ne!(here, 0);
        assert_eq!(super::current(), here);
        assert_ne!(std::thread::spawn(super::current).join().unwrap(), here);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn is_what_the_kernel_says() {
        let id = super::current();
        assert!(std::path::Path::new(&std::format!("/proc/self/task/{id}")).exists());
    }
}
