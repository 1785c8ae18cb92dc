//! [`Tracer`]: spans on one shard that carry the number of their request.

use sys_trace::{Engine, EventType, Payload, Phase, Symbol, TrackingId};

/// The engine and the shard of one core.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tracer<'e> {
    engine: &'e Engine,
    shard: u32,
}

/// A span; dropping it records its stop, also on the way out of an error.
#[must_use = "a span ends when it is dropped: bind it to a name"]
pub(crate) struct Scope<'e> {
    tracer: Tracer<'e>,
    event_type: EventType,
    tracking: Option<TrackingId>,
    request: Option<u64>,
    stop: Payload,
}

impl<'e> Tracer<'e> {
    pub(crate) fn new(engine: &'e Engine, shard: u32) -> Tracer<'e> {
        Tracer { engine, shard }
    }

    pub(crate) fn intern(&self, text: &str) -> Symbol {
        self.engine.intern(self.shard, text)
    }

    /// Starts a span of a request. Its stop carries the same payload unless told otherwise.
    pub(crate) fn span(
        &self,
        event_type: EventType,
        request: u64,
        payload: impl Into<Payload>,
    ) -> Scope<'e> {
        self.start(event_type, Some(request), payload.into())
    }

    /// Starts a span that belongs to no request yet.
    pub(crate) fn idle_span(&self, event_type: EventType) -> Scope<'e> {
        self.start(event_type, None, Payload::ZERO)
    }

    fn start(&self, event_type: EventType, request: Option<u64>, stop: Payload) -> Scope<'e> {
        let tracking = self.emit(event_type, Phase::Start, stop, None, request);
        Scope { tracer: *self, event_type, tracking, request, stop }
    }

    fn emit(
        &self,
        event_type: EventType,
        phase: Phase,
        payload: Payload,
        tracking: Option<TrackingId>,
        request: Option<u64>,
    ) -> Option<TrackingId> {
        let Tracer { engine, shard } = *self;
        match request {
            Some(number) => {
                engine.emit_with_seq(shard, event_type, phase, payload, tracking, number)
            }
            None => engine.emit_tracked(shard, event_type, phase, payload, tracking),
        }
    }
}

impl Scope<'_> {
    /// The payload that the stop will carry.
    pub(crate) fn set_stop(&mut self, payload: impl Into<Payload>) {
        self.stop = payload.into();
    }

    /// The request that the span turned out to be for.
    pub(crate) fn set_request(&mut self, number: u64) {
        self.request = Some(number);
    }
}

impl Drop for Scope<'_> {
    fn drop(&mut self) {
        // A start that was not recorded needs no stop.
        if self.tracking.is_some() {
            let Scope { tracer, event_type, tracking, request, stop } = *self;
            tracer.emit(event_type, Phase::Stop, stop, tracking, request);
        }
    }
}
