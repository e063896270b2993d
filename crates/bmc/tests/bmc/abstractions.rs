//! The shared-memory abstractions against each other and against the definition of the models: the same sequences of
//! calls allow the same values. All short sequences of two threads on two cells, longer random ones with up to
//! four stores; with bounds above the number of stores they must be equal, below it the abstraction's values
//! are among those of the model.

use fencepost_analysis::values::Values;
use fencepost_bmc::circuit::{Circuit, Lit};
use fencepost_bmc::sma::queue::Queues;
use fencepost_bmc::sma::stamped::{Stamped, StoreOrder};
use fencepost_bmc::sma::{Access, AccessId, Memory, Read, Write};
use fencepost_bmc::word::Word;
use fencepost_samples::effort::every;
use fencepost_sat::{Outcome, linked};
use std::collections::BTreeSet;

const THREADS: usize = 2;
const CELLS: usize = 2;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Call {
    Store(usize, usize),
    Load(usize, usize),
    Fence(usize),
    StoreFence(usize),
    /// Writes, and gives the old value.
    Exchange(usize, usize),
}

fn calls() -> Vec<Call> {
    let mut calls = Vec::new();
    for thread in 0..THREADS {
        calls.extend([Call::Fence(thread), Call::StoreFence(thread)]);
        for cell in 0..CELLS {
            calls.extend([Call::Store(thread, cell), Call::Load(thread, cell), Call::Exchange(thread, cell)]);
        }
    }
    calls
}

fn stores(sequence: &[Call]) -> usize {
    sequence.iter().filter(|c| matches!(c, Call::Store(..) | Call::Exchange(..))).count()
}

/// What a call of that number writes.
fn written(number: usize) -> i64 {
    number as i64 + 1
}

/// The values that loads can have, by the definition of the models: buffers, and flushes at any time.
fn defined(order: StoreOrder, sequence: &[Call]) -> BTreeSet<Vec<i64>> {
    #[derive(Clone)]
    struct Model {
        memory: [i64; CELLS],
        /// Cell, value, and how many store-store fences came before.
        buffers: [Vec<(usize, i64, usize)>; THREADS],
        fences: [usize; THREADS],
        seen: Vec<i64>,
    }
    fn flushes(order: StoreOrder, model: &Model) -> Vec<Model> {
        let mut all = vec![];
        for thread in 0..THREADS {
            for (i, (cell, value, epoch)) in model.buffers[thread].iter().enumerate() {
                let older = &model.buffers[thread][..i];
                let waits = match order {
                    StoreOrder::Total => !older.is_empty(),
                    StoreOrder::PerCell => older.iter().any(|(c, _, e)| c == cell || e < epoch),
                };
                if !waits {
                    let mut next = model.clone();
                    next.memory[*cell] = *value;
                    next.buffers[thread].remove(i);
                    all.push(next);
                }
            }
        }
        all
    }
    fn go(order: StoreOrder, rest: &[Call], number: usize, model: &Model, found: &mut BTreeSet<Vec<i64>>) {
        for next in flushes(order, model) {
            go(order, rest, number, &next, found);
        }
        let Some((call, rest)) = rest.split_first() else {
            found.insert(model.seen.clone());
            return;
        };
        let mut next = model.clone();
        match *call {
            Call::Store(thread, cell) => {
                next.buffers[thread].push((cell, written(number), model.fences[thread]));
            }
            Call::Load(thread, cell) => {
                let own = model.buffers[thread].iter().rev().find(|(c, ..)| *c == cell);
                next.seen.push(own.map_or(model.memory[cell], |(_, value, _)| *value));
            }
            Call::Fence(thread) if !model.buffers[thread].is_empty() => return,
            Call::Fence(_) => {}
            Call::StoreFence(thread) => next.fences[thread] += 1,
            Call::Exchange(thread, _) if !model.buffers[thread].is_empty() => return,
            Call::Exchange(_, cell) => {
                next.seen.push(model.memory[cell]);
                next.memory[cell] = written(number);
            }
        }
        go(order, rest, number + 1, &next, found);
    }
    let start =
        Model { memory: [0; CELLS], buffers: Default::default(), fences: [0; THREADS], seen: Vec::new() };
    let mut found = BTreeSet::new();
    go(order, sequence, 0, &start, &mut found);
    found
}

