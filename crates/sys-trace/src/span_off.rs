//! Spans of a build that records nothing: see `span.rs` for the ones that do.

use core::marker::PhantomData;

use crate::emit::TrackingId;
use crate::engine::Engine;
use crate::event_type::EventType;
use crate::payload::Payload;
use crate::storage::{DefaultStorage, Storage};

/// A span that records nothing, and takes no memory: this build is without the feature `enable`.
#[must_use = "a span ends when it is dropped: bind it to a name"]
pub struct Span<'a, const SHARDS: usize = 256, S: Storage = DefaultStorage>(
    PhantomData<&'a Engine<SHARDS, S>>,
);

impl<const SHARDS: usize, S: Storage> Engine<SHARDS, S> {
    /// Starts a span that records nothing.
    #[inline(always)]
    pub fn span(
        &self,
        _shard: u32,
        _event_type: EventType,
        _payload: impl Into<Payload>,
    ) -> Span<'_, SHARDS, S> {
        Span(PhantomData)
    }

    /// A span that was not accepted.
    #[doc(hidden)]
    #[inline(always)]
    pub fn no_span(&self) -> Span<'_, SHARDS, S> {
        Span(PhantomData)
    }
}

impl<const SHARDS: usize, S: Storage> Span<'_, SHARDS, S> {
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
impl<const SHARDS: usize, S: Storage> Drop for Span<'_, SHARDS, S> {
    #[inline(always)]
    fn drop(&mut self) {}
}

impl<const SHARDS: usize, S: Storage> core::fmt::Debug for Span<'_, SHARDS, S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Span").finish_non_exhaustive()
    }
}
