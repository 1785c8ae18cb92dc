//! The bit map of the state word: constants, predicates and transitions, nothing else.
//!
//! | value / bits | meaning |
//! |---|---|
//! | `0` | free, nobody waits |
//! | low 30 bits = n, 1 ≤ n ≤ `0x3FFF_FFFE` | n readers hold it |
//! | low 30 bits = `0x3FFF_FFFF` | a writer holds it |
//! | bit 30 | readers wait |
//! | bit 31 | writers wait |

use core::fmt;

/// The low 30 bits. All set: a writer holds the lock.
pub(crate) const COUNT: u32 = (1 << 30) - 1;
/// The most readers at once: the value after it means "a writer".
pub(crate) const MAX_READERS: u32 = COUNT - 1;
const READERS_WAIT: u32 = 1 << 30;
const WRITERS_WAIT: u32 = 1 << 31;

const READER: u32 = 1;
/// What releasing a reader adds, wrapping. (An addition, since for that the compiler knows how to
/// look at the sign of the sum without asking for the old value, which costs more.)
pub(crate) const RELEASE_READER: u32 = READER.wrapping_neg();
/// What releasing a writer adds, wrapping: that subtracts the thirty count bits.
pub(crate) const RELEASE_WRITER: u32 = 0xC000_0001;

// A limit of 0, or one that reaches the writer's pattern, would let a reader in beside a writer.
const _: () = assert!(1 <= MAX_READERS && MAX_READERS + 1 == COUNT);
const _: () = assert!(COUNT.wrapping_add(RELEASE_WRITER) == 0);
const _: () = assert!(COUNT ^ READERS_WAIT ^ WRITERS_WAIT == u32::MAX);

/// One observed value of the state word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct State(pub(crate) u32);

/// Who holds the lock, decoded for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    Free,
    Readers(u32),
    Writer,
}

impl State {
    pub(crate) const FREE: Self = Self(0);

    // Predicates.

    const fn count(self) -> u32 {
        self.0 & COUNT
    }

    /// Nobody holds it; there may be somebody waiting.
    pub(crate) const fn is_unlocked(self) -> bool {
        self.count() == 0
    }

    pub(crate) const fn is_write_locked(self) -> bool {
        self.count() == COUNT
    }

    pub(crate) const fn is_read_locked(self) -> bool {
        !self.is_unlocked() && !self.is_write_locked()
    }

    pub(crate) const fn is_full(self) -> bool {
        self.count() == MAX_READERS
    }

    pub(crate) const fn readers_wait(self) -> bool {
        self.0 & READERS_WAIT != 0
    }

    pub(crate) const fn writers_wait(self) -> bool {
        self.0 & WRITERS_WAIT != 0
    }

    pub(crate) const fn anybody_waits(self) -> bool {
        self.readers_wait() || self.writers_wait()
    }

    /// Of a state that a reader has left: whether it has to look closer. That is the sign of the sum:
    /// writers wait (the top bit), or there was no reader to leave.
    #[inline(always)]
    pub(crate) const fn reader_may_have_to_wake(self) -> bool {
        (self.0 as i32) < 0
    }

    /// A reader may enter and has nobody to queue behind.
    pub(crate) const fn admits_reader(self) -> bool {
        self.count() < MAX_READERS && !self.anybody_waits()
    }

    /// As above, or readers are inside already and the newcomer may be one of them.
    pub(crate) const fn admits_recursive_reader(self) -> bool {
        self.admits_reader() || (self.is_read_locked() && !self.is_full())
    }

    /// A state that [`crate::raw`] can produce: readers only ever wait behind a writer, who holds
    /// the lock, waits for it, or is about to be given it.
    pub(crate) const fn is_legal(self) -> bool {
        !(self.is_read_locked() && self.readers_wait() && !self.writers_wait())
    }

    pub(crate) const fn held(self) -> Held {
        match self.count() {
            0 => Held::Free,
            COUNT => Held::Writer,
            readers => Held::Readers(readers),
        }
    }

    // Transitions. Each needs the predicate that its comment names.

    /// From `admits_reader` or `admits_recursive_reader`.
    pub(crate) const fn plus_reader(self) -> Self {
        Self(self.0 + READER)
    }

    /// From `is_read_locked`.
    #[cfg(all(test, not(loom)))]
    const fn minus_reader(self) -> Self {
        Self(self.0.wrapping_add(RELEASE_READER))
    }

    /// From `is_unlocked`. Whoever waits goes on waiting.
    pub(crate) const fn plus_writer(self) -> Self {
        Self(self.0 | COUNT)
    }

    /// From `is_write_locked`.
    #[cfg(all(test, not(loom)))]
    const fn minus_writer(self) -> Self {
        Self(self.0.wrapping_add(RELEASE_WRITER))
    }

    /// From `is_write_locked`. Waiting readers may come in, unless a writer waits as well: then
    /// both stay where they are until this reader has left.
    pub(crate) const fn downgraded(self) -> Self {
        let kept = if self.writers_wait() { self.0 & !COUNT } else { 0 };
        Self(kept | READER)
    }

    pub(crate) const fn with_readers_wait(self) -> Self {
        Self(self.0 | READERS_WAIT)
    }

    pub(crate) const fn without_readers_wait(self) -> Self {
        Self(self.0 & !READERS_WAIT)
    }

    pub(crate) const fn with_writers_wait(self) -> Self {
        Self(self.0 | WRITERS_WAIT)
    }

    pub(crate) const fn without_writers_wait(self) -> Self {
        Self(self.0 & !WRITERS_WAIT)
    }

