//! Binary captures: there and back, cut off anywhere, changed anywhere, of either byte order.
#![allow(missing_docs, reason = "a test")]

use std::convert::Infallible;
use std::io::Write;

use proptest::prelude::*;
use sys_trace::payload::{Generic, NrtExec, TimestampSync};
use sys_trace::{
    Clock, Config, Counts, Event, EventType, Payload, Phase, ShardSet, StaticEngine, TrackingId,
};
use sys_trace_export::blob::{Blob, BlobError, BlobWriter, DumpError, dump};
use sys_trace_export::{JsonOptions, write_chrome, write_json};

type Small = StaticEngine<3, 4, 4>;

fn config() -> Config {
    Config::new().clock(Clock::Custom(|| 50)).context(|| 15)
}

fn dumped(engine: &Small) -> Vec<u8> {
    let mut bytes = Vec::new();
    dump(engine, |part| bytes.write_all(part)).unwrap();
    bytes
}

/// A capture with losses, names, and events read before the dump.
fn some_capture() -> Vec<u8> {
    let engine = Box::new(Small::new_inline());
    engine.start(&config().shards(ShardSet::parse("0,2").unwrap())).unwrap();
    let model_id = engine.intern_static(0, "resnet50").get();
    let name = engine.intern_static(2, "tick").get();
    for text in ["a", "b", "c", "d"] {
        engine.intern_static(2, text);
    }
    for n in 0..3 {
        drop(engine.span(0, EventType::ExecuteApi, NrtExec { model_id }));
        let args = [n, !n, 3, 4];
        engine.emit(2, EventType::Generic, Phase::Instant, Generic { name, args });
    }
    engine.emit(7, EventType::Generic, Phase::Instant, Payload::ZERO);
    assert_eq!(engine.drain(0, &mut [Event::ZERO]), Ok(1));
    dumped(&engine)
}

