//! The main loop and the handler of the SysTick interrupt record events on the same four shards and
//! take events from them. Then everything that is left, and the books, go out through semihosting;
//! `.ci/firmware` compares them.
#![no_std]
#![no_main]

mod ledger;
mod recorder;

use core::panic::PanicInfo;

use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_rt::{entry, exception};
use cortex_m_semihosting::{debug, hprintln};
use ledger::LIMIT;
use parkspin::RwLock;
use recorder::SHARDS;
use sipintern::{FixedInterner, symbol};
use syncface::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

const MAIN: u32 = 0;
const HANDLER: u32 = 1;
/// Processor cycles from one interrupt to the next: a prime, so that every place is hit.
const PERIOD: u32 = 2_503;

/// By shard, and producer: pushed, popped, displaced.
static PUSHED: [[AtomicU32; SHARDS]; 2] = counters();
static POPPED: [[AtomicU32; SHARDS]; 2] = counters();
static DISPLACED: [[AtomicU32; SHARDS]; 2] = counters();

const fn counters() -> [[AtomicU32; SHARDS]; 2] {
    [const { [const { AtomicU32::new(0) }; SHARDS] }; 2]
}

static NAMES: RwLock<FixedInterner<4>> = RwLock::new(FixedInterner::new());
/// The main loop is inside an operation on a ring, or holds the lock.
static INSIDE: AtomicBool = AtomicBool::new(false);
static INTERRUPTED: AtomicU32 = AtomicU32::new(0);
static TICKS: AtomicU32 = AtomicU32::new(0);
static TURNED_AWAY: AtomicU32 = AtomicU32::new(0);

fn push(producer: u32, shard: usize, name: u64) {
    let pushed = &PUSHED[producer as usize][shard];
    let number = pushed.load(Relaxed) + 1;
    if number > LIMIT {
        return;
    }
    // Each producer's numbers are its own, so a load and a store do.
    pushed.store(number, Relaxed);
    if let Some(event) = recorder::emit(shard, producer, number, name) {
        ledger::note(&event);
        DISPLACED[producer as usize][shard].fetch_add(1, Relaxed);
    }
}

fn pop(producer: u32, shard: usize) {
    if let Some(event) = recorder::pop(shard) {
        ledger::note(&event);
        POPPED[producer as usize][shard].fetch_add(1, Relaxed);
    }
}

#[exception]
fn SysTick() {
    let tick = TICKS.fetch_add(1, Relaxed);
    INTERRUPTED.fetch_add(u32::from(INSIDE.load(Relaxed)), Relaxed);
    // A handler must not wait, so it tries.
    match NAMES.try_read() {
        Some(names) => assert_eq!(names.resolve(symbol!("tick")), Some("tick")),
        None => _ = TURNED_AWAY.fetch_add(1, Relaxed),
    }
    for shard in 0..SHARDS {
        push(HANDLER, shard, symbol!("tick").get());
        push(HANDLER, shard, symbol!("tick").get());
        if tick % 3 == 0 {
            pop(HANDLER, shard);
        }
    }
}

#[entry]
fn main() -> ! {
    for text in ["tick", "main loop", "conv2d"] {
        let id = NAMES.write().intern_static(text).id;
        assert_eq!(NAMES.read().resolve(id), Some(text));
    }
    let mut systick = cortex_m::Peripherals::take().unwrap().SYST;
    systick.set_clock_source(SystClkSource::Core);
    systick.set_reload(PERIOD);
    systick.clear_current();
    systick.enable_counter();
    systick.enable_interrupt();

    let mut n = 0;
    while PUSHED[MAIN as usize].iter().any(|pushed| pushed.load(Relaxed) < LIMIT) {
        let shard = n % SHARDS;
        INSIDE.store(true, Relaxed);
        push(MAIN, shard, symbol!("main loop").get());
        if n % 5 == 0 {
            pop(MAIN, shard);
        }
        if n % 64 == 0 {
            assert_eq!(NAMES.write().intern_static("conv2d").id, symbol!("conv2d"));
        }
        INSIDE.store(false, Relaxed);
        n += 1;
    }
    systick.disable_interrupt();
    report();
    debug::exit(debug::EXIT_SUCCESS);
    loop {}
}

fn report() {
    hprintln!(
        "ticks {} interrupted {} turned-away {} twice {}",
        TICKS.load(Relaxed),
        INTERRUPTED.load(Relaxed),
        TURNED_AWAY.load(Relaxed),
        ledger::twice()
    );
    for (id, text) in NAMES.read().iter() {
        hprintln!("name {} {}", id.get(), text);
    }
    for shard in 0..SHARDS {
        for producer in 0..ledger::PRODUCERS {
            let of = |count: &[[AtomicU32; SHARDS]; 2]| count[producer][shard].load(Relaxed);
            let (pushed, popped, displaced) = (of(&PUSHED), of(&POPPED), of(&DISPLACED));
            hprintln!("count {} {} {} {} {}", shard, producer, pushed, popped, displaced);
            for word in ledger::gone(shard, producer) {
                hprintln!("gone {} {} {:08x}", shard, producer, word);
            }
        }
        while let Some(event) = recorder::pop(shard) {
            let mut hex = [0; 224];
            for (pair, byte) in hex.chunks_exact_mut(2).zip(recorder::bytes(event)) {
                pair[0] = b"0123456789abcdef"[usize::from(byte >> 4)];
                pair[1] = b"0123456789abcdef"[usize::from(byte & 15)];
            }
            hprintln!("event {} {}", shard, core::str::from_utf8(&hex).unwrap_or("not text"));
        }
    }
    hprintln!("end");
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    hprintln!("{}", info);
    debug::exit(debug::EXIT_FAILURE);
    loop {}
}
