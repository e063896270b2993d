//! `for` and `switch` of C. The tree has neither: a `for` is a `while` whose body ends with the step, a `switch` a row of
//! tests with jumps before the statements that they lead to. What has this form means the same when it is written as one of
//! C's statements, whoever wrote it, so only looks depend on what is recognised here.

use crate::body::{Body, Loop, Result, negation};
use crate::flow::continues;
use fencepost_ir::tree::{
    Base, BinaryOp, Block, Conversion, Expr, ExprKind, LocalId, Place, Stmt, StmtKind, VarRef,
};
use fencepost_ir::{Scalar, Span};

/// A `while` that can be written as a `for`.
pub struct For<'t> {
    condition: &'t Expr,
    /// All of the loop's statements, with the step.
    whole: &'t Block,
    body: &'t [Stmt],
    step: &'t [Stmt],
    /// The label before the step, to which `continue` jumps.
    next: Option<&'t str>,
}

/// Tests with jumps that can be written as a `switch`.
pub struct Switch<'t> {
    value: &'t Expr,
    /// From, to, label.
    cases: Vec<(&'t Expr, &'t Expr, &'t str)>,
    default: Option<&'t str>,
    /// The label behind it.
    end: &'t str,
    region: &'t [Stmt],
    /// The number of statements that it takes, with the label.
    pub length: usize,
}

