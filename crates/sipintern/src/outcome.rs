//! What a table answers beside the id.

use crate::Symbol;
use core::error::Error;
use core::fmt;

/// What became of a text given to a table. The id is valid in every case.
///
/// ```
/// use sipintern::Outcome;
/// assert!(Outcome::Known.is_stored());
/// assert!(!Outcome::Collision.is_stored());
/// assert_eq!(Outcome::OutOfMemory.to_string(), "not stored: out of memory");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The text is stored now and was not before.
    New,
    /// This very text was stored already.
    Known,
    /// Another text has this id; it stays, and this one was reported as a collision.
    Collision,
    /// Storing the text would pass a limit of the table.
    Full {
        /// Which limit.
        cap: Cap,
        /// What the table would have had to hold: entries, bytes, or bytes of this text.
        needed: usize,
        /// The limit, in the same unit.
        limit: usize,
    },
    /// The allocator refused. The table is as before, and a later attempt may succeed.
    OutOfMemory,
    /// Storing the text would have meant to wait or to allocate, which
    /// `Interner::try_intern` does not. A later attempt may succeed.
    Busy,
}

impl Outcome {
    /// Whether the id now resolves to this text: true for `New` and `Known`.
    ///
    /// ```
    /// assert!(sipintern::Outcome::New.is_stored());
    /// ```
    #[must_use]
    pub const fn is_stored(self) -> bool {
        matches!(self, Self::New | Self::Known)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::New => f.write_str("stored"),
            Self::Known => f.write_str("stored before"),
            Self::Collision => f.write_str("not stored: another text has the same id"),
            Self::Full { cap, needed, limit } => {
                let unit = match cap {
                    Cap::Entries => "texts in the table",
                    Cap::Bytes => "bytes of text in the table",
                    Cap::Length => "bytes in one text",
                };
                write!(f, "not stored: {needed} {unit}, the limit is {limit}")
            }
            Self::OutOfMemory => f.write_str("not stored: out of memory"),
            Self::Busy => f.write_str("not stored: another insert is going on or memory is needed"),
        }
    }
}

/// A limit of a table, see [`Outcome::Full`].
///
/// ```
/// use sipintern::{Cap, Outcome};
/// let full = Outcome::Full { cap: Cap::Length, needed: 70_000, limit: 65_536 };
/// assert_eq!(full.to_string(), "not stored: 70000 bytes in one text, the limit is 65536");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cap {
    /// The number of texts.
    Entries,
    /// The bytes of all copied texts together.
    Bytes,
    /// The bytes of one text.
    Length,
}

/// The id of a text and what became of the text.
///
/// ```
/// use sipintern::{Interned, Outcome, symbol};
/// let answer = Interned { id: symbol!("conv2d"), outcome: Outcome::New };
/// assert_eq!(answer.id, symbol!("conv2d"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interned {
    /// The id, valid whatever the outcome.
    pub id: Symbol,
    /// What became of the text.
    pub outcome: Outcome,
}

/// Two texts with one id.
///
/// ```
/// use sipintern::{Collision, symbol};
/// let pair = Collision { id: symbol!("pdgtib"), kept: "pdgtib", other: "pexlag" };
/// assert_eq!(pair.to_string(), r#"0x06b1b877bec41 means "pdgtib", but "pexlag" has it too"#);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Collision<'a> {
    /// The id that both have.
    pub id: Symbol,
    /// The text that the id resolves to.
    pub kept: &'a str,
    /// The text that it does not resolve to.
    pub other: &'a str,
}

impl fmt::Display for Collision<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} means {:?}, but {:?} has it too", self.id, self.kept, self.other)
    }
}

/// A text was registered under an id that is not its own. Nothing was stored or counted.
///
/// ```
/// use sipintern::{IdMismatch, symbol};
/// let error = IdMismatch { given: symbol!("pool"), actual: symbol!("conv2d") };
/// assert_eq!(
///     error.to_string(),
///     format!("id {} was given with a text whose id is 0x27965a4d47c42", symbol!("pool")),
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IdMismatch {
    /// The id that came with the text.
    pub given: Symbol,
    /// The id of the text.
    pub actual: Symbol,
}

impl fmt::Display for IdMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "id {} was given with a text whose id is {}", self.given, self.actual)
    }
}

impl Error for IdMismatch {}
