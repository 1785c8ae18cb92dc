//! What can be refused.

use core::fmt;

/// `push` could not place the value; it is given back.
///
/// ```
/// # #[cfg(feature = "alloc")] {
/// let ring = lapring::Ring::new(1);
/// ring.push('a').unwrap();
/// let refused = ring.push('b').unwrap_err();
/// assert!(!refused.is_busy());
/// assert_eq!(refused.into_inner(), 'b');
/// # }
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Full<T> {
    pub(crate) value: T,
    pub(crate) busy: bool,
}

impl<T> Full<T> {
    /// The value that was not pushed.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.value
    }

    /// True if the ring was not known to hold `capacity` values: another thread is still copying in the
    /// slot that comes next, and trying again can succeed as soon as that is over.
    ///
    /// In a ring that is only pushed to and popped from that is all it means: as many tokens as slots can
    /// go round, and "busy" passes when nobody is at work. It is also said where a `force_push` passed
    /// by a slot in use, a drain stepped over one, or a reservation was dropped unfilled, within the last
    /// lap: such a position takes the room of a value until all older ones have been popped.
    #[must_use]
    pub const fn is_busy(&self) -> bool {
        self.busy
    }
}

impl<T> fmt::Debug for Full<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Full").field("busy", &self.busy).finish_non_exhaustive()
    }
}

impl<T> fmt::Display for Full<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.busy { "the ring is busy" } else { "the ring is full" })
    }
}

impl<T> core::error::Error for Full<T> {}

/// Why a pop brought nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PopError {
    /// Nothing is resident and no push is under way.
    Empty,
    /// The oldest value is still being copied by the thread that pushes it, or the slot at which
    /// the search must go on is still in use. Newer values may be resident;
    /// [`drain`](crate::Ring::drain) steps over such a slot, `pop` does not.
    Pending,
}

impl fmt::Display for PopError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PopError::Empty => "the ring is empty",
            PopError::Pending => "the oldest value is still being copied",
        })
    }
}

impl core::error::Error for PopError {}

/// A ring of that capacity cannot be built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CapacityError {
    /// A ring holds at least one value.
    Zero,
    /// The capacity is above the limit of the position word.
    TooLarge {
        /// What was asked for.
        requested: usize,
        /// The largest capacity, [`MAX_CAPACITY`](crate::MAX_CAPACITY).
        limit: usize,
    },
    /// The allocator refused.
    OutOfMemory {
        /// The bytes that were asked for; `usize::MAX` if more than an address space.
        bytes: usize,
    },
}

impl fmt::Display for CapacityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            CapacityError::Zero => f.write_str("capacity 0: a ring holds at least one value"),
            CapacityError::TooLarge { requested, limit } => {
                write!(f, "capacity {requested} is above the limit of {limit}")
            }
            CapacityError::OutOfMemory { bytes: usize::MAX } => {
                f.write_str("the ring would not fit in the address space")
            }
            CapacityError::OutOfMemory { bytes } => {
                write!(f, "the allocator refused {bytes} bytes for the ring")
            }
        }
    }
}

impl core::error::Error for CapacityError {}
