//! Stepping aside for whoever is making progress.

use syncface::{Backoff, mutant};

/// How an operation behaves while others are faster: a bounded number of short pauses.
///
/// Two signs say that another thread is at work at the same end of the ring: a lost
/// compare-and-swap, and a hint that led to slots already used (*overtaken*). Going on at once
/// would pull the other thread's cache lines away one slot after another, and both would crawl; a
/// pause lets it run from its own cache for a while. Neither sign can come from a thread that is
/// stopped, except a hint which one had set back, so pauses after the second are
/// [bounded](Self::PAUSES) per operation and nothing here ever waits *for* anybody.
pub(crate) struct Aside {
    backoff: Backoff,
    overtaken: u32,
}

impl Aside {
    /// The first pause is 2<sup>this</sup> spin hints: long enough that the other thread does
    /// several operations meanwhile. Measured, with the number of pauses, on two pinned threads.
    const FIRST: u32 = 4;

    /// How often one operation pauses because it was overtaken before it just walks on.
    pub(crate) const PAUSES: u32 = 4;

    #[inline]
    pub(crate) const fn new() -> Self {
        Self { backoff: Backoff::starting_at(Self::FIRST), overtaken: 0 }
    }

    /// A compare-and-swap was lost: somebody else made progress with this slot.
    #[inline]
    pub(crate) fn lost_race(&mut self) {
        self.backoff.lost_race();
    }

    /// The position in hand turned out used. True after a pause: the hint is worth another look.
    #[inline]
    pub(crate) fn overtaken(&mut self) -> bool {
        // In models each look more multiplies the interleavings: once is enough, and on request, for
        // `tests/mutants.txt` to demand that the models pass with it too, at lower bounds.
        let pauses = match cfg!(loom) {
            true => u32::from(mutant::is("lapring.looks_again")),
            false => Self::PAUSES,
        };
        if self.overtaken == pauses {
            return false;
        }
        self.overtaken += 1;
        // In a model a pause would only hide interleavings: this is no loop that waits.
        if !cfg!(loom) {
            self.backoff.lost_race();
        }
        true
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_overtaken_a_bounded_number_of_times_before_it_walks() {
        let mut aside = Aside::new();
        for _ in 0..Aside::PAUSES {
            aside.lost_race();
            assert!(aside.overtaken());
        }
        assert!(!aside.overtaken());
    }
}
