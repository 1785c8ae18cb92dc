//! The main loop and the handler of the SysTick interrupt emit on the same four shards of a static
//! engine, and read from them. Then the engine is dumped into a file, while the handler goes on, and
//! the firmware's own books go out as text; `.ci/firmware` compares the two.
#![no_std]
#![no_main]

mod file;
mod ledger;

use core::panic::PanicInfo;

use cortex_m::peripheral::SCB;
use cortex_m::peripheral::scb::VectActive;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_rt::{entry, exception};
use cortex_m_semihosting::{debug, hprintln};
use syncface::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use sys_trace::payload::{ExecCore, ExecWait, Generic};
use sys_trace::{
    Clock, Config, Event, EventType, Payload, Phase, StaticEngine, Symbol, TrackingId, symbol,
};
use sys_trace_export::blob;

use file::File;

pub const SHARDS: usize = 4;
/// Events that the main loop, and the handler, emit on each shard before the dump.
const LIMIT: u32 = 1_000;
/// Events that the handler emits on each shard during the dump, at most.
const MORE: u32 = 40;
/// Processor cycles from one interrupt to the next: a prime, so that every place is hit.
const PERIOD: u32 = 2_503;

static ENGINE: StaticEngine<SHARDS, 8, 3> = StaticEngine::new_inline();

/// Ids are made by the compiler.
const MAIN_LOOP: Symbol = symbol!("main loop");
const TICK: Symbol = symbol!("tick");
const CONV2D: Symbol = symbol!("conv2d");

/// By shard: events emitted by the main loop, and by the handler.
static BY_MAIN: [AtomicU32; SHARDS] = [const { AtomicU32::new(0) }; SHARDS];
static BY_HANDLER: [AtomicU32; SHARDS] = [const { AtomicU32::new(0) }; SHARDS];
/// The main loop is inside an operation of the engine.
static INSIDE: AtomicBool = AtomicBool::new(false);
/// The engine is being stopped: a handler that read would wait for the main loop.
static DUMPING: AtomicBool = AtomicBool::new(false);
static INTERRUPTED: AtomicU32 = AtomicU32::new(0);
static TICKS: AtomicU32 = AtomicU32::new(0);

/// Nanoseconds at 16 MHz, as far as the interrupt has counted.
fn now() -> u64 {
    u64::from(TICKS.load(Relaxed)) * u64::from(PERIOD) * 1_000 / 16
}

/// The number of the exception at work; 0 in the main loop.
fn context() -> u64 {
    match SCB::vect_active() {
        VectActive::ThreadMode => 0,
        VectActive::Exception(exception) => (16 + i64::from(exception.irqn())) as u64,
        VectActive::Interrupt { irqn } => 16 + u64::from(irqn),
    }
}

/// The number of an event in a form that a changed bit does not leave valid.
fn exec_id(shard: usize, number: u32) -> u64 {
    u64::from(number) * 1_000_003 + shard as u64
}

fn emit(
    shard: usize,
    event_type: EventType,
    phase: Phase,
    payload: impl Into<Payload>,
    tracking: Option<TrackingId>,
) -> Option<TrackingId> {
    let id = ENGINE.emit_tracked(shard as u32, event_type, phase, payload, tracking);
    ledger::emitted(shard, event_type, id.is_some());
    id
}

fn read(shard: usize) {
    let mut oldest = [Event::ZERO];
    if ENGINE.drain(shard as u32, &mut oldest) == Ok(1) {
        ledger::read(&oldest[0]);
    }
}

