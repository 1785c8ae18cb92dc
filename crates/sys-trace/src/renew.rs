//! The engine in a forked child: as new.

#![allow(unsafe_code, reason = "replaces what threads of the parent have left behind")]

use parkspin::{Gated, RwLock, Shared};
use syncface::atomic::Ordering;

use crate::capture::{Core, Shard, ShardParts};
use crate::engine::Engine;
use crate::fork;

impl<const SHARDS: usize> Engine<SHARDS> {
    /// The core, shared. Every operation but an emit comes by here, or by [`own`](Self::own).
    pub(crate) fn core(&self) -> Shared<'_, Core<SHARDS>> {
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
        match self.core.lock(|_| false).and_then(|locked| locked.close(|_| false)) {
            Ok(mut core) => {
                (core.run, core.info) = (None, None);
                for shard in &mut core.shards {
                    shard.ring = None;
                    shard.totals.reset(false);
                    let names = core::mem::take(&mut shard.names);
                    if names.is_busy() {
                        core::mem::forget(names);
                    }
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
            side.refused.store(0, Ordering::Relaxed);
        }
        self.misdirected.store(0, Ordering::Relaxed);
    }
}

impl<const SHARDS: usize> Core<SHARDS> {
    syncface::maybe_const! {
        /// Of an engine that never ran.
        pub(crate) fn new() -> Self {
            #[cfg(not(loom))]
            let shards = [const { Shard::new(ShardParts::new()) }; SHARDS];
            #[cfg(loom)]
            let shards = core::array::from_fn(|_| Shard::new(ShardParts::new()));
            Self { run: None, info: None, tallies: None, shards }
        }
    }
}
