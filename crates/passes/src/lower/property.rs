//! Properties: the procedures where a label counts, and final conditions over the cells and registers that they observe.

use super::expression::{binary, convert};
use super::names::Facts;
use super::object;
use fencepost_ir::cfg::{self, Arith, Loc, Observable, ProcId, Reg, StartId};
use fencepost_ir::tree::*;
use fencepost_ir::{Cell, IntType, Scalar, Step, pointer};

/// A property, over the graph.
pub(super) fn property(program: &Program, facts: &Facts, property: &Property) -> cfg::Property {
    match property {
        Property::Forbid(parts, span) => {
            let together = parts.iter().map(|(who, label)| places(program, facts, *who, label)).collect();
            cfg::Property::Forbid { together, span: *span }
        }
        Property::AtMost(n, label, span) => {
            let together = (0..=*n).map(|_| places(program, facts, Who::Any, label)).collect();
            cfg::Property::Forbid { together, span: *span }
        }
        Property::Final(quantifier, condition, span) => {
            let mut observed = Vec::new();
            let condition = final_condition(program, facts, condition, &mut observed);
            cfg::Property::Final { quantifier: *quantifier, observed, condition, span: *span }
        }
    }
}

/// The procedures where a label counts: the threads' own one if it has the label, else every
/// function that has it; for any thread, all code.
fn places(program: &Program, facts: &Facts, who: Who, label: &str) -> Vec<cfg::Requirement> {
    let with_label = facts.with_label(label);
    let own = match who {
        Who::Any => None,
        Who::Runs(p) => Some(p),
        Who::Thread(t) => Some(program.threads[t.0].procedure),
    };
    let who = match who {
        Who::Any => cfg::Who::Any,
        Who::Runs(p) => cfg::Who::Runs(ProcId(p.0 as u32)),
        Who::Thread(t) => cfg::Who::Start(StartId(t.0 as u32)),
    };
    let own_has_it = own.is_some_and(|own| with_label.binary_search(&own.0).is_ok());
    let counts = |i: usize| match own {
        None => true,
        Some(own) if own_has_it => own.0 == i,
        Some(_) => program.procedures[i].kind == ProcedureKind::Function,
    };
    let places = with_label.iter().filter(|i| counts(**i));
    places.map(|&i| cfg::Requirement { who, procedure: ProcId(i as u32), label: label.to_string() }).collect()
}

/// A final condition over what it observes.
fn final_condition(program: &Program, facts: &Facts, e: &Expr, observed: &mut Vec<Observable>) -> cfg::Expr {
    let mut sub = |e: &Expr| Box::new(final_condition(program, facts, e, observed));
    match &e.kind {
        ExprKind::Const(value) => cfg::Expr::Const(*value),
        ExprKind::Read(place) => match parts(program, place) {
            Some((parts, scalar)) => joined(parts, scalar, observed),
            None => seen(observable(program, facts, place), observed),
        },
        ExprKind::Unary(op, arg) => cfg::Expr::Unary(*op, Arith::of(arg.ty), sub(arg)),
        ExprKind::Binary(op, left, right) => {
            cfg::Expr::Binary(*op, Arith::of(left.ty), sub(left), sub(right))
        }
        ExprKind::Select(cond, then, otherwise) => cfg::Expr::Select(sub(cond), sub(then), sub(otherwise)),
        ExprKind::Convert(conversion, arg) => convert(*conversion, arg.ty, e.ty, *sub(arg)),
        ExprKind::AddressOf(_) => panic!("final conditions compare no pointers yet"),
        ExprKind::Any(_)
        | ExprKind::Rmw(..)
        | ExprKind::Call(..)
        | ExprKind::Spawn(..)
        | ExprKind::Own
        | ExprKind::Reallocate(..)
        | ExprKind::Allocate(..) => {
            panic!("the validator keeps effects out of final conditions")
        }
    }
}

/// What an observable holds.
fn seen(observable: Observable, observed: &mut Vec<Observable>) -> cfg::Expr {
    let position = observed.iter().position(|o| *o == observable).unwrap_or_else(|| {
        observed.push(observable);
        observed.len() - 1
    });
    cfg::Expr::Reg(Reg::Local(position as u32))
}

