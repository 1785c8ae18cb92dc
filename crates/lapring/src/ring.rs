//! The ring: its shape, its hints, construction and the questions one can ask.

#![allow(unsafe_code, reason = "skips bounds checks that the position arithmetic makes needless")]

use core::fmt;
use core::marker::PhantomData;

use syncface::CachePadded;
use syncface::atomic::AtomicUsize;

#[cfg(feature = "alloc")]
use crate::error::CapacityError;
use crate::order;
use crate::slot::Slot;
use crate::stamp::{Geometry, Read, State, Write};
use crate::storage::{InlineSlots, Storage};
use crate::word::{AtomicWord, Word, is_after, later};

/// The largest capacity a ring can have on this target: four bits of the position word stay free
/// for the lap.
///
/// ```
/// assert!(lapring::MAX_CAPACITY >= 1 << 12);
/// ```
pub const MAX_CAPACITY: usize = Geometry::MAX_CAP;

/// What [`Ring`] keeps its slots in unless told otherwise.
#[cfg(feature = "alloc")]
pub type DefaultStorage<T> = crate::storage::HeapSlots<T>;
/// What [`Ring`] keeps its slots in unless told otherwise.
#[cfg(not(feature = "alloc"))]
pub type DefaultStorage<T> = InlineSlots<T, 1>;

/// A bounded multi-producer, multi-consumer ring that can overwrite its oldest value.
///
/// See the [crate documentation](crate) for what is promised. `Ring<T>` keeps its slots on the
/// heap; [`InlineRing`] keeps them inside itself, for statics without an allocator. Both are the
/// same algorithm.
///
/// `Sync` and `Send` need only `T: Send`: values move between threads and are never shared. Without
/// it neither holds:
///
/// ```compile_fail,E0277
/// fn assert_sync<T: Sync>() {}
/// assert_sync::<lapring::Ring<std::rc::Rc<u8>>>();
/// ```
/// ```compile_fail,E0277
/// fn assert_send<T: Send>() {}
/// assert_send::<lapring::Ring<std::rc::Rc<u8>>>();
/// ```
///
/// ```
/// # #[cfg(feature = "alloc")] {
/// let ring = lapring::Ring::new(2);
/// assert_eq!(ring.force_push('a'), None);
/// assert_eq!(ring.force_push('b'), None);
/// assert_eq!(ring.force_push('c'), Some('a')); // full: the oldest makes room
/// assert_eq!(ring.pop(), Some('b'));
/// assert_eq!(ring.pop(), Some('c'));
/// assert_eq!(ring.pop(), None);
/// # }
/// ```
pub struct Ring<T, S: Storage<T> = DefaultStorage<T>> {
    /// Hint: where the next writer starts to look. Stored by every push.
    pub(crate) tail: CachePadded<AtomicWord>,
    /// Hint: where the next reader starts to look. Stored by readers, and once in a great many laps by
    /// a writer, where there are none.
    pub(crate) head: CachePadded<AtomicWord>,
    /// What every operation reads and hardly any writes.
    pub(crate) shared: CachePadded<Shared<S>>,
    /// The slots in `S` own the values; this only names the type.
    values: PhantomData<fn() -> T>,
}

pub(crate) struct Shared<S> {
    pub(crate) geometry: Geometry,
    /// The first position of all: not 0 only in tests.
    start: Word,
    /// How many positions the word has before it.
    before_start: usize,
    /// Positions that will never have held a value.
    pub(crate) abandoned: AtomicUsize,
    /// Positions below this one are issued or skipped for good. Written only on a skip.
    pub(crate) floor: AtomicWord,
    pub(crate) storage: S,
}

/// A ring of `N` slots that live inside it: `const` constructible, for statics and for targets
/// without an allocator.
///
/// ```
/// # #[cfg(not(loom))] {
/// static LAST: lapring::InlineRing<u32, 4> = lapring::InlineRing::new_inline();
/// for value in 0..10 {
///     LAST.force_push(value);
/// }
/// assert_eq!(LAST.pop(), Some(6));
/// # }
/// ```
pub type InlineRing<T, const N: usize> = Ring<T, InlineSlots<T, N>>;

impl<T, const N: usize> InlineRing<T, N> {
    /// Refused at compile time: a ring holds at least one value and at most `MAX_CAPACITY`.
    const FITS: () = assert!(N >= 1 && N <= MAX_CAPACITY, "capacity out of range");

