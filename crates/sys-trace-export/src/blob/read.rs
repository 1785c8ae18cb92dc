//! Reading: whatever the bytes, a capture or an error that says where and what.

use std::collections::BTreeMap;
use std::fmt;

use sys_trace::{Counts, Event, EventType, ShardCounts, Symbol};

use super::cursor::Cursor;
use super::{
    COUNTS, COUNTS_HEAD, COUNTS_ROW, DONE, EVENTS, LONGEST_CLOCK, MAGIC, MARK, NAME, STOP, VERSION,
};
use crate::Capture;

/// Why bytes are not a capture. Offsets are from the start of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlobError {
    /// The file ends too early.
    CutOff {
        /// Where it should go on.
        offset: usize,
        /// What should be there.
        what: &'static str,
        /// How many bytes that takes.
        needed: usize,
        /// How many there are.
        left: usize,
    },
    /// A number cannot be.
    Value {
        /// Where it, or the byte, stands.
        offset: usize,
        /// What it is.
        what: &'static str,
        /// The number.
        value: u64,
        /// What it could be.
        expected: &'static str,
    },
    /// Two numbers contradict each other.
    Mismatch {
        /// Where the first of them stands.
        offset: usize,
        /// What is compared.
        what: &'static str,
        /// What the file says.
        said: u64,
        /// What the rest of the file makes it.
        is: u64,
    },
}

impl fmt::Display for BlobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CutOff { offset, what, needed, left } => write!(
                f,
                "cut off at byte {offset}: {what} takes {needed} bytes, and {left} are left"
            ),
            Self::Value { offset, what, value, expected } => {
                write!(f, "{what} at byte {offset} is {value} ({value:#x}), expected {expected}")
            }
            Self::Mismatch { offset, what, said, is } => {
                write!(
                    f,
                    "{what} at byte {offset}: {said} by the file's word, {is} by the rest of it"
                )
            }
        }
    }
}

impl std::error::Error for BlobError {}

/// A capture that was [dumped](super::dump).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    /// Shards of the engine.
    pub shards: u32,
    /// Number of the capture, from 1 on since the machine was turned on.
    pub epoch: u64,
    /// Name of the clock.
    pub clock: String,
    /// By how many ns a timestamp may be off.
    pub clock_error_ns: u64,
    /// Start, in ns of the clock.
    pub start_ns: u64,
    /// Stop, in ns of the clock.
    pub stop_ns: u64,
    /// Events that each ring holds.
    pub ring_events: u64,
    /// Merged by time, shard and sequence number.
    pub events: Vec<Event>,
    /// By shard, those on which anything happened.
    pub counts: Vec<ShardCounts>,
    /// Text of interned ids.
    pub names: BTreeMap<u64, String>,
    /// Names that were not stored, or whose id another name had first.
    pub names_dropped: u64,
    /// Emits for shards that do not exist.
    pub misdirected: u64,
}

impl Blob {
    /// Reads a file. Memory: about its size.
    ///
    /// Checked are the bounds of everything, and the books: on each shard and type, what was created
    /// was drained, displaced or discarded, and no more is here than was drained.
    ///
    /// # Errors
    /// [`BlobError`], for the first thing that cannot be.
    pub fn read(bytes: &[u8]) -> Result<Blob, BlobError> {
        let mut file = Cursor::new(bytes);
        let mut blob = head(&mut file)?;
        let mut stop = None;
        loop {
            let offset = file.offset;
            let tag: [u8; 4] = file.array("the tag of a section")?;
            let length = file.u32("the length of a section")?;
            let mut body = file.part(length as usize, name_of(tag))?;
            match tag {
                EVENTS => blob.read_events(body)?,
                COUNTS => blob.read_counts(body)?,
                NAME => blob.read_name(body)?,
                STOP => {
                    if stop.is_some() {
                        return Err(value(
                            offset,
                            "a second section STOP",
                            u64::from(length),
                            "one",
                        ));
                    }
                    let stop_ns = body.u64("the time of the stop")?;
                    stop = Some(stop_ns);
                    blob.misdirected = body.u64("the number of emits for no shard")?;
                    let dropped = body.u64("the number of names that were not stored")?;
                    blob.names_dropped = blob.names_dropped.saturating_add(dropped);
                    nothing_left(body, "bytes after the section STOP")?;
                }
                DONE => {
                    let at = body.offset;
                    let (said, is) = (body.u64("the number of records")?, blob.events.len() as u64);
                    if said != is {
                        let what = "the number of records";
                        return Err(BlobError::Mismatch { offset: at, what, said, is });
                    }
                    nothing_left(body, "bytes after the section DONE")?;
                    nothing_left(file, "bytes after the end")?;
                    blob.stop_ns = stop.ok_or_else(|| {
                        value(offset, "the number of sections STOP", 0, "one before DONE")
                    })?;
                    blob.check_books(offset)?;
                    blob.events.sort_unstable_by_key(|event| {
                        (event.timestamp_ns, event.nc_idx, event.nc_local_id)
                    });
                    blob.counts.sort_unstable_by_key(|counts| counts.shard);
                    return Ok(blob);
                }
                _ => {
                    let tag = u32::from_be_bytes(tag).into();
                    return Err(value(offset, "a tag", tag, "EVTS, CNTS, NAME, STOP or DONE"));
                }
            }
        }
    }

