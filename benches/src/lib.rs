//! Contenders of the benchmarks behind one face, and the proof that each gives the right answer.

/// A bounded ring that displaces its oldest value when full.
pub trait OverwritingRing<T>: Sync {
    /// Its name in the reports.
    const NAME: &'static str;
    /// An empty ring.
    fn with_capacity(cap: usize) -> Self;
    /// Adds the newest value and returns what had to leave.
    fn force_push(&self, value: T) -> Option<T>;
    /// Takes the oldest.
    fn pop(&self) -> Option<T>;
}

impl<T: Send> OverwritingRing<T> for lapring::Ring<T> {
    const NAME: &'static str = "lapring";

    fn with_capacity(cap: usize) -> Self {
        Self::new(cap)
    }

    fn force_push(&self, value: T) -> Option<T> {
        self.force_push(value)
    }

    fn pop(&self) -> Option<T> {
        self.pop()
    }
}

/// What one would write without thinking: a queue behind a mutex.
pub struct Naive<T>(std::sync::Mutex<std::collections::VecDeque<T>>, usize);

impl<T: Send> OverwritingRing<T> for Naive<T> {
    const NAME: &'static str = "mutex-vecdeque";

    fn with_capacity(cap: usize) -> Self {
        Self(std::collections::VecDeque::with_capacity(cap).into(), cap)
    }

    fn force_push(&self, value: T) -> Option<T> {
        let mut queue = self.0.lock().unwrap();
        let oldest = if queue.len() == self.1 { queue.pop_front() } else { None };
        queue.push_back(value);
        oldest
    }

    fn pop(&self) -> Option<T> {
        self.0.lock().unwrap().pop_front()
    }
}

/// Proves that `R` displaces the oldest, keeps the newest and loses nothing, on one thread and on
/// two. A benchmark calls this before it measures.
///
/// # Panics
/// If the answer is wrong.
pub fn prove<R: OverwritingRing<u64>>() {
    for cap in [1, 2, 3, 1000] {
        let ring = R::with_capacity(cap as usize);
        for n in 0..3 * cap {
            assert_eq!(ring.force_push(n), n.checked_sub(cap), "{} cap {cap}", R::NAME);
        }
        for n in 2 * cap..3 * cap {
            assert_eq!(ring.pop(), Some(n), "{} cap {cap}", R::NAME);
        }
        assert_eq!(ring.pop(), None, "{} cap {cap}", R::NAME);
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
