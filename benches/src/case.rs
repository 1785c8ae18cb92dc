//! Cases, contenders, and the figures that are demanded of ours.

use crate::measure::{Plan, Sample};

/// One that is measured.
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    pub(crate) ours: bool,
    pub(crate) sample: Box<dyn FnMut(&Plan) -> Sample>,
}

/// What a figure is demanded to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// At most this.
    AtMost(f64),
    /// At least this.
    AtLeast(f64),
    /// Tabled only.
    None,
}

impl Target {
    pub(crate) fn meets(self, value: f64) -> Option<bool> {
        match self {
            Target::AtMost(limit) => Some(value <= limit),
            Target::AtLeast(limit) => Some(value >= limit),
            Target::None => None,
        }
    }

    /// As it stands in the record: `<=0.6`, `>=0.25` or `-`.
    #[must_use]
    pub fn text(self) -> String {
        match self {
            Target::AtMost(limit) => format!("<={limit}"),
            Target::AtLeast(limit) => format!(">={limit}"),
            Target::None => "-".into(),
        }
    }
}

/// How ours is set against a rival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Ours divided by the rival's, round by round.
    Ratio,
    /// Ours minus the rival's, round by round.
    Excess,
    /// Ours alone.
    Own,
}

impl Kind {
    /// Its word in the record.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Kind::Ratio => "ratio",
            Kind::Excess => "excess",
            Kind::Own => "own",
        }
    }
}

/// One line of the report.
pub struct Figure {
    pub(crate) suffix: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) kind: Kind,
    pub(crate) ours: Option<&'static str>,
    pub(crate) rivals: Vec<&'static str>,
    pub(crate) target: Target,
}

impl Figure {
    /// Time of ours over that of the fastest rival.
    #[must_use]
    pub fn ratio(target: Target) -> Self {
        Self { suffix: "", unit: "ns", kind: Kind::Ratio, ours: None, rivals: vec![], target }
    }

    /// As [`ratio`](Self::ratio), in another manner.
    #[must_use]
    pub fn kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    /// Added to the case's name.
    #[must_use]
    pub fn named(mut self, suffix: &'static str) -> Self {
        self.suffix = suffix;
        self
    }

    /// Of another unit than nanoseconds.
    #[must_use]
    pub fn unit(mut self, unit: &'static str) -> Self {
        self.unit = unit;
        self
    }

    /// Which contender is ours here, if there are several.
    #[must_use]
    pub fn of(mut self, ours: &'static str) -> Self {
        self.ours = Some(ours);
        self
    }

    /// Against these only.
    #[must_use]
    pub fn against(mut self, rivals: &[&'static str]) -> Self {
        self.rivals = rivals.to_vec();
        self
    }
}

/// Contenders that do the same work, and what is demanded of ours.
pub struct Case {
    pub(crate) name: String,
    pub(crate) contenders: Vec<Contender>,
    pub(crate) figures: Vec<Figure>,
}

impl Case {
    /// An empty case.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), contenders: Vec::new(), figures: Vec::new() }
    }

    /// Adds ours.
    #[must_use]
    pub fn ours(
        mut self,
        name: &'static str,
        sample: impl FnMut(&Plan) -> Sample + 'static,
    ) -> Self {
        self.contenders.push(Contender { name, ours: true, sample: Box::new(sample) });
        self
    }

    /// Adds a rival.
    #[must_use]
    pub fn rival(
        mut self,
        name: &'static str,
        sample: impl FnMut(&Plan) -> Sample + 'static,
    ) -> Self {
        self.contenders.push(Contender { name, ours: false, sample: Box::new(sample) });
        self
    }

    /// Adds a figure.
    #[must_use]
    pub fn figure(mut self, figure: Figure) -> Self {
        self.figures.push(figure);
        self
    }

    /// Adds the figure "time over the fastest rival's, at most `limit`".
    #[must_use]
    pub fn at_most(self, limit: f64) -> Self {
        self.figure(Figure::ratio(Target::AtMost(limit)))
    }
}
