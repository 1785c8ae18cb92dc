//! Spans of a build that records nothing: see `span.rs` for the ones that do.

use core::marker::PhantomData;

use crate::emit::TrackingId;
use crate::engine::Engine;
use crate::event_type::EventType;
use crate::payload::Payload;

/// A span that records nothing, and takes no memory: this build is without the feature `enable`.
#[must_use = "a span ends when it is dropped: bind it to a name"]
#[derive(Debug)]
pub struct Span<'a, const SHARDS: usize>(PhantomData<&'a Engine<SHARDS>>);

impl<const SHARDS: usize> Engine<SHARDS> {
    /// Starts a span that records nothing.
    #[inline(always)]
    pub fn span(
        &self,
        _shard: u32,
        _event_type: EventType,
        _payload: impl Into<Payload>,
    ) -> Span<'_, SHARDS> {
        Span(PhantomData)
    }

    /// A span that was not accepted.
    #[doc(hidden)]
    #[inline(always)]
    pub fn no_span(&self) -> Span<'_, SHARDS> {
        Span(PhantomData)
    }
}

impl<const SHARDS: usize> Span<'_, SHARDS> {
    /// `None`.
    #[must_use]
    pub fn tracking_id(&self) -> Option<TrackingId> {
        None
    }

    /// Does nothing.
    #[inline(always)]
    pub fn set_stop(&mut self, _payload: impl Into<Payload>) {}

    /// Does nothing.
    #[inline(always)]
    pub fn finish(self, _payload: impl Into<Payload>) {}
}

/// So that what can be done with a span does not depend on the feature.
impl<const SHARDS: usize> Drop for Span<'_, SHARDS> {
    #[inline(always)]
    fn drop(&mut self) {}
}
