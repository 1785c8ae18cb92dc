//! The generated parts of `docs/performance.md`: tables and plots out of the record.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::areas;
use crate::record::{FigureRow, Record, ValueRow, folder};
use crate::stand::{ENOUGH, spread};
use crate::svg::{self, Group, short};

/// The document.
#[must_use]
pub fn document() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/performance.md")
}

/// Where plots lie.
#[must_use]
pub fn plots_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/performance")
}

/// Brings document and plots up to date with the record.
///
/// # Errors
/// If a file cannot be read, understood or written, or the document lacks a marker.
pub fn write() -> Result<(), String> {
    let path = document();
    let text = read(&path)?;
    put(&path, &fill(&text)?)?;
    for (name, svg) in plots()? {
        put(&plots_folder().join(name), &svg)?;
    }
    println!("{}", path.display());
    Ok(())
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn put(path: &Path, text: &str) -> Result<(), String> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|error| format!("{}: {error}", parent.display()))?;
    }
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// The document with every generated part as the record has it.
///
/// # Errors
/// If the record cannot be understood, or a marker is missing.
pub fn fill(text: &str) -> Result<String, String> {
    let mut text = text.to_owned();
    for (area, _) in areas::ALL {
        let part = Record::load(area)?.map_or_else(nothing, |record| tables(&record));
        text = replace(&text, area, &part)?;
    }
    text = replace(&text, "instructions", &instructions())?;
    replace(&text, "scaling", &scaling_table(&scaling()?)?)
}

fn nothing() -> String {
    "Nothing recorded.\n".into()
}

/// Puts `part` between `<!-- generated: NAME -->` and `<!-- end: NAME -->`.
fn replace(text: &str, name: &str, part: &str) -> Result<String, String> {
    let (open, close) = (format!("<!-- generated: {name} -->"), format!("<!-- end: {name} -->"));
    let (Some(from), Some(to)) = (text.find(&open), text.find(&close)) else {
        return Err(format!("the document lacks '{open}' or '{close}'"));
    };
    if to < from {
        return Err(format!("'{close}' stands before '{open}'"));
    }
    Ok(format!("{}{open}\n\n{part}\n{}", &text[..from], &text[to..]))
}

fn value(number: f64) -> String {
    if number.is_nan() { "–".into() } else { short(number) }
}

/// Machine, figures and contenders of one area.
fn tables(record: &Record) -> String {
    let mut out = String::new();
    let note = |key| record.note(key).unwrap_or("not noted");
    writeln!(
        out,
        "{}; {}, {} processors, {}; virtual machine: {}; a cache line from one to the other: {} ns; \
         {}; plan: {}; load {} before and {} after; stolen time {}; {} samples discarded.\n",
        note("date"),
        note("cpu"),
        note("nproc"),
        note("siblings"),
        note("virtual-machine"),
        note("line-transfer-ns"),
        note("rustc"),
        note("plan"),
        note("load-at-start"),
        note("load-at-end"),
        note("steal"),
        record.discarded
    )
    .expect("a string takes all");

    for (_, which) in record.machine.iter().filter(|(key, _)| key == "left-out") {
        writeln!(out, "Left out: {which}.\n").expect("a string takes all");
    }

    out.push_str("| figure | ours | best rival | result (quartiles) | target | verdict |\n");
    out.push_str("|---|---|---|---|---|---|\n");
    for it in &record.figures {
        writeln!(out, "{}", figure_row(it)).expect("a string takes all");
    }
    out.push_str("\nAll contenders, medians, best first:\n\n| case | unit | |\n|---|---|---|\n");
    for ((case, unit), rows) in by_case(&record.values) {
        let each: Vec<String> = { rows.iter() }
            .map(|it| {
                let bold = if it.ours { "**" } else { "" };
                format!("{bold}{} {}{bold}", it.who, value(it.median))
            })
            .collect();
        writeln!(out, "| {case} | {unit} | {} |", each.join(", ")).expect("a string takes all");
    }
    out
}

fn figure_row(it: &FigureRow) -> String {
    let unit = if it.unit == "ns" { "ns".to_owned() } else { it.unit.clone() };
    let rival = match it.kind.as_str() {
        "own" => "–".into(),
        _ => format!("{} {}", it.rival, value(it.rival_value)),
    };
    let sign = if it.kind == "ratio" { "×" } else { "" };
    let target = it.target.replace("<=", "≤ ").replace(">=", "≥ ").replace('-', "–");
    let verdict = match it.verdict.as_str() {
        verdict if verdict.starts_with("short") => format!("**{verdict}**"),
        verdict => verdict.to_owned(),
    };
    let spread = spread(it);
    let spread =
        if spread.is_finite() { format!(", {:.0} %", spread * 100.0) } else { String::new() };
    format!(
        "| {} | {} {} {unit} | {rival} | {}{sign} ({}–{}{spread}) | {target} | {verdict} |",
        it.case,
        it.ours,
        value(it.ours_value),
        value(it.value),
        value(it.low),
        value(it.high),
    )
}

