//! Four emitters, a drain, a reader, an interner and starts and stops, for ten seconds, or for as
//! many as `SYS_TRACE_SOAK_SECONDS` says. The books of all captures together are exact to the event.
#![cfg(all(feature = "std", not(loom)))]
#![allow(missing_docs, reason = "a test")]

use std::thread;
use std::time::{Duration, Instant};
use syncface::atomic::{AtomicBool, AtomicU64, Ordering};

use sys_trace::{
    Config, Counts, Engine, Event, EventType, NotRecorded, Phase, Symbol, payload::Generic,
};

const SHARDS: u32 = 4;
const EMITTERS: u64 = 4;
/// In the place of an emitter's number: an event of the lifecycle, which knows its capture.
const MARKER: u64 = EMITTERS;

fn length() -> Duration {
    let seconds = std::env::var("SYS_TRACE_SOAK_SECONDS").ok().and_then(|it| it.parse().ok());
    Duration::from_secs(seconds.unwrap_or(if cfg!(miri) { 1 } else { 10 }))
}

fn stamped(epoch: u64, emitter: u64, n: u64) -> Generic {
    Generic { name: 0, args: [epoch, emitter, n, !(epoch ^ emitter.rotate_left(32) ^ n)] }
}

/// Who emitted it, told of which capture; that it is whole.
fn stamp_of(event: &Event) -> (u64, u64, u64) {
    let Generic { args: [epoch, emitter, n, _], .. } = Generic::read(&event.payload);
    assert_eq!(Generic::read(&event.payload), stamped(epoch, emitter, n), "torn");
    (epoch, emitter, n)
}

/// All that the threads share.
struct Soak {
    engine: Engine<{ SHARDS as usize }>,
    done: AtomicBool,
    /// The capture that runs, announced after its start.
    announced: AtomicU64,
}

impl Soak {
    fn goes_on(&self) -> bool {
        !self.done.load(Ordering::Acquire)
    }

    /// Emits without a pause; returns how many events the engine must have counted as created.
    fn emitter(&self, emitter: u64) -> u64 {
        let (mut created, mut n) = (0, 0);
        while self.goes_on() {
            let epoch = self.announced.load(Ordering::Acquire);
            let event_type = EventType::ALL[n as usize % EventType::COUNT];
            // One shard more than there is.
            let shard = n as u32 % (SHARDS + 1);
            let stamp = stamped(epoch, emitter, n);
            match self.engine.try_emit(shard, event_type, Phase::Instant, stamp, None) {
                Ok(_) | Err(NotRecorded::Rejected) => created += 1,
                Err(NotRecorded::NoSuchShard) => assert_eq!(shard, SHARDS),
                Err(NotRecorded::Off | NotRecorded::Refused) => thread::yield_now(),
                Err(other) => panic!("{other}"),
            }
            n += 1;
        }
        created
    }

    /// Drains; returns how many events it was given.
    fn drain(&self) -> u64 {
        let mut drained = 0;
        let mut buffer = [Event::ZERO; 100];
        while self.goes_on() {
            for shard in 0..SHARDS {
                let count = self.engine.drain(shard, &mut buffer).unwrap_or(0);
                let mut last = [None; EMITTERS as usize + 1];
                for event in &buffer[..count] {
                    let (_, emitter, n) = stamp_of(event);
                    assert_eq!(event.nc_idx, shard);
                    let last = &mut last[emitter as usize];
                    assert!(*last < Some(n), "emitter {emitter} out of order");
                    *last = Some(n);
                }
                drained += count as u64;
            }
            drained += self.engine.drain_all(50).map_or(0, |events| events.len() as u64);
        }
        drained
    }

