//! [`Event`]: the 112-byte record that the rings hold and readers receive.

use core::fmt;
use core::mem::offset_of;

use crate::event_type::EventType;
use crate::payload::{Generic, Payload};
use crate::phase::Phase;

/// One captured event.
///
/// The layout is part of the contract and checked at compile time: 112 bytes, aligned to 8, in the
/// byte order of the machine.
///
/// | byte | field | | byte | field |
/// |---|---|---|---|---|
/// | 0 | `event_type_number` `u32` | | 48 | `payload` 40 bytes |
/// | 8 | `thread_id` `u64` | | 88 | `phase_number` `u32` |
/// | 16 | `id` `u64` | | 92 | `nc_idx` `u32` |
/// | 24 | `nc_local_id` `u64` | | 96 | `nrta_seq_id` `u64` |
/// | 32 | `tracking_id` `u64` | | 104 | `has_nrta_seq_id` `bool` |
/// | 40 | `timestamp_ns` `u64` | | 105 | 7 bytes, zero |
///
/// ```
/// use sys_trace::{Event, EventType, Payload, Phase, payload::NrtExec};
///
/// let mut event = Event::new(EventType::ExecuteApi, Phase::Start);
/// event.tracking_id = 9;
/// event.payload = Payload::from(NrtExec { model_id: 3 });
/// assert_eq!(event.event_type(), Some(EventType::ExecuteApi));
/// assert_eq!(event.seq_id(), None);
/// assert_eq!(size_of::<Event>(), 112);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Event {
    /// Number of the [`EventType`]; one that is 46 or more names no type.
    pub event_type_number: u32,
    _reserved: u32,
    /// The operating system's id of the thread that recorded the event.
    pub thread_id: u64,
    /// Unique in the process: the sequence number with the shard number from bit 50 on.
    pub id: u64,
    /// Sequence number in the shard, from 1 on. It, not the time, defines the shard's order.
    pub nc_local_id: u64,
    /// Pairs a stop with its start, which carries the same value; never 0 when generated.
    pub tracking_id: u64,
    /// Time of recording in ns of the capture's clock.
    pub timestamp_ns: u64,
    /// Data whose meaning [`EventType::payload`] tells.
    pub payload: Payload,
    /// Number of the [`Phase`].
    pub phase_number: u32,
    /// Number of the shard (virtual core).
    pub nc_idx: u32,
    /// Sequence id of the runtime, valid if `has_nrta_seq_id`. [`Event::seq_id`] reads both.
    pub nrta_seq_id: u64,
    /// Whether `nrta_seq_id` is valid.
    pub has_nrta_seq_id: bool,
    _padding: [u8; 7],
}

const _: () = {
    assert!(size_of::<Event>() == 112 && align_of::<Event>() == 8);
    assert!(offset_of!(Event, event_type_number) == 0);
    assert!(offset_of!(Event, thread_id) == 8);
    assert!(offset_of!(Event, id) == 16);
    assert!(offset_of!(Event, nc_local_id) == 24);
    assert!(offset_of!(Event, tracking_id) == 32);
    assert!(offset_of!(Event, timestamp_ns) == 40);
    assert!(offset_of!(Event, payload) == 48);
    assert!(offset_of!(Event, phase_number) == 88);
    assert!(offset_of!(Event, nc_idx) == 92);
    assert!(offset_of!(Event, nrta_seq_id) == 96);
    assert!(offset_of!(Event, has_nrta_seq_id) == 104);
};

impl Event {
    /// A record of zeros: a start of [`EventType::Generic`] on shard 0.
    pub const ZERO: Event = Event {
        event_type_number: 0,
        _reserved: 0,
        thread_id: 0,
        id: 0,
        nc_local_id: 0,
        tracking_id: 0,
        timestamp_ns: 0,
        payload: Payload::ZERO,
        phase_number: 0,
        nc_idx: 0,
        nrta_seq_id: 0,
        has_nrta_seq_id: false,
        _padding: [0; 7],
    };

    /// Bytes of a record.
    pub const SIZE: usize = size_of::<Event>();

    /// The record as it lies in memory: the table above, in the byte order of this machine.
    ///
    /// ```
    /// use sys_trace::Event;
    /// let mut event = Event::ZERO;
    /// event.nc_idx = 3;
    /// let bytes = event.to_ne_bytes();
    /// assert_eq!(bytes[92..96], 3_u32.to_ne_bytes());
    /// assert_eq!(Event::from_ne_bytes(&bytes), event);
    /// ```
    #[must_use]
    pub fn to_ne_bytes(&self) -> [u8; Event::SIZE] {
        let mut bytes = [0; Event::SIZE];
        let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
        put(offset_of!(Event, event_type_number), &self.event_type_number.to_ne_bytes());
        put(offset_of!(Event, thread_id), &self.thread_id.to_ne_bytes());
        put(offset_of!(Event, id), &self.id.to_ne_bytes());
        put(offset_of!(Event, nc_local_id), &self.nc_local_id.to_ne_bytes());
        put(offset_of!(Event, tracking_id), &self.tracking_id.to_ne_bytes());
        put(offset_of!(Event, timestamp_ns), &self.timestamp_ns.to_ne_bytes());
        put(offset_of!(Event, payload), self.payload.bytes());
        put(offset_of!(Event, phase_number), &self.phase_number.to_ne_bytes());
        put(offset_of!(Event, nc_idx), &self.nc_idx.to_ne_bytes());
        put(offset_of!(Event, nrta_seq_id), &self.nrta_seq_id.to_ne_bytes());
        put(offset_of!(Event, has_nrta_seq_id), &[u8::from(self.has_nrta_seq_id)]);
        bytes
    }

