//! Names: intern → shard → table, and back to text at read-out.

use alloc::vec::Vec;

use sipintern::{Strings, Symbol};

use crate::engine::Engine;

impl<const SHARDS: usize> Engine<SHARDS> {
    /// The id of `text`, whose text is remembered by `shard` for the running capture.
    ///
    /// The id depends on the bytes alone: [`Symbol::of`] gives the same one, at compile time for
    /// literals, and costs the hot path nothing. So intern a name once and emit its id. Without a
    /// running capture, on a shard that takes no part or does not exist, or past the
    /// [limits](crate::Config::name_limits), the id is the same and the text is not stored.
    ///
    /// Holds the lock of the shard's names shared, which only start and stop take for themselves and
    /// no emitter ever takes; a new name waits for other new names of the shard. Not for signal
    /// handlers.
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

    pub(crate) fn intern_by(
        &self,
        shard: u32,
        text: &str,
        store: impl FnOnce(&sipintern::Interner) -> Symbol,
    ) -> Symbol {
        if !self.switch.is_on() {
            return Symbol::of(text);
        }
        let Some(side) = self.sides.get(shard as usize) else {
            return Symbol::of(text);
        };
        let names = side.names.read();
        if names.open || syncface::mutant::is("sys_trace.closed_names") {
            store(&names.table)
        } else {
            Symbol::of(text)
        }
    }

    /// The names of all shards of the running capture, or of the last one until the next start:
    /// without duplicates, sorted by id, collisions listed.
    #[must_use]
    pub fn strings(&self) -> Strings {
        self.own();
        let mut strings = Strings::new();
        for side in &self.sides {
            strings.add(&side.names.read().table);
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
