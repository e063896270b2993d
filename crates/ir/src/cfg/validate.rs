//! The invariants of a control-flow graph, checked after every pass in debug builds.
//!
//! - every id is in its table, every edge between nodes of its procedure;
//! - constants stored, returned or passed belong to the type of their target;
//! - initial choices are not empty and belong to their cell's type;
//! - a mutex is touched by lock and unlock only, and these touch nothing else;
//! - calls and spawns pass as many arguments as there are parameters;
//! - every node that an edge leads to has a way out, so that a thread ends by returning and in no
//!   other way;
//! - names of registers are unique within their procedure.

use super::*;
use crate::layout::Cell;
use std::collections::{HashMap, HashSet};

/// The first violated invariant, as a sentence.
pub fn validate(program: &Program) -> Result<(), String> {
    for object in &program.objects {
        let layout = match object.ty.is_unbounded() {
            true => Vec::new(),
            false => program.records.layout(&object.ty),
        };
        if object.init.len() != layout.len() {
            let (cells, init) = (layout.len(), object.init.len());
            return Err(format!("`{}` has {cells} cells but {init} initialisers", object.name));
        }
        for (choices, Cell { ty, .. }) in object.init.iter().zip(layout) {
            let fits = |&(lo, hi)| lo <= hi && ty.contains(lo) && ty.contains(hi);
            if choices.0.is_empty() || !choices.0.iter().all(fits) {
                return Err(format!("initial value {choices} of `{}` does not fit {ty}", object.name));
            }
        }
    }
    check_registers("the threads", &program.thread_registers)?;
    for procedure in &program.procedures {
        validate_procedure(program, procedure)
            .map_err(|message| format!("procedure `{}`: {message}", procedure.name))?;
    }
    for start in &program.threads {
        let Some(procedure) = program.procedures.get(start.procedure.index()) else {
            return Err(format!("thread `{}` runs no procedure", start.name));
        };
        if start.args.len() != procedure.params as usize {
            return Err(format!("thread `{}` passes {} arguments", start.name, start.args.len()));
        }
        for (arg, register) in start.args.iter().zip(&procedure.registers) {
            if !register.ty.contains(*arg) {
                return Err(format!("thread `{}` passes {arg} as {}", start.name, register.ty));
            }
        }
    }
    let labels = program.label_nodes();
    program.properties.iter().try_for_each(|p| validate_property(program, &labels, p))
}

fn check_registers(whose: &str, registers: &[Register]) -> Result<(), String> {
    let mut names = HashSet::new();
    for register in registers {
        if !names.insert(&register.name) {
            return Err(format!("{whose} have two registers `{}`", register.name));
        }
        if !register.ty.contains(register.init) {
            return Err(format!("register `{}` starts outside {}", register.name, register.ty));
        }
    }
    Ok(())
}

fn validate_property(
    program: &Program,
    labels: &HashMap<(ProcId, &str), NodeId>,
    property: &Property,
) -> Result<(), String> {
    match property {
        Property::Forbid { together, .. } => {
            for r in together.iter().flatten() {
                if !labels.contains_key(&(r.procedure, &r.label[..])) {
                    return Err(format!("no label `{}` for a forbidden combination", r.label));
                }
                if let Who::Start(s) = r.who
                    && s.index() >= program.threads.len()
                {
                    return Err("a forbidden combination names no thread".into());
                }
            }
            Ok(())
        }
        Property::Final { observed, condition, .. } => {
            let cells = program.cell_bases()[program.objects.len()];
            for o in observed {
                match *o {
                    Observable::Cell(loc) if loc.as_element().is_none() && loc.index() >= cells as usize => {
                        return Err("a final condition reads no cell".into());
                    }
                    Observable::Cell(_) => {}
                    Observable::Register(s, reg) => {
                        let start =
                            program.threads.get(s.index()).ok_or("a final condition names no thread")?;
                        check_reg(program, program.procedure(start.procedure), reg)?;
                    }
                }
            }
            let mut bad = false;
            condition.visit(&mut |e| {
                bad |= matches!(e, Expr::Reg(r) if !matches!(r, Reg::Local(i) if (*i as usize) < observed.len()));
            });
            if bad { Err("a final condition reads more than it observes".into()) } else { Ok(()) }
        }
    }
}

fn check_reg(program: &Program, procedure: &Procedure, reg: Reg) -> Result<Scalar, String> {
    let register = match reg {
        Reg::Local(slot) => procedure.registers.get(slot as usize),
        Reg::Thread(slot) => program.thread_registers.get(slot as usize),
    };
    register.map(|r| r.ty).ok_or_else(|| format!("no register {reg:?}"))
}

