//! Variables with the attribute `cleanup`: a function is called with the variable's address when its scope is left, by its
//! end or by `return`, `break` and `continue`, the youngest variable first. Leaving by `goto` is refused.

use super::*;
use crate::ast::AttributeKind;

/// A variable that is in scope, and what is called with its address.
#[derive(Clone)]
pub(super) struct Cleanup {
    variable: Lvalue,
    function: usize,
    span: Span,
}

impl<'a> Lowerer<'a> {
    /// Notes a variable that has been declared with such attributes.
    pub(super) fn note_cleanups(
        &mut self,
        name: &ast::Name,
        attributes: impl Iterator<Item = &'a ast::Attribute>,
    ) -> Result<()> {
        for attribute in attributes {
            let AttributeKind::Cleanup(called) = &attribute.kind else { continue };
            let Some(Symbol::Function(function)) = self.lookup(&called.text).cloned() else {
                return Err(Diagnostic::new(called.span, format!("`{}` is not a function", called.text)));
            };
            let takes = self.functions[function].ty.params.as_ref().map(Vec::len);
            if takes != Some(1) {
                return Err(Diagnostic::new(called.span, "such a function takes one pointer"));
            }
            let variable = self.variable(&name.text, name.span)?;
            self.body.cleanups.push(Cleanup { variable, function, span: called.span });
        }
        Ok(())
    }

    /// Calls what belongs to the variables from the given one on, the last first.
    pub(super) fn clean_up(&mut self, from: usize) -> Result<()> {
        let leaving = self.body.cleanups[from..].to_vec();
        for Cleanup { variable, function, span } in leaving.into_iter().rev() {
            let ty = self.functions[function].ty.clone();
            let address = self.address_of(variable, span)?;
            let address = match ty.params.as_deref() {
                Some([param]) => self.convert(address, param, span)?,
                _ => address,
            };
            let procedure = self.procedure(function, span)?;
            if let Value::Scalar(value) = self.finish_call(procedure, &ty.result, vec![address.expr], span)? {
                self.discard(value.expr);
            }
        }
        Ok(())
    }
}
