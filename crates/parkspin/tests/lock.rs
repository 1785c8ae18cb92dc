//! The lock on real threads, and one thread against a counting oracle.
#![cfg(not(loom))]

use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

mod common;

use common::{is_as_new, shows};
use parkspin::{
    MappedRwLockReadGuard, MappedRwLockWriteGuard, RawRwLock, RwLock, RwLockReadGuard,
    RwLockWriteGuard,
};

const ROUNDS: u32 = if cfg!(miri) { 20 } else { 5_000 };

/// Runs `body`, which must panic, and returns its message.
fn message_of_panic(body: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(body)).expect_err("must panic");
    payload
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| payload.downcast_ref::<&str>().map(|text| String::from(*text)))
        .expect("a panic with a message")
}

#[test]
fn writers_exclude_each_other_and_readers() {
    // Two halves that only a writer may see apart.
    let lock = RwLock::new((0u32, 0u32));
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..ROUNDS {
                    let mut pair = lock.write();
                    pair.0 += 1;
                    pair.1 += 1;
                }
            });
        }
        for _ in 0..2 {
            scope.spawn(|| {
                let mut last = 0;
                for _ in 0..ROUNDS {
                    let pair = lock.read();
                    assert_eq!(pair.0, pair.1);
                    assert!(pair.0 >= last, "went back in time");
                    last = pair.0;
                }
            });
        }
    });
    assert!(is_as_new(&lock));
    assert_eq!(lock.into_inner(), (3 * ROUNDS, 3 * ROUNDS));
}

#[test]
fn a_storm_of_tries_among_waiters_ends_as_new() {
    let lock = RwLock::new(0u32);
    let added = AtomicU32::new(0);
    thread::scope(|scope| {
        for worker in 0..4u32 {
            let (lock, added) = (&lock, &added);
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let adds = match (round + worker) % 6 {
                        0 => lock.try_write().map(|mut value| *value += 1).is_some(),
                        1 => {
                            *lock.write() += 1;
                            true
                        }
                        2 => lock.try_read().is_some_and(|value| *value == u32::MAX),
                        3 => *lock.read() == u32::MAX,
                        4 => {
                            let outer = lock.read();
                            let inner = lock.read_recursive();
                            assert_eq!(*outer, *inner);
                            false
                        }
                        _ => lock.try_read_recursive().is_some_and(|value| *value == u32::MAX),
                    };
                    added.fetch_add(u32::from(adds), Ordering::Relaxed);
                }
            });
        }
    });
    assert!(is_as_new(&lock), "{lock:?}");
    assert_eq!(lock.into_inner(), added.into_inner());
}

#[test]
fn chains_of_downgrades() {
    let lock = RwLock::new(0u32);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..ROUNDS {
                    let mut writer = lock.write();
                    *writer += 1;
                    let written = *writer;
                    let reader = RwLockWriteGuard::downgrade(writer);
                    assert_eq!(*reader, written, "a writer came between");
                }
            });
        }
        scope.spawn(|| (0..ROUNDS).for_each(|_| assert!(*lock.read() <= 3 * ROUNDS)));
    });
    assert!(is_as_new(&lock), "{lock:?}");
    assert_eq!(lock.into_inner(), 3 * ROUNDS);
}

#[test]
fn readers_queue_behind_a_waiting_writer_but_not_recursively() {
    let lock = RwLock::new(0u32);
    let outer = lock.read();
    thread::scope(|scope| {
        let writer = scope.spawn(|| *lock.write() += 1);
        while !shows(&lock, "Readers(1)", false, true) {
            thread::yield_now();
        }
        assert!(lock.try_read().is_none(), "past a waiting writer");
        assert!(lock.try_write().is_none());
        let inner = lock.read_recursive();
        let again = lock.try_read_recursive().expect("readers have the lock");
        assert_eq!((*outer, *inner, *again), (0, 0, 0));
        let polite = scope.spawn(|| *lock.read());
        while !shows(&lock, "Readers(3)", true, true) {
            thread::yield_now();
        }
        drop((outer, inner, again));
        writer.join().unwrap();
        let seen = polite.join().unwrap();
        assert!(seen <= 1);
    });
    assert!(is_as_new(&lock), "{lock:?}");
}

