//! Interners: ids, hits, misses, two threads, memory, merges.

mod merge;
mod tables;

use std::hint::black_box;
use std::sync::Arc;

use crate::alloc;
use crate::case::{Case, Figure, Kind, Target};
use crate::measure::{Plan, Sample, once, random, solo};
use crate::stand::Runner;
use crate::team::team;
use tables::{
    InternityLocal, InternityThreaded, LassoRodeo, LassoThreaded, Ours, OursEngine, Shared, SipMap,
    StringCache, StringTable, SymbolTable, Table, Ustr, prove, prove_shared, sip_id,
};

type Sampler = Box<dyn FnMut(&Plan) -> Sample>;

/// Runs all cases.
pub fn run(runner: &mut Runner, quick: bool) {
    prove_all();

    ids(runner);
    let counts: &[usize] = if quick { &[1000] } else { &[1000, 100_000] };
    for &count in counts {
        for length in [16, 64] {
            hits(runner, count, length);
        }
    }
    sites(runner);
    hostile(runner);
    hits_2t(runner);
    let counts: &[usize] = if quick { &[100_000] } else { &[100_000, 1_000_000] };
    for &count in counts {
        misses(runner, count);
    }
    merge::run(runner, quick);
}

fn prove_all() {
    prove::<Ours>("sipintern");
    prove::<SipMap>("hashbrown+siphasher");
    prove::<LassoRodeo>("lasso");
    prove::<LassoThreaded>("lasso-threaded");
    prove::<StringTable>("string-interner");
    prove::<InternityLocal>("internity");
    prove::<SymbolTable>("symbol_table");
    prove::<Ustr>("ustr");
    prove::<StringCache>("string_cache");
    prove_shared::<Ours>("sipintern");
    prove_shared::<OursEngine>("Engine::intern");
    prove_shared::<LassoThreaded>("lasso-threaded");
    prove_shared::<InternityThreaded>("internity-threaded");
    prove_shared::<SymbolTable>("symbol_table");
    prove_shared::<Ustr>("ustr");
    prove_shared::<StringCache>("string_cache");
}

/// Different names of `length` bytes, one after the other in memory.
fn names(count: usize, length: usize) -> Arc<Vec<String>> {
    let name = |n: usize| format!("{:0length$}", n as u64 * 0x9E37_79B9 % (1 << 40));
    Arc::new((0..count).map(name).collect())
}

/// A table that holds the names, which came in an order that looks random. The keys are kept, because
/// a table may let go of a text with the last of its keys.
fn filled<T, K>(table: T, names: &[String], intern: impl Fn(&mut T, &str) -> K) -> (T, Vec<K>) {
    let mut order: Vec<usize> = (0..names.len()).collect();
    for n in (1..names.len()).rev() {
        order.swap(n, random() as usize % (n + 1));
    }
    let mut table = table;
    let keys = order.into_iter().map(|n| intern(&mut table, &names[n])).collect();
    (table, keys)
}

fn ids(runner: &mut Runner) {
    for length in [8_usize, 16, 32, 64] {
        let names = names(64, length.max(13));
        let names: Arc<Vec<String>> =
            Arc::new(names.iter().map(|name| name[name.len() - length..].to_owned()).collect());
        let each = |id: fn(&str) -> u64| {
            let names = Arc::clone(&names);
            move |plan: &Plan| {
                let mut next = 0;
                solo(plan.solo, 256, || {
                    next = (next + 1) % 64;
                    black_box(id(black_box(&names[next])));
                })
            }
        };
        let case = Case::new(format!("id.{length}B"))
            .ours("sipintern", each(|name| sipintern::Symbol::of(name).get()))
            .rival("siphasher", each(sip_id));
        runner.run(case.at_most(1.05));
    }
}

