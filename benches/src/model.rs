//! A model of how contenders scale beyond the processors at hand: producers run the shared-memory
//! accesses of one operation, in order, and pay for every cache line that another one has.
//!
//! It is a model, not a measurement. Its assumptions:
//! 1. A line that another producer has takes [`Costs::transfer`] to come: half of that to reach its
//!    owner, who goes on using it until then, and half to come back. Requests for one line are
//!    served in the order of asking. All producers are equally far apart.
//! 2. Lines of one's own cost nothing beyond the operation's local time, which is what one thread
//!    was measured to need, varied evenly by a quarter up and down from a fixed seed.
//! 3. Loads take a line as writes do: on these paths every line that is read is written next. A
//!    plain store asks for its line and goes on at once.
//! 4. A lost compare-and-swap costs a back-off of 1, 2, 4, … 64 times [`Costs::pause`], then the
//!    operation starts again. Nobody is ever preempted. The ring is full and nobody reads.
//! 5. The lock of the naive version wakes one waiter when it is given back, for nothing.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// What the machine takes, in ns.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    /// For a cache line to come from another core.
    pub transfer: f64,
    /// For one spin hint.
    pub pause: f64,
}

/// Longest back-off, as a power of two of pauses.
const CEILING: u32 = 6;

/// A cache line, or a row of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// One that all producers use.
    Shared(usize),
    /// That of the ring's slot at the producer's position.
    Slot,
}

/// One access of an operation.
#[derive(Clone, Copy, Debug)]
pub enum Access {
    /// Reads a line; later swaps on it compare with this. Of line 0, the tail, it reads the position.
    Load(Line),
    /// Swaps if nobody wrote the line since this producer's load; otherwise back off, start again.
    Swap(Line),
    /// Writes by an operation that needs the line at once, such as an addition or exchange.
    Add(Line),
    /// Writes without waiting for the line.
    Store(Line),
    /// Reads the slot at the position known since the tail's load; goes on to the next position as
    /// long as another producer has taken it.
    Look,
    /// Takes the slot looked at, unless another producer took it since; then back off, start again.
    Claim,
    /// Waits for the lock on a line.
    Lock(Line),
    /// Gives it back.
    Unlock(Line),
    /// Works alone for the operation's local time.
    Local,
}

/// What one operation does.
pub struct Program {
    /// Whose operation.
    pub name: &'static str,
    /// Its accesses.
    pub accesses: Vec<Access>,
    /// ns for one thread.
    pub local: f64,
}

impl Program {
    /// Counted writes to shared lines per operation, the slot's included.
    #[must_use]
    pub fn shared_writes(&self) -> usize {
        let reads = |it: &&Access| matches!(it, Access::Load(_) | Access::Look | Access::Local);
        let writes = |it: &&Access| !reads(it);
        self.accesses.iter().filter(writes).count()
    }
}

const SHARED: usize = 8;
const SLOTS: usize = 1024;

/// Model time in picoseconds.
type Time = u64;

fn time(ns: f64) -> Time {
    (ns * 1e3) as Time
}

/// A stay of a line with a producer.
#[derive(Clone, Copy)]
struct Stay {
    who: usize,
    /// When the one before has to let go.
    from: Time,
    /// When the line is here.
    arrival: Time,
}

#[derive(Clone, Default)]
struct State {
    /// The present stay and those that have been asked for.
    stays: VecDeque<Stay>,
    version: u64,
    held: bool,
    waiting: VecDeque<usize>,
}

impl State {
    /// When the line is, or will be, with `who`: asks for it if need be.
    fn ask(&mut self, who: usize, now: Time, transfer: Time) -> Time {
        while self.stays.get(1).is_some_and(|next| next.from <= now) {
            self.stays.pop_front();
        }
        if let Some(stay) = self.stays.iter().find(|stay| stay.who == who) {
            return stay.arrival;
        }
        let stay = match self.stays.back() {
            // The first touch of a line finds it with nobody.
            None => Stay { who, from: now, arrival: now },
            Some(last) => {
                let from = now.max(last.arrival) + transfer / 2;
                Stay { who, from, arrival: from + transfer / 2 }
            }
        };
        self.stays.push_back(stay);
        stay.arrival
    }
}

