//! Reading without taking: snapshots, and readers that remember how far they have come.
#![cfg(all(feature = "std", not(loom)))]
#![allow(missing_docs, reason = "a test")]

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use sys_trace::{
    Clock, Config, DrainError, Engine, Event, EventType, NotCapturing, Payload, Phase, ShardSet,
    payload,
};

fn config(events: u64) -> Config {
    Config::new().events_per_shard_exact(events).clock(Clock::Custom(|| 7))
}

fn started<const N: usize>(events: u64) -> Box<Engine<N>> {
    let engine: Box<Engine<N>> = Box::default();
    engine.start(&config(events)).unwrap();
    engine
}

fn emit<const N: usize>(engine: &Engine<N>, shard: u32, times: usize) {
    for _ in 0..times {
        engine.emit(shard, EventType::Generic, Phase::Instant, Payload::ZERO).unwrap();
    }
}

fn numbers(events: &[Event]) -> Vec<u64> {
    events.iter().map(|event| event.nc_local_id).collect()
}

#[test]
fn a_snapshot_is_of_the_newest_and_takes_nothing() {
    let engine = started::<2>(8);
    emit(&engine, 1, 11);
    let mut out = [Event::ZERO; 20];
    for _ in 0..2 {
        assert_eq!(engine.snapshot(1, &mut out), Ok(8));
        assert_eq!(numbers(&out[..8]), (4..=11).collect::<Vec<_>>());
        assert_eq!(engine.snapshot(1, &mut out[..3]), Ok(3));
        assert_eq!(numbers(&out[..3]), [9, 10, 11]);
    }
    assert_eq!(engine.snapshot(1, &mut []), Ok(0));
    assert_eq!(engine.snapshot(0, &mut out), Ok(0));
    assert_eq!(
        engine.snapshot(2, &mut out),
        Err(DrainError::ShardOutOfRange { shard: 2, shards: 2 })
    );
    assert_eq!((engine.loss().drained, engine.loss().displaced, engine.resident(1)), (0, 3, 8));
    engine.stop().unwrap();
    assert_eq!(engine.snapshot(1, &mut out), Err(DrainError::NotCapturing));
    assert_eq!(engine.snapshot_all(9), Err(NotCapturing));
}

#[test]
fn a_snapshot_of_all_shards_is_merged_as_a_drain_is() {
    let engine = started::<3>(1000);
    for shard in [2, 0, 1, 0] {
        emit(&engine, shard, 300);
    }
    for max in [0, 1, 299, 400, usize::MAX] {
        let events = engine.snapshot_all(max).unwrap();
        assert_eq!(events.len(), 600.min(max) + 2 * 300.min(max));
        assert!(events.is_sorted_by_key(|it| (it.timestamp_ns, it.nc_idx, it.nc_local_id)));
        assert!(max == 0 || events.last().unwrap().nc_local_id == 300);
    }
    assert_eq!(engine.snapshot_all(usize::MAX), engine.drain_all(usize::MAX));
}

/// Each clock's times are told, and not before the start.
#[test]
fn copies_carry_times() {
    let engine: Box<Engine<1>> = Box::default();
    for clock in [Clock::Cycles, Clock::Steady, Clock::Realtime] {
        engine.start(&config(8).clock(clock)).unwrap();
        emit(&engine, 0, 2);
        let start = engine.capture_info().unwrap().start_ns;
        let copies = engine.snapshot_all(9).unwrap();
        let read = engine.reader().read(9).unwrap().events;
        for event in copies.iter().chain(&read) {
            let since = event.timestamp_ns.checked_sub(start).unwrap();
            assert!(since < 60_000_000_000, "{clock:?}: {since} ns after the start");
        }
        engine.stop().unwrap();
    }
}

#[test]
fn a_reader_returns_what_is_new_and_counts_what_it_missed() {
    let engine = started::<2>(8);
    let mut reader = engine.reader();
    emit(&engine, 0, 5);
    let batch = reader.read(usize::MAX).unwrap();
    assert_eq!((batch.epoch, batch.starts_anew, batch.missed()), (1, true, 0));
    assert_eq!(numbers(&batch.events), [1, 2, 3, 4, 5]);
    assert_eq!(reader.read(usize::MAX).unwrap().events, []);

    emit(&engine, 0, 20);
    emit(&engine, 1, 2);
    let batch = reader.read(3).unwrap();
    assert!(!batch.starts_anew && batch.more);
    assert_eq!(numbers(&batch.events), [18, 19, 20, 1, 2]);
    let [missed] = batch.missed_in[..] else { panic!("{batch:?}") };
    assert_eq!((missed.shard, missed.count, missed.drained), (0, 12, 0));
    let batch = reader.read(usize::MAX).unwrap();
    assert_eq!(numbers(&batch.events), [21, 22, 23, 24, 25]);
    assert_eq!(batch.missed_in, []);
    assert_eq!(engine.loss().drained, 0);
}

