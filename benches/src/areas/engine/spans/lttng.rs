//! LTTng-UST in overwrite mode, if it is installed: a tracepoint provider in C, built and given a
//! session by `lttng/stand`, and loaded into this process.
#![allow(unsafe_code, reason = "the provider is a C library")]

use std::ffi::c_int;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, fs, process, thread};

use libloading::{Library, Symbol};

use crate::measure::{Plan, Sample, beside, solo};

type Pair = unsafe extern "C" fn(u64, u64);
type Enabled = unsafe extern "C" fn() -> c_int;

/// A running session. Ends with this value.
pub struct Session {
    folder: PathBuf,
    pair: Pair,
    span: u64,
}

fn stand(step: &str, folder: &Path) -> Result<String, String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("lttng/stand");
    let output = Command::new(&script).arg(step).arg(folder).output();
    let output = output.map_err(|error| format!("{}: {error}", script.display()))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    } else {
        let why = String::from_utf8_lossy(&output.stderr);
        Err(why.lines().last().unwrap_or("lttng/stand failed and does not say why").to_owned())
    }
}

impl Session {
    /// Starts a session and loads the provider. Its threads live beside the measured one.
    ///
    /// # Errors
    /// Why that is not possible here, in a line.
    pub fn start() -> Result<Self, String> {
        let folder = env::temp_dir().join(format!("sys-trace-benches-{}", process::id()));
        // Made before anything can fail, so that everything is taken down again.
        let mut session = Self { folder, pair: nothing, span: 0 };
        let folder = session.folder.clone();
        let (pair, enabled) = beside(move || {
            stand("up", &folder)?;
            load(&folder.join("provider.so"))
        })?;
        session.pair = pair;
        // The daemon tells the library what is wanted when it hears of this process.
        for _ in 0..500 {
            // SAFETY: the provider's function, which takes nothing.
            if unsafe { enabled() } != 0 {
                return Ok(session);
            }
            thread::sleep(Duration::from_millis(10));
        }
        Err("no session asked for the marks within 5 s".into())
    }

    #[inline]
    fn pair(&mut self) {
        self.span += 1;
        // SAFETY: the provider's function, which takes two numbers.
        unsafe { (self.pair)(self.span, 3) };
    }

    /// Pairs on this thread.
    pub fn sample(&mut self, plan: &Plan) -> Sample {
        solo(plan.solo, 128, || self.pair())
    }

    /// Proves that pairs are in the session's ring, and that it then overwrites.
    ///
    /// # Panics
    /// If they are not.
    pub fn prove(&mut self) {
        (0..1000).for_each(|_| self.pair());
        assert_eq!(self.count(), 1000, "lttng-ust: other pairs than were made");
        (0..1_000_000).for_each(|_| self.pair());
        let kept = self.count();
        assert!((1000..1_000_000).contains(&kept), "lttng-ust: {kept} pairs kept, no full ring");
    }

    /// Pairs in the ring.
    fn count(&self) -> u64 {
        let count = stand("count", &self.folder).unwrap_or_else(|why| panic!("lttng-ust: {why}"));
        count.parse().unwrap_or_else(|_| panic!("lttng-ust: '{count}' is no count"))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // There may be no session to end.
        _ = stand("down", &self.folder);
        _ = fs::remove_dir_all(&self.folder);
    }
}

unsafe extern "C" fn nothing(_: u64, _: u64) {}

/// The provider's two functions.
fn load(path: &Path) -> Result<(Pair, Enabled), String> {
    let say = |error: libloading::Error| error.to_string();
    // SAFETY: the library was built from `lttng/provider.c` just now; what it does when it is loaded
    // is to announce itself to LTTng.
    let library = unsafe { Library::new(path) }.map_err(say)?;
    // Its threads run on: it is never unloaded.
    let library: &'static Library = Box::leak(Box::new(library));
    // SAFETY: that is its type in `lttng/provider.c`.
    let pair: Symbol<'_, Pair> = unsafe { library.get(b"sys_trace_benches_pair") }.map_err(say)?;
    // SAFETY: that is its type in `lttng/provider.c`.
    let enabled: Symbol<'_, Enabled> =
        unsafe { library.get(b"sys_trace_benches_enabled") }.map_err(say)?;
    Ok((*pair, *enabled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[ignore = "starts LTTng's daemon if it is installed"]
    fn pairs_are_in_the_ring() {
        Session::start().unwrap().prove();
    }

    #[test]
    fn a_failed_step_says_why() {
        let why = stand("sideways", Path::new("nowhere")).unwrap_err();
        assert!(why.contains("'sideways'"), "{why}");
    }
}
