//! [`Progress`]: how far the run is, on standard error.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::text::grouped;

/// No plain line comes sooner after another, except at the quarters.
const PERIOD: Duration = Duration::from_secs(10);

/// A bar on a terminal; elsewhere a line at each quarter, and every ten seconds.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    total: u64,
    done: u64,
    quarters: u64,
    spoken: Instant,
}

impl Progress {
    /// Of `total` files. Says nothing yet.
    pub(crate) fn new(total: u64) -> Progress {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(total);
            match ProgressStyle::with_template("{bar:40} {pos}/{len} files, {elapsed}") {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            }
        });
        Progress { bar, total, done: 0, quarters: 0, spoken: Instant::now() }
    }

    /// One more file.
    pub(crate) fn step(&mut self) {
        self.done += 1;
        if let Some(bar) = &self.bar {
            bar.inc(1);
            return;
        }
        // A folder that grows meanwhile has more files than were counted.
        let quarters = (4 * self.done).checked_div(self.total).unwrap_or(4).min(4);
        if quarters > self.quarters || self.spoken.elapsed() >= PERIOD {
            self.quarters = quarters;
            self.spoken = Instant::now();
            let (done, total) = (grouped(self.done), grouped(self.total.max(self.done)));
            // Progress that nobody can see is no reason to stop.
            let _ = writeln!(io::stderr(), "digested {done} of {total} files");
        }
    }
}

/// Takes the bar away.
impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
