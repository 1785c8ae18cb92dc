//! Writing, without std and without an allocator.

use core::fmt;

use sys_trace::{CaptureInfo, Counts, Event, EventType, NotCapturing, StaticEngine, StopError};

use super::{
    COUNTS, COUNTS_HEAD, COUNTS_ROW, DONE, EVENTS, LONGEST_CLOCK, MAGIC, MARK, NAME, STOP, VERSION,
};

/// Writes a capture section by section, each through `sink`, a function that takes bytes.
///
/// Needs some hundred bytes of stack. [`dump`] does all of it for a static engine.
///
/// ```
/// use std::io::Write;
/// use sys_trace::{Clock, Config, Counts, Event, StaticEngine};
/// use sys_trace_export::blob::{Blob, BlobWriter};
///
/// static ENGINE: StaticEngine<1, 8, 4> = StaticEngine::new_inline();
/// ENGINE.start(&Config::new().clock(Clock::Custom(|| 7)))?;
///
/// let mut bytes = Vec::new();
/// let sink = |part: &[u8]| bytes.write_all(part);
/// let mut blob = BlobWriter::begin(sink, &ENGINE.capture_info().unwrap(), 1)?;
/// blob.events(&[Event::ZERO])?;
/// blob.counts(0, 0, |_| Counts { created: 1, drained: 1, ..Counts::ZERO })?;
/// blob.name(7, "conv2d")?;
/// blob.finish(9, 0, 0)?;
///
/// let blob = Blob::read(&bytes)?;
/// assert_eq!((blob.events.len(), blob.start_ns, blob.stop_ns), (1, 7, 9));
/// assert_eq!(blob.names[&7], "conv2d");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BlobWriter<F> {
    sink: F,
    records: u64,
}

impl<F, E> BlobWriter<F>
where
    F: FnMut(&[u8]) -> Result<(), E>,
{
    /// Writes the head of a capture by an engine of `shards` shards.
    ///
    /// # Errors
    /// Those of the sink; so for all that writes here.
    pub fn begin(mut sink: F, info: &CaptureInfo, shards: u32) -> Result<Self, E> {
        sink(&MAGIC)?;
        for number in [MARK, VERSION, Event::SIZE as u32, shards] {
            sink(&number.to_ne_bytes())?;
        }
        for number in [info.epoch, info.start_ns, info.clock_error_ns, info.ring_events] {
            sink(&number.to_ne_bytes())?;
        }
        // The names of clocks are short words of ASCII.
        let clock = info.clock.as_bytes();
        let clock = &clock[..clock.len().min(LONGEST_CLOCK)];
        sink(&(clock.len() as u32).to_ne_bytes())?;
        sink(clock)?;
        Ok(Self { sink, records: 0 })
    }

    fn section(&mut self, tag: [u8; 4], length: usize) -> Result<(), E> {
        (self.sink)(&tag)?;
        (self.sink)(&(length as u32).to_ne_bytes())
    }

    fn number(&mut self, number: u64) -> Result<(), E> {
        (self.sink)(&number.to_ne_bytes())
    }

    /// Writes events, any number at a time.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn events(&mut self, events: &[Event]) -> Result<(), E> {
        // As many as the length of a section can tell.
        for events in events.chunks(1 << 20) {
            self.section(EVENTS, size_of_val(events))?;
            for event in events {
                (self.sink)(&event.to_ne_bytes())?;
            }
            self.records += events.len() as u64;
        }
        Ok(())
    }

    /// Writes what became of a shard's events, final, and how many emits it turned away. `of` is asked
    /// twice for each type.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn counts(
        &mut self,
        shard: u32,
        refused: u64,
        of: impl Fn(EventType) -> Counts,
    ) -> Result<(), E> {
        let rows = || EventType::ALL.into_iter().filter(|it| of(*it) != Counts::ZERO);
        self.section(COUNTS, COUNTS_HEAD + rows().count() * COUNTS_ROW)?;
        (self.sink)(&shard.to_ne_bytes())?;
        self.number(refused)?;
        for event_type in rows() {
            (self.sink)(&event_type.number().to_ne_bytes())?;
            let Counts { created, drained, displaced, discarded } = of(event_type);
            for number in [created, drained, displaced, discarded] {
                self.number(number)?;
            }
        }
        Ok(())
    }

    /// Writes a name. The same one may come several times.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn name(&mut self, id: u64, text: &str) -> Result<(), E> {
        self.section(NAME, 8 + text.len())?;
        self.number(id)?;
        (self.sink)(text.as_bytes())
    }

    /// Writes when the capture stopped, how many emits named no shard of the engine, how many names were
    /// not stored, and the end.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn finish(mut self, stop_ns: u64, misdirected: u64, names_dropped: u64) -> Result<(), E> {
        self.section(STOP, 24)?;
        for number in [stop_ns, misdirected, names_dropped] {
            self.number(number)?;
        }
        self.section(DONE, 8)?;
        self.number(self.records)
    }
}