#[test]
fn a_dump_is_read_as_it_was() {
    let bytes = some_capture();
    let blob = Blob::read(&bytes).unwrap();
    assert_eq!((blob.shards, blob.epoch, blob.ring_events), (3, 1, 4));
    assert_eq!(
        (&*blob.clock, blob.start_ns, blob.stop_ns, blob.clock_error_ns),
        ("custom", 50, 50, 0)
    );
    assert_eq!((blob.misdirected, blob.names_dropped), (1, 1));
    let numbers: Vec<_> = blob.events.iter().map(|it| (it.nc_idx, it.nc_local_id)).collect();
    assert_eq!(numbers, [(0, 4), (0, 5), (0, 6), (2, 1), (2, 2), (2, 3)]);
    assert!(blob.events.iter().all(|event| event.thread_id == 15 && event.timestamp_ns == 50));
    assert_eq!(Generic::read(&blob.events[4].payload).args, [1, !1, 3, 4]);
    let total = |shard: usize| blob.counts[shard].total;
    assert_eq!(total(0), Counts { created: 6, drained: 4, displaced: 2, discarded: 0 });
    assert_eq!((total(1), total(2).drained), (Counts::ZERO, 3));
    assert_eq!(blob.names.len(), 5);
    assert!(blob.names.values().any(|text| text == "resnet50"));

    // Every file that is made of it says what was lost, and what things are called.
    let (mut json, mut chrome) = (Vec::new(), Vec::new());
    write_json(&mut json, &blob.capture(), &JsonOptions::default()).unwrap();
    write_chrome(&mut chrome, &blob.capture()).unwrap();
    let (json, chrome) = (String::from_utf8(json).unwrap(), String::from_utf8(chrome).unwrap());
    assert!(json.contains(r#""displaced":2"#) && json.contains(r#""model_name":"resnet50""#));
    assert!(chrome.contains("lost 2 of 6 events") && chrome.contains("resnet50"));
    assert!(chrome.contains(r#""name":"tick""#), "{chrome}");
}

#[test]
fn what_came_during_the_dump_is_counted() {
    static ENGINE: Small = Small::new_inline();
    let emit = || ENGINE.emit(0, EventType::Generic, Phase::Instant, Payload::ZERO);
    ENGINE.start(&config()).unwrap();
    assert!(emit().is_some());
    let mut bytes = Vec::new();
    dump(&ENGINE, |part| {
        emit();
        bytes.write_all(part)
    })
    .unwrap();
    let blob = Blob::read(&bytes).unwrap();
    let total = blob.counts[0].total;
    assert_eq!((blob.events.len(), total.live()), (total.drained as usize, 0));
    assert!(total.displaced > 10 && total.discarded > 0, "{total:?}");
}

#[test]
fn a_dump_that_cannot_be_says_why() {
    let engine = Box::new(Small::new_inline());
    let nowhere = |_: &[u8]| Ok::<(), Infallible>(());
    assert_eq!(dump(&engine, nowhere), Err(DumpError::NotCapturing));
    engine.start(&config()).unwrap();
    assert_eq!(dump(&engine, |_| Err("full")), Err(DumpError::Sink("full")));
    assert!(engine.is_capturing());
    dump(&engine, nowhere).unwrap();
    assert_eq!(dump(&engine, nowhere), Err(DumpError::NotCapturing));
    assert!(DumpError::<Infallible>::StillInside { emitters: 2 }.to_string().contains('2'));
}

/// At every call of the sink once: the file is of one capture, or it has no end.
#[test]
fn another_capture_during_the_dump_is_not_mixed_in() {
    let engine = Box::new(Small::new_inline());
    let emit = |tracking| {
        let tracking = TrackingId::new(tracking);
        engine.emit_tracked(0, EventType::Generic, Phase::Instant, Payload::ZERO, tracking)
    };
    for at in 0.. {
        engine.start(&config()).unwrap();
        let epoch = engine.capture_info().unwrap().epoch;
        assert!(emit(1).is_some() && emit(1).is_some());
        let (mut bytes, mut calls) = (Vec::new(), 0);
        let outcome = dump(&engine, |part| {
            if calls == at {
                engine.close().unwrap();
                engine.start(&config()).unwrap();
                assert!(emit(2).is_some());
            }
            calls += 1;
            bytes.write_all(part)
        });
        let blob = Blob::read(&bytes);
        if let Ok(blob) = &blob {
            assert_eq!(blob.epoch, epoch);
            assert!(blob.events.iter().all(|event| event.tracking_id == 1), "call {at}");
            assert_eq!(blob.counts[0].total.created, 2, "call {at}");
        }
        if calls <= at {
            assert!(blob.is_ok() && outcome.is_ok());
            break;
        }
        assert!(outcome.is_ok() == blob.is_ok(), "call {at}: {outcome:?}, {blob:?}");
        engine.close().unwrap();
    }
}

#[test]
fn cut_off_anywhere_it_is_refused() {
    let bytes = some_capture();
    for length in 0..bytes.len() {
        match Blob::read(&bytes[..length]) {
            Err(error @ BlobError::CutOff { offset, needed, left, .. }) => {
                assert!(offset + left == length && left < needed, "{length}: {error}");
                assert!(error.to_string().contains(&format!("at byte {offset}:")), "{error}");
            }
            other => panic!("{length}: {other:?}"),
        }
    }
    let longer = [&bytes[..], &[0]].concat();
    let error = Blob::read(&longer).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("bytes after the end at byte {} is 1 (0x1), expected none", bytes.len())
    );
}

/// Every byte changed in every bit: read or refused; refused where there is but one right value.
#[test]
fn changed_anywhere_it_does_not_panic() {
    let bytes = some_capture();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            let read = Blob::read(&changed);
            assert!(at >= 20 || read.is_err(), "byte {at}, bit {bit} of the head");
            if let Ok(blob) = read {
                write_json(std::io::sink(), &blob.capture(), &JsonOptions::default()).unwrap();
                write_chrome(std::io::sink(), &blob.capture()).unwrap();
            }
        }
    }
}

/// A file by hand, in the byte order of this machine or the other one.
struct File {
    bytes: Vec<u8>,
    swap: bool,
}

impl File {
    fn head(swap: bool) -> File {
        let file = File { bytes: b"systrace".to_vec(), swap };
        let file = file.short(0x0102_0304).short(1).short(112).short(2);
        file.long(3).long(40).long(5).long(8).short(4).raw(b"tick")
    }

    fn raw(mut self, bytes: &[u8]) -> File {
        self.bytes.extend_from_slice(bytes);
        self
    }

    fn short(self, number: u32) -> File {
        let number = if self.swap { number.swap_bytes() } else { number };
        self.raw(&number.to_ne_bytes())
    }

    fn long(self, number: u64) -> File {
        let number = if self.swap { number.swap_bytes() } else { number };
        self.raw(&number.to_ne_bytes())
    }

    fn event(self, shard: u32) -> File {
        let file = self.raw(b"EVTS").short(112).short(EventType::TimestampSync.number()).short(0);
        let file = file.long(15).long(16).long(17).long(18).long(19);
        // The payload of a sync point: three numbers.
        let file = file.long(20).long(21).long(22).long(0).long(0);
        file.short(Phase::Instant.number()).short(shard).long(23).raw(&[1, 0, 0, 0, 0, 0, 0, 0])
    }

    fn counts(self, shard: u32, event_type: u32, counts: [u64; 4]) -> File {
        let file = self.raw(b"CNTS").short(48).short(shard).long(2).short(event_type);
        counts.into_iter().fold(file, File::long)
    }

    fn name(self, id: u64, text: &[u8]) -> File {
        self.raw(b"NAME").short(8 + text.len() as u32).long(id).raw(text)
    }

    fn stop(self) -> File {
        self.raw(b"STOP").short(24).long(60).long(0).long(0)
    }

    fn done(self, records: u64) -> File {
        self.raw(b"DONE").short(8).long(records)
    }

    fn read(&self) -> Result<Blob, String> {
        Blob::read(&self.bytes).map_err(|error| error.to_string())
    }
}

const SYNC: u32 = EventType::TimestampSync as u32;

#[test]
fn either_byte_order() {
    let both = [false, true].map(|swap| {
        let file = File::head(swap).event(1).counts(1, SYNC, [4, 2, 1, 1]).name(7, "ä".as_bytes());
        file.stop().done(1).read().unwrap()
    });
    assert_eq!(both[0], both[1]);
    let [blob, _] = both;
    assert_eq!((blob.shards, blob.epoch, blob.start_ns, blob.stop_ns), (2, 3, 40, 60));
    assert_eq!((blob.clock_error_ns, blob.ring_events, &*blob.clock), (5, 8, "tick"));
    let event = blob.events[0];
    assert_eq!(
        (event.nc_idx, event.thread_id, event.timestamp_ns, event.seq_id()),
        (1, 15, 19, Some(23))
    );
    let point = TimestampSync { exec_id: 20, nc_timestamp_ns: 21, cpu_timestamp_ns: 22 };
    assert_eq!(TimestampSync::read(&event.payload), point);
    let counts = blob.counts[0];
    assert_eq!((counts.shard, counts.refused, counts.total.lost()), (1, 2, 2));
    assert_eq!(blob.names[&7], "ä");
}

#[test]
fn what_cannot_be_is_refused_by_offset_and_value() {
    let head = || File::head(false);
    let at = head().bytes.len();
    for (file, words) in [
        (head().stop().done(1), "records at byte 104: 1 by the file's word, 0 by the rest"),
        (head().done(0), "sections STOP at byte 64 is 0"),
        (head().stop().stop().done(0), "second section STOP at byte 96"),
        (head().raw(b"WHAT").short(0), "a tag at byte 64 is 1464353108 (0x57484154)"),
        (head().event(2), "shard of a record at byte 164 is 2"),
        (head().event(1).stop().done(1), "at byte 216: 0 by the file's word, 1 by the rest"),
        (head().raw(b"EVTS").short(113).raw(&[0; 113]), "EVTS at byte 68 is 113"),
        (head().counts(2, 0, [0; 4]), "CNTS at byte 72 is 2"),
        (head().counts(1, 0, [0; 4]).counts(1, 0, [0; 4]), "CNTS at byte 128 is 1"),
        (head().counts(0, 46, [1, 1, 0, 0]), "an event type at byte 84 is 46"),
        (head().counts(0, 0, [5, 1, 1, 2]), "created events at byte 88: 5 by the file's word, 4"),
        (head().counts(0, 0, [3, u64::MAX, 4, 0]), "created events at byte 88: 3"),
        (head().raw(b"CNTS").short(13).raw(&[0; 13]), "CNTS at byte 68 is 13"),
        (head().name((1 << 50) + 1, b"x"), "id of a name at byte 72 is 1125899906842625"),
        (head().name(0, b"x"), "id of a name at byte 72 is 0"),
        (head().name(1, b"ab\xff"), "a byte of a name at byte 82 is 255"),
        (
            head().raw(b"EVTS").short(u32::MAX),
            "at byte 72: a section EVTS takes 4294967295 bytes, and 0",
        ),
    ] {
        let error = file.read().unwrap_err();
        assert!(error.contains(words), "{error}\nexpected {words}");
    }
    assert_eq!(at, 64);
    for (byte, words) in [
        (0, "the first word at byte 0"),
        (8, "the mark of the byte order at byte 8"),
        (12, "the version at byte 12 is 3"),
        (16, "the bytes of a record at byte 16 is 114"),
        (56, "length of the clock's name at byte 56 is 65"),
    ] {
        let mut file = head();
        let change = if byte == 56 { 65 ^ 4 } else { 2 };
        let low = if cfg!(target_endian = "little") { byte } else { byte + 3 };
        file.bytes[if byte == 0 { 0 } else { low }] ^= change;
        let error = file.read().unwrap_err();
        assert!(error.contains(words), "{error}\nexpected {words}");
    }
}

/// Two texts under one id: the first keeps it, and the file says that one is missing.
#[test]
fn names_that_collide_are_counted() {
    let file = File::head(false).name(7, b"a").name(7, b"a").name(7, b"b").stop().done(0);
    let blob = file.read().unwrap();
    assert_eq!((&*blob.names[&7], blob.names_dropped), ("a", 1));
}

#[test]
fn a_long_name_of_a_clock_is_cut() {
    let engine = Box::new(Small::new_inline());
    engine.start(&config()).unwrap();
    let mut info = engine.capture_info().unwrap();
    info.clock =
        concat!("0123456789012345678901234567890123456789012345678901234567890123", "rest");
    let mut bytes = Vec::new();
    let sink = |part: &[u8]| bytes.write_all(part);
    BlobWriter::begin(sink, &info, 3).unwrap().finish(50, 0, 0).unwrap();
    assert_eq!(Blob::read(&bytes).unwrap().clock, info.clock[..64]);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 4 } else { 500 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Any bytes, and any bytes in the place of some of a good file's.
    #[test]
    fn any_bytes_are_read_or_refused(
        at in any::<prop::sample::Index>(),
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
    ) {
        let _ = Blob::read(&bytes);
        let mut file = some_capture();
        let at = at.index(file.len());
        let end = file.len().min(at + bytes.len());
        file.splice(at..end, bytes);
        let _ = Blob::read(&file);
    }
}

#[cfg(not(miri))]
#[test]
fn fuzz_corpus() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/blob");
    // Absent from a packaged crate.
    let Ok(files) = std::fs::read_dir(corpus) else { return };
    let (mut read, mut refused) = (0, 0);
    for file in files {
        match Blob::read(&std::fs::read(file.unwrap().path()).unwrap()) {
            Ok(_) => read += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(read > 0 && refused > 0, "{read} read, {refused} refused: a corpus of one sort");
}
