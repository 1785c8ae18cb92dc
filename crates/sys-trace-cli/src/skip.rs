//! What was not digested, and why.

use std::io;
use std::path::{Path, PathBuf};

use crate::text;

/// Why something inside the folder was not digested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skip {
    UnreadableFile,
    UnreadableFolder,
    Vanished,
    NoMemory,
    SpecialFile,
    SymbolicLink,
    CacheFolder,
    OutputFolder,
}

impl Skip {
    const ALL: [Skip; 8] = [
        Skip::UnreadableFile,
        Skip::UnreadableFolder,
        Skip::Vanished,
        Skip::NoMemory,
        Skip::SpecialFile,
        Skip::SymbolicLink,
        Skip::CacheFolder,
        Skip::OutputFolder,
    ];

    fn words(self) -> &'static str {
        match self {
            Skip::UnreadableFile => "unreadable files",
            Skip::UnreadableFolder => "unreadable folders",
            Skip::Vanished => "files that vanished",
            Skip::NoMemory => "files for want of memory",
            Skip::SpecialFile => "special files",
            Skip::SymbolicLink => "symbolic links",
            Skip::CacheFolder => "folders tagged CACHEDIR.TAG",
            Skip::OutputFolder => "the output folder",
        }
    }

    /// The reason behind an error of opening or reading a file.
    pub(crate) fn of_file(error: &io::Error) -> Skip {
        match error.kind() {
            io::ErrorKind::NotFound => Skip::Vanished,
            io::ErrorKind::OutOfMemory => Skip::NoMemory,
            _ => Skip::UnreadableFile,
        }
    }
}

/// How often each reason occurred, and the first error in full.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Skips {
    counts: [u64; Skip::ALL.len()],
    /// The first path that could not be read and the system's words for it.
    first: Option<(PathBuf, String)>,
}

impl Skips {
    pub(crate) fn count(&mut self, skip: Skip) {
        self.counts[skip as usize] += 1;
    }

    /// Counts an error at `path`.
    pub(crate) fn error(&mut self, skip: Skip, path: &Path, error: &io::Error) {
        self.count(skip);
        self.first.get_or_insert_with(|| (path.to_path_buf(), error.to_string()));
    }

    pub(crate) fn add(&mut self, other: Skips) {
        self.counts.iter_mut().zip(other.counts).for_each(|(count, more)| *count += more);
        self.first = self.first.take().or(other.first);
    }

    pub(crate) fn first_error(&self) -> Option<String> {
        self.first.as_ref().map(|(path, words)| format!("{}: {words}", text::path(path)))
    }
}

/// `symbolic links 3, special files 1`, or `nothing`.
impl std::fmt::Display for Skips {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut comma = "";
        for skip in Skip::ALL {
            let count = self.counts[skip as usize];
            if count > 0 {
                write!(f, "{comma}{} {}", skip.words(), text::grouped(count))?;
                comma = ", ";
            }
        }
        f.write_str(if comma.is_empty() { "nothing" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_counted_one_by_one() {
        for (place, skip) in Skip::ALL.into_iter().enumerate() {
            assert_eq!(place, skip as usize);
        }
        let mut skips = Skips::default();
        assert_eq!(skips.to_string(), "nothing");
        skips.count(Skip::SymbolicLink);
        let mut more = Skips::default();
        more.count(Skip::SymbolicLink);
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        more.error(Skip::of_file(&denied), Path::new("a\nb"), &denied);
        skips.add(more);
        assert_eq!(skips.to_string(), "unreadable files 1, symbolic links 2");
        assert_eq!(skips.first_error().as_deref(), Some("a\\nb: permission denied"));
    }
}
