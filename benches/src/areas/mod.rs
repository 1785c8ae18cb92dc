//! What is measured, area by area.

pub mod engine;
pub mod export;
pub mod interner;
pub mod lock;
pub mod ring;

use crate::stand::Runner;

/// An area: its name, and what measures it.
pub type Area = (&'static str, fn(&mut Runner, quick: bool));

/// All areas, in the order of the report.
pub const ALL: [Area; 5] = [
    ("ring", ring::run),
    ("lock", lock::run),
    ("interner", interner::run),
    ("engine", engine::run),
    ("export", export::run),
];
