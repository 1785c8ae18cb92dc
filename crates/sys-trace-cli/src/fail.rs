//! [`Fail`]: why a command could not do what it was told, in one line.

use std::io::{self, Write};
use std::process::ExitCode;

/// A reason to end with exit code 2. It names the value and the limit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fail(String);

impl Fail {
    /// A failure of these words. Line breaks and other control characters become escapes, because
    /// names of files may contain them.
    pub(crate) fn new(words: impl AsRef<str>) -> Fail {
        Fail(one_line(words.as_ref()))
    }

    /// Says so on standard error.
    pub(crate) fn report(&self) -> ExitCode {
        // Nobody is left to tell when standard error is closed.
        let _ = writeln!(io::stderr(), "error: {}", self.0);
        ExitCode::from(2)
    }
}

impl std::fmt::Display for Fail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// `words` without control characters.
pub(crate) fn one_line(words: &str) -> String {
    let mut line = String::with_capacity(words.len());
    for character in words.chars() {
        if character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    line
}

/// Prints to standard output.
///
/// A reader that has had enough (`| head`) is no failure.
pub(crate) fn print(text: &str) -> Result<(), Fail> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Fail::new(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_one_line_whatever_it_names() {
        let fail = Fail::new("\"a\nb\r\u{1b}[0m\u{2028}\" é");
        assert_eq!(fail.to_string(), "\"a\\nb\\r\\u{1b}[0m\\u{2028}\" é");
    }
}
