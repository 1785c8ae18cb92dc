//! Bytes that are read from front to back, and never beyond.

use super::read::BlobError;

/// What is left of the bytes, and where it begins.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    /// Of the first byte of `bytes`, in the file.
    pub(super) offset: usize,
    /// Numbers are in the other byte order.
    pub(super) swapped: bool,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0, swapped: false }
    }

    pub(super) fn left(&self) -> usize {
        self.bytes.len()
    }

    /// The next `length` bytes, on their own; `what` they are.
    pub(super) fn part(&mut self, length: usize, what: &'static str) -> Result<Self, BlobError> {
        let Some((part, rest)) = self.bytes.split_at_checked(length) else {
            let (offset, needed, left) = (self.offset, length, self.left());
            return Err(BlobError::CutOff { offset, what, needed, left });
        };
        let part = Self { bytes: part, ..*self };
        (self.bytes, self.offset) = (rest, self.offset + length);
        Ok(part)
    }

    pub(super) fn array<const N: usize>(
        &mut self,
        what: &'static str,
    ) -> Result<[u8; N], BlobError> {
        let part = self.part(N, what)?;
        Ok(core::array::from_fn(|at| part.bytes[at]))
    }

    pub(super) fn u32(&mut self, what: &'static str) -> Result<u32, BlobError> {
        let number = u32::from_ne_bytes(self.array(what)?);
        Ok(if self.swapped { number.swap_bytes() } else { number })
    }

    pub(super) fn u64(&mut self, what: &'static str) -> Result<u64, BlobError> {
        let number = u64::from_ne_bytes(self.array(what)?);
        Ok(if self.swapped { number.swap_bytes() } else { number })
    }

    /// All that is left, as text.
    pub(super) fn text(self, what: &'static str) -> Result<&'a str, BlobError> {
        core::str::from_utf8(self.bytes).map_err(|error| {
            let at = error.valid_up_to();
            let value = self.bytes.get(at).copied().unwrap_or(0).into();
            BlobError::Value { offset: self.offset + at, what, value, expected: "UTF-8" }
        })
    }
}
