//! [`Out`]: JSON text on its way into a sink, in bounded memory and without floats.

use std::io::{self, Write};

/// Text is handed on when this much has gathered.
const FLUSH_AT: usize = 32 << 10;

/// A sink with a buffer. Only [`Out::spill`] and [`Out::finish`] write, so only they can fail.
pub(crate) struct Out<W> {
    sink: W,
    buffer: Vec<u8>,
}

impl<W: Write> Out<W> {
    pub(crate) fn new(sink: W) -> Out<W> {
        Out { sink, buffer: Vec::with_capacity(FLUSH_AT + FLUSH_AT / 4) }
    }

    /// Hands on what has gathered, if it is much. Call it once per record.
    pub(crate) fn spill(&mut self) -> io::Result<()> {
        if self.buffer.len() >= FLUSH_AT {
            self.sink.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    /// Hands on the rest and gives the sink back, flushed.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.sink.write_all(&self.buffer)?;
        self.sink.flush()?;
        Ok(self.sink)
    }

    /// Text as it is.
    pub(crate) fn raw(&mut self, text: &str) {
        self.buffer.extend_from_slice(text.as_bytes());
    }

    /// A decimal number.
    pub(crate) fn uint(&mut self, mut value: u64) {
        let mut digits = [0; 20];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (value % 10) as u8;
            value /= 10;
            if value == 0 {
                break;
            }
        }
        self.buffer.extend_from_slice(&digits[at..]);
    }

    /// A decimal number with its sign.
    pub(crate) fn int(&mut self, value: i64) {
        if value < 0 {
            self.raw("-");
        }
        self.uint(value.unsigned_abs());
    }

    /// A number, in quotes if asked for.
    pub(crate) fn uint_or_text(&mut self, value: u64, as_text: bool) {
        let quote = if as_text { "\"" } else { "" };
        self.raw(quote);
        self.uint(value);
        self.raw(quote);
    }

    /// A number in quotes, as lower-case hexadecimal after `0x`.
    pub(crate) fn hex_text(&mut self, value: u64) {
        self.raw("\"0x");
        let digits = (64 - value.leading_zeros()).div_ceil(4).max(1);
        for digit in (0..digits).rev() {
            let nibble = (value >> (4 * digit) & 15) as usize;
            self.buffer.push(b"0123456789abcdef"[nibble]);
        }
        self.raw("\"");
    }

    /// Nanoseconds as microseconds with exactly three decimals.
    pub(crate) fn micros(&mut self, ns: u64) {
        self.uint(ns / 1000);
        let rest = ns % 1000;
        let digit = |place: u64| b'0' + (rest / place % 10) as u8;
        self.buffer.extend_from_slice(&[b'.', digit(100), digit(10), digit(1)]);
    }

    /// A string in quotes, escaped.
    pub(crate) fn text(&mut self, text: &str) {
        // A string into a `Vec` has nothing that can fail.
        serde_json::to_writer(&mut self.buffer, text).expect("string into memory");
    }

    /// A string in quotes for a viewer that shows escapes of control characters literally: each is
    /// replaced by its picture (U+2400 and up) or, where there is none, by U+FFFD.
    pub(crate) fn shown(&mut self, text: &str) {
        if !text.contains(char::is_control) {
            return self.text(text);
        }
        let picture = |c: char| match c {
            '\0'..='\x1f' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
            '\x7f' => '\u{2421}',
            c if c.is_control() => '\u{fffd}',
            c => c,
        };
        self.text(&text.chars().map(picture).collect::<String>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Out<Vec<u8>>)) -> String {
        let mut out = Out::new(Vec::new());
        write(&mut out);
        String::from_utf8(out.finish().unwrap()).unwrap()
    }

    #[test]
    fn numbers_are_what_the_standard_library_prints() {
        let mut values = vec![0, u64::MAX];
        for bit in 0..64 {
            let power = 1_u64 << bit;
            values.extend([power - 1, power, power + 1]);
        }
        for value in values {
            assert_eq!(written(|out| out.uint(value)), value.to_string());
            assert_eq!(written(|out| out.hex_text(value)), format!("\"{value:#x}\""));
            let micros = format!("{}.{:03}", value / 1000, value % 1000);
            assert_eq!(written(|out| out.micros(value)), micros);
        }
        for value in [0, -1, i64::MIN, i64::MAX] {
            assert_eq!(written(|out| out.int(value)), value.to_string());
        }
        assert_eq!(written(|out| out.uint_or_text(7, true)), "\"7\"");
    }

    #[test]
    fn control_characters_become_pictures_when_shown() {
        assert_eq!(written(|out| out.shown("a\n\0\u{7f}\u{85}é")), "\"a␊␀␡\u{fffd}é\"");
        assert_eq!(written(|out| out.text("a\n\"\\")), r#""a\n\"\\""#);
    }

    #[test]
    fn memory_stays_bounded() {
        let mut out = Out::new(io::sink());
        for _ in 0..100_000 {
            out.raw("0123456789");
            out.spill().unwrap();
        }
        assert!(out.buffer.capacity() <= 2 * FLUSH_AT);
    }
}