#[test]
fn a_downgrade_lets_waiting_readers_in() {
    let lock = RwLock::new(0u32);
    let mut writer = lock.write();
    *writer = 9;
    thread::scope(|scope| {
        let readers = [(); 2].map(|()| scope.spawn(|| *lock.read()));
        while !shows(&lock, "Writer", true, false) {
            thread::yield_now();
        }
        let reader = RwLockWriteGuard::downgrade(writer);
        // They come in while the downgraded guard still lives.
        for other in readers {
            assert_eq!(other.join().unwrap(), *reader);
        }
        assert!(shows(&lock, "Readers(1)", false, false));
        drop(reader);
    });
    assert!(is_as_new(&lock));
}

#[test]
fn a_downgrade_keeps_readers_behind_a_waiting_writer() {
    let lock = RwLock::new(0u32);
    let writer = lock.write();
    thread::scope(|scope| {
        let next = scope.spawn(|| *lock.write() += 1);
        let reader = scope.spawn(|| *lock.read());
        while !shows(&lock, "Writer", true, true) {
            thread::yield_now();
        }
        let downgraded = RwLockWriteGuard::downgrade(writer);
        assert!(shows(&lock, "Readers(1)", true, true));
        assert_eq!(*downgraded, 0);
        drop(downgraded);
        next.join().unwrap();
        reader.join().unwrap();
    });
    assert!(is_as_new(&lock), "{lock:?}");
    assert_eq!(lock.into_inner(), 1);
}

#[test]
fn a_panic_releases_and_does_not_poison() {
    let lock = RwLock::new(0u32);
    message_of_panic(|| {
        let mut writer = lock.write();
        *writer = 1;
        panic!("holding the write guard");
    });
    assert!(is_as_new(&lock));
    message_of_panic(|| {
        let _reader = lock.read();
        panic!("holding a read guard");
    });
    message_of_panic(|| {
        let _reader = RwLockWriteGuard::downgrade(lock.write());
        panic!("holding a downgraded guard");
    });
    assert!(is_as_new(&lock));
    assert_eq!(*lock.write(), 1);
}

#[test]
fn a_panic_lets_waiters_in() {
    let lock = RwLock::new(0u32);
    let writer = lock.write();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| *lock.read());
        while !shows(&lock, "Writer", true, false) {
            thread::yield_now();
        }
        message_of_panic(|| {
            let mut writer = writer;
            *writer = 3;
            panic!("with a reader waiting");
        });
        assert_eq!(waiting.join().unwrap(), 3);
    });
}

#[test]
fn the_limit_is_a_clear_panic_or_none_and_changes_nothing() {
    let lock = RwLock::with_readers('x', RawRwLock::MAX_READERS - 1);
    let last = lock.try_read().expect("one place is left");
    let full = format!("Readers({})", RawRwLock::MAX_READERS);
    assert!(shows(&lock, &full, false, false));
    assert!(lock.try_read().is_none());
    assert!(lock.try_read_recursive().is_none());
    assert!(lock.try_write().is_none());
    for read in [RwLock::read, RwLock::read_recursive] {
        let message = message_of_panic(|| drop(read(&lock)));
        assert_eq!(message, "the lock has 1073741822 readers, which is its limit");
        assert!(shows(&lock, &full, false, false));
    }
    drop(last);
    assert!(lock.try_read().is_some(), "a place is free again");
    assert_eq!(
        message_of_panic(|| drop(RawRwLock::with_readers(RawRwLock::MAX_READERS + 1))),
        "more readers than the limit of 1073741822"
    );
}

#[test]
fn debug_shows_one_look() {
    let lock = RwLock::new(5);
    let waits = "readers_wait: false, writers_wait: false";
    assert_eq!(
        format!("{lock:?}"),
        format!("RwLock {{ state: State {{ held: Free, {waits} }}, data: 5 }}")
    );
    let reader = lock.read();
    assert_eq!(
        format!("{lock:?} {reader:?} {reader}"),
        format!("RwLock {{ state: State {{ held: Readers(1), {waits} }}, data: 5 }} 5 5")
    );
    drop(reader);
    let writer = lock.write();
    assert_eq!(
        format!("{lock:?} {writer:?} {writer}"),
        format!("RwLock {{ state: State {{ held: Writer, {waits} }}, data: <locked> }} 5 5")
    );
    drop(writer);
    assert!(is_as_new(&lock));
    let raw = RawRwLock::default();
    assert_eq!(
        format!("{raw:?}"),
        format!("RawRwLock {{ state: State {{ held: Free, {waits} }} }}")
    );
}

