//! The ordering of every atomic access, in one table.
//!
//!
#![doc = include_str!("orderings.md")]
//!
//! Each name is a mutant: `SYNCFACE_MUTANT=lapring.publish` weakens that site to Relaxed in a test
//! build, and `tests/mutants.txt` says which model fails then.

use syncface::atomic::Ordering;
use syncface::mutant::{self, order};

macro_rules! sites {
    ($($name:ident: $ordering:ident;)*) => {
        $(
            #[inline(always)]
            pub(crate) fn $name() -> Ordering {
                order(concat!("lapring.", stringify!($name)), Ordering::$ordering)
            }
        )*
    };
}

sites! {
    look: Acquire;
    doom: Release;
    publish: Release;
    bump: Release;
    unpeek: Release;
    vacate: Release;
    tail_store: Release;
    tail_load: Acquire;
    head_store: Release;
    head_load: Acquire;
}

/// Acquires and releases; each half has a mutant of its own.
macro_rules! both_halves {
    ($($name:ident: $acquire:literal, $release:literal;)*) => {
        $(
            #[inline(always)]
            pub(crate) fn $name() -> Ordering {
                if mutant::is($acquire) {
                    Ordering::Release
                } else if mutant::is($release) {
                    Ordering::Acquire
                } else {
                    Ordering::AcqRel
                }
            }
        )*
    };
}

both_halves! {
    claim: "lapring.claim_acquire", "lapring.claim_release";
    take: "lapring.take_acquire", "lapring.take_release";
}

/// Where coherence of one word is all that is needed.
pub(crate) const PLAIN: Ordering = Ordering::Relaxed;
