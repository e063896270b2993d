//! Small functions are looked at once for each call.
//!
//! Libraries wrap every access in a function: one that loads a pointer, say, whatever the pointer is for. If all its calls were
//! one, what one caller loads would be what all of them load, and nothing would be told apart any more. So each call of a
//! small function has its own variables and its own result, as if the function's text stood there. Functions that are large,
//! that call themselves, or that are called deep inside of others have one version for the rest of their calls.

use super::Object;
use super::constraints::Constraints;
use super::geometry::Shape;
use super::solve::{NodeId, ObjectNumber};
use fencepost_ir::tree::*;

/// Functions with more statements than this are looked at once.
const MOST_STATEMENTS: usize = 48;

/// How deep calls in calls have their own versions.
const DEEPEST: usize = 4;

/// Where there are more variables than this, calls have none of their own.
const MOST_OBJECTS: usize = 1 << 14;

/// Which functions have a version for each call.
pub(super) struct Contexts {
    is_small: Vec<bool>,
    /// The calls that are being looked at, innermost last.
    calls: Vec<ProcedureId>,
}

impl Contexts {
    pub fn new(program: &Program) -> Contexts {
        let is_small = |procedure: &Procedure| {
            let mut statements = 0;
            procedure.body.visit(&mut |_| statements += 1);
            statements <= MOST_STATEMENTS
        };
        Contexts { is_small: program.procedures.iter().map(is_small).collect(), calls: Vec::new() }
    }
}

impl<'p> Constraints<'p> {
    /// Whether a call of the function has its own version.
    pub(super) fn has_contexts(&self, procedure: ProcedureId) -> bool {
        let Contexts { is_small, calls } = &self.contexts;
        is_small[procedure.0]
            && calls.len() < DEEPEST
            && !calls.contains(&procedure)
            && procedure != self.procedure
            && self.objects.len() < MOST_OBJECTS
    }

    /// A function's text with these arguments; what it gives back.
    pub(super) fn in_context(&mut self, procedure: ProcedureId, args: Vec<Option<NodeId>>) -> NodeId {
        let program = self.program;
        let called = program.procedure(procedure);
        let first = self.objects.len() as u32;
        for (i, local) in called.locals.iter().enumerate() {
            let shape = Shape { records: &program.records, ty: &local.ty, is_allocated: false };
            self.solver.object(Some(shape));
            self.objects.push(Object::Variable(Some(procedure), VarRef::Local(LocalId(i))));
        }
        for (local, number) in called.locals.iter().zip(first..) {
            self.initial(local, ObjectNumber(number));
        }
        let result = self.solver.node();
        let first_before = std::mem::replace(&mut self.first_locals[procedure.0], first);
        let result_before = std::mem::replace(&mut self.results[procedure.0], result);
        let caller = std::mem::replace(&mut self.procedure, procedure);
        self.contexts.calls.push(procedure);
        for (i, arg) in args.into_iter().enumerate() {
            let parameter = self.variable(procedure, LocalId(i));
            self.copy(arg, parameter);
        }
        called.body.visit(&mut |stmt| self.statement(stmt));
        self.contexts.calls.pop();
        self.procedure = caller;
        self.results[procedure.0] = result_before;
        self.first_locals[procedure.0] = first_before;
        result
    }
}