#[derive(Clone, Default)]
struct Producer {
    step: usize,
    position: u64,
    seen: [u64; SHARED],
    backoff: u32,
    done: u64,
}

struct Simulation<'a> {
    program: &'a Program,
    costs: Costs,
    lines: Vec<State>,
    producers: Vec<Producer>,
    events: BinaryHeap<Reverse<(Time, usize)>>,
    claims: u64,
    /// Where an operation starts again: at the load of the tail.
    restart: usize,
    seed: u64,
}

/// Operations per microsecond of so many producers together, over `span` ns.
#[must_use]
pub fn throughput(program: &Program, costs: Costs, producers: usize, span: f64) -> f64 {
    let mut simulation = Simulation {
        program,
        costs,
        lines: vec![State::default(); SHARED + SLOTS],
        producers: vec![Producer::default(); producers],
        // They do not begin at the same instant.
        events: (0..producers).map(|n| Reverse((time(n as f64 * 7.3), n))).collect(),
        claims: 0,
        restart: { program.accesses.iter() }
            .position(|access| matches!(access, Access::Load(_)))
            .unwrap_or(0),
        seed: 0x9E37_79B9_7F4A_7C15,
    };
    while let Some(Reverse((now, producer))) = simulation.events.pop() {
        if now > time(span) {
            break;
        }
        simulation.advance(now, producer);
    }
    let done: u64 = simulation.producers.iter().map(|it| it.done).sum();
    done as f64 * 1e3 / span
}

impl Simulation<'_> {
    fn wake(&mut self, producer: usize, at: Time) {
        self.events.push(Reverse((at, producer)));
    }

    /// Evenly from 0.75 to 1.25.
    fn vary(&mut self) -> f64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        0.75 + (self.seed >> 11) as f64 / (1_u64 << 53) as f64 / 2.0
    }

    /// Does the producer's next access, or asks for the line that it needs.
    fn advance(&mut self, now: Time, producer: usize) {
        let access = self.program.accesses[self.producers[producer].step];
        let line = match access {
            Access::Load(line) | Access::Swap(line) | Access::Add(line) => line,
            Access::Store(line) | Access::Lock(line) | Access::Unlock(line) => line,
            Access::Look | Access::Claim => Line::Slot,
            Access::Local => {
                let local = time(self.program.local * self.vary());
                return self.next(producer, now + local);
            }
        };
        let index = match line {
            Line::Shared(number) => number,
            Line::Slot => SHARED + self.producers[producer].position as usize % SLOTS,
        };
        let arrival = self.lines[index].ask(producer, now, time(self.costs.transfer));
        if arrival > now && !matches!(access, Access::Store(_)) {
            return self.wake(producer, arrival);
        }
        self.perform(access, index, now, producer);
    }

    fn perform(&mut self, access: Access, index: usize, now: Time, producer: usize) {
        let line = &mut self.lines[index];
        let me = &mut self.producers[producer];
        match access {
            Access::Load(_) => {
                if index < SHARED {
                    me.seen[index] = line.version;
                }
                if index == 0 {
                    me.position = self.claims;
                }
            }
            Access::Swap(_) if line.version != me.seen[index] => return self.lost(producer, now),
            Access::Swap(_) | Access::Add(_) | Access::Store(_) => line.version += 1,
            Access::Look if me.position < self.claims => {
                me.position += 1;
                return self.wake(producer, now);
            }
            Access::Look => {}
            Access::Claim if me.position == self.claims => self.claims += 1,
            Access::Claim => return self.lost(producer, now),
            // Tries again when the holder has given it back.
            Access::Lock(_) if line.held => return line.waiting.push_back(producer),
            Access::Lock(_) => line.held = true,
            Access::Unlock(_) => {
                line.held = false;
                if let Some(heir) = line.waiting.pop_front() {
                    self.wake(heir, now);
                }
            }
            Access::Local => unreachable!("has no line"),
        }
        self.next(producer, now);
    }

    /// The access is done.
    fn next(&mut self, producer: usize, now: Time) {
        let length = self.program.accesses.len();
        let me = &mut self.producers[producer];
        me.step += 1;
        if me.step == length {
            (me.step, me.backoff) = (0, 0);
            me.done += 1;
        }
        self.wake(producer, now);
    }

    fn lost(&mut self, producer: usize, now: Time) {
        let me = &mut self.producers[producer];
        let pause = time(f64::from(1_u32 << me.backoff) * self.costs.pause);
        me.backoff = (me.backoff + 1).min(CEILING);
        me.step = self.restart;
        self.wake(producer, now + pause);
    }
}

