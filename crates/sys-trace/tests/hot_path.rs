//! The hot path makes no system call with the cycle clock: a child process that may write and exit
//! and nothing else emits on a full ring.
#![cfg(all(feature = "std", not(loom), not(miri)))]
#![allow(missing_docs, reason = "a test")]
#![allow(unsafe_code, reason = "forks and installs a filter of system calls")]

/// Told, not passed over in silence.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
#[test]
fn skipped_here() {
    println!("SKIPPED: the filter of system calls is written for x86-64 Linux");
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod filtered {
    use std::os::fd::AsRawFd;

    use sys_trace::{Clock, Config, Engine, EventType, Payload, Phase};

    static ENGINE: Engine<2> = Engine::new();

    /// From here on any system call but four kills the process.
    fn forbid_system_calls() -> bool {
        const fn statement(code: u32, k: u32) -> libc::sock_filter {
            libc::sock_filter { code: code as u16, jt: 0, jf: 0, k }
        }
        let number = statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0);
        let kill = statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_KILL_PROCESS);
        let allow = statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW);
        let calls = [libc::SYS_write, libc::SYS_exit, libc::SYS_exit_group, libc::SYS_rt_sigreturn];
        let mut filter = vec![number];
        for (n, call) in (0..).zip(calls) {
            let (code, k) = ((libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16, call as u32);
            // To the last statement, over the tests that are left and the one that kills.
            filter.push(libc::sock_filter { code, jt: 4 - n, jf: 0, k });
        }
        filter.extend([kill, allow]);
        let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
        // SAFETY: takes numbers only.
        let asked = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
        let (mode, program) = (libc::SECCOMP_MODE_FILTER, &raw const program);
        // SAFETY: the program and its statements live through the call.
        let done = unsafe { libc::prctl(libc::PR_SET_SECCOMP, mode, program) };
        // What is freed now may be a system call.
        std::mem::forget(filter);
        asked == 0 && done == 0
    }

    /// How a child ends that warms up, forbids itself system calls, and then does `work`.
    fn filtered(warm_up: impl FnOnce() -> bool, work: impl FnOnce() -> bool) -> libc::c_int {
        // SAFETY: the child leaves by `_exit`.
        let id = unsafe { libc::fork() };
        assert!(id >= 0, "fork failed");
        if id == 0 {
            let code = if !warm_up() {
                2
            } else if !forbid_system_calls() {
                3
            } else if !work() {
                4
            } else {
                0
            };
            // SAFETY: has no preconditions.
            unsafe { libc::_exit(code) };
        }
        let mut status = 0;
        // SAFETY: the status is ours to write to.
        assert_eq!(unsafe { libc::waitpid(id, &raw mut status, 0) }, id);
        status
    }

    fn emits(count: u32) -> bool {
        (0..count).all(|n| {
            let id = ENGINE.emit(n % 2, EventType::Generic, Phase::Start, Payload::ZERO);
            drop(ENGINE.span(n % 2, EventType::ExecCore, Payload::ZERO));
            ENGINE.emit(2, EventType::Generic, Phase::Instant, Payload::ZERO);
            id.is_some()
        })
    }

    fn start(clock: Clock) -> bool {
        // A full ring, committed pages, a cached thread id.
        ENGINE.start(&Config::new().events_per_shard(1024).clock(clock)).is_ok() && emits(2_000)
    }

    fn exited_well(status: libc::c_int) -> bool {
        libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
    }

    #[test]
    fn emits_and_spans_make_no_system_call() {
        let clock = if usable() {
            Clock::Cycles
        } else {
            println!("SKIPPED in part: the cycle counter is not fit here; a fixed clock instead");
            Clock::Custom(|| 7)
        };
        let status = filtered(|| start(clock), || emits(100_000));
        assert!(exited_well(status), "status {status:#x}: 31 in the low byte is a forbidden call");
        // While off too.
        let status = filtered(|| true, || !emits(1));
        assert!(exited_well(status), "off: status {status:#x}");
    }

    fn usable() -> bool {
        let engine: Box<Engine<1>> = Box::default();
        engine.start(&Config::new().clock(Clock::Cycles)).unwrap();
        engine.capture_info().unwrap().clock == "cycles"
    }

    /// A reading from an open file is killed, and so is an emit whose clock is a system call.
    #[test]
    fn the_filter_kills() {
        let file = std::fs::File::open("/proc/self/status").unwrap();
        let status = filtered(
            || true,
            || {
                let mut byte = 0_u8;
                // SAFETY: one byte, which is ours.
                unsafe { libc::read(file.as_raw_fd(), (&raw mut byte).cast(), 1) == 1 }
            },
        );
        assert!(libc::WIFSIGNALED(status), "{status:#x}");
        assert_eq!(libc::WTERMSIG(status), libc::SIGSYS);

        fn asks_the_kernel() -> u64 {
            // SAFETY: has no preconditions.
            unsafe { libc::getppid() as u64 }
        }
        let status = filtered(|| start(Clock::Custom(asks_the_kernel)), || emits(1));
        assert!(libc::WIFSIGNALED(status), "{status:#x}");
        assert_eq!(libc::WTERMSIG(status), libc::SIGSYS);
    }
}
