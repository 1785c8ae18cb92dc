//! `sys-trace convert`: from a binary capture to the two files.

use std::fmt;
use std::fs;
use std::path::PathBuf;

use sys_trace::Counts;
use sys_trace_export::{Blob, ChromeSummary, JsonOptions, write_chrome, write_json};

use crate::args::Convert;
use crate::fail::{self, Fail};
use crate::output::Output;
use crate::report::table;
use crate::text::{grouped, nanos, path};

/// Reads all of the file before it writes anything.
pub(crate) fn run(options: &Convert) -> Result<(), Fail> {
    let name = &options.file;
    let bytes =
        fs::read(name).map_err(|error| Fail::new(format!("cannot read {name:?}: {error}")))?;
    let blob = Blob::read(&bytes)
        .map_err(|error| Fail::new(format!("{name:?} is no capture: {error}")))?;
    let mut output = Output::create(&options.out)?;
    let view = blob.capture();
    output.fill(0, |file| write_json(file, &view, &JsonOptions::default()))?;
    let chrome = output.fill(1, |file| write_chrome(file, &view))?;
    let paths = output.commit()?;
    fail::print(&Converted { blob: &blob, chrome: &chrome, paths: &paths }.to_string())
}

/// What there is to say of it.
struct Converted<'a> {
    blob: &'a Blob,
    chrome: &'a ChromeSummary,
    /// events.json, trace.json.
    paths: &'a [PathBuf; 2],
}

impl fmt::Display for Converted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let blob = self.blob;
        let total: Counts = blob.counts.iter().map(|counts| counts.total).sum();
        let here = blob.events.len() as u64;
        let lasted = nanos(blob.stop_ns.saturating_sub(blob.start_ns));
        let (epoch, clock, error) = (blob.epoch, blob.clock.as_str(), blob.clock_error_ns);
        let clock = fail::one_line(clock);
        writeln!(
            f,
            "capture {epoch} on {} shards: {lasted} by the clock {clock} (within {error} ns)",
            blob.shards
        )?;
        table(f, &blob.counts, self.chrome)?;
        writeln!(f)?;
        writeln!(f, "{} events and {} names are in the file", grouped(here), blob.names.len())?;
        let refused = blob.counts.iter().map(|counts| counts.refused).sum();
        let odd = [
            // The reader has seen to it that no more are here than were drained.
            (total.drained.saturating_sub(here), "events were read before it was written"),
            (total.displaced, "events were overwritten before they were read"),
            (total.discarded, "events were lost at the stop"),
            (refused, "emits were turned away at a start or stop"),
            (blob.misdirected, "emits named a shard that does not exist"),
            (blob.names_dropped, "names were not kept"),
        ];
        odd.iter()
            .filter(|(count, _)| *count > 0)
            .try_for_each(|(count, words)| writeln!(f, "{} {words}", grouped(*count)))?;
        if total.lost() == 0 {
            writeln!(f, "no event was lost")?;
        }
        let [events, trace] = self.paths.each_ref().map(|file| path(file));
        writeln!(f, "events: {events}")?;
        writeln!(f, "trace:  {trace} (open https://ui.perfetto.dev and drop the file there)")
    }
}
