//! Deterministic 50-bit string ids, and tables that turn them back into text.
//!
//! | part | what it is | needs |
//! |---|---|---|
//! | [`Symbol`], [`symbol!`], [`hash_of`] | the id of a name, a pure `const fn` of its bytes | nothing |
//! | [`Outcome`], [`Interned`], [`IdMismatch`] | what a table answers | nothing |
#![cfg_attr(feature = "alloc", doc = "| [`Interner`] | one table of texts, with caps | `alloc` |")]
#![cfg_attr(
    feature = "alloc",
    doc = "| [`Site`], [`site!`] | a literal name that registers itself | `alloc` |"
)]
#![cfg_attr(
    feature = "alloc",
    doc = "| [`Strings`], [`merged`], [`union`] | many tables united, sorted by id | `alloc` |"
)]
#![cfg_attr(
    feature = "heapless",
    doc = "| [`FixedInterner`] | a table of fixed size, no heap | `heapless` |"
)]
//!
//! An id needs no table: call sites compute it at compile time, records carry it, and only whoever
//! prints the records needs the text. That is why no method here refuses to give an id. A table
//! that is full, out of memory, or already holds another text under that id says so beside the id.
//!
//! A table may be shared between threads as it is. Who asks for a name that is there takes no lock
//! and waits for nobody; new names are inserted one at a time.
//!
//! # Names that somebody has chosen
//!
//! - Memory: what `Limits` say, however many names come. Past them a name costs its hash and a
//!   lookup; it is counted.
//! - Time: where a name is looked for depends on keys that are made from an address and a seed, so
//!   names or ids chosen without knowing them meet no more often than others. Whoever knows them can
//!   make names meet; the search by text gives up after 32 words, and for an id after all that meet.
//! - Ids: the hash has no secret, so two names with one id can be made (2^25 attempts for some pair).
//!   The first stays; the others are a [`Outcome::Collision`] each time, and counted.
//! - A text is UTF-8, as its type says, with any characters, zero bytes too. Other bytes have an id
//!   ([`Symbol::of_bytes`]) and are not stored.
//!
//! # How likely do two names share an id?
//!
//! Ids have 50 bits. Among `n` different names the chance that any two share one is about
//! `n² / 2^51`:
//!
//! | names | chance of any collision |
//! |---:|---:|
//! | 1,500 | 1e-9 |
//! | 10,000 | 4.4e-8 |
//! | 65,536 | 1.9e-6 |
//! | 1,000,000 | 4.4e-4 |
//! | 32,000,000 | 36 % |
//!
//! That holds for names nobody chose against us. The key is public (all zero), so colliding names
//! can be made on purpose at the price of some 2^25 hashes a pair. A collision is therefore data:
//! the first text stays, the second is listed, the count grows, and nothing stops.
//!
//! # Example
//!
#![cfg_attr(feature = "alloc", doc = "```")]
#![cfg_attr(not(feature = "alloc"), doc = "```ignore")]
//! use sipintern::{Interner, Outcome, Symbol, symbol};
//!
//! const CONV: Symbol = symbol!("conv2d");
//! assert_eq!(CONV.get(), 696_427_417_467_970); // today, tomorrow, everywhere
//!
//! let names = Interner::new();
//! assert_eq!(names.intern("conv2d").outcome, Outcome::New);
//! assert_eq!(names.intern("conv2d").outcome, Outcome::Known);
//! assert_eq!(names.resolve(CONV), Some("conv2d"));
//! assert_eq!(names.resolve(symbol!("pool")), None);
//! ```
//!
//! # Inside
//!
//! `sip13, symbol, outcome, limits ← order, lock, memory, record ← arena, listed ← keys, index ← iter,
//! interner ← site, strings`, and `fixed` beside them. Without the feature `alloc` there is no unsafe code.
#![no_std]
#![cfg_attr(not(feature = "alloc"), forbid(unsafe_code))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod outcome;
mod sip13;
mod symbol;

#[cfg(feature = "alloc")]
mod arena;
#[cfg(feature = "alloc")]
mod index;
#[cfg(feature = "alloc")]
mod interner;
#[cfg(feature = "alloc")]
mod iter;
#[cfg(feature = "alloc")]
mod keys;
#[cfg(feature = "alloc")]
mod limits;
#[cfg(feature = "alloc")]
mod listed;
#[cfg(feature = "alloc")]
mod lock;
#[cfg(feature = "alloc")]
mod memory;
#[cfg(feature = "alloc")]
mod order;
#[cfg(feature = "alloc")]
mod record;
#[cfg(feature = "alloc")]
mod site;
#[cfg(feature = "alloc")]
mod strings;

#[cfg(feature = "heapless")]
mod fixed;
#[cfg(feature = "serde")]
mod serde;

#[cfg(feature = "heapless")]
pub use fixed::FixedInterner;
#[cfg(feature = "alloc")]
pub use interner::Interner;
#[cfg(feature = "alloc")]
pub use iter::{IntoIter, Iter};
#[cfg(feature = "alloc")]
pub use limits::{Limits, MAX_LISTED, MergeReport};
pub use outcome::{Cap, Collision, IdMismatch, Interned, Outcome};
pub use sip13::hash_of;
#[cfg(feature = "alloc")]
pub use site::Site;
#[cfg(feature = "alloc")]
pub use strings::{Strings, merged, union};
pub use symbol::Symbol;

/// The examples in the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
