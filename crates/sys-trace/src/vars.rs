//! A configuration from variables, such as those of the environment.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;
use core::ops::RangeInclusive;

use crate::clock::Clock;
use crate::config::Config;
use crate::sets::{EventSet, ShardSet};

/// Events per shard.
const EVENTS: &str = "SYS_TRACE_EVENTS_PER_SHARD";
/// Shards.
const SHARDS: &str = "SYS_TRACE_SHARDS";
/// Event types.
const TYPES: &str = "SYS_TRACE_TYPES";
/// The clock.
const CLOCK: &str = "SYS_TRACE_CLOCK";
/// Texts per shard.
const NAMES: &str = "SYS_TRACE_NAMES_PER_SHARD";
/// Bytes of texts per shard.
const NAME_BYTES: &str = "SYS_TRACE_NAME_BYTES_PER_SHARD";
/// Bytes of one text.
const NAME_LEN: &str = "SYS_TRACE_NAME_LEN";

/// What the limits of names can be.
const NAME_LIMITS: RangeInclusive<u64> = 0..=u32::MAX as u64;

impl Config {
    /// Every variable that [`with_vars`](Self::with_vars) asks for.
    pub const VARIABLES: [&'static str; 7] =
        [EVENTS, SHARDS, TYPES, CLOCK, NAMES, NAME_BYTES, NAME_LEN];

    /// [`Config::new`], changed by the variables of the environment: see
    /// [`with_vars`](Self::with_vars).
    ///
    /// # Errors
    /// [`VarError`] for the first variable that is set to something else than it may be. A value that
    /// is no Unicode is such a thing.
    ///
    /// ```
    /// # use sys_trace::Config;
    /// // With SYS_TRACE_SHARDS=0-3 in the environment, four shards.
    /// let config = Config::from_env()?;
    /// # Ok::<(), sys_trace::VarError>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn from_env() -> Result<Self, VarError> {
        let mut config = Self::new();
        for variable in Self::VARIABLES {
            if let Some(value) = std::env::var_os(variable) {
                let value = value.to_str().ok_or_else(|| VarError {
                    variable,
                    value: value.to_string_lossy().into_owned(),
                    reason: "expected Unicode".to_owned(),
                })?;
                config.set(variable, value)?;
            }
        }
        Ok(config)
    }