    syncface::maybe_const! {
        /// An empty ring.
        ///
        /// A capacity of 0, or above [`MAX_CAPACITY`], does not compile:
        ///
        /// ```compile_fail
        /// static NONE: lapring::InlineRing<u32, 0> = lapring::InlineRing::new_inline();
        /// ```
        #[must_use]
        pub fn new_inline() -> Self {
            let () = Self::FITS;
            Self::with_storage(InlineSlots::new(), N)
        }
    }
}

#[cfg(feature = "alloc")]
impl<T> Ring<T> {
    /// An empty ring of `cap` slots on the heap.
    ///
    /// The allocator is asked for zeroed memory and no slot is touched, so on an operating system
    /// the cost does not grow with `cap` and memory is committed as values arrive.
    ///
    /// # Panics
    /// If `cap` is 0 or above [`MAX_CAPACITY`], or if memory is short. [`try_new`](Self::try_new)
    /// returns these as values.
    #[must_use]
    pub fn new(cap: usize) -> Self {
        match Self::try_new(cap) {
            Ok(ring) => ring,
            Err(error) => panic!("{error}"),
        }
    }

    /// An empty ring of `cap` slots on the heap, or the reason why not.
    ///
    /// # Errors
    /// [`CapacityError`]: `cap` is 0, or above [`MAX_CAPACITY`], or the allocator refused.
    ///
    /// ```
    /// use lapring::{CapacityError, Ring};
    /// assert_eq!(Ring::<u8>::try_new(0).unwrap_err(), CapacityError::Zero);
    /// assert!(matches!(Ring::<u8>::try_new(usize::MAX), Err(CapacityError::TooLarge { .. })));
    /// ```
    pub fn try_new(cap: usize) -> Result<Self, CapacityError> {
        check(cap)?;
        Ok(Self::with_storage(crate::storage::HeapSlots::try_new(cap)?, cap))
    }

    /// The bytes that a ring of `cap` slots asks the allocator for; `None` if no ring can have
    /// that capacity.
    ///
    /// ```
    /// let bytes = lapring::Ring::<[u64; 14]>::bytes(1 << 10).unwrap();
    /// assert!(bytes >= 112 << 10);
    /// ```
    #[must_use]
    pub fn bytes(cap: usize) -> Option<usize> {
        check(cap).ok()?;
        crate::storage::HeapSlots::<T>::layout(cap).map(|layout| layout.size())
    }

    /// An empty ring whose positions start at lap `lap`, so that tests reach the wrap of the lap
    /// counter.
    #[doc(hidden)]
    #[must_use]
    pub fn with_start_lap(cap: usize, lap: usize) -> Self {
        let mut ring = Self::new(cap);
        ring.set_start_lap(lap);
        ring
    }
}

#[cfg(feature = "alloc")]
fn check(cap: usize) -> Result<(), CapacityError> {
    match cap {
        0 => Err(CapacityError::Zero),
        1..=MAX_CAPACITY => Ok(()),
        requested => Err(CapacityError::TooLarge { requested, limit: MAX_CAPACITY }),
    }
}

impl<T, S: Storage<T>> Ring<T, S> {
    syncface::maybe_const! {
        pub(crate) fn with_storage(storage: S, cap: usize) -> Self {
            let geometry = Geometry::new(cap);
            Self {
                tail: CachePadded::new(AtomicWord::new(0)),
                head: CachePadded::new(AtomicWord::new(0)),
                shared: CachePadded::new(Shared {
                    geometry,
                    start: 0,
                    before_start: 0,
                    abandoned: AtomicUsize::new(0),
                    floor: AtomicWord::new(0),
                    storage,
                }),
                values: PhantomData,
            }
        }
    }

    /// Drops all values and makes the ring as new: empty, and positions are numbered from 0 on.
    /// Costs a store per slot; nothing is allocated or moved.
    ///
    /// If the drop of a value panics, the rest are dropped all the same, and the ring is as new.
    ///
    /// ```
    /// # #[cfg(not(loom))] {
    /// let mut ring = lapring::InlineRing::<char, 2>::new_inline();
    /// ring.force_push('a');
    /// ring.reset();
    /// assert!(ring.is_empty());
    /// assert_eq!(ring.reserve().unwrap().number(), 0);
    /// # }
    /// ```
    pub fn reset(&mut self) {
        /// Also while a drop's panic goes on.
        struct AsNew<'a, T, S: Storage<T>>(&'a mut Ring<T, S>);

