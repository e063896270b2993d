//! `for` and `switch`: what is in their heads, and the jumps that are `continue`, `break` and cases.

use super::Words;
use super::assignments::is_action;
use super::statements::{Body, Loop};
use crate::Scalar;
use crate::tree::forms::{self, For, Switch};
use crate::tree::{Base, BinaryOp, Block, Conversion, Expr, ExprKind, Place, Stmt, StmtKind, VarRef};

impl<'a> Body<'a> {
    /// Whether all jumps to a label are written as `continue` in the loop that has this body.
    pub fn is_only_continued(&self, label: &str, body: &Block) -> bool {
        let mut inside = 0;
        body.visit(&mut |stmt| {
            inside += usize::from(matches!(&stmt.kind, StmtKind::Goto(l) if l == label));
        });
        inside == self.jumps.get(label).copied().unwrap_or(0) && forms::jumps_are_direct(body, label)
    }

    /// Whether what is in the head of a `for` can be written there.
    pub fn is_for(&self, f: &For<'_>) -> bool {
        let set = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Assign(place, value) => {
                place.local().is_some() && place.path.is_empty() && value.only_computes()
            }
            StmtKind::Declare(id, Some(value)) => {
                !self.unread.contains(id)
                    && self.procedure.locals[id.0].ty.as_scalar().is_some()
                    && value.only_computes()
            }
            _ => false,
        };
        let steps = f.step.iter().all(|stmt| matches!(stmt.kind, StmtKind::Assign(..)) && set(stmt));
        steps
            && f.init.last().is_none_or(set)
            && f.next.is_none_or(|next| self.is_only_continued(next, f.whole))
    }

    pub fn for_loop(&mut self, f: &For<'a>) {
        let words = self.words;
        // Only one statement has room in the head.
        let (init, before) = match f.init.split_last() {
            Some((init, before)) => (Some(init), before),
            None => (None, f.init),
        };
        if !before.is_empty() {
            self.line("{");
            self.indent += 1;
            self.statements(before);
        }
        let init = match init.map(|stmt| &stmt.kind) {
            Some(StmtKind::Declare(id, Some(value))) => {
                let v = &self.procedure.locals[id.0];
                let text = words.converted_to(value, &Place::variable(VarRef::Local(*id), v.span));
                match self.early.contains(id) {
                    true => format!("{} = {text}", v.name),
                    false => format!("{} = {text}", words.variable(v)),
                }
            }
            Some(StmtKind::Assign(place, value)) => words.step(place, value),
            _ => String::new(),
        };
        let step = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Assign(place, value) => words.step(place, value),
            _ => String::new(),
        };
        let steps = f.step.iter().map(step).collect::<Vec<_>>().join(", ");
        let condition = match f.condition.kind {
            ExprKind::Const(1) => String::new(),
            _ => format!(" {}", words.expr(f.condition, 0)),
        };
        self.line(format!("for ({init};{condition}; {steps}) {{"));
        self.loops.push(Loop { next: f.next.map(str::to_string), leave: None });
        self.inner(f.body);
        self.loops.pop();
        self.line("}");
        if !before.is_empty() {
            self.indent -= 1;
            self.line("}");
        }
    }

    pub fn switch(&mut self, s: &Switch<'a>) {
        let words = self.words;
        for case in &s.cases {
            let of = |value| words.converted(value, None);
            let text = match case.from.kind == case.to.kind {
                true => format!("case {}:", of(case.from)),
                false => format!("case {} ... {}:", of(case.from), of(case.to)),
            };
            self.cases.insert(case.label.to_string(), text);
        }
        if let Some(default) = s.default {
            self.cases.insert(default.to_string(), "default:".to_string());
        }
        // A variable that holds nothing but the value is not needed.
        let (before, value) = match s.before.split_last() {
            Some((kept, before)) if self.is_value_of(kept, s) => match &kept.kind {
                StmtKind::Declare(_, Some(value)) => (before, value),
                _ => (s.before, s.value),
            },
            _ => (s.before, s.value),
        };
        if !before.is_empty() {
            self.line("{");
            self.indent += 1;
            self.statements(before);
        }
        let text = match words.is_enumerated(value) {
            // Compilers ask for a case for each constant of an enumeration.
            true => format!("({}){}", words.scalar(s.value.ty), words.expr(value, u8::MAX)),
            false => words.expr(value, 0),
        };
        self.line(format!("switch ({text}) {{"));
        let outer = self.loops.last().cloned().unwrap_or_default();
        self.loops.push(Loop { leave: Some(s.end.to_string()), ..outer });
        self.indent += 1;
        self.statements(s.region);
        // A case that is the last has a statement.
        if self.lines.last().is_some_and(|l| l.ends_with(':')) {
            self.line(";");
        }
        self.indent -= 1;
        self.loops.pop();
        self.line("}");
        if !before.is_empty() {
            self.indent -= 1;
            self.line("}");
        }
        if self.jumped.contains(s.end) {
            self.label(s.end);
        }
    }

    /// Whether a statement sets a variable that holds nothing but the value of the switch after it.
    fn is_value_of(&self, stmt: &Stmt, s: &Switch<'_>) -> bool {
        let StmtKind::Declare(id, Some(value)) = &stmt.kind else { return false };
        let tested = matches!(&s.value.kind, ExprKind::Read(place)
            if place.path.is_empty() && place.base == Base::Variable(VarRef::Local(*id)));
        let mut uses = 0;
        self.procedure.body.visit(&mut |stmt| uses += usize::from(stmt.mentions(*id)));
        tested && uses == s.cases.len() + 1 && !self.early.contains(id) && !is_action(value)
    }
}

impl Words<'_> {
    /// What a local variable gets in the head of a `for`.
    fn step(&self, place: &Place, value: &Expr) -> String {
        let own = |e: &Expr| matches!(&e.kind, ExprKind::Read(read) if read.base == place.base && read.path == place.path);
        let value = match &value.kind {
            ExprKind::Convert(Conversion::Checked, inner) => inner,
            _ => value,
        };
        if let ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), left, right) = &value.kind
            && own(left)
            && (left.ty == value.ty || value.ty == Scalar::Integer)
            && !matches!(value.ty, Scalar::Pointer { .. })
            && matches!(right.kind, ExprKind::Const(1))
        {
            let sign = if *op == BinaryOp::Add { "++" } else { "--" };
            return format!("{}{sign}", self.place(place));
        }
        format!("{} = {}", self.place(place), self.converted_to(value, place))
    }

    /// Whether the value is of an enumeration, to the compiler.
    fn is_enumerated(&self, value: &Expr) -> bool {
        let ExprKind::Read(place) = &forms::as_truth(value).kind else { return false };
        self.spelled_place(place).is_some_and(|s| self.program.spelling.constants(s).is_some())
    }
}
