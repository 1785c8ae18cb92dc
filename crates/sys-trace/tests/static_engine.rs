//! What is particular to an engine without an allocator.
#![cfg(all(feature = "std", not(loom)))]
#![allow(missing_docs, reason = "a test")]

use syncface::atomic::{AtomicU64, Ordering};
use sys_trace::{
    Clock, Config, DrainError, Event, EventType, Payload, Phase, ShardSet, StartError,
    StaticEngine, Symbol, symbol,
};

type Small = StaticEngine<4, 8, 2>;

fn config() -> Config {
    Config::new().clock(Clock::Custom(|| 7))
}

fn instant(engine: &Small, shard: u32) -> bool {
    engine.emit(shard, EventType::Generic, Phase::Instant, Payload::ZERO).is_some()
}

/// Two in one program: nothing of one is the other's.
#[test]
fn statics_are_engines_of_their_own() {
    static ONE: Small = Small::new_inline();
    static OTHER: Small = Small::new_inline();
    ONE.start(&config()).unwrap();
    assert!(instant(&ONE, 0) && !instant(&OTHER, 0));
    OTHER.start(&config()).unwrap();
    assert!(instant(&OTHER, 3));
    ONE.stop().unwrap();
    assert!(!instant(&ONE, 3) && instant(&OTHER, 3));
    assert_eq!((ONE.loss().discarded, OTHER.loss().created), (1, 2));
}

/// What one capture left in the rings does not come out in the next, whose numbers start over.
#[test]
fn nothing_crosses_from_capture_to_capture() {
    static ENGINE: Small = Small::new_inline();
    for epoch in 1..=5 {
        ENGINE.start(&config().shards(ShardSet::parse("1-2").unwrap())).unwrap();
        assert_eq!(ENGINE.capture_info().unwrap().epoch, epoch);
        assert_eq!(ENGINE.drain(1, &mut [Event::ZERO]), Ok(0));
        for number in 1..=10 + epoch {
            assert!(instant(&ENGINE, 1) && !instant(&ENGINE, 0));
            assert_eq!(ENGINE.shard_counts(1).unwrap().total.created, number);
        }
        let mut out = [Event::ZERO; 3];
        assert_eq!(ENGINE.drain(1, &mut out), Ok(3));
        assert_eq!(out.map(|event| event.nc_local_id), [3 + epoch, 4 + epoch, 5 + epoch]);
        ENGINE.stop().unwrap();
        assert_eq!(ENGINE.drain(1, &mut out), Err(DrainError::NotCapturing));
        let total = ENGINE.shard_counts(1).unwrap().total;
        let expected = (10 + epoch, 3, 2 + epoch, 5);
        assert_eq!((total.created, total.drained, total.displaced, total.discarded), expected);
        assert_eq!(ENGINE.counts().len(), 2);
        assert_eq!(ENGINE.resident(1), 0);
    }
}

#[test]
fn rings_have_their_size_whatever_is_asked_for() {
    let engine = Box::new(Small::new_inline());
    for requested in [9, 1 << 20, u64::MAX] {
        let refused = StartError::RingTooLarge { requested, limit: 8 };
        assert_eq!(engine.start(&config().events_per_shard(requested)), Err(refused));
        assert!(!engine.is_capturing());
    }
    for config in [config(), config().events_per_shard(1), config().events_per_shard(8)] {
        engine.start(&config).unwrap();
        assert_eq!(engine.ring_size(), 8);
        engine.stop().unwrap();
    }
    let other = config().shards(ShardSet::parse("4").unwrap());
    assert_eq!(engine.start(&other), Err(StartError::ShardOutOfRange { shard: 4, shards: 4 }));
    assert_eq!(engine.start(&config().clock(Clock::None)), Err(StartError::NoClock));
}

