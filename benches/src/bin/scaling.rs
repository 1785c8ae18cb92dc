//! Runs the scaling model for 1 to 64 producers and writes `record/scaling.csv`. A model, not a
//! measurement: see `docs/performance.md` and `model.rs` for what it assumes.

use std::fmt::Write as _;
use std::process::ExitCode;

use sys_trace_benches::model::{Costs, programs, throughput};
use sys_trace_benches::record::{Record, folder};

/// What one thread was measured to need, in the order of [`programs`].
const MEASURED: [(&str, &str, &str); 5] = [
    ("ring", "full.112B.1024.1t", "lapring"),
    ("ring", "full.112B.1024.1t", "crossbeam-queue"),
    ("ring", "full.112B.1024.1t", "mutex-vecdeque"),
    ("engine", "emit.4096.1t", "no-clock"),
    ("engine", "emit.4096.1t", "reference-no-clock"),
];

/// Five milliseconds of model time.
const SPAN: f64 = 5e6;

fn run() -> Result<(), String> {
    let mut local = [0.0; 5];
    for (place, (area, case, who)) in local.iter_mut().zip(MEASURED) {
        let record = Record::load(area)?.unwrap_or_default();
        let row =
            record.values.iter().find(|it| it.case == case && it.who == who && it.unit == "ns");
        *place = row
            .ok_or(format!("no {area}.{case} of {who} in the record: run the report on {area}"))?
            .median;
    }
    let ring = Record::load("ring")?.unwrap_or_default();
    let note = |key: &str| -> Result<f64, String> {
        let text = ring.note(key).ok_or(format!("no '{key}' in the record of the ring"))?;
        text.parse().map_err(|_| format!("'{key}' in the record of the ring: '{text}'"))
    };
    let costs = Costs { transfer: note("line-transfer-ns")?, pause: note("pause-ns")? };
    let mut out = String::new();
    writeln!(out, "# a model: {} ns per transfer, {} ns per pause", costs.transfer, costs.pause)
        .expect("a string takes all");
    out.push_str("program,shared_writes,local_ns,producers,ops_per_us\n");
    for program in programs(local) {
        print!("{:18} {:2} shared writes, ops/us:", program.name, program.shared_writes());
        for producers in [1, 2, 4, 8, 16, 32, 64] {
            let rate = throughput(&program, costs, producers, SPAN);
            print!(" {producers}:{rate:.1}");
            writeln!(
                out,
                "{},{},{:.2},{producers},{rate:.2}",
                program.name,
                program.shared_writes(),
                program.local
            )
            .expect("a string takes all");
        }
        println!();
    }
    let path = folder().join("scaling.csv");
    std::fs::write(&path, out).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("{}: run `report -- tables` for the plot", path.display());
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("scaling: {why}");
            ExitCode::FAILURE
        }
    }
}
