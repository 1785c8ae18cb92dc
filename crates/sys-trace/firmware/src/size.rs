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
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}
