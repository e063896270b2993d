//! Walks over all expressions of a translation unit.

use super::ast::*;

/// Calls `see` with every expression, and whether it stands before a call's parentheses.
pub(super) fn expressions<'a>(unit: &'a Unit, see: &mut impl FnMut(&'a Expr, bool)) {
    for item in &unit.items {
        match item {
            Item::Function(function) => block(&function.body, see),
            Item::Declaration(d) => declaration(d, see),
            Item::StaticAssert(_) | Item::Asm(_) => {}
        }
    }
}

/// Calls `see` with every expression of a block.
pub(super) fn in_block<'a>(b: &'a Block, see: &mut impl FnMut(&'a Expr)) {
    block(b, &mut |e, _| see(e));
}

fn block<'a>(b: &'a Block, see: &mut impl FnMut(&'a Expr, bool)) {
    for item in &b.items {
        match item {
            BlockItem::Declaration(d) => declaration(d, see),
            BlockItem::Statement(s) => statement(s, see),
            BlockItem::StaticAssert(_) => {}
        }
    }
}

fn declaration<'a>(d: &'a Declaration, see: &mut impl FnMut(&'a Expr, bool)) {
    for declared in &d.declarators {
        if let Some(init) = &declared.initializer {
            initializer(init, see);
        }
    }
}

fn initializer<'a>(init: &'a Initializer, see: &mut impl FnMut(&'a Expr, bool)) {
    match init {
        Initializer::Expr(e) => expression(e, false, see),
        Initializer::List(list) => list.items.iter().for_each(|item| initializer(&item.value, see)),
    }
}

fn statement<'a>(s: &'a Stmt, see: &mut impl FnMut(&'a Expr, bool)) {
    match &s.kind {
        StmtKind::Empty
        | StmtKind::Goto(_)
        | StmtKind::Continue
        | StmtKind::Break
        | StmtKind::Return(None) => {}
        StmtKind::Expr(e) | StmtKind::GotoComputed(e) | StmtKind::Return(Some(e)) => {
            expression(e, false, see)
        }
        StmtKind::Block(b) => block(b, see),
        StmtKind::Labeled(_, inner) => statement(inner, see),
        StmtKind::If(cond, then, otherwise) => {
            expression(cond, false, see);
            statement(then, see);
            if let Some(otherwise) = otherwise {
                statement(otherwise, see);
            }
        }
        StmtKind::Switch(e, body) | StmtKind::While(e, body) | StmtKind::DoWhile(body, e) => {
            expression(e, false, see);
            statement(body, see);
        }
        StmtKind::For(f) => {
            match &f.init {
                ForInit::Empty => {}
                ForInit::Expr(e) => expression(e, false, see),
                ForInit::Declaration(d) => declaration(d, see),
            }
            f.condition.iter().chain(&f.step).for_each(|e| expression(e, false, see));
            statement(&f.body, see);
        }
        StmtKind::Asm(asm) => {
            asm.outputs.iter().chain(&asm.inputs).for_each(|o| expression(&o.expr, false, see));
        }
    }
}

fn expression<'a>(e: &'a Expr, is_callee: bool, see: &mut impl FnMut(&'a Expr, bool)) {
    see(e, is_callee);
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
        | ExprKind::VaArg(a, _) => expression(a, false, see),
        ExprKind::Binary(_, a, b)
        | ExprKind::Assign(_, a, b)
        | ExprKind::Comma(a, b)
        | ExprKind::Index(a, b) => {
            expression(a, false, see);
            expression(b, false, see);
        }
        ExprKind::Conditional(a, b, c) => {
            expression(a, false, see);
            if let Some(b) = b {
                expression(b, false, see);
            }
            expression(c, false, see);
        }
        ExprKind::CompoundLiteral(_, list) => {
            list.items.iter().for_each(|item| initializer(&item.value, see));
        }
        ExprKind::Call(function, args) => {
            expression(function, true, see);
            args.iter().for_each(|a| expression(a, false, see));
        }
        ExprKind::Generic(generic) => {
            generic.associations.iter().for_each(|(_, e)| expression(e, is_callee, see));
        }
        ExprKind::Statements(b) => block(b, see),
        ExprKind::Choose(parts) => parts.iter().for_each(|e| expression(e, false, see)),
    }
}

/// Calls `see` with the name of every function that is called by its name in a block.
pub(super) fn called(b: &Block, see: &mut impl FnMut(&str)) {
    block(b, &mut |e, _| {
        if let ExprKind::Call(function, _) = &e.kind
            && let ExprKind::Identifier(name) = &function.kind
        {
            see(name);
        }
    });
}

