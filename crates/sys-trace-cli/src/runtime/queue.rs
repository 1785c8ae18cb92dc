//! [`Queue`] and [`Inbox`]: the two ends of a core's queue.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use sys_trace::EventType;
use sys_trace::payload::ExecPostRequest;

use super::Request;
use super::tracer::Tracer;

/// The poster's end.
#[derive(Debug)]
pub(crate) struct Queue<'e> {
    tracer: Tracer<'e>,
    requests: SyncSender<Request>,
    /// Requests posted and not done. A hint: it orders nothing, so all accesses are relaxed.
    load: Arc<AtomicUsize>,
    /// Requests posted so far; wraps, as the field of the payload does.
    posted: u32,
}

/// The core's end.
#[derive(Debug)]
pub(crate) struct Inbox {
    requests: Receiver<Request>,
    load: Arc<AtomicUsize>,
}

/// A queue with room for `room` requests.
pub(crate) fn queue(tracer: Tracer<'_>, room: usize) -> (Queue<'_>, Inbox) {
    let (sender, receiver) = sync_channel(room);
    let load = Arc::new(AtomicUsize::new(0));
    let queue = Queue { tracer, requests: sender, load: Arc::clone(&load), posted: 0 };
    (queue, Inbox { requests: receiver, load })
}

impl Queue<'_> {
    /// About how many requests the core has before it.
    pub(crate) fn load(&self) -> usize {
        // Pairs with the changes in `post` and `done`; a stale number only shifts the balance.
        self.load.load(Ordering::Relaxed)
    }

    /// Posts a request, waiting while the queue is full; false if the core is gone.
    pub(crate) fn post(&mut self, request: Request) -> bool {
        self.posted = self.posted.wrapping_add(1);
        let payload = ExecPostRequest { model_id: request.kind.model_id, request_id: self.posted };
        let _post = self.tracer.span(EventType::PostRequest, request.number, payload);
        // Pairs with `load`; the request itself is handed over by the channel.
        self.load.fetch_add(1, Ordering::Relaxed);
        self.requests.send(request).is_ok()
    }
}

impl Inbox {
    /// The next request; `None` once the poster is gone and the queue is empty.
    pub(crate) fn next(&self) -> Option<Request> {
        self.requests.recv().ok()
    }

    /// A request is done.
    pub(crate) fn done(&self) {
        // Pairs with `load`.
        self.load.fetch_sub(1, Ordering::Relaxed);
    }
}
