//! Forks while other threads are in the middle of everything: a child finds the engine off, never
//! hangs, and captures under its own thread id once it starts.
#![cfg(all(feature = "std", unix, not(loom), not(miri)))]
#![allow(missing_docs, reason = "a test")]
#![allow(unsafe_code, reason = "forks")]

use std::cell::Cell;
use std::thread;
use std::time::Duration;
use syncface::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use sys_trace::{
    Clock, Config, DrainError, Engine, Event, EventType, NotCapturing, Payload, Phase, StaticEngine,
};

/// The kernel's id of this thread.
fn gettid() -> u64 {
    #[cfg(target_os = "linux")]
    // SAFETY: has no preconditions.
    return unsafe { libc::gettid() } as u64;
    #[cfg(not(target_os = "linux"))]
    unreachable!("asked on Linux only")
}

/// Runs `child` in a child process, which an alarm ends if it hangs. The answer is 0, the number of
/// the check that failed, or minus a signal.
fn in_a_child(child: impl FnOnce() -> i32) -> i32 {
    // SAFETY: the child uses the engine, which is what is tested, and leaves by `_exit`.
    let id = unsafe { libc::fork() };
    assert!(id >= 0, "fork failed");
    if id == 0 {
        // Processor time, not wall time, would not see a futex that sleeps for ever.
        // SAFETY: has no preconditions.
        unsafe { libc::alarm(100) };
        let code = child();
        // SAFETY: has no preconditions.
        unsafe { libc::_exit(code) };
    }
    let mut status = 0;
    // SAFETY: the status is ours to write to.
    assert_eq!(unsafe { libc::waitpid(id, &raw mut status, 0) }, id);
    if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { -libc::WTERMSIG(status) }
}

fn instant<const S: usize>(engine: &Engine<S>) -> bool {
    engine.emit(0, EventType::Generic, Phase::Instant, Payload::ZERO).is_some()
}

fn small() -> Config {
    Config::new().events_per_shard(1024)
}

/// What every child must find: 0, or which step went wrong.
fn off_then_usable<const S: usize>(engine: &Engine<S>) -> i32 {
    let mut out = [Event::ZERO; 8];
    // Off: nothing of the parent's is seen, nothing waits.
    if instant(engine) || engine.is_capturing() {
        return 1;
    }
    drop(engine.span(0, EventType::ExecCore, Payload::ZERO));
    engine.intern(0, "in the child");
    if engine.drain(0, &mut out) != Err(DrainError::NotCapturing) {
        return 2;
    }
    if engine.drain_all(9) != Err(NotCapturing) || engine.stop().is_ok() {
        return 3;
    }
    if engine.loss().created != 0 || engine.total_event_count() != 0 || !engine.strings().is_empty()
    {
        return 4;
    }
    if engine.capture_info().is_some() || !engine.counts().is_empty() || engine.resident(0) != 0 {
        return 5;
    }
    if engine.names_dropped(0) != 0 || engine.misdirected() != 0 || engine.close().is_err() {
        return 6;
    }
    for _ in 0..2 {
        if engine.start(&small()).is_err() {
            return 7;
        }
        if !instant(engine) || engine.drain(0, &mut out) != Ok(1) {
            return 8;
        }
        // Never the parent's id, which is that of a thread this process has not got.
        if cfg!(target_os = "linux") && out[0].thread_id != gettid() {
            return 9;
        }
        engine.intern(0, "in the child");
        if engine.strings().len() != 1 || !instant(engine) || engine.stop().is_err() {
            return 10;
        }
        let total = engine.loss();
        if (total.created, total.drained, total.discarded, total.live()) != (2, 1, 1, 0) {
            return 11;
        }
    }
    0
}

/// Three threads emit, one drains, one interns, one starts and stops without a pause, one asks; the
/// forks come at random moments.
#[test]
fn forks_beside_everything() {
    static ENGINE: Engine<2> = Engine::new();
    let forks = if cfg!(debug_assertions) { 150 } else { 600 };
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !done.load(Relaxed) {
                    instant(&ENGINE);
                }
            });
        }
        scope.spawn(|| {
            let mut out = [Event::ZERO; 64];
            while !done.load(Relaxed) {
                let _ = ENGINE.drain(0, &mut out);
            }
        });
        scope.spawn(|| {
            let mut n = 0u64;
            while !done.load(Relaxed) {
                n += 1;
                ENGINE.intern(0, &format!("name {n}"));
            }
        });
        scope.spawn(|| {
            while !done.load(Relaxed) {
                // Either may be refused while the machine is busy.
                let _ = ENGINE.start(&small());
                let _ = ENGINE.stop();
            }
        });
        scope.spawn(|| {
            while !done.load(Relaxed) {
                let _ = (ENGINE.loss(), ENGINE.strings(), ENGINE.capture_info());
            }
        });
        let mut wrong = Vec::new();
        for n in 0..forks {
            let answer = in_a_child(|| off_then_usable(&ENGINE));
            if answer != 0 {
                wrong.push((n, answer));
            }
        }
        done.store(true, Relaxed);
        assert_eq!(wrong, [], "(fork, step or minus the signal)");
    });
    // The parent never noticed.
    ENGINE.close().unwrap();
    ENGINE.start(&small()).unwrap();
    assert!(instant(&ENGINE));
}

