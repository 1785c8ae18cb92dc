//! Starting, stopping and everything that must be refused.
#![cfg(all(feature = "std", not(loom)))]
#![allow(missing_docs, reason = "a test")]

use sys_trace::{
    Clock, Config, DrainError, Engine, Event, EventSet, EventType, Heap, NotCapturing, Payload,
    Phase, ShardSet, StartError, StopError, Storage, Symbol, TrackingId,
};

fn engine<const N: usize, S: Storage>() -> Box<Engine<N, S>> {
    Box::default()
}

/// Tests that do not depend on the storage.
macro_rules! on_both {
    ($($test:ident),* $(,)?) => {
        mod on_the_heap {
            $(#[test] fn $test() { super::$test::<sys_trace::Heap>() })*
        }
        mod inline {
            $(#[test] fn $test() { super::$test::<sys_trace::Inline<16, 4>>() })*
        }
    };
}

on_both!(
    stop_close_and_drain_without_a_capture,
    only_what_is_enabled,
    records_say_who_when_and_what,
    the_first_span_of_shard_0_pairs,
    a_span_stops_while_unwinding_and_carries_its_own_payload,
    a_span_does_not_stop_another_captures_span,
    a_span_across_captures,
    merged_drain_is_by_time_shard_and_sequence,
);

fn instant<const N: usize, S: Storage>(engine: &Engine<N, S>, shard: u32) -> Option<TrackingId> {
    engine.emit(shard, EventType::Generic, Phase::Instant, Payload::ZERO)
}

#[test]
fn a_second_start_is_refused_and_touches_nothing() {
    let engine = engine::<2, Heap>();
    engine.start(&Config::new()).unwrap();
    instant(&engine, 0);
    let other = Config::new().events_per_shard(5000);
    assert_eq!(engine.start(&other), Err(StartError::AlreadyCapturing));
    assert_eq!(engine.ring_size(), Config::DEFAULT_EVENTS_PER_SHARD);
    assert_eq!(engine.drain_all(9).unwrap().len(), 1);
}

fn stop_close_and_drain_without_a_capture<S: Storage>() {
    let engine = engine::<2, S>();
    assert_eq!(engine.stop(), Err(StopError::NotCapturing));
    engine.close().unwrap();
    assert_eq!(engine.drain(0, &mut []), Err(DrainError::NotCapturing));
    assert_eq!(engine.drain_all(1), Err(NotCapturing));
    engine.start(&Config::new()).unwrap();
    assert_eq!(engine.stop(), Ok(()));
    assert_eq!(engine.stop(), Err(StopError::NotCapturing));
    engine.close().unwrap();
    assert_eq!(engine.drain_all(1), Err(NotCapturing));
    assert_eq!(engine.total_event_count(), 0);
}

#[test]
fn sizes_out_of_range() {
    let engine = engine::<2, Heap>();
    let limit = Config::MAX_EVENTS_PER_SHARD;
    for requested in [limit + 1, 1 << 40, u64::MAX] {
        let error = engine.start(&Config::new().events_per_shard(requested)).unwrap_err();
        assert_eq!(error, StartError::RingTooLarge { requested, limit });
        let text = error.to_string();
        assert!(text.contains(&requested.to_string()) && text.contains(&limit.to_string()));
        let per_event = if cfg!(target_pointer_width = "64") { 128 } else { 120 };
        assert!(text.contains(&(u128::from(requested) * per_event).to_string()), "{text}");
    }
    for small in [0, 1, 1023, 1024] {
        engine.start(&Config::new().events_per_shard(small)).unwrap();
        assert_eq!(engine.ring_size(), 1024);
        engine.stop().unwrap();
    }
    engine.start(&Config::new().events_per_shard(1025)).unwrap();
    assert_eq!(engine.ring_size(), 1025);
}

#[test]
fn shards_that_do_not_exist() {
    let engine = engine::<4, Heap>();
    let config = Config::new().shards(ShardSet::parse("0,4").unwrap());
    let expected = StartError::ShardOutOfRange { shard: 4, shards: 4 };
    assert_eq!(engine.start(&config), Err(expected));
    engine.start(&Config::new()).unwrap();
    for shard in [4, 255, 256, 1 << 31, u32::MAX] {
        assert_eq!(instant(&engine, shard), None);
        let error = engine.drain(shard, &mut [Event::ZERO]).unwrap_err();
        assert_eq!(error, DrainError::ShardOutOfRange { shard, shards: 4 });
        assert_eq!(engine.shard_counts(shard), None);
        assert_eq!(engine.intern(shard, "x"), Symbol::of("x"));
    }
    assert_eq!(engine.misdirected(), 5);
    assert_eq!(engine.total_event_count(), 0, "never filed under shard 0");
    assert_eq!(engine.strings().len(), 0);
}

fn only_what_is_enabled<S: Storage>() {
    let engine = engine::<4, S>();
    let config = Config::new()
        .shards(ShardSet::parse("1,3").unwrap())
        .types(EventSet::parse("hardware").unwrap());
    engine.start(&config).unwrap();
    for shard in 0..4 {
        for event_type in EventType::ALL {
            let accepted = engine.emit(shard, event_type, Phase::Start, Payload::ZERO).is_some();
            let enabled = shard % 2 == 1 && config_types().contains(event_type);
            assert_eq!(accepted, enabled, "{shard} {event_type}");
        }
    }
    let counts = engine.counts();
    assert_eq!(counts.iter().map(|it| it.shard).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(counts[0].total.created, config_types().len() as u64);
    assert_eq!(engine.drain(0, &mut [Event::ZERO]), Ok(0));
    assert_eq!(engine.loss().created, 2 * config_types().len() as u64);

    fn config_types() -> EventSet {
        EventSet::parse("hardware").unwrap()
    }
}

fn records_say_who_when_and_what<S: Storage>() {
    let engine = engine::<8, S>();
    engine.start(&Config::new().clock(Clock::Custom(|| 500))).unwrap();
    let payload = sys_trace::payload::NrtExec { model_id: 42 };
    let id = engine.emit(7, EventType::ExecuteApi, Phase::Start, payload).unwrap();
    assert_eq!(id.get(), 1 | 7 << 50);
    let own = TrackingId::new(99).unwrap();
    let returned = engine.emit_tracked(7, EventType::ExecuteApi, Phase::Stop, payload, Some(own));
    assert_eq!(returned, Some(own));
    let events = engine.drain_all(9).unwrap();
    let [first, second] = events[..] else { panic!("{events:?}") };
    assert_eq!((first.nc_local_id, first.id, first.tracking_id), (1, id.get(), id.get()));
    assert_eq!((second.nc_local_id, second.id, second.tracking_id), (2, 2 | 7 << 50, 99));
    assert_eq!((first.timestamp_ns, first.nc_idx), (500, 7));
    assert_eq!(first.payload, payload.into());
    assert_eq!(first.phase(), Phase::Start);
    assert_eq!(first.seq_id(), None);
    assert_ne!(first.thread_id, 0);
}

fn the_first_span_of_shard_0_pairs<S: Storage>() {
    let engine = engine::<1, S>();
    engine.start(&Config::new()).unwrap();
    drop(engine.span(0, EventType::ExecCore, Payload::ZERO));
    let events = engine.drain_all(9).unwrap();
    assert_ne!(events[0].tracking_id, 0);
    assert_eq!(events[0].tracking_id, events[1].tracking_id);
}

fn a_span_stops_while_unwinding_and_carries_its_own_payload<S: Storage>() {
    let engine = engine::<1, S>();
    engine.start(&Config::new()).unwrap();
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let mut span = engine.span(0, EventType::ExecCore, Payload::ZERO);
        span.set_stop(sys_trace::payload::ExecCore { exec_id: 3, model_id: 4 });
        std::panic::resume_unwind(Box::new(()));
    }));
    assert!(outcome.is_err());
    let events = engine.drain_all(9).unwrap();
    assert_eq!(events[1].phase(), Phase::Stop);
    assert_eq!(sys_trace::payload::ExecCore::read(&events[1].payload).exec_id, 3);
}

