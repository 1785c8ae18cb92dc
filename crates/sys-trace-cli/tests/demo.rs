//! Runs of `sys-trace demo` that go well, checked against what they digested and wrote.
#![cfg(unix)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Stdio};

use common::{BINARY, Files, Row, demo, regular_files, tree};
use serde_json::Value;
use sha2::{Digest, Sha256};

const ROUND: u64 = 8 << 20;
const LARGE: u64 = ROUND + 12_345;

/// Everything odd that a folder can hold; answers what must be kept alive.
fn oddities(root: &Path) -> UnixListener {
    let large: Vec<u8> = (0..LARGE).map(|at| (at * 7 % 251) as u8).collect();
    fs::write(root.join("large.bin"), large).unwrap();
    fs::write(root.join("empty.txt"), "").unwrap();
    fs::write(root.join("new\nline.txt"), "n").unwrap();
    fs::write(root.join(OsStr::from_bytes(b"caf\xe9.txt")), "latin").unwrap();
    fs::write(root.join(OsStr::from_bytes(b"kind.\xff")), "odd kind").unwrap();
    fs::create_dir(root.join("deep")).unwrap();
    symlink("..", root.join("deep/loop")).unwrap();
    symlink("two", root.join("one")).unwrap();
    symlink("one", root.join("two")).unwrap();
    fs::create_dir(root.join("cache")).unwrap();
    let tag = "Signature: 8a477f597d28d172789f06886806bc55\n";
    fs::write(root.join("cache/CACHEDIR.TAG"), tag).unwrap();
    fs::write(root.join("cache/file"), "left out").unwrap();
    let made = Command::new("mkfifo").arg(root.join("pipe")).status().expect("mkfifo runs");
    assert!(made.success());
    UnixListener::bind(root.join("socket")).unwrap()
}

/// The digest that the run prints, by the book: lines of `sha256sum -z`, sorted by name.
fn combined_digest(root: &Path) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let mut lines: Vec<(Vec<u8>, String)> = Vec::new();
    for path in regular_files(root) {
        let digest = Sha256::digest(fs::read(root.join(&path)).unwrap());
        lines.push((Path::new(".").join(path).into_os_string().as_bytes().to_vec(), hex(&digest)));
    }
    lines.sort();
    let mut all = Vec::new();
    for (path, digest) in lines {
        all.extend([digest.as_bytes(), b"  ", &path, b"\0"].concat());
    }
    hex(&Sha256::digest(all))
}

/// Spans by (shard, type): number of starts. Each must have its stop, not before it.
fn spans(files: &Files) -> BTreeMap<(u64, String), u64> {
    let (mut open, mut spans) = (BTreeMap::new(), BTreeMap::new());
    let mut by_sequence: Vec<&Value> = files.events().iter().collect();
    by_sequence.sort_by_key(|event| (event["nc_idx"].as_u64(), event["nc_local_id"].as_u64()));
    for event in by_sequence {
        let kind = event["event_type"].as_str().unwrap().to_string();
        let key = (event["tracking_id"].as_u64().unwrap(), kind.clone());
        let time = event["timestamp_ns"].as_u64().unwrap();
        match event["phase"].as_str().unwrap() {
            "start" => {
                assert_eq!(open.insert(key, time), None, "started twice: {event}");
                *spans.entry((event["nc_idx"].as_u64().unwrap(), kind)).or_default() += 1;
            }
            "stop" => assert!(open.remove(&key).expect("a start") <= time, "{event}"),
            other => panic!("no {other} is emitted"),
        }
    }
    assert!(open.is_empty(), "without stop: {open:?}");
    spans
}

#[test]
fn a_folder_of_everything_is_digested_and_captured_whole() {
    let folder = tree(150);
    let root = folder.path();
    let _socket = oddities(root);
    // Inside the folder: no run may digest its own files or those of the run before.
    let out = root.join("out");
    let expected = combined_digest(root);
    let (paths, skipped) = (
        regular_files(root),
        "special files 2, symbolic links 3, folders tagged CACHEDIR.TAG 1, the output folder 1"
            .to_string(),
    );
    for cores in ["3", "1"] {
        let run = demo(root, &out, &["--cores", cores]);
        run.ok();
        assert_eq!(run.after("combined SHA-256: "), expected);
        assert_eq!(run.after("skipped: "), skipped);
        assert!(run.stdout.starts_with(&format!("digested {} files, ", paths.len())));
        assert!(run.stdout.contains("\nno event was lost\n"));
        check_whole(root, &Files::read(&out), &run.table(), paths.len() as u64);
    }
    // The mode is what any new file gets here.
    fs::write(root.join("probe"), "").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&out.join("trace.json")), mode(&root.join("probe")));
    assert_eq!(mode(&out.join("events.json")), mode(&root.join("probe")));
}