/// Interns names that are known, as they lie in memory, which is as good as random to the table. So
/// the name is at hand, as one that has just been made, and what the table keeps is not.
fn hit<T: Table>(names: &Arc<Vec<String>>) -> Sampler {
    let (mut table, keys) = filled(T::new(), names, T::intern);
    let names = Arc::clone(names);
    let mut next = 0;
    Box::new(move |plan| {
        assert_eq!(keys.len(), names.len());
        solo(plan.solo, 128, || {
            next = if next + 1 == names.len() { 0 } else { next + 1 };
            black_box(table.intern(black_box(&names[next])));
        })
    })
}

fn hits(runner: &mut Runner, count: usize, length: usize) {
    let names = &names(count, length);
    let target = |limit| Figure::ratio(Target::AtMost(limit));
    let case = Case::new(format!("hit.{count}x{length}B"))
        .ours("sipintern", hit::<Ours>(names))
        .rival("hashbrown+siphasher", hit::<SipMap>(names))
        .rival("lasso", hit::<LassoRodeo>(names))
        .rival("lasso-threaded", hit::<LassoThreaded>(names))
        .rival("string-interner", hit::<StringTable>(names))
        .rival("internity", hit::<InternityLocal>(names))
        .rival("symbol_table", hit::<SymbolTable>(names))
        .rival("ustr", hit::<Ustr>(names))
        .rival("string_cache", hit::<StringCache>(names));
    let others = ["lasso", "lasso-threaded", "symbol_table", "string_cache"];
    runner.run(
        case.figure(target(0.9).against(&["hashbrown+siphasher"]).named(".vs-same-ids"))
            .figure(target(1.0).against(&others).named(".vs-lasso-symbol_table-string_cache"))
            .figure(target(1.2).against(&["ustr"]).named(".vs-ustr"))
            .figure(Figure::ratio(Target::None).named(".vs-all")),
    );
}

/// Interns one literal over and over.
fn literal<T: Table>(count: usize) -> Sampler {
    let mut table = T::new();
    let keys: Vec<T::Key> = names(count, 16).iter().map(|name| table.intern(name)).collect();
    let key = table.intern("layer3.conv2d.fw");
    Box::new(move |plan| {
        assert!(!keys.contains(&key));
        solo(plan.solo, 256, || _ = black_box(table.intern(black_box("layer3.conv2d.fw"))))
    })
}

fn sites(runner: &mut Runner) {
    static SITE: sipintern::Site = sipintern::site!("layer3.conv2d.fw");
    let table = sipintern::Interner::new();
    let site = move |plan: &Plan| {
        solo(plan.solo, 256, || _ = black_box(black_box(&SITE).intern(black_box(&table))))
    };
    let case = Case::new("literal.16B")
        .ours("Site", site)
        .rival("lasso", literal::<LassoRodeo>(1000))
        .rival("string-interner", literal::<StringTable>(1000))
        .rival("internity", literal::<InternityLocal>(1000))
        .rival("symbol_table", literal::<SymbolTable>(1000))
        .rival("ustr", literal::<Ustr>(1000))
        .rival("string_cache", literal::<StringCache>(1000));
    runner.run(case.at_most(0.15));
}

/// Names whose ids agree in their low ten bits, which a table that took those for a bucket would
/// search one by one, beside as many ordinary ones.
fn hostile(runner: &mut Runner) {
    let count = 4747;
    let aimed = (0..).map(|n: u64| format!("{n:016}"));
    let aimed = aimed.filter(|name| sipintern::Symbol::of(name).to_packed50() % 1024 == 7);
    let aimed = Arc::new(aimed.take(count).collect::<Vec<_>>());
    let case = Case::new(format!("hostile.{count}x16B"))
        .ours("low-bits-equal", hit::<Ours>(&aimed))
        .rival("ordinary", hit::<Ours>(&names(count, 16)));
    runner.run(case.at_most(2.0));
}

fn hit_team<T: Shared>(names: &Arc<Vec<String>>) -> Sampler {
    let (table, keys) = filled(T::new(), names, |table, name| table.intern(name));
    let (table, names) = (Arc::new(table), Arc::clone(names));
    Box::new(move |plan| {
        assert_eq!(keys.len(), names.len());
        let worker = |from: usize| {
            let (table, names) = (Arc::clone(&table), Arc::clone(&names));
            let mut next = from;
            move || {
                next = if next + 1 == names.len() { 0 } else { next + 1 };
                black_box(table.intern(black_box(&names[next])));
            }
        };
        team(plan.team, vec![worker(0), worker(500)]).sample
    })
}

