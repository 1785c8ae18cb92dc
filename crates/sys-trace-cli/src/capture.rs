//! Starting a capture and taking everything out of it.

use sys_trace::{
    CaptureInfo, Config, Counts, Engine, Event, EventSet, ShardCounts, ShardSet, Strings, Symbol,
};
use sys_trace_export::{Capture, NameFn};

use crate::args::MAX_CORES;
use crate::fail::Fail;

/// A capture that has ended.
#[derive(Debug)]
pub(crate) struct Captured {
    pub(crate) events: Vec<Event>,
    /// By shard.
    pub(crate) counts: Vec<ShardCounts>,
    pub(crate) names: Strings,
    pub(crate) info: CaptureInfo,
    /// Names that were not stored for want of room.
    pub(crate) names_dropped: u64,
    /// Emits for shards that do not exist.
    pub(crate) misdirected: u64,
}

/// Starts to capture `types` on `shards`, `ring` events each.
pub(crate) fn start(
    engine: &Engine,
    ring: u64,
    types: EventSet,
    shards: ShardSet,
) -> Result<Config, Fail> {
    let config = Config::new().events_per_shard(ring).types(types).shards(shards);
    engine
        .start(&config)
        .map_err(|error| Fail::new(format!("cannot start to capture: {error}")))?;
    Ok(config)
}

/// Drains and stops `engine`. Nobody may emit any more.
///
/// Checks the books: on each shard, what was created was drained, displaced or discarded, and what
/// was drained is here.
pub(crate) fn finish(engine: &Engine) -> Result<Captured, Fail> {
    let ended = || Fail::new("the capture ended by itself");
    let before = engine.counts();
    let events = engine.drain_all(usize::MAX).map_err(|_| ended())?;
    // Counted, because `Engine::resident` is an estimate: it takes positions that were passed by for
    // events.
    let mut drained = [0_u64; MAX_CORES as usize];
    for event in &events {
        drained[event.nc_idx as usize] += 1;
    }
    let unequal = before.iter().find(|it| it.total.live() != drained[it.shard as usize]);
    if let Some(counts) = unequal {
        let words = "events are neither here nor counted as gone";
        let here = drained[counts.shard as usize];
        return Err(Fail::new(format!(
            "shard {}: {words} ({:?}, {here} here)",
            counts.shard, counts.total
        )));
    }
    let names = engine.strings();
    let names_dropped = before.iter().map(|counts| engine.names_dropped(counts.shard)).sum();
    engine.stop().map_err(|_| ended())?;
    let counts = engine.counts();
    let info = engine.capture_info().ok_or_else(ended)?;
    let captured =
        Captured { events, counts, names, info, names_dropped, misdirected: engine.misdirected() };
    captured.check()?;
    Ok(captured)
}

impl Captured {
    /// The sum of all shards.
    pub(crate) fn total(&self) -> Counts {
        self.counts.iter().map(|counts| counts.total).sum()
    }

    /// The text of an interned id.
    pub(crate) fn name(&self, id: u64) -> Option<&str> {
        Symbol::new(id).and_then(|symbol| self.names.get(symbol))
    }

    /// Lets `write` have the capture in the form that writers take.
    pub(crate) fn view<T>(&self, write: impl FnOnce(&Capture<'_>) -> T) -> T {
        let names = NameFn::new(|id| self.name(id));
        let start_ns = self.info.start_ns;
        write(&Capture {
            names: &names,
            worker_gid: &|shard| i32::try_from(shard).unwrap_or(-1),
            clock: self.info.clock,
            start_ns,
            stop_ns: self.info.stop_ns.unwrap_or(start_ns),
            clock_error_ns: Some(self.info.clock_error_ns),
            start_epoch_ns: self.info.start_epoch_ns,
            stop_epoch_ns: self.info.stop_epoch_ns,
            ..Capture::new(&self.events, &self.counts)
        })
    }

    fn check(&self) -> Result<(), Fail> {
        let total = self.total();
        for counts in self.counts.iter().map(|counts| counts.total).chain([total]) {
            if counts.live() != 0 {
                return Err(Fail::new(format!("the counts of a shard do not add up: {counts:?}")));
            }
        }
        if total.drained != self.events.len() as u64 {
            let (drained, here) = (total.drained, self.events.len());
            return Err(Fail::new(format!("{drained} events were drained, {here} are here")));
        }
        Ok(())
    }
}
