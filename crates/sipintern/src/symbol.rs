//! The id of a name.

use crate::sip13::hash_of;
use core::fmt;
use core::num::NonZeroU64;

/// The id of a text: a number from 1 to 2^50 that depends on its bytes and on nothing else.
///
/// `id = (hash & (2^50 - 1)) + 1`, where the hash is [`hash_of`] the bytes. Texts are taken as
/// bytes: no normalisation, no case folding. Zero is never an id, so `Option<Symbol>` is eight bytes
/// and a record may use 0 for "no name".
///
/// The empty text is a text like any other: its id is 121,655,548,788,208, and every table takes it.
///
/// Ordered by number. `Display` prints `0x` and 13 hex digits, `Debug` the same within
/// `Symbol(...)`, so an id looks alike in a dump, a log and a debugger; [`get`](Self::get) gives the
/// number for decimal output. There is no conversion from or to `u64` by `From`: one way would have
/// to drop range, the other invites sums over ids.
///
/// ```
/// use sipintern::Symbol;
///
/// let id = Symbol::of("conv2d");
/// assert_eq!(id.get(), 696_427_417_467_970);
/// assert_eq!(id.to_string(), "0x27965a4d47c42");
/// assert_eq!(format!("{id:?}"), "Symbol(0x27965a4d47c42)");
/// assert_eq!(Symbol::of("").get(), 121_655_548_788_208);
/// assert_eq!(size_of::<Option<Symbol>>(), 8);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Symbol(NonZeroU64);

/// All 50 bits.
const MASK: u64 = (1 << Symbol::BITS) - 1;

impl Symbol {
    /// How many bits an id minus one takes.
    ///
    /// ```
    /// assert_eq!(1_u64 << sipintern::Symbol::BITS, sipintern::Symbol::MAX.get());
    /// ```
    pub const BITS: u32 = 50;

    /// The largest id, 2^50.
    ///
    /// ```
    /// use sipintern::Symbol;
    /// assert_eq!(Symbol::from_hash(u64::MAX), Symbol::MAX);
    /// ```
    pub const MAX: Self = Self::from_hash(u64::MAX);

    /// The id of `text`. Never fails; cost: one [`hash_of`].
    ///
    /// At run time this hashes; [`symbol!`](crate::symbol!) makes the compiler do it.
    ///
    /// ```
    /// use sipintern::Symbol;
    /// const MODEL: Symbol = Symbol::of("model");
    /// assert_eq!(MODEL.get(), 402_710_577_667_408);
    /// ```
    #[must_use]
    #[inline]
    pub const fn of(text: &str) -> Self {
        Self::of_bytes(text.as_bytes())
    }

    /// The id of any bytes, UTF-8 or not. For the bytes of a text it equals [`Symbol::of`].
    ///
    /// ```
    /// use sipintern::Symbol;
    /// assert_eq!(Symbol::of_bytes("日本語".as_bytes()), Symbol::of("日本語"));
    /// assert_eq!(Symbol::of_bytes(b"\xff").get(), 1_092_702_323_915_407);
    /// ```
    #[must_use]
    #[inline]
    pub const fn of_bytes(bytes: &[u8]) -> Self {
        Self::from_hash(hash_of(bytes))
    }

    /// The id that belongs to a 64-bit hash: its low 50 bits plus one. Never fails.
    ///
    /// ```
    /// use sipintern::{Symbol, hash_of};
    /// assert_eq!(Symbol::from_hash(hash_of(b"pool")), Symbol::of("pool"));
    /// assert_eq!(Symbol::from_hash(0).get(), 1);
    /// ```
    #[must_use]
    #[inline]
    pub const fn from_hash(hash: u64) -> Self {
        // Cannot saturate: 1 + (2^50 - 1) is far from the end of u64.
        Self(NonZeroU64::MIN.saturating_add(hash & MASK))
    }

    /// The id with this number, or `None` unless it lies in 1..=2^50.
    ///
    /// ```
    /// use sipintern::Symbol;
    /// assert_eq!(Symbol::new(0), None);
    /// assert_eq!(Symbol::new(1 << 50), Some(Symbol::MAX));
    /// assert_eq!(Symbol::new((1 << 50) + 1), None);
    /// ```
    #[must_use]
    #[inline]
    pub const fn new(id: u64) -> Option<Self> {
        if id == 0 { None } else { Self::from_packed50(id - 1) }
    }

