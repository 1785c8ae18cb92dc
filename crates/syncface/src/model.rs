//! Running one test body as a model under loom and as a short stress test otherwise.
//!
//! For the tests of this family of crates; not a part of the public face.

/// How often a body runs on real threads.
pub const NATIVE_RUNS: u32 = if cfg!(miri) { 4 } else { 300 };

/// A model of fewer executions than this has no choices in it, and shows nothing.
pub const FEWEST: usize = 4;

/// Runs `body` under every interleaving with at most `bound` preemptions (`None`: under all). The
/// environment variable `LOOM_MAX_PREEMPTIONS` overrides the bound. Returns the number of
/// executions.
///
/// # Panics
///
/// If the body does, if loom reports a fault, or if there were fewer than [`FEWEST`] executions. A
/// mutant (see [`crate::mutant`]) is not held to that number: it has to fail on its merits.
#[cfg(loom)]
pub fn explore(bound: Option<usize>, body: impl Fn() + Send + Sync + 'static) -> usize {
    // Counted outside of the model, hence the standard library's.
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    let executions = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&executions);
    let mut builder = loom::model::Builder::new();
    builder.max_branches = 10_000;
    builder.preemption_bound = builder.preemption_bound.or(bound);
    let bound = builder.preemption_bound;
    builder.check(move || {
        count.fetch_add(1, Relaxed);
        body();
    });
    let executions = executions.load(Relaxed);
    std::println!("{executions} executions, preemption bound {bound:?}");
    assert!(
        executions >= FEWEST || std::env::var_os("SYNCFACE_MUTANT").is_some(),
        "a model of {executions} executions shows nothing; the least is {FEWEST}"
    );
    executions
}

/// Runs `body` [`NATIVE_RUNS`] times, on real threads. Returns that number.
#[cfg(not(loom))]
pub fn explore(_bound: Option<usize>, body: impl Fn() + Send + Sync + 'static) -> usize {
    for _ in 0..NATIVE_RUNS {
        body();
    }
    NATIVE_RUNS as usize
}

#[cfg(all(test, not(loom)))]
mod tests {
    use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    #[test]
    fn natively_the_body_runs_as_often_as_told() {
        static RUNS: AtomicUsize = AtomicUsize::new(0);
        let told = super::explore(Some(2), || {
            RUNS.fetch_add(1, Relaxed);
        });
        assert_eq!(RUNS.load(Relaxed), told);
    }
}

#[cfg(all(test, loom))]
mod tests {
    use super::*;
    use loom::sync::{Arc, atomic::AtomicUsize};
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    #[should_panic(expected = "a model of 1 executions shows nothing")]
    fn a_model_without_choices_is_refused() {
        explore(Some(2), || ());
    }

    #[test]
    fn a_model_with_choices_is_explored() {
        let executions = explore(None, || {
            let number = Arc::new(AtomicUsize::new(0));
            let threads = [(); 2].map(|()| {
                let number = Arc::clone(&number);
                loom::thread::spawn(move || number.fetch_add(1, Relaxed))
            });
            for thread in threads {
                thread.join().unwrap();
            }
            number.fetch_add(1, Relaxed);
        });
        assert!(executions >= FEWEST);
    }
}
