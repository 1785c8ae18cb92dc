//! Saying that events were lost, with the feature `log`: once per shard and capture.
//!
//! Called where a reader or a stop has just let go of its locks, never by an emit, so that whoever
//! receives the message may do with the engine what it likes.

use crate::engine::Engine;
use crate::storage::Storage;

/// By shard: the last capture of which loss was reported.
#[cfg(feature = "log")]
pub(crate) struct Said<const SHARDS: usize>([syncface::atomic::AtomicUsize; SHARDS]);

#[cfg(feature = "log")]
impl<const SHARDS: usize> Said<SHARDS> {
    syncface::maybe_const! {
        pub(crate) fn new() -> Self {
            #[cfg(not(loom))]
            let said = [const { syncface::atomic::AtomicUsize::new(0) }; SHARDS];
            #[cfg(loom)]
            let said = core::array::from_fn(|_| syncface::atomic::AtomicUsize::new(0));
            Self(said)
        }
    }
}

impl<const SHARDS: usize, S: Storage> Engine<SHARDS, S> {
    /// Warns if `shard` has lost events in the running capture or the last one, the first time that
    /// this is noticed; of this capture only if one is named. The caller holds no lock.
    #[cfg(feature = "log")]
    pub(crate) fn report_loss(&self, shard: u32, epoch: Option<u64>) {
        use syncface::atomic::Ordering;

        if !log::log_enabled!(log::Level::Warn) {
            return;
        }
        let Some(said) = self.said.0.get(shard as usize) else { return };
        let (counts, info) = {
            let core = self.core();
            let Some(info) = core.info.filter(|it| epoch.is_none_or(|of| of == it.epoch)) else {
                return;
            };
            // Relaxed: a number on its own. Asked first, because the counts are a longer sum.
            if said.load(Ordering::Relaxed) == info.epoch as usize {
                return;
            }
            let Some(counts) = core.total_of(shard).filter(|it| it.lost() > 0) else { return };
            // Of two who notice at once, one has the word.
            if said.swap(info.epoch as usize, Ordering::Relaxed) == info.epoch as usize {
                return;
            }
            (counts, info)
        };
        log::warn!(
            target: "sys_trace",
            "capture {}: shard {shard} has lost events so far: {} overwritten, {} discarded, of {} \
             (its ring holds {})",
            info.epoch,
            counts.displaced,
            counts.discarded,
            counts.created,
            info.ring_events
        );
    }

    /// Without the feature `log` there is nobody to tell.
    #[cfg(not(feature = "log"))]
    #[inline(always)]
    #[expect(clippy::unused_self, reason = "the same face as with the feature")]
    pub(crate) fn report_loss(&self, _shard: u32, _epoch: Option<u64>) {}
}
