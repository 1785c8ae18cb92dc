//! [`Phase`]: which moment of an operation an event marks.

/// The moment of an operation that an event marks.
///
/// ```
/// use sys_trace::Phase;
/// assert_eq!(Phase::from_number(1), Some(Phase::Stop));
/// assert_eq!(Phase::Stop.text_name(), "stop");
/// assert_eq!(Phase::from_number(4), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum Phase {
    /// The operation begins. A [`Stop`](Phase::Stop) with the same tracking id ends it.
    Start = 0,
    /// The operation ends. Carries the tracking id of its start.
    Stop = 1,
    /// Something happened at one moment.
    Instant = 2,
    /// A sampled value. No event type has a payload for it, and in text it is `unknown`.
    Count = 3,
}

impl Phase {
    /// All four phases in the order of their numbers.
    pub const ALL: [Phase; 4] = [Phase::Start, Phase::Stop, Phase::Instant, Phase::Count];

    /// The number that a record carries.
    ///
    /// ```
    /// assert_eq!(sys_trace::Phase::Instant.number(), 2);
    /// ```
    #[must_use]
    pub const fn number(self) -> u32 {
        self as u32
    }

    /// The phase with this number, `None` above 3.
    ///
    /// ```
    /// use sys_trace::Phase;
    /// assert_eq!(Phase::from_number(0), Some(Phase::Start));
    /// ```
    #[must_use]
    pub const fn from_number(number: u32) -> Option<Phase> {
        match number {
            0 => Some(Phase::Start),
            1 => Some(Phase::Stop),
            2 => Some(Phase::Instant),
            3 => Some(Phase::Count),
            _ => None,
        }
    }

    /// The name in text formats: `start`, `stop`, `instant`, and `unknown` for
    /// [`Count`](Phase::Count).
    ///
    /// ```
    /// assert_eq!(sys_trace::Phase::Count.text_name(), "unknown");
    /// ```
    #[must_use]
    pub const fn text_name(self) -> &'static str {
        match self {
            Phase::Start => "start",
            Phase::Stop => "stop",
            Phase::Instant => "instant",
            Phase::Count => "unknown",
        }
    }
}
