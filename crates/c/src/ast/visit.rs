//! One walk over everything in a translation unit: override what is of interest, and call the `walk_` function to continue
//! inside. What is not evaluated (types, `sizeof`, static assertions, designators) is left out.

use super::*;

/// Sees declarations, statements and expressions, outer ones first, in the order of the text.
pub trait Visitor {
    /// Everything in a file.
    fn unit(&mut self, unit: &Unit) {
        for item in &unit.items {
            match item {
                Item::Function(function) => self.function(function),
                Item::Declaration(declaration) => self.declaration(declaration),
                Item::StaticAssert(_) | Item::Asm(_) => {}
            }
        }
    }

    /// A function with its body.
    fn function(&mut self, function: &Function) {
        self.block(&function.body);
    }

    /// A block.
    fn block(&mut self, block: &Block) {
        for item in &block.items {
            match item {
                BlockItem::Declaration(declaration) => self.declaration(declaration),
                BlockItem::Statement(stmt) => self.statement(stmt),
                BlockItem::StaticAssert(_) | BlockItem::Broken(_) => {}
            }
        }
    }

    /// A declaration.
    fn declaration(&mut self, declaration: &Declaration) {
        let initializers = declaration.declarators.iter().filter_map(|d| d.initializer.as_ref());
        initializers.for_each(|initializer| walk_initializer(self, initializer));
    }

    /// A statement.
    fn statement(&mut self, stmt: &Stmt) {
        walk_statement(self, stmt);
    }

    /// An expression that is evaluated.
    fn expression(&mut self, e: &Expr) {
        walk_expression(self, e);
    }
}

fn walk_initializer(v: &mut (impl Visitor + ?Sized), initializer: &Initializer) {
    match initializer {
        Initializer::Expr(e) => v.expression(e),
        Initializer::List(list) => list.items.iter().for_each(|item| walk_initializer(v, &item.value)),
    }
}

/// What is inside of a statement.
pub fn walk_statement(v: &mut (impl Visitor + ?Sized), stmt: &Stmt) {
    match &stmt.kind {
        StmtKind::Empty | StmtKind::Goto(_) | StmtKind::Continue | StmtKind::Break => {}
        StmtKind::Expr(e) | StmtKind::GotoComputed(e) => v.expression(e),
        StmtKind::Return(e) => e.iter().for_each(|e| v.expression(e)),
        StmtKind::Block(block) => v.block(block),
        StmtKind::Labeled(_, inner) => v.statement(inner),
        StmtKind::If(condition, then, otherwise) => {
            v.expression(condition);
            v.statement(then);
            otherwise.iter().for_each(|otherwise| v.statement(otherwise));
        }
        StmtKind::Switch(e, body) | StmtKind::While(e, body) => {
            v.expression(e);
            v.statement(body);
        }
        StmtKind::DoWhile(body, e) => {
            v.statement(body);
            v.expression(e);
        }
        StmtKind::For(f) => {
            match &f.init {
                ForInit::Empty => {}
                ForInit::Expr(e) => v.expression(e),
                ForInit::Declaration(declaration) => v.declaration(declaration),
            }
            f.condition.iter().chain(&f.step).for_each(|e| v.expression(e));
            v.statement(&f.body);
        }
        StmtKind::Asm(asm) => {
            asm.outputs.iter().chain(&asm.inputs).for_each(|operand| v.expression(&operand.expr));
        }
    }
}

/// What is inside of an expression.
pub fn walk_expression(v: &mut (impl Visitor + ?Sized), e: &Expr) {
    match &e.kind {
        ExprKind::Identifier(_)
        | ExprKind::Integer(_)
        | ExprKind::Float(_)
        | ExprKind::Character(_)
        | ExprKind::String(_)
        | ExprKind::FunctionName
        | ExprKind::LabelAddress(_)
        | ExprKind::Offsetof(..)
        | ExprKind::TypesCompatible(..)
        | ExprKind::Sizeof(_)
        | ExprKind::Alignof(_) => {}
        ExprKind::Unary(_, a)
        | ExprKind::Step(_, a)
        | ExprKind::Cast(_, a)
        | ExprKind::Member(a, ..)
        | ExprKind::VaArg(a, _) => v.expression(a),
        ExprKind::Binary(_, a, b)
        | ExprKind::Assign(_, a, b)
        | ExprKind::Comma(a, b)
        | ExprKind::Index(a, b) => {
            v.expression(a);
            v.expression(b);
        }
        ExprKind::Conditional(a, b, c) => {
            v.expression(a);
            b.iter().for_each(|b| v.expression(b));
            v.expression(c);
        }
        ExprKind::CompoundLiteral(_, list) => {
            list.items.iter().for_each(|item| walk_initializer(v, &item.value));
        }
        ExprKind::Call(function, args) => {
            v.expression(function);
            args.iter().for_each(|arg| v.expression(arg));
        }
        ExprKind::Generic(generic) => generic.associations.iter().for_each(|(_, e)| v.expression(e)),
        ExprKind::Statements(block) => v.block(block),
        ExprKind::Choose(parts) => parts.iter().for_each(|e| v.expression(e)),
    }
}

/// Whether a label is in a statement, so that it can be jumped into.
pub fn has_label(stmt: &Stmt) -> bool {
    struct Look(bool);
    impl Visitor for Look {
        fn statement(&mut self, stmt: &Stmt) {
            match stmt.kind {
                StmtKind::Labeled(..) => self.0 = true,
                _ => walk_statement(self, stmt),
            }
        }

        fn declaration(&mut self, _: &Declaration) {}

        fn expression(&mut self, _: &Expr) {}
    }
    let mut look = Look(false);
    look.statement(stmt);
    look.0
}
