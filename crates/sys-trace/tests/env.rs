//! A configuration from the real environment, in a process of its own.
#![cfg(all(feature = "std", not(loom), not(miri)))]
// A test that an emulator or another system's loader runs cannot start itself.
#![cfg(target_arch = "x86_64")]
#![allow(missing_docs, reason = "a test")]

use std::process::Command;

use sys_trace::Config;

/// Says what the environment makes of a configuration, when asked by the test below.
#[test]
fn asked() {
    if std::env::var_os("ASKED").is_some() {
        match Config::from_env() {
            Ok(config) => println!("<{}/{}>", config.ring_events(), config.shard_count(256)),
            Err(error) => println!("<{error}>"),
        }
    }
}

fn answer(variable: &str, value: impl AsRef<std::ffi::OsStr>) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    for name in Config::VARIABLES {
        command.env_remove(name);
    }
    command.env(variable, value).env("ASKED", "").args(["--exact", "asked", "--nocapture"]);
    let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let (_, answer) = output.split_once('<').unwrap_or_else(|| panic!("{output}"));
    answer.split_once('>').unwrap().0.to_owned()
}

#[test]
fn variables_of_the_environment() {
    assert_eq!(answer("SYS_TRACE_UNKNOWN", "1"), "1048576/256");
    assert_eq!(answer("SYS_TRACE_EVENTS_PER_SHARD", "5000"), "5000/256");
    assert_eq!(answer("SYS_TRACE_SHARDS", "0-3,9"), "1048576/5");
    let message =
        "SYS_TRACE_SHARDS is \"x\": \"x\" is not a shard: expected a number from 0 to 255";
    assert_eq!(answer("SYS_TRACE_SHARDS", "x"), message);
}

#[cfg(unix)]
#[test]
fn a_value_that_is_no_unicode() {
    use std::os::unix::ffi::OsStrExt;
    let value = std::ffi::OsStr::from_bytes(b"0\xff");
    assert_eq!(
        answer("SYS_TRACE_SHARDS", value),
        "SYS_TRACE_SHARDS is \"0\u{fffd}\": expected Unicode"
    );
}
