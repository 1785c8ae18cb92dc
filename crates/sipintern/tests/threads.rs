//! Many threads on one table, and the memory that they make it take.
#![cfg(feature = "alloc")]
#![allow(unsafe_code, reason = "an allocator that counts cannot be written without")]

//! Invariant 1: every call is passed to the system allocator unchanged.

use sipintern::{Interner, Limits, Outcome, Site, Symbol, site};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Bytes allocated and not freed. Relaxed: read when the threads are gone.
static LIVE: AtomicIsize = AtomicIsize::new(0);
/// One test at a time, since all are counted together.
static TURN: Mutex<()> = Mutex::new(());

struct Counting;

// SAFETY: the contract is the system allocator's, by invariant 1.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on, by invariant 1.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on, by invariant 1.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const THREADS: usize = if cfg!(miri) { 3 } else { 64 };

/// Runs `body` on all threads, which begin together.
fn together(body: impl Fn(usize) + Sync) {
    let barrier = Barrier::new(THREADS);
    thread::scope(|scope| {
        for number in 0..THREADS {
            let (body, barrier) = (&body, &barrier);
            scope.spawn(move || {
                barrier.wait();
                body(number);
            });
        }
    });
}

#[test]
fn one_text_has_one_entry_whoever_brings_it() {
    let _turn = turn();
    let count = if cfg!(miri) { 40 } else { 5_000 };
    let texts: Vec<String> = (0..count).map(|i| format!("name {i}")).collect();
    let before = LIVE.load(Ordering::Relaxed);
    let names = Interner::with_limits(Limits::NONE);
    let new = AtomicUsize::new(0);
    together(|number| {
        // Each begins elsewhere.
        for i in 0..count {
            let text = &texts[(i + number * 97) % count];
            let answer = names.intern(text);
            assert_eq!(answer.id, Symbol::of(text));
            match answer.outcome {
                Outcome::New => _ = new.fetch_add(1, Ordering::Relaxed),
                outcome => assert_eq!(outcome, Outcome::Known),
            }
            assert_eq!(names.resolve(answer.id), Some(&**text));
        }
    });
    assert_eq!((names.len(), new.into_inner()), (count, count));
    assert_eq!(names.bytes(), texts.iter().map(String::len).sum::<usize>());
    assert!(
        names.iter().map(|(_, text)| text).collect::<std::collections::HashSet<_>>().len() == count
    );
    // What the documentation of `bytes` says: records twice and a block, and the indexes.
    let taken = (LIVE.load(Ordering::Relaxed) - before) as usize;
    let records = names.bytes() + 11 * count;
    assert!(taken <= 2 * records + (64 << 10) + 60 * count + 4096, "{taken} bytes");
}

#[test]
fn fresh_names_do_not_grow_a_full_table() {
    let _turn = turn();
    let per_thread = if cfg!(miri) { 40 } else { 20_000 };
    let limits = Limits { max_entries: 1000, max_bytes: 16_000, ..Limits::DEFAULT };
    let names = Interner::with_limits(limits);
    let before = LIVE.load(Ordering::Relaxed);
    together(|number| {
        let mut text = String::new();
        for i in 0..per_thread {
            use std::fmt::Write;
            text.clear();
            write!(text, "{number:04}/{i:08}").unwrap();
            assert_eq!(names.intern(&text).id, Symbol::of(&text));
        }
    });
    let all = THREADS * per_thread;
    assert_eq!(names.len(), all.min(1000));
    assert_eq!(names.dropped(), (all - names.len()) as u64);
    let taken = LIVE.load(Ordering::Relaxed) - before;
    assert!(taken <= 128 << 10, "{taken} bytes");
}

/// Tests that look at memory take turns, also after one has failed.
fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn thirty_bytes_an_entry() {
    let _turn = turn();
    let count = if cfg!(miri) { 100 } else { 100_000 };
    let before = LIVE.load(Ordering::Relaxed);
    let names = Interner::with_limits(Limits::NONE);
    let mut text = String::new();
    for i in 0..count {
        use std::fmt::Write;
        text.clear();
        write!(text, "{i:016}").unwrap();
        names.intern(&text);
    }
    drop(text);
    let over = LIVE.load(Ordering::Relaxed) as usize - before as usize - names.bytes();
    assert!(cfg!(miri) || over <= 30 * count, "{} bytes an entry", over as f64 / count as f64);
}

#[test]
fn a_site_registers_once_in_each_epoch() {
    let _turn = turn();
    static POOL: Site = site!("pool");
    let mut names = Interner::new();
    for _ in 0..3 {
        together(|_| {
            for _ in 0..10 {
                assert_eq!(names.resolve(POOL.intern(&names)), Some("pool"));
            }
        });
        assert_eq!((names.len(), names.bytes()), (1, 0));
        names.clear();
    }
    // Another table, also one in the place of the first, is another epoch.
    for _ in 0..3 {
        let other = Interner::new();
        POOL.intern(&other);
        assert!(other.contains("pool"));
        POOL.intern(&names);
        assert!(names.contains("pool"));
        names.clear();
    }
}

#[test]
fn a_site_is_refused_once() {
    let _turn = turn();
    static LOSER: Site = site!("pexlag");
    static LATE: Site = site!("late");
    let names = Interner::with_limits(Limits { max_entries: 1, ..Limits::DEFAULT });
    names.intern("pdgtib");
    for _ in 0..5 {
        LOSER.intern(&names);
        LATE.intern(&names);
    }
    assert_eq!((names.collisions(), names.dropped()), (1, 1));
}
