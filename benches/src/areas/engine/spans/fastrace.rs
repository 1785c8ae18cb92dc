//! fastrace: local spans under a root, and a reporter that counts and drops them.

use std::sync::atomic::{AtomicU64, Ordering};

use fastrace::Span;
use fastrace::collector::{Config, Reporter, SpanContext, SpanRecord};
use fastrace::local::LocalSpan;
use rustix::time::{ClockId, clock_gettime};

use super::{BATCH, batches};
use crate::measure::{Plan, Sample, beside};

static MADE: AtomicU64 = AtomicU64::new(0);
static REPORTED: AtomicU64 = AtomicU64::new(0);

struct Count;

impl Reporter for Count {
    fn report(&mut self, spans: Vec<SpanRecord>) {
        let pairs = spans.iter().filter(|span| span.name == "execute").count();
        // Pairs with the Acquire load in `settle`.
        REPORTED.fetch_add(pairs as u64, Ordering::Release);
    }
}

/// Sets the reporter. The collector's thread lives beside the measured one.
pub fn install() {
    beside(|| fastrace::set_reporter(Count, Config::default()));
}

fn batch() {
    let root = Span::root("batch", SpanContext::random());
    let parent = root.set_local_parent();
    for _ in 0..BATCH {
        let _span = LocalSpan::enter_with_local_parent("execute");
    }
    drop(parent);
    // Relaxed: read by this thread only.
    MADE.fetch_add(BATCH as u64, Ordering::Relaxed);
}

/// Pairs on this thread, each batch under a root span whose cost is part of it. Says, too, how much
/// processor time the pairs took of all threads until they were reported: the collector, beside the
/// measured thread, does a part of the work.
///
/// # Panics
/// If a span did not reach the reporter.
pub fn sample(plan: &Plan) -> Sample {
    let (before, made) = (processor_time(), MADE.load(Ordering::Relaxed));
    let mut sample = batches(plan, batch);
    settle();
    let pairs = MADE.load(Ordering::Relaxed) - made;
    sample.extra.push(("all-threads-ns", (processor_time() - before) / pairs as f64));
    sample
}

/// Nanoseconds of processor time of all threads of this process.
fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Has everything reported and checks that it was everything.
fn settle() {
    let made = MADE.load(Ordering::Relaxed);
    for _ in 0..1000 {
        fastrace::flush();
        // Pairs with the Release addition in `report`.
        if REPORTED.load(Ordering::Acquire) == made {
            return;
        }
        // What did not fit into the thread's channel goes along with the next span only.
        drop(Span::root("push", SpanContext::random()));
    }
    let reported = REPORTED.load(Ordering::Acquire);
    panic!("fastrace: {reported} of {made} spans reached the reporter");
}

/// Proves that every span reaches the reporter.
///
/// # Panics
/// If one does not.
pub fn prove() {
    let before = REPORTED.load(Ordering::Acquire);
    for _ in 0..10 {
        batch();
    }
    settle();
    let reported = REPORTED.load(Ordering::Acquire) - before;
    assert_eq!(reported, 10 * BATCH as u64, "fastrace: other spans than were made");
}

#[cfg(test)]
mod tests {
    #[test]
    fn spans_reach_the_reporter() {
        super::install();
        super::prove();
    }
}
