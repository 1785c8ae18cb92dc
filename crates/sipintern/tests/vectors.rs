//! Golden values: what the ids are, for ever.

mod support;

use sipintern::{Symbol, hash_of, symbol};

#[test]
fn ids() {
    let rows = support::goldens();
    assert!(rows.len() >= 60, "only {} rows", rows.len());
    for row in rows {
        assert_eq!(hash_of(&row.bytes), row.hash, "{:x?}", row.bytes);
        assert_eq!(Symbol::of_bytes(&row.bytes).get(), row.id, "{:x?}", row.bytes);
        assert_eq!(Symbol::from_hash(row.hash).get(), row.id);
        assert_eq!(support::oracle_id(&row.bytes), row.id);
        if let Ok(text) = std::str::from_utf8(&row.bytes) {
            assert_eq!(Symbol::of(text).get(), row.id, "{text}");
        }
    }
}

#[test]
fn collisions() {
    let rows = support::pairs();
    assert!(rows.len() >= 20, "only {} rows", rows.len());
    for row in rows {
        for (text, hash) in [(row.first, row.hashes[0]), (row.second, row.hashes[1])] {
            assert_eq!(hash_of(text.as_bytes()), hash, "{text}");
            assert_eq!(Symbol::of(text).get(), row.id, "{text}");
        }
        assert_ne!(row.hashes[0], row.hashes[1]);
    }
}

#[test]
fn some_of_them_by_the_compiler() {
    const IDS: [Symbol; 4] = [symbol!(""), symbol!("model"), symbol!("conv2d"), symbol!("日本語")];
    let expected =
        [121_655_548_788_208, 402_710_577_667_408, 696_427_417_467_970, 830_970_404_915_775];
    assert_eq!(IDS.map(Symbol::get), expected);
}

/// The standard library hashes a `str` the same way today. It does not promise to; if this fails
/// alone, nothing is wrong here.
#[test]
fn the_standard_library_agrees_today() {
    use std::hash::{DefaultHasher, Hash, Hasher};
    for text in ["", "a", "model", "conv2d", "日本語", "resnet50/layer3.block2/conv1:weight"] {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        assert_eq!(hasher.finish(), hash_of(text.as_bytes()), "{text}");
    }
}
