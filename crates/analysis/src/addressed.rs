//! Which variables have their address taken somewhere: the only ones that a pointer can lead to. Where it leads is a question
//! for [`points_to`](crate::points_to).

use fencepost_ir::Scalar;
use fencepost_ir::pointer::{self, Target};
use fencepost_ir::tree::*;
use std::collections::HashSet;

/// The variables whose address is taken.
pub struct Addressed {
    /// With the procedures that local ones are of.
    variables: HashSet<(Option<ProcedureId>, VarRef)>,
}

impl Addressed {
    /// Those of a program: in expressions, in constants, in first values, and in what the first threads are given.
    pub fn new(program: &Program) -> Addressed {
        let mut found = Addressed { variables: HashSet::new() };
        for v in program.shared.iter().chain(&program.thread_locals) {
            for (choices, cell) in v.init.iter().zip(program.records.layout(&v.ty)) {
                choices.0.iter().for_each(|(word, _)| found.word(*word, cell.ty));
            }
        }
        for thread in &program.threads {
            let parameters = &program.procedure(thread.procedure).locals;
            for (word, v) in thread.args.iter().zip(parameters) {
                v.ty.as_scalar().into_iter().for_each(|ty| found.word(*word, ty));
            }
        }
        for (p, procedure) in program.procedures.iter().enumerate() {
            procedure.body.visit(&mut |stmt| {
                for e in stmt.kind.expressions() {
                    e.visit(&mut |e| match &e.kind {
                        ExprKind::Const(word) => found.word(*word, e.ty),
                        ExprKind::AddressOf(Place { base: Base::Variable(variable), .. }) => {
                            found.variables.insert(key(ProcedureId(p), *variable));
                        }
                        _ => {}
                    });
                }
            });
        }
        found
    }

    /// A constant may be the address of a shared variable.
    fn word(&mut self, word: i64, ty: Scalar) {
        if let Scalar::Pointer { .. } = ty
            && let Target::Object(object, _) = pointer::target(word)
        {
            self.variables.insert((None, VarRef::Shared(SharedId(object as usize))));
        }
    }

    /// Whether a variable has its address taken; local ones are those of the procedure.
    pub fn contains(&self, procedure: ProcedureId, variable: VarRef) -> bool {
        self.variables.contains(&key(procedure, variable))
    }

    /// Whether a shared variable has.
    pub fn contains_shared(&self, id: SharedId) -> bool {
        self.variables.contains(&(None, VarRef::Shared(id)))
    }

    /// Whether a variable of each thread has.
    pub fn contains_thread_local(&self, id: ThreadLocalId) -> bool {
        self.variables.contains(&(None, VarRef::ThreadLocal(id)))
    }
}

/// Only local variables belong to a procedure.
fn key(procedure: ProcedureId, variable: VarRef) -> (Option<ProcedureId>, VarRef) {
    match variable {
        VarRef::Local(_) => (Some(procedure), variable),
        VarRef::Shared(_) | VarRef::ThreadLocal(_) | VarRef::Observed(..) => (None, variable),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_in_code_and_in_first_values() {
        let text = "
            int plain, taken, held; int *first = &held; int *p;
            static _Thread_local int own, lent;
            int main(void) {
                int here = 1, there = 2;
                p = &taken; p = &there; p = &lent; p = first;
                return here + plain + own;
            }";
        let options = fencepost_c::Options::default();
        let program =
            fencepost_c::read(&[("taken.c", text)], &options).unwrap_or_else(|(_, d)| panic!("{d:?}"));
        let addressed = Addressed::new(&program);
        let main = program.threads[0].procedure;
        let named = |variables: &[Variable], of: &dyn Fn(usize) -> VarRef| {
            let all = variables.iter().enumerate();
            let found = all.filter(|(i, _)| addressed.contains(main, of(*i)));
            found.map(|(_, v)| v.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(named(&program.shared, &|i| VarRef::Shared(SharedId(i))), ["taken", "held"]);
        assert_eq!(named(&program.thread_locals, &|i| VarRef::ThreadLocal(ThreadLocalId(i))), ["lent"]);
        let locals = &program.procedure(main).locals;
        assert_eq!(named(locals, &|i| VarRef::Local(LocalId(i))), ["there"]);
    }
}
