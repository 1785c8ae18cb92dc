//! The record of one area: a CSV file with the machine above it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Median and quartiles of one contender in one case.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueRow {
    /// Name of the case within its area.
    pub case: String,
    /// The contender.
    pub who: String,
    /// Whether it is ours.
    pub ours: bool,
    /// What the numbers count.
    pub unit: String,
    /// Median over the rounds.
    pub median: f64,
    /// Lower quartile.
    pub low: f64,
    /// Upper quartile.
    pub high: f64,
    /// Rounds that count.
    pub samples: usize,
}

/// Ours against the best rival.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureRow {
    /// Name of the case within its area, and of the figure.
    pub case: String,
    /// What was measured.
    pub unit: String,
    /// `ratio`, `excess` or `own`.
    pub kind: String,
    /// Which contender is ours.
    pub ours: String,
    /// Its median.
    pub ours_value: f64,
    /// The best rival.
    pub rival: String,
    /// Its median.
    pub rival_value: f64,
    /// Median of the ratios (or differences) of the rounds.
    pub value: f64,
    /// Their lower quartile.
    pub low: f64,
    /// Their upper quartile.
    pub high: f64,
    /// Rounds that count.
    pub samples: usize,
    /// What was demanded, `-` if nothing.
    pub target: String,
    /// `ok`, `short`, `tabled` or `unmeasured`, and `noisy` behind it.
    pub verdict: String,
}

/// All of one area.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// The area.
    pub area: String,
    /// What it was measured on, and how.
    pub machine: Vec<(String, String)>,
    /// Samples that were thrown away because other threads had the processor.
    pub discarded: u64,
    /// All contenders of all cases.
    pub values: Vec<ValueRow>,
    /// All figures.
    pub figures: Vec<FigureRow>,
}

const VALUES: &str = "row,case,who,ours,unit,median,low,high,samples";
const FIGURES: &str =
    "row,case,unit,kind,ours,ours_value,rival,rival_value,value,low,high,samples,target,verdict";

/// Four significant digits, so that the record is short and reads back as it was written.
fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let digits = 3 - value.abs().log10().floor() as i32;
    format!("{value:.*}", digits.max(0) as usize)
}