#[test]
fn statics_and_unsized_values() {
    static COUNTER: RwLock<u32> = RwLock::new(0);
    static DONE: AtomicBool = AtomicBool::new(false);
    let counter = thread::spawn(|| {
        *COUNTER.write() += 1;
        DONE.store(true, Ordering::Release);
    });
    counter.join().unwrap();
    assert!(DONE.load(Ordering::Acquire) && *COUNTER.read() == 1);

    let slice: &RwLock<[u8]> = &RwLock::new([1, 2, 3]);
    slice.write()[1] = 7;
    assert_eq!(&*slice.read(), [1, 7, 3]);
    let object: Box<RwLock<dyn Debug + Send + Sync>> = Box::new(RwLock::new("text"));
    assert_eq!(format!("{:?}", object.read()), "\"text\"");

    assert_eq!(*RwLock::<u8>::default().read(), 0);
    assert_eq!(RwLock::from(4).into_inner(), 4);
    assert_eq!(size_of::<RawRwLock>(), 8);
    assert_eq!(size_of::<RwLock<u32>>(), 12);
}

/// A guard that is dropped inside the function it was passed to: nothing may assume that the value
/// stays as it was until the function returns. Of interest under an interpreter that checks aliasing.
#[test]
fn a_guard_can_be_consumed_while_a_writer_waits() {
    fn consume(guard: RwLockReadGuard<'_, u32>, lock: &RwLock<u32>) -> u32 {
        let seen = *guard;
        drop(guard);
        *lock.write() += 1;
        seen
    }
    fn consume_exclusive(mut guard: RwLockWriteGuard<'_, u32>, lock: &RwLock<u32>) {
        *guard += 1;
        drop(guard);
        *lock.write() += 1;
    }
    let lock = RwLock::new(0);
    thread::scope(|scope| {
        scope.spawn(|| consume(lock.read(), &lock));
        scope.spawn(|| consume_exclusive(lock.write(), &lock));
    });
    assert_eq!(lock.into_inner(), 3);
}

#[test]
fn a_mapped_guard_keeps_the_hold_of_the_guard_it_came_from() {
    let lock = RwLock::new((1, [2, 3]));
    let list = RwLockReadGuard::map(lock.read(), |value| &value.1);
    let last = MappedRwLockReadGuard::filter_map(list, |list| list.last()).unwrap();
    assert!(shows(&lock, "Readers(1)", false, false));
    assert_eq!(format!("{last:?} {last}"), "3 3");
    let last = MappedRwLockReadGuard::filter_map(last, |_| None::<&u8>).unwrap_err();
    assert_eq!(*last, 3);
    drop(last);
    assert!(is_as_new(&lock));

    let list = RwLockWriteGuard::map(lock.write(), |value| &mut value.1);
    let mut first = MappedRwLockWriteGuard::filter_map(list, |list| list.first_mut()).unwrap();
    assert!(shows(&lock, "Writer", false, false));
    *first = 7;
    let first = MappedRwLockWriteGuard::filter_map(first, |_| None::<&mut u8>).unwrap_err();
    assert_eq!(format!("{first:?} {first}"), "7 7");
    drop(first);
    assert!(is_as_new(&lock));
    assert_eq!(lock.into_inner(), (1, [7, 3]));
}

#[test]
fn a_panic_while_a_guard_is_mapped_releases() {
    let lock = RwLock::new(1);
    message_of_panic(|| drop(RwLockReadGuard::map(lock.read(), |_| -> &u8 { panic!("in map") })));
    assert!(is_as_new(&lock));
    message_of_panic(|| {
        drop(RwLockWriteGuard::map(lock.write(), |_| -> &mut u8 { panic!("in map") }));
    });
    assert!(is_as_new(&lock));
    let read = RwLockReadGuard::filter_map(lock.read(), |_| None::<&u8>).unwrap_err();
    drop(read);
    let write = RwLockWriteGuard::filter_map(lock.write(), |_| None::<&mut u8>).unwrap_err();
    drop(write);
    assert!(is_as_new(&lock));
}

/// All five must be inside at once: were one of them left asleep, the others would wait for it.
#[test]
fn readers_behind_a_writer_come_in_together() {
    for _ in 0..if cfg!(miri) { 2 } else { 200 } {
        let lock = RwLock::new(0u32);
        let inside = Barrier::new(5);
        let writer = lock.write();
        thread::scope(|scope| {
            for _ in 0..5 {
                scope.spawn(|| {
                    let reader = lock.read();
                    inside.wait();
                    assert_eq!(*reader, 0);
                });
            }
            while !shows(&lock, "Writer", true, false) {
                thread::yield_now();
            }
            drop(writer);
        });
        assert!(is_as_new(&lock), "{lock:?}");
    }
}

