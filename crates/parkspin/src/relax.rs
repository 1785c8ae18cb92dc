//! What to do between two looks at a lock, where there is nobody to sleep on.

/// What a waiting thread does between two looks, where the lock spins.
///
/// Chosen by the second type parameter of [`RwLock`](crate::RwLock); [`Backoff`] unless said
/// otherwise. Where the lock sleeps (see the [crate documentation](crate#what-waiting-means)) it is
/// never called.
///
/// Every `RelaxStrategy` of the `spin` crate is one, called once between two looks. A type that
/// wants to know how long it has been waiting, to escalate without a state of its own, implements
/// this trait instead:
///
/// ```
/// use parkspin::{Relax, RwLock};
///
/// /// Spins a little, and then gives the processor away.
/// struct Polite;
///
/// impl Relax for Polite {
///     fn relax(looks: u32) {
///         if looks < 10 {
///             core::hint::spin_loop();
///         } else {
///             std::thread::yield_now();
///         }
///     }
/// }
///
/// static LOCK: RwLock<u8, Polite> = RwLock::with_relax(1);
/// static SPIN: RwLock<u8, spin::relax::Spin> = RwLock::with_relax(1);
/// assert_eq!(*LOCK.read(), *SPIN.read());
/// ```
pub trait Relax {
    /// Called after a look that did not end the wait, the `looks`-th before this one counted from
    /// 0 (and staying at `u32::MAX`). It may do anything but use the lock that is waited for; the
    /// wait ends only between two calls.
    fn relax(looks: u32);
}

impl<R: spin::RelaxStrategy> Relax for R {
    #[inline(always)]
    fn relax(_looks: u32) {
        R::relax();
    }
}

/// Exponential back-off: 1, 2, 4 … 64 spin hints between looks, then 64 each time.
///
/// Never gives the processor away, so it needs no operating system.
///
/// ```
/// let lock: parkspin::RwLock<u8, parkspin::Backoff> = parkspin::RwLock::new(1);
/// assert_eq!(*lock.read(), 1);
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Backoff {}

impl Relax for Backoff {
    #[inline]
    fn relax(looks: u32) {
        syncface::Backoff::starting_at(looks.min(syncface::Backoff::CEILING)).lost_race();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

    #[test]
    fn strategies_of_spin_are_called_once_between_looks() {
        static CALLS: AtomicU32 = AtomicU32::new(0);
        struct Counting;
        impl spin::RelaxStrategy for Counting {
            fn relax() {
                CALLS.fetch_add(1, Relaxed);
            }
        }
        for looks in [0, 1, 6, u32::MAX] {
            <Counting as Relax>::relax(looks);
        }
        assert_eq!(CALLS.load(Relaxed), 4);
    }

    #[test]
    fn the_longest_back_off_ends() {
        Backoff::relax(0);
        Backoff::relax(u32::MAX);
    }
}
