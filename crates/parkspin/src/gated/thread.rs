//! Which slot is the calling thread's.
//!
//! A thread claims a slot at its first entry and gives it back when it ends, by way of a key of the
//! C library's, which (unlike a thread-local value with a destructor) allocates nothing in the usual
//! case: glibc does so from a process's 33rd key on. Entries after that, in destructors that run later, have no slot and are counted instead; so
//! are those of threads beyond [`SLOTS`].

#![allow(unsafe_code, reason = "calls the C library's thread keys and fork handlers")]

use core::cell::Cell;
use core::sync::atomic::{Ordering, compiler_fence};

use syncface::CachePadded;

use super::slots::{EMPTY, NO_GATE, Slot, Table};

/// Threads that can have a slot at the same time.
pub(super) const SLOTS: usize = if cfg!(loom) { 2 } else { 64 };

#[cfg(not(loom))]
static TABLE: Table = [const { CachePadded::new(Slot::naming(EMPTY)) }; SLOTS];
#[cfg(not(loom))]
static NOBODYS: Slot = Slot::naming(NO_GATE);
#[cfg(loom)]
loom::lazy_static! {
    static ref TABLE: Table = core::array::from_fn(|_| CachePadded::new(Slot::naming(EMPTY)));
    static ref NOBODYS: Slot = Slot::naming(NO_GATE);
}

#[cfg(not(loom))]
std::thread_local! {
    // A pointer, since older compilers allow no reference to what can change in a constant.
    static MINE: Cell<*const Slot> = const { Cell::new(&raw const NOBODYS) };
    /// Asked for a slot, with or without success.
    static ASKED: Cell<bool> = const { Cell::new(false) };
}
#[cfg(loom)]
loom::thread_local! {
    static MINE: Cell<*const Slot> = Cell::new(&raw const *NOBODYS);
    /// Asked for a slot, with or without success.
    static ASKED: Cell<bool> = Cell::new(false);
}

/// All slots of the process.
#[inline(always)]
pub(super) fn slots() -> &'static Table {
    &TABLE
}

/// Which of all slots this is.
#[inline(always)]
pub(super) fn index_of(slot: &'static Slot) -> usize {
    let offset = core::ptr::from_ref(slot).addr() - core::ptr::from_ref(slots()).addr();
    // Always in range; written so that the compiler sees it, and the hot path has no panic in it.
    offset / size_of::<CachePadded<Slot>>() % SLOTS
}

/// This thread's slot, or nobody's, which is never empty: so who looks whether it is needs no other
/// look.
#[inline(always)]
pub(super) fn slot() -> &'static Slot {
    // SAFETY: nobody's slot or one of the table, which are statics (slot invariant 1 is about writes).
    unsafe { &*MINE.with(Cell::get) }
}

/// This thread's slot, if it has one.
pub(super) fn own_slot() -> Option<&'static Slot> {
    Some(slot()).filter(|slot| !core::ptr::eq(*slot, nobodys()))
}

/// The slot of threads that have none.
fn nobodys() -> &'static Slot {
    &NOBODYS
}

/// A slot for this thread, which has none.
#[cold]
pub(super) fn claim() -> Option<&'static Slot> {
    // First of all, so that an entry by whatever interrupts this does without a slot.
    let asked = ASKED.with(|asked| asked.replace(true));
    compiler_fence(Ordering::SeqCst); // with whatever interrupts this
    if asked || own_slot().is_some() {
        // In the second case, it interrupted just before and was faster.
        return own_slot();
    }
    let slot: &Slot = slots().iter().find(|slot| slot.try_claim())?;
    if !give_back_at_exit(index_of(slot)) {
        slot.release();
        return None;
    }
    MINE.with(|mine| mine.set(slot));
    Some(slot)
}

/// To be called before a gate opens for the first time: a forked child, and a thread that ends, will
/// give slots back.
///
/// Threads that come at once each do it, which does no harm: waiting for one another could hang a
/// child forked meanwhile.
#[cfg(not(any(loom, miri)))]
pub(super) fn prepare() {
    use core::sync::atomic::AtomicBool;
    static DONE: AtomicBool = AtomicBool::new(false);
    // Acquire and Release: who finds it done finds the handler and the key in place.
    if DONE.load(Ordering::Acquire) {
        return;
    }
    // SAFETY: the handler touches atomics and a thread-local cell only, as a forked child may.
    // Without memory for it, a child would wait for threads it does not have, and give up.
    unsafe {
        libc::pthread_atfork(None, None, Some(in_child));
    }
    key();
    stay_loaded();
    DONE.store(true, Ordering::Release);
}

