//! Deliberate faults at named places, to show that the tests can fail.
//!
//! A test that stays green when the code is broken proves nothing. Every ordering and every
//! delicate branch of the concurrent crates has a name; a test build (`--cfg loom`, or the feature
//! `mutants`) breaks the one whose name stands in the environment variable `SYNCFACE_MUTANT`, and
//! the continuous integration demands that some model then fails. In every other build the two
//! functions here are constants and nothing of this remains.
//!
//! ```
//! use syncface::atomic::Ordering;
//! // In an ordinary build the ordering is exactly the one written.
//! assert_eq!(syncface::mutant::order("doc.publish", Ordering::Release), Ordering::Release);
//! ```

use crate::atomic::Ordering;

#[cfg(not(any(loom, feature = "mutants")))]
mod active {
    #[inline(always)]
    pub(super) const fn is(_name: &str) -> bool {
        false
    }
}

#[cfg(any(loom, feature = "mutants"))]
mod active {
    use std::string::String;
    use std::sync::OnceLock;

    pub(super) fn is(name: &str) -> bool {
        static CHOSEN: OnceLock<Option<String>> = OnceLock::new();
        CHOSEN.get_or_init(|| std::env::var("SYNCFACE_MUTANT").ok()).as_deref() == Some(name)
    }
}

/// True if this is a test build and the mutant `name` was asked for.
///
/// ```
/// assert!(!syncface::mutant::is("doc.some_branch"));
/// ```
#[inline(always)]
#[must_use]
pub fn is(name: &str) -> bool {
    active::is(name)
}

/// `ordering`, or `Relaxed` in a test build that was asked for the mutant `name`.
#[inline(always)]
#[must_use]
pub fn order(name: &str, ordering: Ordering) -> Ordering {
    if active::is(name) { Ordering::Relaxed } else { ordering }
}