    /// [`Config::new`], changed by variables: see [`with_vars`](Self::with_vars).
    ///
    /// # Errors
    /// [`VarError`] for the first variable that is set to something else than it may be.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use sys_trace::Config;
    ///
    /// let file = BTreeMap::from([("SYS_TRACE_EVENTS_PER_SHARD", "4096")]);
    /// let config = Config::from_vars(|name| file.get(name).copied()).unwrap();
    /// assert_eq!(config.ring_events(), 4096);
    ///
    /// let error = Config::from_vars(|name| (name == "SYS_TRACE_SHARDS").then_some("0,256")).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "SYS_TRACE_SHARDS is \"0,256\": shard \"256\" is above the limit of 255"
    /// );
    /// ```
    pub fn from_vars<V: AsRef<str>>(
        get: impl FnMut(&'static str) -> Option<V>,
    ) -> Result<Self, VarError> {
        Self::new().with_vars(get)
    }

    /// Asks `get` for each of the [`VARIABLES`](Self::VARIABLES); those that are there replace what
    /// was configured, the others leave it.
    ///
    /// | variable | value |
    /// |---|---|
    /// | `SYS_TRACE_EVENTS_PER_SHARD` | a number from 1 to [`MAX_EVENTS_PER_SHARD`](Self::MAX_EVENTS_PER_SHARD); below [`MIN_EVENTS_PER_SHARD`](Self::MIN_EVENTS_PER_SHARD) it is raised to that |
    /// | `SYS_TRACE_SHARDS` | a [`ShardSet`]: `0,2,4`, `0-3`, `all`, `none` |
    /// | `SYS_TRACE_TYPES` | an [`EventSet`]: `hardware,^cc_exec`; a list that starts with `^` takes away from all types |
    /// | `SYS_TRACE_CLOCK` | `cycles`, `steady` or `realtime` (with `std`) |
    /// | `SYS_TRACE_NAMES_PER_SHARD` | the most names a shard stores, 0 to 2<sup>32</sup> - 1 |
    /// | `SYS_TRACE_NAME_BYTES_PER_SHARD` | the most bytes of names a shard copies, likewise |
    /// | `SYS_TRACE_NAME_LEN` | the most bytes of one name, likewise |
    ///
    /// White space around a value is skipped. An empty value is a value, and wrong.
    ///
    /// # Errors
    /// [`VarError`] for the first variable that is set to something else.
    pub fn with_vars<V: AsRef<str>>(
        mut self,
        mut get: impl FnMut(&'static str) -> Option<V>,
    ) -> Result<Self, VarError> {
        for variable in Self::VARIABLES {
            if let Some(value) = get(variable) {
                self.set(variable, value.as_ref())?;
            }
        }
        Ok(self)
    }

    fn set(&mut self, variable: &'static str, value: &str) -> Result<(), VarError> {
        let wrong = |reason| VarError { variable, value: value.to_owned(), reason };
        let limit = || number(value, NAME_LIMITS).map(|limit| limit as usize).map_err(wrong);
        match variable {
            EVENTS => {
                let events = number(value, 1..=Self::MAX_EVENTS_PER_SHARD).map_err(wrong)?;
                self.events_per_shard = Some(events);
                self.exact = false;
            }
            SHARDS => {
                let shards = ShardSet::parse(value).map_err(|it| wrong(it.to_string()))?;
                self.shards = Some(shards);
            }
            TYPES => self.types = EventSet::parse(value).map_err(|it| wrong(it.to_string()))?,
            CLOCK => self.clock = Clock::from_name(value.trim()).ok_or_else(|| wrong(clocks()))?,
            NAMES => self.names.max_entries = limit()?,
            NAME_BYTES => self.names.max_bytes = limit()?,
            _ => self.names.max_len = limit()?,
        }
        Ok(())
    }
}

/// A number in words that are digits only.
fn number(text: &str, range: RangeInclusive<u64>) -> Result<u64, String> {
    let digits = Some(text.trim()).filter(|it| it.bytes().all(|byte| byte.is_ascii_digit()));
    let number = digits.and_then(|digits| digits.parse().ok()).filter(|it| range.contains(it));
    number.ok_or_else(|| format!("expected a number from {} to {}", range.start(), range.end()))
}

fn clocks() -> String {
    let names: &[&str] = &Clock::NAMES;
    match names {
        [] => "no clock has a name without the feature `std`".to_owned(),
        names => format!("expected one of {}", names.join(", ")),
    }
}

impl Clock {
    /// The names that [`from_name`](Self::from_name) knows.
    #[cfg(feature = "std")]
    pub const NAMES: [&'static str; 3] = ["cycles", "steady", "realtime"];
    /// The names that [`from_name`](Self::from_name) knows: none without `std`.
    #[cfg(not(feature = "std"))]
    pub const NAMES: [&'static str; 0] = [];

    /// The system's clock with this [name](Self::name), upper and lower case alike; `None` for any
    /// other word, `custom` and `none` included.
    ///
    /// ```
    /// use sys_trace::Clock;
    /// # #[cfg(feature = "std")]
    /// assert!(matches!(Clock::from_name("steady"), Some(Clock::Steady)));
    /// assert!(Clock::from_name("custom").is_none());
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Clock> {
        #[cfg(feature = "std")]
        let clocks = [Clock::Cycles, Clock::Steady, Clock::Realtime];
        #[cfg(not(feature = "std"))]
        let clocks: [Clock; 0] = [];
        clocks.into_iter().find(|clock| name.eq_ignore_ascii_case(clock.name()))
    }
}

/// A variable is set to something that it may not be. Displayed with the limit, or the valid names.
///
/// ```
/// use sys_trace::Config;
/// let error = Config::from_vars(|it| (it == "SYS_TRACE_EVENTS_PER_SHARD").then_some("0")).unwrap_err();
/// assert_eq!(error.variable, "SYS_TRACE_EVENTS_PER_SHARD");
/// assert_eq!(error.value, "0");
/// assert!(error.reason.starts_with("expected a number from 1 to "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct VarError {
    /// The variable.
    pub variable: &'static str,
    /// Its value; what is no Unicode in it is replaced.
    pub value: String,
    /// What is wrong: names the limit or the valid names.
    pub reason: String,
}

impl fmt::Display for VarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {:?}: {}", self.variable, self.value, self.reason)
    }
}

impl core::error::Error for VarError {}

#[cfg(all(test, feature = "std", not(loom)))]
mod tests {
    use super::*;
    use crate::event_type::EventType;

