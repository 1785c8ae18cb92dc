//! A 64-bit counter on any target.
//!
//! All accesses are Relaxed: each counter is a number on its own, and exact once those who count have
//! been synchronised with, which the engine's gate does.

/// A counter of 64 bits.
#[cfg(any(target_has_atomic = "64", loom))]
pub(crate) use whole::Count;

/// A counter of 64 bits.
#[cfg(not(any(target_has_atomic = "64", loom)))]
pub(crate) use halves::Count;

#[cfg(any(target_has_atomic = "64", loom))]
mod whole {
    use syncface::atomic::{AtomicU64, Ordering};

    pub(crate) struct Count(AtomicU64);

    impl Count {
        syncface::maybe_const! {
            /// 0.
            pub(crate) fn new() -> Self {
                Self(AtomicU64::new(0))
            }
        }

        /// Counts `more`, whoever else counts. Wraps.
        #[inline]
        pub(crate) fn add(&self, more: u64) {
            self.0.fetch_add(more, Ordering::Relaxed);
        }

        /// [`add`](Self::add) by the only one who counts: a load and a store.
        #[inline]
        pub(crate) fn add_alone(&self, more: u64) {
            self.0.store(self.get().wrapping_add(more), Ordering::Relaxed);
        }

        #[inline]
        pub(crate) fn get(&self) -> u64 {
            self.0.load(Ordering::Relaxed)
        }

        pub(crate) fn reset(&self) {
            self.0.store(0, Ordering::Relaxed);
        }
    }
}

/// Where the widest atomics have 32 bits: two of them. One locked operation, as with 64, and a second
/// every 2<sup>32</sup> times, so that an interrupt or signal handler may count at any moment.
///
/// Who reads just between those two misses 2<sup>32</sup>; nobody does who reads a number that has come
/// to rest.
#[cfg(any(test, not(any(target_has_atomic = "64", loom))))]
#[cfg_attr(target_has_atomic = "64", allow(dead_code, reason = "only tested here"))]
mod halves {
    use syncface::atomic::{AtomicU32, Ordering};

    pub(crate) struct Count {
        low: AtomicU32,
        high: AtomicU32,
    }

    impl Count {
        syncface::maybe_const! {
            /// 0.
            pub(crate) fn new() -> Self {
                Self { low: AtomicU32::new(0), high: AtomicU32::new(0) }
            }
        }

        /// Counts `more`, whoever else counts. Wraps.
        #[inline]
        pub(crate) fn add(&self, more: u64) {
            let was = self.low.fetch_add(more as u32, Ordering::Relaxed);
            let high = carried(was, more);
            if high != 0 {
                self.high.fetch_add(high, Ordering::Relaxed);
            }
        }

        /// [`add`](Self::add) by the only one who counts: loads and stores.
        #[inline]
        pub(crate) fn add_alone(&self, more: u64) {
            let was = self.low.load(Ordering::Relaxed);
            self.low.store(was.wrapping_add(more as u32), Ordering::Relaxed);
            let high = carried(was, more);
            if high != 0 {
                let was = self.high.load(Ordering::Relaxed);
                self.high.store(was.wrapping_add(high), Ordering::Relaxed);
            }
        }

        #[inline]
        pub(crate) fn get(&self) -> u64 {
            let high = self.high.load(Ordering::Relaxed);
            u64::from(high) << 32 | u64::from(self.low.load(Ordering::Relaxed))
        }

        pub(crate) fn reset(&self) {
            self.low.store(0, Ordering::Relaxed);
            self.high.store(0, Ordering::Relaxed);
        }
    }

    /// What goes to the upper half when `more` is added to a lower half of `was`.
    #[inline]
    const fn carried(was: u32, more: u64) -> u32 {
        let carry = was.checked_add(more as u32).is_none() as u32;
        ((more >> 32) as u32).wrapping_add(carry)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    /// Both ways of adding, through the carry and the wrap of all 64 bits.
    #[test]
    fn halves_count_like_a_whole() {
        const LOW: u64 = u32::MAX as u64;
        let (shared, alone) = (super::halves::Count::new(), super::halves::Count::new());
        let mut whole = 0_u64;
        for more in [0, 1, LOW - 1, 0, 1, 1, LOW, LOW + 1, 3 << 40, LOW << 32, u64::MAX, LOW, 7] {
            whole = whole.wrapping_add(more);
            shared.add(more);
            alone.add_alone(more);
            assert_eq!((shared.get(), alone.get()), (whole, whole), "after {more}");
        }
        shared.reset();
        assert_eq!(shared.get(), 0);
    }
}
