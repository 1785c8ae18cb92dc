//! Where copied texts live: blocks that are never moved and never grow.
//!
//! A position counts the bytes of all texts in order, without the unused ends of blocks, so it fits
//! 32 bits whatever the block sizes are. Three invariants:
//!
//! 1. Every block holds at least one byte, so bases rise strictly and the first is 0.
//! 2. Only the last block is written; a text never spans two blocks.
//! 3. A block is closed by a text that did not fit its free end, and that text opens the next one.
//!    So all closed ends together are shorter than all texts together, and the memory taken is at
//!    most twice the text plus the free end of the last block (less than [`LARGEST`]).

use alloc::string::String;
use alloc::vec::Vec;

/// Size of the first block in bytes. Later ones are as large as all text before them, so the total
/// doubles, up to [`LARGEST`].
const FIRST: usize = 1 << 10;

/// Size above which a block is opened only for a single text that needs it.
const LARGEST: usize = 1 << 16;

/// The allocator refused, or positions ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoMemory;

/// Where a text lies. Never empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    start: u32,
    len: u32,
}

impl Span {
    pub(crate) const fn len(self) -> usize {
        self.len as usize
    }
}

#[derive(Clone)]
struct Block {
    /// Position of the first byte.
    base: u32,
    text: String,
}

#[derive(Clone)]
pub(crate) struct Arena {
    blocks: Vec<Block>,
    used: u32,
}

impl Arena {
    pub(crate) const fn new() -> Self {
        Self { blocks: Vec::new(), used: 0 }
    }

    /// Bytes of text.
    pub(crate) const fn used(&self) -> usize {
        self.used as usize
    }

    /// Copies `text`, which must not be empty. On `Err` nothing has changed.
    pub(crate) fn try_push(&mut self, text: &str) -> Result<Span, NoMemory> {
        debug_assert!(!text.is_empty());
        let len = u32::try_from(text.len()).map_err(|_| NoMemory)?;
        let used = self.used.checked_add(len).ok_or(NoMemory)?;
        let fits =
            self.blocks.last().is_some_and(|b| b.text.capacity() - b.text.len() >= text.len());
        if !fits {
            let mut fresh = String::new();
            let size = self.used().clamp(FIRST, LARGEST).max(text.len());
            fresh.try_reserve_exact(size).map_err(|_| NoMemory)?;
            self.blocks.try_reserve(1).map_err(|_| NoMemory)?;
            self.blocks.push(Block { base: self.used, text: fresh });
        }
        if let Some(block) = self.blocks.last_mut() {
            // Within capacity, so this does not allocate.
            block.text.push_str(text);
        }
        let span = Span { start: self.used, len };
        self.used = used;
        Ok(span)
    }

    /// The text at `span`, which this arena (or the one it was cloned from) gave out. Cost: a binary
    /// search over blocks.
    pub(crate) fn get(&self, span: Span) -> &str {
        // At least 1, by invariant 1.
        let after = self.blocks.partition_point(|block| block.base <= span.start);
        let block = &self.blocks[after - 1];
        let start = (span.start - block.base) as usize;
        &block.text[start..start + span.len()]
    }

    #[cfg(test)]
    fn taken(&self) -> usize {
        self.blocks.iter().map(|block| block.text.capacity()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::{Arena, FIRST, LARGEST};
    use proptest::prelude::*;
    use std::string::String;
    use std::vec::Vec;

    /// More than a block, where bytes are cheap.
    const LONGEST: usize = if cfg!(miri) { 5000 } else { 150_000 };

    fn check(lens: &[usize]) {
        let mut arena = Arena::new();
        let mut held: Vec<_> = Vec::new();
        for (i, &len) in lens.iter().enumerate() {
            let letter = char::from(b'a' + (i % 26) as u8);
            let text: String = core::iter::repeat_n(letter, len).collect();
            let span = arena.try_push(&text).unwrap();
            held.push((span, arena.get(span).as_ptr(), text));
            assert!(arena.taken() <= 2 * arena.used() + LARGEST);
        }
        let clone = arena.clone();
        for (span, pointer, _) in &held {
            assert_eq!(arena.get(*span).as_ptr(), *pointer, "the text has moved");
        }
        drop(arena);
        for (span, _, text) in &held {
            assert_eq!(clone.get(*span), text);
        }
        assert_eq!(clone.used(), lens.iter().sum::<usize>());
        assert!(clone.blocks.windows(2).all(|pair| pair[0].base < pair[1].base));
    }

    #[test]
    #[cfg_attr(miri, ignore = "half a million bytes, one by one")]
    fn texts_at_block_edges() {
        check(&[FIRST, 1, FIRST - 1, 1, FIRST + 1, LARGEST, 1, LARGEST + 1, 1, 1]);
        check(&[1, FIRST, 1, 2 * FIRST, 1, 4 * FIRST, 1, 8 * FIRST]);
        check(&[3 * LARGEST, 1, 3 * LARGEST, 1]);
    }

    #[test]
    fn few_blocks_for_short_texts() {
        let mut arena = Arena::new();
        for _ in 0..100_000 / if cfg!(miri) { 100 } else { 1 } {
            arena.try_push("sixteen bytes...").unwrap();
        }
        assert!(arena.blocks.len() <= 10 + arena.used() / LARGEST, "{}", arena.blocks.len());
    }

    #[test]
    fn a_clone_goes_on_alone() {
        let mut one = Arena::new();
        let first = one.try_push("first").unwrap();
        let mut two = one.clone();
        let a = one.try_push("one").unwrap();
        let b = two.try_push("zwei").unwrap();
        assert_eq!((one.get(first), one.get(a)), ("first", "one"));
        assert_eq!((two.get(first), two.get(b)), ("first", "zwei"));
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 1 } else { 64 },
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn any_lengths(lens in prop::collection::vec(
            prop_oneof![4 => 1..40_usize, 2 => 1..3000_usize, 1 => 1..LONGEST], 0..60,
        )) {
            check(&lens);
        }
    }
}
