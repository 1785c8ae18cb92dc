//! `hot CALL N`: makes one hot call N times, for counting instructions. The difference of two runs
//! with different N is the cost of the calls alone, loop included.

use std::hint::black_box;
use std::process::ExitCode;

use lapring::Ring;
use sipintern::{Interner, Symbol};
use sys_trace::{Clock, Config, Engine, EventType, Payload, Phase};

/// A name, and what makes the call so many times.
type Call = (&'static str, fn(u64));

/// The calls, in the order of the guard's file.
const CALLS: [Call; 9] = [
    ("force_push_u64", |n| force_push(n, 7_u64)),
    ("force_push_112B", |n| force_push(n, [7_u64; 14])),
    ("read_unlock", read_unlock),
    ("symbol_of_16B", symbol_of),
    ("intern_known_16B", intern_known),
    ("intern_new_16B", intern_new),
    ("engine_intern", engine_intern),
    ("emit", emit),
    ("emit_gate_off", emit_gate_off),
];

fn force_push<T: Copy>(n: u64, value: T) {
    let ring = Ring::new(64);
    for _ in 0..128 {
        ring.force_push(value);
    }
    for _ in 0..n {
        black_box(black_box(&ring).force_push(black_box(value)));
    }
}

fn read_unlock(n: u64) {
    let lock = parkspin::RwLock::new(7_u64);
    for _ in 0..n {
        black_box(*black_box(&lock).read());
    }
}

fn symbol_of(n: u64) {
    for _ in 0..n {
        black_box(Symbol::of(black_box("sixteen bytes...")));
    }
}

/// One name of one.
fn intern_known(n: u64) {
    let names = Interner::new();
    for _ in 0..n {
        black_box(names.intern(black_box("sixteen bytes...")));
    }
}

/// Growth included; the making of a name, too.
fn intern_new(n: u64) {
    let names = Interner::new();
    let mut text = *b"sixteen bytes...";
    for i in 0..n {
        for (digit, byte) in text.iter_mut().enumerate() {
            *byte = b'a' + (i >> (4 * digit) & 15) as u8;
        }
        black_box(names.intern(str::from_utf8(black_box(&text)).unwrap()));
    }
}

/// A known name by way of a shard.
fn engine_intern(n: u64) {
    let engine: Box<Engine<1>> = Box::default();
    engine.start(&Config::new().events_per_shard(64)).expect("a small ring fits");
    for _ in 0..n {
        black_box(engine.intern(black_box(0), black_box("sixteen bytes...")));
    }
}

/// On a full ring, with a clock that costs nothing.
fn emit(n: u64) {
    let engine: Box<Engine<1>> = Box::default();
    let config = Config::new().events_per_shard(1024).clock(Clock::Custom(|| 0));
    engine.start(&config).expect("a small ring fits");
    let calls = |n: u64| {
        for _ in 0..n {
            let payload = black_box(Payload::ZERO);
            let id = engine.emit(black_box(0), EventType::Generic, Phase::Instant, payload);
            assert!(black_box(id).is_some());
        }
    };
    calls(2048);
    calls(n);
}

fn emit_gate_off(n: u64) {
    static IDLE: Engine = Engine::new();
    for _ in 0..n {
        let id = IDLE.emit(black_box(0), EventType::Generic, Phase::Instant, Payload::ZERO);
        assert!(black_box(id).is_none());
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["--list"] => CALLS.iter().for_each(|(name, _)| println!("{name}")),
        [name, n] => {
            let call = CALLS.iter().find(|(known, _)| known == name);
            let (Some((_, call)), Ok(n)) = (call, n.parse()) else {
                eprintln!("hot: no call '{name}', or '{n}' is no number; see hot --list");
                return ExitCode::FAILURE;
            };
            call(n);
        }
        _ => {
            eprintln!("usage: hot --list | hot CALL N");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
