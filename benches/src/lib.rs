//! The measuring stand: contenders behind one face, the proof that each gives the right answer,
//! interleaved timing, and the record that the tables and plots of `docs/performance.md` are made
//! of.
//!
//! Nothing here is part of the product; rivals are dependencies of this workspace only.

pub mod alloc;
pub mod areas;
pub mod case;
pub mod histogram;
pub mod machine;
pub mod measure;
pub mod model;
pub mod record;
pub mod reference;
pub mod rings;
pub mod stand;
pub mod svg;
pub mod tables;
pub mod team;

pub use rings::{Naive, OverwritingRing, prove};
