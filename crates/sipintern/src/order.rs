//! The ordering of every atomic access, in one table.
//!
//! | name | access | ordering | pairs with |
//! |---|---|---|---|
//! | `id_publish` | a word of the ids' half is filled in | Release | `word_look`: who finds the word sees the whole record |
//! | `text_publish` | a word of the texts' half is filled in | Release | `word_look`, and who finds the text finds the id |
//! | `word_look` | a word is read | Acquire | `id_publish`, `text_publish` |
//! | `index_publish` | a larger index takes over | Release | `index_look`: who gets the index sees its words |
//! | `index_look` | the current index is read | Acquire | `index_publish` |
//! | `count_publish` | a record is counted | Release | `count_look`: who counts a record sees it |
//! | `count_look` | the count is read | Acquire | `count_publish` |
//! | `list_publish` | a collision is hooked in | Release | `list_look`: who sees the link sees the collision |
//! | `list_look` | a link of the list of collisions is read | Acquire | `list_publish` |
//! | `lock_take` | an insert begins | Acquire | `lock_leave`: inserts happen one after the other |
//! | `lock_leave` | an insert ends | Release | `lock_take` |
//! | `site_mark` | a call site has registered its text | Release | `site_look`: who skips registering sees the text |
//! | `site_look` | a call site asks whether it has | Acquire | `site_mark` |
//!
//! Everything else is [`PLAIN`]: block pointers are read by whoever has the place of a record, and so
//! after one of the pairs above; the counters of losses are numbers on their own, written under the
//! insert lock; an insert reads what earlier inserts wrote under the lock.
//!
//! Each name is a mutant: `SYNCFACE_MUTANT=sipintern.id_publish` weakens that site to Relaxed in a
//! test build, and `tests/mutants.txt` says which model fails then.

use syncface::atomic::Ordering;
use syncface::mutant::order;

macro_rules! sites {
    ($($name:ident: $ordering:ident;)*) => {
        $(
            #[inline(always)]
            pub(crate) fn $name() -> Ordering {
                order(concat!("sipintern.", stringify!($name)), Ordering::$ordering)
            }
        )*
    };
}

sites! {
    id_publish: Release;
    text_publish: Release;
    word_look: Acquire;
    index_publish: Release;
    index_look: Acquire;
    count_publish: Release;
    count_look: Acquire;
    list_publish: Release;
    list_look: Acquire;
    lock_take: Acquire;
    lock_leave: Release;
    site_mark: Release;
    site_look: Acquire;
}

/// Where coherence of one word is all that is needed.
pub(crate) const PLAIN: Ordering = Ordering::Relaxed;