impl Body<'_> {
    /// The `for` that a statement is; the statements before may have its initialisation.
    pub fn for_loop<'t>(&self, stmt: &'t Stmt) -> Option<For<'t>> {
        let StmtKind::While(condition, whole) = &stmt.kind else { return None };
        let stmts = &whole.0[..];
        let is_next = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Label(l) if self.is_made(l, "next"));
        if let Some(label) = stmts.iter().rposition(is_next) {
            let StmtKind::Label(next) = &stmts[label].kind else { return None };
            let (body, step) = (&stmts[..label], &stmts[label + 1..]);
            let simple = !step.is_empty() && step.iter().all(|stmt| self.is_simple(stmt));
            return simple.then_some(For { condition, whole, body, step, next: Some(next) });
        }
        if continues(whole) {
            return None;
        }
        // The step stands before the body, in the same parentheses as the condition.
        let is_step = |s: &Stmt| self.is_simple(s) && self.in_one_head(stmt.span, s.span);
        let body = stmts.iter().rposition(|stmt| !is_step(stmt)).map_or(0, |last| last + 1);
        let (body, step) = stmts.split_at(body);
        (!step.is_empty()).then_some(For { condition, whole, body, step, next: None })
    }

    /// Whether nothing between two places of a line leaves the parentheses that the first one is in.
    fn in_one_head(&self, from: Span, to: Span) -> bool {
        let Some(line) = self.translator.original.sources.line(from) else { return false };
        let (start, end) = (from.column as usize - 1, (to.column as usize).saturating_sub(1));
        if (from.file, from.line) != (to.file, to.line) || start >= end {
            return false;
        }
        let mut depth = 0;
        let mut inside = line.chars().skip(start).take(end - start);
        inside.all(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth >= 0 && c != '{'
        })
    }

    /// Whether a statement can begin a `for` that the next one is: it sets a variable that the loop looks at.
    pub fn begins(&self, stmt: &Stmt, next: &For<'_>, after: &[Stmt]) -> bool {
        let (id, value) = match &stmt.kind {
            StmtKind::Declare(id, Some(value)) => (*id, value),
            StmtKind::Assign(Place { base: Base::Variable(VarRef::Local(id)), path, .. }, value)
                if path.is_empty() =>
            {
                (*id, value)
            }
            _ => return false,
        };
        let declares = matches!(stmt.kind, StmtKind::Declare(..)) && !self.early.contains(&id);
        let counts = next.step.iter().any(|step| mentions(step, id));
        let any = matches!(value.kind, ExprKind::Any(_));
        let later = after.iter().any(|stmt| {
            let mut found = false;
            Block(vec![stmt.clone()]).visit(&mut |stmt| found |= mentions(stmt, id));
            found
        });
        let scalar = self.procedure.locals[id.0].ty.as_scalar().is_some();
        counts
            && scalar
            && !any
            && !self.has_effects(value)
            && !(declares && later)
            && stmt.span.line == next.condition.span.line
    }

    /// Writes a `for`, with its initialisation if there is one.
    pub fn write_for(&mut self, init: Option<&Stmt>, f: &For<'_>) -> Result<()> {
        let init = match init.map(|stmt| &stmt.kind) {
            Some(StmtKind::Declare(id, Some(value))) if !self.early.contains(id) => {
                self.take_name_back(*id, f);
                let v = self.procedure.locals[id.0].clone();
                let value = self.value(value)?;
                format!("{} = {}", self.c_words().variable(&v), self.expr_to_local(&value, *id))
            }
            Some(StmtKind::Declare(id, Some(value))) => {
                let value = self.value(value)?;
                format!("{} = {}", self.procedure.locals[id.0].name, self.expr_to_local(&value, *id))
            }
            Some(StmtKind::Assign(place, value)) => self.step_text(place, value)?,
            _ => String::new(),
        };
        let mut steps = Vec::new();
        for stmt in f.step {
            let StmtKind::Assign(place, value) = &stmt.kind else { continue };
            steps.push(self.step_text(place, value)?);
        }
        let steps = steps.join(", ");
        let always = matches!(f.condition.kind, ExprKind::Const(1));
        let tested = self.has_effects(f.condition);
        let condition = match tested || always {
            true => String::new(),
            false => format!(" {}", self.expr(f.condition)),
        };
        let space = if steps.is_empty() { "" } else { " " };
        self.line(format!("for ({init};{condition};{space}{steps}) {{"));
        self.loops.push(Loop { again: None, next: f.next.map(str::to_string), leave: None });
        self.indent += 1;
        if tested {
            let condition = self.value(f.condition)?;
            self.line(format!("if ({}) {{", self.expr(&negation(condition))));
            self.line("    break;");
            self.line("}");
        } else if !self.surely_switches(f.whole) {
            self.switch();
        }
        self.statements(f.body)?;
        if self.lines.last().is_some_and(|l| l.ends_with('{')) {
            self.line(";");
        }
        self.indent -= 1;
        self.loops.pop();
        self.line("}");
        Ok(())
    }

    /// A variable that only the loop knows has the user's name, if no other variable of that name is used in it.
    fn take_name_back(&mut self, id: LocalId, f: &For<'_>) {
        let procedures = &self.translator.original.procedures;
        let Some(v) = procedures.get(self.id.0).and_then(|p| p.locals.get(id.0)) else { return };
        let namesakes: Vec<LocalId> = (0..self.procedure.locals.len())
            .filter(|i| self.procedure.locals[*i].name == v.name)
            .map(LocalId)
            .collect();
        let mut used = false;
        let mut look =
            |stmt: &Stmt| used |= namesakes.iter().any(|other| *other != id && mentions(stmt, *other));
        f.whole.visit(&mut look);
        look(&Stmt { kind: StmtKind::Eval(f.condition.clone()), span: f.condition.span });
        // No local variable has the name of something global.
        if !namesakes.is_empty() && !used {
            self.procedure.locals[id.0].name = v.name.clone();
        }
    }

    fn step_text(&mut self, place: &Place, value: &Expr) -> Result<String> {
        let own = |e: &Expr| matches!(&e.kind, ExprKind::Read(read) if read.base == place.base && read.path == place.path);
        if let ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), left, right) = &value.kind
            && own(left)
            && left.ty == value.ty
            && matches!(right.kind, ExprKind::Const(1))
        {
            let sign = if *op == BinaryOp::Add { "++" } else { "--" };
            return Ok(format!("{}{sign}", self.place_text(place)));
        }
        let value = self.value(value)?;
        Ok(format!("{} = {}", self.place_text(place), self.expr_to(&value, place)))
    }

    /// Whether a statement sets a local variable and does nothing else.
    fn is_simple(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                matches!(place.base, Base::Variable(VarRef::Local(_)))
                    && place.path.is_empty()
                    && place.expressions().next().is_none()
                    && !self.has_effects(value)
                    && !matches!(value.kind, ExprKind::Any(_))
            }
            _ => false,
        }
    }

    /// Whether the front end made the label.
    pub fn is_made(&self, label: &str, what: &str) -> bool {
        self.made_number(label, what).is_some()
    }

    fn made_number(&self, label: &str, what: &str) -> Option<u32> {
        label.strip_prefix(&self.translator.prefix)?.strip_prefix(what)?.parse().ok()
    }

    /// The `switch` that the statements begin with.
    pub fn switch_at<'t>(&self, stmts: &'t [Stmt]) -> Option<Switch<'t>> {
        let mut cases = Vec::new();
        let mut value = None;
        for stmt in stmts {
            let Some((tested, from, to, label)) = self.case(stmt) else { break };
            if *value.get_or_insert(tested) != tested {
                return None;
            }
            cases.push((from, to, label));
        }
        let value = value?;
        let StmtKind::Goto(otherwise) = &stmts.get(cases.len())?.kind else { return None };
        let first = cases.len() + 1;
        let number = |label: &str| self.made_number(label, "case");
        let lowest = cases.iter().filter_map(|(.., label)| number(label)).min()?;
        // The front end numbers the end of a switch before its cases.
        let mut end: Option<(u32, usize, &str)> = None;
        for (i, stmt) in stmts.iter().enumerate().skip(first) {
            if let StmtKind::Label(label) = &stmt.kind
                && let Some(n) = self.made_number(label, "end").filter(|n| *n < lowest)
                && end.is_none_or(|(best, ..)| n > best)
            {
                end = Some((n, i, label));
            }
        }
        let (_, last, end) = end?;
        let region = &stmts[first..last];
        let placed = |label: &str| region.iter().any(|s| matches!(&s.kind, StmtKind::Label(l) if l == label));
        let default = (otherwise != end).then_some(&otherwise[..]);
        let labels: Vec<&str> = cases.iter().map(|(.., label)| *label).chain(default).collect();
        let begins = matches!(&region.first()?.kind, StmtKind::Label(l) if labels.contains(&&l[..]));
        let whole = begins && labels.iter().all(|l| placed(l)) && !breaks(region);
        whole.then_some(Switch { value, cases, default, end, region, length: last + 1 })
    }

    /// `if (value == constant) goto label`, or with a range.
    fn case<'t>(&self, stmt: &'t Stmt) -> Option<(&'t Expr, &'t Expr, &'t Expr, &'t str)> {
        let StmtKind::If(test, then, otherwise) = &stmt.kind else { return None };
        let [Stmt { kind: StmtKind::Goto(label), .. }] = &then.0[..] else { return None };
        if !otherwise.0.is_empty() || !self.is_made(label, "case") || self.has_effects(test) {
            return None;
        }
        let compared = |e: &'t Expr, asked: BinaryOp| {
            let e = without_conversions(e);
            let ExprKind::Binary(op, left, right) = &e.kind else { return None };
            (*op == asked && matches!(right.kind, ExprKind::Const(_))).then_some((&**left, &**right))
        };
        if let ExprKind::Binary(BinaryOp::And, low, high) = &test.kind {
            let ((value, from), (other, to)) = (compared(low, BinaryOp::Ge)?, compared(high, BinaryOp::Le)?);
            return (value == other).then_some((value, from, to, label));
        }
        let (value, constant) = compared(test, BinaryOp::Eq)?;
        Some((value, constant, constant, label))
    }

    /// Whether the value is of an enumeration, to the compiler.
    fn is_enumerated(&self, value: &Expr) -> bool {
        let ExprKind::Read(place) = &without_conversions(value).kind else { return false };
        let words = self.c_words();
        let spelled = words.spelled_place(place);
        spelled.is_some_and(|s| self.translator.program.spelling.constants(s).is_some())
    }

    /// Whether a statement sets a variable that holds nothing but the value of the switch behind it.
    pub fn is_value_of(&self, stmt: &Stmt, s: &Switch<'_>, after: &[Stmt]) -> bool {
        let StmtKind::Declare(id, Some(_)) = &stmt.kind else { return false };
        let tested = matches!(&s.value.kind, ExprKind::Read(place)
            if place.path.is_empty() && place.base == Base::Variable(VarRef::Local(*id)));
        let mut used = false;
        let mut look = |stmt: &Stmt| used |= mentions(stmt, *id);
        s.region.iter().chain(after).for_each(|stmt| Block(vec![stmt.clone()]).visit(&mut look));
        tested && !used && !self.early.contains(id)
    }

    /// Writes a `switch`, on the value that a statement before it keeps, or on its own.
    pub fn write_switch(&mut self, kept: Option<&Stmt>, s: &Switch<'_>) -> Result<()> {
        for (from, to, label) in &s.cases {
            let of = |value| self.argument(value);
            let text = match from.kind == to.kind {
                true => format!("case {}:", of(from)),
                false => format!("case {} ... {}:", of(from), of(to)),
            };
            self.cases.insert(label.to_string(), text);
        }
        if let Some(default) = s.default {
            self.cases.insert(default.to_string(), "default:".to_string());
        }
        let value = match kept.map(|stmt| &stmt.kind) {
            Some(StmtKind::Declare(id, Some(value))) => self.whole_value(value, *id)?,
            _ => self.expr(s.value),
        };
        // Compilers ask for a case for each constant of an enumeration.
        let enumerated = match kept.map(|stmt| &stmt.kind) {
            Some(StmtKind::Declare(_, Some(value))) => self.is_enumerated(value),
            _ => self.is_enumerated(s.value),
        };
        let value = match enumerated {
            true => format!("({}){value}", self.type_text(s.value.ty)),
            false => value,
        };
        self.line(format!("switch ({value}) {{"));
        let outer = self.loops.last().cloned().unwrap_or_default();
        self.loops.push(Loop { leave: Some(s.end.to_string()), ..outer });
        self.indent += 1;
        self.statements(s.region)?;
        self.indent -= 1;
        self.loops.pop();
        // A case that is the last has a statement.
        if self.lines.last().is_some_and(|l| l.ends_with(':')) {
            self.indent += 1;
            self.line(";");
            self.indent -= 1;
        }
        self.line("}");
        if self.jumped.contains(s.end) {
            self.label(s.end);
        }
        Ok(())
    }
}

