//! SipHash-1-3 with a zero key, one shot, over the message `bytes ++ 0xFF`.
//!
//! Written here and not borrowed because ids must be computable by the compiler and must not change
//! when somebody's hasher does. The eight-byte loads go through fixed-size chunks: they work in
//! `const fn` and cost at run time what a pointer load costs.

/// The four words of SipHash's state.
#[derive(Clone, Copy)]
struct State {
    v0: u64,
    v1: u64,
    v2: u64,
    v3: u64,
}

impl State {
    /// SipHash's initial constants; a zero key xored into them changes nothing.
    const ZERO_KEY: Self = Self {
        v0: 0x736f_6d65_7073_6575,
        v1: 0x646f_7261_6e64_6f6d,
        v2: 0x6c79_6765_6e65_7261,
        v3: 0x7465_6462_7974_6573,
    };

    /// One round. The two halves of each step do not depend on each other and stand side by side,
    /// which is the order that compiles to the faster code.
    #[inline(always)]
    const fn round(self) -> Self {
        let Self { mut v0, mut v1, mut v2, mut v3 } = self;
        v0 = v0.wrapping_add(v1);
        v2 = v2.wrapping_add(v3);
        v1 = v1.rotate_left(13) ^ v0;
        v3 = v3.rotate_left(16) ^ v2;
        v0 = v0.rotate_left(32);

        v2 = v2.wrapping_add(v1);
        v0 = v0.wrapping_add(v3);
        v1 = v1.rotate_left(17) ^ v2;
        v3 = v3.rotate_left(21) ^ v0;
        v2 = v2.rotate_left(32);
        Self { v0, v1, v2, v3 }
    }

    /// Takes in one word of the message: the "1" of 1-3.
    #[inline(always)]
    const fn absorb(mut self, word: u64) -> Self {
        self.v3 ^= word;
        self = self.round();
        self.v0 ^= word;
        self
    }

    /// The hash of what was absorbed: the "3" of 1-3.
    #[inline(always)]
    const fn finish(mut self) -> u64 {
        self.v2 ^= 0xFF;
        self = self.round().round().round();
        self.v0 ^ self.v1 ^ self.v2 ^ self.v3
    }
}

/// Up to seven bytes as the low end of a little-endian word. Two loads that may overlap replace a
/// loop over bytes.
#[inline(always)]
const fn short_word(bytes: &[u8]) -> u64 {
    let len = bytes.len();
    debug_assert!(len < 8);
    if let (Some(low), Some(high)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        u32::from_le_bytes(*low) as u64 | (u32::from_le_bytes(*high) as u64) << (8 * (len - 4))
    } else if let (Some(low), Some(high)) = (bytes.first_chunk::<2>(), bytes.last_chunk::<2>()) {
        u16::from_le_bytes(*low) as u64 | (u16::from_le_bytes(*high) as u64) << (8 * (len - 2))
    } else if let Some(byte) = bytes.first() {
        *byte as u64
    } else {
        0
    }
}

/// The 64-bit hash behind a [`Symbol`](crate::Symbol): SipHash-1-3 with `k0 = k1 = 0` over `bytes`
/// followed by one byte `0xFF`.
///
/// The answer depends on the bytes alone. It has no key and is no protection against somebody who
/// chooses the bytes. Cost: one round per eight bytes and four more.
///
/// ```
/// const HASH: u64 = sipintern::hash_of(b"conv2d");
/// assert_eq!(HASH, 0x2ac2_7965_a4d4_7c41);
/// assert_eq!(sipintern::hash_of("conv2d".as_bytes()), HASH);
/// ```
#[must_use]
#[inline]
pub const fn hash_of(bytes: &[u8]) -> u64 {
    let mut state = State::ZERO_KEY;
    let mut rest = bytes;
    while let Some((chunk, tail)) = rest.split_first_chunk::<8>() {
        state = state.absorb(u64::from_le_bytes(*chunk));
        rest = tail;
    }
    let mut word = short_word(rest) | 0xFF << (8 * rest.len());
    if rest.len() == 7 {
        // The terminator filled the word; the length needs one of its own.
        state = state.absorb(word);
        word = 0;
    }
    // The top byte is the length of the message, terminator included, modulo 256.
    let length = (bytes.len() as u64).wrapping_add(1) << 56;
    state.absorb(word | length).finish()
}

#[cfg(test)]
mod tests {
    use super::{hash_of, short_word};
    use core::hash::Hasher;
    use siphasher::sip::SipHasher13;
    use std::vec::Vec;

    fn oracle(bytes: &[u8]) -> u64 {
        let mut hasher = SipHasher13::new();
        hasher.write(bytes);
        hasher.write_u8(0xFF);
        hasher.finish()
    }

    const PATTERN: [u8; 300] = {
        let mut bytes = [0; 300];
        let mut i = 0;
        while i < bytes.len() {
            bytes[i] = (i * 7 + 3) as u8;
            i += 1;
        }
        bytes
    };

    /// Every length, computed by the compiler.
    const AT_COMPILE_TIME: [u64; 301] = {
        let mut hashes = [0; 301];
        let mut len = 0;
        while len < hashes.len() {
            hashes[len] = hash_of(PATTERN.split_at(len).0);
            len += 1;
        }
        hashes
    };

    #[test]
    fn equals_an_independent_implementation() {
        for len in 0..=300 {
            assert_eq!(hash_of(&PATTERN[..len]), oracle(&PATTERN[..len]), "length {len}");
            let high: Vec<u8> = PATTERN[..len].iter().map(|b| b | 0x80).collect();
            assert_eq!(hash_of(&high), oracle(&high), "high bytes, length {len}");
        }
    }

    #[test]
    fn compile_time_equals_run_time() {
        for (len, &hash) in AT_COMPILE_TIME.iter().enumerate() {
            let bytes = core::hint::black_box(&PATTERN[..len]);
            assert_eq!(hash_of(bytes), hash, "length {len}");
        }
    }

    #[test]
    fn every_alignment_gives_the_same_hash() {
        for shift in 0..8 {
            let mut moved = std::vec![0_u8; shift];
            moved.extend_from_slice(&PATTERN[..40]);
            assert_eq!(hash_of(&moved[shift..]), hash_of(&PATTERN[..40]), "shift {shift}");
        }
    }

    #[test]
    fn short_words_are_little_endian() {
        for len in 0..8 {
            let slow = (0..len).fold(0, |word, i| word | u64::from(PATTERN[i]) << (8 * i));
            assert_eq!(short_word(&PATTERN[..len]), slow, "length {len}");
        }
    }

    #[test]
    fn plausible_mistakes_give_other_hashes() {
        let wrong: [u64; 4] = [
            0x7f1b_0bc1_eb1b_29c7, // length prefix
            0x188f_9215_482e_3db8, // no terminator
            0x097e_48a2_b5d0_c715, // SipHash-2-4
            0xc87a_ee87_21aa_bc6e, // state words in printed order
        ];
        assert!(!wrong.contains(&hash_of(b"conv2d")));
    }
}
