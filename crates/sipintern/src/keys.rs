//! Where in an index a text or an id is looked for first. Pure arithmetic.
//!
//! These hashes place entries and are seen by nobody: ids never depend on them. Both are keyed, and
//! every index has keys of its own.

use crate::Symbol;

/// 2^64 divided by the golden ratio, made odd.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The keys of one index.
#[derive(Clone, Copy)]
pub(crate) struct Keys {
    start: u64,
    other: u64,
    /// Odd.
    factor: u64,
}

impl Keys {
    pub(crate) fn new(seed: u64, entropy: u64) -> Self {
        // SplitMix64: every output depends on every bit of both.
        let mut state = seed.wrapping_mul(GOLDEN).rotate_left(32) ^ entropy;
        let mut next = || {
            state = state.wrapping_add(GOLDEN);
            let mut word = state;
            word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            word ^ word >> 31
        };
        Self { start: next(), other: next(), factor: next() | 1 }
    }

    /// A hash of a text: sixteen bytes are multiplied, eight by eight, and the product is folded.
    ///
    /// Not proven to resist anybody; a probe of the texts' half that comes out long is given up for
    /// one by id.
    #[inline]
    pub(crate) fn of_text(&self, bytes: &[u8]) -> u64 {
        let len = bytes.len();
        let other = self.other.wrapping_add((len as u64).wrapping_mul(GOLDEN));
        let mut start = self.start;
        let (low, high) = if let Some((low, high)) = ends::<8>(bytes) {
            if len > 16 {
                start = self.long(bytes);
                // The last sixteen bytes; some may have been seen before.
                (word(bytes[len - 16..].first_chunk()), high)
            } else {
                (low, high)
            }
        } else if let Some((low, high)) = ends::<4>(bytes) {
            (low, high)
        } else if let [first, .., last] = bytes {
            (u64::from(*first) | u64::from(bytes[len / 2]) << 8, u64::from(*last))
        } else {
            (bytes.first().map_or(0, |&byte| u64::from(byte)), 0)
        };
        fold(low ^ start, high ^ other)
    }

    /// All of a long text but what the last sixteen bytes cover, in two chains that do not wait for
    /// each other.
    #[inline]
    fn long(&self, bytes: &[u8]) -> u64 {
        let (mut one, mut two) = (self.start, self.factor);
        let mut rest = &bytes[..bytes.len() - 1];
        while let Some((chunk, tail)) = rest.split_first_chunk::<32>() {
            one =
                fold(word(chunk.first_chunk()) ^ one, word(chunk[8..].first_chunk()) ^ self.other);
            two = fold(
                word(chunk[16..].first_chunk()) ^ two,
                word(chunk[24..].first_chunk()) ^ self.other,
            );
            rest = tail;
        }
        if let Some(chunk) = rest.first_chunk::<16>() {
            one =
                fold(word(chunk.first_chunk()) ^ one, word(chunk[8..].first_chunk()) ^ self.other);
        }
        one ^ two.rotate_left(32)
    }

    /// A hash of an id, whose top bits are what counts.
    ///
    /// Multiplication by an odd factor that is not known to whoever chose the ids: any two of them
    /// agree in the top `k` bits for at most a share of 2 / 2^k of all factors.
    #[inline]
    pub(crate) const fn of_id(&self, id: Symbol) -> u64 {
        let product = id.to_packed50().wrapping_mul(self.factor);
        // The low half alone would not depend on the high bits of the id.
        product ^ product >> 32
    }
}

#[inline(always)]
fn word(chunk: Option<&[u8; 8]>) -> u64 {
    chunk.map_or(0, |chunk| u64::from_le_bytes(*chunk))
}

/// The first and the last `N` bytes, 4 or 8, as words. They may overlap.
#[inline(always)]
fn ends<const N: usize>(bytes: &[u8]) -> Option<(u64, u64)> {
    let (first, last) = (bytes.first_chunk::<N>()?, bytes.last_chunk::<N>()?);
    let widen = |chunk: &[u8; N]| {
        let mut word = [0; 8];
        word[..N].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    };
    Some((widen(first), widen(last)))
}

#[inline(always)]
const fn fold(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    (product >> 64) as u64 ^ product as u64
}

#[cfg(test)]
impl Keys {
    /// The end of sixteen bytes that makes every beginning hash to 0.
    pub(crate) fn fatal_tail(&self) -> [u8; 8] {
        self.other.wrapping_add(16_u64.wrapping_mul(GOLDEN)).to_le_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::format;

    /// A name and a function from the counting numbers to ids.
    type Family = (&'static str, fn(u64) -> Symbol);

    /// Ids as an adversary would choose them, beside ordinary ones.
    fn families() -> [Family; 6] {
        [
            ("ordinary", |i| Symbol::of_bytes(&i.to_le_bytes())),
            ("counting", Symbol::from_hash),
            ("low 16 bits zero", |i| Symbol::from_hash((i << 16).wrapping_sub(1))),
            ("low 20 bits one", |i| Symbol::from_hash(i << 20 | 0xF_FFFE)),
            ("low 36 bits zero", |i| Symbol::from_hash((i << 36).wrapping_sub(1))),
            ("from the top", |i| Symbol::from_hash(u64::MAX - i)),
        ]
    }

    /// Four for each of 4096 starts on average.
    fn worst_load(mut hash: impl FnMut(u64) -> u64) -> u32 {
        let mut load = std::vec![0_u32; 1 << 12];
        for i in 0..1 << 14 {
            load[(hash(i) >> 52) as usize] += 1;
        }
        load.into_iter().max().unwrap()
    }

    #[test]
    #[cfg_attr(miri, ignore = "pure arithmetic on many values")]
    fn ids_spread() {
        for (name, family) in families() {
            for seed in 0..8 {
                let keys = Keys::new(seed, 77);
                let worst = worst_load(|i| keys.of_id(family(i)));
                assert!(worst <= 40, "{name}, seed {seed}: {worst} at one start");
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "pure arithmetic on many values")]
    fn texts_spread() {
        for len in [5, 8, 12, 16, 17, 30, 64, 200] {
            for pad in ["", "xyz"] {
                let keys = Keys::new(0, 77);
                let worst = worst_load(|i| keys.of_text(format!("{i:0>len$}{pad}").as_bytes()));
                assert!(worst <= 24, "{len} {pad}: {worst} at one start");
                let worst = worst_load(|i| keys.of_text(format!("{pad}{i:_<len$}").as_bytes()));
                assert!(worst <= 24, "{len} {pad}: {worst} at one start");
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "pure arithmetic on many values")]
    fn every_byte_counts() {
        let keys = Keys::new(0, 77);
        for len in 0..200 {
            let text = std::vec![b'a'; len];
            let mut seen = HashSet::from([keys.of_text(&text)]);
            for at in 0..len {
                let mut other = text.clone();
                other[at] = b'b';
                assert!(seen.insert(keys.of_text(&other)), "{len} {at}");
            }
        }
    }
}
