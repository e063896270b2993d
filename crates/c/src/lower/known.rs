//! Parameters that are the same constant in every call, as the sizes that callers of generic containers pass on.
//!
//! The functions of a container that holds anything take sizes of elements, and copy by these. If all callers say the same
//! size, memory is copied as what it holds; else it would have to be seen as bytes. A parameter counts if its function is only
//! called by its name and never writes to it.

use super::heap::constant;
use super::{Lowerer, facts::Facts};
use crate::hir::{self, Base, Callee, Expr, ExprKind, FunctionId, LocalId, Place, Visitor};
use fencepost_ir::tree;
use std::collections::{HashMap, HashSet};

/// A parameter of a function.
type Parameter = (FunctionId, LocalId);

/// What an argument is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Argument {
    Constant(i128),
    /// What the caller was given.
    Parameter(Parameter),
    Other,
}

/// The parameters that are constants.
pub fn known_parameters(program: &hir::Program, taken: &HashSet<FunctionId>) -> HashMap<Parameter, i128> {
    let mut look = Look { program, function: None, written: HashSet::new(), passed: HashMap::new() };
    for (id, function) in program.functions.iter_enumerated() {
        look.function = Some(id);
        if let Some(body) = &function.body {
            look.block(&body.block);
        }
    }
    let Look { written, passed, .. } = look;
    let mut known: HashMap<Parameter, Option<i128>> = HashMap::new();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (parameter, arguments) in &passed {
            let is_fixed = !written.contains(parameter) && !taken.contains(&parameter.0);
            for argument in arguments {
                let value = match argument {
                    Argument::Constant(value) => Some(*value),
                    Argument::Parameter(given) => match known.get(given) {
                        Some(value) => *value,
                        None if passed.contains_key(given) => continue,
                        None => None,
                    },
                    Argument::Other => None,
                };
                let joined = match known.get(parameter) {
                    None => value.filter(|_| is_fixed),
                    Some(before) => before.filter(|before| value == Some(*before)),
                };
                changed |= known.insert(*parameter, joined) != Some(joined);
            }
        }
    }
    known.into_iter().filter_map(|(parameter, value)| Some((parameter, value?))).collect()
}

/// The local that a place is all of.
fn whole_local(place: &Place) -> Option<LocalId> {
    match place.base {
        Base::Local(id) if place.path.is_empty() => Some(id),
        _ => None,
    }
}

struct Look<'h> {
    program: &'h hir::Program,
    function: Option<FunctionId>,
    /// Locals that are more than read.
    written: HashSet<Parameter>,
    passed: HashMap<Parameter, Vec<Argument>>,
}

impl Look<'_> {
    fn argument(&self, e: &Expr) -> Argument {
        let types = &self.program.types;
        match (&e.kind, self.function) {
            _ if !types.is_integer(e.ty) => Argument::Other,
            (ExprKind::Read(place), Some(caller)) => match whole_local(place) {
                Some(id) => Argument::Parameter((caller, id)),
                None => Argument::Other,
            },
            _ => constant(e).map_or(Argument::Other, Argument::Constant),
        }
    }
}

impl Visitor for Look<'_> {
    fn expression(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Read(place) if whole_local(place).is_some() => return,
            ExprKind::Call(Callee::Function(id), args) => {
                for (i, arg) in args.iter().enumerate() {
                    let parameter = (*id, LocalId::from_usize(i));
                    let argument = self.argument(arg);
                    self.passed.entry(parameter).or_default().push(argument);
                }
            }
            _ => {}
        }
        hir::walk_expression(self, e);
    }

    fn place(&mut self, place: &Place) {
        if let (Base::Local(id), Some(function)) = (&place.base, self.function) {
            self.written.insert((function, *id));
        }
        hir::walk_place(self, place);
    }
}

impl Lowerer<'_> {
    /// A number of bytes, with what is known of parameters in it.
    pub fn with_known_parameters(&self, mut bytes: tree::Expr) -> tree::Expr {
        bytes.visit_mut(&mut |e| {
            if let tree::ExprKind::Read(place) = &e.kind
                && let tree::Base::Variable(tree::VarRef::Local(id)) = place.base
                && let Some(value) = self.body.known.get(&id)
            {
                *e = tree::Expr::constant(*value, e.ty, e.span);
            }
        });
        self.folded(bytes)
    }
}

impl Facts {
    /// What a function's parameter always is.
    pub fn known_parameter(&self, function: FunctionId, parameter: LocalId) -> Option<i64> {
        self.known_parameters.get(&(function, parameter)).and_then(|value| i64::try_from(*value).ok())
    }
}
