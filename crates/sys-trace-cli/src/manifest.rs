//! [`Manifest`]: the digests of all files, and one digest over them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::text::hex;

/// A SHA-256 digest.
pub(crate) type Digest = [u8; 32];

/// One digested file.
#[derive(Debug)]
pub(crate) struct Record {
    /// Number of its request.
    pub(crate) number: u64,
    /// Relative to the folder.
    pub(crate) path: PathBuf,
    /// What sort of file it is.
    pub(crate) kind: Arc<str>,
    pub(crate) bytes: u64,
    pub(crate) digest: Digest,
}

/// The digested files of a folder. Takes a path and about 100 bytes per file.
#[derive(Debug, Default)]
pub(crate) struct Manifest {
    records: Vec<Record>,
}

impl Manifest {
    pub(crate) fn push(&mut self, record: Record) {
        self.records.push(record);
    }

    pub(crate) fn files(&self) -> u64 {
        self.records.len() as u64
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.records.iter().map(|record| record.bytes).sum()
    }

    /// The file of a request.
    pub(crate) fn find(&self, number: u64) -> Option<&Record> {
        self.records.iter().find(|record| record.number == number)
    }

    /// The digest of the list of files, whatever the order in which they were digested.
    ///
    /// It is what `find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum -z | sha256sum`
    /// prints inside the folder, when no file was skipped.
    pub(crate) fn combined(&self) -> Digest {
        let bytes = |path: &Path| path.as_os_str().as_encoded_bytes().to_vec();
        let mut lines: Vec<(Vec<u8>, Digest)> =
            self.records.iter().map(|record| (bytes(&record.path), record.digest)).collect();
        lines.sort_unstable();
        let mut hasher = Sha256::new();
        for (path, digest) in lines {
            hasher.update(hex(&digest));
            hasher.update("  ./");
            hasher.update(path);
            hasher.update([0]);
        }
        hasher.finalize().into()
    }
}
