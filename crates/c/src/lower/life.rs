//! What runs before `main` and behind it: constructors, destructors, and what `atexit` was given; and attributes
//! of declarations that change what a program means.
//!
//! Constructors stand before `main`, those of lower numbers first. Where there are
//! destructors or the program mentions `atexit`, `exit` and the end of `main` call a procedure of the library
//! that runs the handlers, the last one first, and then the destructors, while other threads still run.

use super::*;
use crate::ast::{Attribute, AttributeKind};
use crate::types::Rank;

/// The priority of what has none.
const LAST: i128 = 65535;

/// A function that runs before or after `main`.
pub(super) struct Hook {
    function: usize,
    priority: i128,
}

impl<'a> Lowerer<'a> {
    /// Notes what a function's attributes say of when it runs.
    pub(super) fn function_attributes(
        &mut self,
        function: usize,
        attributes: impl Iterator<Item = &'a Attribute>,
    ) -> Result<()> {
        for attribute in attributes {
            let (hooks, value): (fn(&mut Self) -> &mut Vec<Hook>, _) = match &attribute.kind {
                AttributeKind::Constructor(value) => (|this| &mut this.constructors, value),
                AttributeKind::Destructor(value) => {
                    self.has_handlers = true;
                    (|this| &mut this.destructors, value)
                }
                AttributeKind::Alias(_) => return Err(refused("alias", attribute)),
                _ => continue,
            };
            let priority = match value {
                Some(value) => self.constant(value)?,
                None => LAST,
            };
            if !hooks(self).iter().any(|hook| hook.function == function) {
                hooks(self).push(Hook { function, priority });
            }
        }
        Ok(())
    }

    /// Refuses attributes of a definition or a variable that change what it means in a way that is not followed.
    pub(super) fn known_attributes(&self, attributes: impl Iterator<Item = &'a Attribute>) -> Result<()> {
        for attribute in attributes {
            match &attribute.kind {
                AttributeKind::Alias(_) => return Err(refused("alias", attribute)),
                AttributeKind::VectorSize(_) => return Err(refused("vector_size", attribute)),
                AttributeKind::Other(name) => return Err(refused(name, attribute)),
                // Of a local variable it is followed; of others it means nothing.
                AttributeKind::Cleanup(_)
                | AttributeKind::Packed
                | AttributeKind::Aligned(_)
                | AttributeKind::NoReturn
                | AttributeKind::Constructor(_)
                | AttributeKind::Destructor(_)
                | AttributeKind::Weak
                | AttributeKind::Mode(_)
                | AttributeKind::TransparentUnion
                | AttributeKind::GnuInline => {}
            }
        }
        Ok(())
    }

    /// An integer type as wide as an attribute `mode` says.
    pub(super) fn with_mode(
        &self,
        ty: CType,
        attributes: impl Iterator<Item = &'a Attribute>,
    ) -> Result<CType> {
        let mut ty = ty;
        for attribute in attributes {
            let AttributeKind::Mode(mode) = &attribute.kind else { continue };
            let word = u64::from(self.data_model.pointer_bits() / 8);
            let bytes = match mode.text.as_str() {
                "QI" | "byte" => 1,
                "HI" => 2,
                "SI" => 4,
                "DI" => 8,
                "word" | "pointer" | "unwind_word" => word,
                _ => return Err(refused(&format!("mode({})", mode.text), attribute)),
            };
            let rank = [Rank::Char, Rank::Short, Rank::Int, Rank::Long, Rank::LongLong]
                .into_iter()
                .find(|rank| self.types().size(&CType::integer(*rank, true)) == Some(bytes));
            ty = match (ty.unqualified(), rank) {
                (CType::Integer(integer), Some(rank)) => CType::integer(rank, integer.signed),
                _ => return Err(refused("mode", attribute)),
            };
        }
        Ok(ty)
    }

    /// Whether the end of the program has anything to do but to end, and what else names of functions tell.
    pub(super) fn note_exit_handlers(&mut self, unit: &'a ast::Unit) {
        crate::visit::expressions(unit, &mut |e, _| {
            if let ast::ExprKind::Identifier(name) = &e.kind {
                self.has_handlers |= name == "atexit";
                self.calls_main |= name == "main";
                self.sets_environment |= matches!(name.as_str(), "setenv" | "putenv");
            }
        });
    }