#[test]
fn a_full_table_counts_what_it_does_not_store() {
    let engine = Box::new(Small::new_inline());
    assert_eq!(engine.intern_static(0, "conv2d"), symbol!("conv2d"), "off: the id all the same");
    engine.start(&config().shards(ShardSet::parse("0-2").unwrap())).unwrap();
    for text in ["conv2d", "pool", "conv2d", "relu", "softmax"] {
        assert_eq!(engine.intern_static(1, text), Symbol::of(text));
    }
    assert_eq!(engine.intern_static(3, "closed"), symbol!("closed"));
    assert_eq!(engine.intern_static(4, "nowhere"), symbol!("nowhere"));
    let mut names: Vec<_> = engine.names_of(1).map(|(_, text)| text).collect();
    names.sort_unstable();
    assert_eq!((names, engine.names_dropped(1)), (vec!["conv2d", "pool"], 2));
    assert_eq!((engine.names_of(0).count(), engine.names_of(9).count()), (0, 0));
    engine.stop().unwrap();
    assert_eq!(engine.resolve(symbol!("pool")), Some("pool"), "until the next start");
    assert_eq!(engine.resolve(symbol!("relu")), None);
    engine.start(&config()).unwrap();
    assert_eq!(engine.resolve(symbol!("pool")), None);
    assert_eq!(engine.names_dropped(1), 0);
}

/// Whoever is asked for it says who emits; otherwise it is the thread.
#[test]
fn the_context_stands_in_for_the_thread() {
    static CONTEXT: AtomicU64 = AtomicU64::new(0);
    let engine = Box::new(Small::new_inline());
    engine.start(&config().context(|| CONTEXT.load(Ordering::Relaxed))).unwrap();
    for context in [0, 15, u64::MAX] {
        CONTEXT.store(context, Ordering::Relaxed);
        instant(&engine, 0);
        let mut out = [Event::ZERO];
        engine.drain(0, &mut out).unwrap();
        assert_eq!(out[0].thread_id, context);
    }
    engine.stop().unwrap();
    engine.start(&config()).unwrap();
    instant(&engine, 0);
    assert_ne!(engine.drain_all(1).unwrap()[0].thread_id, 0);
}

/// Threads on all shards, with a reader beside them, over several captures: exact accounts.
#[test]
fn threads_and_restarts() {
    static ENGINE: Small = Small::new_inline();
    const THREADS: u64 = 4;
    let each: u64 = if cfg!(miri) { 30 } else { 20_000 };
    for _ in 0..3 {
        ENGINE.start(&config()).unwrap();
        let (mut accepted, mut drained) = (0, 0);
        std::thread::scope(|scope| {
            let emitters: Vec<_> = (0..THREADS)
                .map(|thread| {
                    let emits = move || {
                        (0..each).filter(move |n| instant(&ENGINE, ((n + thread) % 4) as u32))
                    };
                    scope.spawn(move || emits().count() as u64)
                })
                .collect();
            let mut last = [0; 4];
            while emitters.iter().any(|it| !it.is_finished()) {
                for shard in 0..4 {
                    let mut out = [Event::ZERO; 3];
                    let count = ENGINE.drain(shard, &mut out).unwrap();
                    for event in &out[..count] {
                        assert_eq!(event.nc_idx, shard);
                        assert!(event.nc_local_id != last[shard as usize], "twice");
                        last[shard as usize] = event.nc_local_id;
                    }
                    drained += count as u64;
                }
                std::thread::yield_now();
            }
            accepted += emitters.into_iter().map(|it| it.join().unwrap()).sum::<u64>();
        });
        let rest = ENGINE.drain_all(usize::MAX).unwrap();
        let total = ENGINE.loss();
        assert_eq!((total.created, total.drained), (THREADS * each, drained + rest.len() as u64));
        // What found every slot in the middle of a copy was created and displaced at once.
        assert!(total.displaced >= total.created - accepted);
        assert_eq!(total.live(), 0);
        (0..4).for_each(|shard| assert!(instant(&ENGINE, shard)));
        ENGINE.stop().unwrap();
        assert_eq!(ENGINE.loss().discarded, 4);
    }
}

/// What the firmware's 16 KiB have to hold, as on its machine or larger.
#[test]
fn is_as_small_as_it_is_said_to_be() {
    let one = size_of::<StaticEngine<1, 8, 8>>();
    let four = size_of::<StaticEngine<4, 8, 8>>();
    let more_events = size_of::<StaticEngine<1, 1032, 8>>();
    assert!(four <= 4 * one, "{one} {four}");
    // The record and its stamp, which 64-bit machines keep on lines of their own.
    assert!(
        (more_events - one) / 1024 <= if cfg!(target_pointer_width = "64") { 128 } else { 120 }
    );
    println!(
        "one shard {one} bytes, four {four}; {} without events",
        size_of::<StaticEngine<1, 1, 1>>()
    );
}
