//! `report -- [ring|lock|interner|engine|export|all]… [--quick] [--dry] [--case TEXT]` measures and
//! records, or with `--dry` only prints; `--case` measures only cases whose name contains TEXT, and
//! records nothing;
//! `report -- tables` writes the tables and plots of `docs/performance.md` from the record.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use sys_trace_benches::measure::{Plan, pin};
use sys_trace_benches::record::Record;
use sys_trace_benches::stand::Runner;
use sys_trace_benches::{alloc, areas, machine, tables};

#[global_allocator]
static ALLOCATOR: alloc::Counting = alloc::Counting;

/// After this, a quick run repeats nothing any more: with what is left it ends within 50 s.
const QUICK_BUDGET: Duration = Duration::from_secs(20);

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("report: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let mut plan = Plan::FULL;
    let (mut dry, mut only) = (false, None);
    let mut wanted: Vec<areas::Area> = Vec::new();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => plan = Plan::QUICK,
            "--dry" => dry = true,
            "--case" => {
                only = Some(arguments.next().ok_or("'--case' of what?")?);
                dry = true;
            }
            "tables" => return tables::write(),
            "all" => wanted.extend(areas::ALL),
            name => match areas::ALL.iter().find(|(area, _)| *area == name) {
                Some(area) => wanted.push(*area),
                None => {
                    let known = areas::ALL.map(|(area, _)| area).join(", ");
                    return Err(format!(
                        "'{name}' is no area ({known}, all), not 'tables', '--quick', '--dry' or '--case'"
                    ));
                }
            },
        }
    }
    if wanted.is_empty() {
        wanted.extend(areas::ALL);
    }

    let mut short = Vec::new();
    for (area, measure) in wanted {
        let record = measure_area(area, measure, plan, only.clone());
        if dry {
            print_values(&record);
        } else {
            let path = record.save().map_err(|error| format!("{area}: {error}"))?;
            println!("# {}", path.display());
        }
        let missed = record.figures.iter().filter(|it| it.verdict.starts_with("short"));
        short.extend(missed.map(|it| format!("{area}.{}", it.case)));
    }
    if short.is_empty() {
        println!("no figure is short of its target");
    } else {
        println!("{} figures are short of their targets: {}", short.len(), short.join(", "));
    }
    Ok(())
}

fn measure_area(
    area: &'static str,
    measure: fn(&mut Runner, bool),
    plan: Plan,
    only: Option<String>,
) -> Record {
    let started = Instant::now();
    let mut record = Record::new(area, machine::describe());
    for (key, value) in &record.machine {
        println!("# {key}: {value}");
    }
    let depth = if plan.quick { "quick" } else { "full" };
    record.machine.push(("plan".into(), format!("{depth}, {} rounds", plan.rounds)));

    // Samples of one thread run on processor 1; teams pin their own threads.
    pin(1);
    let stolen = machine::steal();
    let deadline = plan.quick.then(|| started + QUICK_BUDGET);
    let mut runner = Runner::new(plan, deadline, record).only(only);
    measure(&mut runner, plan.quick);

    let mut record = runner.record;
    record.machine.push(("load-at-end".into(), machine::load()));
    record.machine.push(("steal".into(), machine::stolen_since(stolen)));
    println!("# {area}: {:.0} s", started.elapsed().as_secs_f64());
    record
}

/// What else would be in the record: each contender alone.
fn print_values(record: &Record) {
    for it in &record.values {
        println!("{}.{} {}={:.2} {}", record.area, it.case, it.who, it.median, it.unit);
    }
}
