//! Pushes, pops, locks and interns, and exits with 0; any broken expectation panics, which exits
//! with 101.
#![no_std]
#![no_main]

mod bare;

use core::hint::black_box;

use lapring::{Full, InlineRing, PopError};
use parkspin::RwLock;
use sipintern::{FixedInterner, Outcome, Symbol, symbol};
use syncface::atomic::{AtomicUsize, Ordering};
use syncface::{Backoff, CachePadded};
use sys_trace::payload::NrtExec;
use sys_trace::{
    Clock, Config, Counts, DrainError, Event, EventSet, EventType, Payload, Phase, ShardSet,
    StartError, StaticEngine,
};

#[cfg(feature = "allocates")]
extern crate alloc;

const CAPACITY: usize = 4;
static RING: InlineRing<Event, CAPACITY> = InlineRing::new_inline();
static ENGINE: StaticEngine<4, CAPACITY, 2> = StaticEngine::new_inline();
static NAMES: RwLock<FixedInterner<2>> = RwLock::new(FixedInterner::new());
static PUSHED: CachePadded<AtomicUsize> = CachePadded::new(AtomicUsize::new(0));

/// Nothing here is known to the compiler: `black_box` keeps the calls.
pub fn main() {
    rings();
    names();
    engine();
    #[cfg(feature = "allocates")]
    assert_eq!(lapring::Ring::<u32>::new(black_box(3)).capacity(), 3);
}

fn event(number: u64) -> Event {
    let mut event = Event::new(EventType::ExecuteApi, Phase::Start);
    event.nc_local_id = number;
    event.payload = Payload::from(NrtExec { model_id: symbol!("model").get() });
    event
}

fn rings() {
    let rounds = black_box(10);
    let mut displaced = 0;
    for number in 1..=rounds {
        displaced += u64::from(RING.force_push(event(number)).is_some());
        PUSHED.fetch_add(1, Ordering::Relaxed);
        Backoff::new().lost_race();
    }
    assert!(RING.push(event(0)).is_err_and(|full: Full<Event>| !full.is_busy()));
    assert_eq!((displaced, RING.len()), (rounds - CAPACITY as u64, CAPACITY));

    let mut counts = Counts::default();
    for number in displaced + 1..=rounds {
        let popped = RING.try_pop().ok();
        assert_eq!(popped, Some(event(number)));
        assert!(EventSet::ALL.contains(EventType::ExecuteApi));
        counts.drained += 1;
    }
    assert_eq!(RING.try_pop(), Err(PopError::Empty));
    assert_eq!(PUSHED.load(Ordering::Relaxed) as u64, displaced + counts.drained);
}

fn names() {
    let text = black_box("conv2d");
    assert_eq!(NAMES.write().intern_static(text).outcome, Outcome::New);
    let reader = NAMES.read();
    assert!(NAMES.try_write().is_none());
    assert_eq!(reader.resolve(symbol!("conv2d")), Some("conv2d"));
    drop(reader);
    let mut names = NAMES.write();
    assert_eq!(names.intern_static("pool").outcome, Outcome::New);
    assert!(matches!(names.intern_static("model").outcome, Outcome::Full { .. }));
    assert_eq!(Symbol::of(text).get(), 696_427_417_467_970);
}

fn engine() {
    assert_eq!(ENGINE.start(&Config::new()), Err(StartError::NoClock));
    let config = Config::new()
        .clock(Clock::Custom(|| PUSHED.fetch_add(1, Ordering::Relaxed) as u64))
        .context(|| black_box(3))
        .shards(ShardSet::parse("0,2").unwrap());
    for epoch in 1..=black_box(2) {
        ENGINE.start(&config).unwrap();
        let model_id = ENGINE.intern_static(2, black_box("resnet50")).get();
        for _ in 0..4 {
            drop(ENGINE.span(2, EventType::ExecuteApi, NrtExec { model_id }));
        }
        assert_eq!(ENGINE.emit(1, EventType::Generic, Phase::Instant, Payload::ZERO), None);
        let mut out = [Event::ZERO; 3];
        assert_eq!(ENGINE.drain(2, &mut out), Ok(3));
        assert_eq!(out.map(|event| event.nc_local_id), [5, 6, 7]);
        assert!(out[0].timestamp_ns < out[1].timestamp_ns && out[0].thread_id == 3);
        ENGINE.stop().unwrap();
        assert_eq!(ENGINE.drain(2, &mut out), Err(DrainError::NotCapturing));
        let expected = Counts { created: 8, drained: 3, displaced: 4, discarded: 1 };
        assert_eq!(ENGINE.counts_of(2, EventType::ExecuteApi), Some(expected));
        assert_eq!(ENGINE.loss(), expected);
        assert_eq!(ENGINE.resolve(symbol!("resnet50")), Some("resnet50"));
        assert_eq!(ENGINE.capture_info().map(|it| it.epoch), Some(epoch));
    }
}
