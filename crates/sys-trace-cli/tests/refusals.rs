//! Everything that `sys-trace demo` refuses or skips: one line, exit code 2, nothing left behind.
#![cfg(unix)]

mod common;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use common::{BINARY, Run, demo, names, run, tree};

#[test]
fn bad_values_are_named_with_their_limit() {
    let folder = tree(3);
    let out = folder.path().join("out");
    for (more, words) in [
        (&["--ring", "0"][..], &["'0'", "--ring", "1 to 268435456"][..]),
        (&["--ring", "-1"], &["'-1'", "268435456"]),
        (&["--ring", "268435457"], &["'268435457'", "268435456", "bytes"]),
        (&["--ring", "18446744073709551615"], &["'18446744073709551615'", "268435456", "bytes"]),
        (&["--ring", "18446744073709551616"], &["'18446744073709551616'", "268435456"]),
        (&["--ring", "many"], &["'many'", "268435456"]),
        (&["--ring"], &["--ring"]),
        (&["--cores", "0"], &["'0'", "1 to 256"]),
        (&["--cores", "257"], &["'257'", "1 to 256"]),
        (&["--cores", "-1"], &["'-1'", "1 to 256"]),
        (&["--cores", "1.5"], &["'1.5'", "1 to 256"]),
        (
            &["--only-types", "bogus"],
            &["\"bogus\"", "nc_exec_running (DEVICE_EXEC)", "hostcc_wait"],
        ),
        (&["--only-types", "a\n\nb"], &["unknown event type", "nc_exec_running"]),
        (&["--only-types", ""], &["--only-types"]),
        (&["--only-shards", "256"], &["\"256\"", "255"]),
        (&["--only-shards", "3-1"], &["\"3-1\""]),
        (&["--only-shards", "x"], &["\"x\"", "0 to 255"]),
        (&["--only-shards", "0,4", "--cores", "4"], &["shard 4", "4 cores", "0 to 3"]),
        (&["--bogus"], &["--bogus"]),
        (&["one-more"], &["one-more"]),
    ] {
        let run = demo(folder.path(), &out, more);
        let line = run.refused();
        assert!(words.iter().all(|word| line.contains(word)), "{more:?}: {line}");
        assert!(!out.exists(), "{more:?}");
    }
    for (args, word) in [(&[][..], "subcommand"), (&["bogus"], "bogus"), (&["--bogus"], "--bogus")]
    {
        let run = run(args);
        assert!(run.refused().contains(word), "{args:?}: {run:?}");
    }
    let latin = OsStr::from_bytes(b"caf\xe9");
    run([OsStr::new("demo"), OsStr::new("--only-types"), latin]).refused();
}

#[test]
fn a_folder_without_files_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (root, out) = (folder.path(), folder.path().join("out"));
    let refused = |dir: &Path, words: &str| {
        let run = demo(dir, &out, &[]);
        assert!(run.refused().contains(words), "{run:?}");
        assert!(!out.exists(), "{run:?}");
    };
    refused(&root.join("mis\nsing"), "mis\\nsing\" does not exist");
    refused(Path::new(""), "[DIR]");
    refused(root, "holds no regular file");
    fs::create_dir(root.join("inside")).unwrap();
    symlink("..", root.join("inside/loop")).unwrap();
    refused(root, "holds no regular file (skipped: symbolic links 1)");
    fs::write(root.join("file"), "x").unwrap();
    refused(&root.join("file"), "is not a folder");
    symlink("nowhere", root.join("dangling")).unwrap();
    refused(&root.join("dangling"), "does not exist");
    symlink("itself", root.join("itself")).unwrap();
    refused(&root.join("itself"), "cannot enter the folder");
    // A link to a folder is a folder.
    symlink(".", root.join("here")).unwrap();
    demo(&root.join("here"), &out, &[]).ok();
}

