//! Events of any runtime: a name and up to four numbers, without the table of 46 types.

use sipintern::Symbol;

use crate::payload::Generic;

impl Generic {
    /// The payload of a named event, with the numbers that are not given 0.
    ///
    /// More than four do not compile.
    ///
    /// ```
    /// use sys_trace::{Symbol, payload::Generic};
    /// let payload = Generic::named(Symbol::of("step"), [7]);
    /// assert_eq!(payload.args, [7, 0, 0, 0]);
    /// assert_eq!(payload.symbol(), Some(Symbol::of("step")));
    /// ```
    /// ```compile_fail
    /// let _ = sys_trace::payload::Generic::named(sys_trace::Symbol::of("step"), [0; 5]);
    /// ```
    #[inline]
    #[must_use]
    pub const fn named<const N: usize>(name: Symbol, args: [u64; N]) -> Generic {
        const { assert!(N <= 4, "at most four numbers") };
        let mut all = [0; 4];
        let mut index = 0;
        while index < N {
            all[index] = args[index];
            index += 1;
        }
        Generic { name: name.get(), args: all }
    }

    /// The id of the name; `None` if there is no name, or a number that is no id.
    #[must_use]
    pub const fn symbol(&self) -> Option<Symbol> {
        Symbol::new(self.name)
    }
}

/// The place's own [`Name`](crate::Name).
///
/// A `static` is seen by all that stands in its block, what the caller wrote included. So it shares its
/// block with the text alone, and its name is nobody else's.
#[cfg(feature = "alloc")]
#[doc(hidden)]
#[macro_export]
macro_rules! __name {
    ($name:expr) => {{
        static SYS_TRACE_NAME: $crate::Name = $crate::Name::new($name);
        &SYS_TRACE_NAME
    }};
}

/// Starts a span with a literal name and up to four `u64`; it ends when the returned
/// [`Span`](crate::Span) is dropped.
///
/// `span!(engine, shard, "name", a, b, c, d)`. The id of the name is computed at compile time, and
/// the text is stored, [by reference](crate::Name), once per shard and capture. Shard and numbers are evaluated only while a capture runs:
/// otherwise the whole costs one load and a branch, and nothing without the feature `enable`.
///
/// For engines on the heap. With a [`StaticEngine`](crate::StaticEngine), record a
/// [`Generic::named`](crate::payload::Generic::named) of a [`symbol!`](crate::symbol!).
///
/// ```
/// # #[cfg(feature = "std")] {
/// use sys_trace::{Config, Engine, payload::Generic, span};
///
/// static ENGINE: Engine = Engine::new();
///
/// ENGINE.start(&Config::new().events_per_shard(1024)).unwrap();
/// {
///     let _step = span!(ENGINE, 3, "step", 7, 8);
///     // … the work …
/// }
/// let events = ENGINE.drain_all(usize::MAX).unwrap();
/// assert_eq!(events.len(), 2);
/// assert_eq!(events[0].tracking_id, events[1].tracking_id);
/// let payload = Generic::read(&events[0].payload);
/// assert_eq!(payload.args, [7, 8, 0, 0]);
/// assert_eq!(ENGINE.strings().get(payload.symbol().unwrap()), Some("step"));
/// # }
/// ```
#[cfg(feature = "alloc")]
#[macro_export]
macro_rules! span {
    ($engine:expr, $shard:expr, $name:expr $(, $arg:expr)* $(,)?) => {{
        match &$engine {
            engine if engine.is_capturing() => {
                engine.span_named($shard, $crate::__name!($name), [$($arg),*])
            }
            engine => engine.no_span(),
        }
    }};
}

/// Records that something happened at this moment: a literal name and up to four `u64`.
///
/// `instant!(engine, shard, "name", a, b, c, d)` is `Some` tracking id if the event was accepted. Its
/// costs are those of [`span!`](crate::span!).
///
/// ```
/// # #[cfg(feature = "std")] {
/// use sys_trace::{Config, Engine, Phase, instant};
/// let engine: Box<Engine<1>> = Box::default();
/// assert_eq!(instant!(engine, 0, "retry", 2), None); // off
/// engine.start(&Config::new()).unwrap();
/// assert!(instant!(engine, 0, "retry", 2).is_some());
/// assert_eq!(engine.drain_all(9).unwrap()[0].phase(), Phase::Instant);
/// # }
/// ```
#[cfg(feature = "alloc")]
#[macro_export]
macro_rules! instant {
    ($engine:expr, $shard:expr, $name:expr $(, $arg:expr)* $(,)?) => {{
        match &$engine {
            engine if engine.is_capturing() => {
                engine.emit_named($shard, $crate::Phase::Instant, $crate::__name!($name), [$($arg),*])
            }
            _ => ::core::option::Option::<$crate::TrackingId>::None,
        }
    }};
}

/// Records a sample of a value that varies in time, such as the length of a queue: a literal name and
/// a `u64`, as the first of the four numbers of an event in [`Phase::Count`](crate::Phase::Count).
///
/// `count!(engine, shard, "name", value)` is `Some` tracking id if the event was accepted. Its costs
/// are those of [`span!`](crate::span!).
///
/// ```
/// # #[cfg(feature = "std")] {
/// use sys_trace::{Config, Engine, Phase, count, payload::Generic};
/// let engine: Box<Engine<1>> = Box::default();
/// engine.start(&Config::new()).unwrap();
/// count!(engine, 0, "queue", 12);
/// let event = engine.drain_all(9).unwrap()[0];
/// assert_eq!((event.phase(), Generic::read(&event.payload).args[0]), (Phase::Count, 12));
/// # }
/// ```
#[cfg(feature = "alloc")]
#[macro_export]
macro_rules! count {
    ($engine:expr, $shard:expr, $name:expr, $value:expr $(,)?) => {{
        match &$engine {
            engine if engine.is_capturing() => {
                engine.emit_named($shard, $crate::Phase::Count, $crate::__name!($name), [$value])
            }
            _ => ::core::option::Option::<$crate::TrackingId>::None,
        }
    }};
}
