//! Every way to violate a property is above an element of the basis: a thread in a state of failure,
//! different threads at forbidden labels, all threads ended with a forbidden result. Load buffers are
//! empty in all of these, see the module.
//!
//! A state counts as being at each place that is related to it. Of a group with any number of threads
//! a final condition sees the one whose registers it observes; nothing is asked of the others, which
//! is more than has to be shown.

use super::{Settled, Stop};

use fencepost_ir::Scalar;
use fencepost_ir::cfg::{
    Expr, NodeId, Observable, ProcId, Program, Property, Quantifier, Reg, Requirement, StartId, Who,
};
use fencepost_ir::eval::{Registers, eval};
use fencepost_task::Certificate;
use fencepost_task::certificate::{
    CertifiedConfiguration, CertifiedGroup, CertifiedLife, CertifiedPlace, CertifiedProcess, Open,
};
use std::collections::BTreeSet;

/// More combinations than this are not tried.
const MAX_COMBINATIONS: usize = 1 << 22;

const TOO_MANY_ENDS: Stop = Stop::TooLarge("there are too many final states");

/// A group and a state of its automaton.
type At = (u32, u32);

/// Threads of a group that have ended, and values of what is observed of them, by its number.
type GroupEnd = (Vec<At>, Vec<(usize, i64)>);

pub(super) fn check(program: &Program, certificate: &Certificate, settled: &Settled<'_>) -> Result<(), Stop> {
    let open = vec![None; certificate.variables.len()];
    for (g, group) in certificate.groups.iter().enumerate() {
        let failed = group.relation.iter().filter(|(place, _)| place.life == CertifiedLife::Failed);
        for (_, state) in failed.filter(|_| group.count != Some(0)) {
            require(settled, &[(g as u32, *state)], &open)
                .map_err(|()| format!("`{}` fails in state {state}", name(program, group)))?;
        }
    }
    for property in &program.properties {
        let place = program.sources.place(property.span());
        let result = match property {
            Property::Forbid { together, .. } => forbidden(program, certificate, settled, together),
            Property::Final { quantifier, observed, condition, .. } => {
                let end = End { program, certificate, settled, observed, condition, quantifier: *quantifier };
                end.check()
            }
        };
        result.map_err(|stop| stop.map(|m| format!("{m} ({place})")))?;
    }
    Ok(())
}

fn name<'p>(program: &'p Program, group: &CertifiedGroup) -> &'p str {
    &program.threads[group.starts[0] as usize].name
}

fn require(settled: &Settled<'_>, threads: &[At], memory: &[Open]) -> Result<(), ()> {
    let process = |&(group, state): &At| CertifiedProcess { group, state, buffer: Vec::new() };
    let processes = threads.iter().map(process).collect();
    let target = CertifiedConfiguration { processes, memory: memory.to_vec() };
    if settled.contains(&target) { Ok(()) } else { Err(()) }
}

/// Different threads at all of the labels.
fn forbidden(
    program: &Program,
    certificate: &Certificate,
    settled: &Settled<'_>,
    together: &[Vec<Requirement>],
) -> Result<(), Stop> {
    // As multisets of states: which thread meets which requirement makes no difference.
    let mut combinations: BTreeSet<Vec<At>> = BTreeSet::from([Vec::new()]);
    for alternatives in together {
        let candidates = meeting(program, certificate, alternatives);
        let mut longer = BTreeSet::new();
        for combination in &combinations {
            for &(g, state) in &candidates {
                let same = combination.iter().filter(|(other, _)| *other == g).count();
                if certificate.groups[g as usize].count.is_some_and(|n| same >= n as usize) {
                    continue;
                }
                let mut combination = combination.clone();
                combination.push((g, state));
                combination.sort_unstable();
                longer.insert(combination);
            }
            if longer.len() > MAX_COMBINATIONS {
                return Err(Stop::TooLarge("there are too many forbidden combinations"));
            }
        }
        combinations = longer;
    }
    let open = vec![None; certificate.variables.len()];
    for combination in combinations {
        require(settled, &combination, &open).map_err(|()| {
            let show = |(g, s): &At| format!("{s} of `{}`", name(program, &certificate.groups[*g as usize]));
            let states: Vec<_> = combination.iter().map(show).collect();
            format!("a forbidden combination, states {}", states.join(", "))
        })?;
    }
    Ok(())
}

/// Groups and states that meet one of the requirements.
fn meeting(program: &Program, certificate: &Certificate, alternatives: &[Requirement]) -> BTreeSet<At> {
    let mut found = BTreeSet::new();
    for requirement in alternatives {
        let label = program.procedure(requirement.procedure).label(&requirement.label);
        for (g, group) in certificate.groups.iter().enumerate() {
            let meant = match requirement.who {
                Who::Any => true,
                Who::Runs(procedure) => program.threads[group.starts[0] as usize].procedure == procedure,
                Who::Start(StartId(start)) => group.starts.contains(&start),
            };
            let is_at = |place: &CertifiedPlace| {
                let top = place.frames.last();
                place.life == CertifiedLife::Running
                    && top.map(|f| (ProcId(f.procedure), Some(NodeId(f.node))))
                        == Some((requirement.procedure, label))
            };
            if meant {
                let states = group.relation.iter().filter(|(place, _)| is_at(place));
                found.extend(states.map(|(_, state)| (g as u32, *state)));
            }
        }
    }
    found
}

/// A final condition.
struct End<'a> {
    program: &'a Program,
    certificate: &'a Certificate,
    settled: &'a Settled<'a>,
    observed: &'a [Observable],
    condition: &'a Expr,
    quantifier: Quantifier,
}

/// Values of what is observed, as far as they are chosen.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Values(Vec<i64>);