    /// The record that lies in memory so. Any bytes are a record: `has_nrta_seq_id` is true unless its
    /// byte is zero, and bytes of no field are not looked at.
    #[must_use]
    pub fn from_ne_bytes(bytes: &[u8; Event::SIZE]) -> Event {
        let short = |at: usize| u32::from_ne_bytes(field(bytes, at));
        let long = |at: usize| u64::from_ne_bytes(field(bytes, at));
        Event {
            event_type_number: short(offset_of!(Event, event_type_number)),
            thread_id: long(offset_of!(Event, thread_id)),
            id: long(offset_of!(Event, id)),
            nc_local_id: long(offset_of!(Event, nc_local_id)),
            tracking_id: long(offset_of!(Event, tracking_id)),
            timestamp_ns: long(offset_of!(Event, timestamp_ns)),
            payload: Payload::from_bytes(field(bytes, offset_of!(Event, payload))),
            phase_number: short(offset_of!(Event, phase_number)),
            nc_idx: short(offset_of!(Event, nc_idx)),
            nrta_seq_id: long(offset_of!(Event, nrta_seq_id)),
            has_nrta_seq_id: bytes[offset_of!(Event, has_nrta_seq_id)] != 0,
            ..Event::ZERO
        }
    }

    /// The record of the same fields from bytes of a machine of the other byte order, the fields of the
    /// payload included (those of a type and phase that this version knows).
    #[must_use]
    pub fn from_swapped_bytes(bytes: &[u8; Event::SIZE]) -> Event {
        let mut event = Event::from_ne_bytes(bytes);
        for short in [&mut event.event_type_number, &mut event.phase_number, &mut event.nc_idx] {
            *short = short.swap_bytes();
        }
        for long in [
            &mut event.thread_id,
            &mut event.id,
            &mut event.nc_local_id,
            &mut event.tracking_id,
            &mut event.timestamp_ns,
            &mut event.nrta_seq_id,
        ] {
            *long = long.swap_bytes();
        }
        let layout = match event.event_type() {
            Some(EventType::Generic) => Some(&Generic::LAYOUT),
            other => other.and_then(|event_type| event_type.payload(event.phase())),
        };
        let mut payload = *event.payload.bytes();
        for field in layout.into_iter().flat_map(|layout| layout.fields) {
            let (at, size) = (field.offset, field.ty.size());
            // A pair of times is two numbers.
            payload[at..at + size].chunks_mut(size.min(8)).for_each(<[u8]>::reverse);
        }
        event.payload = Payload::from_bytes(payload);
        event
    }

    /// [`Event::ZERO`], for places that want a function, such as filling a buffer.
    #[must_use]
    pub const fn zeroed() -> Event {
        Event::ZERO
    }

    /// A record of this type and phase with everything else zero.
    #[must_use]
    pub const fn new(event_type: EventType, phase: Phase) -> Event {
        Event {
            event_type_number: event_type.number(),
            phase_number: phase.number(),
            ..Event::ZERO
        }
    }

    /// The type, `None` if the record carries a number of none.
    #[inline]
    #[must_use]
    pub const fn event_type(&self) -> Option<EventType> {
        EventType::from_number(self.event_type_number)
    }

    /// The phase; [`Phase::Count`], which prints as `unknown`, for any number above 2.
    ///
    /// ```
    /// use sys_trace::{Event, Phase};
    /// let mut event = Event::ZERO;
    /// event.phase_number = 77;
    /// assert_eq!(event.phase(), Phase::Count);
    /// ```
    #[inline]
    #[must_use]
    pub const fn phase(&self) -> Phase {
        match Phase::from_number(self.phase_number) {
            Some(phase) => phase,
            None => Phase::Count,
        }
    }

    /// The runtime's sequence id, if the event has one.
    ///
    /// ```
    /// use sys_trace::Event;
    /// let mut event = Event::ZERO;
    /// event.nrta_seq_id = 5;
    /// assert_eq!(event.seq_id(), None);
    /// event.has_nrta_seq_id = true;
    /// assert_eq!(event.seq_id(), Some(5));
    /// ```
    #[inline]
    #[must_use]
    pub const fn seq_id(&self) -> Option<u64> {
        if self.has_nrta_seq_id { Some(self.nrta_seq_id) } else { None }
    }
}

/// `N` bytes from `at` on.
fn field<const N: usize>(bytes: &[u8; Event::SIZE], at: usize) -> [u8; N] {
    core::array::from_fn(|index| bytes[at + index])
}

impl Default for Event {
    fn default() -> Event {
        Event::ZERO
    }
}

/// Names of type and phase, and the payload by its fields.
impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Event");
        match self.event_type() {
            Some(event_type) => out.field("event_type", &event_type),
            None => out.field("event_type_number", &self.event_type_number),
        };
        match Phase::from_number(self.phase_number) {
            Some(phase) => out.field("phase", &phase),
            None => out.field("phase_number", &self.phase_number),
        };
        out.field("nc_idx", &self.nc_idx)
            .field("nc_local_id", &self.nc_local_id)
            .field("id", &self.id)
            .field("tracking_id", &self.tracking_id)
            .field("thread_id", &self.thread_id)
            .field("timestamp_ns", &self.timestamp_ns);
        match self.event_type().and_then(|event_type| event_type.payload(self.phase())) {
            Some(layout) => {
                for field in layout.fields {
                    out.field(field.name, &field.read(&self.payload));
                }
            }
            None if self.payload != Payload::ZERO => {
                out.field("payload", &self.payload);
            }
            None => {}
        }
        if let Some(seq_id) = self.seq_id() {
            out.field("nrta_seq_id", &seq_id);
        }
        out.finish()
    }
}
