//! Numbers, durations and paths as people read them.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use crate::fail::one_line;

/// `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1.50 ms`: three digits or more of the largest unit that is not 0.
pub(crate) fn nanos(ns: u64) -> String {
    let value = ns as f64;
    match ns {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{:.2} µs", value / 1e3),
        1_000_000..1_000_000_000 => format!("{:.2} ms", value / 1e6),
        _ => format!("{:.2} s", value / 1e9),
    }
}

/// [`nanos`] of a duration.
pub(crate) fn time(duration: Duration) -> String {
    nanos(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
}

/// `1.5 MiB`.
pub(crate) fn bytes(bytes: u64) -> String {
    let mut value = bytes as f64;
    let mut units = ["KiB", "MiB", "GiB"].into_iter();
    let mut unit = "bytes";
    while value >= 1024.0 {
        let Some(next) = units.next() else { break };
        value /= 1024.0;
        unit = next;
    }
    if unit == "bytes" { format!("{bytes} bytes") } else { format!("{value:.1} {unit}") }
}

/// A path on one line; what is not UTF-8 in it is replaced.
pub(crate) fn path(path: &Path) -> String {
    one_line(&path.display().to_string())
}

/// Lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(nanos(999), "999 ns");
        assert_eq!(nanos(1_500), "1.50 µs");
        assert_eq!(nanos(1_500_000), "1.50 ms");
        assert_eq!(nanos(90_000_000_000), "90.00 s");
        assert_eq!(bytes(1023), "1023 bytes");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(1 << 42), "4096.0 GiB");
        assert_eq!(hex(&[0, 0xab]), "00ab");
    }
}
