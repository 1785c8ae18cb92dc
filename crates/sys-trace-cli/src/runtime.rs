//! The runtime that the demo captures: virtual cores that digest files.
//!
//! ```text
//! poster ──request──▶ queue of the least loaded core ──▶ worker ──reply──▶ collector
//! ```
//!
//! The poster walks the folder on a thread of its own, each core is a thread, the collector is the
//! caller. Queues are bounded: a poster that is ahead waits, so memory does not grow with the
//! number of files but for the manifest.
//!
//! What is recorded, each a span, on the shard of the request's core; all of them but the idle end
//! of `EXEC_WAIT` carry the number of the request as their sequence id:
//!
//! | type | from … to | payload |
//! |---|---|---|
//! | `POST_REQUEST` | the poster puts a request into the queue, waiting while it is full | number in the queue |
//! | `EXEC_WAIT` | the core waits for its next request | 0 at the start, the request at the stop; 0 again if there is none |
//! | `EXECUTE_API` | a core has a request | |
//! | `MODEL_LOAD` | a core meets a kind of file for the first time | |
//! | `EXEC_PRE` | opening the file and asking for its length | |
//! | `TENSOR_ALLOC` | making room in the core's buffer | bytes of room |
//! | `TENSOR_WRITE` | reading into it | bytes expected at the start, bytes read at the stop |
//! | `EXEC_CORE` | hashing what was read | |
//! | `TENSOR_READ` | taking the digest out | 32 bytes |
//! | `TENSOR_FREE` | giving the room back | bytes of room |
//! | `EXEC_POST` | returning the result, waiting while the collector is behind | |
//!
//! `model_id` is the interned kind of the file, `exec_id` and `tensor_id` are the number of the
//! request. A file above [`worker::ROUND`] bytes takes several `TENSOR_WRITE` and `EXEC_CORE`.

mod kind;
mod poster;
mod queue;
mod tracer;
mod worker;

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use sys_trace::Engine;

use crate::fail::Fail;
use crate::manifest::{Manifest, Record};
use crate::progress::Progress;
use crate::skip::{Skip, Skips};
use crate::walk::Walk;
use kind::Kind;
use tracer::Tracer;
use worker::{Reply, Worker};

/// Requests that wait at one core.
const QUEUE: usize = 32;
/// Replies that wait for the collector.
const REPLIES: usize = 1024;

/// One file to digest.
#[derive(Debug)]
struct Request {
    /// Counts the requests of the run, from 1 on.
    number: u64,
    path: PathBuf,
    kind: Kind,
}

/// What the runtime did.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) manifest: Manifest,
    pub(crate) skips: Skips,
}

/// Digests every file of `walk` on `cores` cores, core n recording on shard n.
pub(crate) fn run(
    engine: &Engine,
    walk: &Walk,
    cores: u32,
    progress: &mut Progress,
) -> Result<Outcome, Fail> {
    thread::scope(|scope| {
        let (sender, replies) = sync_channel(REPLIES);
        let mut queues = Vec::new();
        let mut workers = Vec::new();
        for core in 0..cores {
            let (queue, inbox) = queue::queue(Tracer::new(engine, core), QUEUE);
            let worker = Worker::new(Tracer::new(engine, core), inbox, sender.clone());
            // On failure the queues are dropped, which ends the workers that run.
            workers.push(spawn(scope, format!("core {core}"), move || worker.run())?);
            queues.push(queue);
        }
        drop(sender);
        let poster = spawn(scope, "poster".into(), move || poster::post_all(walk, queues))?;

        let mut outcome = collect(walk, replies, progress);
        for worker in workers {
            worker.join().map_err(|_| Fail::new("a core of the runtime panicked"))?;
        }
        let skips = poster.join().map_err(|_| Fail::new("the poster of the runtime panicked"))?;
        outcome.skips.add(skips);
        Ok(outcome)
    })
}

fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    name: String,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<thread::ScopedJoinHandle<'scope, T>, Fail> {
    thread::Builder::new()
        .name(name.clone())
        .spawn_scoped(scope, work)
        .map_err(|error| Fail::new(format!("cannot start the thread of {name:?}: {error}")))
}

/// Takes replies until every worker is gone.
fn collect(walk: &Walk, replies: Receiver<Reply>, progress: &mut Progress) -> Outcome {
    let mut outcome = Outcome::default();
    for Reply { number, path, kind, result } in replies {
        match result {
            Ok((bytes, digest)) => {
                let path = path.strip_prefix(walk.root()).map_or(path.clone(), PathBuf::from);
                outcome.manifest.push(Record { number, path, kind, bytes, digest });
                progress.step();
            }
            Err(worker::Refusal::NotRegular) => outcome.skips.count(Skip::SpecialFile),
            Err(worker::Refusal::Error(error)) => {
                outcome.skips.error(Skip::of_file(&error), &path, &error);
            }
        }
    }
    outcome
}
