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
        /// A closed gate with nobody inside.
        pub(super) fn new() -> Self {
            Self(AtomicUsize::new(CLOSED))
        }
    }

    /// Goes in if the gate is open.
    ///
    /// Reads from `open`, directly or through additions of others, which continue its release
    /// sequence: what was done before the gate opened is seen inside.
    #[inline]
    pub(super) fn enter(&self) -> bool {
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
    pub(super) fn leave(&self) {
        self.0.fetch_sub(ONE, order::gate_leave());
    }

    /// Lets nobody in from here on. Relaxed: one word says both who is inside and that it is closed.
    pub(super) fn close(&self) {
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
