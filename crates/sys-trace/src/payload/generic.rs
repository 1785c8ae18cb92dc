//! [`Generic`]: the payload of events whose meaning belongs to the caller.

use super::{Field, FieldType, Payload, PayloadLayout, Raw};

/// A named event of any runtime: the payload for [`EventType::Generic`](crate::EventType::Generic).
///
/// Layout: `name` at byte 0, `args` at bytes 8 to 40, each a `u64`. The record format knows no
/// payload for GENERIC, so [`EventType::payload`](crate::EventType::payload) answers `None` and the
/// JSON read-out prints `{}`; timeline formats use the name and the arguments. The macros
/// [`span!`](crate::span!), [`instant!`](crate::instant!) and [`count!`](crate::count!) record it.
///
/// ```
/// use sys_trace::{Payload, payload::Generic};
/// let payload = Payload::from(Generic { name: 42, args: [1, 2, 0, 0] });
/// assert_eq!(Generic::read(&payload).args[1], 2);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Generic {
    /// Interned id of the event's name; 0 = none.
    pub name: u64,
    /// Four numbers that mean what the caller likes.
    pub args: [u64; 4],
}

impl Generic {
    /// Description of the layout; the arguments are named `arg0` to `arg3`.
    pub const LAYOUT: PayloadLayout = PayloadLayout {
        name: "generic",
        size: 40,
        fields: &[
            Field { name: "name", offset: 0, ty: FieldType::U64 },
            Field { name: "arg0", offset: 8, ty: FieldType::U64 },
            Field { name: "arg1", offset: 16, ty: FieldType::U64 },
            Field { name: "arg2", offset: 24, ty: FieldType::U64 },
            Field { name: "arg3", offset: 32, ty: FieldType::U64 },
        ],
    }
    .checked();

    /// Reads the fields from a payload.
    #[inline]
    #[must_use]
    pub fn read(payload: &Payload) -> Generic {
        let bytes = payload.bytes();
        Generic {
            name: Raw::get(bytes, 0),
            args: core::array::from_fn(|index| Raw::get(bytes, 8 + 8 * index)),
        }
    }
}

impl From<Generic> for Payload {
    #[inline]
    fn from(value: Generic) -> Payload {
        let mut bytes = [0; Payload::SIZE];
        value.name.put(&mut bytes, 0);
        for (index, arg) in value.args.into_iter().enumerate() {
            arg.put(&mut bytes, 8 + 8 * index);
        }
        Payload::from_bytes(bytes)
    }
}