fn without_conversions(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Convert(Conversion::Wrapping | Conversion::Checked, inner) if inner.ty == Scalar::Bool => {
            without_conversions(inner)
        }
        ExprKind::Binary(BinaryOp::Ne, inner, zero)
            if matches!(zero.kind, ExprKind::Const(0)) && matches!(inner.kind, ExprKind::Convert(..)) =>
        {
            without_conversions(inner)
        }
        _ => e,
    }
}

/// Whether the first statement that speaks of a local variable, but for its declaration, gives it a value.
pub fn is_set_first(body: &Block, id: LocalId) -> bool {
    let mut first = None;
    body.visit(&mut |stmt| {
        let declares = matches!(stmt.kind, StmtKind::Declare(declared, _) if declared == id);
        if first.is_none() && !declares && mentions(stmt, id) {
            let mut reads = false;
            for e in stmt.kind.expressions() {
                let inner = Stmt { kind: StmtKind::Eval(e.clone()), span: stmt.span };
                reads |= mentions(&inner, id);
            }
            first = Some(matches!(stmt.kind, StmtKind::Assign(..)) && !reads);
        }
    });
    first.unwrap_or(true)
}

/// Whether a statement speaks of a local variable; not what stands in its blocks.
fn mentions(stmt: &Stmt, id: LocalId) -> bool {
    let own = |place: &Place| place.base == Base::Variable(VarRef::Local(id));
    let mut found = match &stmt.kind {
        StmtKind::Assign(place, _)
        | StmtKind::Lock(place)
        | StmtKind::Unlock(place)
        | StmtKind::Join(Some(place), _) => own(place),
        StmtKind::Declare(declared, _) => *declared == id,
        _ => false,
    };
    for e in stmt.kind.expressions() {
        e.visit(&mut |e| {
            if let ExprKind::Read(place) | ExprKind::AddressOf(place) | ExprKind::Rmw(_, place, _) = &e.kind {
                found |= own(place);
            }
        });
    }
    found
}

/// Whether a `break` of a loop around the statements stands in them.
fn breaks(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break => true,
        StmtKind::If(_, then, otherwise) => breaks(&then.0) || breaks(&otherwise.0),
        StmtKind::Choose(blocks) => blocks.iter().any(|b| breaks(&b.0)),
        StmtKind::Atomic(_, block) | StmtKind::Block(block) => breaks(&block.0),
        _ => false,
    })
}
