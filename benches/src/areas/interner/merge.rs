//! The union of many shards, half of whose names are in all of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use sipintern::{Interner, Limits, Strings, merged};

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

fn one_by_one(shards: &[Interner]) -> Strings {
    let mut all = Strings::new();
    shards.iter().for_each(|shard| all.add(shard));
    all
}

fn into_table(shards: &[Interner]) -> Interner {
    let all = Interner::with_limits(Limits::NONE);
    shards.iter().for_each(|shard| _ = all.merge(shard));
    all
}

fn prove(shards: &[Interner]) {
    let expected = naive(shards);
    let same = |all: &Strings| all.iter().map(|(id, text)| (id.get(), text)).eq(pairs(&expected));
    assert!(same(&merged(shards)), "merged: another union");
    assert!(same(&one_by_one(shards)), "added: another union");
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
            .ours("merged", move |_| once(names, || merged(one.iter())))
            .ours("Interner::merge", move |_| once(names, || into_table(&two)))
            .ours("Strings::add", move |_| once(names, || one_by_one(&three)))
            .rival("btreemap-of-strings", move |_| once(names, || naive(&four)));
        runner.run(
            case.figure(Figure::ratio(Target::None).of("merged").named(".merged"))
                .figure(Figure::ratio(Target::None).of("Interner::merge").named(".into-table")),
        );
    }
}
