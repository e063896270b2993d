//! Values as text.

use super::*;
use std::fmt::Write;

/// Writes to `out`, with the names of one function's locals.
pub struct Printer<'a> {
    pub out: String,
    pub(super) program: &'a Program,
    pub(super) body: Option<&'a Body>,
}

impl<'a> Printer<'a> {
    pub fn new(program: &'a Program, body: Option<&'a Body>) -> Printer<'a> {
        Printer { out: String::new(), program, body }
    }

    pub fn local(&self, id: LocalId) -> String {
        match self.body.map_or("", |body| &body.locals[id].name) {
            "" => format!("%{}", id.index()),
            name => name.to_string(),
        }
    }

    pub fn local_type(&self, id: LocalId) -> String {
        self.body.map_or(String::new(), |body| self.program.types.show(body.locals[id].ty))
    }

    pub fn label(&self, id: LabelId) -> String {
        self.body.map_or(String::new(), |body| body.labels[id].name.clone())
    }

    /// A word and what belongs to it.
    pub fn headed(&mut self, word: &str, e: &Expr) {
        self.out.push_str(word);
        self.expression(e);
    }

    /// An operator and its operand in parentheses.
    fn prefixed(&mut self, operator: &str, e: &Expr) {
        self.headed(operator, e);
        self.out.push(')');
    }

    fn show(&self, ty: TypeId) -> String {
        self.program.types.show(ty)
    }

    fn list(&mut self, args: &[Expr]) {
        self.out.push('(');
        for (i, arg) in args.iter().enumerate() {
            self.out.push_str(if i == 0 { "" } else { ", " });
            self.expression(arg);
        }
        self.out.push(')');
    }

    fn pair(&mut self, l: &Expr, op: &str, r: &Expr) {
        self.headed("(", l);
        let _ = write!(self.out, " {op} ");
        self.expression(r);
        self.out.push(')');
    }

    /// A number of elements, whose type is always the same.
    pub fn count(&mut self, e: &Expr) {
        match e.kind {
            ExprKind::Const(n) | ExprKind::SizeOf(_, n) => {
                let _ = write!(self.out, "{n}");
            }
            _ => self.expression(e),
        }
    }

    pub fn expression(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Const(n) | ExprKind::SizeOf(_, n) if e.ty == self.program.types.int() => {
                let _ = write!(self.out, "{n}");
            }
            ExprKind::Const(n) | ExprKind::SizeOf(_, n) => {
                let _ = write!(self.out, "{n}:{}", self.show(e.ty));
            }
            ExprKind::Number(text) => self.out.push_str(text),
            ExprKind::Read(place) => self.place(place),
            ExprKind::AddressOf(place) => {
                self.out.push('&');
                self.place(place);
            }
            ExprKind::Function(id) => self.out.push_str(&self.program.functions[*id].name),
            ExprKind::LabelAddress(id) => {
                let label = self.label(*id);
                let _ = write!(self.out, "&&{label}");
            }
            ExprKind::Unary(UnaryOp::Minus, arg) => self.prefixed("-(", arg),
            ExprKind::Unary(UnaryOp::BitNot, arg) => self.prefixed("~(", arg),
            ExprKind::Not(arg) => self.prefixed("!(", arg),
            ExprKind::Binary(op, l, r) | ExprKind::Compare(op, l, r) => self.pair(l, op.symbol(), r),
            ExprKind::Logical(Logical::And, l, r) => self.pair(l, "&&", r),
            ExprKind::Logical(Logical::Or, l, r) => self.pair(l, "||", r),
            ExprKind::Offset(pointer, direction, count) => {
                self.headed("(", pointer);
                self.out.push_str(match direction {
                    Direction::Forwards => " +> ",
                    Direction::Backwards => " <- ",
                });
                self.count(count);
                self.out.push(')');
            }
            ExprKind::Distance(l, r) => self.pair(l, "<->", r),
            ExprKind::Conditional(condition, then, otherwise) => {
                self.headed("(", condition);
                self.headed(" ? ", then);
                self.headed(" : ", otherwise);
                self.out.push(')');
            }
            ExprKind::Elvis(l, r) => self.pair(l, "?:", r),
            ExprKind::Convert(how, arg) => {
                let ty = self.show(e.ty);
                let _ = match how {
                    Conversion::Implicit => write!(self.out, "{ty}:("),
                    Conversion::Cast => write!(self.out, "({ty})("),
                };
                self.expression(arg);
                self.out.push(')');
            }
            ExprKind::Assign(place, value) => {
                self.place(place);
                self.headed(" = ", value);
            }
            ExprKind::Update(update) => self.update(update),
            ExprKind::Comma(l, r) => self.pair(l, ",", r),
            ExprKind::Call(callee, args) => self.call(callee, args),
            ExprKind::Builtin(builtin, args) => {
                let _ = write!(self.out, "{builtin:?}");
                self.list(args);
            }
            ExprKind::Atomic(atomic) => self.atomic(atomic),
            ExprKind::Statements(block, value) => self.statements(block, value.as_deref()),
            ExprKind::VaArg(place) => {
                self.out.push_str("va_arg(");
                self.place(place);
                let _ = write!(self.out, ", {})", self.show(e.ty));
            }
            ExprKind::Error => self.out.push_str("<error>"),
        }
    }

    /// Only how many statements there are: the text of a value stays on its line.
    fn statements(&mut self, block: &Block, value: Option<&Expr>) {
        self.out.push_str("({");
        for stmt in &block.items {
            match &stmt.kind {
                StmtKind::Expr(e) => self.expression(e),
                StmtKind::Declare(id, init) => {
                    let local = self.local(*id);
                    self.out.push_str(&local);
                    self.local_initializer(*id, init);
                }
                _ => self.out.push_str("..."),
            }
            self.out.push_str("; ");
        }
        if let Some(value) = value {
            self.expression(value);
        }
        self.out.push_str("})");
    }

    fn update(&mut self, update: &Update) {
        let what = match update.gives {
            Gives::Old => "old ",
            Gives::New => "",
        };
        self.out.push_str(what);
        self.place(&update.place);
        let _ = write!(self.out, " {}={{{}}} ", update.op.symbol(), self.show(update.computed_in));
        self.expression(&update.operand);
    }

    fn call(&mut self, callee: &Callee, args: &[Expr]) {
        match callee {
            Callee::Function(id) => self.out.push_str(&self.program.functions[*id].name),
            Callee::Intrinsic(intrinsic) => {
                let _ = write!(self.out, "<{intrinsic}>");
            }
            Callee::Pointer(pointer) => {
                self.headed("(*", pointer);
                self.out.push(')');
            }
        }
        self.list(args);
    }

    fn atomic(&mut self, atomic: &Atomic) {
        let (name, places, values): (_, Vec<&Place>, Vec<&Expr>) = match &atomic.op {
            AtomicOp::Load(place) => ("load".into(), vec![place], vec![]),
            AtomicOp::Store(place, value) => ("store".into(), vec![place], vec![value]),
            AtomicOp::Init(place, value) => ("init".into(), vec![place], vec![value]),
            AtomicOp::Exchange(place, value) => ("exchange".into(), vec![place], vec![value]),
            AtomicOp::CompareExchange { place, expected, desired } => {
                ("compare_exchange".into(), vec![place, expected], vec![desired])
            }
            AtomicOp::CompareSwap { place, expected, desired, gives } => {
                (format!("compare_swap_{gives:?}").to_lowercase(), vec![place], vec![expected, desired])
            }
            AtomicOp::Fetch { place, op, operand, gives } => {
                (format!("fetch_{op:?}_{gives:?}").to_lowercase(), vec![place], vec![operand])
            }
            AtomicOp::TestAndSet(place) => ("test_and_set".into(), vec![place], vec![]),
            AtomicOp::Clear(place) => ("clear".into(), vec![place], vec![]),
            AtomicOp::Fence => ("fence".into(), vec![], vec![]),
            AtomicOp::SignalFence => ("signal_fence".into(), vec![], vec![]),
        };
        let name: String = name;
        let _ = write!(self.out, "atomic_{name}(");
        for place in places {
            self.place(place);
            self.out.push_str(", ");
        }
        for value in values {
            self.expression(value);
            self.out.push_str(", ");
        }
        self.order(&atomic.order);
        if let Some(failure) = &atomic.failure {
            self.out.push_str(", ");
            self.order(failure);
        }
        self.out.push(')');
    }

    fn order(&mut self, order: &OrderOf) {
        match order {
            OrderOf::Known(order) => self.out.push_str(order.name()),
            OrderOf::Computed(e) => self.expression(e),
        }
    }

    pub fn asm(&mut self, asm: &Asm) {
        let word = if asm.is_goto { "asm goto" } else { "asm" };
        let _ = write!(self.out, "{word} {:?}", asm.template);
        for output in &asm.outputs {
            let _ = write!(self.out, " {:?} ", output.constraint);
            self.place(&output.place);
        }
        for input in &asm.inputs {
            let _ = write!(self.out, " {:?} ", input.constraint);
            match &input.operand {
                AsmOperand::Value(e) => self.expression(e),
                AsmOperand::Place(place) => self.place(place),
            }
        }
        for clobber in &asm.clobbers {
            let _ = write!(self.out, " {clobber:?}");
        }
        for label in &asm.labels {
            let label = self.label(*label);
            let _ = write!(self.out, " {label}");
        }
    }
}
