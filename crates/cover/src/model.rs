//! A program as a system of automata, and its properties as targets.

use crate::automaton::{Mark, Value};
use crate::compile::{Compiled, compile};
use crate::configuration::{ANY, Configuration, Process};
use crate::domains::{Domains, Values};
use crate::local::{Explorer, Infinite, LocalGraph, unfit};
use crate::search::{Group, System};
use fencepost_ir::cfg::{
    Count, NodeId, Observable, ProcId, Program, Property, Quantifier, Reg, StartId, Who,
};
use fencepost_ir::eval::{Registers, eval};
use fencepost_task::{Budget, Reason};

/// More targets than this are not tried.
const MAX_TARGETS: usize = 50_000;

/// Threads that nothing tells apart.
#[derive(Clone, Debug)]
pub struct Threads {
    /// Their starts.
    pub starts: Vec<StartId>,
    /// What they run.
    pub procedure: ProcId,
    /// With which arguments.
    pub args: Vec<i64>,
    /// How many there are; `None` for any number.
    pub count: Option<u32>,
    /// The registers that properties look at when such a thread has ended.
    pub observed: Vec<Reg>,
}

/// A program, ready for the backward search.
pub struct Model {
    /// The threads of each group.
    pub threads: Vec<Threads>,
    /// Their places.
    pub graphs: Vec<LocalGraph>,
    /// Their automata.
    pub compiled: Vec<Compiled>,
    /// The values of variables.
    pub domains: Domains,
    /// What is searched.
    pub system: System,
    /// What must not be reached.
    pub targets: Vec<Configuration>,
}

impl Model {
    /// Makes automata of a program's threads, if they are finite.
    pub fn new(program: &Program, budget: &Budget, values: Values) -> Result<Model, Reason> {
        let threads = groups(program);
        let mut explorer = Explorer::new(program, watched(program)).map_err(unfit)?;
        let code: Vec<_> = threads.iter().map(|t| (t.procedure, t.args.clone())).collect();
        let graphs = explorer.run(&code, values, budget)?;
        let mut compiled = Vec::new();
        for (group, graph) in threads.iter().zip(&graphs) {
            let marks: Vec<Vec<Mark>> =
                graph.places.iter().map(|p| explorer.marks(p, &group.observed)).collect();
            compiled.push(compile(graph, &marks, budget)?);
        }
        let domains = explorer.domains;
        let system = System {
            groups: threads
                .iter()
                .zip(&compiled)
                .map(|(t, c)| Group { automaton: c.automaton.clone(), count: t.count })
                .collect(),
            initial: domains.initial.iter().map(|n| *n as Value).collect(),
        };
        let mut model = Model { threads, graphs, compiled, domains, system, targets: Vec::new() };
        model.targets = model.targets(program).map_err(unfit)?;
        Ok(model)
    }

    fn targets(&self, program: &Program) -> Result<Vec<Configuration>, Infinite> {
        let open = vec![ANY; self.domains.values.len()];
        let mut targets = Vec::new();
        for (g, group) in self.system.groups.iter().enumerate() {
            for state in group.automaton.marked(&Mark::Failed) {
                let process = Process { group: g as u16, state, buffer: Vec::new() };
                targets.push(Configuration { processes: vec![process], memory: open.clone() });
            }
        }
        for property in &program.properties {
            match property {
                Property::Forbid { together, .. } => {
                    let candidates: Vec<Vec<(u16, u32)>> =
                        together.iter().map(|alternatives| self.candidates(program, alternatives)).collect();
                    let mut chosen = Vec::new();
                    self.combine(&candidates, &mut chosen, &mut |processes| {
                        let processes = processes
                            .iter()
                            .map(|&(group, state)| Process { group, state, buffer: Vec::new() })
                            .collect();
                        targets.push(Configuration { processes, memory: open.clone() });
                        targets.len() <= MAX_TARGETS
                    });
                }
                Property::Final { quantifier, observed, condition, .. } => {
                    self.final_targets(*quantifier, observed, condition, &mut targets)?;
                }
            }
            if targets.len() > MAX_TARGETS {
                return Err("there are too many ways to break a property".to_string());
            }
        }
        for (g, group) in self.system.groups.iter().enumerate() {
            for state in group.automaton.marked(&Mark::Escaped) {
                let process = Process { group: g as u16, state, buffer: Vec::new() };
                targets.push(Configuration { processes: vec![process], memory: open.clone() });
            }
        }
        Ok(targets)
    }

