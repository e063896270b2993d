//! The certificate speaks of this program: its cells with values of their types, its initial values,
//! its threads, each in one group. Also that all numbers in it are in range, so that nothing that is
//! read after this can be missing.
//!
//! Threads of one group run the same procedure with the same arguments, and a thread that a property
//! names is not in a group with others: then nothing tells the threads of a group apart, and one
//! automaton may stand for each of them. A group may stand for more threads than there are, even for
//! any number: that proves more.

use fencepost_ir::Scalar;
use fencepost_ir::cfg::{
    Choices, Count, Instr, Loc, NodeId, Observable, ProcId, Program, Property, StartId, Who,
};
use fencepost_task::Certificate;
use fencepost_task::certificate::{
    CertifiedConfiguration, CertifiedGroup, CertifiedLife, CertifiedOp, CertifiedPlace, CertifiedVariable,
};
use std::collections::HashSet;

pub(super) fn check(program: &Program, certificate: &Certificate) -> Result<(), String> {
    variables(program, certificate)?;
    groups(program, certificate)?;
    certificate.groups.iter().try_for_each(|group| self::group(program, certificate, group))?;
    for (i, element) in certificate.basis.iter().enumerate() {
        configuration(certificate, element).map_err(|m| format!("element {} of the basis {m}", i + 1))?;
    }
    Ok(())
}

fn variables(program: &Program, certificate: &Certificate) -> Result<(), String> {
    // A write to one member of a union changes others, which no single operation says.
    if let Some(object) = program.objects.iter().find(|o| program.records.has_union(&o.ty)) {
        return Err(format!("`{}` has a union", object.name));
    }
    let types = program.cell_types();
    let initial: Vec<&Choices> = program.objects.iter().flat_map(|o| o.init.iter()).collect();
    if certificate.variables.len() != types.len() || initial.len() != types.len() {
        return Err(format!("{} cells instead of {}", certificate.variables.len(), types.len()));
    }
    for (i, variable) in certificate.variables.iter().enumerate() {
        let name = program.cell_name(Loc::cell(i as u32)).unwrap_or_default();
        variable_fits(types[i], initial[i], variable).map_err(|m| format!("`{name}` {m}"))?;
    }
    Ok(())
}

fn variable_fits(ty: Scalar, initial: &Choices, variable: &CertifiedVariable) -> Result<(), String> {
    let CertifiedVariable { values, initial: count } = variable;
    let distinct: HashSet<_> = values.iter().collect();
    if distinct.len() != values.len() {
        return Err("has a value twice".into());
    }
    // Who holds a mutex is in the thread's place.
    let fits = |v: &i64| if ty == Scalar::Mutex { *v == 0 || *v == 1 } else { ty.contains(*v) };
    if let Some(value) = values.iter().find(|v| !fits(v)) {
        return Err(format!("cannot hold {value}"));
    }
    if ty == Scalar::Mutex && initial.single() != Some(0) {
        return Err("is a mutex that is not free at the beginning".into());
    }
    let first = values.get(..*count as usize).ok_or("has more initial values than values")?;
    if first.len() as u128 != initial.count() || !first.iter().all(|v| initial.contains(*v)) {
        return Err("has other initial values".into());
    }
    Ok(())
}

fn groups(program: &Program, certificate: &Certificate) -> Result<(), String> {
    let mut seen = vec![false; program.threads.len()];
    for group in &certificate.groups {
        let Some(first) = group.starts.first().and_then(|s| program.threads.get(*s as usize)) else {
            return Err("a group without threads".into());
        };
        let mut fixed = Some(0u64);
        for &number in &group.starts {
            let Some(start) = program.threads.get(number as usize) else {
                return Err(format!("there is no thread {number}"));
            };
            if std::mem::replace(&mut seen[number as usize], true) {
                return Err(format!("`{}` is in two groups", start.name));
            }
            if start.procedure != first.procedure || start.args != first.args {
                return Err(format!("`{}` and `{}` differ", first.name, start.name));
            }
            fixed = match start.count {
                Count::Times(n) => fixed.map(|sum| sum + u64::from(n)),
                Count::Any => None,
            };
        }
        if group.count.is_some() && group.count.map(u64::from) != fixed {
            return Err(format!("the number of threads like `{}`", first.name));
        }
    }
    if let Some(missing) = seen.iter().position(|s| !s) {
        return Err(format!("`{}` is in no group", program.threads[missing].name));
    }
    for start in named(program) {
        if certificate.groups.iter().any(|g| g.starts.contains(&start.0) && g.starts.len() > 1) {
            let name = &program.threads[start.index()].name;
            return Err(format!("a property names `{name}`, but its group has others"));
        }
    }
    Ok(())
}

/// The threads that properties name.
fn named(program: &Program) -> Vec<StartId> {
    let mut named = Vec::new();
    for property in &program.properties {
        match property {
            Property::Forbid { together, .. } => {
                for requirement in together.iter().flatten() {
                    match requirement.who {
                        Who::Start(start) => named.push(start),
                        Who::Any | Who::Runs(_) => {}
                    }
                }
            }
            Property::Final { observed, .. } => {
                for observable in observed {
                    match observable {
                        Observable::Register(start, _) => named.push(*start),
                        Observable::Cell(_) => {}
                    }
                }
            }
        }
    }
    named
}

