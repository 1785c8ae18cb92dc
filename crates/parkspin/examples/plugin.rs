//! A shared library with a gate of its own, as a plug-in would have one. A test loads two of it into
//! one process, and unloads them while threads that were inside live on.
#![allow(unsafe_code, reason = "the name is exported")]

use parkspin::Gated;

static GATED: Gated<u32> = Gated::new(0);

/// Adds one to the number behind the gate, if nobody is inside, and goes in to read it.
/// `u32::MAX`: somebody was inside, or the gate was found closed.
// SAFETY: no other symbol has this name within this library.
#[unsafe(no_mangle)]
pub extern "C" fn count_and_enter() -> u32 {
    let Ok(mut number) = GATED.exclusive(|_| false) else { return u32::MAX };
    *number += 1;
    number.open();
    GATED.enter().map_or(u32::MAX, |inside| *inside)
}