/// What a variable's value is converted to.
pub(super) enum Conversion<'a> {
    /// By a cast.
    Cast(&'a TypeName),
    /// By being the initialiser of a variable.
    Declared(&'a Specifiers, &'a Declarator),
}

/// Calls `see` with every type that the value of a variable is converted to in a block.
pub(super) fn conversions<'a>(b: &'a Block, name: &str, see: &mut impl FnMut(Conversion<'a>)) {
    let is_it = |e: &Expr| matches!(&e.kind, ExprKind::Identifier(n) if n == name);
    each_declaration(b, &mut |d| {
        for declared in &d.declarators {
            if matches!(&declared.initializer, Some(Initializer::Expr(e)) if is_it(e)) {
                see(Conversion::Declared(&d.specifiers, &declared.declarator));
            }
        }
    });
    block(b, &mut |e, _| {
        if let ExprKind::Cast(ty, arg) = &e.kind
            && is_it(arg)
        {
            see(Conversion::Cast(ty));
        }
    });
}

/// Whether `&name` stands in a block.
pub(super) fn takes_address(b: &Block, name: &str) -> bool {
    let mut found = false;
    block(b, &mut |e, _| {
        if let ExprKind::Unary(UnaryOp::AddressOf, arg) = &e.kind {
            let mut place = arg;
            while let ExprKind::Member(inner, Access::Dot, _) | ExprKind::Index(inner, _) = &place.kind {
                place = inner;
            }
            found |= matches!(&place.kind, ExprKind::Identifier(n) if n == name);
        }
    });
    found
}

/// Calls `see` with every declaration of a block, those of statement expressions aside.
fn each_declaration<'a>(b: &'a Block, see: &mut impl FnMut(&'a Declaration)) {
    fn inside<'a>(s: &'a Stmt, see: &mut impl FnMut(&'a Declaration)) {
        match &s.kind {
            StmtKind::Block(b) => each_declaration(b, see),
            StmtKind::Labeled(_, inner) => inside(inner, see),
            StmtKind::If(_, then, otherwise) => {
                inside(then, see);
                otherwise.iter().for_each(|o| inside(o, see));
            }
            StmtKind::Switch(_, body) | StmtKind::While(_, body) | StmtKind::DoWhile(body, _) => {
                inside(body, see)
            }
            StmtKind::For(f) => {
                if let ForInit::Declaration(d) = &f.init {
                    see(d);
                }
                inside(&f.body, see);
            }
            StmtKind::Empty
            | StmtKind::Expr(_)
            | StmtKind::Goto(_)
            | StmtKind::GotoComputed(_)
            | StmtKind::Continue
            | StmtKind::Break
            | StmtKind::Return(_)
            | StmtKind::Asm(_) => {}
        }
    }
    for item in &b.items {
        match item {
            BlockItem::Declaration(d) => see(d),
            BlockItem::Statement(s) => inside(s, see),
            BlockItem::StaticAssert(_) => {}
        }
    }
}

/// Functions that do not come back.
const NO_RETURN: &[&str] = &[
    "abort",
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "pthread_exit",
    "thrd_exit",
    "longjmp",
    "__assert_fail",
    "__VERIFIER_error",
    "reach_error",
    "__builtin_unreachable",
    "__builtin_trap",
    "__builtin_abort",
];

/// Whether control may come to the end of a block, as far as that can be seen.
pub(super) fn may_complete(b: &Block) -> bool {
    let jumped_over = b.items.iter().any(|i| matches!(i, BlockItem::Statement(s) if has_label(s)));
    let mut ends = false;
    for item in &b.items {
        if let BlockItem::Statement(s) = item {
            ends = if jumped_over { !completes(s) } else { ends || !completes(s) };
        }
    }
    !ends
}

fn completes(s: &Stmt) -> bool {
    match &s.kind {
        StmtKind::Return(_) | StmtKind::Goto(_) | StmtKind::GotoComputed(_) => false,
        StmtKind::Continue | StmtKind::Break => true,
        StmtKind::Block(b) => may_complete(b),
        StmtKind::Labeled(_, inner) => completes(inner),
        StmtKind::If(_, then, otherwise) => {
            completes(then) || otherwise.as_ref().is_none_or(|o| completes(o))
        }
        StmtKind::While(cond, body) => !is_true(cond) || has_break(body),
        StmtKind::DoWhile(body, cond) => (!is_true(cond) && completes(body)) || has_break(body),
        StmtKind::For(f) => f.condition.as_ref().is_some_and(|c| !is_true(c)) || has_break(&f.body),
        StmtKind::Expr(Expr { kind: ExprKind::Call(function, _), .. }) => {
            !matches!(&function.kind, ExprKind::Identifier(name) if NO_RETURN.contains(&name.as_str()))
        }
        StmtKind::Switch(_, body) => {
            let StmtKind::Block(b) = &body.kind else { return true };
            let is_default = |s: &Stmt| {
                matches!(&s.kind, StmtKind::Labeled(labels, _)
                    if labels.iter().any(|l| matches!(l.kind, LabelKind::Default)))
            };
            let has_default = b.items.iter().any(|i| matches!(i, BlockItem::Statement(s) if is_default(s)));
            !has_default || has_break(body) || may_complete(b)
        }
        StmtKind::Empty | StmtKind::Expr(_) | StmtKind::Asm(_) => true,
    }
}

