//! The ordering of every atomic access, in one table.
//!
//! | site | ordering | pairs with | what it carries |
//! |---|---|---|---|
//! | `look` (load of a stamp) | Acquire | `claim`, `publish`, `vacate`, `bump` | the value's bytes; the end of a reader's use; every earlier claim, skip and publication that the stamp's writer knew of |
//! | `claim` (CAS empty/full → writing) | Release | `look` | that earlier positions are used or skipped: who walks past this one must not see them as they were before |
//! | `publish` (store full) | Release | `look` | the value's bytes |
//! | `vacate` (store empty) | Release | `look` | the end of the reader's use of the slot |
//! | `bump` (CAS empty → newer empty) | Release | `look` | that the position was skipped, and what is known of the ones after it |
//! | `tail_store`, `tail_load` | Release, Acquire | each other | the same as `claim`, for who starts at the hint |
//! | `head_store`, `head_load` | Release, Acquire | each other | the stamps that readers left behind the head |
//! | take (CAS full → taking), refresh | Relaxed | – | stamps never repeat, so the CAS reads the very store that `look` acquired |
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
use syncface::mutant::order;

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
    claim: Release;
    publish: Release;
    bump: Release;
    vacate: Release;
    tail_store: Release;
    tail_load: Acquire;
    head_store: Release;
    head_load: Acquire;
}

/// Where coherence of one word is all that is needed.
pub(crate) const PLAIN: Ordering = Ordering::Relaxed;