#[test]
fn what_others_drain_is_missed_unless_it_was_seen() {
    let engine = started::<1>(8);
    let mut reader = engine.reader();
    emit(&engine, 0, 2);
    reader.read(9).unwrap();
    emit(&engine, 0, 3);
    // Two that were seen, and one that was not.
    assert_eq!(engine.drain(0, &mut [Event::ZERO; 3]), Ok(3));
    let batch = reader.read(9).unwrap();
    assert_eq!(numbers(&batch.events), [4, 5]);
    assert_eq!((batch.missed_in[0].count, batch.missed_in[0].drained), (1, 3));
    // All of them, and nothing is left to be read.
    emit(&engine, 0, 4);
    assert_eq!(engine.drain_all(9).unwrap().len(), 6);
    let batch = reader.read(9).unwrap();
    assert_eq!((batch.events.len(), batch.missed_in[0].count), (0, 4));
    assert_eq!(batch.missed_in[0].drained, 6);
    // Drained in an earlier interval: not again.
    emit(&engine, 0, 10);
    let batch = reader.read(9).unwrap();
    assert_eq!((batch.missed_in[0].count, batch.missed_in[0].drained), (2, 0));
}

/// A drain that comes while a reader is behind is told when the reader gets there.
#[test]
fn drains_ahead_of_a_slow_reader_are_told() {
    let engine = started::<1>(8);
    let mut reader = engine.reader();
    emit(&engine, 0, 8);
    assert_eq!(reader.read(1).unwrap().events.len(), 1);
    assert_eq!(engine.drain_all(9).unwrap().len(), 8);
    assert_eq!(reader.read(0).unwrap().missed(), 0);
    let batch = reader.read(1).unwrap();
    assert_eq!((batch.missed_in[0].count, batch.missed_in[0].drained), (7, 8));
}

#[test]
fn a_reader_starts_anew_with_each_capture() {
    let engine = started::<2>(8);
    let mut reader = engine.reader_of(ShardSet::from_iter([1, 200]));
    emit(&engine, 1, 3);
    assert_eq!(reader.read(2).unwrap().events.len(), 2);
    engine.stop().unwrap();
    assert_eq!(reader.read(2), Err(NotCapturing));
    engine.start(&config(8)).unwrap();
    emit(&engine, 0, 1);
    emit(&engine, 1, 10);
    let batch = reader.read(usize::MAX).unwrap();
    assert_eq!((batch.epoch, batch.starts_anew), (2, true));
    assert_eq!((batch.events.len(), batch.missed()), (8, 2), "counted from the first of its own");
    // A capture that does not have the shard.
    engine.stop().unwrap();
    engine.start(&config(8).shards(ShardSet::from_iter([0]))).unwrap();
    emit(&engine, 0, 1);
    let batch = reader.read(usize::MAX).unwrap();
    assert!(batch.starts_anew && batch.events.is_empty() && batch.missed_in.is_empty());
}

/// Emitters on a small ring, a drain, snapshots and two readers: nobody reads anything twice, each
/// reader's accounts cover every number of the shard, and the engine's own stay exact although
/// copies displace.
#[test]
fn everybody_reads_at_once() {
    let rounds = if cfg!(miri) { 200 } else { 30_000 };
    for events in [1, 2, 3, 100] {
        let engine = started::<1>(events);
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            let emitters: Vec<_> = (0..2_u64)
                .map(|emitter| {
                    let engine = &engine;
                    scope.spawn(move || {
                        for n in 0..rounds {
                            let args = [emitter, n, emitter ^ n, 0];
                            let payload = payload::Generic { name: 0, args };
                            engine.emit(0, EventType::Generic, Phase::Instant, payload);
                        }
                    })
                })
                .collect();
            scope.spawn(|| {
                let mut out = [Event::ZERO; 7];
                while !done.load(Ordering::Acquire) {
                    engine.drain(0, &mut out).unwrap();
                    engine.snapshot(0, &mut out).unwrap();
                    engine.snapshot_all(3).unwrap();
                }
            });
            for _ in 0..2 {
                scope.spawn(|| {
                    let mut reader = engine.reader();
                    let (mut seen, mut missed, mut rest) = (BTreeSet::new(), 0, 0);
                    // In the end nobody is at work but the readers: what the other one holds in one
                    // round is there in the next.
                    while rest < 1000 {
                        rest += usize::from(done.load(Ordering::Acquire));
                        let batch = reader.read(50).unwrap();
                        missed += batch.missed();
                        for event in batch.events {
                            let payload::Generic { args: [emitter, n, check, _], .. } =
                                payload::Generic::read(&event.payload);
                            assert_eq!(emitter ^ n, check, "torn");
                            assert!(seen.insert(event.nc_local_id), "{} twice", event.nc_local_id);
                        }
                    }
                    // No number is in doubt any more; those after the last event had none.
                    assert!(seen.len() as u64 + missed >= seen.last().copied().unwrap_or(0));
                });
            }
            emitters.into_iter().for_each(|emitter| emitter.join().unwrap());
            done.store(true, Ordering::Release);
        });
        let total = engine.loss();
        assert_eq!(total.created, 2 * rounds);
        let rest = engine.drain_all(usize::MAX).unwrap().len() as u64;
        assert_eq!(total.live(), rest, "{total:?}");
    }
}
