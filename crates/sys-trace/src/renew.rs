//! The engine in a forked child: as new.

#![allow(unsafe_code, reason = "replaces what threads of the parent have left behind")]

use parkspin::{Gated, RwLock, Shared};

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
            // SAFETY: this thread was elected by `owner` (invariant 1 of `fork`).
            Err(_) => unsafe { self.core.replace(Gated::new(Core::new())) },
        }
        match self.teller.try_write() {
            Some(mut teller) => *teller = None,
            // SAFETY: as above.
            None => unsafe { self.teller.replace(RwLock::new(None)) },
        }
        for side in &self.sides {
            side.refused.reset();
        }
        self.misdirected.reset();
    }
}
