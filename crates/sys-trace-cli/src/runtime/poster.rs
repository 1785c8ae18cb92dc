//! The poster: turns files into requests.

use std::ops::ControlFlow;

use super::Request;
use super::kind::Kinds;
use super::queue::Queue;
use crate::skip::Skips;
use crate::walk::Walk;

/// Posts every file of `walk` to the least loaded core, in turn among equals. Answers what the walk
/// left out. The queues close when this returns.
pub(super) fn post_all(walk: &Walk, mut queues: Vec<Queue<'_>>) -> Skips {
    let mut skips = Skips::default();
    let mut kinds = Kinds::default();
    let mut number = 0;
    let mut turn = 0;
    walk.files(&mut skips, |path| {
        number += 1;
        let core = least_loaded(&queues, turn);
        turn = core + 1;
        let request = Request { number, kind: kinds.of(&path), path };
        match queues.get_mut(core).is_some_and(|queue| queue.post(request)) {
            true => ControlFlow::Continue(()),
            // A core that is gone has panicked, which its joining reports.
            false => ControlFlow::Break(()),
        }
    });
    skips
}

/// The first with the lowest load, counted from `turn` on.
fn least_loaded(queues: &[Queue<'_>], turn: usize) -> usize {
    let cores = queues.len().max(1);
    (0..queues.len())
        .map(|step| (turn + step) % cores)
        .min_by_key(|&core| queues[core].load())
        .unwrap_or(0)
}
