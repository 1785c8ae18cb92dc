//! Named events through the macros.
#![cfg(all(feature = "std", feature = "enable", not(loom)))]
#![allow(missing_docs, reason = "a test")]

use std::sync::Arc;

use sys_trace::{
    Config, Engine, Event, EventSet, EventType, Phase, Symbol, count, instant, payload::Generic,
    span,
};

fn config() -> Config {
    Config::new().events_per_shard(1024)
}

fn started<const N: usize>() -> Box<Engine<N>> {
    let engine: Box<Engine<N>> = Box::default();
    engine.start(&config()).unwrap();
    engine
}

/// Phase, name and numbers.
fn told<const N: usize>(engine: &Engine<N>) -> Vec<(Phase, String, [u64; 4])> {
    let names = engine.strings();
    let tell = |event: &Event| {
        assert_eq!(event.event_type(), Some(EventType::Generic));
        let payload = Generic::read(&event.payload);
        let name = names.get(payload.symbol().unwrap()).expect("the name is there");
        (event.phase(), name.to_owned(), payload.args)
    };
    engine.drain_all(usize::MAX).unwrap().iter().map(tell).collect()
}

#[test]
fn names_and_numbers_come_back() {
    let engine = started::<1>();
    {
        let mut outer = span!(engine, 0, "outer");
        let _inner = span!(engine, 0, "inner", 1, 2, 3, 4,);
        instant!(engine, 0, "now", 9);
        count!(engine, 0, "queue", 12);
        outer.set_stop(Generic::named(Symbol::of("outer"), [5]));
    }
    let name = String::from;
    assert_eq!(
        told(&engine),
        [
            (Phase::Start, name("outer"), [0; 4]),
            (Phase::Start, name("inner"), [1, 2, 3, 4]),
            (Phase::Instant, name("now"), [9, 0, 0, 0]),
            (Phase::Count, name("queue"), [12, 0, 0, 0]),
            (Phase::Stop, name("inner"), [1, 2, 3, 4]),
            (Phase::Stop, name("outer"), [5, 0, 0, 0]),
        ]
    );
}

/// Whatever the caller's own things are called, they mean in a macro what they mean outside.
#[test]
fn what_the_caller_calls_name_or_engine_stays_the_callers() {
    const NAME: &str = "mine";
    let engine = started::<1>();
    drop(span!(engine, 0, NAME, NAME.len() as u64));
    instant!(engine, 0, NAME, NAME.len() as u64);
    count!(engine, 0, NAME, NAME.len() as u64);
    let told = told(&engine);
    assert_eq!(told.len(), 4);
    assert!(told.iter().all(|(_, name, args)| name == NAME && *args == [4, 0, 0, 0]));
}

/// One call site, several engines, shards and captures: each capture knows the name.
#[test]
fn a_call_site_registers_with_whomever_it_serves() {
    let engines = [started::<3>(), started::<3>()];
    for _ in 0..3 {
        for engine in &engines {
            for shard in [0, 1, 0, 2] {
                assert!(instant!(engine, shard, "here").is_some());
            }
            assert_eq!(told(engine).len(), 4);
            assert_eq!(engine.strings().iter().count(), 1);
        }
        for engine in &engines {
            engine.stop().unwrap();
            engine.start(&config()).unwrap();
            assert_eq!(engine.strings().iter().count(), 0);
        }
    }
}

#[test]
fn nothing_is_evaluated_while_nothing_is_captured() {
    let engine: Box<Engine<1>> = Box::default();
    let mut evaluated = 0;
    let mut next = || {
        evaluated += 1;
        evaluated
    };
    drop(span!(engine, next() as u32, "off", next()));
    assert_eq!(instant!(engine, next() as u32, "off", next()), None);
    assert_eq!(count!(engine, next() as u32, "off", next()), None);
    assert_eq!(next(), 1);
    engine.start(&config()).unwrap();
    instant!(engine, 0, "on", next());
    assert_eq!(next(), 3);
}

#[test]
fn any_way_to_hold_an_engine_will_do() {
    static ENGINE: Engine<1> = Engine::new();
    fn in_a_function(engine: &Engine<1>) -> sys_trace::Span<'_, 1> {
        span!(engine, 0, "borrowed")
    }
    let shared: Arc<Engine<1>> = Arc::default();
    for engine in [&ENGINE, &shared] {
        engine.start(&config()).unwrap();
    }
    drop((span!(ENGINE, 0, "static"), span!(&ENGINE, 0, "reference"), span!(shared, 0, "shared")));
    drop(in_a_function(&ENGINE));
    assert_eq!((ENGINE.loss().created, shared.loss().created), (6, 2));
    ENGINE.stop().unwrap();
}

#[test]
fn refusals_are_those_of_any_event() {
    let engine = started::<1>();
    assert_eq!(instant!(engine, 7, "nowhere"), None);
    assert_eq!(engine.misdirected(), 1);
    engine.stop().unwrap();
    engine.start(&config().types(EventSet::from_iter([EventType::CcExec]))).unwrap();
    assert_eq!(instant!(engine, 0, "not wanted"), None);
    let span = span!(engine, 0, "not wanted either");
    assert_eq!(span.tracking_id(), None);
    drop(span);
    assert_eq!(engine.loss().created, 0);
}
