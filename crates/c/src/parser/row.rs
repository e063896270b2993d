//! Long rows of operators and long chains of `?:`.
//!
//! Each operator of `a + b + c + ...` puts all that is left of it one level deeper, and each `?` of `a ? b : c ? d : ...`
//! all that is after it. A tree of such a height would be too much for whoever walks it. So inside of functions, where
//! expressions may hold statements, what is left of an operator goes into a variable once it is high:
//! `({ __auto_type v = a + b; v + c + ...; })`. It is evaluated first, as it would be without. A long chain is
//! `({ int v; if (a) v = 0; else if (c) v = 1; ... v < 1 ? b : d; })`, where the `if`s are side by side and the last
//! expression is a balanced tree.

use super::if_chain::Arm;
use super::*;
use crate::ast::*;

/// A row that is higher goes into a variable.
const HIGH: usize = 100;

/// Longer chains of `?:` are laid out flat.
const LONG: usize = 64;

/// Levels that a statement inside of an expression adds.
const AROUND: usize = 4;

/// What stood left in a long row, in the order of the text.
pub(super) struct Aside {
    items: Vec<BlockItem>,
    reach: usize,
}

impl Aside {
    pub(super) fn new() -> Aside {
        Aside { items: Vec::new(), reach: 0 }
    }
}

impl Parser<'_, '_> {
    /// Whether the row that is parsed has become so high that it has to be divided.
    pub(super) fn is_high(&self) -> bool {
        self.functions > 0 && self.reach > self.depth + HIGH
    }

    /// Puts the value of a row into a variable, and gives its name instead.
    pub(super) fn put_aside(&mut self, left: Expr, aside: &mut Aside) -> Expr {
        let span = left.span;
        let name = self.fresh(span);
        let declared = declaration(TypeSpecifier::Auto, name.clone(), Initializer::Expr(left), span);
        self.leave(BlockItem::Declaration(declared), aside);
        Expr { kind: ExprKind::Identifier(name.text), span }
    }

    /// Puts what is left of a comma aside.
    pub(super) fn put_statement_aside(&mut self, left: Expr, aside: &mut Aside) {
        let span = left.span;
        self.leave(BlockItem::Statement(Stmt { kind: StmtKind::Expr(left), span }), aside);
    }

    fn leave(&mut self, item: BlockItem, aside: &mut Aside) {
        aside.items.push(item);
        aside.reach = aside.reach.max(self.reach + AROUND);
        self.reach = self.depth;
    }

    /// The row with what was put aside before it.
    pub(super) fn together(&mut self, last: Expr, aside: Aside) -> Expr {
        if aside.items.is_empty() {
            return last;
        }
        self.reach = (self.reach + AROUND).max(aside.reach);
        statements(aside.items, last)
    }

    /// What follows the first `?` of a chain.
    pub(super) fn choice(&mut self, first: Expr) -> Result<ExprKind> {
        let mut arms: Vec<(Expr, Option<Expr>)> = Vec::new();
        let mut condition = first;
        let otherwise = loop {
            if self.take(":") {
                // `a ?: b` gives `a` itself.
                arms.push((condition, None));
                break self.conditional()?;
            }
            let then = self.expression()?;
            self.expect(":")?;
            arms.push((condition, Some(then)));
            condition = self.operand_of_choice()?;
            if !self.take("?") {
                break condition;
            }
        };
        let is_plain = arms.iter().all(|(_, then)| then.is_some());
        if arms.len() > LONG && is_plain && self.functions > 0 {
            self.reach += AROUND + arms.len().ilog2() as usize + 1;
            return Ok(self.flat_choice(arms, otherwise));
        }
        self.reach += arms.len();
        self.check_height(self.reach)?;
        let mut arms = arms.into_iter().rev();
        let nested = |(condition, then): (Expr, Option<Expr>), otherwise: Expr| {
            ExprKind::Conditional(Box::new(condition), then.map(Box::new), Box::new(otherwise))
        };
        let mut kind = nested(arms.next().expect("a chain has an arm"), otherwise);
        for arm in arms {
            let span = arm.1.as_ref().map_or(arm.0.span, |then| then.span);
            kind = nested(arm, Expr { kind, span });
        }
        Ok(kind)
    }

