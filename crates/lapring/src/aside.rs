//! Stepping aside for whoever is making progress.

use syncface::{Backoff, mutant};

use crate::word::{Word, is_after, later};

/// How an operation behaves while others are faster: short pauses, each after a sign that another
/// thread made progress.
///
/// There are two signs that another thread is at work at the same end of the ring: a lost
/// compare-and-swap, and a hint that led to slots already used (*overtaken*). Going on at once would
/// pull the other thread's cache lines away one slot after another, and both would crawl; a pause
/// lets it run from its own cache for a while, and turns are taken in thousands of operations instead
/// of one by one. Neither sign can come from a thread that is stopped, but for a hint which one had set
/// back or not yet moved on: who finds that the hint stands still during a pause
/// [walks](Self::overtaken) without another one. So nothing here ever waits *for* anybody.
pub(crate) struct Aside {
    backoff: Backoff,
    overtaken: u32,
    walking: bool,
}

impl Aside {
    /// The first pause is 2<sup>this</sup> spin hints: long enough that the other thread does
    /// several operations meanwhile. Measured, like the last, on two pinned threads.
    const FIRST: u32 = 4;
    /// The longest pause, in the same way. Shorter ones end before the other thread is far enough
    /// ahead to be out of reach for the time that its lines take to come over.
    const LAST: u32 = 8;
    /// How often one operation pauses because it was overtaken; from then on it only looks again. All
    /// pauses of an operation come to some 8,000 spin hints.
    const PAUSES: u32 = 32;

    #[inline]
    pub(crate) const fn new() -> Self {
        Self { backoff: Backoff::between(Self::FIRST, Self::LAST), overtaken: 0, walking: false }
    }

    /// A compare-and-swap was lost: somebody else made progress with this slot.
    #[inline]
    pub(crate) fn lost_race(&mut self) {
        self.backoff.lost_race();
    }

    /// The position in hand turned out used, and `next` is the first that may not be: where to go on,
    /// after a pause and a look at the `hint`. A hint that is ahead of `next` shows that others are
    /// making progress. One that is not shows nothing: the rest of the way is walked, without a pause.
    #[inline]
    pub(crate) fn overtaken(&mut self, next: Word, hint: impl FnOnce() -> Word) -> Word {
        // In models each look more multiplies the interleavings: on request only, for
        // `tests/mutants.txt` to demand that the models pass with it too, at lower bounds.
        if self.walking || cfg!(loom) && !mutant::is("lapring.looks_again") {
            return next;
        }
        // In a model a pause would only hide interleavings: this is no loop that waits.
        if !cfg!(loom) && self.overtaken < Self::PAUSES {
            self.overtaken += 1;
            self.backoff.lost_race();
        }
        let hint = hint();
        self.walking = !is_after(hint, next);
        later(hint, next)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_hint_that_stands_still_is_looked_at_once() {
        let mut aside = Aside::new();
        assert_eq!(aside.overtaken(5, || 9), 9, "others are ahead");
        assert_eq!(aside.overtaken(10, || 10), 10, "nobody has moved it on");
        for next in 11..1000 {
            assert_eq!(aside.overtaken(next, || panic!("looked again")), next);
        }
    }

    #[test]
    fn an_operation_pauses_a_bounded_number_of_times() {
        let mut aside = Aside::new();
        for next in 0..1000 {
            assert_eq!(aside.overtaken(next, || next + 1), next + 1);
        }
        assert_eq!(aside.overtaken, Aside::PAUSES);
    }
}