    /// The program ends as by `exit`.
    pub(super) fn end_of_program(&mut self, span: Span) -> Result<()> {
        if self.has_handlers {
            let handlers = self.exit_procedure()?;
            let call = Expr { kind: ExprKind::Call(handlers, Vec::new()), ty: Scalar::Integer, span };
            self.emit(StmtKind::Eval(call), span);
        }
        self.emit(StmtKind::Halt, span);
        Ok(())
    }

    /// What the first thread runs. `main` itself ends the program where it returns. If something runs behind it, or if
    /// the program calls it, it is a function as any other, with variables that are gone, and a procedure of our own
    /// calls it and ends the program.
    pub(super) fn around_main(&mut self, main: ProcedureId) -> Result<ProcedureId> {
        if self.main.is_some() {
            return Ok(main);
        }
        let Procedure { name, params, result, locals, span, .. } = self.program.procedure(main);
        let (name, params, result, span) = (name.clone(), *params, *result, *span);
        let locals = locals[..params].to_vec();
        let args = locals.iter().enumerate().map(|(i, local)| {
            let scalar = local.ty.as_scalar().expect("parameters are scalars");
            read_local(LocalId(i), scalar, span)
        });
        let ty = result.unwrap_or(Scalar::Integer);
        let call = Expr { kind: ExprKind::Call(main, args.collect()), ty, span };
        let call = Stmt { kind: StmtKind::Eval(call), span };
        let (_, end) = self.captured(|this| this.end_of_program(span))?;
        self.program.procedures.push(Procedure {
            name,
            kind: ProcedureKind::Function,
            params,
            result: None,
            locals,
            body: Block([vec![call], end.0].concat()),
            span,
            spelled: None,
        });
        Ok(ProcedureId(self.program.procedures.len() - 1))
    }

    fn exit_procedure(&mut self) -> Result<ProcedureId> {
        let Some(Symbol::Function(index)) = self.library.get("__fencepost_run_handlers").cloned() else {
            panic!("the library runs handlers")
        };
        self.procedure(index, Span::NONE)
    }

    /// Puts constructors before `main`, and destructors behind it.
    pub(super) fn run_hooks(&mut self, main: ProcedureId) -> Result<()> {
        let mut constructors = std::mem::take(&mut self.constructors);
        constructors.sort_by_key(|hook| hook.priority);
        let before = self.hook_calls(&constructors)?;
        // The later ones first.
        let mut destructors = std::mem::take(&mut self.destructors);
        destructors.reverse();
        destructors.sort_by_key(|hook| std::cmp::Reverse(hook.priority));
        let behind = self.hook_calls(&destructors)?;
        let exit = if behind.is_empty() { None } else { Some(self.exit_procedure()?) };
        self.lower_waiting()?;
        self.program.procedures[main.0].body.0.splice(0..0, before);
        if let Some(exit) = exit {
            self.program.procedures[exit.0].body.0.extend(behind);
        }
        Ok(())
    }

    fn hook_calls(&mut self, hooks: &[Hook]) -> Result<Vec<Stmt>> {
        let mut calls = Vec::new();
        for hook in hooks {
            let span = self.functions[hook.function].span;
            let procedure = self.procedure(hook.function, span)?;
            let code = self.program.procedure(procedure);
            if code.params > 0 {
                let message = format!("`{}` has parameters, which is not supported here", code.name);
                return Err(Diagnostic::new(span, message));
            }
            let ty = code.result.unwrap_or(Scalar::Integer);
            let call = Expr { kind: ExprKind::Call(procedure, Vec::new()), ty, span };
            calls.push(Stmt { kind: StmtKind::Eval(call), span });
        }
        Ok(calls)
    }
}

fn refused(name: &str, attribute: &Attribute) -> Diagnostic {
    Diagnostic::new(attribute.span, format!("the attribute `{name}` is not supported"))
}
