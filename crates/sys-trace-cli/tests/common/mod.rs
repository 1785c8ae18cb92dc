//! Folders to digest, runs of the program, and readers of what it prints and writes.
#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_sys-trace");

/// What a run of the program did.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Run {
        Run {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("standard output is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("standard error is UTF-8"),
        }
    }
}

pub(crate) fn run<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Run {
    Command::new(BINARY).args(args).output().expect("the program starts").into()
}

/// `demo DIR --out OUT` and more.
pub(crate) fn demo(dir: &Path, out: &Path, more: &[&str]) -> Run {
    let first = [OsStr::new("demo"), dir.as_os_str(), OsStr::new("--out"), out.as_os_str()];
    run(first.into_iter().chain(more.iter().map(OsStr::new)))
}

impl Run {
    /// Standard output of a run that went well.
    #[track_caller]
    pub(crate) fn ok(&self) -> &str {
        assert_eq!(self.code, Some(0), "{self:?}");
        let progress = |line: &str| line.starts_with("digested ") && line.ends_with(" files");
        assert!(self.stderr.lines().all(progress), "{self:?}");
        &self.stdout
    }

    /// The one line of a run that was refused.
    #[track_caller]
    pub(crate) fn refused(&self) -> &str {
        assert_eq!(self.code, Some(2), "{self:?}");
        assert_eq!(self.stdout, "", "{self:?}");
        let line = self.stderr.strip_suffix('\n').expect("the line ends");
        assert!(line.starts_with("error: ") && line.lines().count() == 1, "{self:?}");
        line
    }

    /// What stands behind `head` on its line.
    #[track_caller]
    pub(crate) fn after(&self, head: &str) -> &str {
        let line = self.stdout.lines().find_map(|line| line.strip_prefix(head));
        line.unwrap_or_else(|| panic!("no line begins with {head:?}: {self:?}"))
    }

    /// The table, the total under `None`.
    #[track_caller]
    pub(crate) fn table(&self) -> BTreeMap<Option<u64>, Row> {
        let mut lines = self.stdout.lines().skip_while(|line| !line.starts_with("shard "));
        assert_eq!(
            lines.next().map(|heads| heads.split_whitespace().collect::<Vec<_>>().join(" ")),
            Some("shard created drained displaced lost at stop spans".into())
        );
        let rows = lines.take_while(|line| !line.is_empty()).map(|line| {
            let cells: Vec<&str> = line.split_whitespace().collect();
            let number = |cell: &&str| cell.replace(',', "").parse().expect("a number");
            let [created, drained, displaced, lost, spans] =
                cells[1..].iter().map(number).collect::<Vec<u64>>()[..]
            else {
                panic!("a row has six cells: {line:?}")
            };
            (cells[0].parse().ok(), Row { created, drained, displaced, lost, spans })
        });
        let mut table: BTreeMap<_, _> = rows.collect();
        let total = table.remove(&None).expect("a total");
        let sum = table.values().fold(Row::default(), |sum, row| Row {
            created: sum.created + row.created,
            drained: sum.drained + row.drained,
            displaced: sum.displaced + row.displaced,
            lost: sum.lost + row.lost,
            spans: sum.spans + row.spans,
        });
        assert_eq!(sum, total, "{}", self.stdout);
        table.insert(None, total);
        table
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) created: u64,
    pub(crate) drained: u64,
    pub(crate) displaced: u64,
    pub(crate) lost: u64,
    pub(crate) spans: u64,
}

/// events.json and trace.json of a run.
pub(crate) struct Files {
    pub(crate) events: Value,
    pub(crate) trace: Value,
}

impl Files {
    #[track_caller]
    pub(crate) fn read(out: &Path) -> Files {
        assert_eq!(names(out), ["events.json", "trace.json"]);
        let read = |name| {
            let text = fs::read(out.join(name)).expect("the file is there");
            serde_json::from_slice(&text).expect("the file is valid JSON")
        };
        Files { events: read("events.json"), trace: read("trace.json") }
    }

    pub(crate) fn events(&self) -> &[Value] {
        self.events["events"].as_array().expect("events")
    }

    /// Trace events of this kind.
    pub(crate) fn traced<'a>(&'a self, ph: &'a str) -> impl Iterator<Item = &'a Value> {
        let all = self.trace["traceEvents"].as_array().expect("trace events");
        all.iter().filter(move |event| event["ph"] == ph)
    }
}

/// Names in a folder, sorted; those that are not UTF-8 with replacements.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder can be listed");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// A new folder with `files` small files of several kinds, in folders of 50.
pub(crate) fn tree(files: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for number in 0..files {
        let inside = folder.path().join(format!("part-{}", number / 50));
        fs::create_dir_all(&inside).expect("a folder inside");
        let extension = [".rs", ".txt", ".MD", ".json", ""][number % 5];
        let content = format!("file {number}\n").repeat(1 + number % 40);
        fs::write(inside.join(format!("file-{number}{extension}")), content).expect("a file");
    }
    folder
}

/// Regular files below `root`, relative to it, found by means of our own. Folders called `cache`
/// are left out.
pub(crate) fn regular_files(root: &Path) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![root.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the folder can be listed") {
            let path = entry.expect("an entry").path();
            let kind = fs::symlink_metadata(&path).expect("metadata").file_type();
            if kind.is_dir() && path.file_name() != Some(OsStr::new("cache")) {
                folders.push(path);
            } else if kind.is_file() {
                files.push(path.strip_prefix(root).expect("it is below").to_path_buf());
            }
        }
    }
    files
}