/// The contenders, with the accesses counted in their sources and these local times: ours, the
/// crossbeam queue, a queue behind a mutex; then our engine and the reference, without a clock.
#[must_use]
pub fn programs(local: [f64; 5]) -> Vec<Program> {
    use Access::{Add, Claim, Load, Local, Lock, Look, Store, Swap, Unlock};
    use Line::{Shared, Slot};
    const TAIL: Line = Shared(0);
    const HEAD: Line = Shared(1);
    const LOCK: Line = Shared(2);
    const CREATED: Line = Shared(3);
    const BY_TYPE: Line = Shared(4);
    // Look at the slot, claim it, copy, publish it, store the tail.
    let ours = vec![Load(TAIL), Look, Claim, Local, Store(Slot), Store(TAIL)];
    // Swap the head on, exchange the tail, copy, publish the slot.
    let crossbeam =
        vec![Load(TAIL), Load(Slot), Load(HEAD), Swap(HEAD), Add(TAIL), Local, Store(Slot)];
    let mutex = vec![Lock(LOCK), Store(HEAD), Local, Unlock(LOCK)];
    // A lock's word, the counters, the ring, the counter of displaced events, the lock again.
    let mut engine = vec![Add(LOCK), Add(BY_TYPE), Add(CREATED), Load(TAIL)];
    engine.extend(&ours[1..]);
    engine.extend([Add(BY_TYPE), Add(LOCK)]);
    let mut reference = vec![Add(LOCK), Add(CREATED), Load(TAIL)];
    reference.extend(&crossbeam[1..]);
    reference.extend([Add(CREATED), Add(LOCK)]);
    let names = ["lapring", "crossbeam-queue", "mutex-vecdeque", "sys-trace engine", "reference"];
    [ours, crossbeam, mutex, engine, reference]
        .into_iter()
        .zip(names)
        .zip(local)
        .map(|((accesses, name), local)| Program { name, accesses, local })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COSTS: Costs = Costs { transfer: 30.0, pause: 20.0 };

    #[test]
    fn one_producer_pays_its_local_time_only() {
        for program in programs([10.0; 5]) {
            let rate = throughput(&program, COSTS, 1, 1e6);
            assert!((rate - 100.0).abs() < 1.0, "{}: {rate}", program.name);
        }
    }

    #[test]
    fn nothing_is_faster_than_the_busiest_line_allows() {
        // Each stay of the line lasts a transfer, in which its owner adds at most 15 times.
        let accesses = vec![Access::Add(Line::Shared(0)), Access::Local];
        let slow = Program { name: "adder", accesses, local: 100.0 };
        let rate = throughput(&slow, COSTS, 64, 1e6);
        assert!((rate - 1e3 / COSTS.transfer).abs() < 1.0, "{rate}");
        let quick = Program { local: 2.0, ..slow };
        let rate = throughput(&quick, COSTS, 64, 1e6);
        assert!(rate < 15e3 / COSTS.transfer, "{rate}");
        assert!(rate > 5e3 / COSTS.transfer, "{rate}");
    }

    #[test]
    fn producers_that_share_nothing_scale() {
        let program = Program { name: "alone", accesses: vec![Access::Local], local: 5.0 };
        let rate = throughput(&program, COSTS, 8, 1e6);
        assert!((rate - 1600.0).abs() < 16.0, "{rate}");
    }
}