    /// Reads; no event is in a capture that was over when it was emitted, or that another was.
    fn reader(&self) -> u64 {
        let (mut reader, mut seen, mut captures) = (self.engine.reader(), 0, 0);
        while self.goes_on() {
            let Ok(batch) = reader.read(200) else {
                thread::yield_now();
                continue;
            };
            captures += u64::from(batch.starts_anew);
            for event in &batch.events {
                let (epoch, emitter, _) = stamp_of(event);
                let foreign =
                    if emitter == MARKER { epoch != batch.epoch } else { epoch > batch.epoch };
                assert!(!foreign, "emitted in capture {epoch}, read in {}", batch.epoch);
            }
            seen += batch.events.len() as u64;
        }
        assert!(captures > 0);
        seen
    }

    fn interner(&self) {
        for n in 0_u64.. {
            let text = format!("name {}", n % 5000);
            assert_eq!(self.engine.intern(n as u32 % SHARDS, &text), Symbol::of(&text));
            if n % 1000 == 0 {
                let _ = self.engine.strings();
            }
            if !self.goes_on() {
                break;
            }
        }
    }

    /// Starts and stops until the time is over; returns the counts of all captures, and how many
    /// events it created itself.
    fn lifecycle(&self) -> (Counts, u64) {
        let engine = &self.engine;
        let (mut all, mut created) = (Counts::ZERO, 0);
        let end = Instant::now() + length();
        let mut epoch = 0;
        while Instant::now() < end {
            // Rings that overflow at once, and some that hardly do.
            let events = [1, 2, 64, 5000][epoch as usize % 4];
            engine.start(&Config::new().events_per_shard_exact(events)).unwrap();
            epoch += 1;
            assert_eq!(engine.capture_info().unwrap().epoch, epoch);
            let name = format!("capture {epoch}");
            let mut marker = |n| {
                for shard in 0..SHARDS {
                    let stamp = stamped(epoch, MARKER, n);
                    match engine.try_emit(shard, EventType::Generic, Phase::Instant, stamp, None) {
                        Ok(_) | Err(NotRecorded::Rejected) => created += 1,
                        Err(other) => panic!("the first event after a start: {other}"),
                    }
                }
            };
            marker(0);
            self.announced.store(epoch, Ordering::Release);
            engine.intern(0, &name);
            thread::sleep(Duration::from_millis(epoch % 5));
            marker(1);
            engine.stop().unwrap();

            for counts in engine.counts() {
                assert_eq!(counts.by_type.iter().copied().sum::<Counts>(), counts.total);
                for it in counts.by_type {
                    assert_eq!(it.created, it.drained + it.displaced + it.discarded, "{it:?}");
                }
                all += counts.total;
            }
            let strings = engine.strings();
            assert_eq!(strings.get(Symbol::of(&name)), Some(&*name), "names outlive their capture");
            let last = format!("capture {}", epoch - 1);
            assert_eq!(strings.get(Symbol::of(&last)), None, "and not the next one");
        }
        self.done.store(true, Ordering::Release);
        (all, created)
    }
}

#[test]
fn everything_for_a_while() {
    let soak = Box::new(Soak {
        engine: Engine::new(),
        done: AtomicBool::new(false),
        announced: AtomicU64::new(0),
    });
    thread::scope(|scope| {
        let soak = &soak;
        let emitters: Vec<_> =
            (0..EMITTERS).map(|emitter| scope.spawn(move || soak.emitter(emitter))).collect();
        let drain = scope.spawn(|| soak.drain());
        let reader = scope.spawn(|| soak.reader());
        scope.spawn(|| soak.interner());
        // A failure here must not leave the others at work for ever.
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| soak.lifecycle()));
        soak.done.store(true, Ordering::Release);
        let (all, mut created) = outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        created += emitters.into_iter().map(|emitter| emitter.join().unwrap()).sum::<u64>();
        let (drained, seen) = (drain.join().unwrap(), reader.join().unwrap());
        println!(
            "{} captures, {all:?}, {seen} seen by the reader",
            soak.announced.load(Ordering::Relaxed)
        );
        assert_eq!((all.created, all.drained), (created, drained), "{all:?}");
        assert!(drained > 0 && seen > 0);
    });
}
