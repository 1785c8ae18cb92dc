//! [`Walk`]: the regular files of a folder.

use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use crate::fail::Fail;
use crate::skip::{Skip, Skips};

/// A cache folder holds a file of this name …
const TAG_NAME: &str = "CACHEDIR.TAG";
/// … that begins with these bytes.
const TAG: &[u8; 43] = b"Signature: 8a477f597d28d172789f06886806bc55";

/// A folder whose regular files are wanted.
#[derive(Debug)]
pub(crate) struct Walk {
    root: PathBuf,
    /// Our own output folder, absolute and without links, if it exists.
    output: Option<PathBuf>,
}

impl Walk {
    /// The files of `root`.
    pub(crate) fn new(root: &Path) -> Result<Walk, Fail> {
        let metadata = fs::metadata(root).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Fail::new(format!("the folder {root:?} does not exist")),
            _ => Fail::new(format!("cannot enter the folder {root:?}: {error}")),
        })?;
        if !metadata.is_dir() {
            return Err(Fail::new(format!("{root:?} is not a folder")));
        }
        fs::read_dir(root)
            .map_err(|error| Fail::new(format!("cannot list the folder {root:?}: {error}")))?;
        Ok(Walk { root: root.to_path_buf(), output: None })
    }

    /// Leaves out the folder `output`. While it does not exist there is nothing to leave out: call
    /// again once it is made.
    pub(crate) fn leave_out(&mut self, output: &Path) -> Result<(), Fail> {
        self.output = fs::canonicalize(output).ok();
        if self.output.is_some() && self.output == fs::canonicalize(&self.root).ok() {
            return Err(Fail::new(format!(
                "the output folder {output:?} is the folder to digest: name another with --out"
            )));
        }
        Ok(())
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Calls `each` with every regular file until it breaks, folder by folder, by name. What is
    /// left out is counted in `skips`.
    pub(crate) fn files(
        &self,
        skips: &mut Skips,
        mut each: impl FnMut(PathBuf) -> ControlFlow<()>,
    ) {
        // Links are not followed, so loops of them do no harm; the root itself may be one.
        let mut walk = WalkDir::new(&self.root).follow_links(false).sort_by_file_name().into_iter();
        while let Some(entry) = walk.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let path = error.path().unwrap_or(&self.root).to_path_buf();
                    let error = io::Error::from(error);
                    let skip = match error.kind() {
                        io::ErrorKind::NotFound => Skip::Vanished,
                        _ => Skip::UnreadableFolder,
                    };
                    // The system's words alone: the path stands beside them.
                    let words = error
                        .get_ref()
                        .and_then(|inner| inner.source())
                        .map_or_else(|| error.to_string(), ToString::to_string);
                    skips.error(skip, &path, &io::Error::other(words));
                    continue;
                }
            };
            let kind = entry.file_type();
            if kind.is_dir() {
                if let Some(skip) = self.skipped_folder(&entry) {
                    skips.count(skip);
                    walk.skip_current_dir();
                }
            } else if kind.is_file() {
                if each(entry.into_path()).is_break() {
                    break;
                }
            } else if kind.is_symlink() {
                skips.count(Skip::SymbolicLink);
            } else {
                skips.count(Skip::SpecialFile);
            }
        }
    }

    /// Why this folder is not entered. The root is what was asked for, tagged or not.
    fn skipped_folder(&self, entry: &DirEntry) -> Option<Skip> {
        if entry.depth() == 0 {
            None
        } else if self.is_output(entry) {
            Some(Skip::OutputFolder)
        } else if is_tagged(entry.path()).unwrap_or(false) {
            Some(Skip::CacheFolder)
        } else {
            None
        }
    }

    fn is_output(&self, entry: &DirEntry) -> bool {
        let Some(output) = &self.output else { return false };
        output.file_name() == Some(entry.file_name())
            && fs::canonicalize(entry.path()).is_ok_and(|path| path == *output)
    }
}

/// Whether a regular file in `folder` tags it as a cache.
fn is_tagged(folder: &Path) -> io::Result<bool> {
    let path = folder.join(TAG_NAME);
    if !fs::symlink_metadata(&path)?.is_file() {
        return Ok(false);
    }
    let mut start = [0; TAG.len()];
    File::open(path)?.read_exact(&mut start)?;
    Ok(start == *TAG)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(root: &Path, output: &Path) -> (Vec<String>, String) {
        let (mut found, mut skips) = (Vec::new(), Skips::default());
        let mut walk = Walk::new(root).unwrap();
        walk.leave_out(output).unwrap();
        walk.files(&mut skips, |path| {
            found.push(path.strip_prefix(root).unwrap().display().to_string());
            ControlFlow::Continue(())
        });
        (found, skips.to_string())
    }

    #[test]
    fn leaves_out_valid_caches_and_the_output() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for (name, tag) in [
            ("cache", Some(&b"Signature: 8a477f597d28d172789f06886806bc55 and more"[..])),
            ("forged", Some(&b"Signature: 8a477f597d28d172789f06886806bc5"[..])),
            ("out", None),
            ("sub", None),
            ("sub/out", None),
        ] {
            fs::create_dir(root.join(name)).unwrap();
            fs::write(root.join(name).join("file"), "x").unwrap();
            if let Some(tag) = tag {
                fs::write(root.join(name).join(TAG_NAME), tag).unwrap();
            }
        }
        let (found, skipped) = names(root, &root.join("out"));
        assert_eq!(found, ["forged/CACHEDIR.TAG", "forged/file", "sub/file", "sub/out/file"]);
        assert_eq!(skipped, "folders tagged CACHEDIR.TAG 1, the output folder 1");
        // Asked for by name, a cache is like any folder.
        assert_eq!(names(&root.join("cache"), &root.join("out")).0, [TAG_NAME, "file"]);
    }
}