    /// Whether a target is a value outside a variable's set, and nothing that the program must not do.
    pub fn is_escape(&self, target: usize) -> bool {
        let marks = |p: &Process| &self.system.groups[p.group as usize].automaton.marks[p.state as usize];
        self.targets[target].processes.iter().any(|p| marks(p).contains(&Mark::Escaped))
    }

    /// The states in which a thread meets a requirement.
    fn candidates(
        &self,
        program: &Program,
        alternatives: &[fencepost_ir::cfg::Requirement],
    ) -> Vec<(u16, u32)> {
        let mut found = Vec::new();
        for requirement in alternatives {
            let node = program.procedure(requirement.procedure).label(&requirement.label);
            let node = node.expect("the validator asks for the label");
            let mark = Mark::At(requirement.procedure, node);
            for (g, threads) in self.threads.iter().enumerate() {
                let meant = match requirement.who {
                    Who::Any => true,
                    Who::Runs(procedure) => threads.procedure == procedure,
                    Who::Start(start) => threads.starts.contains(&start),
                };
                if meant {
                    let states = self.system.groups[g].automaton.marked(&mark);
                    found.extend(states.into_iter().map(|s| (g as u16, s)));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Every way to take one candidate each, with no more processes than there are.
    fn combine(
        &self,
        candidates: &[Vec<(u16, u32)>],
        chosen: &mut Vec<(u16, u32)>,
        see: &mut Seer<'_>,
    ) -> bool {
        let Some((first, rest)) = candidates.split_first() else { return see(chosen) };
        for &candidate in first {
            let taken = chosen.iter().filter(|c| c.0 == candidate.0).count();
            if self.system.groups[candidate.0 as usize].count.is_some_and(|n| taken >= n as usize) {
                continue;
            }
            chosen.push(candidate);
            let go_on = self.combine(rest, chosen, see);
            chosen.pop();
            if !go_on {
                return false;
            }
        }
        true
    }

    /// All threads at their ends, in every way that violates the condition.
    fn final_targets(
        &self,
        quantifier: Quantifier,
        observed: &[Observable],
        condition: &fencepost_ir::cfg::Expr,
        targets: &mut Vec<Configuration>,
    ) -> Result<(), Infinite> {
        let mut ends: Vec<Vec<(u16, u32)>> = Vec::new();
        for (g, group) in self.system.groups.iter().enumerate() {
            let Some(count) = group.count else {
                return Err("a final condition needs a number of threads".to_string());
            };
            let is_end = |s: &u32| matches!(group.automaton.marks[*s as usize][..], [Mark::Ended(_)]);
            let states: Vec<_> =
                (0..group.automaton.states()).filter(is_end).map(|s| (g as u16, s)).collect();
            ends.extend((0..count).map(|_| states.clone()));
        }
        let cells: Vec<usize> = observed
            .iter()
            .filter_map(|o| match o {
                Observable::Cell(loc) => Some(loc.index()),
                Observable::Register(..) => None,
            })
            .collect();
        let mut counts = cells.iter().map(|c| self.domains.values[*c].len());
        let memories = counts.try_fold(1, usize::checked_mul);
        let combinations = ends.iter().map(Vec::len).try_fold(1, usize::checked_mul);
        let few =
            |all: &usize| combinations.and_then(|c| all.checked_mul(c)).is_some_and(|n| n <= MAX_TARGETS);
        let Some(memories) = memories.filter(few) else {
            return Err("there are too many final states to look at".to_string());
        };
        let mut fault = None;
        self.combine(&ends, &mut Vec::new(), &mut |processes| {
            for number in 0..memories {
                let mut memory = vec![ANY; self.domains.values.len()];
                let mut rest = number;
                for cell in &cells {
                    let n = self.domains.values[*cell].len();
                    memory[*cell] = (rest % n) as Value;
                    rest /= n;
                }
                let seen = Seen { model: self, observed, processes, memory: &memory };
                let violated = match (eval(condition, &seen), quantifier) {
                    (Err(f), _) => {
                        fault = Some(f);
                        return false;
                    }
                    (Ok(value), Quantifier::Exists | Quantifier::NotExists) => value != 0,
                    (Ok(value), Quantifier::Forall) => value == 0,
                };
                if violated {
                    let process = |&(group, state): &(u16, u32)| Process { group, state, buffer: Vec::new() };
                    let processes = processes.iter().map(process).collect();
                    targets.push(Configuration { processes, memory });
                }
            }
            true
        });
        match fault {
            Some(fault) => Err(format!("the final condition has no value: {fault}")),
            None => Ok(()),
        }
    }
}

/// Looks at a choice of groups and states; whether to continue.
type Seer<'a> = dyn FnMut(&[(u16, u32)]) -> bool + 'a;

/// A final state, as its condition sees it.
struct Seen<'a> {
    model: &'a Model,
    observed: &'a [Observable],
    processes: &'a [(u16, u32)],
    memory: &'a [Value],
}

impl Registers for Seen<'_> {
    fn get(&self, reg: Reg) -> i64 {
        let Reg::Local(i) = reg else { panic!("final conditions read what they observe") };
        match self.observed[i as usize] {
            Observable::Cell(loc) => {
                self.model.domains.values[loc.index()][self.memory[loc.index()] as usize]
            }
            Observable::Register(start, reg) => {
                let of_start = |g: &u16| self.model.threads[*g as usize].starts.contains(&start);
                let process = self.processes.iter().find(|(g, _)| of_start(g));
                let &(group, state) = process.expect("all threads are at their ends");
                let threads = &self.model.threads[group as usize];
                let place = threads.observed.iter().position(|r| *r == reg).expect("it is observed");
                let marks = &self.model.system.groups[group as usize].automaton.marks[state as usize];
                match &marks[..] {
                    [Mark::Ended(values)] => values[place],
                    _ => panic!("all threads are at their ends"),
                }
            }
        }
    }
}

/// The groups of threads that nothing tells apart.
fn groups(program: &Program) -> Vec<Threads> {
    let mut named: Vec<StartId> = Vec::new();
    let mut observed: Vec<(StartId, Reg)> = Vec::new();
    for property in &program.properties {
        match property {
            Property::Forbid { together, .. } => {
                named.extend(together.iter().flatten().filter_map(|r| match r.who {
                    Who::Start(start) => Some(start),
                    Who::Any | Who::Runs(_) => None,
                }));
            }
            Property::Final { observed: all, .. } => {
                observed.extend(all.iter().filter_map(|o| match o {
                    Observable::Register(start, reg) => Some((*start, *reg)),
                    Observable::Cell(_) => None,
                }));
            }
        }
    }
    named.extend(observed.iter().map(|(start, _)| *start));
    let mut groups: Vec<Threads> = Vec::new();
    for (i, start) in program.threads.iter().enumerate() {
        let id = StartId(i as u32);
        let count = match start.count {
            Count::Times(0) => continue,
            Count::Times(n) => Some(n),
            Count::Any => None,
        };
        let mut registers: Vec<Reg> = observed.iter().filter(|(s, _)| *s == id).map(|(_, r)| *r).collect();
        registers.sort_unstable();
        registers.dedup();
        let same = groups.iter_mut().find(|g| {
            g.procedure == start.procedure
                && g.args == start.args
                && !named.contains(&id)
                && !g.starts.iter().any(|s| named.contains(s))
                && g.count.is_some() == count.is_some()
        });
        match same {
            Some(group) => {
                group.starts.push(id);
                group.count = group.count.zip(count).map(|(a, b)| a + b);
            }
            None => groups.push(Threads {
                starts: vec![id],
                procedure: start.procedure,
                args: start.args.clone(),
                count,
                observed: registers,
            }),
        }
    }
    groups
}

/// The nodes that properties speak of.
fn watched(program: &Program) -> Vec<(ProcId, NodeId)> {
    let mut watched = Vec::new();
    for property in &program.properties {
        let Property::Forbid { together, .. } = property else { continue };
        for requirement in together.iter().flatten() {
            let node = program.procedure(requirement.procedure).label(&requirement.label);
            watched.push((requirement.procedure, node.expect("the validator asks for the label")));
        }
    }
    watched.sort_unstable();
    watched.dedup();
    watched
}