    /// The number, in 1..=2^50. It fits an `f64` and a JSON number exactly, but not a `u32`.
    ///
    /// ```
    /// assert_eq!(sipintern::symbol!("model").get(), 402_710_577_667_408);
    /// ```
    #[must_use]
    #[inline]
    pub const fn get(self) -> u64 {
        self.0.get()
    }

    /// The id as exactly 50 bits: the number minus one. What is packed above bit 49 stays intact.
    ///
    /// ```
    /// use sipintern::Symbol;
    /// let word = 0xAB << Symbol::BITS | Symbol::MAX.to_packed50();
    /// assert_eq!(word >> Symbol::BITS, 0xAB);
    /// ```
    #[must_use]
    #[inline]
    pub const fn to_packed50(self) -> u64 {
        self.get() - 1
    }

    /// The id from its 50-bit form, or `None` if a higher bit is set.
    ///
    /// ```
    /// use sipintern::Symbol;
    /// let id = Symbol::of("pool");
    /// assert_eq!(Symbol::from_packed50(id.to_packed50()), Some(id));
    /// assert_eq!(Symbol::from_packed50(1 << 50), None);
    /// ```
    #[must_use]
    #[inline]
    pub const fn from_packed50(packed: u64) -> Option<Self> {
        if packed > MASK { None } else { Some(Self::from_hash(packed)) }
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#015x}", self.get())
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Symbol({self})")
    }
}

/// The [`Symbol`] of a constant text, computed by the compiler: at run time it is a number.
///
/// Takes a literal or any constant `&str`; anything else is a compile error.
///
/// ```
/// use sipintern::{Symbol, symbol};
///
/// const LAYER: &str = "layer";
/// assert_eq!(symbol!("conv2d"), Symbol::of("conv2d"));
/// assert_eq!(symbol!(LAYER), Symbol::of("layer"));
/// ```
///
/// ```compile_fail
/// let name = String::from("conv2d");
/// let id = sipintern::symbol!(name.as_str()); // not a constant
/// ```
#[macro_export]
macro_rules! symbol {
    ($text:expr $(,)?) => {
        const { $crate::Symbol::of($text) }
    };
}

#[cfg(test)]
mod tests {
    use super::Symbol;
    use std::format;
    use std::string::ToString;

    #[test]
    fn both_ends_round_trip() {
        for id in [1, 2, (1 << 50) - 1, 1 << 50] {
            let symbol = Symbol::new(id).unwrap();
            assert_eq!(symbol.get(), id);
            assert_eq!(Symbol::from_packed50(symbol.to_packed50()), Some(symbol));
        }
        for bad in [0, (1 << 50) + 1, u64::MAX] {
            assert_eq!(Symbol::new(bad), None);
        }
        assert_eq!(Symbol::from_packed50(u64::MAX), None);
        assert_eq!(Symbol::from_hash(u64::MAX).get(), 1 << 50);
        assert_eq!(Symbol::from_hash(1 << 50).get(), 1);
    }

    #[test]
    fn packing_leaves_neighbours_alone() {
        for upper in 0..=255_u64 {
            for id in [Symbol::from_hash(0), Symbol::MAX] {
                let word = upper << Symbol::BITS | id.to_packed50();
                assert_eq!(word >> Symbol::BITS, upper);
                assert_eq!(Symbol::from_packed50(word & ((1 << Symbol::BITS) - 1)), Some(id));
            }
        }
    }

    #[test]
    fn prints_thirteen_digits() {
        assert_eq!(Symbol::from_hash(0).to_string(), "0x0000000000001");
        assert_eq!(Symbol::MAX.to_string(), "0x4000000000000");
        assert_eq!(format!("{:?}", Symbol::from_hash(0x1234_5678_9999)), "Symbol(0x012345678999a)");
    }

    #[test]
    fn macro_agrees_with_function() {
        assert_eq!(symbol!("conv2d"), Symbol::of(core::hint::black_box("conv2d")));
        assert_eq!(symbol!(""), Symbol::of(""));
    }

    /// The numbers that the crate documentation prints.
    #[test]
    fn documented_odds() {
        let expected = |n: f64| n * n / 2_f64.powi(51);
        assert_eq!(format!("{:.0e}", expected(1_500.0)), "1e-9");
        assert_eq!(format!("{:.1e}", expected(10_000.0)), "4.4e-8");
        assert_eq!(format!("{:.1e}", expected(65_536.0)), "1.9e-6");
        assert_eq!(format!("{:.1e}", expected(1e6)), "4.4e-4");
        // Where the estimate is no longer small, the chance is 1 - e^-x.
        assert!((0.36..0.37).contains(&(1.0 - (-expected(32e6)).exp())));
    }
}