/// The stop of a span of the last capture does not end a span of this one that has the same id.
fn a_span_does_not_stop_another_captures_span<S: Storage>() {
    let engine = engine::<1, S>();
    engine.start(&Config::new()).unwrap();
    let old = engine.span(0, EventType::ExecCore, Payload::ZERO);
    engine.stop().unwrap();
    engine.start(&Config::new()).unwrap();
    let new = engine.span(0, EventType::ExecCore, Payload::ZERO);
    assert_eq!(old.tracking_id(), new.tracking_id(), "the case in question");
    drop(old);
    assert_eq!(engine.total_event_count(), 1);
    drop(new);
    assert_eq!(engine.total_event_count(), 2);
}

/// A span that outlives its capture, or began before it, records nothing in another.
fn a_span_across_captures<S: Storage>() {
    let engine = engine::<1, S>();
    let off = engine.span(0, EventType::ExecCore, Payload::ZERO);
    assert_eq!(off.tracking_id(), None);
    engine.start(&Config::new()).unwrap();
    drop(off);
    assert_eq!(engine.total_event_count(), 0);
    let on = engine.span(0, EventType::ExecCore, Payload::ZERO);
    engine.stop().unwrap();
    drop(on);
    assert_eq!(engine.loss().created, 1);
    assert_eq!(engine.loss().discarded, 1);
}

