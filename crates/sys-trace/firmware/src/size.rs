//! An empty main loop and, by feature, one part: the difference is what the part takes.
#![no_std]
#![no_main]

use core::hint::black_box;
use core::panic::PanicInfo;

// Brings the critical section of processors without compare-and-swap.
use cortex_m as _;

#[cfg(feature = "ring")]
static RING: lapring::InlineRing<sys_trace::Event, 8> = lapring::InlineRing::new_inline();
#[cfg(feature = "lock")]
static LOCK: parkspin::RwLock<u32> = parkspin::RwLock::new(0);
#[cfg(feature = "engine")]
static ENGINE: sys_trace::StaticEngine<4, 8, 8> = sys_trace::StaticEngine::new_inline();

#[cortex_m_rt::entry]
fn main() -> ! {
    #[cfg(feature = "names")]
    let mut names = sipintern::FixedInterner::<8>::new();
    loop {
        black_box(0);
        #[cfg(feature = "ring")]
        {
            black_box(RING.force_push(black_box(sys_trace::Event::ZERO)));
            black_box(RING.pop());
        }
        #[cfg(feature = "lock")]
        {
            *LOCK.write() += 1;
            black_box(*LOCK.read());
        }
        #[cfg(feature = "names")]
        {
            let id = names.intern_static(black_box("conv2d")).id;
            black_box(names.resolve(black_box(id)));
        }
        #[cfg(feature = "engine")]
        {
            use sys_trace::{Clock, Config, Event, EventType, Payload, Phase};
            let config = Config::new().clock(Clock::Custom(|| black_box(7))).context(|| 0);
            black_box(ENGINE.start(black_box(&config)).is_ok());
            black_box(ENGINE.intern_static(black_box(1), "conv2d"));
            let payload = black_box(Payload::ZERO);
            black_box(ENGINE.emit(black_box(1), EventType::Generic, Phase::Instant, payload));
            black_box(ENGINE.drain(black_box(1), &mut [Event::ZERO]).is_ok());
            black_box(ENGINE.stop().is_ok());
            black_box(ENGINE.counts_of(black_box(1), EventType::Generic));
        }
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}
