//! What happens when memory is short, and how much of it is taken.
#![cfg(feature = "alloc")]
#![allow(unsafe_code, reason = "an allocator that refuses on demand cannot be written without")]

//! Invariant 1: every call is passed to the system allocator unchanged, or refused by null.

mod support;

use sipintern::{Interned, Interner, Limits, Outcome, Symbol};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Allocations of this thread that still succeed.
    static LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
    /// Bytes that this thread has allocated and not freed.
    static LIVE: Cell<isize> = const { Cell::new(0) };
}

struct Refusing;

fn may_allocate() -> bool {
    let left = LEFT.get();
    if left != usize::MAX {
        LEFT.set(left.saturating_sub(1));
    }
    left > 0
}

// SAFETY: the contract is the system allocator's, by invariant 1.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !may_allocate() {
            return std::ptr::null_mut();
        }
        LIVE.set(LIVE.get() + layout.size() as isize);
        // SAFETY: the caller's promise is passed on, by invariant 1.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.set(LIVE.get() - layout.size() as isize);
        // SAFETY: the caller's promise is passed on, by invariant 1.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !may_allocate() {
            return std::ptr::null_mut();
        }
        LIVE.set(LIVE.get() + size as isize - layout.size() as isize);
        // SAFETY: the caller's promise is passed on, by invariant 1.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Refusing = Refusing;

/// Runs `body` with `left` allocations, and says how many are left after it.
fn with_left<T>(left: usize, body: impl FnOnce() -> T) -> (T, usize) {
    LEFT.set(left);
    let value = body();
    (value, LEFT.replace(usize::MAX))
}

/// Everything that can be seen of a table.
fn seen(names: &Interner) -> (Vec<(Symbol, String)>, Vec<String>, usize) {
    let texts = names.sorted().into_iter().map(|(id, text)| (id, text.to_owned())).collect();
    let listed = names.collision_pairs().map(|pair| pair.other.to_owned()).collect();
    (texts, listed, names.bytes())
}

enum Step {
    Copy(String),
    Keep(&'static str),
}

impl Step {
    fn text(&self) -> &str {
        match self {
            Self::Copy(text) => text,
            Self::Keep(text) => text,
        }
    }

    fn run(&self, names: &Interner) -> Interned {
        match self {
            Self::Copy(text) => names.intern(text),
            Self::Keep(text) => names.intern_static(text),
        }
    }
}

fn script() -> Vec<Step> {
    let mut steps = Vec::new();
    for row in support::pairs().iter().take(6) {
        steps.push(Step::Keep(row.first));
        steps.push(Step::Copy(row.second.to_owned()));
    }
    for i in 0..if cfg!(miri) { 30 } else { 130 } {
        steps.push(Step::Copy(format!("{i}").repeat(1 + i % 40)));
    }
    steps.push(Step::Copy("long".repeat(20_000)));
    steps.push(Step::Copy(String::new()));
    steps
}

#[test]
fn each_allocation_may_fail_once() {
    let script = script();
    let limits = Limits { max_len: 1 << 20, ..Limits::DEFAULT };
    let reference = Interner::with_limits(limits);
    let plenty = usize::MAX - 1;
    let mut left = plenty;
    for step in &script {
        (_, left) = with_left(left, || step.run(&reference));
    }
    let total = plenty - left;
    assert!(total >= 10, "the script allocates only {total} times");

    for failing in 0..total {
        let names = Interner::with_limits(limits);
        let mut left = failing;
        let mut failed = false;
        for step in &script {
            let before = seen(&names);
            let (answer, now) = with_left(left, || step.run(&names));
            left = now;
            assert_eq!(answer.id, Symbol::of(step.text()));
            if failed || left > 0 || seen(&names) != before {
                assert!(matches!(answer.outcome, Outcome::New | Outcome::Collision));
                continue;
            }
            // No new name came in, so this was the failure. All else goes well from here on.
            failed = true;
            left = usize::MAX;
            let again = step.run(&names).outcome;
            if answer.outcome == Outcome::OutOfMemory {
                assert_eq!((names.dropped(), again), (1, Outcome::New), "allocation {failing}");
            } else {
                // It was the list of collisions that got no memory: reported and counted all the
                // same, and listed when it comes again.
                assert_eq!((answer.outcome, again), (Outcome::Collision, Outcome::Collision));
                assert_eq!(names.collisions(), before.1.len() as u64 + 2);
            }
        }
        assert!(failed, "allocation {failing} of {total} was not refused");
        assert_eq!(seen(&names), seen(&reference), "allocation {failing}");
    }
}

#[test]
fn a_merge_that_ran_out_is_completed_by_another() {
    let shard = Interner::with_limits(Limits::NONE);
    for step in script() {
        step.run(&shard);
    }
    let mut failing = 0;
    loop {
        let names = Interner::with_limits(Limits::NONE);
        let (report, left) = with_left(failing, || names.merge(&shard));
        let stored = report.new + report.known + report.collided;
        assert_eq!(stored + report.out_of_memory, shard.len() + shard.collision_pairs().len());
        assert_eq!(report.new, names.len());
        assert_eq!(names.dropped(), report.out_of_memory as u64);
        for (id, text) in &names {
            assert_eq!(shard.resolve(id), Some(text));
        }
        assert_eq!(names.merge(&shard).out_of_memory, 0);
        assert_eq!(names.sorted(), shard.sorted(), "allocation {failing}");
        if left > 0 {
            break;
        }
        failing += 1;
    }
    assert!(failing >= 5, "the merge allocates only {failing} times");
}

#[test]
fn an_empty_table_takes_nothing() {
    let (names, left) = with_left(0, Interner::new);
    assert_eq!((left, names.resolve(Symbol::MAX)), (0, None));
}

#[test]
fn looking_up_takes_nothing() {
    let names = Interner::new();
    let id = names.intern("pool").id;
    let (answers, _) = with_left(0, || {
        let known = names.intern("pool").outcome;
        (names.lookup("pool"), names.contains("conv2d"), names.resolve(id).is_some(), known)
    });
    assert_eq!(answers, (Some(id), false, true, Outcome::Known));
}

#[test]
fn a_merge_into_an_empty_table_grows_it_once() {
    let shard = Interner::new();
    for row in support::pairs() {
        shard.intern_static(row.first);
    }
    let names = Interner::new();
    // The words and the head of one index, one block of text and the list of blocks.
    let (report, left) = with_left(4, || names.merge(&shard));
    assert_eq!((report.new, left), (shard.len(), 0));
}

/// The number in the documentation of `Limits::DEFAULT`.
#[test]
#[cfg_attr(miri, ignore = "a hundred thousand names take minutes")]
#[cfg(target_pointer_width = "64")]
fn a_full_table_stays_within_its_size() {
    let before = LIVE.get();
    let names = Interner::new();
    // The worst ends of blocks that two lengths can make, then many short texts.
    for i in 0..40 {
        names.intern(&format!("{i:0>33000}"));
    }
    let mut text = String::new();
    for i in 0..100_000 {
        use std::fmt::Write;
        text.clear();
        write!(text, "{i:0>64}").unwrap();
        names.intern(&text);
    }
    drop(text);
    let full = (names.len(), names.bytes());
    assert!(full.0 == 1 << 16 || full.1 > (4 << 20) - 64, "not full: {full:?}");
    let taken = LIVE.get() - before;
    assert!(taken <= 12 << 20, "{taken} bytes");
    drop(names);
    assert_eq!(LIVE.get(), before);
}