/// The values that loads can have in an abstraction.
fn allowed(mut memory: Box<dyn Memory>, sequence: &[Call]) -> BTreeSet<Vec<i64>> {
    let mut c = Circuit::default();
    let values = Values::Few((0..=sequence.len() as i64).collect());
    let mut carried: Vec<_> = (0..THREADS).map(|t| memory.carried(t)).collect();
    let mut results: Vec<Word> = Vec::new();
    let mut issued: Vec<(usize, AccessId)> = Vec::new();
    for (number, call) in sequence.iter().enumerate() {
        let value = Word::constant(written(number).into());
        let write = |cell, buffered| {
            let targets = vec![(Lit::TRUE, cell, value.clone())];
            Write { targets, buffered, tied: false }
        };
        let mut access = Access::default();
        let mut read = |c: &mut Circuit, cell, forwards| {
            let result = Word::one_of(&values, c);
            results.push(result.clone());
            Read { targets: vec![(Lit::TRUE, cell)], result, forwards }
        };
        let thread = match *call {
            Call::Store(thread, cell) => {
                access.writes.push(write(cell, true));
                thread
            }
            Call::Load(thread, cell) => {
                access.reads.push(read(&mut c, cell, true));
                thread
            }
            Call::Fence(thread) => {
                access.drains = true;
                thread
            }
            Call::StoreFence(thread) => {
                access.orders_stores = true;
                thread
            }
            Call::Exchange(thread, cell) => {
                access.drains = true;
                access.reads.push(read(&mut c, cell, false));
                access.writes.push(write(cell, false));
                thread
            }
        };
        issued.push((thread, memory.issue(&mut c, thread, &mut carried[thread], access)));
    }
    for (thread, access) in issued {
        memory.turn(&mut c, thread);
        memory.slot(&mut c, access, Lit::TRUE, Lit::TRUE);
    }
    let mut solver = linked();
    let roots: Vec<_> = results.iter().flat_map(|w| w.bits().to_vec()).chain([Lit::TRUE]).collect();
    c.flush(&roots, &mut |clause| solver.add(clause));
    let mut found = BTreeSet::new();
    while solver.solve(&[]) == Outcome::Satisfiable {
        let nodes = c.evaluate(|variable| solver.value(variable));
        let number = |w: &Word| (0..63).filter(|i| w.bit(*i).value(&nodes)).fold(0, |n, i| n | 1 << i);
        found.insert(results.iter().map(number).collect());
        let differ: Vec<_> = roots[..roots.len() - 1]
            .iter()
            .filter(|lit| lit.as_constant().is_none())
            .map(|lit| if lit.value(&nodes) { -c.variable(*lit) } else { c.variable(*lit) })
            .collect();
        solver.add(&differ);
        if differ.is_empty() {
            break;
        }
    }
    found
}

fn stamped(order: StoreOrder, clock: usize) -> Box<dyn Memory> {
    let initial = vec![Word::constant(0); CELLS];
    Box::new(Stamped::new(order, clock, initial, vec![vec![0, 1]; THREADS]))
}

fn queues(order: StoreOrder, length: usize) -> Box<dyn Memory> {
    let initial = vec![Word::constant(0); CELLS];
    Box::new(Queues::new(order, length, initial, vec![vec![0, 1]; THREADS]))
}

fn check(sequence: &[Call]) {
    let stores = stores(sequence);
    for order in [StoreOrder::Total, StoreOrder::PerCell] {
        let expected = defined(order, sequence);
        let by_stamps = allowed(stamped(order, stores + 1), sequence);
        assert_eq!(by_stamps, expected, "stamps, {order:?}, {sequence:?}");
        let by_queues = allowed(queues(order, stores.max(1)), sequence);
        assert_eq!(by_queues, expected, "queues, {order:?}, {sequence:?}");
        for fewer in 1..=stores {
            let fewer_times = allowed(stamped(order, fewer), sequence);
            assert!(fewer_times.is_subset(&expected), "{fewer} times, {order:?}, {sequence:?}");
        }
        if stores > 1 {
            let short = allowed(queues(order, 1), sequence);
            assert!(short.is_subset(&expected), "short queues, {order:?}, {sequence:?}");
        }
    }
}

