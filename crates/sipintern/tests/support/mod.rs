//! The golden rows, and a second opinion on hashes.
#![allow(dead_code, reason = "every test binary uses another part")]

use siphasher::sip::SipHasher13;
use std::hash::Hasher;

/// A row of `ids.tsv`.
pub(crate) struct Golden {
    pub(crate) bytes: Vec<u8>,
    pub(crate) hash: u64,
    pub(crate) id: u64,
}

pub(crate) fn goldens() -> Vec<Golden> {
    let rows = include_str!("../vectors/ids.tsv").lines().skip(1);
    rows.map(|row| {
        let [hex, len, hash, id] = fields(row);
        let bytes: Vec<u8> = (0..hex.len() / 2)
            .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap())
            .collect();
        assert_eq!(bytes.len(), len.parse::<usize>().unwrap(), "row {row}");
        let hash = u64::from_str_radix(hash, 16).unwrap();
        Golden { bytes, hash, id: id.parse().unwrap() }
    })
    .collect()
}

/// A row of `collisions.tsv`: two names with one id.
pub(crate) struct Pair {
    pub(crate) first: &'static str,
    pub(crate) second: &'static str,
    pub(crate) hashes: [u64; 2],
    pub(crate) id: u64,
}

pub(crate) fn pairs() -> Vec<Pair> {
    let rows = include_str!("../vectors/collisions.tsv").lines().skip(1);
    rows.map(|row| {
        let [first, second, a, b, id] = fields(row);
        let hashes = [a, b].map(|hash| u64::from_str_radix(hash, 16).unwrap());
        Pair { first, second, hashes, id: id.parse().unwrap() }
    })
    .collect()
}

fn fields<const N: usize>(row: &'static str) -> [&'static str; N] {
    let all: Vec<&str> = row.split('\t').collect();
    all.try_into().unwrap_or_else(|all| panic!("{N} fields expected: {all:?}"))
}

/// The id by somebody else's SipHash.
pub(crate) fn oracle_id(bytes: &[u8]) -> u64 {
    let mut hasher = SipHasher13::new();
    hasher.write(bytes);
    hasher.write_u8(0xFF);
    (hasher.finish() & ((1 << 50) - 1)) + 1
}
