//! `goto *p` and `&&label`, GNU C's jumps by address.
//!
//! A label's address is a number that the function gives to it, in the order in which their addresses are taken, counted
//! from 1: words that near to null point to nothing, so that following one is an error. A jump compares with each of them.

use super::*;
use crate::ast::ExprKind as Ast;

impl<'a> Lowerer<'a> {
    /// The labels whose address the function that is being lowered takes.
    fn addressed_labels(&self) -> Vec<&'a ast::Name> {
        let Some(Symbol::Function(index)) = self.scopes[0].get(&self.body.name) else { return Vec::new() };
        let Some(function) = self.functions[*index].body else { return Vec::new() };
        let mut labels: Vec<&ast::Name> = Vec::new();
        crate::visit::in_block(&function.body, &mut |e| {
            if let Ast::LabelAddress(name) = &e.kind
                && labels.iter().all(|label| label.text != name.text)
            {
                labels.push(name);
            }
        });
        labels
    }

    /// `&&label`
    pub(super) fn label_address(&mut self, name: &'a ast::Name, span: Span) -> Result<Typed> {
        let position = self.addressed_labels().iter().position(|label| label.text == name.text);
        let Some(position) = position.filter(|_| self.body.own_labels.iter().all(HashMap::is_empty)) else {
            return Err(Diagnostic::new(span, "the address of this label is not supported here"));
        };
        self.body.jumped_to.push((name.text.clone(), name.span));
        let ty = CType::Void.pointer_to();
        let scalar = self.types().scalar(&ty).expect("pointers are scalars");
        Ok(Typed { expr: Expr::constant(position as i64 + 1, scalar, span), ty })
    }

    /// `goto *p`
    pub(super) fn computed_goto(&mut self, e: &'a ast::Expr, span: Span) -> Result<()> {
        if !self.body.cleanups.is_empty() {
            let message = "`goto` is not supported where a variable with the attribute `cleanup` is in scope";
            return Err(Diagnostic::new(span, message));
        }
        let target = self.scalar(e)?;
        let target = self.convert(target, &CType::Void.pointer_to(), span)?;
        let target = self.keep(target.expr);
        for (i, label) in self.addressed_labels().into_iter().enumerate() {
            let number = Expr::constant(i as i64 + 1, target.ty, span);
            let test = ExprKind::Binary(BinaryOp::Eq, Box::new(target.clone()), Box::new(number));
            let test = Expr { kind: test, ty: Scalar::Bool, span };
            self.body.jumped_to.push((label.text.clone(), label.span));
            let jump = Block(vec![Stmt { kind: StmtKind::Goto(label.text.clone()), span }]);
            self.emit(StmtKind::If(test, jump, Block::default()), span);
        }
        let wild = self.wild_call(span);
        self.body.out.extend(wild.0);
        self.emit(StmtKind::Halt, span);
        Ok(())
    }
}