/// The cells of a scalar in a variable with a union in it, which others may see as something else, with their types; and its
/// own type.
fn parts(program: &Program, place: &Place) -> Option<(Vec<(Observable, Scalar)>, Scalar)> {
    let Base::Variable(VarRef::Shared(id)) = place.base else { return None };
    let (records, ty) = (&program.records, &program.shared[id.0].ty);
    if !records.has_union(ty) {
        return None;
    }
    let step = |step: &Projection| match step {
        Projection::Index(Expr { kind: ExprKind::Const(i), .. }) => Step::Index(*i as u32),
        Projection::Index(_) => panic!("indices in final conditions are constant"),
        Projection::Field(i) => Step::Field(*i),
    };
    let path: Vec<Step> = place.path.iter().map(step).collect();
    let (start, scalar) = records.offset(ty, &path);
    let before: usize = program.shared[..id.0].iter().map(|v| v.init.len()).sum();
    let layout = records.layout(ty);
    let inside =
        layout.iter().enumerate().filter(|(_, c)| (start..start + scalar.size()).contains(&c.offset));
    let part = |(n, cell): (usize, &Cell)| (Observable::Cell(Loc::cell((before + n) as u32)), cell.ty);
    Some((inside.map(part).collect(), scalar))
}

/// The bits of cells one after the other, the lowest first, as a value of a type.
fn joined(parts: Vec<(Observable, Scalar)>, scalar: Scalar, observed: &mut Vec<Observable>) -> cfg::Expr {
    let word = Scalar::Int(pointer::WORD);
    let mut value = cfg::Expr::Const(0);
    let mut shift = 0;
    for (observable, ty) in parts {
        let bits = IntType { bits: ty.size() as u8 * 8, signed: false };
        let part = convert(Conversion::Wrapping, ty, Scalar::Int(bits), seen(observable, observed));
        let part = binary(BinaryOp::Shl, word, part, cfg::Expr::Const(shift));
        value = binary(BinaryOp::BitOr, word, value, part);
        shift += i64::from(bits.bits);
    }
    convert(Conversion::Wrapping, word, scalar, value)
}

fn observable(program: &Program, facts: &Facts, place: &Place) -> Observable {
    let Base::Variable(reference) = place.base else { panic!("final conditions follow no pointers") };
    let constant = |index: &Expr| match index.kind {
        ExprKind::Const(i) => i,
        _ => panic!("indices in final conditions are constant"),
    };
    let variable = program.variable(None, reference).expect("the validator asks for the variable");
    let mut cell = 0;
    let mut ty = &variable.ty;
    for step in &place.path {
        ty = match (step, ty) {
            (Projection::Index(index), Type::Array(element, _)) => {
                cell += constant(index) * program.records.cells(element) as i64;
                element
            }
            (Projection::Field(i), Type::Record(id)) => {
                cell += program.records.first_cell(*id, *i) as i64;
                &program.records.get(*id).fields[*i].ty
            }
            _ => panic!("the validator follows paths"),
        };
    }
    match reference {
        VarRef::Shared(id) if variable.ty.is_unbounded() => {
            Observable::Cell(Loc::element(object(id), cell).expect("the front end checks the address"))
        }
        VarRef::Shared(id) => {
            let before: usize = program.shared[..id.0].iter().map(|v| v.init.len()).sum();
            Observable::Cell(Loc::cell((before as i64 + cell) as u32))
        }
        VarRef::Observed(thread, local) => {
            let id = program.threads[thread.0].procedure;
            let locals = &program.procedure(id).locals[..local.0];
            let before: usize = locals.iter().map(|l| facts.registers_of(id, l)).sum();
            let slot = Reg::Local((before as i64 + cell) as u32);
            Observable::Register(StartId(thread.0 as u32), slot)
        }
        VarRef::ThreadLocal(_) | VarRef::Local(_) => panic!("a final condition is outside all threads"),
    }
}
