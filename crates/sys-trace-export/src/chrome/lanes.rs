//! [`Lanes`]: which row of a process shows which slice, so that no row shows a partial overlap.

use std::collections::BTreeSet;

/// Slices nested deeper go to another lane: viewers cap the depth of one, and drop what is deeper.
pub(crate) const MAX_DEPTH: usize = 64;

/// Places slices that come in order of their begin, the longer first among equals.
///
/// A slice goes into a slice of the same thread that spans it, the one that ends first; otherwise
/// on the lowest lane where nothing is open; otherwise on a new lane. So what is nested was nested:
/// two threads never stand inside each other. O(log n) per slice.
///
/// 1. `open[lane]` holds the slices that end after the last begin given to `place`, the outermost
///    first; each ends no later than the one before it.
/// 2. A lane with open slices stands in `ends` under the end of the innermost, and, unless it is
///    full, in `hosts` under that slice's thread and end. Any other lane stands in `idle`.
#[derive(Default)]
pub(crate) struct Lanes {
    open: Vec<Vec<Open>>,
    ends: BTreeSet<(u64, usize)>,
    hosts: BTreeSet<(u64, u64, usize)>,
    idle: BTreeSet<usize>,
}

#[derive(Clone, Copy)]
struct Open {
    end: u64,
    thread: u64,
}

impl Lanes {
    /// How many lanes were needed so far.
    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }

    /// The lane, from 0 on, of a slice from `begin` to `end`, recorded by `thread`.
    pub(crate) fn place(&mut self, begin: u64, end: u64, thread: u64) -> usize {
        self.close_until(begin);
        let host = self.hosts.range((thread, end, 0)..).next().copied();
        let lane = match host.filter(|(host_thread, ..)| *host_thread == thread) {
            Some((.., lane)) => {
                self.unlist(lane);
                lane
            }
            None => self.idle.pop_first().unwrap_or_else(|| {
                self.open.push(Vec::new());
                self.open.len() - 1
            }),
        };
        self.open[lane].push(Open { end, thread });
        self.list(lane);
        lane
    }

    /// Forgets slices that end by `begin`: what begins there stands beside them, not inside.
    fn close_until(&mut self, begin: u64) {
        while let Some(&(end, lane)) = self.ends.first() {
            if end > begin {
                break;
            }
            self.unlist(lane);
            self.open[lane].pop();
            self.list(lane);
        }
    }

    fn list(&mut self, lane: usize) {
        let depth = self.open[lane].len();
        match self.open[lane].last() {
            Some(top) => {
                self.ends.insert((top.end, lane));
                if depth < MAX_DEPTH {
                    self.hosts.insert((top.thread, top.end, lane));
                }
            }
            None => {
                self.idle.insert(lane);
            }
        }
    }

    fn unlist(&mut self, lane: usize) {
        if let Some(top) = self.open[lane].last() {
            self.ends.remove(&(top.end, lane));
            self.hosts.remove(&(top.thread, top.end, lane));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The lanes of these (begin, length, thread), in the order of placing.
    fn pack(mut slices: Vec<(u64, u64, u64)>) -> Vec<(u64, u64, u64, usize)> {
        slices.sort_by_key(|&(begin, length, _)| (begin, u64::MAX - length));
        let mut lanes = Lanes::default();
        let placed = slices.into_iter().map(|(begin, length, thread)| {
            (begin, begin + length, thread, lanes.place(begin, begin + length, thread))
        });
        placed.collect()
    }

    fn lanes_of(slices: &[(u64, u64, u64)]) -> Vec<usize> {
        pack(slices.to_vec()).into_iter().map(|(.., lane)| lane).collect()
    }

    #[test]
    fn nests_on_one_thread_and_parts_threads() {
        assert_eq!(lanes_of(&[(0, 10, 1), (2, 3, 1), (5, 5, 1), (10, 5, 1)]), [0, 0, 0, 0]);
        assert_eq!(lanes_of(&[(0, 10, 1), (2, 3, 2), (6, 1, 3)]), [0, 1, 1]);
        assert_eq!(lanes_of(&[(0, 10, 1), (5, 10, 1), (11, 1, 1)]), [0, 1, 1]);
        assert_eq!(lanes_of(&[(4, 0, 1), (4, 0, 2), (4, 2, 1)]), [0, 0, 1]);
    }

    #[test]
    fn depth_is_bounded() {
        let nested: Vec<_> = (0..3 * MAX_DEPTH as u64).map(|i| (i, 1000 - 2 * i, 1)).collect();
        assert_eq!(lanes_of(&nested).into_iter().max(), Some(2));
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 4 } else { 256 },
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn slices_of_one_lane_nest_or_part(
            slices in prop::collection::vec((0_u64..60, 0_u64..40, 0_u64..3), 0..80)
        ) {
            let placed = pack(slices);
            for (index, &(begin, end, thread, lane)) in placed.iter().enumerate() {
                let same_lane = placed[..index].iter().filter(|other| other.3 == lane);
                let mut depth = 1;
                for &(other_begin, other_end, other_thread, _) in same_lane {
                    prop_assert!(other_begin <= begin);
                    prop_assert!(
                        other_end <= begin || end <= other_end,
                        "{begin}..{end} overlaps {other_begin}..{other_end} on lane {lane}"
                    );
                    if other_end > begin {
                        prop_assert_eq!(thread, other_thread);
                        depth += 1;
                    }
                }
                prop_assert!(depth <= MAX_DEPTH);
            }
            // No lane without need: each new one is opened while all the others are in use.
            let lanes = placed.iter().map(|slice| slice.3 + 1).max().unwrap_or(0);
            for lane in 1..lanes {
                let first = placed.iter().position(|slice| slice.3 == lane).unwrap();
                for other in 0..lane {
                    prop_assert!(placed[..first]
                        .iter()
                        .any(|slice| slice.3 == other && slice.1 > placed[first].0));
                }
            }
        }
    }
}