fn is_true(e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::Integer(literal) if literal.value != 0)
}

/// Whether a `break` of this loop or switch stands in its body.
fn has_break(s: &Stmt) -> bool {
    match &s.kind {
        StmtKind::Break => true,
        StmtKind::Block(b) => b.items.iter().any(|i| matches!(i, BlockItem::Statement(s) if has_break(s))),
        StmtKind::Labeled(_, inner) => has_break(inner),
        StmtKind::If(_, then, otherwise) => {
            has_break(then) || otherwise.as_ref().is_some_and(|o| has_break(o))
        }
        StmtKind::Empty
        | StmtKind::Expr(_)
        | StmtKind::While(..)
        | StmtKind::DoWhile(..)
        | StmtKind::For(_)
        | StmtKind::Switch(..)
        | StmtKind::Goto(_)
        | StmtKind::GotoComputed(_)
        | StmtKind::Continue
        | StmtKind::Return(_)
        | StmtKind::Asm(_) => false,
    }
}

/// Whether a `continue` of this loop stands in its body, statement expressions included.
pub(super) fn has_continue(s: &Stmt) -> bool {
    let in_expressions = |exprs: &[&Expr]| {
        let mut found = false;
        for e in exprs {
            expression(e, false, &mut |e, _| {
                if let ExprKind::Statements(b) = &e.kind {
                    found |= block_has_continue(b);
                }
            });
        }
        found
    };
    match &s.kind {
        StmtKind::Continue => true,
        StmtKind::Block(b) => block_has_continue(b),
        StmtKind::Labeled(_, inner) => has_continue(inner),
        StmtKind::Switch(e, inner) => in_expressions(&[e]) || has_continue(inner),
        StmtKind::If(cond, then, otherwise) => {
            in_expressions(&[cond])
                || has_continue(then)
                || otherwise.as_ref().is_some_and(|o| has_continue(o))
        }
        StmtKind::Expr(e) | StmtKind::Return(Some(e)) => in_expressions(&[e]),
        // Those in the head of an inner loop belong to that loop, as GCC has it.
        StmtKind::Empty
        | StmtKind::While(..)
        | StmtKind::DoWhile(..)
        | StmtKind::For(_)
        | StmtKind::Goto(_)
        | StmtKind::GotoComputed(_)
        | StmtKind::Break
        | StmtKind::Return(None)
        | StmtKind::Asm(_) => false,
    }
}

fn block_has_continue(b: &Block) -> bool {
    b.items.iter().any(|item| match item {
        BlockItem::Statement(s) => has_continue(s),
        BlockItem::Declaration(d) => {
            let mut found = false;
            declaration(d, &mut |e, _| {
                if let ExprKind::Statements(b) = &e.kind {
                    found |= block_has_continue(b);
                }
            });
            found
        }
        BlockItem::StaticAssert(_) => false,
    })
}

/// Whether a label stands in a statement, so that it can be jumped into.
pub(super) fn has_label(s: &Stmt) -> bool {
    match &s.kind {
        StmtKind::Labeled(..) => true,
        StmtKind::Block(b) => b.items.iter().any(|i| matches!(i, BlockItem::Statement(s) if has_label(s))),
        StmtKind::If(_, then, otherwise) => {
            has_label(then) || otherwise.as_ref().is_some_and(|o| has_label(o))
        }
        StmtKind::Switch(_, body) | StmtKind::While(_, body) | StmtKind::DoWhile(body, _) => has_label(body),
        StmtKind::For(f) => has_label(&f.body),
        StmtKind::Empty
        | StmtKind::Expr(_)
        | StmtKind::Goto(_)
        | StmtKind::GotoComputed(_)
        | StmtKind::Continue
        | StmtKind::Break
        | StmtKind::Return(_)
        | StmtKind::Asm(_) => false,
    }
}
