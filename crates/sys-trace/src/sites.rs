//! What the macros for named events call.

use sipintern::{Site, Symbol};

use crate::emit::TrackingId;
use crate::engine::Engine;
use crate::event_type::EventType;
use crate::payload::Generic;
use crate::phase::Phase;
use crate::span::Span;

impl<const SHARDS: usize> Engine<SHARDS> {
    /// [`intern_static`](Self::intern_static) of a literal whose id the compiler has computed.
    ///
    /// The text is stored at the first call in a capture and not again; then this compares two
    /// numbers. A site used on several shards in turn looks its name up at each change, which is
    /// right all the same: read-outs unite the names of all shards.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use sys_trace::{Config, Engine, Site, Symbol, site};
    /// static STEP: Site = site!("step");
    /// let engine: Box<Engine<1>> = Box::default();
    /// engine.start(&Config::new()).unwrap();
    /// assert_eq!(engine.intern_site(0, &STEP), Symbol::of("step"));
    /// assert_eq!(engine.strings().get(STEP.id()), Some("step"));
    /// # }
    /// ```
    #[inline]
    pub fn intern_site(&self, shard: u32, site: &'static Site) -> Symbol {
        if self.is_capturing() {
            self.intern_by(shard, site.text(), |table| site.intern(table));
        }
        site.id()
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
        site: &'static Site,
        args: [u64; N],
    ) -> Option<TrackingId> {
        if !self.is_capturing() {
            return None;
        }
        let payload = Generic::named(self.intern_site(shard, site), args);
        self.emit(shard, EventType::Generic, phase, payload)
    }

    /// Starts a named span of type [`Generic`](EventType::Generic), as [`span`](Self::span) does:
    /// what [`span!`](crate::span!) calls. Its stop carries the same name and numbers unless
    /// [`Span::set_stop`] gives it others.
    #[inline]
    pub fn span_named<const N: usize>(
        &self,
        shard: u32,
        site: &'static Site,
        args: [u64; N],
    ) -> Span<'_, SHARDS> {
        if !self.is_capturing() {
            return self.no_span();
        }
        let payload = Generic::named(self.intern_site(shard, site), args);
        self.span(shard, EventType::Generic, payload)
    }
}
