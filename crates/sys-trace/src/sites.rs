//! What the macros for named events call.

use sipintern::{Site, Symbol};

use crate::emit::TrackingId;
use crate::engine::Engine;
use crate::event_type::EventType;
use crate::payload::Generic;
use crate::phase::Phase;
use crate::span::Span;

/// Sites of one name, so that shards which use it in turn need not look it up again.
const SITES: usize = 8;

/// The literal name of one place in a program: what the macros make a `static` of.
///
/// Holds the text and its id, and remembers in which tables the text is: 256 bytes.
/// Tables keep the reference, as [`intern_static`](Engine::intern_static) does: not for a library that may
/// be unloaded before the engine's next start.
///
/// ```
/// use sys_trace::{Name, Symbol};
/// # #[cfg(not(loom))] {
/// static STEP: Name = Name::new("step");
/// assert_eq!(STEP.id(), Symbol::of("step"));
/// # }
/// ```
#[derive(Debug)]
pub struct Name([Site; SITES]);

impl Name {
    syncface::maybe_const! {
        /// A name that no table knows yet. Hashes the text: at compile time in a `static`.
        #[must_use]
        pub fn new(text: &'static str) -> Self {
            Self([
                Site::new(text),
                Site::new(text),
                Site::new(text),
                Site::new(text),
                Site::new(text),
                Site::new(text),
                Site::new(text),
                Site::new(text),
            ])
        }
    }

    /// The id of the text. Costs nothing.
    #[inline]
    #[must_use]
    pub const fn id(&self) -> Symbol {
        self.0[0].id()
    }

    #[inline]
    fn site(&self, shard: u32) -> &Site {
        &self.0[shard as usize % SITES]
    }
}

impl<const SHARDS: usize> Engine<SHARDS> {
    /// [`intern_static`](Self::intern_static) of a literal whose id the compiler has computed.
    ///
    /// The text is stored at the first call for a shard in a capture, and not again; then this
    /// compares two numbers. Shards whose numbers differ by a multiple of 8 share a memory: used on
    /// those in turn, a name is looked up each time.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use sys_trace::{Config, Engine, Name, Symbol};
    /// static STEP: Name = Name::new("step");
    /// let engine: Box<Engine<1>> = Box::default();
    /// engine.start(&Config::new()).unwrap();
    /// assert_eq!(engine.intern_name(0, &STEP), Symbol::of("step"));
    /// assert_eq!(engine.strings().get(STEP.id()), Some("step"));
    /// # }
    /// ```
    #[inline]
    pub fn intern_name(&self, shard: u32, name: &'static Name) -> Symbol {
        if self.is_capturing() {
            let site = name.site(shard);
            self.intern_by(shard, site.text(), |table| site.intern(table));
        }
        name.id()
    }

    /// Records a named event of type [`Generic`](EventType::Generic), as
    /// [`emit`](Self::emit) does: what [`instant!`](crate::instant!) and [`count!`](crate::count!)
    /// call.
    ///
    /// Stores the name first if this capture does not have it, so not for signal handlers; there,
    /// emit a [`payload::Generic`](Generic) with the id.
    #[inline]
    pub fn emit_named<const N: usize>(
        &self,
        shard: u32,
        phase: Phase,
        name: &'static Name,
        args: [u64; N],
    ) -> Option<TrackingId> {
        if !self.is_capturing() {
            return None;
        }
        let payload = Generic::named(self.intern_name(shard, name), args);
        self.emit(shard, EventType::Generic, phase, payload)
    }

    /// Starts a named span of type [`Generic`](EventType::Generic), as [`span`](Self::span) does:
    /// what [`span!`](crate::span!) calls. Its stop carries the same name and numbers unless
    /// [`Span::set_stop`] gives it others.
    #[inline]
    pub fn span_named<const N: usize>(
        &self,
        shard: u32,
        name: &'static Name,
        args: [u64; N],
    ) -> Span<'_, SHARDS> {
        if !self.is_capturing() {
            return self.no_span();
        }
        let payload = Generic::named(self.intern_name(shard, name), args);
        self.span(shard, EventType::Generic, payload)
    }
}