/// Keeps the shared library that this is part of, if it is, from being unloaded: threads that were
/// inside call `at_exit` when they end, also long after somebody has closed the library.
#[cfg(not(any(loom, miri, target_feature = "crt-static")))]
fn stay_loaded() {
    let code = (at_exit as extern "C" fn(*mut libc::c_void)) as *const libc::c_void;
    let mut here = core::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: `here` outlives the call.
    unsafe { libc::dladdr(code, here.as_mut_ptr()) };
    // SAFETY: four pointers and numbers, which may be zero; `dladdr` filled them in or left them.
    let name = unsafe { here.assume_init() }.dli_fname;
    if !name.is_null() {
        // SAFETY: a C string that lives as long as the library. Without the flag to load it, only
        // what is loaded already is found (a program is not, and need not be).
        unsafe { libc::dlopen(name, libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE) };
    }
}

/// A program that brings its C library along loads no others.
#[cfg(all(target_feature = "crt-static", not(any(loom, miri))))]
fn stay_loaded() {}

/// Models and interpreters give back by hand.
#[cfg(any(loom, miri))]
pub(super) fn prepare() {}

/// In a forked child only the thread that forked goes on.
#[cfg(not(any(loom, miri)))]
extern "C" fn in_child() {
    let mine = own_slot().map(index_of);
    // A handler may have forked in the middle of a claim: then nobody knows which slot is this
    // thread's, and all stay claimed. Threads to come are counted instead.
    let in_a_claim = mine.is_none() && ASKED.with(Cell::get);
    let others = slots().iter().enumerate().filter(|(index, _)| Some(*index) != mine);
    others.for_each(|(_, slot)| slot.forget(in_a_claim));
}

/// The key whose destructor gives slots back; `None` if there are no more keys.
#[cfg(not(any(loom, miri)))]
fn key() -> Option<libc::pthread_key_t> {
    use core::sync::atomic::AtomicUsize;
    /// The key plus one; 0: none yet.
    static KEY: AtomicUsize = AtomicUsize::new(0);
    let known = |word: usize| libc::pthread_key_t::try_from(word.checked_sub(1)?).ok();
    if let Some(key) = known(KEY.load(Ordering::Acquire)) {
        return Some(key);
    }
    let mut key = 0;
    // SAFETY: `key` outlives the call, and the destructor is a function.
    if unsafe { libc::pthread_key_create(&raw mut key, Some(at_exit)) } != 0 {
        return None;
    }
    match KEY.compare_exchange(0, key as usize + 1, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => Some(key),
        Err(first) => {
            // SAFETY: made above, and nobody else has heard of it.
            unsafe { libc::pthread_key_delete(key) };
            known(first)
        }
    }
}

#[cfg(not(any(loom, miri)))]
fn give_back_at_exit(index: usize) -> bool {
    let value = core::ptr::without_provenance(index + 1);
    key().is_some_and(|key| {
        // SAFETY: the key exists; the value is a number that is never followed as a pointer.
        unsafe { libc::pthread_setspecific(key, value) == 0 }
    })
}

#[cfg(not(any(loom, miri)))]
extern "C" fn at_exit(value: *mut libc::c_void) {
    MINE.with(|mine| mine.set(nobodys()));
    if let Some(slot) = value.addr().checked_sub(1).and_then(|index| slots().get(index)) {
        slot.release();
    }
}

/// Models give back by hand.
#[cfg(any(loom, miri))]
fn give_back_at_exit(_index: usize) -> bool {
    true
}

/// Models only: the calling thread ends.
#[cfg(loom)]
pub(super) fn end() {
    ASKED.with(|asked| asked.set(true));
    if let Some(slot) = own_slot() {
        MINE.with(|mine| mine.set(nobodys()));
        slot.release();
    }
}
