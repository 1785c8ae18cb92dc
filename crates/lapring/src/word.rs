//! The machine word that positions and stamps live in, in one place.
//!
//! Shipped builds use the pointer-sized word: it has a native atomic on every target. Test builds
//! may narrow it with `--cfg lapring_word="16"`, so that a few thousand pushes run through the
//! wrap of the lap counter that a 64-bit word never reaches.

#[cfg(not(lapring_word = "16"))]
mod chosen {
    pub(crate) type Word = usize;
    pub(crate) type Signed = isize;
    pub(crate) type AtomicWord = syncface::atomic::AtomicUsize;
}

#[cfg(lapring_word = "16")]
mod chosen {
    pub(crate) type Word = u16;
    pub(crate) type Signed = i16;
    pub(crate) type AtomicWord = syncface::atomic::AtomicU16;
}

pub(crate) use chosen::{AtomicWord, Signed, Word};

/// True if position `a` comes after position `b`, reading the circle of words the short way round.
#[inline]
pub(crate) const fn is_after(a: Word, b: Word) -> bool {
    (a.wrapping_sub(b) as Signed) > 0
}

/// True if `a` comes after `b` by more than a quarter of the circle: time to bring `b` closer.
#[inline]
pub(crate) const fn is_far_after(a: Word, b: Word) -> bool {
    (a.wrapping_sub(b) as Signed) > Signed::MAX / 2
}

/// The later of two positions.
#[inline]
pub(crate) const fn later(a: Word, b: Word) -> Word {
    if is_after(a, b) { a } else { b }
}
