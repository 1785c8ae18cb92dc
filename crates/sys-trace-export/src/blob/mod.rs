//! A capture in one binary file, for machines that cannot write JSON: no allocator needed to write it,
//! no seeking, no length known beforehand.
//!
//! [`dump`] on the machine, [`Blob::read`] on a host (feature `std`).
#![cfg_attr(not(feature = "std"), doc = "\n[`Blob::read`]: dump")]
//!
//! # Format, version 1
//! All numbers are in the byte order of the machine that wrote it, which the mark tells. Nothing is
//! padded. First the head:
//!
//! | byte | what |
//! |---|---|
//! | 0 | `systrace`, 8 bytes of ASCII |
//! | 8 | mark: `u32` 0x01020304 |
//! | 12 | version: `u32` 1 |
//! | 16 | bytes of a record: `u32` 112 |
//! | 20 | shards of the engine: `u32`, 1 to 256 |
//! | 24 | number of the capture: `u64` |
//! | 32 | start, in ns of the clock: `u64` |
//! | 40 | error of the clock, ns: `u64` |
//! | 48 | events that each ring holds: `u64` |
//! | 56 | length of the clock's name: `u32`, at most 64; then the name, UTF-8 |
//!
//! Then sections in any order, but `DONE` last: a tag of four ASCII characters, the length of what
//! follows as a `u32`, and that.
//!
//! | tag | how often | what |
//! |---|---|---|
//! | `EVTS` | any | records, [112 bytes](sys_trace::Event) each |
//! | `CNTS` | once per shard | shard: `u32`; refused: `u64`; then per event type on which anything happened: its number `u32`, created, drained, displaced, discarded `u64` |
//! | `NAME` | any | id: `u64`; text, UTF-8 |
//! | `STOP` | once | stop, in ns of the clock: `u64`; emits for no shard: `u64`; names that were not stored: `u64` |
//! | `DONE` | once, at the end of the file | records in the file: `u64` |
//!
//! Counts and names come after the records, when they are final. A file that was cut off has no `DONE`
//! and is refused.

#[cfg(feature = "std")]
mod cursor;
#[cfg(feature = "std")]
mod read;
mod write;

#[cfg(feature = "std")]
pub use read::{Blob, BlobError};
pub use write::{BlobWriter, DumpError, dump};

const MAGIC: [u8; 8] = *b"systrace";
const MARK: u32 = 0x0102_0304;
const VERSION: u32 = 1;
/// Longest name of a clock.
const LONGEST_CLOCK: usize = 64;

const EVENTS: [u8; 4] = *b"EVTS";
const COUNTS: [u8; 4] = *b"CNTS";
const NAME: [u8; 4] = *b"NAME";
const STOP: [u8; 4] = *b"STOP";
const DONE: [u8; 4] = *b"DONE";

/// Bytes of a `CNTS` section before its rows, and of a row.
const COUNTS_HEAD: usize = 12;
const COUNTS_ROW: usize = 36;