/// Rows of the same case and unit, in the order of the record; within one, best first. Rows of too
/// few rounds are left out.
fn by_case(values: &[ValueRow]) -> Vec<((&str, &str), Vec<&ValueRow>)> {
    let mut order: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut groups: Vec<((&str, &str), Vec<&ValueRow>)> = Vec::new();
    for row in values.iter().filter(|row| row.samples >= ENOUGH) {
        let key = (row.case.as_str(), row.unit.as_str());
        let place = *order.entry(key).or_insert_with(|| {
            groups.push((key, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(row);
    }
    for ((_, unit), rows) in &mut groups {
        rows.sort_by(|a, b| a.median.total_cmp(&b.median));
        if unit.ends_with("/s") || *unit == "slower-share" {
            rows.reverse();
        }
    }
    groups
}

fn instructions() -> String {
    let Ok(text) = fs::read_to_string(folder().join("instructions.txt")) else {
        return nothing();
    };
    let mut out = String::new();
    for note in text.lines().filter_map(|line| line.strip_prefix("# ")).skip(1) {
        writeln!(out, "{note}.\n").expect("a string takes all");
    }
    out.push_str("| call | instructions |\n|---|---|\n");
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some((call, count)) = line.split_once(' ') {
            writeln!(out, "| {call} | {} |", count.trim()).expect("a string takes all");
        }
    }
    out
}

/// Name, shared writes, and operations per microsecond by producers.
type Scaling = Vec<(String, String, Vec<(f64, f64)>)>;

fn scaling() -> Result<Scaling, String> {
    let Ok(text) = fs::read_to_string(folder().join("scaling.csv")) else {
        return Ok(Vec::new());
    };
    let mut series: Scaling = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [name, writes, _, producers, rate] = fields.as_slice() else {
            return Err(format!("scaling.csv: not five fields: {line}"));
        };
        let (Ok(producers), Ok(rate)) = (producers.parse(), rate.parse()) else {
            return Err(format!("scaling.csv: no numbers: {line}"));
        };
        match series.last_mut() {
            Some((last, _, points)) if last == name => points.push((producers, rate)),
            _ => series.push(((*name).into(), (*writes).into(), vec![(producers, rate)])),
        }
    }
    Ok(series)
}

/// Operations per microsecond that two pinned threads were measured to do, if the model's program
/// has a case like it.
fn measured_2(program: &str) -> Result<Option<f64>, String> {
    let ring = ("ring", "full.112B.1024.2t");
    let engine = ("engine", "emit.2t-1-shard");
    let ((area, case), who) = match program {
        "sys-trace engine" => (engine, "no-clock"),
        "reference" => (engine, "reference-no-clock"),
        other => (ring, other),
    };
    let Some(record) = Record::load(area)? else { return Ok(None) };
    let row = record.values.iter().find(|it| it.case == case && it.who == who && it.unit == "ns");
    Ok(row.map(|it| 1e3 / it.median))
}

fn scaling_table(series: &Scaling) -> Result<String, String> {
    let Some((_, _, first)) = series.first() else { return Ok(nothing()) };
    let mut out = String::from("| operations per µs of all producers | shared writes each |");
    first.iter().for_each(|(producers, _)| out.push_str(&format!(" {producers} |")));
    out.push_str(" 2, *measured* |\n|---|---|---|");
    first.iter().for_each(|_| out.push_str("---|"));
    out.push('\n');
    for (name, writes, points) in series {
        write!(out, "| {name} | {writes} |").expect("a string takes all");
        for (_, rate) in points {
            write!(out, " {} |", short(*rate)).expect("a string takes all");
        }
        let measured = measured_2(name)?.map_or("–".into(), short);
        writeln!(out, " *{measured}* |").expect("a string takes all");
    }
    Ok(out)
}

/// Name and text of every plot that the record gives.
///
/// # Errors
/// If the record cannot be understood.
pub fn plots() -> Result<Vec<(String, String)>, String> {
    let mut plots = Vec::new();
    for (area, _) in areas::ALL {
        let Some(record) = Record::load(area)? else { continue };
        let groups: Vec<Group> = { by_case(&record.values).into_iter() }
            .filter(|((_, unit), rows)| *unit == "ns" && rows.len() > 1)
            .map(|((case, _), rows)| Group {
                title: case.into(),
                bars: rows.iter().map(|it| (it.who.clone(), it.median, it.ours)).collect(),
            })
            .collect();
        let title = format!("{area}: ns per operation, shorter is better");
        plots.push((format!("{area}.svg"), svg::bars(&title, &groups)));
    }
    let series: Vec<_> = scaling()?.into_iter().map(|(name, _, points)| (name, points)).collect();
    if !series.is_empty() {
        let title = "Scaling model (not a measurement)";
        let plot = svg::lines(title, "producers", "operations per µs, all together", &series);
        plots.push(("scaling.svg".into(), plot));
    }
    Ok(plots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_out_is_said() {
        let mut record = Record::new("engine", vec![("cpu", "x".into())]);
        assert!(!tables(&record).contains("Left out"));
        record.machine.push(("left-out".into(), "lttng-ust: lttng is not installed".into()));
        let text = tables(&Record::parse("engine", &record.to_csv()).unwrap());
        assert!(text.contains("\nLeft out: lttng-ust: lttng is not installed.\n"), "{text}");
    }

    #[test]
    fn a_part_is_replaced_between_its_markers_only() {
        let text = "a\n<!-- generated: x -->\nold\n<!-- end: x -->\nb\n";
        let new = replace(text, "x", "new\n").unwrap();
        assert_eq!(new, "a\n<!-- generated: x -->\n\nnew\n\n<!-- end: x -->\nb\n");
        assert_eq!(replace(&new, "x", "new\n").unwrap(), new);
        assert!(replace(text, "y", "").unwrap_err().contains("generated: y"));
    }
}
