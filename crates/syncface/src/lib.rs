//! The one seam between the concurrent crates of this family and the machine.
//!
//! Code written against [`atomic`], [`cell`] and [`hint`] compiles unchanged to three worlds:
//!
//! | world | chosen by | atomics | cells |
//! |---|---|---|---|
//! | native | default | `core::sync::atomic` | zero-cost wrapper |
//! | no compare-and-swap | feature `portable-atomic` | `portable_atomic` | the same |
//! | model | `--cfg loom` | `loom::sync::atomic` | `loom::cell`, which checks every access |
//!
//! So the code that the model checker explores is the code that ships. Beside the seam stand the
//! three small things that every lock-free crate here needs: [`Backoff`], [`CachePadded`] and the
//! test-only [`mutant`] switch.
//!
//! ```
//! use syncface::atomic::{AtomicUsize, Ordering};
//! use syncface::{Backoff, CachePadded};
//!
//! static HITS: CachePadded<AtomicUsize> = CachePadded::new(AtomicUsize::new(0));
//!
//! let mut backoff = Backoff::new();
//! let mut seen = HITS.load(Ordering::Relaxed);
//! while let Err(now) = HITS.compare_exchange(seen, seen + 1, Ordering::AcqRel, Ordering::Relaxed) {
//!     seen = now;
//!     backoff.lost_race();
//! }
//! assert_eq!(HITS.load(Ordering::Relaxed), 1);
//! ```
#![no_std]

#[cfg(any(loom, test, feature = "mutants"))]
extern crate std;

mod backoff;
pub mod cell;
pub mod hint;
#[doc(hidden)]
pub mod model;
pub mod mutant;
mod padded;

pub use backoff::Backoff;
pub use padded::CachePadded;

/// Atomic integers, flags, [`Ordering`](atomic::Ordering) and [`fence`](atomic::fence) of the
/// chosen world.
///
/// Only what all three worlds have is guaranteed to be here; 64-bit atomics are absent on 32-bit
/// targets without them.
pub mod atomic {
    #[cfg(loom)]
    pub use loom::sync::atomic::*;

    #[cfg(all(not(loom), feature = "portable-atomic"))]
    pub use portable_atomic::*;

    #[cfg(all(not(loom), not(feature = "portable-atomic")))]
    pub use core::sync::atomic::*;
}

/// Declares a function `const` natively and plain under loom, whose atomics have no `const fn new`.
///
/// ```
/// pub struct Flag(syncface::atomic::AtomicBool);
/// impl Flag {
///     syncface::maybe_const! {
///         /// A lowered flag.
///         pub fn new() -> Flag {
///             Flag(syncface::atomic::AtomicBool::new(false))
///         }
///     }
/// }
/// # #[cfg(not(loom))]
/// static FLAG: Flag = Flag::new();
/// ```
#[macro_export]
macro_rules! maybe_const {
    ($(#[$meta:meta])* $vis:vis fn $($rest:tt)*) => {
        $(#[$meta])*
        #[cfg(not(loom))]
        $vis const fn $($rest)*

        $(#[$meta])*
        #[cfg(loom)]
        $vis fn $($rest)*
    };
}

/// The examples in the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