/// Whatever the strategy, where the lock sleeps and where it spins.
#[test]
fn waiting_in_a_manner_of_ones_own() {
    struct Yield;
    impl parkspin::Relax for Yield {
        fn relax(_looks: u32) {
            thread::yield_now();
        }
    }
    fn count<R: parkspin::Relax>() {
        let lock: RwLock<u32, R> = RwLock::with_relax(0);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..ROUNDS {
                        *lock.write() += 1;
                        let outer = lock.read();
                        assert!(*outer <= *lock.read_recursive());
                    }
                });
            }
        });
        assert!(is_as_new(&lock), "{lock:?}");
        assert_eq!(lock.into_inner(), 2 * ROUNDS);
        assert_eq!(*RwLock::<u8, R>::default().read(), 0);
    }
    count::<Yield>();
    count::<spin::relax::Spin>();
    count::<parkspin::Backoff>();
}

/// The last user frees the lock right after another one's release.
#[test]
fn the_lock_may_go_as_soon_as_a_release_has_returned() {
    for _ in 0..if cfg!(miri) { 5 } else { 200 } {
        let lock = std::sync::Arc::new(RwLock::new(0u32));
        let threads = [(); 3].map(|()| {
            let lock = std::sync::Arc::clone(&lock);
            thread::spawn(move || *lock.write() += 1)
        });
        assert!(*lock.read() <= 3);
        drop(lock);
        for thread in threads {
            thread.join().unwrap();
        }
    }
}

mod auto_traits {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;

