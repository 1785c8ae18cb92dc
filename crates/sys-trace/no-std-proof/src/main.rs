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
use sys_trace::{Counts, Event, EventSet, EventType, Payload, Phase};

#[cfg(feature = "allocates")]
extern crate alloc;

const CAPACITY: usize = 4;
static RING: InlineRing<Event, CAPACITY> = InlineRing::new_inline();
static NAMES: RwLock<FixedInterner<2>> = RwLock::new(FixedInterner::new());
static PUSHED: CachePadded<AtomicUsize> = CachePadded::new(AtomicUsize::new(0));

/// Nothing here is known to the compiler: `black_box` keeps the calls.
pub fn main() {
    rings();
    names();
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
