//! No start files, no libc, no dynamic linker: nothing that this package does not bring along.

fn main() {
    for arg in ["-nostartfiles", "-nostdlib", "-static", "-no-pie"] {
        println!("cargo::rustc-link-arg-bins={arg}");
    }
}
