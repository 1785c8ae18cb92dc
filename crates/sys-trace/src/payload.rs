//! The 40 bytes of an event whose meaning its type and phase choose, and the structs that give
//! them names.
//!
//! Each struct of this module is one meaning. `Payload::from(the_struct)` lays it out,
//! `TheStruct::read(&payload)` reads it back, and `TheStruct::LAYOUT` describes it to code that
//! knows no struct by name, such as a file writer. Bytes are in the order of the machine that
//! recorded them; bytes that no field covers are zero when written and ignored when read.
//!
//! ```
//! use sys_trace::{FieldValue, Payload, payload::ExecTensorRead};
//!
//! let payload = Payload::from(ExecTensorRead { tensor_id: 7, size: 4096 });
//! assert_eq!(ExecTensorRead::read(&payload).size, 4096);
//!
//! let [tensor_id, size] = ExecTensorRead::LAYOUT.fields else { panic!() };
//! assert_eq!((size.name, size.offset), ("size", 8));
//! assert_eq!(tensor_id.read(&payload), FieldValue::U64(7));
//! ```
//!
//! Reading never fails and never meets undefined behaviour, whatever the bytes: a `bool` reads
//! every non-zero byte as true, and the other fields are plain integers.

mod generic;
mod table;

pub use generic::Generic;
pub use table::*;

/// The payload of one event: 40 bytes, aligned to 8.
///
/// ```
/// use sys_trace::Payload;
/// assert_eq!(Payload::ZERO.bytes(), &[0; Payload::SIZE]);
/// assert_eq!(Payload::from_bytes([1; 40]).bytes()[39], 1);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C, align(8))]
pub struct Payload([u8; Payload::SIZE]);

impl Payload {
    /// Size in bytes.
    pub const SIZE: usize = 40;
    /// No payload: all bytes zero.
    pub const ZERO: Payload = Payload([0; Payload::SIZE]);

    /// The bytes, in the order of the machine that recorded them.
    #[must_use]
    pub const fn bytes(&self) -> &[u8; Payload::SIZE] {
        &self.0
    }

    /// A payload of exactly these bytes. Any bytes are valid.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; Payload::SIZE]) -> Payload {
        Payload(bytes)
    }
}

impl Default for Payload {
    fn default() -> Payload {
        Payload::ZERO
    }
}

/// The bytes in hexadecimal, in groups of eight.
impl core::fmt::Debug for Payload {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Payload(")?;
        for (index, byte) in self.0.iter().enumerate() {
            if index > 0 && index % 8 == 0 {
                f.write_str(" ")?;
            }
            write!(f, "{byte:02x}")?;
        }
        f.write_str(")")
    }
}

/// A device timestamp together with the host timestamp taken beside it, both in nanoseconds of
/// their own clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SyncInfo {
    /// Device clock, ns.
    pub nc_timestamp_ns: u64,
    /// Host clock, ns.
    pub cpu_timestamp_ns: u64,
}

/// The type of a payload field.
///
/// ```
/// use sys_trace::FieldType;
/// assert_eq!(FieldType::Sync.size(), 16);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldType {
    /// Unsigned, 64 bits.
    U64,
    /// Unsigned, 32 bits.
    U32,
    /// Signed, 32 bits.
    I32,
    /// Unsigned, 16 bits.
    U16,
    /// Unsigned, 8 bits.
    U8,
    /// One byte, true unless zero.
    Bool,
    /// [`SyncInfo`]: the device timestamp, then the host timestamp, each a `u64`.
    Sync,
}

impl FieldType {
    /// Size in bytes.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            FieldType::Sync => 16,
            FieldType::U64 => 8,
            FieldType::U32 | FieldType::I32 => 4,
            FieldType::U16 => 2,
            FieldType::U8 | FieldType::Bool => 1,
        }
    }

    /// Alignment of the field inside the payload, in bytes.
    #[must_use]
    pub const fn align(self) -> usize {
        match self {
            FieldType::Sync => 8,
            other => other.size(),
        }
    }
}

/// The value of a payload field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldValue {
    /// Of a [`FieldType::U64`] field.
    U64(u64),
    /// Of a [`FieldType::U32`] field.
    U32(u32),
    /// Of a [`FieldType::I32`] field.
    I32(i32),
    /// Of a [`FieldType::U16`] field.
    U16(u16),
    /// Of a [`FieldType::U8`] field.
    U8(u8),
    /// Of a [`FieldType::Bool`] field.
    Bool(bool),
    /// Of a [`FieldType::Sync`] field.
    Sync(SyncInfo),
}