#[exception]
fn SysTick() {
    let tick = TICKS.fetch_add(1, Relaxed);
    INTERRUPTED.fetch_add(u32::from(INSIDE.load(Relaxed)), Relaxed);
    let dumping = DUMPING.load(Relaxed);
    let limit = if dumping { LIMIT + MORE } else { LIMIT };
    for shard in 0..SHARDS {
        let number = BY_HANDLER[shard].load(Relaxed) + 1;
        if number < limit {
            BY_HANDLER[shard].store(number + 1, Relaxed);
            let wait = ExecWait { exec_id: exec_id(shard, number), model_id: TICK.get() };
            emit(shard, EventType::ExecWait, Phase::Instant, wait, None);
            let number = u64::from(number + 1);
            let args = [number, !number, number * number, 7];
            let generic = Generic { name: CONV2D.get(), args };
            emit(shard, EventType::Generic, Phase::Instant, generic, None);
        }
        if tick % 3 == 0 && !dumping {
            read(shard);
        }
    }
}

#[entry]
fn main() -> ! {
    let config = Config::new().clock(Clock::Custom(now)).context(context);
    // A capture before the one that counts: nothing of it may be in that.
    ENGINE.start(&config).expect("the configuration can be");
    for shard in 0..SHARDS as u32 {
        ENGINE.intern_static(shard, "an earlier capture");
        for _ in 0..5 {
            ENGINE.emit(shard, EventType::NumErr, Phase::Instant, Payload::ZERO);
        }
    }
    ENGINE.stop().expect("nobody is inside");
    assert_eq!(ENGINE.loss().discarded, 5 * SHARDS as u64);

    ENGINE.start(&config).expect("it can be started again");
    for shard in 0..SHARDS as u32 {
        // The table has room for three.
        for (text, id) in [("tick", TICK), ("main loop", MAIN_LOOP), ("conv2d", CONV2D)] {
            assert_eq!(ENGINE.intern_static(shard, text), id);
        }
        ENGINE.intern_static(shard, "one too many");
    }
    assert_eq!(ENGINE.resolve(CONV2D), Some("conv2d"));

    let mut systick = cortex_m::Peripherals::take().expect("once").SYST;
    systick.set_clock_source(SystClkSource::Core);
    systick.set_reload(PERIOD);
    systick.clear_current();
    systick.enable_counter();
    systick.enable_interrupt();

    let mut round = 0;
    while BY_MAIN.iter().any(|count| count.load(Relaxed) < LIMIT) {
        let shard = round % SHARDS;
        INSIDE.store(true, Relaxed);
        let number = BY_MAIN[shard].load(Relaxed) + 1;
        if number < LIMIT {
            BY_MAIN[shard].store(number + 1, Relaxed);
            let core = ExecCore { exec_id: exec_id(shard, number), model_id: MAIN_LOOP.get() };
            let id = emit(shard, EventType::ExecCore, Phase::Start, core, None);
            emit(shard, EventType::ExecCore, Phase::Stop, core, id);
        }
        if round % 5 == 0 {
            read(shard);
        }
        if round % 64 == 0 {
            ENGINE.emit(SHARDS as u32, EventType::Generic, Phase::Instant, Payload::ZERO);
        }
        INSIDE.store(false, Relaxed);
        round += 1;
    }
    DUMPING.store(true, Relaxed);
    let mut file = File::create(c"capture.blob").expect("the host makes the file");
    blob::dump(&ENGINE, |bytes| file.write(bytes)).expect("the host takes the capture");
    drop(file);
    systick.disable_interrupt();
    report(round.div_ceil(64));
    debug::exit(debug::EXIT_SUCCESS);
    loop {}
}

/// The books as text. `misdirected` emits named a shard that does not exist.
fn report(misdirected: usize) {
    let (ticks, interrupted) = (TICKS.load(Relaxed), INTERRUPTED.load(Relaxed));
    hprintln!("ticks {} interrupted {} misdirected {}", ticks, interrupted, misdirected);
    hprintln!("wrong {}", ledger::wrong());
    for shard in 0..SHARDS {
        for (place, event_type) in ledger::TYPES.iter().enumerate() {
            let (accepted, read) = ledger::counts(shard, place);
            hprintln!("count {} {} {} {}", shard, event_type.number(), accepted, read);
        }
        hprintln!("turned-away {} {}", shard, ledger::turned_away(shard));
        for word in ledger::seen(shard) {
            hprintln!("seen {} {:08x}", shard, word);
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
