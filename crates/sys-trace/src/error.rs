//! What the engine can refuse. Every refusal leaves the engine as it was.

use core::fmt;

/// Why a capture was not started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartError {
    /// A capture is running; it goes on untouched.
    AlreadyCapturing,
    /// More events per shard than [`Config::MAX_EVENTS_PER_SHARD`](crate::Config::MAX_EVENTS_PER_SHARD).
    RingTooLarge {
        /// Events per shard that were asked for.
        requested: u64,
        /// The most there can be.
        limit: u64,
    },
    /// The configuration names a shard that this engine does not have.
    ShardOutOfRange {
        /// The shard that was named.
        shard: u32,
        /// How many shards the engine has.
        shards: u32,
    },
    /// The allocator refused; nothing was started.
    OutOfMemory {
        /// The shard whose ring could not be had.
        shard: u32,
        /// The bytes that one ring takes.
        bytes: u64,
    },
    /// An emitter, or who interns, of the last capture is still inside, or somebody reads: try again.
    Busy {
        /// Emits and interns that have not ended; 0 if it is readers.
        emitters: u64,
    },
    /// There is no clock: without the feature `std` one must be configured.
    NoClock,
    /// This program was built without the feature `enable`: nothing can be recorded.
    Disabled,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            StartError::AlreadyCapturing => f.write_str("a capture is already running"),
            StartError::RingTooLarge { requested, limit } => {
                let bytes = u128::from(requested) * crate::config::BYTES_PER_EVENT as u128;
                write!(
                    f,
                    "{requested} events per shard ({bytes} bytes each) are above the limit of {limit}"
                )
            }
            StartError::ShardOutOfRange { shard, shards } => {
                write!(
                    f,
                    "shard {shard} does not exist: this engine has shards 0 to {}",
                    shards - 1
                )
            }
            StartError::OutOfMemory { shard, bytes } => {
                write!(f, "no memory for the ring of shard {shard} ({bytes} bytes)")
            }
            StartError::Busy { emitters } => still_inside(f, emitters),
            StartError::NoClock => f.write_str("no clock is configured"),
            StartError::Disabled => f.write_str(
                "built without the feature `enable` of sys-trace: nothing can be recorded",
            ),
        }
    }
}

impl core::error::Error for StartError {}

/// Why a capture was not stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopError {
    /// No capture is running.
    NotCapturing,
    /// Nothing is recorded any more, but somebody has not come out: stop again to go on.
    StillInside {
        /// Emits and interns that have not ended; 0 if it is readers.
        emitters: u64,
    },
}

impl fmt::Display for StopError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            StopError::NotCapturing => NotCapturing.fmt(f),
            StopError::StillInside { emitters } => still_inside(f, emitters),
        }
    }
}

impl core::error::Error for StopError {}

fn still_inside(f: &mut fmt::Formatter<'_>, emitters: u64) -> fmt::Result {
    match emitters {
        0 => f.write_str("somebody is still reading"),
        emitters => write!(f, "{emitters} emits or interns have not ended"),
    }
}

/// No capture is running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotCapturing;

impl fmt::Display for NotCapturing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no capture is running")
    }
}

impl core::error::Error for NotCapturing {}

/// Why a shard was not drained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrainError {
    /// No capture is running: what was not drained before the stop is counted as discarded.
    NotCapturing,
    /// There is no such shard.
    ShardOutOfRange {
        /// The shard that was named.
        shard: u32,
        /// How many shards the engine has.
        shards: u32,
    },
}

impl fmt::Display for DrainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            DrainError::NotCapturing => NotCapturing.fmt(f),
            DrainError::ShardOutOfRange { shard, shards } => {
                StartError::ShardOutOfRange { shard, shards }.fmt(f)
            }
        }
    }
}

impl core::error::Error for DrainError {}
