//! What needs the ring to itself: dropping and consuming it.

#![allow(unsafe_code, reason = "reads and drops resident values under exclusive access")]

use core::iter::FusedIterator;

use crate::ring::Ring;
use crate::slot::Slot;
use crate::stamp::{Geometry, State};
use crate::storage::Storage;

/// Drops the value of every full slot. If a value's `Drop` panics, the rest are dropped all the
/// same while the panic goes on.
pub(crate) fn drop_values<T>(slots: &mut [Slot<T>]) {
    struct Rest<'a, T>(core::slice::IterMut<'a, Slot<T>>);

    impl<T> Rest<'_, T> {
        fn run(&mut self) {
            for slot in &mut self.0 {
                if Geometry::state(slot.stamp_mut()) == State::Full {
                    slot.set_stamp_mut(0);
                    // SAFETY: exclusive access; stamped `Full` (slot invariant 2), and not any more.
                    drop(unsafe { slot.read() });
                }
            }
        }
    }

    impl<T> Drop for Rest<'_, T> {
        fn drop(&mut self) {
            self.run();
        }
    }

    Rest(slots.iter_mut()).run();
}

/// The values of a ring, oldest first. Made by `Ring::into_iter`; the rest is dropped with it.
///
/// ```
/// # #[cfg(feature = "alloc")] {
/// let ring = lapring::Ring::new(2);
/// ring.force_push(String::from("a"));
/// ring.force_push(String::from("b"));
/// assert_eq!(ring.into_iter().collect::<Vec<_>>(), ["a", "b"]);
/// # }
/// ```
#[derive(Debug)]
pub struct IntoIter<T, S: Storage<T>>(Ring<T, S>);

impl<T, S: Storage<T>> Iterator for IntoIter<T, S> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        // Only a thread that was killed or forked away mid-copy can leave a slot pending now: a
        // drain steps over it.
        self.0.pop().or_else(|| self.0.drain(1).next())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.0.len()))
    }
}

impl<T, S: Storage<T>> FusedIterator for IntoIter<T, S> {}

impl<T, S: Storage<T>> IntoIterator for Ring<T, S> {
    type Item = T;
    type IntoIter = IntoIter<T, S>;

    fn into_iter(self) -> IntoIter<T, S> {
        IntoIter(self)
    }
}
