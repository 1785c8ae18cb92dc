//! The arguments: what can be asked for, and the one line that says what is wrong with them.

use std::error::Error as _;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::{ContextKind, ErrorKind};
use clap::{Args, Parser, Subcommand};
use sys_trace::{Config, EventSet, ShardSet};

use crate::fail::Fail;

/// Most virtual cores: the shards of an engine.
pub(crate) const MAX_CORES: u32 = 256;

/// Capture what a runtime does, and look at it.
#[derive(Debug, Parser)]
#[command(name = "sys-trace", version, arg_required_else_help = false)]
struct Line {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a small runtime that digests the files of a folder, and capture it.
    ///
    /// Every regular file becomes a request: it is posted to one of the virtual cores, read,
    /// digested with SHA-256, and its digest is returned. Written are events.json (the events) and
    /// trace.json (a timeline for ui.perfetto.dev).
    ///
    /// Skipped and counted: symbolic links (never followed), special files, what cannot be read,
    /// the output folder, and folders inside DIR that a CACHEDIR.TAG marks as a cache, such as
    /// cargo's build folder.
    Demo(Demo),

    /// Turn a binary capture, such as firmware dumps, into events.json and trace.json.
    ///
    /// Both files say what was lost and what the names are. A file that is cut off, or whose books do
    /// not add up, is refused.
    Convert(Convert),
}

#[derive(Debug, Args)]
pub(crate) struct Convert {
    /// The binary capture.
    pub(crate) file: PathBuf,

    /// Folder for events.json and trace.json, made if it is missing.
    #[arg(long, value_name = "FOLDER", default_value = "sys-trace-converted")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Folder whose regular files are digested.
    #[arg(default_value = ".")]
    pub(crate) dir: PathBuf,

    /// Virtual cores, 1 to 256, each a thread with a queue [default: those of the machine, at least
    /// 2].
    #[arg(long, value_name = "N", value_parser = cores, allow_negative_numbers = true)]
    pub(crate) cores: Option<u32>,

    /// Events that each shard keeps before it overwrites the oldest; less than 1024 is raised to
    /// that.
    #[arg(
        long,
        value_name = "EVENTS",
        value_parser = ring,
        allow_negative_numbers = true,
        default_value_t = Config::DEFAULT_EVENTS_PER_SHARD
    )]
    pub(crate) ring: u64,

    /// Folder for events.json and trace.json, made if it is missing.
    #[arg(long, value_name = "FOLDER", default_value = "sys-trace-demo")]
    pub(crate) out: PathBuf,

    /// Event types to capture: names with commas between, `^` takes away; also the groups hardware
    /// and software, all, none.
    #[arg(long, value_name = "LIST", value_parser = types)]
    pub(crate) only_types: Option<EventSet>,

    /// Shards to capture, each a core: numbers and ranges with commas between, such as 0,2-3.
    #[arg(long, value_name = "LIST", value_parser = shards, allow_negative_numbers = true)]
    pub(crate) only_shards: Option<ShardSet>,
}

/// What the arguments ask for.
#[derive(Debug)]
pub(crate) enum Parsed {
    Run(Command),
    /// Help or version: print it and be done.
    Print(String),
}

/// Reads the arguments, the program's name included.
pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Parsed, Fail> {
    let error = match Line::try_parse_from(args) {
        Ok(line) => return Ok(Parsed::Run(line.command)),
        Err(error) => error,
    };
    let text = error.to_string();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Ok(Parsed::Print(text)),
        _ => Err(Fail::new(bad_value(&error).unwrap_or_else(|| first_paragraph(&text)))),
    }
}

/// What is wrong with the value of an option: whatever the value, all of it.
fn bad_value(error: &clap::Error) -> Option<String> {
    let (arg, value) = (error.get(ContextKind::InvalidArg)?, error.get(ContextKind::InvalidValue)?);
    Some(format!("invalid value '{value}' for '{arg}': {}", error.source()?))
}

/// What is wrong with the rest; usage and hints follow after it.
fn first_paragraph(text: &str) -> String {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let lines: Vec<&str> = text.lines().map(str::trim).take_while(|it| !it.is_empty()).collect();
    lines.join(" ")
}

fn cores(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(cores) if (1..=MAX_CORES).contains(&cores) => Ok(cores),
        _ => Err(format!("expected a number of cores from 1 to {MAX_CORES}")),
    }
}

fn ring(text: &str) -> Result<u64, String> {
    let limit = Config::MAX_EVENTS_PER_SHARD;
    let range = format!("expected a number of events per shard from 1 to {limit}");
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(range);
    }
    // Only digits: what does not fit is too large.
    let events: u64 = text.parse().map_err(|_| range.clone())?;
    if events > limit {
        let bytes = Config::new().events_per_shard(events).ring_bytes(1);
        return Err(format!("{range}; this many would take {bytes} bytes per shard"));
    }
    if events == 0 { Err(range) } else { Ok(events) }
}

fn types(text: &str) -> Result<EventSet, String> {
    EventSet::parse(text).map_err(|error| error.to_string())
}

fn shards(text: &str) -> Result<ShardSet, String> {
    ShardSet::parse(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(args: &[&str]) -> String {
        let args = ["sys-trace"].iter().chain(args).map(OsString::from);
        parse(args).expect_err("these arguments are refused").to_string()
    }

    #[test]
    fn the_command_line_is_well_formed() {
        <Line as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn errors_are_one_line_and_name_value_and_limit() {
        assert_eq!(
            refused(&["demo", "--cores", "257"]),
            "invalid value '257' for '--cores <N>': expected a number of cores from 1 to 256"
        );
        assert_eq!(
            refused(&["demo", "--ring", "-1"]),
            "invalid value '-1' for '--ring <EVENTS>': \
             expected a number of events per shard from 1 to 268435456"
        );
        assert!(refused(&["demo", "--ring", "18446744073709551615"]).ends_with(
            "from 1 to 268435456; this many would take 2361183241434822606720 bytes per shard"
        ));
        assert!(refused(&["demo", "--ring", "99999999999999999999999"]).contains("268435456"));
        assert!(refused(&["demo", "--only-types", "a\nb"]).contains("unknown event type"));
        assert!(refused(&[]).contains("requires a subcommand"));
        assert!(refused(&["demon"]).contains("'demon'"));
        for args in [&["demo", "--only-types", "a\n\nb"][..], &[], &["demo", "a", "b"]] {
            assert!(!refused(args).contains('\n'));
        }
    }
}
