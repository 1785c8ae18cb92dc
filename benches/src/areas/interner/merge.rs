//! The union of many shards, half of whose names are in all of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use sipintern::{Interner, Limits, Strings, merged, union};

use crate::case::{Case, Figure, Target};
use crate::measure::once;
use crate::stand::Runner;

/// Shards of `each` names: the first half the same everywhere, the second its own.
fn shards(count: usize, each: usize) -> Vec<Interner> {
    let shard = |number: usize| {
        let shard = Interner::with_limits(Limits::NONE);
        for n in 0..each {
            let owner = if n < each / 2 { 0 } else { number + 1 };
            shard.intern(&format!("shard {owner:03} name {n:06}"));
        }
        shard
    };
    (0..count).map(shard).collect()
}

/// What one would write without thinking: every text copied into a sorted map.
fn naive(shards: &[Interner]) -> BTreeMap<u64, String> {
    let all = shards.iter().flat_map(Interner::iter);
    all.map(|(id, text)| (id.get(), text.to_owned())).collect()
}

fn length((_, text): (sipintern::Symbol, &str)) -> usize {
    text.len()
}

/// The union, and once through it.
fn in_order<'a>(shards: impl IntoIterator<Item = &'a Interner>) -> (Strings, usize) {
    let all = merged(shards);
    let bytes = all.iter().map(length).sum();
    (all, bytes)
}

fn into_table(shards: &[Interner]) -> Interner {
    let all = Interner::with_limits(Limits::NONE);
    shards.iter().for_each(|shard| _ = all.merge(shard));
    all
}

fn prove(shards: &[Interner]) {
    let expected = naive(shards);
    let all = merged(shards);
    let same = all.iter().map(|(id, text)| (id.get(), text)).eq(pairs(&expected));
    assert!(same, "merged: another union");
    let same = union(shards).map(|(id, text)| (id.get(), text)).eq(pairs(&expected));
    assert!(same, "union: another union");
    let table = into_table(shards);
    let sorted = table.sorted();
    assert!(sorted.iter().map(|(id, text)| (id.get(), *text)).eq(pairs(&expected)), "merge");
}

fn pairs(all: &BTreeMap<u64, String>) -> impl Iterator<Item = (u64, &str)> {
    all.iter().map(|(id, text)| (*id, text.as_str()))
}

/// Runs the cases: the second has four times the shards, so that its time per name tells whether
/// the union grows linearly.
pub fn run(runner: &mut Runner, quick: bool) {
    let (counts, each) = if quick { ([4, 16], 2000) } else { ([64, 256], 10_000) };
    prove(&shards(3, 1000));
    for count in counts {
        let shards = Arc::new(shards(count, each));
        let names = count * each;
        let [one, two, three, four] = [(); 4].map(|()| Arc::clone(&shards));
        let case = Case::new(format!("merge.{count}x{each}"))
            .ours("merged", move |_| once(names, || in_order(one.iter())))
            .ours("Interner::merge", move |_| once(names, || into_table(&two)))
            .ours("union", move |_| once(names, || union(three.iter()).map(length).sum::<usize>()))
            .rival("btreemap-of-strings", move |_| once(names, || naive(&four)));
        runner.run(
            case.figure(Figure::ratio(Target::None).of("merged").named(".merged"))
                .figure(Figure::ratio(Target::None).of("union").named(".union"))
                .figure(Figure::ratio(Target::None).of("Interner::merge").named(".into-table")),
        );
    }
}