fn hits_2t(runner: &mut Runner) {
    let names = &names(1000, 16);
    let case = Case::new("hit.1000x16B.2t")
        .ours("sipintern", hit_team::<Ours>(names))
        .ours("Engine::intern", hit_team::<OursEngine>(names))
        .rival("lasso-threaded", hit_team::<LassoThreaded>(names))
        .rival("internity-threaded", hit_team::<InternityThreaded>(names))
        .rival("symbol_table", hit_team::<SymbolTable>(names))
        .rival("ustr", hit_team::<Ustr>(names))
        .rival("string_cache", hit_team::<StringCache>(names));
    let target = |who| Figure::ratio(Target::AtMost(0.7)).of(who);
    runner.run(
        case.figure(target("sipintern").named(".table"))
            .figure(target("Engine::intern").named(".engine")),
    );
}

/// Interns names that are all new into an empty table. They lie in memory as they come: who has a new
/// name has just made it. Says, too, how many bytes per entry the table held beyond the text.
fn miss<T: Table>(names: &Arc<Vec<String>>, clear: fn()) -> Sampler {
    let names = Arc::clone(names);
    let text: usize = names.iter().map(String::len).sum();
    Box::new(move |_| {
        clear();
        let mut held = 0;
        let mut sample = once(names.len(), || {
            let before = alloc::live_bytes();
            let mut table = T::new();
            names.iter().for_each(|name| _ = table.intern(name));
            held = alloc::live_bytes() - before;
        });
        // A table that takes its memory elsewhere has no such figure.
        if held >= text as isize {
            let over = (held - text as isize) as f64 / names.len() as f64;
            sample.extra.push(("bytes/entry", over));
        }
        sample
    })
}

/// Empties ustr's table, which otherwise would be larger in every round. It keeps its size, so that no
/// round but the first measures how it grows: a rival that is better than in life.
fn clear_ustr() {
    // SAFETY: the keys made before are gone or never used again.
    unsafe { ustr::_clear_cache() };
}

fn misses(runner: &mut Runner, count: usize) {
    let names = &names(count, 16);
    let target = |limit| Figure::ratio(Target::AtMost(limit));
    let nothing: fn() = || ();
    let case = Case::new(format!("miss.{count}x16B"))
        .ours("sipintern", miss::<Ours>(names, nothing))
        .rival("hashbrown+siphasher", miss::<SipMap>(names, nothing))
        .rival("lasso", miss::<LassoRodeo>(names, nothing))
        .rival("lasso-threaded", miss::<LassoThreaded>(names, nothing))
        .rival("string-interner", miss::<StringTable>(names, nothing))
        .rival("internity", miss::<InternityLocal>(names, nothing))
        .rival("symbol_table", miss::<SymbolTable>(names, nothing))
        .rival("ustr", miss::<Ustr>(names, clear_ustr));
    let safe = ["ustr", "lasso-threaded", "symbol_table"];
    let single = ["lasso", "string-interner", "internity"];
    let memory = Figure::ratio(if count == 100_000 { Target::AtMost(30.0) } else { Target::None });
    runner.run(
        case.figure(target(0.5).against(&safe).named(".vs-thread-safe"))
            .figure(Figure::ratio(Target::None).against(&["ustr"]).named(".vs-ustr"))
            .figure(
                Figure::ratio(Target::None).against(&["symbol_table"]).named(".vs-symbol_table"),
            )
            .figure(target(0.5).against(&["lasso-threaded"]).named(".vs-lasso-threaded"))
            .figure(target(2.5).against(&single).named(".vs-single-threaded"))
            .figure(memory.kind(Kind::Own).unit("bytes/entry").named(".memory")),
    );
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_contender_gives_the_right_answer() {
        super::prove_all();
    }
}
