//! What a program without std and libc has to bring: an entry point, a way out, a panic handler and
//! the four memory functions that compiled code calls.

use core::arch::{asm, global_asm};
use core::panic::PanicInfo;

#[cfg(target_arch = "x86_64")]
global_asm!(".globl _start", "_start:", "xor ebp, ebp", "and rsp, -16", "call {entry}", "ud2",
    entry = sym entry);
#[cfg(target_arch = "aarch64")]
global_asm!(".globl _start", "_start:", "bl {entry}", "brk #1", entry = sym entry);

extern "C" fn entry() -> ! {
    crate::main();
    exit(0)
}

/// Ends the process.
pub fn exit(code: i32) -> ! {
    // SAFETY: the system call `exit_group` takes one number and does not return.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        asm!("syscall", in("rax") 231, in("rdi") code, options(noreturn));
    }
    // SAFETY: the same.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        asm!("svc #0", in("x8") 94, in("x0") code, options(noreturn));
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    exit(101)
}

// Volatile, so that the compiler does not recognise the loops as the functions they implement.

#[unsafe(no_mangle)]
unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    for at in 0..count {
        // SAFETY: the caller's ranges hold `count` bytes.
        unsafe { to.add(at).write_volatile(from.add(at).read_volatile()) };
    }
    to
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    if to.addr() <= from.addr() {
        // SAFETY: as here; going up, no byte is overwritten before it is read.
        return unsafe { memcpy(to, from, count) };
    }
    for at in (0..count).rev() {
        // SAFETY: the caller's ranges hold `count` bytes.
        unsafe { to.add(at).write_volatile(from.add(at).read_volatile()) };
    }
    to
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memset(to: *mut u8, byte: i32, count: usize) -> *mut u8 {
    for at in 0..count {
        // SAFETY: the caller's range holds `count` bytes.
        unsafe { to.add(at).write_volatile(byte as u8) };
    }
    to
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memcmp(one: *const u8, other: *const u8, count: usize) -> i32 {
    for at in 0..count {
        // SAFETY: the caller's ranges hold `count` bytes.
        let pair = unsafe { (one.add(at).read_volatile(), other.add(at).read_volatile()) };
        if pair.0 != pair.1 {
            return i32::from(pair.0) - i32::from(pair.1);
        }
    }
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn bcmp(one: *const u8, other: *const u8, count: usize) -> i32 {
    // SAFETY: as here.
    unsafe { memcmp(one, other, count) }
}
