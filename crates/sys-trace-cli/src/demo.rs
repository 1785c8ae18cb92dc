//! `sys-trace demo`: from the folder to the two files and the report.

use std::ops::ControlFlow;
use std::thread;
use std::time::Instant;

use sys_trace::{EventSet, ShardSet};
use sys_trace_export::{JsonOptions, write_chrome, write_json};

use crate::args::{Demo, MAX_CORES};
use crate::capture;
use crate::fail::{self, Fail};
use crate::output::Output;
use crate::progress::Progress;
use crate::report::Report;
use crate::runtime;
use crate::skip::Skips;
use crate::text::grouped;
use crate::walk::Walk;

/// Runs the demo. All that can be refused is refused before the work starts.
pub(crate) fn run(options: &Demo) -> Result<(), Fail> {
    let begun = Instant::now();
    let cores = options.cores.unwrap_or_else(machine_cores);
    let shards = shards(options.only_shards, cores)?;
    let mut walk = Walk::new(&options.dir)?;
    walk.leave_out(&options.out)?;
    let files = count_files(&walk)?;
    let mut output = Output::create(&options.out)?;
    walk.leave_out(&options.out)?;

    let engine = sys_trace::global();
    let types = options.only_types.unwrap_or(EventSet::ALL);
    let config = capture::start(engine, options.ring, types, shards)?;
    if config.ring_events() != options.ring {
        let (asked, raised) = (grouped(options.ring), grouped(config.ring_events()));
        fail::print(&format!("note: --ring {asked} was raised to the least, {raised} events\n"))?;
    }
    let mut progress = Progress::new(files);
    let started = Instant::now();
    let outcome = runtime::run(engine, &walk, cores, &mut progress)?;
    let worked = started.elapsed();
    drop(progress);
    if outcome.manifest.files() == 0 {
        let first = outcome.skips.first_error().unwrap_or_else(|| outcome.skips.to_string());
        return Err(Fail::new(format!("no file of {:?} could be digested: {first}", options.dir)));
    }

    let captured = capture::finish(engine)?;
    let chrome = captured.view(|view| {
        output.fill(0, |file| write_json(file, view, &JsonOptions::default()))?;
        output.fill(1, |file| write_chrome(file, view))
    })?;
    let paths = output.commit()?;
    let report = Report {
        cores,
        outcome: &outcome,
        captured: &captured,
        chrome: &chrome,
        worked,
        elapsed: begun.elapsed(),
        paths: &paths,
    };
    fail::print(&report.to_string())
}

/// Virtual cores unless told otherwise.
fn machine_cores() -> u32 {
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
    cores.clamp(2, MAX_CORES)
}

/// The shards to capture: one per core.
fn shards(only: Option<ShardSet>, cores: u32) -> Result<ShardSet, Fail> {
    let all: ShardSet = (0..cores).collect();
    let Some(only) = only.filter(|only| *only != ShardSet::ALL) else { return Ok(all) };
    match only.iter().find(|shard| *shard >= cores) {
        Some(shard) => Err(Fail::new(format!(
            "shard {shard} of --only-shards does not exist: {cores} cores have shards 0 to {}",
            cores - 1
        ))),
        None => Ok(only),
    }
}

/// How many files there are to digest. A file that comes or goes later is met, or missed, later.
fn count_files(walk: &Walk) -> Result<u64, Fail> {
    let (mut files, mut skips) = (0, Skips::default());
    walk.files(&mut skips, |_| {
        files += 1;
        ControlFlow::Continue(())
    });
    if files == 0 {
        let root = walk.root();
        let first = skips.first_error().unwrap_or_else(|| skips.to_string());
        return Err(Fail::new(format!(
            "the folder {root:?} holds no regular file (skipped: {first})"
        )));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_those_of_the_cores() {
        let three = ShardSet::parse("0-2").unwrap();
        assert_eq!(shards(None, 3), Ok(three));
        assert_eq!(shards(Some(ShardSet::ALL), 3), Ok(three));
        assert_eq!(shards(Some(three), 4), Ok(three));
        assert_eq!(
            shards(Some(three), 2).unwrap_err().to_string(),
            "shard 2 of --only-shards does not exist: 2 cores have shards 0 to 1"
        );
    }
}
