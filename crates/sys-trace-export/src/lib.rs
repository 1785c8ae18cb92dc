#![cfg_attr(feature = "std", doc = include_str!("../README.md"))]
#![cfg_attr(
    not(feature = "std"),
    doc = "Without `std`: captures are written as binary files only."
)]
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

pub mod blob;

#[cfg(feature = "std")]
mod capture;
#[cfg(feature = "std")]
pub mod chrome;
#[cfg(feature = "std")]
pub mod json;
#[cfg(feature = "std")]
mod loss;
#[cfg(feature = "std")]
mod names;
#[cfg(feature = "std")]
mod out;
#[cfg(feature = "std")]
mod sync;

#[cfg(feature = "std")]
pub use self::{
    blob::Blob,
    capture::Capture,
    chrome::{ChromeSummary, write_chrome},
    json::{JsonOptions, JsonWriter, Summary, write_json},
    names::{NameFn, Names, NoNames},
    sync::{HostTime, SyncPoints},
};

/// The example in the project's README is a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