    /// First which of the arms it is, then that arm.
    fn flat_choice(&mut self, arms: Vec<(Expr, Option<Expr>)>, otherwise: Expr) -> ExprKind {
        let span = otherwise.span;
        let name = self.fresh(span);
        let chosen = || Expr { kind: ExprKind::Identifier(name.text.clone()), span };
        let mut tests = Vec::new();
        let mut values = Vec::new();
        for (i, (condition, then)) in arms.into_iter().enumerate() {
            let start = condition.span;
            let kind = ExprKind::Assign(None, Box::new(chosen()), Box::new(number(i, span)));
            let then_kind = StmtKind::Expr(Expr { kind, span });
            tests.push(Arm { start, condition, then: Box::new(Stmt { kind: then_kind, span: start }) });
            values.extend(then);
        }
        let last = number(tests.len(), span);
        values.push(otherwise);
        let int = TypeSpecifier::Basic(BasicType::Int);
        let declared = declaration(int, name.clone(), Initializer::Expr(last), span);
        let tests = Stmt { kind: StmtKind::Block(self.flat(tests, None, span)), span };
        let items = vec![BlockItem::Declaration(declared), BlockItem::Statement(tests)];
        let mut values: Vec<Option<Expr>> = values.into_iter().map(Some).collect();
        statements(items, among(&mut values, 0, &chosen)).kind
    }

    /// A name that no program has.
    fn fresh(&mut self, span: Span) -> Name {
        self.asides += 1;
        Name { text: format!("__aside_{}", self.asides), span }
    }
}

/// The value with the chosen number, of those that are numbered from `first` on.
fn among(values: &mut [Option<Expr>], first: usize, chosen: &dyn Fn() -> Expr) -> Expr {
    if let [one] = values {
        return one.take().expect("each value is taken once");
    }
    let (low, high) = values.split_at_mut(values.len() / 2);
    let middle = first + low.len();
    let span = chosen().span;
    let test = ExprKind::Binary(BinaryOp::Lt, Box::new(chosen()), Box::new(number(middle, span)));
    let low = among(low, first, chosen);
    let high = among(high, middle, chosen);
    let test = Box::new(Expr { kind: test, span });
    Expr { kind: ExprKind::Conditional(test, Some(Box::new(low)), Box::new(high)), span }
}

/// `({ items; last; })`
fn statements(mut items: Vec<BlockItem>, last: Expr) -> Expr {
    let span = last.span;
    items.push(BlockItem::Statement(Stmt { kind: StmtKind::Expr(last), span }));
    let block = Block { labels: Vec::new(), items, span, end: span };
    Expr { kind: ExprKind::Statements(Box::new(block)), span }
}

fn number(n: usize, span: Span) -> Expr {
    let literal = IntegerLiteral {
        value: n as u64,
        radix: Radix::Decimal,
        unsigned: false,
        length: IntegerLength::Int,
    };
    Expr { kind: ExprKind::Integer(literal), span }
}

/// `type name = initializer;`
fn declaration(ty: TypeSpecifier, name: Name, initializer: Initializer, span: Span) -> Declaration {
    let specifiers = Specifiers {
        storage: None,
        thread_local: None,
        inline: None,
        noreturn: None,
        alignments: Vec::new(),
        qualifiers: Qualifiers::default(),
        ty,
        attributes: Vec::new(),
        span,
    };
    let declarator = Declarator { name: Some(name), derived: Vec::new(), attributes: Vec::new(), span };
    let declared = InitDeclarator { declarator, asm_label: None, initializer: Some(initializer), span };
    Declaration { specifiers, declarators: vec![declared], span }
}