impl FieldValue {
    /// An unsigned value widened to 64 bits; `None` for the signed, boolean and sync ones.
    ///
    /// ```
    /// use sys_trace::FieldValue;
    /// assert_eq!(FieldValue::U16(9).as_u64(), Some(9));
    /// assert_eq!(FieldValue::I32(9).as_u64(), None);
    /// ```
    #[must_use]
    pub const fn as_u64(self) -> Option<u64> {
        match self {
            FieldValue::U64(value) => Some(value),
            FieldValue::U32(value) => Some(value as u64),
            FieldValue::U16(value) => Some(value as u64),
            FieldValue::U8(value) => Some(value as u64),
            FieldValue::I32(_) | FieldValue::Bool(_) | FieldValue::Sync(_) => None,
        }
    }
}

/// One field of a payload: its name, where it starts, and its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name, as text formats print it.
    pub name: &'static str,
    /// First byte inside the payload.
    pub offset: usize,
    /// Type, and so the size.
    pub ty: FieldType,
}

impl Field {
    /// Reads this field from a payload.
    ///
    /// # Panics
    /// If the field does not lie inside the payload. No field of a layout in this module does that;
    /// one written by hand can.
    #[must_use]
    pub fn read(&self, payload: &Payload) -> FieldValue {
        let (bytes, at) = (&payload.0, self.offset);
        match self.ty {
            FieldType::U64 => FieldValue::U64(Raw::get(bytes, at)),
            FieldType::U32 => FieldValue::U32(Raw::get(bytes, at)),
            FieldType::I32 => FieldValue::I32(Raw::get(bytes, at)),
            FieldType::U16 => FieldValue::U16(Raw::get(bytes, at)),
            FieldType::U8 => FieldValue::U8(Raw::get(bytes, at)),
            FieldType::Bool => FieldValue::Bool(Raw::get(bytes, at)),
            FieldType::Sync => FieldValue::Sync(Raw::get(bytes, at)),
        }
    }
}

/// How one meaning of the payload is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PayloadLayout {
    /// Name of the meaning, for instance `nc_exec_start`.
    pub name: &'static str,
    /// Bytes used, at most [`Payload::SIZE`].
    pub size: usize,
    /// The fields, by rising offset.
    pub fields: &'static [Field],
}

impl PayloadLayout {
    /// The field of this name.
    ///
    /// ```
    /// use sys_trace::payload::NrtExec;
    /// assert_eq!(NrtExec::LAYOUT.field("model_id").unwrap().offset, 0);
    /// assert!(NrtExec::LAYOUT.field("exec_id").is_none());
    /// ```
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Checks at compile time what every reader relies on: fields rise, are aligned, do not
    /// overlap, and end inside the payload.
    const fn checked(self) -> PayloadLayout {
        let mut end = 0;
        let mut index = 0;
        while index < self.fields.len() {
            let field = self.fields[index];
            assert!(field.offset >= end, "fields overlap or are out of order");
            assert!(field.offset % field.ty.align() == 0, "field is not aligned");
            end = field.offset + field.ty.size();
            index += 1;
        }
        assert!(end <= self.size && self.size <= Payload::SIZE, "fields exceed the payload");
        self
    }
}

/// A type that can stand in a payload.
trait Raw: Copy {
    const TYPE: FieldType;
    fn put(self, bytes: &mut [u8; Payload::SIZE], at: usize);
    fn get(bytes: &[u8; Payload::SIZE], at: usize) -> Self;
}

macro_rules! raw_integers {
    ($($int:ty, $name:ident);*) => {$(
        impl Raw for $int {
            const TYPE: FieldType = FieldType::$name;

            #[inline]
            fn put(self, bytes: &mut [u8; Payload::SIZE], at: usize) {
                bytes[at..at + size_of::<$int>()].copy_from_slice(&self.to_ne_bytes());
            }

            #[inline]
            fn get(bytes: &[u8; Payload::SIZE], at: usize) -> $int {
                let mut own = [0; size_of::<$int>()];
                own.copy_from_slice(&bytes[at..at + size_of::<$int>()]);
                <$int>::from_ne_bytes(own)
            }
        }
    )*};
}
raw_integers!(u64, U64; u32, U32; i32, I32; u16, U16; u8, U8);

impl Raw for bool {
    const TYPE: FieldType = FieldType::Bool;

    #[inline]
    fn put(self, bytes: &mut [u8; Payload::SIZE], at: usize) {
        bytes[at] = u8::from(self);
    }

    #[inline]
    fn get(bytes: &[u8; Payload::SIZE], at: usize) -> bool {
        bytes[at] != 0
    }
}

impl Raw for SyncInfo {
    const TYPE: FieldType = FieldType::Sync;

    #[inline]
    fn put(self, bytes: &mut [u8; Payload::SIZE], at: usize) {
        self.nc_timestamp_ns.put(bytes, at);
        self.cpu_timestamp_ns.put(bytes, at + 8);
    }

    #[inline]
    fn get(bytes: &[u8; Payload::SIZE], at: usize) -> SyncInfo {
        SyncInfo { nc_timestamp_ns: Raw::get(bytes, at), cpu_timestamp_ns: Raw::get(bytes, at + 8) }
    }
}
