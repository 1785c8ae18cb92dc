//! [`Names`]: from a number to the text it stands for.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::BuildHasher;
use std::marker::PhantomData;

/// Something that knows the text behind a number: interned names, or a table of enumeration values.
///
/// Implemented for maps, for arrays and vectors (the number is the index), and, through
/// [`NameFn`], for closures.
///
/// ```
/// use std::collections::BTreeMap;
/// use sys_trace_export::{NameFn, Names};
///
/// assert_eq!(BTreeMap::from([(7, "resnet".to_string())]).name(7), Some("resnet"));
/// assert_eq!(["ring", "mesh"].name(1), Some("mesh"));
/// assert_eq!(["ring", "mesh"].name(2), None);
/// let odd = NameFn::new(|id| (id % 2 == 1).then_some("odd"));
/// assert_eq!(odd.name(3), Some("odd"));
/// ```
pub trait Names {
    /// The text behind `id`, `None` if there is none.
    fn name(&self, id: u64) -> Option<&str>;
}

/// Knows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoNames;

impl Names for NoNames {
    fn name(&self, _: u64) -> Option<&str> {
        None
    }
}

impl<S: AsRef<str>> Names for BTreeMap<u64, S> {
    fn name(&self, id: u64) -> Option<&str> {
        self.get(&id).map(AsRef::as_ref)
    }
}

impl<S: AsRef<str>, H: BuildHasher> Names for HashMap<u64, S, H> {
    fn name(&self, id: u64) -> Option<&str> {
        self.get(&id).map(AsRef::as_ref)
    }
}

impl<S: AsRef<str>> Names for [S] {
    fn name(&self, id: u64) -> Option<&str> {
        self.get(usize::try_from(id).ok()?).map(AsRef::as_ref)
    }
}

impl<S: AsRef<str>, const N: usize> Names for [S; N] {
    fn name(&self, id: u64) -> Option<&str> {
        self.as_slice().name(id)
    }
}

impl<S: AsRef<str>> Names for Vec<S> {
    fn name(&self, id: u64) -> Option<&str> {
        self.as_slice().name(id)
    }
}

/// Names from a closure that borrows them for `'n`.
pub struct NameFn<'n, F> {
    lookup: F,
    names: PhantomData<&'n str>,
}

impl<'n, F: Fn(u64) -> Option<&'n str>> NameFn<'n, F> {
    /// Names that `lookup` finds.
    pub fn new(lookup: F) -> NameFn<'n, F> {
        NameFn { lookup, names: PhantomData }
    }
}

impl<'n, F: Fn(u64) -> Option<&'n str>> Names for NameFn<'n, F> {
    fn name(&self, id: u64) -> Option<&str> {
        (self.lookup)(id)
    }
}

impl<F> fmt::Debug for NameFn<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NameFn").finish_non_exhaustive()
    }
}
