//! Rings that displace their oldest value, behind one face.

use std::collections::VecDeque;
use std::sync::Mutex;

/// A bounded ring that displaces its oldest value when full.
pub trait OverwritingRing<T>: Sync + Send + 'static {
    /// Its name in the reports.
    const NAME: &'static str;
    /// An empty ring.
    fn with_capacity(cap: usize) -> Self;
    /// Adds the newest value and returns what had to leave.
    fn force_push(&self, value: T) -> Option<T>;
    /// Adds the newest value if there is room.
    fn push(&self, value: T) -> bool;
    /// Takes the oldest.
    fn pop(&self) -> Option<T>;
}

impl<T: Send + 'static> OverwritingRing<T> for lapring::Ring<T> {
    const NAME: &'static str = "lapring";

    fn with_capacity(cap: usize) -> Self {
        Self::new(cap)
    }

    #[inline]
    fn force_push(&self, value: T) -> Option<T> {
        self.force_push(value)
    }

    #[inline]
    fn push(&self, value: T) -> bool {
        self.push(value).is_ok()
    }

    #[inline]
    fn pop(&self) -> Option<T> {
        self.pop()
    }
}

impl<T: Send + 'static> OverwritingRing<T> for crossbeam_queue::ArrayQueue<T> {
    const NAME: &'static str = "crossbeam-queue";

    fn with_capacity(cap: usize) -> Self {
        Self::new(cap)
    }

    #[inline]
    fn force_push(&self, value: T) -> Option<T> {
        self.force_push(value)
    }

    #[inline]
    fn push(&self, value: T) -> bool {
        self.push(value).is_ok()
    }

    #[inline]
    fn pop(&self) -> Option<T> {
        self.pop()
    }
}

impl<T: Send + 'static> OverwritingRing<T> for concurrent_queue::ConcurrentQueue<T> {
    const NAME: &'static str = "concurrent-queue";

    fn with_capacity(cap: usize) -> Self {
        Self::bounded(cap)
    }

    #[inline]
    fn force_push(&self, value: T) -> Option<T> {
        self.force_push(value).unwrap_or(None)
    }

    #[inline]
    fn push(&self, value: T) -> bool {
        self.push(value).is_ok()
    }

    #[inline]
    fn pop(&self) -> Option<T> {
        self.pop().ok()
    }
}

/// What one would write without thinking: a queue behind a mutex.
pub struct Naive<T>(Mutex<VecDeque<T>>, usize);

impl<T: Send + 'static> OverwritingRing<T> for Naive<T> {
    const NAME: &'static str = "mutex-vecdeque";

    fn with_capacity(cap: usize) -> Self {
        Self(VecDeque::with_capacity(cap).into(), cap)
    }

    #[inline]
    fn force_push(&self, value: T) -> Option<T> {
        let mut queue = self.0.lock().unwrap();
        let oldest = if queue.len() == self.1 { queue.pop_front() } else { None };
        queue.push_back(value);
        oldest
    }

    #[inline]
    fn push(&self, value: T) -> bool {
        let mut queue = self.0.lock().unwrap();
        let room = queue.len() < self.1;
        if room {
            queue.push_back(value);
        }
        room
    }

    #[inline]
    fn pop(&self) -> Option<T> {
        self.0.lock().unwrap().pop_front()
    }
}

/// Proves that `R` displaces the oldest, keeps the newest and loses nothing, on one thread and on
/// two. Called before `R` is measured.
///
/// # Panics
/// If the answer is wrong.
pub fn prove<R: OverwritingRing<u64>>() {
    for cap in [1, 2, 3, 1000] {
        let ring = R::with_capacity(cap as usize);
        for n in 0..3 * cap {
            assert_eq!(ring.force_push(n), n.checked_sub(cap), "{} cap {cap}", R::NAME);
        }
        assert!(!ring.push(0), "{} cap {cap}", R::NAME);
        for n in 2 * cap..3 * cap {
            assert_eq!(ring.pop(), Some(n), "{} cap {cap}", R::NAME);
        }
        assert_eq!(ring.pop(), None, "{} cap {cap}", R::NAME);
        assert!(ring.push(7), "{} cap {cap}", R::NAME);
        assert_eq!(ring.pop(), Some(7), "{} cap {cap}", R::NAME);
    }

    let ring = R::with_capacity(64);
    let mut seen: Vec<u64> = std::thread::scope(|scope| {
        let writers: Vec<_> = [0, 1 << 32]
            .map(|base| {
                let ring = &ring;
                scope.spawn(move || {
                    (0..50_000).filter_map(|n| ring.force_push(base + n)).collect::<Vec<_>>()
                })
            })
            .into();
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    seen.extend(std::iter::from_fn(|| ring.pop()));
    seen.sort_unstable();
    let expected: Vec<u64> = (0..50_000).chain((1 << 32)..(1 << 32) + 50_000).collect();
    assert!(seen == expected, "{}: a value was lost or doubled", R::NAME);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes the newest instead of the oldest when full.
    struct Wrong(Naive<u64>);

    impl OverwritingRing<u64> for Wrong {
        const NAME: &'static str = "wrong";

        fn with_capacity(cap: usize) -> Self {
            Self(Naive::with_capacity(cap))
        }

        fn force_push(&self, value: u64) -> Option<u64> {
            if self.0.push(value) { None } else { Some(value) }
        }

        fn push(&self, value: u64) -> bool {
            self.0.push(value)
        }

        fn pop(&self) -> Option<u64> {
            self.0.pop()
        }
    }

    #[test]
    fn all_contenders_are_right() {
        prove::<lapring::Ring<u64>>();
        prove::<crossbeam_queue::ArrayQueue<u64>>();
        prove::<concurrent_queue::ConcurrentQueue<u64>>();
        prove::<Naive<u64>>();
    }

    #[test]
    #[should_panic(expected = "wrong cap 1")]
    fn a_wrong_one_is_found() {
        prove::<Wrong>();
    }
}
