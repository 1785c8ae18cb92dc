//! What users would pick instead: `tracing` with a layer that keeps the newest records in a ring.

use std::sync::OnceLock;

use crossbeam_queue::ArrayQueue;
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id};
use tracing::{Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;

use crate::reference::wall_clock;

/// A start or a stop.
#[derive(Clone, Copy)]
pub struct Mark {
    /// The span.
    pub span: u64,
    /// Epoch nanoseconds.
    pub time: u64,
    /// Whether it begins.
    pub start: bool,
    /// Its name.
    pub name: &'static str,
}

static RING: OnceLock<ArrayQueue<Mark>> = OnceLock::new();

fn push(mark: Mark) {
    if let Some(ring) = RING.get() {
        ring.force_push(mark);
    }
}

struct RingLayer;

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for RingLayer {
    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::INFO)
    }

    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        *metadata.level() <= tracing::Level::INFO
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, _: Context<'_, S>) {
        let name = attributes.metadata().name();
        push(Mark { span: id.into_u64(), time: wall_clock(), start: true, name });
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let name = context.metadata(&id).map_or("", Metadata::name);
        push(Mark { span: id.into_u64(), time: wall_clock(), start: false, name });
    }
}

/// Makes the layer the process's subscriber, with a ring of so many marks. Only INFO and above is
/// enabled, so that TRACE shows what a disabled call costs. The first call decides.
pub fn install(marks: usize) {
    RING.get_or_init(|| {
        let registry = tracing_subscriber::registry().with(RingLayer);
        tracing::subscriber::set_global_default(registry).expect("nobody else sets one");
        ArrayQueue::new(marks)
    });
}

/// One span, started and stopped.
#[inline]
pub fn span(model: u64) {
    let span = tracing::info_span!("execute", model);
    drop(span);
}

/// A call that is not enabled.
#[inline]
pub fn disabled(model: u64) {
    tracing::trace!(model, "execute");
}

/// Proves that a span leaves a start and a stop under its name, and a disabled call nothing.
///
/// # Panics
/// If it does not.
pub fn prove() {
    let ring = RING.get().expect("installed before");
    while ring.pop().is_some() {}
    span(1);
    disabled(1);
    let (start, stop) = (ring.pop().expect("a start"), ring.pop().expect("a stop"));
    assert!(start.start && !stop.start && start.span == stop.span, "tracing: no pair");
    assert!(start.name == "execute" && stop.name == "execute", "tracing: no name");
    assert!(start.time <= stop.time && start.time > 0, "tracing: no time");
    assert!(ring.pop().is_none(), "tracing: a disabled call left something");
    for _ in 0..ring.capacity() {
        span(1);
    }
}
