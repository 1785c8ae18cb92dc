//! Without the feature `enable` nothing is left of emits, spans and macros: a package that uses them
//! is built with and without it, and the programs are compared.
#![cfg(all(feature = "std", not(any(loom, miri))))]
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(missing_docs, reason = "a test")]

use std::path::{Path, PathBuf};
use std::process::Command;

const MANIFEST: &str = r#"
[package]
name = "traced"
version = "0.0.0"
edition = "2024"
[features]
enable = ["sys-trace/enable"]
[dependencies]
sys-trace = { path = "SYS_TRACE", default-features = false, features = ["std"] }
[profile.release]
codegen-units = 1
[workspace]
"#;

const MAIN: &str = r#"
use sys_trace::{Engine, EventType, Payload, Phase, count, instant, span};

static ENGINE: Engine<4> = Engine::new();

#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn traced(n: u64) -> u64 {
    let mut _span = span!(ENGINE, 1, "a name that stands nowhere else", n);
    let _typed = ENGINE.span(0, EventType::ExecCore, Payload::ZERO);
    instant!(ENGINE, n as u32, "a name that stands nowhere else");
    count!(ENGINE, 0, "a name that stands nowhere else", n);
    let id = ENGINE.emit(0, EventType::Generic, Phase::Start, Payload::ZERO);
    ENGINE.emit_with_seq(0, EventType::Generic, Phase::Stop, Payload::ZERO, id, n);
    _span.set_stop(Payload::ZERO);
    n.wrapping_mul(77)
}

fn main() {
    let n = std::env::args().count() as u64;
    assert_eq!(traced(n), n.wrapping_mul(77));
    println!("{}", size_of::<sys_trace::Span<'static, 4>>());
}
"#;

/// Builds the package; returns the program.
fn built(enable: bool) -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("traced");
    std::fs::create_dir_all(folder.join("src")).unwrap();
    let manifest = MANIFEST.replace("SYS_TRACE", &own.display().to_string());
    std::fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    std::fs::write(folder.join("src/main.rs"), MAIN).unwrap();
    // The versions that the workspace uses. Absent from a packaged crate.
    let _ = std::fs::copy(own.join("../../Cargo.lock"), folder.join("Cargo.lock"));
    let target = folder.join(if enable { "with" } else { "without" });
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--release", "--offline", "--quiet", "--target-dir"]).arg(&target);
    if enable {
        cargo.args(["--features", "enable"]);
    }
    let built = cargo
        .current_dir(&folder)
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("CARGO_BUILD_TARGET")
        .status()
        .unwrap();
    assert!(built.success());
    target.join("release/traced")
}

/// What a tool of the binutils, which link programs, says of `program`.
fn tool(name: &str, options: &[&str], program: &Path) -> String {
    let output = Command::new(name).args(options).arg(program).output().expect("the tool runs");
    assert!(output.status.success());
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The instructions of the function `traced`.
fn instructions(program: &Path) -> Vec<String> {
    let listing = tool("objdump", &["--disassemble=traced", "--no-show-raw-insn"], program);
    let code = listing.lines().skip_while(|line| !line.contains("<traced>:")).skip(1);
    let code = code.take_while(|line| line.contains('\t'));
    code.map(|line| line.split_once('\t').unwrap().1.trim().to_owned()).collect()
}

#[test]
fn without_the_feature_nothing_is_left() {
    let [with, without] = [true, false].map(built);
    let spans = |program| -> usize {
        let output = Command::new(program).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
    };
    let has = |program: &Path, text: &str| {
        let bytes = std::fs::read(program).unwrap();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    };
    let symbols = |program: &Path| {
        let all = tool("nm", &["--demangle"], program);
        let marks = ["sys_trace", "lapring", "parkspin", "sipintern", "ENGINE"];
        all.lines().filter(|line| marks.iter().any(|mark| line.contains(mark))).count()
    };
    let name = "a name that stands nowhere else";

    assert_eq!((spans(&without), has(&without, name), symbols(&without)), (0, false, 0));
    let code = instructions(&without);
    assert!(code.len() <= 4 && code.last().unwrap().starts_with("ret"), "{code:#?}");
    assert!(
        !code.iter().any(|line| line.starts_with("call") || line.starts_with('j')),
        "{code:#?}"
    );

    // Control: with it, all of that is there to be found.
    assert!(spans(&with) > 0 && has(&with, name) && symbols(&with) > 0);
    assert!(instructions(&with).iter().any(|line| line.starts_with('j')));
}