        impl<T, S: Storage<T>> Drop for AsNew<'_, T, S> {
            fn drop(&mut self) {
                self.0.set_start_lap(0);
            }
        }

        let this = AsNew(self);
        if core::mem::needs_drop::<T>() {
            crate::iter::drop_values(this.0.shared.storage.slots_mut());
        }
    }

    /// Empty, from this lap on. Values are forgotten.
    fn set_start_lap(&mut self, lap: usize) {
        let start = self.geometry().lap_start(lap as Word);
        *self.tail = AtomicWord::new(start);
        *self.head = AtomicWord::new(start);
        self.shared.start = start;
        self.shared.before_start = self.geometry().absolute(start);
        self.shared.floor = AtomicWord::new(start);
        self.shared.abandoned = AtomicUsize::new(0);
        let stamp = self.geometry().stamp(start, State::Empty);
        for slot in self.shared.storage.slots_mut() {
            slot.set_stamp_mut(stamp);
        }
    }

    #[inline(always)]
    pub(crate) fn geometry(&self) -> Geometry {
        self.shared.geometry
    }

    /// The slot of `position`.
    #[inline(always)]
    pub(crate) fn slot(&self, position: Word) -> &Slot<T> {
        self.slot_in(self.geometry(), position)
    }

    /// The slot of `position`, for who has the geometry at hand: it need not be loaded once more
    /// behind every atomic access.
    #[inline(always)]
    pub(crate) fn slot_in(&self, geometry: Geometry, position: Word) -> &Slot<T> {
        let slots = self.shared.storage.slots();
        let index = geometry.index(position);
        debug_assert!(index < slots.len());
        // SAFETY: every position in circulation was made by this ring's `Geometry`, which keeps its
        // index below `cap` (tested through the wrap), or has been through `Geometry::own`; and the
        // storage has `cap` slots.
        unsafe { slots.get_unchecked(index) }
    }

    /// The first position of all.
    pub(crate) fn start(&self) -> Word {
        self.shared.start
    }

    #[inline(always)]
    pub(crate) fn load_tail(&self) -> Word {
        self.tail.load(order::tail_load())
    }

    #[inline(always)]
    pub(crate) fn load_head(&self) -> Word {
        self.head.load(order::head_load())
    }

    #[inline(always)]
    pub(crate) fn load_floor(&self) -> Word {
        self.shared.floor.load(order::PLAIN)
    }

    /// A position up to which all have been issued or skipped: at least what the hints say.
    #[inline(always)]
    pub(crate) fn known_tail(&self) -> Word {
        later(self.load_tail(), self.load_floor())
    }

    /// How many values the ring can hold. Costs one load.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.geometry().cap()
    }

    /// How many positions were issued before `position`, modulo what the word can count.
    #[inline(always)]
    pub(crate) fn number_of(&self, position: Word) -> usize {
        self.geometry().absolute(position).wrapping_sub(self.shared.before_start)
    }

    /// The first position that no writer has used yet.
    ///
    /// The tail hint may lag; walking on over used slots costs one look each, usually one in all.
    pub(crate) fn frontier(&self) -> Word {
        let mut position = self.known_tail();
        while let Write::Used(next) =
            self.geometry().for_writer(self.slot(position).look(), position)
        {
            position = next;
        }
        position
    }

    /// The first position that a value might still be read from.
    pub(crate) fn oldest(&self) -> Word {
        let mut position = self.load_head();
        while let Read::Behind(next) =
            self.geometry().for_reader(self.slot(position).look(), position)
        {
            position = next;
        }
        position
    }

    /// How many values are resident or under way, as a snapshot that may be stale when it arrives.
    ///
    /// Always within `0..=capacity()`. Exact when no other thread is inside an operation and no
    /// position of the last lap was passed by, given up, or taken out of turn by a drain (such a
    /// position counts as if it held a value; [`counters`](Self::counters) is exact). Usually four
    /// loads; hints that lag cost a walk of at most a lap each.
    #[inline]
    pub fn len(&self) -> usize {
        let oldest = self.oldest();
        self.geometry().distance_clamped(oldest, self.frontier())
    }

    /// True if nothing was resident, and no push under way, at some moment during the call.
    ///
    /// Unlike [`len`](Self::len) this looks at the slots: it never says "empty" of a ring that was
    /// not. With other threads about, the answer may be stale when it arrives.
    pub fn is_empty(&self) -> bool {
        let mut head = self.load_head();
        loop {
            let stamp = self.slot(head).look();
            match self.geometry().for_reader(stamp, head) {
                Read::Ready | Read::InFlight => return false,
                Read::Vacant | Read::BeingTaken if is_after(self.load_floor(), head) => {
                    head = self.geometry().next(head);
                }
                Read::Vacant | Read::BeingTaken => return true,
                Read::Behind(next) => head = next,
            }
        }
    }

    /// What became of every position since the ring was built: nothing leaves a ring uncounted.
    ///
    /// Exact when no other thread is inside an operation, otherwise a snapshot whose numbers may
    /// not add up. Costs a walk over all slots; pushing and popping pay nothing for it.
    ///
    /// ```
    /// # #[cfg(feature = "alloc")] {
    /// let ring = lapring::Ring::new(3);
    /// (0..10).for_each(|n| {
    ///     ring.force_push(n);
    /// });
    /// let popped = ring.drain(1).count();
    /// let counters = ring.counters();
    /// assert_eq!((counters.issued, counters.resident), (10, 2));
    /// assert_eq!(counters.displaced(popped), 7);
    /// # }
    /// ```
    pub fn counters(&self) -> Counters {
        let geometry = self.geometry();
        let frontier = self.frontier();
        let (mut resident, mut unused) = (0, 0);
        for (index, slot) in self.shared.storage.slots().iter().enumerate() {
            let stamp = slot.look();
            // This slot's first position that is not issued yet.
            let lap_behind = index < geometry.index(frontier);
            let end = if lap_behind { geometry.lap_after(frontier) } else { frontier };
            let full = Geometry::state(stamp) == State::Full;
            resident += usize::from(full);
            unused += geometry.laps(stamp, end).saturating_sub(usize::from(full));
        }
        let issued = geometry.count(self.shared.start, frontier);
        let abandoned = self.shared.abandoned.load(order::PLAIN).wrapping_add(unused);
        let departed = issued.wrapping_sub(abandoned).wrapping_sub(resident);
        Counters { issued, departed, abandoned, resident }
    }

    /// True if `len() == capacity()`: a snapshot with the same caveats as [`len`](Self::len).
    ///
    /// A `push` may still find room if another thread pops in between, and the other way round.
    ///
    /// ```
    /// # #[cfg(feature = "alloc")] {
    /// let ring = lapring::Ring::new(1);
    /// ring.push(7).unwrap();
    /// if ring.is_full() {
    ///     // Another thread may pop right here, so this pop may find nothing.
    ///     let _ = ring.pop();
    /// }
    /// # }
    /// ```
    #[inline]
    pub fn is_full(&self) -> bool {
        self.len() == self.capacity()
    }
}