fn check_whole(root: &Path, files: &Files, table: &BTreeMap<Option<u64>, Row>, count: u64) {
    let total = table[&None];
    assert_eq!(files.events["data_version"], 2);
    assert_eq!(files.events.get("loss"), None);
    assert_eq!(files.trace["otherData"]["complete"], true);
    assert_eq!((total.displaced, total.lost), (0, 0));
    assert_eq!(files.events().len() as u64, total.created);
    let spans = spans(files);
    for (shard, row) in table.iter().filter_map(|(shard, row)| Some(((*shard)?, row))) {
        let of_shard = spans.iter().filter(|((nc_idx, _), _)| *nc_idx == shard);
        assert_eq!(of_shard.map(|(_, count)| count).sum::<u64>(), row.spans);
        assert_eq!(
            files.traced("X").filter(|slice| slice["pid"] == shard + 1).count() as u64,
            row.spans
        );
        assert_eq!((row.created, row.drained), (2 * row.spans, 2 * row.spans));
    }
    assert!(files.traced("X").all(|slice| !slice["name"].as_str().unwrap().is_empty()));

    let of_type = |kind: &str| -> u64 {
        spans.iter().filter(|((_, other), _)| other == kind).map(|(_, count)| count).sum()
    };
    for kind in ["exec_post_request", "nrt_execute", "kbl_exec_pre", "kbl_exec_post"] {
        assert_eq!(of_type(kind), count, "{kind}");
    }
    for kind in ["nrt_tensor_allocate", "nrt_tensor_read", "nrt_tensor_free"] {
        assert_eq!(of_type(kind), count, "{kind}");
    }
    // One file takes two rounds, and each core waits once for nothing.
    assert_eq!([of_type("nrt_tensor_write"), of_type("kmgr_exec_core")], [count + 1; 2]);
    assert_eq!(of_type("kbl_exec_wait"), count + table.len() as u64 - 1);

    let events = || files.events().iter();
    let stops = |kind: &'static str| {
        events().filter(move |event| event["event_type"] == kind && event["phase"] == "stop")
    };
    let mut sizes: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for event in stops("nrt_tensor_write") {
        let (id, size) = (&event["data"]["tensor_id"], &event["data"]["size"]);
        assert_eq!(event["nrta_seq_id"], *id);
        sizes.entry(id.as_u64().unwrap()).or_default().push(size.as_u64().unwrap());
    }
    let mut written: Vec<u64> = sizes.values().map(|rounds| rounds.iter().sum()).collect();
    let length = |path| fs::metadata(root.join(path)).unwrap().len();
    let mut lengths: Vec<u64> = regular_files(root)
        .into_iter()
        .filter(|path| !path.starts_with("out"))
        .map(length)
        .collect();
    written.sort_unstable();
    lengths.sort_unstable();
    assert_eq!(written, lengths);
    assert!(sizes.values().any(|rounds| *rounds == [ROUND, LARGE - ROUND]));

    let mut loads = BTreeSet::new();
    for event in stops("nrt_load") {
        let load = (event["nc_idx"].as_u64(), event["data"]["model_name"].as_str().unwrap());
        assert!(loads.insert(load), "loaded twice: {load:?}");
    }
    let kinds: BTreeSet<&str> = loads.iter().map(|(_, kind)| *kind).collect();
    let all = ["(no extension)", "(not UTF-8)", "bin", "json", "md", "rs", "txt"];
    assert_eq!(kinds, BTreeSet::from(all));
    let named = |event: &&Value| event["data"]["model_id"].as_u64().is_some_and(|id| id != 0);
    assert!(events().filter(named).all(|event| event["data"]["model_name"].is_string()));
    assert!(events().all(|event| event["worker_gid"] == event["nc_idx"]));
}

#[test]
fn a_ring_that_overflows_says_so_everywhere() {
    let folder = tree(400);
    let out = folder.path().join("out");
    for ring in ["1024", "1"] {
        let run = demo(folder.path(), &out, &["--cores", "2", "--ring", ring]);
        run.ok();
        let note = "note: --ring 1 was raised to the least, 1,024 events\n";
        assert_eq!(run.stdout.contains(note), ring == "1");
        let (files, table) = (Files::read(&out), run.table());
        let total = table[&None];
        assert!(total.displaced > 0, "{}", run.stdout);
        let words = format!("{} of {} events were overwritten", total.displaced, total.created);
        assert!(run.stdout.replace(',', "").contains(&words), "{}", run.stdout);
        assert_eq!(files.trace["otherData"]["complete"], false);
        check_loss(&files, &table);
    }
}