fn validate_procedure(program: &Program, procedure: &Procedure) -> Result<(), String> {
    check_registers("the frames", &procedure.registers)?;
    if procedure.params as usize > procedure.registers.len() || procedure.nodes == 0 {
        return Err("fewer registers than parameters, or no node".into());
    }
    for (label, node) in &procedure.labels {
        if node.0 >= procedure.nodes {
            return Err(format!("label `{label}` is at no node"));
        }
    }
    let mut has_out = vec![false; procedure.nodes as usize];
    let mut entered = vec![false; procedure.nodes as usize];
    entered[procedure.entry().index()] = true;
    for edge in &procedure.edges {
        if edge.from.0 >= procedure.nodes || edge.to.0 >= procedure.nodes {
            return Err("an edge leaves the nodes".into());
        }
        has_out[edge.from.index()] = true;
        let ends = matches!(edge.instr, Instr::Return(_) | Instr::Exit(_) | Instr::Halt);
        entered[edge.to.index()] |= !ends;
        validate_instr(program, procedure, &edge.instr)
            .map_err(|m| format!("{m} (edge {} -> {}, line {})", edge.from.0, edge.to.0, edge.span.line))?;
    }
    match (0..procedure.nodes as usize).find(|&n| entered[n] && !has_out[n]) {
        Some(node) => Err(format!("node {node} has no way out")),
        None => Ok(()),
    }
}

fn validate_instr(program: &Program, procedure: &Procedure, instr: &Instr) -> Result<(), String> {
    let mut error = Ok(());
    instr.expressions(&mut |e| {
        e.visit(&mut |e| {
            let (reg, len) = match e {
                Expr::Reg(reg) => (*reg, 1),
                Expr::At { base, len, .. } => (*base, *len),
                _ => return,
            };
            if let Err(m) = check_slots(program, procedure, reg, len) {
                error = Err(m);
            }
        });
    });
    error?;
    let dest_type = match instr.dest() {
        Some(Dest::Reg(reg)) => Some(check_slots(program, procedure, *reg, 1)?),
        Some(Dest::At { base, len, .. }) => Some(check_slots(program, procedure, *base, *len)?),
        None => None,
    };
    // Cells of records have different types; the tree's validator has looked at them.
    let cell_type = match instr.address() {
        Some(Address::Cell { object, .. }) => {
            program.objects.get(object.index()).ok_or("no such object")?.ty.leaf()
        }
        Some(Address::Pointed { ty, .. }) => Some(*ty),
        None => None,
    };
    if let Instr::Allocate { ty, .. } | Instr::Reallocate { ty, .. } = instr
        && ty.index() >= program.heap_types.len()
    {
        return Err("allocation of no type".into());
    }
    let fits = |ty: Option<Scalar>, e: &Expr| match (ty, e) {
        (Some(ty), Expr::Const(v)) if !ty.contains(*v) => Err(format!("{v} is no value of {ty}")),
        _ => Ok(()),
    };
    let passes = |proc_: ProcId, args: &[Expr]| {
        let callee = program.procedures.get(proc_.index()).ok_or("no such procedure")?;
        if callee.params as usize != args.len() {
            return Err(format!("{} arguments for `{}`", args.len(), callee.name));
        }
        callee.registers.iter().zip(args).try_for_each(|(r, a)| fits(Some(r.ty), a))
    };
    let is_mutex = cell_type == Some(Scalar::Mutex);
    match instr {
        Instr::Lock(_) | Instr::Unlock(_) if cell_type.is_some() && !is_mutex => {
            return Err("lock or unlock of no mutex".into());
        }
        Instr::Load(..) | Instr::Store(..) | Instr::Rmw(..) if is_mutex => {
            return Err("a mutex is accessed as a variable".into());
        }
        _ => {}
    }
    match instr {
        Instr::Assign(_, e) => fits(dest_type, e),
        Instr::Store(_, e) | Instr::Rmw(_, _, RmwOp::Exchange(e)) => fits(cell_type, e),
        Instr::Havoc(_, choices) => {
            let ty = dest_type.ok_or("havoc without destination")?;
            let inside = choices.0.iter().all(|&(lo, hi)| ty.contains(lo) && ty.contains(hi));
            if choices.0.is_empty() || !inside {
                Err(format!("havoc of {choices} does not fit {ty}"))
            } else {
                Ok(())
            }
        }
        Instr::Spawn(_, p, args, _) | Instr::Call(_, p, args) => passes(*p, args),
        Instr::Return(Some(e)) => fits(procedure.result, e),
        Instr::Allocate { .. }
        | Instr::Reallocate { .. }
        | Instr::Free(..)
        | Instr::Exit(_)
        | Instr::Halt => Ok(()),
        Instr::Nop
        | Instr::Choose
        | Instr::Load(..)
        | Instr::Rmw(..)
        | Instr::Fence(_)
        | Instr::Assume(_)
        | Instr::Assert(..)
        | Instr::Lock(_)
        | Instr::Unlock(_)
        | Instr::Own(_)
        | Instr::Join(..)
        | Instr::Return(None)
        | Instr::AtomicBegin(_)
        | Instr::AtomicEnd(_) => Ok(()),
    }
}

fn check_slots(program: &Program, procedure: &Procedure, base: Reg, len: u32) -> Result<Scalar, String> {
    let last = match base {
        Reg::Local(slot) => Reg::Local(slot + len.max(1) - 1),
        Reg::Thread(slot) => Reg::Thread(slot + len.max(1) - 1),
    };
    check_reg(program, procedure, last)?;
    check_reg(program, procedure, base)
}