/// What became of a ring's positions; `issued` is the sum of the others.
///
/// On 32-bit targets the numbers wrap with the position word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Positions handed to writers.
    pub issued: usize,
    /// Values that have been in the ring and are not any more: popped or displaced. The ring does
    /// not tell the two apart, because a counter would cost each pop a second locked operation;
    /// whoever pops knows.
    pub departed: usize,
    /// Positions without a value: passed by because their slot was in use, or given up because the
    /// value could not be made.
    pub abandoned: usize,
    /// Values in the ring.
    pub resident: usize,
}

impl Counters {
    /// Values displaced, if all readers together have popped `popped`: evicted by writers, each
    /// returned to the one who did it, or gone because a snapshot held them when their time was
    /// over.
    #[must_use]
    pub fn displaced(&self, popped: usize) -> usize {
        self.departed.wrapping_sub(popped)
    }
}

/// Moves a hint forward to `to`, unless somebody has moved it at least as far; returns what it was.
///
/// A plain store: a thread that is stopped between the load and the store may set the hint back,
/// which costs others a walk over used slots and nothing else.
#[inline(always)]
pub(crate) fn advance(hint: &AtomicWord, to: Word, store: core::sync::atomic::Ordering) -> Word {
    let was = hint.load(order::PLAIN);
    if is_after(to, was) {
        hint.store(to, store);
    }
    was
}

impl<T, S: Storage<T>> fmt::Debug for Ring<T, S> {
    /// Prints capacity and [length](Ring::len).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ring")
            .field("capacity", &self.capacity())
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}

impl<T, S: Storage<T>> Drop for Ring<T, S> {
    /// Drops each resident value once. Values that a killed thread was copying are leaked.
    fn drop(&mut self) {
        if core::mem::needs_drop::<T>() {
            crate::iter::drop_values(self.shared.storage.slots_mut());
        }
    }
}
