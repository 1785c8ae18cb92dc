//! Any bytes as a binary capture: refused, or read and written as the two files. The corpus is
//! replayed by the tests of sys-trace-export.
#![no_main]

use sys_trace_export::{Blob, JsonOptions, write_chrome, write_json};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(blob) = Blob::read(bytes) {
        let view = blob.capture();
        write_json(std::io::sink(), &view, &JsonOptions::default()).expect("a sink takes all");
        write_chrome(std::io::sink(), &view).expect("a sink takes all");
    }
});