    /// The capture in the form that writers take.
    #[must_use]
    pub fn capture(&self) -> Capture<'_> {
        Capture {
            names: &self.names,
            clock: &self.clock,
            start_ns: self.start_ns,
            stop_ns: self.stop_ns,
            clock_error_ns: Some(self.clock_error_ns),
            ..Capture::new(&self.events, &self.counts)
        }
    }

    fn read_events(&mut self, mut body: Cursor<'_>) -> Result<(), BlobError> {
        if body.left() % Event::SIZE != 0 {
            let what = "the length of a section EVTS";
            return Err(value(body.offset - 4, what, body.left() as u64, "a multiple of 112"));
        }
        self.events.reserve(body.left() / Event::SIZE);
        while body.left() > 0 {
            let offset = body.offset;
            let record = body.array("a record")?;
            let of = if body.swapped { Event::from_swapped_bytes } else { Event::from_ne_bytes };
            let event = of(&record);
            if event.nc_idx >= self.shards {
                let expected = "a shard of the head's";
                return Err(value(
                    offset + 92,
                    "the shard of a record",
                    event.nc_idx.into(),
                    expected,
                ));
            }
            self.events.push(event);
        }
        Ok(())
    }

    fn read_counts(&mut self, mut body: Cursor<'_>) -> Result<(), BlobError> {
        let (start, length) = (body.offset, body.left());
        if length < COUNTS_HEAD || (length - COUNTS_HEAD) % COUNTS_ROW != 0 {
            let what = "the length of a section CNTS";
            return Err(value(start - 4, what, length as u64, "12 and a multiple of 36"));
        }
        let shard = body.u32("a shard")?;
        if shard >= self.shards || self.counts.iter().any(|it| it.shard == shard) {
            let expected = "a shard of the head's, each once";
            return Err(value(start, "the shard of a section CNTS", shard.into(), expected));
        }
        let mut counts = ShardCounts::new(shard);
        counts.refused = body.u64("the number of refused emits")?;
        while body.left() > 0 {
            let offset = body.offset;
            let number = body.u32("an event type")?;
            let event_type = EventType::from_number(number);
            let Some(event_type) = event_type.filter(|it| *counts.of(*it) == Counts::ZERO) else {
                return Err(value(offset, "an event type", number.into(), "0 to 45, each once"));
            };
            let created = body.u64("the number of created events")?;
            let drained = body.u64("the number of drained events")?;
            let displaced = body.u64("the number of displaced events")?;
            let discarded = body.u64("the number of discarded events")?;
            let gone =
                [drained, displaced, discarded].iter().try_fold(0, |sum, it| it.checked_add(sum));
            if gone != Some(created) {
                let what = "the number of created events";
                let is = gone.unwrap_or(u64::MAX);
                return Err(BlobError::Mismatch { offset: offset + 4, what, said: created, is });
            }
            let of_type = Counts { created, drained, displaced, discarded };
            *counts.of_mut(event_type) = of_type;
            counts.total += of_type;
        }
        self.counts.push(counts);
        Ok(())
    }

    fn read_name(&mut self, mut body: Cursor<'_>) -> Result<(), BlobError> {
        let offset = body.offset;
        let id = body.u64("the id of a name")?;
        if Symbol::new(id).is_none() {
            return Err(value(offset, "the id of a name", id, "1 to 1125899906842624"));
        }
        let text = body.text("a byte of a name")?;
        let known = self.names.entry(id).or_insert_with(|| text.to_owned());
        if known != text {
            // The first one keeps the id, as it does in every table.
            self.names_dropped = self.names_dropped.saturating_add(1);
        }
        Ok(())
    }

    /// No more events may be here than were drained; others may have been read on the machine.
    fn check_books(&self, offset: usize) -> Result<(), BlobError> {
        let mut here = BTreeMap::<(u32, u32), u64>::new();
        for event in &self.events {
            *here.entry((event.nc_idx, event.event_type_number)).or_default() += 1;
        }
        for ((shard, number), is) in here {
            let counts = self.counts.iter().find(|it| it.shard == shard);
            let event_type = EventType::from_number(number);
            let said = counts.zip(event_type).map_or(0, |(counts, it)| counts.of(it).drained);
            if said < is {
                let what = "the number of drained events of a shard and type, before the section";
                return Err(BlobError::Mismatch { offset, what, said, is });
            }
        }
        Ok(())
    }
}

