//! The switch: one flag that says whether anything is being captured.

use syncface::CachePadded;
use syncface::atomic::{AtomicUsize, Ordering};

use crate::fork;

/// Off, an emit costs one load of a line that nobody writes, and one branch that predicts well.
///
/// The switch orders nothing: an emitter that finds it on goes on to the gate, which does. That is
/// why all its accesses are Relaxed. An emitter that has been told of a start or stop (by any
/// synchronisation) sees at least that state of the switch, because one atomic never goes back.
///
/// On, it says by which [generation](fork::generation) of the process, so that it is off in a forked
/// child.
pub(crate) struct Switch(CachePadded<AtomicUsize>);

const OFF: usize = 0;

impl Switch {
    syncface::maybe_const! {
        pub(crate) fn new() -> Self {
            Self(CachePadded::new(AtomicUsize::new(OFF)))
        }
    }

    #[inline(always)]
    pub(crate) fn is_on(&self) -> bool {
        // Known to the compiler: without the feature, whatever depends on it is left out.
        if !crate::ENABLED {
            return false;
        }
        let by = self.0.load(Ordering::Relaxed);
        by != OFF && by == fork::generation()
    }

    pub(crate) fn set(&self, on: bool) {
        self.0.store(if on { fork::generation() } else { OFF }, Ordering::Relaxed);
    }
}
