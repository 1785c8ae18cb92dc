//! What several test programs need.
#![allow(dead_code, reason = "not every program needs all")]

use std::fmt::Debug;

/// The decoded word as `Debug` shows it.
pub(crate) fn shows(lock: &impl Debug, held: &str, readers_wait: bool, writers_wait: bool) -> bool {
    let state = format!(
        "State {{ held: {held}, readers_wait: {readers_wait}, writers_wait: {writers_wait} }}"
    );
    format!("{lock:?}").contains(&state)
}

/// Free, and no bit left behind: the word is 0.
pub(crate) fn is_as_new(lock: &impl Debug) -> bool {
    shows(lock, "Free", false, false)
}
