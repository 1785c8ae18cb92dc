//! The ordering of every atomic access, in one table.
//!
//! | site | ordering | pairs with | what it carries |
//! |---|---|---|---|
//! | `look` (load of a stamp) | Acquire | `claim`, `publish`, `vacate`, `bump` | the value's bytes; the end of a reader's use; every earlier claim, skip and publication that the stamp's writer knew of |
//! | `claim` (CAS empty/full → writing) | `AcqRel` | `look`; `unpeek` | releases that earlier positions are used or skipped: who walks past this one must not see them as they were before. Acquires the end of a snapshot that came and went since the look |
//! | `take` (CAS full → taking) | Acquire | `unpeek` | the same |
//! | `publish` (store full) | Release | `look` | the value's bytes |
//! | `vacate` (store empty) | Release | `look` | the end of the reader's use of the slot |
//! | `bump` (CAS empty → newer empty) | Release | `look` | that the position was skipped, and what is known of the ones after it |
//! | `unpeek` (CAS peeking → full) | Release | `look`, `claim`, `take` | the end of the snapshot's use of the slot |
//! | `tail_store`, `tail_load` | Release, Acquire | each other | the same as `claim`, for who starts at the hint |
//! | `head_store`, `head_load` | Release, Acquire | each other | the stamps that readers left behind the head |
//! | doom (CAS peeking → peeking of a later lap) | Relaxed | – | the mark says no more than that its position is used; the writer who set it goes on to claim, with Release, what lies beyond |
//! | peek (CAS full → peeking), refresh | Relaxed | – | but for snapshots stamps never repeat, so the CAS reads what `look` acquired, or what an `unpeek` put back: a snapshot only reads, as this one will |
//! | floor (load, CAS) | Relaxed | – | raised before the claim that `look` or `tail_load` acquires; a thread that has seen it never searches below it again |
//! | a lost CAS | Relaxed | – | nothing is used but the fact of having lost |
//!
//! `tail` and `head` are hints: where they lag, a thread walks forward over stamps that say "used".
//! They carry knowledge all the same, which is why they are not Relaxed: a writer that starts past
//! a skipped slot must also know that it was skipped, or its own next push could land there, before
//! this one.
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
    take: Acquire;
    publish: Release;
    bump: Release;
    unpeek: Release;
    vacate: Release;
    tail_store: Release;
    tail_load: Acquire;
    head_store: Release;
    head_load: Acquire;
}

/// The claim has two halves, and a mutant for each.
#[inline(always)]
pub(crate) fn claim() -> Ordering {
    if mutant::is("lapring.claim_acquire") {
        Ordering::Release
    } else if mutant::is("lapring.claim_release") {
        Ordering::Acquire
    } else {
        Ordering::AcqRel
    }
}

/// Where coherence of one word is all that is needed.
pub(crate) const PLAIN: Ordering = Ordering::Relaxed;
