#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod capture;
pub mod chrome;
pub mod json;
mod loss;
mod names;
mod out;
mod sync;

pub use capture::Capture;
pub use chrome::{ChromeSummary, write_chrome};
pub use json::{JsonOptions, JsonWriter, Summary, write_json};
pub use names::{NameFn, Names, NoNames};
pub use sync::{HostTime, SyncPoints};

/// The example in the project's README is a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
