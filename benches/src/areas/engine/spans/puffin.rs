//! puffin: scopes within a frame, and a sink that counts and drops the frames.

use std::sync::atomic::{AtomicU64, Ordering};

use puffin::GlobalProfiler;

use super::{BATCH, batches};
use crate::measure::{Plan, Sample};

// Both are read and written by the measured thread only: the sink runs within `new_frame`.
static MADE: AtomicU64 = AtomicU64::new(0);
static ARRIVED: AtomicU64 = AtomicU64::new(0);

/// Switches scopes on and adds the sink.
pub fn install() {
    puffin::set_scopes_on(true);
    GlobalProfiler::lock().add_sink(Box::new(|frame| {
        ARRIVED.fetch_add(frame.meta().num_scopes as u64, Ordering::Relaxed);
    }));
}

fn batch() {
    {
        puffin::profile_scope!("batch");
        for _ in 0..BATCH {
            puffin::profile_scope!("execute");
        }
    }
    GlobalProfiler::lock().new_frame();
    MADE.fetch_add(BATCH as u64 + 1, Ordering::Relaxed);
}

/// Pairs on this thread; each batch is a scope and a frame, whose cost is part of it.
///
/// # Panics
/// If a scope did not reach the sink.
pub fn sample(plan: &Plan) -> Sample {
    let sample = batches(plan, batch);
    check();
    sample
}

fn check() {
    let (made, arrived) = (MADE.load(Ordering::Relaxed), ARRIVED.load(Ordering::Relaxed));
    assert_eq!(arrived, made, "puffin: other scopes in the frames than were made");
}

/// Proves that every scope is in a frame.
///
/// # Panics
/// If one is not.
pub fn prove() {
    let before = ARRIVED.load(Ordering::Relaxed);
    for _ in 0..10 {
        batch();
    }
    check();
    let arrived = ARRIVED.load(Ordering::Relaxed) - before;
    assert_eq!(arrived, 10 * (BATCH as u64 + 1), "puffin: other scopes than were made");
}

#[cfg(test)]
mod tests {
    #[test]
    fn scopes_reach_the_sink() {
        super::install();
        super::prove();
    }
}