impl<F> fmt::Debug for BlobWriter<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlobWriter").field("records", &self.records).finish_non_exhaustive()
    }
}

/// Why a capture was not written, or not to the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DumpError<E> {
    /// No capture is running, or not any more the one that the dump began with: what is written has no
    /// end then.
    NotCapturing,
    /// The events are written, but the capture cannot be stopped: so many emits have not ended.
    StillInside {
        /// Emits that have not ended; 0 if it is readers.
        emitters: u64,
    },
    /// The sink refused.
    Sink(E),
}

impl<E> From<E> for DumpError<E> {
    fn from(error: E) -> Self {
        Self::Sink(error)
    }
}

impl<E: fmt::Display> fmt::Display for DumpError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotCapturing => NotCapturing.fmt(f),
            Self::StillInside { emitters } => StopError::StillInside { emitters: *emitters }.fmt(f),
            Self::Sink(error) => error.fmt(f),
        }
    }
}

impl<E: core::error::Error> core::error::Error for DumpError<E> {}

/// Drains `engine` into `sink`, stops it, and writes counts and names: a whole file.
///
/// Emitters may go on meanwhile; what they record after their shard was drained is counted as
/// discarded. For each shard no more is drained than was there at first. The engine must be stopped and
/// started by nobody else meanwhile.
///
/// # Errors
/// [`DumpError`]. What was drained until then is written; the engine goes on unless the sink failed
/// after the stop.
///
/// ```
/// use std::io::Write;
/// use sys_trace::{Clock, Config, EventType, StaticEngine, payload::NrtExec};
/// use sys_trace_export::blob::{Blob, dump};
///
/// static ENGINE: StaticEngine<4, 8, 16> = StaticEngine::new_inline();
/// ENGINE.start(&Config::new().clock(Clock::Custom(|| 7)))?;
/// let model_id = ENGINE.intern_static(2, "resnet50").get();
/// for _ in 0..5 {
///     drop(ENGINE.span(2, EventType::ExecuteApi, NrtExec { model_id }));
/// }
/// let mut bytes = Vec::new();
/// dump(&ENGINE, |part| bytes.write_all(part))?;
///
/// let blob = Blob::read(&bytes)?;
/// assert_eq!((blob.events.len(), blob.counts[2].total.displaced), (8, 2));
/// assert_eq!(blob.names[&model_id], "resnet50");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn dump<const SHARDS: usize, const EVENTS: usize, const NAMES: usize, E>(
    engine: &StaticEngine<SHARDS, EVENTS, NAMES>,
    sink: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), DumpError<E>> {
    let shards = SHARDS as u32;
    let info = engine.capture_info().filter(|info| info.stop_ns.is_none());
    let info = info.ok_or(DumpError::NotCapturing)?;
    // Others may stop this capture and start another, the sink included. Numbers of captures only rise,
    // so that what is of this one now has been all along.
    let this_one = || engine.capture_info().filter(|now| now.epoch == info.epoch);
    let mut blob = BlobWriter::begin(sink, &info, shards)?;
    for shard in 0..shards {
        let mut left = engine.resident(shard);
        // One at a time: whatever the machine, its stack has room for that.
        let mut event = [Event::ZERO];
        while left > 0 && engine.drain(shard, &mut event) == Ok(1) {
            blob.events(&event)?;
            left -= 1;
        }
    }
    this_one().ok_or(DumpError::NotCapturing)?;
    engine.stop().map_err(|error| match error {
        StopError::NotCapturing => DumpError::NotCapturing,
        StopError::StillInside { emitters } => DumpError::StillInside { emitters },
    })?;
    let mut dropped = 0_u64;
    for shard in 0..shards {
        let of = |event_type| engine.counts_of(shard, event_type).unwrap_or(Counts::ZERO);
        blob.counts(shard, engine.refused(shard), of)?;
        for (id, text) in engine.names_of(shard) {
            blob.name(id.get(), text)?;
        }
        dropped = dropped.saturating_add(engine.names_dropped(shard));
    }
    let misdirected = engine.misdirected();
    let stop_ns = this_one().and_then(|info| info.stop_ns).ok_or(DumpError::NotCapturing)?;
    blob.finish(stop_ns, misdirected, dropped)?;
    Ok(())
}
