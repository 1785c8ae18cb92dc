//! A gate that counts who is inside, in one word.

use syncface::atomic::{AtomicUsize, Ordering};

use crate::order;

/// Bit 0: closed. Above: how many are inside.
pub(super) struct Counted(AtomicUsize);

const CLOSED: usize = 1;
const ONE: usize = 2;
/// More than this inside can only come from leaked entries; then nobody else is let in.
const MOST: usize = usize::MAX / 2;

impl Counted {
    syncface::maybe_const! {
        /// A closed gate with nobody inside. One word needs no fences, whoever asks for them.
        pub(super) fn new(_fences: bool) -> Self {
            Self(AtomicUsize::new(CLOSED))
        }
    }

    /// Goes in if the gate is open.
    ///
    /// Reads from `open`, directly or through additions of others, which continue its release
    /// sequence: what was done before the gate opened is seen inside.
    #[inline]
    pub(super) fn go_in(&self) -> bool {
        if self.0.load(Ordering::Relaxed) & CLOSED != 0 {
            return false;
        }
        let was = self.0.fetch_add(ONE, order::gate_enter());
        if was & CLOSED == 0 && was < MOST {
            return true;
        }
        // Nothing was looked at inside.
        self.0.fetch_sub(ONE, Ordering::Relaxed);
        false
    }

    /// Comes out. Pairs with `inside`: what was done inside is seen by who finds nobody there.
    #[inline]
    pub(super) fn come_out(&self) {
        self.0.fetch_sub(ONE, order::gate_leave());
    }

    /// Lets nobody in from here on. Relaxed: one word says both who is inside and that it is closed.
    pub(super) fn shut(&self) {
        self.0.fetch_or(CLOSED, Ordering::Relaxed);
    }

    /// How many are inside; pairs with `leave`.
    pub(super) fn inside(&self) -> usize {
        self.0.load(order::gate_inside()) / ONE
    }

    /// Lets them in. Pairs with `enter`.
    pub(super) fn open(&self) {
        self.0.fetch_and(!CLOSED, order::gate_open());
    }
}

/// The whole gate where nothing better is to be had: the same face as `Slots`.
#[cfg(not(all(feature = "std", any(target_os = "linux", target_os = "android"))))]
mod alone {
    use super::Counted;

    /// Inside.
    pub(in super::super) struct Entry;

    impl Entry {
        #[expect(clippy::unused_self, reason = "the same face as of slots")]
        pub(in super::super) const fn soloist(&self) -> Option<usize> {
            None
        }
    }

    /// A gate that has been closed.
    pub(in super::super) struct Closing<'a>(&'a Counted);

    impl Counted {
        pub(in super::super) const SOLOISTS: usize = 0;

        #[expect(clippy::unused_self, reason = "the same face as of slots")]
        pub(in super::super) const fn has_fences(&self) -> bool {
            false
        }

        #[inline]
        pub(in super::super) fn enter(&self) -> Option<Entry> {
            self.go_in().then_some(Entry)
        }

        #[inline]
        pub(in super::super) fn leave(&self, _entry: &Entry) {
            self.come_out();
        }

        pub(in super::super) fn close(&self) -> Closing<'_> {
            self.shut();
            Closing(self)
        }
    }

    impl Closing<'_> {
        pub(in super::super) fn inside(&mut self) -> usize {
            self.0.inside()
        }
    }
}

#[cfg(not(all(feature = "std", any(target_os = "linux", target_os = "android"))))]
pub(super) use alone::Entry;