impl Record {
    /// An empty record.
    #[must_use]
    pub fn new(area: &str, machine: Vec<(&'static str, String)>) -> Self {
        let machine = machine.into_iter().map(|(key, value)| (key.into(), value)).collect();
        Self { area: area.into(), machine, ..Self::default() }
    }

    /// What the machine's line `key` says.
    #[must_use]
    pub fn note(&self, key: &str) -> Option<&str> {
        self.machine.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// The text of the file.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut out = String::new();
        for (key, value) in &self.machine {
            writeln!(out, "# {key}: {value}").expect("a string takes all");
        }
        writeln!(out, "# discarded: {}", self.discarded).expect("a string takes all");
        writeln!(out, "# {FIGURES}").expect("a string takes all");
        for it in &self.figures {
            let [ours_value, rival_value] = [it.ours_value, it.rival_value].map(number);
            let [value, low, high] = [it.value, it.low, it.high].map(number);
            writeln!(
                out,
                "figure,{},{},{},{},{ours_value},{},{rival_value},{value},{low},{high},{},{},{}",
                it.case, it.unit, it.kind, it.ours, it.rival, it.samples, it.target, it.verdict
            )
            .expect("a string takes all");
        }
        writeln!(out, "# {VALUES}").expect("a string takes all");
        for it in &self.values {
            let [median, low, high] = [it.median, it.low, it.high].map(number);
            writeln!(
                out,
                "value,{},{},{},{},{median},{low},{high},{}",
                it.case, it.who, it.ours, it.unit, it.samples
            )
            .expect("a string takes all");
        }
        out
    }

    /// Reads what [`to_csv`](Self::to_csv) wrote.
    ///
    /// # Errors
    /// The first line that is neither of the two kinds of rows nor a note, with its number.
    pub fn parse(area: &str, text: &str) -> Result<Self, String> {
        let mut record = Self::new(area, vec![]);
        for (number, line) in (1..).zip(text.lines()) {
            record.parse_line(line).map_err(|why| format!("{area}.csv:{number}: {why}: {line}"))?;
        }
        Ok(record)
    }

    fn parse_line(&mut self, line: &str) -> Result<(), String> {
        if let Some(note) = line.strip_prefix("# ") {
            match note.split_once(": ") {
                Some(("discarded", count)) => self.discarded = parsed(count)?,
                Some((key, value)) => self.machine.push((key.into(), value.into())),
                None if note == VALUES || note == FIGURES => {}
                None => return Err("a note without a value".into()),
            }
            return Ok(());
        }
        let fields: Vec<&str> = line.split(',').collect();
        match fields.as_slice() {
            ["value", case, who, ours, unit, median, low, high, samples] => {
                self.values.push(ValueRow {
                    case: (*case).into(),
                    who: (*who).into(),
                    ours: parsed(ours)?,
                    unit: (*unit).into(),
                    median: parsed(median)?,
                    low: parsed(low)?,
                    high: parsed(high)?,
                    samples: parsed(samples)?,
                });
            }
            &[
                "figure",
                case,
                unit,
                kind,
                ours,
                ours_value,
                rival,
                rival_value,
                value,
                low,
                high,
                samples,
                target,
                verdict,
            ] => {
                self.figures.push(FigureRow {
                    case: case.into(),
                    unit: unit.into(),
                    kind: kind.into(),
                    ours: ours.into(),
                    ours_value: parsed(ours_value)?,
                    rival: rival.into(),
                    rival_value: parsed(rival_value)?,
                    value: parsed(value)?,
                    low: parsed(low)?,
                    high: parsed(high)?,
                    samples: parsed(samples)?,
                    target: target.into(),
                    verdict: verdict.into(),
                });
            }
            _ => return Err("no known row".into()),
        }
        Ok(())
    }

    /// Writes `record/<area>.csv`.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn save(&self) -> io::Result<PathBuf> {
        let path = folder().join(format!("{}.csv", self.area));
        fs::write(&path, self.to_csv())?;
        Ok(path)
    }

    /// Reads `record/<area>.csv`; `None` if there is none.
    ///
    /// # Errors
    /// If it cannot be understood.
    pub fn load(area: &str) -> Result<Option<Self>, String> {
        let path = folder().join(format!("{area}.csv"));
        match fs::read_to_string(&path) {
            Ok(text) => Self::parse(area, &text).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("{}: {error}", path.display())),
        }
    }
}

fn parsed<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("'{text}' is not a number or word that belongs here"))
}

/// Where records are kept.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("record")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_four_digits() {
        assert_eq!(number(0.123_456), "0.1235");
        assert_eq!(number(12.3), "12.30");
        assert_eq!(number(123_456.7), "123457");
        assert_eq!(number(0.0), "0");
        assert!(number(f64::NAN).parse::<f64>().unwrap().is_nan());
    }

    #[test]
    fn what_is_written_reads_back() {
        let mut record = Record::new("ring", vec![("cpu", "some: thing".into())]);
        record.discarded = 3;
        record.values.push(ValueRow {
            case: "a".into(),
            who: "b".into(),
            ours: true,
            unit: "ns".into(),
            median: 1.234,
            low: 1.0,
            high: 2.0,
            samples: 7,
        });
        let text = record.to_csv();
        let back = Record::parse("ring", &text).unwrap();
        assert_eq!(back.to_csv(), text);
        assert_eq!(back.values, record.values);
        assert_eq!(back.note("cpu"), Some("some: thing"));
    }

    #[test]
    fn nonsense_is_refused_with_its_line() {
        let error = Record::parse("ring", "# cpu: x\nvalue,a,b,true,ns,1,x,1,7\n").unwrap_err();
        assert!(error.contains("ring.csv:2") && error.contains("'x'"), "{error}");
        assert!(Record::parse("ring", "figure,a\n").is_err());
    }
}
