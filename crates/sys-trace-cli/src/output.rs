//! [`Output`]: the output folder and the files that appear in it all at once, or not at all.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::fail::Fail;

/// Names of the files.
pub(crate) const EVENTS: &str = "events.json";
pub(crate) const TRACE: &str = "trace.json";

/// The files of a run under temporary names, until [`commit`](Output::commit) gives them theirs.
/// Dropped before that, it leaves no file behind, and no folder that it made.
#[derive(Debug)]
pub(crate) struct Output {
    folder: Folder,
    /// In the order of [`EVENTS`], [`TRACE`].
    files: Option<[NamedTempFile; 2]>,
}

#[derive(Debug)]
struct Folder {
    path: PathBuf,
    /// Made by us, and nothing is in it yet.
    made: bool,
}

impl Output {
    /// Makes the folder if it is missing, and the temporary files: whatever would prevent the run
    /// from being written shows here, before the work.
    pub(crate) fn create(path: &Path) -> Result<Output, Fail> {
        let fail = |what: &str, error: io::Error| {
            Fail::new(format!("cannot {what} the output folder {path:?}: {error}"))
        };
        let made = !path.exists();
        if made {
            fs::create_dir_all(path).map_err(|error| fail("make", error))?;
        } else if !path.is_dir() {
            return Err(Fail::new(format!("the output folder {path:?} is not a folder")));
        }
        let folder = Folder { path: path.to_path_buf(), made };
        for name in [EVENTS, TRACE] {
            let name = path.join(name);
            if name.is_dir() {
                return Err(Fail::new(format!("cannot replace {name:?}: it is a folder")));
            }
        }
        let file = || temporary(path).map_err(|error| fail("write to", error));
        let files = Some([file()?, file()?]);
        Ok(Output { folder, files })
    }

    /// Lets `write` fill a file: `index` 0 is [`EVENTS`], 1 is [`TRACE`].
    pub(crate) fn fill<T>(
        &mut self,
        index: usize,
        write: impl FnOnce(&mut File) -> io::Result<T>,
    ) -> Result<T, Fail> {
        let name = self.folder.path.join([EVENTS, TRACE][index]);
        let file = self.files.as_mut().and_then(|files| files.get_mut(index));
        let file = file.ok_or_else(|| Fail::new(format!("{name:?} is written already")))?;
        write(file.as_file_mut())
            .map_err(|error| Fail::new(format!("cannot write {name:?}: {error}")))
    }

    /// Gives the files their names; answers the paths.
    pub(crate) fn commit(mut self) -> Result<[PathBuf; 2], Fail> {
        let names = [EVENTS, TRACE].map(|name| self.folder.path.join(name));
        self.folder.made = false;
        let files = self.files.take().into_iter().flatten();
        for (index, (file, name)) in files.zip(&names).enumerate() {
            if let Err(error) = file.persist(name) {
                // Two files of different runs would be worse than none.
                for stale in &names[..index] {
                    let _ = fs::remove_file(stale);
                }
                return Err(Fail::new(format!("cannot name {name:?}: {}", error.error)));
            }
        }
        Ok(names)
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        // The files go before their folder.
        self.files = None;
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.made {
            // Only removes an empty folder; one that somebody uses already stays.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".sys-trace-").suffix(".tmp");
    // Results are for everybody whom the umask does not exclude, as with any file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn what_is_not_committed_leaves_nothing() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("out");
        let mut output = Output::create(&folder).unwrap();
        output.fill(0, |file| file.write_all(b"half")).unwrap();
        output.fill(1, |_| Err::<(), _>(io::Error::other("full"))).unwrap_err();
        drop(output);
        assert!(!folder.exists());

        fs::create_dir(&folder).unwrap();
        drop(Output::create(&folder).unwrap());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_in_the_place_of_a_file_shows_before_the_work() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join(TRACE)).unwrap();
        assert!(Output::create(root.path()).unwrap_err().to_string().contains("trace.json"));
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    }

    #[test]
    fn two_files_or_none() {
        let root = tempfile::tempdir().unwrap();
        let output = Output::create(root.path()).unwrap();
        // Comes between the check and the commit.
        fs::create_dir(root.path().join(TRACE)).unwrap();
        output.commit().unwrap_err();
        assert!(!root.path().join(EVENTS).exists());
        fs::remove_dir(root.path().join(TRACE)).unwrap();
        Output::create(root.path()).unwrap().commit().unwrap();
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 2);
    }
}