fn group(program: &Program, certificate: &Certificate, group: &CertifiedGroup) -> Result<(), String> {
    if group.states == 0 {
        return Err("an automaton without states".into());
    }
    for (from, op, to) in &group.transitions {
        if *from >= group.states || *to >= group.states {
            return Err("a transition between no states".into());
        }
        operation(certificate, op)?;
    }
    let procedure = program.threads[group.starts[0] as usize].procedure;
    for (place, state) in &group.relation {
        if *state >= group.states {
            return Err(format!("there is no state {state}"));
        }
        self::place(program, certificate, procedure, place)
            .map_err(|m| format!("a place of state {state} {m}"))?;
    }
    Ok(())
}

fn has(certificate: &Certificate, variable: u32, value: u32) -> bool {
    certificate.variables.get(variable as usize).is_some_and(|v| (value as usize) < v.values.len())
}

fn operation(certificate: &Certificate, op: &CertifiedOp) -> Result<(), String> {
    let pairs = |list: &[(u32, u32)]| {
        let cells: HashSet<_> = list.iter().map(|(x, _)| x).collect();
        cells.len() == list.len() && list.iter().all(|(x, v)| has(certificate, *x, *v))
    };
    let good = match op {
        CertifiedOp::Nop | CertifiedOp::Fence => true,
        CertifiedOp::Read(x, v) | CertifiedOp::Write(x, v) => has(certificate, *x, *v),
        CertifiedOp::Atomic(guard, update) => pairs(guard) && pairs(update),
    };
    if good { Ok(()) } else { Err("an operation on no cell, or on no value of it".into()) }
}

/// A place that a thread of the program can be given: frames that call each other, registers of their
/// types.
fn place(
    program: &Program,
    certificate: &Certificate,
    outermost: ProcId,
    place: &CertifiedPlace,
) -> Result<(), String> {
    let mut types: Vec<Scalar> = program.thread_registers.iter().map(|r| r.ty).collect();
    let mut caller: Option<(ProcId, NodeId)> = None;
    for frame in &place.frames {
        let id = ProcId(frame.procedure);
        let procedure = program.procedures.get(id.index()).ok_or("is in no procedure")?;
        if frame.node >= procedure.nodes {
            return Err("is at no node".into());
        }
        let entered = match (caller, frame.call) {
            (None, None) => id == outermost,
            (Some((caller, behind)), Some(call)) => {
                let edge = program.procedure(caller).edges().get(call as usize);
                edge.is_some_and(|e| e.to == behind && matches!(&e.instr, Instr::Call(_, p, _) if *p == id))
            }
            (None, Some(_)) | (Some(_), None) => false,
        };
        if !entered {
            return Err("is in a procedure that nobody called".into());
        }
        caller = Some((id, NodeId(frame.node)));
        types.extend(procedure.registers.iter().map(|r| r.ty));
    }
    let frames = match place.life {
        CertifiedLife::Ended => place.frames.len() == 1,
        CertifiedLife::Running | CertifiedLife::Failed => !place.frames.is_empty(),
    };
    if !frames {
        return Err("has frames too many or none".into());
    }
    let fits = types.len() == place.registers.len()
        && types.iter().zip(&place.registers).all(|(ty, v)| ty.contains(*v));
    if !fits {
        return Err("has other registers".into());
    }
    let cells = program.cell_types();
    let is_mutex = |x: &u32| {
        (*x as usize) < certificate.variables.len() && cells.get(*x as usize) == Some(&Scalar::Mutex)
    };
    if !place.held.iter().all(is_mutex) || !place.held.is_sorted_by(|a, b| a < b) {
        return Err("holds what is no mutex, or one twice".into());
    }
    Ok(())
}

fn configuration(certificate: &Certificate, element: &CertifiedConfiguration) -> Result<(), String> {
    let inside = |(x, v): (usize, &Option<u32>)| v.is_none_or(|v| has(certificate, x as u32, v));
    if element.memory.len() != certificate.variables.len() || !element.memory.iter().enumerate().all(inside) {
        return Err("has another memory".into());
    }
    for process in &element.processes {
        let Some(group) = certificate.groups.get(process.group as usize) else {
            return Err("has a thread of no group".into());
        };
        if process.state >= group.states {
            return Err("has a thread in no state".into());
        }
        let mut own = HashSet::new();
        for message in &process.buffer {
            let (x, own_message) = (message.variable, message.own);
            let good = match message.value {
                Some(value) => has(certificate, x, value),
                None => own_message && (x as usize) < certificate.variables.len(),
            };
            if !good {
                return Err("has a message of no value".into());
            }
            if own_message && !own.insert(x) {
                return Err("has two own messages of one cell".into());
            }
        }
    }
    Ok(())
}
