//! Names: intern → shard → table, and back to text at read-out.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

#[cfg(feature = "alloc")]
use sipintern::Strings;
use sipintern::Symbol;

use crate::engine::Engine;
use crate::storage::Storage;

impl<const SHARDS: usize, S: Storage> Engine<SHARDS, S> {
    pub(crate) fn intern_by(
        &self,
        shard: u32,
        text: &str,
        store: impl FnOnce(&S::Names) -> Symbol,
    ) -> Symbol {
        if !self.switch.is_on() {
            return Symbol::of(text);
        }
        // Refused only while a start or stop is at work: then there is no capture to remember for.
        let Some(core) = self.core.enter() else {
            if syncface::mutant::is("sys_trace.closed_names") {
                return store(&self.core.share().shards[shard as usize].names);
            }
            return Symbol::of(text);
        };
        match core.shards.get(shard as usize) {
            Some(parts) if parts.ring().is_some() => store(&parts.names),
            _ => Symbol::of(text),
        }
    }
}

#[cfg(feature = "alloc")]
impl<const SHARDS: usize> Engine<SHARDS> {
    /// The id of `text`, whose text is remembered by `shard` for the running capture.
    ///
    /// The id depends on the bytes alone: [`Symbol::of`] gives the same one, at compile time for
    /// literals, and costs the hot path nothing. So intern a name once and emit its id. Without a
    /// running capture, on a shard that takes no part or does not exist, or past the
    /// [limits](crate::Config::name_limits), the id is the same and the text is not stored.
    ///
    /// A known name waits for nobody and writes nothing that another thread reads; a new one waits
    /// for other new names of the shard. Start and stop wait for both, as for emitters, and no
    /// emitter waits for either. Not for signal handlers.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use sys_trace::{Config, Engine, Symbol};
    /// let engine: Box<Engine<1>> = Box::default();
    /// engine.start(&Config::new()).unwrap();
    /// let id = engine.intern(0, "conv2d");
    /// assert_eq!(id, Symbol::of("conv2d"));
    /// assert_eq!(engine.strings().get(id), Some("conv2d"));
    /// # }
    /// ```
    pub fn intern(&self, shard: u32, text: &str) -> Symbol {
        self.intern_by(shard, text, |table| table.intern(text).id)
    }

    /// [`intern`](Self::intern) that keeps the reference instead of copying the text.
    ///
    /// The text must stay mapped: not for literals of a library that may be unloaded.
    pub fn intern_static(&self, shard: u32, text: &'static str) -> Symbol {
        self.intern_by(shard, text, |table| table.intern_static(text).id)
    }

    /// The names of all shards of the running capture, or of the last one until the next start:
    /// without duplicates, sorted by id, collisions listed.
    #[must_use]
    pub fn strings(&self) -> Strings {
        let mut strings = Strings::new();
        // One by one, so that a start or stop does not wait for all of them.
        for shard in 0..SHARDS {
            strings.add(&self.core().shards[shard].names);
        }
        strings
    }

    /// Ids and texts as owned pairs, sorted by id: for writers that look names up by number.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use sys_trace::{Config, Engine, Symbol};
    /// let engine: Box<Engine<1>> = Box::default();
    /// engine.start(&Config::new()).unwrap();
    /// engine.intern(0, "conv2d");
    /// assert_eq!(engine.names(), [(Symbol::of("conv2d").get(), "conv2d".to_string())]);
    /// # }
    /// ```
    #[must_use]
    pub fn names(&self) -> Vec<(u64, alloc::string::String)> {
        self.strings().iter().map(|(id, text)| (id.get(), text.into())).collect()
    }
}