/// Holds threads that want to be held, where they read the clock, while it is told to.
static HELD: AtomicBool = AtomicBool::new(false);
static WAITING: AtomicU64 = AtomicU64::new(0);
thread_local! {
    static WANTS: Cell<bool> = const { Cell::new(false) };
}

fn holding_clock() -> u64 {
    if WANTS.get() && HELD.load(Relaxed) {
        WAITING.fetch_add(1, Relaxed);
        while HELD.load(Relaxed) {
            thread::sleep(Duration::from_millis(1));
        }
    }
    7
}

/// At the fork an emitter is certainly inside, and a stop certainly holds the lock and waits for it.
#[test]
fn a_fork_while_an_emitter_is_inside_and_a_stop_waits() {
    static ENGINE: Engine<1> = Engine::new();
    ENGINE.start(&small().clock(Clock::Custom(holding_clock))).unwrap();
    assert!(instant(&ENGINE));
    ENGINE.intern(0, "of the parent");
    let parent = gettid_or_zero();
    HELD.store(true, Relaxed);
    thread::scope(|scope| {
        scope.spawn(|| {
            WANTS.set(true);
            assert!(instant(&ENGINE));
        });
        while WAITING.load(Relaxed) == 0 {
            thread::yield_now();
        }
        let beside_an_emitter = in_a_child(|| off_then_usable(&ENGINE));
        let stopping = scope.spawn(|| {
            // It has a deadline, which a busy machine may exceed.
            while ENGINE.stop().is_err() {}
        });
        while ENGINE.is_capturing() {
            thread::yield_now();
        }
        let beside_a_stop = in_a_child(|| off_then_usable(&ENGINE));
        // Released before anything can fail, or the scope would wait for ever.
        HELD.store(false, Relaxed);
        stopping.join().unwrap();
        assert_eq!((beside_an_emitter, beside_a_stop), (0, 0));
    });
    let total = ENGINE.loss();
    assert_eq!((total.created, total.discarded), (2, 2), "the parent's accounts are its own");
    assert!(!ENGINE.strings().is_empty());
    assert_eq!(gettid_or_zero(), parent);
}

fn gettid_or_zero() -> u64 {
    if cfg!(target_os = "linux") { gettid() } else { 0 }
}

/// A child of a child, and a child with threads that all use the engine at once.
#[test]
fn generations_of_children_and_their_threads() {
    static ENGINE: Engine<2> = Engine::new();
    ENGINE.start(&small()).unwrap();
    assert!(instant(&ENGINE));
    let answer = in_a_child(|| {
        let threads: Vec<_> = (0..4)
            .map(|_| thread::spawn(|| ENGINE.loss().created + ENGINE.strings().len() as u64))
            .collect();
        if threads.into_iter().any(|it| it.join().ok() != Some(0)) {
            return 100;
        }
        let first = off_then_usable(&ENGINE);
        if first != 0 || ENGINE.start(&small()).is_err() || !instant(&ENGINE) {
            return 50 + first;
        }
        let second = in_a_child(|| off_then_usable(&ENGINE));
        // The grandchild's captures were its own.
        if second != 0 || ENGINE.loss().created != 1 { 70 + second } else { 0 }
    });
    assert_eq!(answer, 0);
    assert_eq!(ENGINE.loss().created, 1);
}

/// A span that the parent started ends silently in the child, also when the child captures.
#[test]
fn a_span_across_a_fork_records_nothing_in_the_child() {
    static ENGINE: Engine<1> = Engine::new();
    ENGINE.start(&small()).unwrap();
    let span = ENGINE.span(0, EventType::ExecCore, Payload::ZERO);
    let answer = in_a_child(|| {
        if ENGINE.start(&small()).is_err() {
            return 1;
        }
        drop(span);
        i32::from(ENGINE.loss().created != 0) * 2
    });
    assert_eq!(answer, 0);
}

