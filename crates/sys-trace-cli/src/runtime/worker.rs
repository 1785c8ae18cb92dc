//! [`Worker`]: one virtual core.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use sha2::{Digest as _, Sha256};
use sys_trace::payload::{
    ExecCore, ExecPost, ExecPre, ExecTensorAlloc, ExecTensorFree, ExecTensorRead, ExecTensorWrite,
    ExecWait, ModelLoadStop, NrtExec,
};
use sys_trace::{EventType, Payload};

use super::Request;
use super::kind::Kind;
use super::queue::Inbox;
use super::tracer::Tracer;
use crate::manifest::Digest;

/// Most bytes read in one go, and so the most room that a core's buffer takes.
pub(super) const ROUND: u64 = 8 << 20;
/// Room for a file of length 0: the kernel's own files say so and hold text.
const ROOM_FOR_UNKNOWN: u64 = 4096;

/// What became of a request.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) number: u64,
    pub(super) path: PathBuf,
    pub(super) kind: Arc<str>,
    /// Length and digest.
    pub(super) result: Result<(u64, Digest), Refusal>,
}

/// Why there is no digest.
#[derive(Debug)]
pub(super) enum Refusal {
    Error(io::Error),
    /// Something else took the place of the file that was found.
    NotRegular,
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Refusal {
        Refusal::Error(error)
    }
}

/// A virtual core: takes requests from its inbox until that is closed.
#[derive(Debug)]
pub(super) struct Worker<'e> {
    tracer: Tracer<'e>,
    inbox: Inbox,
    replies: SyncSender<Reply>,
    /// Kinds that this core has loaded.
    loaded: HashSet<u64>,
    /// One tensor at a time; reused.
    buffer: Vec<u8>,
}

impl<'e> Worker<'e> {
    pub(super) fn new(tracer: Tracer<'e>, inbox: Inbox, replies: SyncSender<Reply>) -> Worker<'e> {
        Worker { tracer, inbox, replies, loaded: HashSet::new(), buffer: Vec::new() }
    }

    pub(super) fn run(mut self) {
        while let Some(request) = self.next() {
            let collected = self.execute(request);
            self.inbox.done();
            if !collected {
                break;
            }
        }
    }

    fn next(&self) -> Option<Request> {
        let mut wait = self.tracer.idle_span(EventType::ExecWait);
        let request = self.inbox.next()?;
        let (exec_id, model_id) = (request.number, request.kind.model_id);
        wait.set_request(exec_id);
        wait.set_stop(ExecWait { exec_id, model_id });
        Some(request)
    }

    /// Answers one request; false if nobody takes replies any more.
    fn execute(&mut self, request: Request) -> bool {
        let Request { number, path, kind } = request;
        let (exec_id, model_id) = (number, kind.model_id);
        let _execute = self.tracer.span(EventType::ExecuteApi, number, NrtExec { model_id });
        self.load(number, &kind);
        let result = self.digest(number, &path, model_id);
        let _post = self.tracer.span(EventType::ExecPost, number, ExecPost { exec_id, model_id });
        self.replies.send(Reply { number, path, kind: kind.name, result }).is_ok()
    }

    fn load(&mut self, number: u64, kind: &Kind) {
        if self.loaded.insert(kind.model_id) {
            let mut load = self.tracer.span(EventType::ModelLoad, number, Payload::ZERO);
            let model_id = self.tracer.intern(&kind.name).get();
            load.set_stop(ModelLoadStop { model_id });
        }
    }

    fn digest(
        &mut self,
        number: u64,
        path: &Path,
        model_id: u64,
    ) -> Result<(u64, Digest), Refusal> {
        let tracer = self.tracer;
        let (exec_id, tensor_id) = (number, number);
        let (mut file, length) = {
            let _pre = tracer.span(EventType::ExecPre, number, ExecPre { exec_id, model_id });
            open(path)?
        };
        // No more than the length at opening, so that a file that grows without end has one.
        let limit = if length == 0 { ROUND } else { length };
        let size = if length == 0 { ROOM_FOR_UNKNOWN } else { length.min(ROUND) };
        {
            let payload = ExecTensorAlloc { tensor_id, size };
            let _alloc = tracer.span(EventType::TensorAlloc, number, payload);
            let room = size as usize;
            self.buffer
                .try_reserve_exact(room)
                .map_err(|_| io::ErrorKind::OutOfMemory)
                .map_err(io::Error::from)?;
            self.buffer.resize(room, 0);
        }
        let mut hasher = Sha256::new();
        let mut left = limit;
        let read = loop {
            let part = left.min(size);
            let expected = part.min(length - (limit - left).min(length));
            let got = {
                let payload = |size| ExecTensorWrite { tensor_id, size };
                let mut write = tracer.span(EventType::TensorWrite, number, payload(expected));
                let got = fill(&mut file, &mut self.buffer[..part as usize]);
                write.set_stop(payload(*got.as_ref().unwrap_or(&0) as u64));
                got
            };
            let got = match got {
                Ok(got) => got,
                Err(error) => break Err(error),
            };
            {
                let payload = ExecCore { exec_id, model_id };
                let _core = tracer.span(EventType::ExecCore, number, payload);
                hasher.update(&self.buffer[..got]);
            }
            left -= got as u64;
            if left == 0 || (got as u64) < part {
                break Ok(limit - left);
            }
        };
        let result = read.map(|bytes| {
            let payload = ExecTensorRead { tensor_id, size: size_of::<Digest>() as u64 };
            let _read = tracer.span(EventType::TensorRead, number, payload);
            (bytes, Digest::from(hasher.finalize()))
        });
        {
            let payload = ExecTensorFree { tensor_id, size, ref_count: 0 };
            let _free = tracer.span(EventType::TensorFree, number, payload);
            self.buffer.clear();
        }
        Ok(result?)
    }
}

/// Reads until `room` is full or the file ends; answers how much.
fn fill(file: &mut File, room: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < room.len() {
        match file.read(&mut room[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Opens a regular file; answers its length as well.
///
/// Since the file was found, a link or a pipe may have taken its place. Links are not followed, and
/// nothing waits for the other end of a pipe.
fn open(path: &Path) -> Result<(File, u64), Refusal> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY;
        options.custom_flags(flags.bits() as i32);
    }
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() { Ok((file, metadata.len())) } else { Err(Refusal::NotRegular) }
}
