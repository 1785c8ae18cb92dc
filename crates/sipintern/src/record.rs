//! The form of one stored text: id and length in eight bytes, then the text.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | bits 0–49: the id minus one; 50–62: the length, or 8191; 63: stored by reference |
//! | 4 | the length, if 8191 stands above |
//! | … | the text, or the reference |
//!
//! Invariants:
//!
//! 1. A record starts at a multiple of [`UNIT`] in memory of at least its [`size`], and is written
//!    once, before anybody else has its address.
//! 2. What is written as text is valid UTF-8 of the length that stands before it.
//! 3. The memory of a record lives, unchanged, as long as the borrow `'a` given to [`read`].
#![allow(unsafe_code, reason = "records of different lengths lie side by side")]

use crate::Symbol;
use core::{ptr, slice, str};

/// Records begin at multiples of this many bytes.
pub(crate) const UNIT: usize = 4;

const LONG: u64 = (1 << 13) - 1;
const FIXED: u64 = 1 << 63;

/// A text that may be put into a table.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    /// To be copied.
    Copied(&'a str),
    /// Lives for ever; the reference is kept.
    Static(&'static str),
}

impl<'a> Source<'a> {
    #[inline]
    pub(crate) const fn text(self) -> &'a str {
        match self {
            Self::Copied(text) | Self::Static(text) => text,
        }
    }

    /// How many bytes are copied.
    pub(crate) const fn copied_len(self) -> usize {
        match self {
            Self::Copied(text) => text.len(),
            Self::Static(_) => 0,
        }
    }
}

/// A stored text.
#[derive(Clone, Copy)]
pub(crate) struct Record<'a> {
    pub(crate) id: Symbol,
    pub(crate) source: Source<'a>,
    /// Bytes from its start to that of the next record.
    pub(crate) size: usize,
}

impl<'a> Record<'a> {
    pub(crate) const fn text(&self) -> &'a str {
        self.source.text()
    }
}

/// How many bytes a text takes. Its length fits 32 bits.
pub(crate) const fn size(source: Source<'_>) -> usize {
    let bytes = match source {
        Source::Static(_) => 8 + size_of::<&'static str>(),
        Source::Copied(text) if (text.len() as u64) < LONG => 8 + text.len(),
        Source::Copied(text) => 12 + text.len(),
    };
    bytes.next_multiple_of(UNIT)
}

/// Writes a record.
///
/// # Safety
/// Invariant 1 holds for `at`, and the length of the text fits 32 bits.
pub(crate) unsafe fn write(at: *mut u8, id: Symbol, source: Source<'_>) {
    let head = |len: u64| id.to_packed50() | len << Symbol::BITS;
    match source {
        Source::Static(text) => {
            // SAFETY: within the record, by invariant 1.
            unsafe { at.cast::<u64>().write_unaligned(head(0) | FIXED) };
            // SAFETY: as above.
            let body = unsafe { at.add(8) };
            // SAFETY: as above.
            unsafe { body.cast::<&'static str>().write_unaligned(text) };
        }
        Source::Copied(text) => {
            let len = text.len() as u64;
            // SAFETY: within the record, by invariant 1.
            unsafe { at.cast::<u64>().write_unaligned(head(len.min(LONG))) };
            // SAFETY: as above.
            let mut body = unsafe { at.add(8) };
            if len >= LONG {
                // SAFETY: as above.
                unsafe { body.cast::<u32>().write_unaligned(len as u32) };
                // SAFETY: as above.
                body = unsafe { body.add(4) };
            }
            // SAFETY: as above; the record is nobody else's yet, so it does not overlap the text.
            unsafe { ptr::copy_nonoverlapping(text.as_ptr(), body, text.len()) };
        }
    }
}

/// Reads a record.
///
/// # Safety
/// Invariants 1 to 3 hold for `at`, and its writing happened before.
#[inline]
pub(crate) unsafe fn read<'a>(at: *const u8) -> Record<'a> {
    // SAFETY: within the record, by invariant 1.
    let head = unsafe { at.cast::<u64>().read_unaligned() };
    let id = Symbol::from_hash(head);
    // SAFETY: every record has something behind its head, or ends there.
    let body = unsafe { at.add(8) };
    if head & FIXED != 0 {
        // SAFETY: written as such, by the bit.
        let text = unsafe { body.cast::<&'static str>().read_unaligned() };
        return Record { id, source: Source::Static(text), size: size(Source::Static(text)) };
    }
    let len = head >> Symbol::BITS & LONG;
    let (len, body) = if len == LONG {
        // SAFETY: within the record, by the length.
        let long = unsafe { body.cast::<u32>().read_unaligned() };
        // SAFETY: as above.
        (long as usize, unsafe { body.add(4) })
    } else {
        (len as usize, body)
    };
    // SAFETY: that many bytes were written, by invariant 2, and stay, by invariant 3.
    let bytes = unsafe { slice::from_raw_parts(body, len) };
    // SAFETY: valid UTF-8, by invariant 2.
    let source = Source::Copied(unsafe { str::from_utf8_unchecked(bytes) });
    Record { id, source, size: size(source) }
}

/// Whether two texts are equal: what `==` says, without a call for short ones.
#[inline]
pub(crate) fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    if one.len() <= 16 {
        if let (Some(a), Some(b)) = (one.first_chunk::<8>(), other.first_chunk::<8>()) {
            return a == b && one.last_chunk::<8>() == other.last_chunk::<8>();
        }
        if let (Some(a), Some(b)) = (one.first_chunk::<4>(), other.first_chunk::<4>()) {
            return a == b && one.last_chunk::<4>() == other.last_chunk::<4>();
        }
        return one.iter().eq(other);
    }
    one == other
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;

    #[test]
    fn records_give_back_what_was_written() {
        for len in (0..40).chain([8190, 8191, 8192, 70_000]) {
            let text = "x".repeat(len);
            let sources = [Source::Copied(&text), Source::Static("for ever"), Source::Static("")];
            for (source, id) in
                sources.into_iter().zip([Symbol::MAX, Symbol::from_hash(0), Symbol::of("")])
            {
                let mut memory = vec![0_u32; size(source) / UNIT];
                let at = memory.as_mut_ptr().cast::<u8>();
                // SAFETY: by invariant 1.
                unsafe { write(at, id, source) };
                // SAFETY: by invariants 1 to 3; the memory outlives the record.
                let record = unsafe { read(at) };
                assert_eq!(
                    (record.id, record.text(), record.size),
                    (id, source.text(), size(source))
                );
                assert_eq!(record.source.copied_len(), source.copied_len());
            }
        }
    }

    #[test]
    fn same_is_equality() {
        for len in 0..40 {
            let text = "a".repeat(len);
            assert!(same(&text, &text.clone()));
            assert!(!same(&text, &"a".repeat(len + 1)));
            for at in 0..len {
                let mut other = text.clone();
                other.replace_range(at..=at, "b");
                assert!(!same(&text, &other), "{len} {at}");
            }
        }
    }
}