impl Registers for Values {
    fn get(&self, reg: Reg) -> i64 {
        let (Reg::Local(i) | Reg::Thread(i)) = reg;
        self.0.get(i as usize).copied().unwrap_or(0)
    }
}

impl End<'_> {
    fn check(&self) -> Result<(), Stop> {
        let mut ends = vec![(Vec::new(), Values(vec![0; self.observed.len()]))];
        for (g, group) in self.certificate.groups.iter().enumerate() {
            let of_group = self.ends_of(g as u32, group)?;
            if ends.len().saturating_mul(of_group.len()) > MAX_COMBINATIONS {
                return Err(TOO_MANY_ENDS);
            }
            let mut longer = Vec::new();
            for (threads, values) in &ends {
                for (more, registers) in &of_group {
                    let mut values = values.clone();
                    registers.iter().for_each(|(i, v)| values.0[*i] = *v);
                    longer.push(([&threads[..], more].concat(), values));
                }
            }
            ends = longer;
        }
        let cells = self.cells()?;
        let values = cells.iter().map(|(_, x)| self.certificate.variables[*x].values.len());
        if values.fold(ends.len(), usize::saturating_mul) > MAX_COMBINATIONS {
            return Err(TOO_MANY_ENDS);
        }
        for (threads, mut values) in ends {
            let mut memory = vec![None; self.certificate.variables.len()];
            self.memories(&cells, &threads, &mut memory, &mut values)?;
        }
        Ok(())
    }

    /// What all threads of a group can look like when they have ended: their states, and what is observed of
    /// the one that is observed.
    fn ends_of(&self, g: u32, group: &CertifiedGroup) -> Result<Vec<GroupEnd>, Stop> {
        let observed = self.observed.iter().enumerate().filter_map(|(i, o)| match o {
            Observable::Register(start, reg) => group.starts.contains(&start.0).then_some((i, *reg)),
            Observable::Cell(_) => None,
        });
        let observed: Vec<(usize, Reg)> = observed.collect();
        let own = self.program.thread_registers.len();
        let mut firsts = BTreeSet::new();
        let mut states = BTreeSet::new();
        for (place, state) in group.relation.iter().filter(|(p, _)| p.life == CertifiedLife::Ended) {
            let slot = |reg: Reg| match reg {
                Reg::Thread(slot) => slot as usize,
                Reg::Local(slot) => own + slot as usize,
            };
            let value = |(i, reg): &(usize, Reg)| (*i, place.registers[slot(*reg)]);
            firsts.insert((*state, observed.iter().map(value).collect::<Vec<_>>()));
            states.insert(*state);
        }
        let others = match (group.count, observed.is_empty()) {
            (None, true) | (Some(0), true) => return Ok(vec![(Vec::new(), Vec::new())]),
            (None, false) => 0,
            (Some(0), false) => return Err("a final condition on a thread that does not run".into()),
            (Some(n), _) => n - 1,
        };
        let states: Vec<At> = states.into_iter().map(|s| (g, s)).collect();
        let mut rests = Vec::new();
        multisets(&states, others as usize, &mut Vec::new(), &mut rests)?;
        let mut ends = Vec::new();
        for (first, values) in &firsts {
            for rest in &rests {
                let threads: Vec<At> = std::iter::once((g, *first)).chain(rest.iter().copied()).collect();
                ends.push((threads, values.clone()));
            }
        }
        Ok(ends)
    }

    /// The observed cells, as (number among what is observed, cell).
    fn cells(&self) -> Result<Vec<(usize, usize)>, Stop> {
        let types = self.program.cell_types();
        let mut cells = Vec::new();
        for (i, observable) in self.observed.iter().enumerate() {
            match observable {
                Observable::Cell(loc) if loc.as_element().is_some() => {
                    return Err("a final condition on an unbounded array".into());
                }
                Observable::Cell(loc) if types.get(loc.index()) == Some(&Scalar::Mutex) => {
                    return Err("a final condition on who holds a mutex".into());
                }
                Observable::Cell(loc) => cells.push((i, loc.index())),
                Observable::Register(..) => {}
            }
        }
        Ok(cells)
    }

    /// Tries all values of the observed cells.
    fn memories(
        &self,
        cells: &[(usize, usize)],
        threads: &[At],
        memory: &mut Vec<Open>,
        values: &mut Values,
    ) -> Result<(), Stop> {
        let Some((&(i, x), rest)) = cells.split_first() else {
            let violates = match (eval(self.condition, values), self.quantifier) {
                (Err(_), _) => true,
                (Ok(value), Quantifier::Exists | Quantifier::NotExists) => value != 0,
                (Ok(value), Quantifier::Forall) => value == 0,
            };
            if violates {
                require(self.settled, threads, memory).map_err(|()| {
                    format!("all threads end, and what the condition observes is {:?}", values.0)
                })?;
            }
            return Ok(());
        };
        let variable = &self.certificate.variables[x];
        // The same cell may be observed twice.
        let chosen = memory[x];
        for (v, value) in variable.values.iter().enumerate() {
            if chosen.is_none_or(|c| c as usize == v) {
                memory[x] = Some(v as u32);
                values.0[i] = *value;
                self.memories(rest, threads, memory, values)?;
            }
        }
        memory[x] = chosen;
        Ok(())
    }
}

fn multisets(of: &[At], size: usize, chosen: &mut Vec<At>, found: &mut Vec<Vec<At>>) -> Result<(), Stop> {
    if size == 0 {
        found.push(chosen.clone());
        return if found.len() > MAX_COMBINATIONS { Err(TOO_MANY_ENDS) } else { Ok(()) };
    }
    for (i, at) in of.iter().enumerate() {
        chosen.push(*at);
        multisets(&of[i..], size - 1, chosen, found)?;
        chosen.pop();
    }
    Ok(())
}