#[test]
fn all_short_sequences() {
    let calls = calls();
    let mut count = 0;
    for first in calls.iter().filter(|c| matches!(c, Call::Store(0, 0))) {
        for second in &calls {
            for third in &calls {
                check(&[*first, *second, *third]);
                count += 1;
            }
        }
    }
    assert_eq!(count, calls.len() * calls.len());
}

/// All sequences of so many calls of the given kinds, the first by the first thread on the first cell: other
/// sequences are these with names exchanged.
fn sequences(kinds: &[Call], length: usize) -> Vec<Vec<Call>> {
    let first = |c: &&Call| matches!(c, Call::Store(0, 0) | Call::Exchange(0, 0));
    let mut all: Vec<Vec<Call>> = kinds.iter().filter(first).map(|c| vec![*c]).collect();
    for _ in 1..length {
        all = all.iter().flat_map(|s| kinds.iter().map(move |c| [&s[..], &[*c]].concat())).collect();
    }
    all
}

/// Of long sequences a slice is taken, with a prime step so that it is not a pattern of the enumeration;
/// `FENCEPOST_TESTS=all` takes all of them, which takes minutes.
fn step(length: usize) -> usize {
    if length < 3 { 1 } else { every([7, 29][length - 3]) }
}

/// Every thread's view of every cell.
fn views() -> Vec<Call> {
    (0..THREADS).flat_map(|thread| (0..CELLS).map(move |cell| Call::Load(thread, cell))).collect()
}

#[test]
fn all_sequences_of_up_to_four_writes_and_what_all_threads_see_then() {
    let writes: Vec<_> =
        calls().into_iter().filter(|c| matches!(c, Call::Store(..) | Call::Exchange(..))).collect();
    let mut count = 0;
    for length in 1..=4 {
        for sequence in sequences(&writes, length).into_iter().step_by(step(length)) {
            check(&[sequence, views()].concat());
            count += 1;
        }
    }
    let all = [2, 16, 128, 1024].iter().zip(1..);
    assert_eq!(count, all.map(|(all, length): (&usize, _)| all.div_ceil(step(length))).sum::<usize>());
}

#[test]
fn all_sequences_of_up_to_four_stores_with_a_load_or_a_fence_anywhere() {
    let stores: Vec<_> = calls().into_iter().filter(|c| matches!(c, Call::Store(..))).collect();
    let others: Vec<_> =
        calls().into_iter().filter(|c| !matches!(c, Call::Store(..) | Call::Exchange(..))).collect();
    let mut count = 0;
    for length in 2..=4 {
        for sequence in sequences(&stores, length).into_iter().step_by(step(length)) {
            for position in 1..length {
                for other in &others {
                    let mut sequence = sequence.clone();
                    sequence.insert(position, *other);
                    let (reader, cell) = (count % THREADS, count / THREADS % CELLS);
                    sequence.extend([Call::Load(reader, cell), Call::Load(1 - reader, cell)]);
                    check(&sequence);
                    count += 1;
                }
            }
        }
    }
    assert!(count >= others.len() * (4 + 2 * 16 / step(3) + 3 * 64 / step(4)), "{count}");
}

#[test]
fn longer_sequences_with_up_to_four_stores() {
    let calls = calls();
    let mut state = 0x2545f4914f6cdd1du64;
    let mut checked = 0;
    while checked < 60 {
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as usize
        };
        let length = 5 + next() % 4;
        let sequence: Vec<_> = (0..length).map(|_| calls[next() % calls.len()]).collect();
        let loads = sequence.iter().any(|c| matches!(c, Call::Load(..)));
        if loads && (2..=4).contains(&stores(&sequence)) {
            check(&sequence);
            checked += 1;
        }
    }
}

#[test]
fn the_models_differ_where_they_should() {
    let store_buffering = [Call::Store(0, 0), Call::Store(1, 1), Call::Load(0, 1), Call::Load(1, 0)];
    assert!(defined(StoreOrder::Total, &store_buffering).contains(&vec![0, 0]));
    let once = allowed(stamped(StoreOrder::Total, 1), &store_buffering);
    assert_eq!(once, BTreeSet::from([vec![2, 1]]), "one time is sequential consistency");
    let passing = [Call::Store(0, 0), Call::Store(0, 1), Call::Load(1, 1), Call::Load(1, 0)];
    assert!(!defined(StoreOrder::Total, &passing).contains(&vec![2, 0]));
    assert!(defined(StoreOrder::PerCell, &passing).contains(&vec![2, 0]));
}
