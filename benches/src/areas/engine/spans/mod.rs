//! What users would pick instead of the engine, each as pairs of a start and a stop.

pub mod fastrace;
pub mod lttng;
pub mod puffin;
pub mod tracing_ring;
pub mod tracy;

use crate::measure::{Plan, Sample, solo};

/// Pairs in one root span, or one frame, of the contenders that want one around their spans.
pub const BATCH: usize = 128;

/// Times `batch`, which makes [`BATCH`] pairs; ns per pair.
pub fn batches(plan: &Plan, batch: impl FnMut()) -> Sample {
    let mut sample = solo(plan.solo, 1, batch);
    sample.ns /= BATCH as f64;
    sample
}
