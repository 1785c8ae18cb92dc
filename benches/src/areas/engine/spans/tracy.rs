//! tracy-client without a profiler connected: it keeps all zones for the one that may come.

use std::fs;
use std::time::Duration;

use tracy_client::Client;

use crate::measure::{Plan, Sample, beside, solo};

/// What its queue keeps of one begin or end.
const ITEM: usize = 32;
/// Its queue, in pages of 4096 bytes or more, is never emptied: a sample of it is short.
const LONGEST: Duration = Duration::from_millis(5);

/// Starts the client. Its threads live beside the measured one.
///
/// # Errors
/// If the processor lacks what it insists on: it would end the process.
pub fn install() -> Result<(), String> {
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    if cfg!(target_arch = "x86_64") && !cpus.contains(" nonstop_tsc") {
        return Err("the processor's cycle counter is not invariant".into());
    }
    beside(|| _ = Client::start());
    Ok(())
}

#[inline]
fn pair() {
    drop(tracy_client::span!("execute"));
}

/// Pairs on this thread.
pub fn sample(plan: &Plan) -> Sample {
    solo(plan.solo.min(LONGEST), 128, pair)
}

/// Proves that begin and end of every zone are kept. The client tells nobody but a profiler what it
/// has; that its memory grows by what they need is what can be seen.
///
/// # Panics
/// If it grows by less.
pub fn prove() {
    const PAIRS: usize = 1_000_000;
    assert!(!Client::is_connected(), "tracy: a profiler is connected");
    pair();
    let before = resident();
    (0..PAIRS).for_each(|_| pair());
    let (grown, least) = (resident().saturating_sub(before), PAIRS * 2 * ITEM);
    // A tenth for what others in the process give back meanwhile.
    assert!(
        grown >= least - least / 10,
        "tracy: grew by {grown} bytes, {PAIRS} zones need {least}"
    );
}

/// Resident bytes of the process.
fn resident() -> usize {
    let text = fs::read_to_string("/proc/self/statm").expect("the kernel tells");
    let pages = text.split_whitespace().nth(1).and_then(|field| field.parse::<usize>().ok());
    pages.expect("a number of pages") * rustix::param::page_size()
}

#[cfg(test)]
mod tests {
    #[test]
    fn zones_are_kept() {
        match super::install() {
            Ok(()) => super::prove(),
            Err(why) => println!("not tested: {why}"),
        }
    }
}