fn check_loss(files: &Files, table: &BTreeMap<Option<u64>, Row>) {
    let by_shard = |list: &Value| -> BTreeMap<u64, Value> {
        let shards = list.as_array().expect("shards").iter();
        shards.map(|shard| (shard["nc_idx"].as_u64().unwrap(), shard.clone())).collect()
    };
    let loss = by_shard(&files.events["loss"]["shards"]);
    let other = by_shard(&files.trace["otherData"]["shards"]);
    for (shard, row) in table.iter().filter_map(|(shard, row)| Some(((*shard)?, row))) {
        assert_eq!(row.created, row.drained + row.displaced + row.lost);
        assert!(row.drained <= 1024 && row.lost == 0, "{row:?}");
        let stated = |counts: &Value| {
            let number = |key: &str| counts[key].as_u64().unwrap();
            ["created", "drained", "displaced", "discarded"].map(number)
        };
        let expected = [row.created, row.drained, row.displaced, row.lost];
        assert_eq!(stated(&other[&shard]), expected);
        let name = files
            .traced("M")
            .find(|meta| meta["name"] == "process_name" && meta["pid"] == shard + 1);
        let lossy = name.unwrap()["args"]["name"].as_str().unwrap().contains("lost");
        assert_eq!(lossy, row.displaced > 0);
        assert_eq!(loss.contains_key(&shard), row.displaced > 0);
        if let Some(counts) = loss.get(&shard) {
            assert_eq!(stated(counts), expected);
            let types = counts["by_type"].as_object().unwrap().values();
            assert_eq!(types.map(|of_type| stated(of_type)[2]).sum::<u64>(), row.displaced);
        }
        // What is there is the newest, without a gap.
        let events = files.events().iter().filter(|event| event["nc_idx"] == shard);
        let mut numbers: Vec<u64> =
            events.map(|event| event["nc_local_id"].as_u64().unwrap()).collect();
        numbers.sort_unstable();
        let newest: Vec<u64> = (row.created - row.drained + 1..=row.created).collect();
        assert_eq!(numbers, newest);
        let slices = files.traced("X").filter(|slice| slice["pid"] == shard + 1);
        assert_eq!(slices.count() as u64, row.spans);
    }
}

#[test]
fn only_types_and_only_shards_choose() {
    let folder = tree(60);
    let out = folder.path().join("out");
    let types = |files: &Files| -> BTreeSet<String> {
        let kinds = files.events().iter().map(|event| event["event_type"].as_str().unwrap());
        kinds.map(String::from).collect()
    };

    let list = "kmgr_exec_core, POST_REQUEST";
    demo(folder.path(), &out, &["--cores", "2", "--only-types", list]).ok();
    let files = Files::read(&out);
    assert_eq!(types(&files), ["exec_post_request", "kmgr_exec_core"].map(String::from).into());
    assert_eq!(files.events().len(), 2 * 2 * 60);

    let run = demo(folder.path(), &out, &["--cores", "2", "--only-types", "^exec_wait"]);
    run.ok();
    let kinds = types(&Files::read(&out));
    assert!(kinds.len() > 5 && !kinds.contains("kbl_exec_wait"), "{kinds:?}");

    let run = demo(folder.path(), &out, &["--cores", "3", "--only-shards", "1-2"]);
    run.ok();
    let shards: Vec<u64> = run.table().into_keys().flatten().collect();
    assert_eq!(shards, [1, 2]);
    let files = Files::read(&out);
    let found = files.events().iter().map(|event| event["nc_idx"].as_u64().unwrap());
    assert_eq!(found.collect::<BTreeSet<_>>(), [1, 2].into());
    assert_eq!(files.events().len() as u64, run.table()[&None].created);

    let run = demo(folder.path(), &out, &["--only-types", "none", "--only-shards", "all"]);
    run.ok();
    assert!(run.stdout.starts_with("digested 60 files, "));
    assert_eq!(Files::read(&out).events().len(), 0);
}

#[test]
fn the_slowest_spans_are_the_longest_slices() {
    let folder = tree(40);
    let out = folder.path().join("out");
    let run = demo(folder.path(), &out, &[]);
    let lines = run.ok().lines().skip_while(|line| *line != "slowest spans").skip(1);
    let printed: Vec<&str> =
        lines.take_while(|line| !line.is_empty()).map(|line| line.trim_start()).collect();
    let files = Files::read(&out);
    let mut slices: Vec<(f64, &str)> = files
        .traced("X")
        .map(|slice| (slice["dur"].as_f64().unwrap(), slice["name"].as_str().unwrap()))
        .collect();
    slices.sort_by(|a, b| b.0.total_cmp(&a.0));
    assert_eq!(printed.len(), 5);
    for (line, (micros, _)) in printed.iter().zip(&slices) {
        let mut words = line.split_whitespace();
        let value: f64 = words.next().unwrap().parse().unwrap();
        let scale = match words.next().unwrap() {
            "ns" => 1e-3,
            "µs" => 1.0,
            "ms" => 1e3,
            "s" => 1e6,
            other => panic!("{other} is no unit"),
        };
        // Printed with two decimals.
        assert!((value * scale - micros).abs() <= 0.006 * scale, "{line}: {micros}");
        let name = words.next().unwrap();
        let same = |slice: &&(f64, &str)| slice.0 == *micros && slice.1.starts_with(name);
        assert!(slices.iter().any(|slice| same(&slice)), "{line}");
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let folder = tree(20);
    let out = folder.path().join("out");
    let mut child = Command::new(BINARY)
        .args([OsStr::new("demo"), folder.path().as_os_str(), "--out".as_ref(), out.as_ref()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    Files::read(&out);
}

#[test]
fn help_and_version_go_to_standard_output() {
    for (args, words) in [
        (&["--help"][..], "demo"),
        (&["demo", "--help"], "CACHEDIR.TAG"),
        (&["--version"], "sys-trace 0.1.0"),
    ] {
        let run = common::run(args);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        assert!(run.stdout.contains(words), "{}", run.stdout);
    }
}
