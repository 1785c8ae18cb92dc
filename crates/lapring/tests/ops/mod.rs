//! Operations decoded from bytes, run on a ring and on a plain `VecDeque` that cannot be wrong.
//!
//! Shared by the property tests, by the replay of the fuzz corpus and by the fuzz target itself.

use std::collections::VecDeque;

use arbitrary::{Arbitrary, Unstructured};
use lapring::{Forced, PopError, Ring};

/// One call.
#[derive(Debug, Clone, Copy, Arbitrary)]
pub enum Op {
    Push,
    ForcePush,
    ForcePushWith,
    Pop,
    Drain(u8),
    Snapshot,
    Look,
}

/// Two rings of different shapes and the calls to make on them.
#[derive(Debug, Clone, Arbitrary)]
pub struct Case {
    pub cap: u8,
    pub other_cap: u8,
    pub laps_before_wrap: u8,
    #[arbitrary(with = as_many_as_there_are)]
    pub ops: Vec<(bool, Op)>,
}

/// As many calls as the bytes yield. The list type's own way of decoding tosses a coin after each
/// element: two calls on average, which reach nothing.
fn as_many_as_there_are<'a, T: Arbitrary<'a>>(
    bytes: &mut Unstructured<'a>,
) -> arbitrary::Result<Vec<T>> {
    let mut calls = Vec::new();
    while !bytes.is_empty() {
        calls.push(bytes.arbitrary()?);
    }
    Ok(calls)
}

/// One ring of boxes, one of plain numbers (which can be copied), and what both should hold.
struct Pair {
    ring: Ring<Box<u32>>,
    plain: Ring<u32>,
    oracle: VecDeque<u32>,
    popped: usize,
    displaced: usize,
}

impl Pair {
    fn new(cap: u8, laps_before_wrap: u8) -> Self {
        let cap = usize::from(cap % 9) + 1;
        // Also the largest start laps, so that short runs go through the wrap.
        let lap = 0usize.wrapping_sub(usize::from(laps_before_wrap % 5));
        let (ring, plain) = (Ring::with_start_lap(cap, lap), Ring::with_start_lap(cap, lap));
        Self { ring, plain, oracle: VecDeque::new(), popped: 0, displaced: 0 }
    }

    fn apply(&mut self, op: Op, value: u32) {
        let (ring, plain, oracle) = (&self.ring, &self.plain, &mut self.oracle);
        let cap = ring.capacity();
        let before = oracle.len();
        match op {
            Op::Push => match ring.push(Box::new(value)) {
                Ok(()) => {
                    assert!(oracle.len() < cap);
                    assert!(plain.push(value).is_ok());
                    oracle.push_back(value);
                }
                Err(full) => {
                    assert_eq!(oracle.len(), cap);
                    assert!(!full.is_busy(), "nobody else is here");
                    assert_eq!(*full.into_inner(), value);
                    assert!(plain.push(value).is_err());
                }
            },
            Op::ForcePush | Op::ForcePushWith => {
                let forced = match op {
                    Op::ForcePush => ring.force_push_full(Box::new(value)),
                    _ => ring.force_push_with(|| Box::new(value)),
                };
                let expected = if oracle.len() == cap { oracle.pop_front() } else { None };
                assert_eq!(plain.force_push(value), expected);
                self.displaced += usize::from(expected.is_some());
                oracle.push_back(value);
                match forced {
                    Forced::Stored => assert_eq!(expected, None),
                    Forced::Evicted(oldest) => assert_eq!(expected, Some(*oldest)),
                    Forced::Rejected(_) => panic!("nobody else is here"),
                }
            }
            Op::Pop => match ring.try_pop() {
                Ok(oldest) => {
                    assert_eq!(oracle.pop_front(), Some(*oldest));
                    assert_eq!(plain.pop(), Some(*oldest));
                }
                Err(PopError::Empty) => assert!(oracle.is_empty() && plain.pop().is_none()),
                Err(PopError::Pending) => panic!("nobody else is here"),
            },
            Op::Drain(max) => {
                let max = usize::from(max % 12);
                let drained: Vec<_> = ring.drain(max).map(|value| *value).collect();
                let expected: Vec<_> = oracle.drain(..max.min(oracle.len())).collect();
                assert_eq!(drained, expected);
                assert!(plain.drain(max).eq(expected));
            }
            Op::Snapshot => {
                let mut snapshot = plain.snapshot();
                assert!(snapshot.by_ref().eq(oracle.iter().copied()));
                assert_eq!((snapshot.in_flight(), snapshot.displaced()), (0, 0));
            }
            Op::Look => {}
        }
        if matches!(op, Op::Pop | Op::Drain(_)) {
            self.popped += before - oracle.len();
        }
        for counters in [ring.counters(), plain.counters()] {
            assert_eq!(counters.resident, oracle.len());
            assert_eq!(counters.abandoned, 0);
            assert_eq!(counters.displaced(self.popped), self.displaced);
            assert_eq!(counters.issued, self.popped + self.displaced + oracle.len());
        }
        assert_eq!(ring.len(), oracle.len());
        assert_eq!(ring.is_empty(), oracle.is_empty());
        assert_eq!(ring.is_full(), oracle.len() == cap);
    }

    fn finish(self) {
        let rest: Vec<_> = self.ring.into_iter().map(|value| *value).collect();
        assert_eq!(rest, Vec::from(self.oracle));
    }
}

/// Runs `case`; panics on the first difference.
pub fn run(case: &Case) {
    let mut first = Pair::new(case.cap, case.laps_before_wrap);
    let mut second = Pair::new(case.other_cap, 0);
    for (value, &(other, op)) in (0..).zip(&case.ops) {
        if other { &mut second } else { &mut first }.apply(op, value);
    }
    first.finish();
    second.finish();
}