    fn with(variable: &str, value: &str) -> Result<Config, VarError> {
        Config::from_vars(|name| (name == variable).then_some(value))
    }

    /// What the error says after variable and value.
    fn refused(variable: &'static str, value: &str) -> String {
        let error = with(variable, value).unwrap_err();
        assert_eq!((error.variable, &*error.value), (variable, value));
        assert_eq!(error.to_string(), format!("{variable} is {value:?}: {}", error.reason));
        error.reason
    }

    #[test]
    fn nothing_set_is_the_default() {
        let config = Config::from_vars(|_| None::<&str>).unwrap();
        assert_eq!(format!("{config:?}"), format!("{:?}", Config::new()));
    }

    #[test]
    fn each_variable_sets_its_part() {
        assert_eq!(with(EVENTS, " 5000 ").unwrap().ring_events(), 5000);
        assert_eq!(with(EVENTS, "1").unwrap().ring_events(), Config::MIN_EVENTS_PER_SHARD);
        let shards = with(SHARDS, "0,2-3").unwrap();
        assert_eq!(
            (0..9).filter(|&it| shards.has_shard(it)).collect::<std::vec::Vec<_>>(),
            [0, 2, 3]
        );
        assert_eq!(shards.shard_count(3), 2);
        let types = with(TYPES, "^cc_exec").unwrap().types;
        assert!(types.len() == 45 && !types.contains(EventType::CcExec));
        for name in Clock::NAMES {
            assert_eq!(with(CLOCK, name).unwrap().clock.name(), name);
        }
        assert_eq!(with(NAMES, "7").unwrap().names.max_entries, 7);
        assert_eq!(with(NAME_BYTES, "0").unwrap().names.max_bytes, 0);
        assert_eq!(with(NAME_LEN, "9").unwrap().names.max_len, 9);
    }

    #[test]
    fn what_is_not_set_stays() {
        let base = Config::new().events_per_shard(2048).types(EventSet::EMPTY);
        let config = base.with_vars(|it| (it == CLOCK).then_some("REALTIME")).unwrap();
        assert_eq!((config.ring_events(), config.types.len()), (2048, 0));
        assert_eq!(config.clock.name(), "realtime");
    }

    #[test]
    fn wrong_values_name_the_limit_or_the_valid_names() {
        let range = format!("expected a number from 1 to {}", Config::MAX_EVENTS_PER_SHARD);
        for value in ["", "0", "-1", "+1", "1e3", "268435457", "99999999999999999999999", "ten"] {
            assert_eq!(refused(EVENTS, value), range);
        }
        for variable in [NAMES, NAME_BYTES, NAME_LEN] {
            assert_eq!(refused(variable, "4294967296"), "expected a number from 0 to 4294967295");
        }
        assert_eq!(refused(SHARDS, "0-256"), "shard \"256\" is above the limit of 255");
        assert!(refused(SHARDS, "").contains("from 0 to 255"));
        assert!(refused(TYPES, "cc_exek").contains("valid are all, none, hardware, software"));
        assert!(refused(TYPES, "").contains("valid are"));
        for value in ["", "custom", "none", "tsc"] {
            assert_eq!(refused(CLOCK, value), "expected one of cycles, steady, realtime");
        }
    }
}