fn head(file: &mut Cursor<'_>) -> Result<Blob, BlobError> {
    let magic: [u8; 8] = file.array("the head")?;
    if magic != MAGIC {
        return Err(value(0, "the first word", u64::from_be_bytes(magic), "the text `systrace`"));
    }
    let mark = file.u32("the mark of the byte order")?;
    if mark != MARK && mark.swap_bytes() != MARK {
        let expected = "0x01020304 in either byte order";
        return Err(value(8, "the mark of the byte order", mark.into(), expected));
    }
    file.swapped = mark != MARK;
    let offset = file.offset;
    let version = file.u32("the version")?;
    if version != VERSION {
        return Err(value(offset, "the version", version.into(), "1"));
    }
    let offset = file.offset;
    let record = file.u32("the bytes of a record")?;
    if record != Event::SIZE as u32 {
        return Err(value(offset, "the bytes of a record", record.into(), "112"));
    }
    let offset = file.offset;
    let shards = file.u32("the number of shards")?;
    if !(1..=256).contains(&shards) {
        return Err(value(offset, "the number of shards", shards.into(), "1 to 256"));
    }
    let epoch = file.u64("the number of the capture")?;
    let start_ns = file.u64("the time of the start")?;
    let clock_error_ns = file.u64("the error of the clock")?;
    let ring_events = file.u64("the events of a ring")?;
    let offset = file.offset;
    let length = file.u32("the length of the clock's name")?;
    if length as usize > LONGEST_CLOCK {
        return Err(value(offset, "the length of the clock's name", length.into(), "at most 64"));
    }
    let clock = file.part(length as usize, "the clock's name")?;
    let clock = clock.text("a byte of the clock's name")?.to_owned();
    Ok(Blob {
        shards,
        epoch,
        clock,
        clock_error_ns,
        start_ns,
        stop_ns: 0,
        ring_events,
        events: Vec::new(),
        counts: Vec::new(),
        names: BTreeMap::new(),
        names_dropped: 0,
        misdirected: 0,
    })
}

fn name_of(tag: [u8; 4]) -> &'static str {
    match tag {
        EVENTS => "a section EVTS",
        COUNTS => "a section CNTS",
        NAME => "a section NAME",
        STOP => "a section STOP",
        DONE => "a section DONE",
        _ => "a section of an unknown tag",
    }
}

fn value(offset: usize, what: &'static str, value: u64, expected: &'static str) -> BlobError {
    BlobError::Value { offset, what, value, expected }
}

fn nothing_left(rest: Cursor<'_>, what: &'static str) -> Result<(), BlobError> {
    match rest.left() {
        0 => Ok(()),
        left => Err(value(rest.offset, what, left as u64, "none")),
    }
}
