//! [`EventSet`] and [`ShardSet`]: what a capture is to record, as values and as text.

use core::fmt;

use crate::event_type::{EventType, Group};

/// A set of event types.
///
/// As text it is a list of names with commas between them, read from left to right; `^` in front of
/// a name takes away instead of adding. A list that starts with `^` starts from all types. Names
/// are those of [`EventType::from_name`], the groups `hardware` and `software`, `all`, and `none`,
/// the empty set. Upper and lower case are alike, and white space around a name is skipped.
///
/// ```
/// use sys_trace::{EventSet, EventType, Group};
///
/// let set = EventSet::parse("hardware,^cc_exec").unwrap();
/// assert!(set.contains(EventType::DeviceExec) && !set.contains(EventType::CcExec));
/// assert_eq!(set.len(), EventSet::group(Group::Hardware).len() - 1);
/// assert_eq!(EventSet::parse("^NUM_ERR").unwrap().len(), 45);
///
/// let error = EventSet::parse("hardware,cc_exek").unwrap_err();
/// assert_eq!(error.name, "cc_exek");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct EventSet(u64);

impl EventSet {
    /// No type.
    pub const EMPTY: EventSet = EventSet(0);
    /// All 46 types.
    pub const ALL: EventSet = EventSet((1 << EventType::COUNT) - 1);

    /// The types of one group.
    #[must_use]
    pub fn group(group: Group) -> EventSet {
        EventType::ALL.into_iter().filter(|event_type| event_type.group() == group).collect()
    }

    /// The set as bits, the bit number being the number of the type.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The set of these bits; bits that belong to no type are dropped.
    ///
    /// ```
    /// assert_eq!(sys_trace::EventSet::from_bits(u64::MAX), sys_trace::EventSet::ALL);
    /// ```
    #[must_use]
    pub const fn from_bits(bits: u64) -> EventSet {
        EventSet(bits & EventSet::ALL.0)
    }

    /// Adds a type. Nothing changes if it is there.
    pub const fn insert(&mut self, event_type: EventType) {
        self.0 |= 1 << event_type as u32;
    }

    /// Takes a type away. Nothing changes if it is not there.
    pub const fn remove(&mut self, event_type: EventType) {
        self.0 &= !(1 << event_type as u32);
    }

    /// Whether a type is in the set.
    #[inline]
    #[must_use]
    pub const fn contains(self, event_type: EventType) -> bool {
        self.0 & (1 << event_type as u32) != 0
    }

    /// The types of the set, by rising number.
    pub fn iter(self) -> impl Iterator<Item = EventType> {
        EventType::ALL.into_iter().filter(move |event_type| self.contains(*event_type))
    }

    /// Number of types.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Reads the text form.
    ///
    /// # Errors
    /// [`UnknownEventType`] for the first name that is not one, the empty name included.
    pub fn parse(text: &str) -> Result<EventSet, UnknownEventType<'_>> {
        let mut set =
            if text.trim_start().starts_with('^') { EventSet::ALL } else { EventSet::EMPTY };
        for item in text.split(',') {
            let item = item.trim();
            match item.strip_prefix('^') {
                Some(name) => set.0 &= !EventSet::named(name.trim_start())?.0,
                None => set.0 |= EventSet::named(item)?.0,
            }
        }
        Ok(set)
    }

    fn named(name: &str) -> Result<EventSet, UnknownEventType<'_>> {
        let is = |word| name.eq_ignore_ascii_case(word);
        if is("all") {
            Ok(EventSet::ALL)
        } else if is("none") {
            Ok(EventSet::EMPTY)
        } else if is(Group::Hardware.text_name()) {
            Ok(EventSet::group(Group::Hardware))
        } else if is(Group::Software.text_name()) {
            Ok(EventSet::group(Group::Software))
        } else {
            let event_type = EventType::from_name(name).ok_or(UnknownEventType { name })?;
            Ok(EventSet(1 << event_type as u32))
        }
    }
}

impl FromIterator<EventType> for EventSet {
    fn from_iter<I: IntoIterator<Item = EventType>>(types: I) -> EventSet {
        let mut set = EventSet::EMPTY;
        types.into_iter().for_each(|event_type| set.insert(event_type));
        set
    }
}

/// The text names, as a set.
impl fmt::Debug for EventSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(EventType::text_name)).finish()
    }
}

/// A list of event types contains a name of none. Displayed with all valid names.
///
/// ```
/// let error = sys_trace::EventSet::parse("bogus").unwrap_err();
/// assert!(error.to_string().starts_with("unknown event type \"bogus\"; valid are all, none, "));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownEventType<'a> {
    /// The name, as written.
    pub name: &'a str,
}

impl fmt::Display for UnknownEventType<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown event type {:?}; valid are all, none, hardware, software", self.name)?;
        EventType::ALL.into_iter().try_for_each(|event_type| {
            write!(f, ", {} ({})", event_type.text_name(), event_type.name())
        })
    }
}

