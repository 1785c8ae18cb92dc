//! Serde for the data model. Field names are a promise: they do not change without a new major
//! version.
//!
//! The forms are private structs here, so that how a record lies in memory and how it is written are
//! two decisions.

use core::fmt;

use serde::de::{Error, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::counts::{Counts, ShardCounts};
use crate::event::Event;
use crate::event_type::EventType;
use crate::payload::Payload;
use crate::phase::Phase;

/// Implements both traits for a type by those of its form.
macro_rules! written_as {
    ($type:ty, $form:ty) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                <$form>::from(*self).serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <$form>::deserialize(deserializer).map(Self::from)
            }
        }
    };
}

/// Struct and form with the same fields.
macro_rules! form {
    ($form:ident of $type:ty { $($field:ident: $ty:ty,)+ }) => {
        #[derive(Serialize, Deserialize)]
        struct $form {
            $($field: $ty,)+
        }

        impl From<$type> for $form {
            fn from(it: $type) -> Self {
                Self { $($field: it.$field,)+ }
            }
        }

        impl From<$form> for $type {
            fn from(it: $form) -> Self {
                Self { $($field: it.$field,)+ }
            }
        }

        written_as!($type, $form);
    };
}

form!(CountsForm of Counts { created: u64, drained: u64, displaced: u64, discarded: u64, });

/// Numbers of type and phase, so that also a record whose numbers name none comes back as it was.
#[derive(Serialize, Deserialize)]
struct EventForm {
    event_type_number: u32,
    phase_number: u32,
    nc_idx: u32,
    nc_local_id: u64,
    id: u64,
    tracking_id: u64,
    thread_id: u64,
    timestamp_ns: u64,
    payload: Payload,
    nrta_seq_id: Option<u64>,
}

impl From<Event> for EventForm {
    fn from(event: Event) -> Self {
        Self {
            event_type_number: event.event_type_number,
            phase_number: event.phase_number,
            nc_idx: event.nc_idx,
            nc_local_id: event.nc_local_id,
            id: event.id,
            tracking_id: event.tracking_id,
            thread_id: event.thread_id,
            timestamp_ns: event.timestamp_ns,
            payload: event.payload,
            nrta_seq_id: event.seq_id(),
        }
    }
}

impl From<EventForm> for Event {
    fn from(form: EventForm) -> Self {
        let mut event = Event::ZERO;
        event.event_type_number = form.event_type_number;
        event.phase_number = form.phase_number;
        event.nc_idx = form.nc_idx;
        event.nc_local_id = form.nc_local_id;
        event.id = form.id;
        event.tracking_id = form.tracking_id;
        event.thread_id = form.thread_id;
        event.timestamp_ns = form.timestamp_ns;
        event.payload = form.payload;
        event.has_nrta_seq_id = form.nrta_seq_id.is_some();
        event.nrta_seq_id = form.nrta_seq_id.unwrap_or(0);
        event
    }
}

written_as!(Event, EventForm);

#[derive(Serialize, Deserialize)]
struct ShardCountsForm {
    shard: u32,
    refused: u64,
    total: Counts,
    by_type: ByType,
}

impl From<ShardCounts> for ShardCountsForm {
    fn from(it: ShardCounts) -> Self {
        Self { shard: it.shard, refused: it.refused, total: it.total, by_type: ByType(it.by_type) }
    }
}

impl From<ShardCountsForm> for ShardCounts {
    fn from(it: ShardCountsForm) -> Self {
        Self { shard: it.shard, refused: it.refused, total: it.total, by_type: it.by_type.0 }
    }
}

written_as!(ShardCounts, ShardCountsForm);

/// A map from the name of a type to its counts, without types of which nothing happened.
struct ByType([Counts; EventType::COUNT]);

impl Serialize for ByType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let used = || {
            EventType::ALL.into_iter().zip(&self.0).filter(|(_, counts)| **counts != Counts::ZERO)
        };
        let mut map = serializer.serialize_map(Some(used().count()))?;
        for (event_type, counts) in used() {
            map.serialize_entry(&event_type, counts)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for ByType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Map;
        impl<'de> Visitor<'de> for Map {
            type Value = ByType;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map from names of event types to counts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ByType, A::Error> {
                let mut by_type = [Counts::ZERO; EventType::COUNT];
                while let Some((event_type, counts)) = map.next_entry::<EventType, Counts>()? {
                    by_type[event_type as usize] = counts;
                }
                Ok(ByType(by_type))
            }
        }
        deserializer.deserialize_map(Map)
    }
}

impl Serialize for EventType {
    /// The [text name](EventType::text_name).
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.text_name())
    }
}

impl<'de> Deserialize<'de> for EventType {
    /// Either name, as [`EventType::from_name`]; other words are refused.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = EventType;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of an event type")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<EventType, E> {
                let unknown = || E::invalid_value(Unexpected::Str(name), &self);
                EventType::from_name(name).ok_or_else(unknown)
            }
        }
        deserializer.deserialize_str(Name)
    }
}

/// `start`, `stop`, `instant`, `count`.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PhaseForm {
    Start,
    Stop,
    Instant,
    Count,
}

