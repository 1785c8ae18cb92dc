//! What stands in the documentation is what the record says.

use std::fs;

use sys_trace_benches::tables::{document, fill, plots, plots_folder};

#[test]
fn the_tables_equal_what_the_record_generates() {
    let text = fs::read_to_string(document()).unwrap();
    let fresh = fill(&text).unwrap();
    for (number, (old, new)) in (1..).zip(text.lines().zip(fresh.lines())) {
        assert_eq!(old, new, "line {number}: run `report -- tables`");
    }
    assert_eq!(text.len(), fresh.len(), "run `report -- tables`");
}

#[test]
fn the_plots_equal_what_the_record_generates() {
    let plots = plots().unwrap();
    for (name, fresh) in &plots {
        let old = fs::read_to_string(plots_folder().join(name)).unwrap_or_default();
        assert!(old == *fresh, "{name} is not that of the record: run `report -- tables`");
    }
    // None is left over from an earlier record.
    let kept = fs::read_dir(plots_folder()).unwrap().count();
    assert_eq!(kept, plots.len(), "a plot without a record");
}