/// The harness above can tell a hang: nothing here would end the child but the alarm.
#[test]
fn a_child_that_hangs_is_noticed() {
    let answer = in_a_child(|| {
        // SAFETY: has no preconditions.
        unsafe { libc::alarm(1) };
        loop {
            thread::sleep(Duration::from_secs(1));
        }
    });
    assert_eq!(answer, -libc::SIGALRM);
}

/// [`off_then_usable`] of an engine whose rings stay where they are.
fn static_off_then_usable(engine: &StaticEngine<2, 8, 2>) -> i32 {
    let mut out = [Event::ZERO; 8];
    if static_instant(engine) || engine.is_capturing() {
        return 1;
    }
    if engine.drain(0, &mut out) != Err(DrainError::NotCapturing) || engine.loss().created != 0 {
        return 2;
    }
    if engine.names_of(0).count() != 0 || engine.capture_info().is_some() {
        return 3;
    }
    if engine.start(&Config::new()).is_err() || !static_instant(engine) {
        return 4;
    }
    if engine.drain(0, &mut out) != Ok(1) || out[0].nc_local_id != 1 {
        return 5;
    }
    i32::from(engine.stop().is_err() || engine.loss().drained != 1) * 6
}

fn static_instant(engine: &StaticEngine<2, 8, 2>) -> bool {
    engine.emit(0, EventType::Generic, Phase::Instant, Payload::ZERO).is_some()
}

#[test]
fn a_static_engine_in_a_child() {
    static ENGINE: StaticEngine<2, 8, 2> = StaticEngine::new_inline();
    ENGINE.start(&Config::new()).unwrap();
    ENGINE.intern_static(0, "in the parent");
    (0..5).for_each(|_| assert!(static_instant(&ENGINE)));
    assert_eq!(in_a_child(|| static_off_then_usable(&ENGINE)), 0);
    assert_eq!(ENGINE.drain(0, &mut [Event::ZERO; 8]), Ok(5), "the parent's capture goes on");
    ENGINE.stop().unwrap();
}

/// Emits on top of emits have no place of their thread's, so that a child cannot see
/// that they have ended: engines in such a state are made new without a look at what is in them. And
/// in place, whatever the stack of the thread that comes first.
#[test]
fn engines_with_an_emitter_whose_end_is_not_seen() {
    static OUTER: Engine<1> = Engine::new();
    static LARGE: Engine = Engine::new();
    static SMALL: StaticEngine<2, 8, 2> = StaticEngine::new_inline();
    static STAYS: AtomicBool = AtomicBool::new(false);
    /// What the thread that stays does: the others' emits are over at once.
    fn if_wanted(body: fn()) -> u64 {
        if WANTS.get() {
            body();
        }
        7
    }
    fn of_outer() -> u64 {
        if_wanted(|| _ = instant(&LARGE))
    }
    fn of_large() -> u64 {
        if_wanted(|| _ = static_instant(&SMALL))
    }
    fn of_small() -> u64 {
        if_wanted(|| {
            STAYS.store(true, Relaxed);
            while STAYS.load(Relaxed) {
                thread::sleep(Duration::from_millis(1));
            }
        })
    }
    OUTER.start(&small().clock(Clock::Custom(of_outer))).unwrap();
    LARGE.start(&small().clock(Clock::Custom(of_large))).unwrap();
    SMALL.start(&Config::new().clock(Clock::Custom(of_small))).unwrap();
    SMALL.intern_static(0, "in the parent");
    assert!(instant(&LARGE) && static_instant(&SMALL));
    thread::scope(|scope| {
        scope.spawn(|| {
            WANTS.set(true);
            instant(&OUTER);
        });
        while !STAYS.load(Relaxed) {
            thread::yield_now();
        }
        let forks = || {
            let large = in_a_child(|| off_then_usable(&LARGE));
            (large, in_a_child(|| static_off_then_usable(&SMALL)))
        };
        let small_one = thread::Builder::new().stack_size(512 << 10);
        let answers = small_one.spawn_scoped(scope, forks).unwrap().join().unwrap();
        STAYS.store(false, Relaxed);
        assert_eq!(answers, (0, 0));
    });
    assert_eq!((LARGE.loss().created, SMALL.loss().created), (2, 2), "the parent's go on");
    OUTER.stop().and(LARGE.stop()).and(SMALL.stop()).unwrap();
}