impl From<Phase> for PhaseForm {
    fn from(phase: Phase) -> Self {
        match phase {
            Phase::Start => Self::Start,
            Phase::Stop => Self::Stop,
            Phase::Instant => Self::Instant,
            Phase::Count => Self::Count,
        }
    }
}

impl From<PhaseForm> for Phase {
    fn from(form: PhaseForm) -> Self {
        match form {
            PhaseForm::Start => Self::Start,
            PhaseForm::Stop => Self::Stop,
            PhaseForm::Instant => Self::Instant,
            PhaseForm::Count => Self::Count,
        }
    }
}

written_as!(Phase, PhaseForm);

impl Serialize for Payload {
    /// The 40 bytes: in formats that people read, 80 hexadecimal digits.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        if !serializer.is_human_readable() {
            return serializer.serialize_bytes(self.bytes());
        }
        let mut text = ['0'; 2 * Payload::SIZE];
        for (digits, byte) in text.chunks_exact_mut(2).zip(self.bytes()) {
            digits[0] = char::from(DIGITS[usize::from(byte >> 4)]);
            digits[1] = char::from(DIGITS[usize::from(byte & 15)]);
        }
        serializer.collect_str(&Letters(&text))
    }
}

/// Letters in a row.
struct Letters<'a>(&'a [char]);

impl fmt::Display for Letters<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|letter| fmt::Write::write_char(f, *letter))
    }
}

impl<'de> Deserialize<'de> for Payload {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl<'de> Visitor<'de> for Bytes {
            type Value = Payload;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("40 bytes, or 80 hexadecimal digits")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Payload, E> {
                let wrong = || E::invalid_value(Unexpected::Str(text), &self);
                if text.len() != 2 * Payload::SIZE {
                    return Err(wrong());
                }
                let mut bytes = [0; Payload::SIZE];
                for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
                    for &digit in pair {
                        let value = char::from(digit).to_digit(16).ok_or_else(wrong)?;
                        *byte = *byte << 4 | value as u8;
                    }
                }
                Ok(Payload::from_bytes(bytes))
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Payload, E> {
                let wrong = |_| E::invalid_length(bytes.len(), &self);
                bytes.try_into().map(Payload::from_bytes).map_err(wrong)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Payload, A::Error> {
                let mut bytes = [0; Payload::SIZE];
                for (index, byte) in bytes.iter_mut().enumerate() {
                    let next = seq.next_element()?;
                    *byte = next.ok_or_else(|| A::Error::invalid_length(index, &self))?;
                }
                Ok(Payload::from_bytes(bytes))
            }
        }
        if deserializer.is_human_readable() {
            deserializer.deserialize_str(Bytes)
        } else {
            deserializer.deserialize_bytes(Bytes)
        }
    }
}

#[cfg(feature = "alloc")]
mod capture {
    use core::fmt;

    use serde::de::{Error, Unexpected, Visitor};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::capture::CaptureInfo;

    #[derive(Serialize, Deserialize)]
    struct CaptureInfoForm {
        epoch: u64,
        clock: ClockName,
        clock_error_ns: u64,
        start_ns: u64,
        stop_ns: Option<u64>,
        start_epoch_ns: Option<u64>,
        stop_epoch_ns: Option<u64>,
        ring_events: u64,
    }

    macro_rules! field_by_field {
        ($from:ident, $to:ident, $it:ident, $clock:expr) => {{
            let $from { epoch, clock, clock_error_ns, start_ns, stop_ns, .. } = $it;
            let $from { start_epoch_ns, stop_epoch_ns, ring_events, .. } = $it;
            let clock = $clock(clock);
            $to {
                epoch,
                clock,
                clock_error_ns,
                start_ns,
                stop_ns,
                start_epoch_ns,
                stop_epoch_ns,
                ring_events,
            }
        }};
    }

    impl From<CaptureInfo> for CaptureInfoForm {
        fn from(it: CaptureInfo) -> Self {
            field_by_field!(CaptureInfo, CaptureInfoForm, it, ClockName)
        }
    }

    impl From<CaptureInfoForm> for CaptureInfo {
        fn from(it: CaptureInfoForm) -> Self {
            field_by_field!(CaptureInfoForm, CaptureInfo, it, |name: ClockName| name.0)
        }
    }

    written_as!(CaptureInfo, CaptureInfoForm);

    /// The word for a clock.
    struct ClockName(&'static str);

    /// All that [`Clock::name`](crate::Clock::name) can be, with or without `std`.
    const CLOCKS: [&str; 5] = ["cycles", "steady", "realtime", "custom", "none"];

    impl Serialize for ClockName {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_str(self.0)
        }
    }

    impl<'de> Deserialize<'de> for ClockName {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Name;
            impl Visitor<'_> for Name {
                type Value = ClockName;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    write!(f, "one of the clocks {CLOCKS:?}")
                }

                fn visit_str<E: Error>(self, name: &str) -> Result<ClockName, E> {
                    let known = CLOCKS.into_iter().find(|known| *known == name);
                    known
                        .map(ClockName)
                        .ok_or_else(|| E::invalid_value(Unexpected::Str(name), &self))
                }
            }
            deserializer.deserialize_str(Name)
        }
    }
}