#[test]
fn an_output_that_cannot_be_written_is_refused_before_the_work() {
    let folder = tree(3);
    let root = folder.path();
    let before = names(root);
    let refused = |out: &Path, words: &str| {
        let run = demo(root, out, &[]);
        assert!(run.refused().contains(words), "{run:?}");
    };
    refused(&root.join("part-0/file-0.rs"), "is not a folder");
    refused(&root.join("part-0/file-0.rs/out"), "cannot make the output folder");
    refused(root, "name another with --out");
    if cfg!(target_os = "linux") {
        refused(Path::new("/proc/sys-trace-demo"), "\"/proc/sys-trace-demo\"");
        refused(Path::new("/proc"), "cannot write to the output folder");
    }
    assert_eq!(names(root), before);

    let out = root.join("out");
    fs::create_dir_all(out.join("trace.json")).unwrap();
    refused(&out, "trace.json");
    assert_eq!(names(&out), ["trace.json"]);
}

#[test]
fn a_full_disk_leaves_nothing_half_written() {
    let folder = tree(100);
    let out = folder.path().join("out");
    // A limit on the size of files does what a full disk does.
    let limited = "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"";
    let run = |out: &Path| -> Run {
        let mut command = Command::new("sh");
        command.args(["-c", limited, BINARY, "demo"]).arg(folder.path()).arg("--out").arg(out);
        command.output().unwrap().into()
    };
    let first = run(&out);
    assert_eq!(first.code, Some(2), "{first:?}");
    let last = first.stderr.lines().last().unwrap_or_default();
    assert!(last.starts_with("error: cannot write ") && last.contains("events.json"), "{last}");
    assert!(!out.exists());

    // The files of an earlier run stay as they are.
    fs::create_dir(&out).unwrap();
    fs::write(out.join("events.json"), "earlier").unwrap();
    assert_eq!(run(&out).code, Some(2));
    assert_eq!(names(&out), ["events.json"]);
    assert_eq!(fs::read(out.join("events.json")).unwrap(), b"earlier");
}

/// A run as somebody who may not read everything.
fn as_nobody(home: &Path, dir: &Path, out: &Path) -> Run {
    let mut command = if fs::metadata(home).unwrap().uid() == 0 {
        // The program may lie where nobody else may go.
        let copy = home.join("sys-trace-copy");
        if !copy.exists() {
            // By another process: a file that this one has open for writing, if only in a child
            // that another test is starting, cannot be run.
            let copied = Command::new("cp").arg(BINARY).arg(&copy).status().unwrap();
            assert!(copied.success());
        }
        let mut command = Command::new(copy);
        command.uid(65_534).gid(65_534);
        command
    } else {
        Command::new(BINARY)
    };
    command.current_dir("/").arg("demo").arg(dir).arg("--out").arg(out);
    command.output().expect("the program starts as another user").into()
}

#[test]
fn what_cannot_be_read_is_skipped_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let mode =
        |path: &Path, mode| fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    let (home, dir, out) = (folder.path(), folder.path().join("dir"), folder.path().join("out"));
    mode(home, 0o755);
    fs::create_dir_all(dir.join("closed")).unwrap();
    fs::create_dir(&out).unwrap();
    mode(&out, 0o777);
    fs::write(dir.join("closed/file"), "x").unwrap();
    fs::write(dir.join("secret.txt"), "x").unwrap();
    mode(&dir.join("secret.txt"), 0);
    mode(&dir.join("closed"), 0);

    // Alone they are all there is, and nothing can be digested.
    let run = as_nobody(home, &dir, &out);
    let line = run.refused();
    assert!(line.contains("no file of") && line.contains("denied"), "{line}");
    assert!(names(&out).is_empty());

    // Among others they are counted.
    fs::write(dir.join("open.txt"), "x").unwrap();
    let run = as_nobody(home, &dir, &out);
    assert!(run.ok().starts_with("digested 1 files, "), "{run:?}");
    assert_eq!(run.after("skipped: "), "unreadable files 1, unreadable folders 1");
    assert!(run.after("first of them that failed: ").contains("denied"));
    assert_eq!(names(&out), ["events.json", "trace.json"]);

    mode(&out, 0o555);
    let run = as_nobody(home, &dir, &home.join("out"));
    let line = run.refused();
    assert!(line.contains("cannot write to the output folder"), "{line}");
    mode(&dir, 0);
    assert!(as_nobody(home, &dir, &out).refused().contains("denied"));
    for path in [&dir, &dir.join("closed"), &out] {
        mode(path, 0o755);
    }
}
