//! What the demo prints at its end.

mod slowest;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use sys_trace::{Counts, ShardCounts};
use sys_trace_export::ChromeSummary;

use crate::capture::Captured;
use crate::fail::one_line;
use crate::runtime::Outcome;
use crate::text::{bytes, grouped, hex, nanos, path, time};

/// The slowest spans that are shown.
const SLOWEST: usize = 5;

/// Everything there is to say.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    pub(crate) cores: u32,
    pub(crate) outcome: &'a Outcome,
    pub(crate) captured: &'a Captured,
    pub(crate) chrome: &'a ChromeSummary,
    /// Of the runtime alone.
    pub(crate) worked: Duration,
    /// Of the whole command.
    pub(crate) elapsed: Duration,
    /// events.json, trace.json.
    pub(crate) paths: &'a [PathBuf; 2],
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.work(f)?;
        table(f, &self.captured.counts, self.chrome)?;
        self.losses(f)?;
        self.slowest(f)?;
        self.files(f)
    }
}

impl Report<'_> {
    fn work(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let manifest = &self.outcome.manifest;
        let (files, size) = (grouped(manifest.files()), bytes(manifest.bytes()));
        writeln!(
            f,
            "digested {files} files, {size}, on {} in {}",
            plural(self.cores, "core"),
            time(self.worked)
        )?;
        writeln!(f, "skipped: {}", self.outcome.skips)?;
        if let Some(first) = self.outcome.skips.first_error() {
            writeln!(f, "first of them that failed: {first}")?;
        }
        writeln!(f, "combined SHA-256: {}", hex(&manifest.combined()))
    }

    fn losses(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (captured, chrome) = (self.captured, self.chrome);
        let total = captured.total();
        let refused: u64 = captured.counts.iter().map(|counts| counts.refused).sum();
        writeln!(f)?;
        if total.displaced > 0 {
            let (lost, created) = (grouped(total.displaced), grouped(total.created));
            writeln!(
                f,
                "{lost} of {created} events were overwritten before they were read; both files say so, shard by shard"
            )?;
            let ring = grouped(captured.info.ring_events);
            writeln!(f, "each ring held {ring} events: a larger --ring keeps more")?;
        }
        if total.discarded > 0 {
            writeln!(f, "{} events were lost at the stop", grouped(total.discarded))?;
        }
        if total.lost() == 0 {
            writeln!(f, "no event was lost")?;
        }
        let odd = [
            (chrome.unfinished, "spans have no stop"),
            (chrome.start_lost, "spans have lost their start"),
            (refused, "emits were turned away at the start or stop of a shard"),
            (captured.misdirected, "emits named a shard that does not exist"),
            (captured.names_dropped, "names of kinds were not kept"),
        ];
        odd.iter()
            .filter(|(count, _)| *count > 0)
            .try_for_each(|(count, words)| writeln!(f, "{} {words}", grouped(*count)))
    }

    fn slowest(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spans = slowest::slowest(&self.captured.events, SLOWEST);
        if spans.is_empty() {
            return Ok(());
        }
        writeln!(f, "\nslowest spans")?;
        for span in spans {
            let record = span.request().and_then(|number| self.outcome.manifest.find(number));
            // Not every payload has room for the model; the file's request knows it.
            let model = span.model_id().and_then(|id| self.captured.name(id));
            let model = model.or(record.map(|record| &*record.kind)).unwrap_or("-");
            let (duration, name, shard) = (nanos(span.duration_ns), span.name(), span.start.nc_idx);
            write!(f, "{duration:>10}  {name:<20} {:<15} shard {shard:<3}", one_line(model))?;
            match record {
                Some(record) => {
                    writeln!(f, " {:>12}  {}", bytes(record.bytes), path(&record.path))?;
                }
                None => writeln!(f, " {:>12}  no digested file", "-")?,
            }
        }
        Ok(())
    }

    fn files(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let created = self.captured.total().created;
        let seconds = self.worked.as_secs_f64();
        let rate = if seconds > 0.0 { created as f64 / seconds } else { 0.0 };
        writeln!(f, "\nevents per second: {}", grouped(rate as u64))?;
        writeln!(f, "elapsed in total: {}", time(self.elapsed))?;
        let [events, trace] = self.paths.each_ref().map(|file| path(file));
        writeln!(f, "events: {events}")?;
        writeln!(f, "trace:  {trace} (open https://ui.perfetto.dev and drop the file there)")
    }
}

/// What became of the events, shard by shard and in total.
pub(crate) fn table(
    f: &mut fmt::Formatter<'_>,
    counts: &[ShardCounts],
    chrome: &ChromeSummary,
) -> fmt::Result {
    let heads = ["created", "drained", "displaced", "lost at stop", "spans"];
    write!(f, "\nshard")?;
    heads.iter().try_for_each(|head| write!(f, " {head:>13}"))?;
    writeln!(f)?;
    for ShardCounts { shard, total, .. } in counts {
        // Slices of the shard in trace.json.
        let of_shard = chrome.shards.iter().find(|summary| summary.shard == *shard);
        row(f, &shard.to_string(), total, of_shard.map_or(0, |summary| summary.slices))?;
    }
    row(f, "total", &counts.iter().map(|it| it.total).sum(), chrome.slices)
}

/// `1 core`, `2 cores`.
fn plural(count: u32, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

fn row(f: &mut fmt::Formatter<'_>, name: &str, counts: &Counts, spans: u64) -> fmt::Result {
    write!(f, "{name:>5}")?;
    let Counts { created, drained, displaced, discarded } = *counts;
    for number in [created, drained, displaced, discarded, spans] {
        write!(f, " {:>13}", grouped(number))?;
    }
    writeln!(f)
}