    /// Fails to compile if the type implements the trait: the call is ambiguous then.
    macro_rules! not {
        ($type:ty: $trait:ident) => {
            const _: fn() = || {
                struct Also;
                trait Ambiguous<Which> {
                    fn here() {}
                }
                impl<T: ?Sized> Ambiguous<()> for T {}
                impl<T: ?Sized + $trait> Ambiguous<Also> for T {}
                let _ = <$type as Ambiguous<_>>::here;
            };
        };
    }
    macro_rules! is {
        ($type:ty: $($trait:ident),+) => {
            const _: fn() = || {
                fn check<T: ?Sized $(+ $trait)+>() {}
                check::<$type>();
            };
        };
    }
    // `Cell` is Send and not Sync, a `&u8` both, an `Rc` neither.
    is!(RawRwLock: Send, Sync);
    is!(RwLock<u8>: Send, Sync);
    is!(RwLock<Cell<u8>>: Send);
    not!(RwLock<Cell<u8>>: Sync);
    not!(RwLock<Rc<u8>>: Send);
    not!(RwLock<Rc<u8>>: Sync);
    // A mutex's guard is Sync and not Send.
    not!(RwLock<std::sync::MutexGuard<'static, u8>>: Sync);
    is!(RwLockReadGuard<'static, u8>: Sync);
    is!(RwLockWriteGuard<'static, u8>: Sync);
    not!(RwLockReadGuard<'static, u8>: Send);
    not!(RwLockWriteGuard<'static, u8>: Send);
    is!(MappedRwLockReadGuard<'static, u8>: Sync);
    is!(MappedRwLockWriteGuard<'static, u8>: Sync);
    not!(MappedRwLockReadGuard<'static, u8>: Send);
    not!(MappedRwLockWriteGuard<'static, u8>: Send);
    not!(MappedRwLockReadGuard<'static, Cell<u8>>: Sync);
    not!(MappedRwLockWriteGuard<'static, Cell<u8>>: Sync);
    is!(RwLock<u8, *const ()>: Send, Sync);
    not!(RwLockReadGuard<'static, Cell<u8>>: Sync);
    not!(RwLockWriteGuard<'static, Cell<u8>>: Sync);

    #[test]
    fn read_guards_are_covariant() {
        fn shorten<'short>(
            guard: RwLockReadGuard<'short, &'static str>,
        ) -> RwLockReadGuard<'short, &'short str> {
            guard
        }
        let lock = RwLock::new("text");
        assert_eq!(*shorten(lock.read()), "text");
    }
}

mod oracle {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Copy, Debug)]
    enum Action {
        Read,
        TryRead,
        ReadRecursive,
        TryReadRecursive,
        Write,
        TryWrite,
        /// Writes through the write guard, if there is one.
        Store(u32),
        Downgrade,
        /// Makes the nth read guard, or the write guard, a mapped one and back into a count.
        MapReader(usize),
        MapWriter,
        /// Drops the nth read guard, if there are any.
        DropReader(usize),
        DropWriter,
    }

    fn action() -> impl Strategy<Value = Action> {
        use Action::*;
        prop_oneof![
            Just(Read),
            Just(TryRead),
            Just(ReadRecursive),
            Just(TryReadRecursive),
            Just(Write),
            Just(TryWrite),
            any::<u32>().prop_map(Store),
            Just(Downgrade),
            any::<usize>().prop_map(MapReader),
            Just(MapWriter),
            any::<usize>().prop_map(DropReader),
            any::<usize>().prop_map(DropReader),
            Just(DropWriter),
        ]
    }

    fn run(actions: &[Action]) {
        let lock = RwLock::new(0u32);
        let mut readers = Vec::new();
        let mut mapped = Vec::new();
        let mut writer = None;
        let mut mapped_writer = None;
        // The oracle: two counts and the value.
        let (mut read_holds, mut write_holds, mut value) = (0usize, 0usize, 0u32);
        for &action in actions {
            let (may_read, may_write) = (write_holds == 0, read_holds + write_holds == 0);
            match action {
                // A blocking call that the oracle says would block would hang this one thread.
                Action::Read | Action::ReadRecursive if !may_read => {}
                Action::Write if !may_write => {}
                Action::Read
                | Action::ReadRecursive
                | Action::TryRead
                | Action::TryReadRecursive => {
                    let got = match action {
                        Action::Read => Some(lock.read()),
                        Action::ReadRecursive => Some(lock.read_recursive()),
                        Action::TryRead => lock.try_read(),
                        _ => lock.try_read_recursive(),
                    };
                    assert_eq!(got.is_some(), may_read);
                    read_holds += usize::from(may_read);
                    readers.extend(got);
                }
                Action::Write | Action::TryWrite => {
                    let got = if matches!(action, Action::Write) {
                        Some(lock.write())
                    } else {
                        lock.try_write()
                    };
                    assert_eq!(got.is_some(), may_write);
                    write_holds += usize::from(may_write);
                    writer = writer.or(got);
                }
                Action::Store(new) => {
                    if let Some(writer) = &mut writer {
                        **writer = new;
                        value = new;
                    }
                }
                Action::Downgrade => {
                    if let Some(writer) = writer.take() {
                        readers.push(RwLockWriteGuard::downgrade(writer));
                        (read_holds, write_holds) = (1, 0);
                    }
                }
                Action::MapReader(which) => {
                    if !readers.is_empty() {
                        let reader = readers.swap_remove(which % readers.len());
                        mapped.push(RwLockReadGuard::map(reader, |value| value));
                    }
                }
                Action::MapWriter => {
                    if let Some(writer) = writer.take() {
                        mapped_writer = Some(RwLockWriteGuard::map(writer, |value| value));
                    }
                }
                Action::DropReader(which) => {
                    if !readers.is_empty() {
                        drop(readers.swap_remove(which % readers.len()));
                        read_holds -= 1;
                    } else if mapped.pop().is_some() {
                        read_holds -= 1;
                    }
                }
                Action::DropWriter => {
                    writer = None;
                    mapped_writer = None;
                    write_holds = 0;
                }
            }
            let held = match (read_holds, write_holds) {
                (0, 0) => String::from("Free"),
                (0, _) => String::from("Writer"),
                (n, _) => format!("Readers({n})"),
            };
            assert!(shows(&lock, &held, false, false), "{lock:?} after {action:?}");
            assert_eq!(lock.is_locked(), read_holds + write_holds > 0);
            assert_eq!(lock.is_write_locked(), write_holds > 0);
            assert!(readers.iter().all(|reader| **reader == value));
            assert!(mapped.iter().all(|reader| **reader == value));
            assert!(mapped_writer.iter().all(|writer| **writer == value));
        }
        drop((readers, writer, mapped, mapped_writer));
        assert!(is_as_new(&lock));
        assert_eq!(lock.into_inner(), value);
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 8 } else { 512 },
            failure_persistence: None,
            ..ProptestConfig::default()
        })]
        #[test]
        fn one_thread_agrees_with_two_counts(
            actions in proptest::collection::vec(action(), 0..if cfg!(miri) { 30 } else { 120 }),
        ) {
            run(&actions);
        }
    }
}
