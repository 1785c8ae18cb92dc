//! The engine in a forked child: as new.

#![allow(unsafe_code, reason = "replaces what threads of the parent have left behind")]

use parkspin::{RwLock, Shared};

use crate::capture::Core;
use crate::engine::Engine;
use crate::fork;
use crate::storage::Storage;

impl<const SHARDS: usize, S: Storage> Engine<SHARDS, S> {
    /// The core, shared. Every operation but an emit comes by here, or by [`own`](Self::own).
    pub(crate) fn core(&self) -> Shared<'_, Core<SHARDS, S>> {
        self.own();
        self.core.share()
    }

    /// In a child: makes the engine as new, once, before its locks are used. `false` if forks of
    /// this process cannot be watched for want of memory.
    pub(crate) fn own(&self) -> bool {
        let watched = fork::watch();
        self.owner.take(|| self.renew());
        watched
    }

    /// Memory of the parent's capture is released if nobody was at work with it at the fork, and
    /// leaked otherwise: it may be half written.
    #[cold]
    #[inline(never)]
    fn renew(&self) {
        self.switch.set(false);
        let mut remains = S::remains(SHARDS);
        match self.core.lock(|_| false).and_then(|locked| locked.close(|_| false)) {
            Ok(mut core) => {
                (core.run, core.info, core.tallies) = (None, None, S::NO_TALLIES);
                for shard in &mut core.shards {
                    S::disarm(&mut remains, &mut shard.ring);
                    shard.totals.reset(false);
                    S::inherit_names(&mut shard.names);
                }
            }
            Err(_) => {
                // SAFETY: this thread was elected by `owner` (invariant 1 of `fork`).
                let core = unsafe { self.core.alone() };
                core.renew();
                // Piece by piece: all of it may be more than this thread's stack has room for.
                let core = core.get_mut();
                (core.run, core.info) = (None, None);
                overwrite(&mut core.tallies, S::NO_TALLIES);
                for shard in &mut core.shards {
                    let shard = &mut **shard;
                    S::abandon(&mut shard.ring, &mut shard.names);
                    shard.totals.reset(false);
                }
            }
        }
        match self.teller.try_write() {
            Some(mut teller) => *teller = None,
            // SAFETY: as above.
            None => overwrite(unsafe { self.teller.alone() }, RwLock::new(None)),
        }
        for side in &self.sides {
            side.refused.reset();
        }
        self.misdirected.reset();
    }
}

/// Replaces a value without looking at the old one, which is leaked.
pub(crate) fn overwrite<T>(place: &mut T, fresh: T) {
    // SAFETY: a reference is a place to write to.
    unsafe { core::ptr::write(place, fresh) };
}
