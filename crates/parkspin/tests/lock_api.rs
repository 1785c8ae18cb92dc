//! The lock behind the types of the `lock_api` crate.
#![cfg(all(feature = "lock_api", not(loom)))]

use std::thread;

use lock_api::{RawRwLock as _, RwLock, RwLockReadGuard, RwLockWriteGuard};
use parkspin::Raw;

const ROUNDS: u32 = if cfg!(miri) { 20 } else { 5_000 };

static LOCK: RwLock<Raw, u32> = RwLock::new(0);

#[test]
fn all_modes() {
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..ROUNDS {
                    *LOCK.write() += 1;
                    let outer = LOCK.read();
                    let inner = LOCK.read_recursive();
                    assert_eq!(*outer, *inner);
                }
            });
        }
    });
    assert_eq!(*LOCK.read(), 3 * ROUNDS);
    let reader = LOCK.try_read().unwrap();
    assert!(LOCK.is_locked() && !LOCK.is_locked_exclusive());
    assert!(LOCK.try_write().is_none() && LOCK.try_read_recursive().is_some());
    drop(reader);
    let mut writer = LOCK.try_write().unwrap();
    *writer = 7;
    assert!(LOCK.is_locked_exclusive() && LOCK.try_read().is_none());
    let reader = RwLockWriteGuard::downgrade(writer);
    assert_eq!(*reader + *LOCK.read(), 14);
    drop(RwLockReadGuard::map(reader, |value| value));
    assert!(!LOCK.is_locked());
}

#[test]
fn another_relax_strategy() {
    let lock: RwLock<Raw<spin::relax::Spin>, u8> = RwLock::new(3);
    assert_eq!(*lock.read(), 3);
    assert!(format!("{:?}", Raw::<spin::relax::Spin>::INIT).contains("held: Free"));
}

#[cfg(feature = "std")]
#[test]
fn timeouts() {
    use std::time::{Duration, Instant};
    const MOMENT: Duration = Duration::from_millis(1);
    let lock: RwLock<Raw, u8> = RwLock::new(3);
    let writer = lock.try_write_for(Duration::MAX).unwrap();
    assert!(lock.try_read_for(MOMENT).is_none() && lock.try_write_for(MOMENT).is_none());
    assert!(lock.try_read_until(Instant::now()).is_none());
    assert!(lock.try_write_until(Instant::now()).is_none());
    assert!(lock.try_read_recursive_for(MOMENT).is_none());
    assert!(lock.try_read_recursive_until(Instant::now()).is_none());
    drop(writer);
    assert!(lock.try_read_until(Instant::now()).is_some());
    assert!(lock.try_write_until(Instant::now()).is_some());
    assert!(!lock.is_locked());
}

/// Fails to compile if upgradable reads are ever offered: the call would be ambiguous.
#[test]
fn no_upgradable_mode() {
    trait Ambiguous<Which> {
        fn absent() {}
    }
    impl<T> Ambiguous<()> for T {}
    struct Present;
    impl<T: lock_api::RawRwLockUpgrade> Ambiguous<Present> for T {}
    <Raw as Ambiguous<_>>::absent();
}