impl core::error::Error for UnknownEventType<'_> {}

/// A set of shards, numbered 0 to 255.
///
/// As text it is a list of numbers and ranges, both ends included, with commas between them; `all`
/// and `none` stand for themselves, and white space around an item is skipped.
///
/// ```
/// use sys_trace::ShardSet;
///
/// let set = ShardSet::parse("0,2-4").unwrap();
/// assert_eq!(set.iter().collect::<Vec<_>>(), [0, 2, 3, 4]);
/// let error = ShardSet::parse("0,256").unwrap_err();
/// assert_eq!(error.to_string(), "shard \"256\" is above the limit of 255");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ShardSet([u64; 4]);

impl ShardSet {
    /// No shard.
    pub const EMPTY: ShardSet = ShardSet([0; 4]);
    /// All 256 shards.
    pub const ALL: ShardSet = ShardSet([u64::MAX; 4]);
    /// The highest number of a shard.
    pub const MAX: u32 = 255;

    /// Adds a shard; answers whether the number is one, at most [`ShardSet::MAX`].
    pub const fn insert(&mut self, shard: u32) -> bool {
        if shard <= ShardSet::MAX {
            self.0[shard as usize / 64] |= 1 << (shard % 64);
        }
        shard <= ShardSet::MAX
    }

    /// Takes a shard away; answers whether the number is one, at most [`ShardSet::MAX`].
    pub const fn remove(&mut self, shard: u32) -> bool {
        if shard <= ShardSet::MAX {
            self.0[shard as usize / 64] &= !(1 << (shard % 64));
        }
        shard <= ShardSet::MAX
    }

    /// Whether a shard is in the set; false for a number above [`ShardSet::MAX`].
    #[must_use]
    pub const fn contains(&self, shard: u32) -> bool {
        shard <= ShardSet::MAX && self.0[shard as usize / 64] & (1 << (shard % 64)) != 0
    }

    /// The shards of the set, rising.
    pub fn iter(&self) -> impl Iterator<Item = u32> + use<> {
        let set = *self;
        (0..=ShardSet::MAX).filter(move |shard| set.contains(*shard))
    }

    /// Number of shards.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// Reads the text form.
    ///
    /// # Errors
    /// [`ShardSetError`] for the first item that is no shard and no range of shards.
    pub fn parse(text: &str) -> Result<ShardSet, ShardSetError<'_>> {
        let mut set = ShardSet::EMPTY;
        for item in text.split(',').map(str::trim) {
            if item.eq_ignore_ascii_case("all") {
                set = ShardSet::ALL;
            } else if !item.eq_ignore_ascii_case("none") {
                let (first, last) = item.split_once('-').unwrap_or((item, item));
                let (from, to) = (shard_number(first.trim())?, shard_number(last.trim())?);
                if from > to {
                    return Err(ShardSetError::Reversed { range: item });
                }
                (from..=to).for_each(|shard| {
                    set.insert(shard);
                });
            }
        }
        Ok(set)
    }
}

fn shard_number(text: &str) -> Result<u32, ShardSetError<'_>> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(ShardSetError::NotANumber { item: text });
    }
    // Only digits, so the one thing left to fail is the size.
    match text.parse() {
        Ok(shard) if shard <= ShardSet::MAX => Ok(shard),
        _ => Err(ShardSetError::AboveLimit { item: text }),
    }
}

impl FromIterator<u32> for ShardSet {
    /// Numbers above [`ShardSet::MAX`] are skipped.
    fn from_iter<I: IntoIterator<Item = u32>>(shards: I) -> ShardSet {
        let mut set = ShardSet::EMPTY;
        shards.into_iter().for_each(|shard| {
            set.insert(shard);
        });
        set
    }
}

impl fmt::Debug for ShardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// A list of shards contains something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShardSetError<'a> {
    /// Neither a number, nor `all`, nor `none`.
    NotANumber {
        /// The item, as written.
        item: &'a str,
    },
    /// A number above [`ShardSet::MAX`].
    AboveLimit {
        /// The number, as written.
        item: &'a str,
    },
    /// A range whose first shard is above its last.
    Reversed {
        /// The range, as written.
        range: &'a str,
    },
}

impl fmt::Display for ShardSetError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let max = ShardSet::MAX;
        match self {
            ShardSetError::NotANumber { item } => {
                write!(f, "{item:?} is not a shard: expected a number from 0 to {max}")
            }
            ShardSetError::AboveLimit { item } => {
                write!(f, "shard {item:?} is above the limit of {max}")
            }
            ShardSetError::Reversed { range } => {
                write!(f, "the range of shards {range:?} ends before it starts")
            }
        }
    }
}

impl core::error::Error for ShardSetError<'_> {}
