//! The command line of sys-trace.
//!
//! Exit codes: 0 when the command did what it was told, 2 with one line on standard error when it
//! could not.
#![forbid(unsafe_code)]

mod args;
mod capture;
mod convert;
mod demo;
mod fail;
mod manifest;
mod output;
mod progress;
mod report;
mod runtime;
mod skip;
mod text;
mod walk;

use std::process::ExitCode;

use crate::args::{Command, Parsed};

fn main() -> ExitCode {
    let done = match args::parse(std::env::args_os()) {
        Ok(Parsed::Run(Command::Demo(options))) => demo::run(&options),
        Ok(Parsed::Run(Command::Convert(options))) => convert::run(&options),
        Ok(Parsed::Print(text)) => fail::print(&text),
        Err(fail) => Err(fail),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(fail) => fail.report(),
    }
}
