//! The engine that a process shares.

use crate::engine::Engine;

static GLOBAL: Engine = Engine::new();

/// The process-wide engine: one per copy of this crate in the process, idle until started.
///
/// ```
/// use sys_trace::{Config, EventType, Payload, Phase};
/// let engine = sys_trace::global();
/// engine.start(&Config::new()).unwrap();
/// engine.emit(0, EventType::Generic, Phase::Instant, Payload::ZERO);
/// assert_eq!(engine.total_event_count(), 1);
/// engine.stop().unwrap();
/// ```
#[must_use]
pub fn global() -> &'static Engine {
    &GLOBAL
}
