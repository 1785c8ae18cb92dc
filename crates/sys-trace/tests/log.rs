//! Loss is reported once per shard and capture, under no lock: the sink does with the engine what it
//! likes. One test, because a process has one sink.
#![cfg(all(feature = "log", feature = "std", not(loom)))]
#![allow(missing_docs, reason = "a test")]

use std::sync::Mutex;

use log::{LevelFilter, Log, Metadata, Record};
use sys_trace::{Clock, Config, Engine, Event, EventType, Payload, Phase};

static ENGINE: Engine<4> = Engine::new();
static MESSAGES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Does everything with the engine that it was called by.
struct Sink;

impl Log for Sink {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        assert_eq!((record.level(), record.target()), (log::Level::Warn, "sys_trace"));
        MESSAGES.lock().unwrap().push(record.args().to_string());
        // A full ring's worth, so that there is more loss to notice.
        emit(0, 20);
        ENGINE.intern(0, "in the sink");
        let _ = (ENGINE.strings(), ENGINE.counts(), ENGINE.drain_all(usize::MAX));
        let _ = (ENGINE.snapshot_all(9), ENGINE.reader().read(9));
        if record.args().to_string().contains("shard 3") {
            ENGINE.close().unwrap();
            ENGINE.start(&config()).unwrap();
        }
    }

    fn flush(&self) {}
}

fn config() -> Config {
    Config::new().events_per_shard_exact(4).clock(Clock::Custom(|| 7))
}

fn emit(shard: u32, times: usize) {
    for _ in 0..times {
        ENGINE.emit(shard, EventType::Generic, Phase::Instant, Payload::ZERO);
    }
}

/// What has been said since the last call.
fn said() -> Vec<String> {
    std::mem::take(&mut MESSAGES.lock().unwrap())
}

#[test]
fn loss_is_reported_once_per_shard_and_capture() {
    log::set_logger(&Sink).unwrap();
    log::set_max_level(LevelFilter::Warn);
    let mut out = [Event::ZERO; 9];

    // No loss, no word.
    ENGINE.start(&config()).unwrap();
    emit(1, 4);
    assert_eq!(ENGINE.drain(1, &mut out), Ok(4));
    assert_eq!(said(), [""; 0]);
    // Nor by an emit that loses one, but by who reads then, whoever it is, and once.
    emit(1, 6);
    assert_eq!(said(), [""; 0]);
    assert_eq!(ENGINE.drain(1, &mut out), Ok(4));
    let message = "capture 1: shard 1 has lost events so far: 2 overwritten, 0 discarded, of 10 (its ring holds 4)";
    // The sink lost events of shard 0, and its own drain noticed.
    let messages = said();
    assert_eq!((messages.len(), &*messages[0]), (2, message));
    assert!(messages[1].contains("shard 0"));
    emit(1, 100);
    let _ = (ENGINE.drain(1, &mut out), ENGINE.drain_all(9), ENGINE.snapshot(1, &mut out));
    assert_eq!(said(), [""; 0]);

    // Each way to read notices.
    type Way = fn() -> bool;
    let ways: [Way; 4] = [
        || ENGINE.drain_all(9).is_ok(),
        || ENGINE.snapshot_all(9).is_ok(),
        || ENGINE.snapshot(2, &mut [Event::ZERO]).is_ok(),
        || ENGINE.reader().read(9).is_ok(),
    ];
    for way in ways {
        ENGINE.stop().unwrap();
        said();
        ENGINE.start(&config()).unwrap();
        emit(2, 5);
        assert!(way());
        assert!(
            said()[0].contains("shard 2 has lost events so far: 1 overwritten, 0 discarded, of 5")
        );
    }

    // A stop: what is discarded is lost, in shards of which nothing was said.
    ENGINE.stop().unwrap();
    ENGINE.start(&config()).unwrap();
    said();
    emit(1, 1);
    emit(2, 3);
    ENGINE.stop().unwrap();
    let messages = said();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(
        messages[1].contains("shard 2 has lost events so far: 0 overwritten, 3 discarded, of 3")
    );
    // A sink that stops the capture and starts another is spoken to once in each.
    ENGINE.start(&config()).unwrap();
    emit(3, 5);
    let _ = ENGINE.drain_all(9);
    assert!(ENGINE.is_capturing());
    assert_eq!(said().iter().filter(|message| message.contains("shard 3")).count(), 1);

    // Nobody listens: nothing is asked for.
    log::set_max_level(LevelFilter::Error);
    emit(1, 9);
    let _ = ENGINE.drain_all(9);
    log::set_max_level(LevelFilter::Warn);
    let _ = ENGINE.drain(1, &mut out);
    assert!(said()[0].contains("shard 1"), "the word was kept for who listens");
}
