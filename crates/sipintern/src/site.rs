//! Call sites with a literal name.

use crate::interner::May;
use crate::order;
use crate::record::Source;
use crate::{Interned, Interner, Outcome, Symbol};
use core::fmt;
use syncface::atomic::AtomicUsize;

/// A literal name at one place of a program, usually a `static` made by [`site!`](crate::site!).
///
/// The compiler computes the id. The first [`intern`](Self::intern) with a table stores the text
/// there, and stores it again after a [`clear`](Interner::clear); every other one compares two
/// numbers: no hash, no lock, no write. A site used with several tables in turn looks the name up
/// at each change, so give each table sites of its own.
///
/// ```
/// use sipintern::{Interner, Outcome, Site, site, symbol};
///
/// static NAMES: Interner = Interner::new();
/// static CONV: Site = site!("conv2d");
///
/// assert_eq!(CONV.intern(&NAMES), symbol!("conv2d"));
/// assert_eq!(NAMES.resolve(CONV.id()), Some("conv2d"));
/// ```
pub struct Site {
    text: &'static str,
    id: Symbol,
    /// The epoch of the table that was last given the text; 0 before.
    seen: AtomicUsize,
}

impl Site {
    syncface::maybe_const! {
    /// A site that no table knows yet.
    ///
    /// Hashes the text: at compile time in a constant or `static`, as [`site!`](crate::site!) demands.
    ///
    /// ```
    /// use sipintern::{Site, symbol};
    /// static POOL: Site = Site::new("pool");
    /// assert_eq!(POOL.id(), symbol!("pool"));
    /// ```
    #[must_use]
    pub fn new(text: &'static str) -> Self {
        Self { text, id: Symbol::of(text), seen: AtomicUsize::new(0) }
    }
    }

    /// The id of the text. Costs nothing.
    ///
    /// ```
    /// use sipintern::{Site, site, symbol};
    /// static POOL: Site = site!("pool");
    /// assert_eq!(POOL.id(), symbol!("pool"));
    /// ```
    #[must_use]
    #[inline]
    pub const fn id(&self) -> Symbol {
        self.id
    }

    /// The text.
    ///
    /// ```
    /// use sipintern::{Site, site};
    /// static POOL: Site = site!("pool");
    /// assert_eq!(POOL.text(), "pool");
    /// ```
    #[must_use]
    #[inline]
    pub const fn text(&self) -> &'static str {
        self.text
    }

    /// Makes sure that `names` was given the text, by reference, and gives the id.
    ///
    /// What cannot be stored because of a limit or a collision is counted by the table once, not at
    /// each call; after a failed allocation the next call tries again. May wait for another insert,
    /// but only while the text is not there: not for signal handlers.
    ///
    /// ```
    /// use sipintern::{Interner, Site, site};
    /// static POOL: Site = site!("pool");
    /// let mut names = Interner::new();
    /// POOL.intern(&names);
    /// names.clear();
    /// POOL.intern(&names);
    /// assert!(names.contains("pool"));
    /// ```
    #[inline]
    pub fn intern(&self, names: &Interner) -> Symbol {
        // Numbers of epochs are never reused, so an equal one is of this very table and contents.
        let epoch = names.epoch();
        if epoch == 0 || self.seen.load(order::site_look()) != epoch {
            self.register(names);
        }
        self.id
    }

    #[cold]
    fn register(&self, names: &Interner) {
        let epoch = names.begin_epoch();
        let Interned { outcome, .. } = names.store(
            self.id,
            Source::Static(self.text),
            crate::index::Gap::NONE,
            May::WaitAndAllocate,
        );
        if !matches!(outcome, Outcome::OutOfMemory | Outcome::Busy) {
            self.seen.store(epoch, order::site_mark());
        }
    }
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Site")
            .field("id", &self.id)
            .field("text", &self.text)
            .finish_non_exhaustive()
    }
}

/// A [`Site`] for a constant text, whose id the compiler computes.
///
/// ```
/// use sipintern::{Site, site};
/// static POOL: Site = site!("pool");
/// assert_eq!(POOL.text(), "pool");
/// ```
///
/// A text that is known at run time only is refused:
///
/// ```compile_fail
/// let name: &'static str = String::from("pool").leak();
/// let site = sipintern::site!(name);
/// ```
#[macro_export]
macro_rules! site {
    ($text:expr $(,)?) => {
        const { $crate::Site::new($text) }
    };
}

/// A number that no table had before: 0 is none.
pub(crate) fn new_epoch() -> usize {
    #[cfg(not(loom))]
    use syncface::atomic::AtomicUsize;
    // Loom has no atomics in statics, and the numbers are only compared.
    #[cfg(loom)]
    use core::sync::atomic::AtomicUsize;

    static LAST: AtomicUsize = AtomicUsize::new(0);
    loop {
        // Relaxed: unique by the coherence of one word.
        #[cfg(not(loom))]
        let last = LAST.fetch_add(1, order::PLAIN);
        #[cfg(loom)]
        let last = LAST.fetch_add(1, core::sync::atomic::Ordering::Relaxed);
        if last.wrapping_add(1) != 0 {
            return last.wrapping_add(1);
        }
    }
}
