//! The slowest spans of a capture.

use std::cmp::Reverse;
use std::collections::HashMap;

use sys_trace::{Event, EventType, Phase};

/// A start and its stop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span<'a> {
    pub(super) start: &'a Event,
    pub(super) stop: &'a Event,
    pub(super) duration_ns: u64,
}

impl Span<'_> {
    pub(super) fn name(&self) -> &'static str {
        self.start.event_type().map_or("unknown", EventType::text_name)
    }

    /// Of the start, or, if it does not know one, of the stop.
    pub(super) fn model_id(&self) -> Option<u64> {
        [self.start, self.stop].into_iter().find_map(|event| {
            let layout = event.event_type()?.payload(event.phase())?;
            let id = layout.field("model_id")?.read(&event.payload).as_u64()?;
            (id != 0).then_some(id)
        })
    }

    /// The number of the request.
    pub(super) fn request(&self) -> Option<u64> {
        self.start.seq_id().or(self.stop.seq_id())
    }
}

/// The `count` longest spans, the longest first, the earlier first among equals.
pub(super) fn slowest(events: &[Event], count: usize) -> Vec<Span<'_>> {
    let mut open = HashMap::new();
    let mut longest: Vec<Span<'_>> = Vec::new();
    for event in events {
        let key = (event.event_type_number, event.nc_idx, event.tracking_id);
        match event.phase() {
            Phase::Start => {
                open.insert(key, event);
            }
            Phase::Stop => {
                let Some(start) = open.remove(&key) else { continue };
                let duration_ns = event.timestamp_ns.saturating_sub(start.timestamp_ns);
                let rank = |span: &Span<'_>| (Reverse(span.duration_ns), span.start.timestamp_ns);
                let span = Span { start, stop: event, duration_ns };
                let place = longest.partition_point(|other| rank(other) <= rank(&span));
                if place < count {
                    longest.insert(place, span);
                    longest.truncate(count);
                }
            }
            Phase::Instant | Phase::Count => {}
        }
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_come_first_and_pairs_need_both_ends() {
        let event = |phase, tracking_id, timestamp_ns| {
            let mut event = Event::new(EventType::ExecCore, phase);
            (event.tracking_id, event.timestamp_ns) = (tracking_id, timestamp_ns);
            event
        };
        let mut events = vec![event(Phase::Stop, 90, 0), event(Phase::Start, 91, 0)];
        for (id, begin, length) in [(1, 10, 5), (2, 20, 9), (3, 30, 5), (4, 40, 1), (5, 50, 7)] {
            events.push(event(Phase::Start, id, begin));
            events.push(event(Phase::Stop, id, begin + length));
        }
        let ids = |count| -> Vec<u64> {
            slowest(&events, count).iter().map(|span| span.start.tracking_id).collect()
        };
        assert_eq!(ids(5), [2, 5, 1, 3, 4]);
        assert_eq!(ids(3), [2, 5, 1]);
        assert_eq!(slowest(&events, 1)[0].duration_ns, 9);
    }
}