#[test]
fn captures_do_not_leak_into_each_other() {
    let engine = engine::<2, Heap>();
    for epoch in 1..=5u64 {
        engine.start(&Config::new().events_per_shard(1024 + epoch)).unwrap();
        let info = engine.capture_info().unwrap();
        assert_eq!((info.epoch, info.ring_events, info.stop_ns), (epoch, 1024 + epoch, None));
        let name = format!("name of {epoch}");
        engine.intern(0, &name);
        engine.intern(1, &name);
        for _ in 0..epoch {
            instant(&engine, 1);
        }
        assert_eq!(engine.total_event_count(), epoch);
        assert_eq!(engine.drain(1, &mut [Event::ZERO]), Ok(1));
        engine.stop().unwrap();
        let stopped = engine.capture_info().unwrap();
        assert!(stopped.stop_ns.unwrap() >= info.start_ns);
        let by_the_wall = (stopped.start_epoch_ns.unwrap(), stopped.stop_epoch_ns.unwrap());
        assert!(by_the_wall.0 <= by_the_wall.1 && by_the_wall.1 - by_the_wall.0 < 60_000_000_000);
        let counts = engine.shard_counts(1).unwrap().total;
        assert_eq!((counts.created, counts.drained, counts.discarded), (epoch, 1, epoch - 1));
        assert_eq!(counts.live(), 0);
        assert_eq!(engine.strings().len(), 1);
        assert_eq!(engine.strings().get(Symbol::of(&name)), Some(&*name));
        assert_eq!(instant(&engine, 1), None);
    }
}

#[test]
fn overwriting_is_counted_by_type_and_never_loses_names() {
    let engine = engine::<1, Heap>();
    engine.start(&Config::new().events_per_shard(1024)).unwrap();
    let id = engine.intern(0, "outlives the ring");
    for _ in 0..100_000 {
        instant(&engine, 0);
    }
    for _ in 0..24 {
        engine.emit(0, EventType::NumErr, Phase::Instant, Payload::ZERO);
    }
    let counts = engine.shard_counts(0).unwrap();
    assert_eq!(counts.of(EventType::Generic).displaced, 100_000 - 1000);
    assert_eq!(counts.of(EventType::NumErr).displaced, 0);
    assert_eq!(counts.total.live(), 1024);
    let events = engine.drain_all(usize::MAX).unwrap();
    assert_eq!(events.len(), 1024);
    assert_eq!(events[0].nc_local_id, 100_024 - 1023, "the newest are kept");
    assert_eq!(engine.strings().get(id), Some("outlives the ring"));
}

fn merged_drain_is_by_time_shard_and_sequence<S: Storage>() {
    use syncface::atomic::{AtomicU64, Ordering};
    static TIME: AtomicU64 = AtomicU64::new(10);
    let engine = engine::<3, S>();
    engine.start(&Config::new().clock(Clock::Custom(|| TIME.load(Ordering::Relaxed)))).unwrap();
    for (time, shard) in [(30, 2), (20, 1), (20, 0), (40, 1), (20, 1)] {
        TIME.store(time, Ordering::Relaxed);
        instant(&engine, shard);
    }
    let keys: Vec<_> = engine
        .drain_all(usize::MAX)
        .unwrap()
        .iter()
        .map(|event| (event.timestamp_ns, event.nc_idx, event.nc_local_id))
        .collect();
    assert_eq!(keys, [(20, 0, 1), (20, 1, 1), (20, 1, 3), (30, 2, 1), (40, 1, 2)]);
}

#[test]
fn names_past_the_limits_are_counted() {
    let engine = engine::<1, Heap>();
    let limits = sys_trace::Limits { max_entries: 2, ..Default::default() };
    engine.start(&Config::new().name_limits(limits)).unwrap();
    for name in ["a", "b", "a", "c", "d"] {
        assert_eq!(engine.intern(0, name), Symbol::of(name));
    }
    assert_eq!(engine.strings().len(), 2);
    assert_eq!(engine.names_dropped(0), 2);
}
