//! The search with older values against the axioms: every final state that RC11 has is found, and every race; of a robust program no others
//! are. Each rule that is left out is noticed.
//!
//! `FENCEPOST_SEEDS=N` takes more programs.

use super::rules::{Rule, Rules};
use super::search::{Watch, by_rules};
use super::{Found, Judged, Suspected, Weak, Wrong, robustness};
use fencepost_ir::Span;
use fencepost_ir::cfg::{Expr, Loc, Observable, Program, Property, Quantifier, Reg, StartId};
use fencepost_memory::State;
use fencepost_memory::axiom::c11::{self, ReleaseSequences};
use fencepost_models::fp;
use fencepost_passes::pipeline;
use fencepost_samples::effort::seeds;
use fencepost_samples::ordered::{Ordered, Profile, cycle, decisive, known, neighbour, random};
use fencepost_task::Budget;
use std::collections::BTreeSet;

/// What was counted.
#[derive(Default, Debug)]
struct Tally {
    programs: usize,
    /// Programs that are not robust and race-free.
    weak: usize,
    /// Those of them for which the search has no more final states than the axioms.
    exact: usize,
    races: usize,
}

/// The graph of a program that observes all cells and registers at the end.
fn observed(program: &Ordered) -> (Program, Vec<Observable>) {
    let source = program.source();
    let tree = fp::read("ordered.fp", &source).unwrap_or_else(|(_, d)| panic!("{}\n{source}", d[0].message));
    let mut graph = pipeline::for_language(tree, pipeline::Options::default());
    let cells = graph.cell_bases()[graph.objects.len()];
    let mut observed: Vec<Observable> = (0..cells).map(|cell| Observable::Cell(Loc::cell(cell))).collect();
    for (number, start) in graph.threads.iter().enumerate() {
        let slots = graph.procedure(start.procedure).registers.len() as u32;
        let start = StartId(number as u32);
        observed.extend((0..slots).map(|slot| Observable::Register(start, Reg::Local(slot))));
    }
    let (quantifier, condition) = (Quantifier::Forall, Expr::Const(1));
    graph.properties =
        vec![Property::Final { quantifier, observed: observed.clone(), condition, span: Span::NONE }];
    (graph, observed)
}

fn look(state: &State, observed: &[Observable]) -> Vec<i64> {
    let value = |observable: &Observable| match *observable {
        Observable::Cell(loc) => state.read(loc),
        Observable::Register(start, reg) => {
            let thread = state.threads.iter().find(|t| t.start == Some(start)).expect("it was started");
            thread.registers[thread.slot(reg)]
        }
    };
    observed.iter().map(value).collect()
}

/// What the search finds: final states, or a race.
fn searched(
    graph: &Program,
    observed: &[Observable],
    rules: Rules,
    sequences: ReleaseSequences,
) -> Option<BTreeSet<Vec<i64>>> {
    let mut finals = BTreeSet::new();
    let mut seen = |state: &State| {
        finals.insert(look(state, observed));
    };
    let mut races = |suspected: &Suspected| {
        assert_eq!(suspected.wrong, Wrong::Race, "nothing else can go wrong");
        Ok(Judged::Confirmed)
    };
    let watch = Watch { finals: &mut seen, judge: &mut races };
    let (found, _) = by_rules(graph, (rules, sequences), &Budget::default(), watch);
    match found {
        Weak::Safe(_) => Some(finals),
        Weak::Unsafe => None,
        other => panic!("{other:?}"),
    }
}

/// Compares a program; the rules that were noticed when left out are removed from `left_out`.
fn compare(program: &Ordered, sequences: ReleaseSequences, left_out: &mut Vec<Rule>, tally: &mut Tally) {
    let (graph, observed) = observed(program);
    // Some are not for the axioms of whole programs: these have neither spawned threads nor mutexes.
    let Ok(all) = c11::outcomes(&graph, sequences, &observed, &Budget::default()) else { return };
    tally.programs += 1;
    let rules = Rules::new(sequences);
    let found = searched(&graph, &observed, rules, sequences);
    if all.race.is_some() {
        tally.races += 1;
        assert!(found.is_none(), "{program} with {sequences:?}: the race is missed");
        return;
    }
    let robust = robustness(&graph, sequences, &Budget::default()).found == Found::Robust;
    let Some(finals) = found else {
        assert!(!robust, "{program} with {sequences:?}: a race that is none");
        return;
    };
    let missed: Vec<_> = all.finals.difference(&finals).collect();
    assert!(missed.is_empty(), "{program} with {sequences:?}: {missed:?} of {observed:?} are missed");
    let exact = finals == all.finals;
    assert!(exact || !robust, "{program} with {sequences:?}: robust, but there are more final states");
    tally.weak += usize::from(!robust);
    tally.exact += usize::from(!robust && exact);
    if exact {
        left_out.retain(|rule| {
            searched(&graph, &observed, rules.without(*rule), sequences).as_ref() == Some(&finals)
        });
    }
}

const BOTH: [ReleaseSequences; 2] = [ReleaseSequences::Cxx20, ReleaseSequences::C11];

#[test]
fn every_final_state_is_found() {
    let programs = decisive();
    let mut tally = Tally::default();
    for sequences in BOTH {
        let known = known().into_iter().map(|k| k.program);
        programs
            .iter()
            .cloned()
            .chain(known)
            .for_each(|p| compare(&p, sequences, &mut Vec::new(), &mut tally));
    }
    for seed in 0..seeds(600) {
        let program = match seed % 3 {
            0 => cycle(seed),
            1 => neighbour(seed, &programs),
            _ => random(seed, Profile::ALL[(seed / 3) as usize % Profile::ALL.len()]),
        };
        compare(&program, BOTH[(seed / 3) as usize % 2], &mut Vec::new(), &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.weak > 100 && tally.exact * 2 > tally.weak && tally.races > 5, "{tally:?}");
}

/// Who has seen an older value sees nothing before it; and a read-modify-write of an older value passes on what was released there.
const DECISIVE: [&str; 2] = [
    "W x 1 rlx; W x 2 rlx; W y 1 rlx || R y rlx; R x rlx; R x rlx",
    "W z 1 rlx; W x 1 rel; W x 2 rlx; W y 1 rlx || R y rlx; A x 3 rlx || R x acq; R z rlx",
];

#[test]
fn every_rule_of_older_values_that_is_left_out_is_noticed() {
    let programs = decisive();
    let mut left = Rule::OLD.to_vec();
    let known = known().into_iter().map(|k| k.program);
    let more = (0..400).map(cycle).chain((0..400).map(|seed| neighbour(seed, &programs)));
    let own = DECISIVE.map(|text| text.parse::<Ordered>().expect("it is a program"));
    for program in own.into_iter().chain(programs.iter().cloned()).chain(known).chain(more) {
        compare(&program, BOTH[0], &mut left, &mut Tally::default());
        if left.is_empty() {
            return;
        }
    }
    panic!("nobody notices that {left:?} are left out");
}
