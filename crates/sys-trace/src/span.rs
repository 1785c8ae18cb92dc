//! Spans that end by themselves.

use crate::emit::{Extra, TrackingId};
use crate::engine::Engine;
use crate::event_type::EventType;
use crate::payload::Payload;
use crate::phase::Phase;
use crate::storage::{DefaultStorage, Storage};

/// A span that has been started; its stop is recorded when it is dropped, also while unwinding.
///
/// The stop is recorded only in the capture that has the start: a span that outlives its capture
/// ends silently.
///
/// A span that is leaked (`mem::forget`) leaves a start without a stop, which readers show as
/// unfinished.
#[must_use = "a span ends when it is dropped: bind it to a name"]
pub struct Span<'a, const SHARDS: usize = 256, S: Storage = DefaultStorage> {
    engine: &'a Engine<SHARDS, S>,
    shard: u32,
    event_type: EventType,
    /// With the epoch of the capture that has the start.
    started: Option<(TrackingId, u64)>,
    stop: Payload,
}

impl<const SHARDS: usize, S: Storage> Engine<SHARDS, S> {
    /// Starts a span on `shard`. Its stop carries the same payload unless
    /// [`Span::set_stop`] gives it another one.
    ///
    /// If the start is not accepted (see [`emit`](Self::emit)), no stop will be recorded.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use sys_trace::{Config, Engine, EventType, Phase, payload::ExecTensorRead};
    /// let engine: Box<Engine<1>> = Box::default();
    /// engine.start(&Config::new()).unwrap();
    /// {
    ///     let _read = engine.span(0, EventType::TensorRead, ExecTensorRead { tensor_id: 1, size: 64 });
    ///     // … the work …
    /// }
    /// let events = engine.drain_all(usize::MAX).unwrap();
    /// assert_eq!([events[0].phase(), events[1].phase()], [Phase::Start, Phase::Stop]);
    /// # }
    /// ```
    pub fn span(
        &self,
        shard: u32,
        event_type: EventType,
        payload: impl Into<Payload>,
    ) -> Span<'_, SHARDS, S> {
        let stop = payload.into();
        let started = if self.is_capturing() {
            self.record(shard, event_type, Phase::Start, stop, None, None).result().ok()
        } else {
            None
        };
        Span { engine: self, shard, event_type, started, stop }
    }

    /// A span that was not accepted.
    #[doc(hidden)]
    #[inline]
    pub fn no_span(&self) -> Span<'_, SHARDS, S> {
        let (event_type, stop) = (EventType::Generic, Payload::ZERO);
        Span { engine: self, shard: 0, event_type, started: None, stop }
    }
}

impl<const SHARDS: usize, S: Storage> Span<'_, SHARDS, S> {
    /// What pairs start and stop; `None` if the start was not accepted.
    #[must_use]
    pub fn tracking_id(&self) -> Option<TrackingId> {
        self.started.map(|it| it.0)
    }

    /// The payload that the stop will carry.
    pub fn set_stop(&mut self, payload: impl Into<Payload>) {
        self.stop = payload.into();
    }

    /// Ends the span now, with this payload.
    pub fn finish(mut self, payload: impl Into<Payload>) {
        self.set_stop(payload);
    }
}

impl<const SHARDS: usize, S: Storage> Drop for Span<'_, SHARDS, S> {
    fn drop(&mut self) {
        let Some((tracking, epoch)) = self.started.filter(|_| self.engine.is_capturing()) else {
            return;
        };
        let (shard, event_type, stop) = (self.shard, self.event_type, self.stop);
        let extra = Extra { seq_id: None, only_in: Some(epoch) };
        // What becomes of it is counted; there is nobody to tell.
        self.engine.record(shard, event_type, Phase::Stop, stop, Some(tracking), Some(&extra));
    }
}

impl<const SHARDS: usize, S: Storage> core::fmt::Debug for Span<'_, SHARDS, S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Span")
            .field("shard", &self.shard)
            .field("event_type", &self.event_type)
            .field("tracking_id", &self.tracking_id())
            .finish_non_exhaustive()
    }
}