    /// From a held state. The writers' bit goes; the readers' goes with it unless a writer, who
    /// serves them when it leaves, has the lock.
    pub(crate) const fn without_waiting_writers(self) -> Self {
        if self.is_write_locked() {
            self.without_writers_wait()
        } else {
            self.without_writers_wait().without_readers_wait()
        }
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State")
            .field("held", &self.held())
            .field("readers_wait", &self.readers_wait())
            .field("writers_wait", &self.writers_wait())
            .finish()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::format;

    /// Every count beside a boundary, under every combination of the two waiting bits.
    fn around_every_boundary() -> impl Iterator<Item = (u32, bool, bool, State)> {
        let counts = [0, 1, 2, 3, 0x1FFF_FFFF, 0x2000_0000, 0x3FFF_FFFC, 0x3FFF_FFFD];
        counts.into_iter().chain([0x3FFF_FFFE, 0x3FFF_FFFF]).flat_map(|count| {
            [(false, false), (true, false), (false, true), (true, true)].map(|(r, w)| {
                (
                    count,
                    r,
                    w,
                    State(count + 0x4000_0000 * u32::from(r) + 0x8000_0000 * u32::from(w)),
                )
            })
        })
    }

    #[test]
    fn constants_are_the_published_encoding() {
        assert_eq!(COUNT, 0x3FFF_FFFF);
        assert_eq!(MAX_READERS, 0x3FFF_FFFE);
        assert_eq!(RELEASE_WRITER, 0xC000_0001);
        assert!(State(RELEASE_READER).reader_may_have_to_wake(), "nobody left a free lock");
        assert_eq!(State::FREE.with_readers_wait(), State(0x4000_0000));
        assert_eq!(State::FREE.with_writers_wait(), State(0x8000_0000));
    }

    #[test]
    fn predicates() {
        for (count, r, w, s) in around_every_boundary() {
            let readers = (1..=0x3FFF_FFFE).contains(&count);
            assert_eq!(s.is_unlocked(), count == 0, "{s:?}");
            assert_eq!(s.is_write_locked(), count == 0x3FFF_FFFF, "{s:?}");
            assert_eq!(s.is_read_locked(), readers, "{s:?}");
            assert_eq!(s.is_full(), count == 0x3FFF_FFFE, "{s:?}");
            assert_eq!((s.readers_wait(), s.writers_wait()), (r, w), "{s:?}");
            assert_eq!(s.anybody_waits(), r || w, "{s:?}");
            assert_eq!(s.admits_reader(), count < 0x3FFF_FFFE && !r && !w, "{s:?}");
            assert_eq!(s.reader_may_have_to_wake(), w, "{s:?}");
            let inside = readers && count < 0x3FFF_FFFE;
            assert_eq!(s.admits_recursive_reader(), s.admits_reader() || inside, "{s:?}");
            assert_eq!(s.is_legal(), !(readers && r && !w), "{s:?}");
            let held = match count {
                0 => Held::Free,
                0x3FFF_FFFF => Held::Writer,
                n => Held::Readers(n),
            };
            assert_eq!(s.held(), held);
        }
    }

    #[test]
    fn entering_and_leaving_touch_the_count_alone() {
        for (count, r, w, s) in around_every_boundary() {
            if s.admits_recursive_reader() {
                let next = s.plus_reader();
                assert_eq!(next.held(), Held::Readers(count + 1));
                assert_eq!((next.readers_wait(), next.writers_wait()), (r, w));
                assert_eq!(next.minus_reader(), s);
            }
            if s.is_unlocked() {
                let next = s.plus_writer();
                assert_eq!(next.held(), Held::Writer);
                assert_eq!((next.readers_wait(), next.writers_wait()), (r, w));
                assert_eq!(next.minus_writer(), s);
                assert_eq!(next.0 - COUNT, s.0);
            }
        }
    }

    #[test]
    fn waiting_bits_leave_the_rest_alone() {
        for (_, r, w, s) in around_every_boundary() {
            for (changed, r, w) in [
                (s.with_readers_wait(), true, w),
                (s.without_readers_wait(), false, w),
                (s.with_writers_wait(), r, true),
                (s.without_writers_wait(), r, false),
            ] {
                assert_eq!(changed.held(), s.held());
                assert_eq!((changed.readers_wait(), changed.writers_wait()), (r, w));
            }
        }
    }

    #[test]
    fn a_downgrade_lets_readers_in_unless_a_writer_waits() {
        for (_, r, w, s) in around_every_boundary().filter(|(_, _, _, s)| s.is_write_locked()) {
            let next = s.downgraded();
            assert_eq!(next.held(), Held::Readers(1));
            assert_eq!((next.readers_wait(), next.writers_wait()), (r && w, w));
            assert!(next.is_legal());
        }
    }

    #[test]
    fn a_writer_that_gives_up_leaves_a_state_that_serves_the_readers() {
        for (_, r, _, s) in around_every_boundary().filter(|(_, _, _, s)| !s.is_unlocked()) {
            let next = s.without_waiting_writers();
            assert_eq!(next.held(), s.held());
            assert_eq!(next.readers_wait(), r && s.is_write_locked());
            assert!(!next.writers_wait() && next.is_legal());
        }
    }

    #[test]
    fn debug_decodes() {
        let state = State(3).with_writers_wait();
        let text = "State { held: Readers(3), readers_wait: false, writers_wait: true }";
        assert_eq!(format!("{state:?}"), text);
    }
}
