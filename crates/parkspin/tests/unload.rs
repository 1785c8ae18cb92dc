//! Two copies of this crate in one process, each in a shared library, and what becomes of them when
//! the libraries are closed.
//!
//! On one processor only: the plug-in is built for the machine that the compiler runs on.
#![cfg(all(feature = "std", target_os = "linux", target_arch = "x86_64"))]
#![cfg(not(any(loom, miri, target_feature = "crt-static")))]
#![allow(unsafe_code, reason = "loads libraries")]
#![allow(missing_docs, reason = "a test")]

use std::ffi::{CString, c_void};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Barrier};
use std::{fs, mem, thread};

/// Builds the plug-in where this test was built, as Cargo does when it runs all tests.
fn plugin() -> PathBuf {
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("plugin");
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--quiet", "--example", "plugin", "--target-dir"])
        .arg(&target)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        // What was asked of this test's own build is not meant for that one.
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("CARGO_BUILD_TARGET")
        .status()
        .expect("cargo runs");
    assert!(status.success(), "{status}");
    target.join("debug/examples/libplugin.so")
}

struct Library {
    handle: *mut c_void,
    count_and_enter: extern "C" fn() -> u32,
}

/// Loads the library by a name of its own, so that it is another one each time.
fn load(plugin: &PathBuf, name: &str) -> Library {
    let copy = plugin.with_file_name(name);
    fs::copy(plugin, &copy).unwrap();
    let path = CString::new(copy.to_str().unwrap()).unwrap();
    // SAFETY: the name is a C string, and what the library does at its start is this crate's own.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
    assert!(!handle.is_null(), "{} does not load", copy.display());
    // SAFETY: the handle is open, and the name is a C string.
    let symbol = unsafe { libc::dlsym(handle, c"count_and_enter".as_ptr()) };
    assert!(!symbol.is_null());
    // SAFETY: that symbol is a function of this type.
    let count_and_enter = unsafe { mem::transmute::<*mut c_void, extern "C" fn() -> u32>(symbol) };
    Library { handle, count_and_enter }
}

#[test]
fn two_libraries_and_threads_that_outlive_them() {
    let plugin = plugin();
    let libraries = ["libone.so", "libother.so"].map(|name| load(&plugin, name));
    let calls = libraries.each_ref().map(|library| library.count_and_enter);
    let closed = Arc::new(Barrier::new(2));
    let been_inside = Arc::new(Barrier::new(2));
    let visitor = {
        let (closed, been_inside) = (Arc::clone(&closed), Arc::clone(&been_inside));
        thread::spawn(move || {
            let seen = calls.map(|call| [call(), call()]);
            been_inside.wait();
            closed.wait();
            seen
        })
    };
    been_inside.wait();
    // Their gates are two, and so are the numbers behind them.
    assert_eq!(calls.map(|call| call()), [3, 3]);
    for library in libraries {
        // SAFETY: opened above, and no call is in it.
        assert_eq!(unsafe { libc::dlclose(library.handle) }, 0);
    }
    closed.wait();
    // The thread gives its slots back, in code that must still be there.
    assert_eq!(visitor.join().unwrap(), [[1, 2], [1, 2]]);
}
