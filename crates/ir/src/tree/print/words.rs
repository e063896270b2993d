//! Pieces of `.fp` text: expressions, places, types, starts, properties.

use crate::layout::Cell;
use crate::tree::*;

/// Pieces of `.fp` text.
#[derive(Clone, Copy)]
pub struct Words<'a> {
    /// The program.
    pub program: &'a Program,
    /// The procedure whose locals are meant.
    pub procedure: Option<&'a Procedure>,
}

/// Binding strength of an operator; higher binds tighter.
pub(in crate::tree) fn strength(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => 1,
        BinaryOp::And => 2,
        BinaryOp::BitOr => 3,
        BinaryOp::BitXor => 4,
        BinaryOp::BitAnd => 5,
        BinaryOp::Eq | BinaryOp::Ne => 6,
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 7,
        BinaryOp::Shl | BinaryOp::Shr => 8,
        BinaryOp::Add | BinaryOp::Sub => 9,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 10,
    }
}

const UNARY_STRENGTH: u8 = 11;

impl Words<'_> {
    /// `start name = process[n](arguments);`.
    pub fn start(&self, thread: &Thread) -> String {
        let procedure = self.program.procedure(thread.procedure);
        let args = if thread.args.is_empty() {
            String::new()
        } else {
            let shown: Vec<_> =
                procedure.locals.iter().zip(&thread.args).map(|(p, a)| show(&p.ty, *a)).collect();
            format!("({})", shown.join(", "))
        };
        let count = match thread.count {
            Count::Times(1) => String::new(),
            Count::Times(n) => format!("[{n}]"),
            Count::Any => "[*]".to_string(),
        };
        let default_name = format!("{}{args}", procedure.name);
        if thread.name == default_name {
            format!("start {}{count}{args};", procedure.name)
        } else {
            format!("start {} = {}{count}{args};", thread.name, procedure.name)
        }
    }

    /// A property.
    pub fn property(&self, property: &Property) -> String {
        match property {
            Property::Forbid(parts, _) => {
                let parts: Vec<_> = parts
                    .iter()
                    .map(|(who, label)| match who {
                        Who::Any => format!("any at {label}"),
                        Who::Runs(p) => format!("{} at {label}", self.program.procedure(*p).name),
                        Who::Thread(t) => format!("{} at {label}", self.program.threads[t.0].name),
                    })
                    .collect();
                format!("forbid {};", parts.join(" and "))
            }
            Property::AtMost(n, label, _) => format!("at most {n} at {label};"),
            Property::Final(quantifier, condition, _) => {
                let quantifier = match quantifier {
                    Quantifier::Exists => "exists",
                    Quantifier::NotExists => "not exists",
                    Quantifier::Forall => "forall",
                };
                format!("final {quantifier} ({});", self.expr(condition, 0))
            }
        }
    }

    /// A place and what is said of the access to it.
    pub fn place(&self, place: &Place) -> String {
        let plain = self.plain_place(place);
        match place.access.name() {
            None => plain,
            Some(name) if plain.starts_with('*') => format!("({plain})@{name}"),
            Some(name) => format!("{plain}@{name}"),
        }
    }

    fn plain_place(&self, place: &Place) -> String {
        let mut path = &place.path[..];
        let mut ty = match &place.base {
            Base::Variable(variable) => self.program.variable(self.procedure, *variable).map(|v| &v.ty),
            Base::Pointed(_, ty) => Some(ty),
        };
        let mut text = match &place.base {
            Base::Variable(variable) => {
                let found = self.program.variable(self.procedure, *variable);
                let name = found.map_or("?".to_string(), |v| v.name.clone());
                match variable {
                    VarRef::Observed(thread, _) => format!("{}.{name}", self.program.threads[thread.0].name),
                    VarRef::Shared(_) | VarRef::ThreadLocal(_) | VarRef::Local(_) => name,
                }
            }
            Base::Pointed(pointer, Type::Record(id))
                if matches!(path.first(), Some(Projection::Field(_))) =>
            {
                let Some(Projection::Field(i)) = path.first() else { return "?".to_string() };
                path = &path[1..];
                let field = &self.program.records.get(*id).fields[*i];
                ty = Some(&field.ty);
                format!("{}->{}", self.expr(pointer, u8::MAX), field.name)
            }
            Base::Pointed(pointer, _) if path.is_empty() => {
                return format!("*{}", self.expr(pointer, UNARY_STRENGTH));
            }
            Base::Pointed(pointer, _) => format!("(*{})", self.expr(pointer, UNARY_STRENGTH)),
        };
        for step in path {
            match (step, ty) {
                (Projection::Index(index), Some(Type::Array(element, _))) => {
                    text += &format!("[{}]", self.expr(index, 0));
                    ty = Some(element);
                }
                (Projection::Field(i), Some(Type::Record(id))) => {
                    let field = &self.program.records.get(*id).fields[*i];
                    text += &format!(".{}", field.name);
                    ty = Some(&field.ty);
                }
                _ => text += "?",
            }
        }
        text
    }

    /// The type's name without the dimensions, which follow the variable.
    pub fn type_name(&self, ty: &Type) -> String {
        match ty.innermost() {
            Type::Record(id) => format!("struct {}", self.program.records.get(*id).name),
            Type::Scalar(scalar) => scalar.to_string(),
            Type::Array(..) => "?".to_string(),
        }
    }

    /// `type name[dims] = init`, without the initialiser where it is the default.
    pub fn declaration(&self, v: &Variable) -> String {
        let dim = |d: &u32| if *d == UNBOUNDED { "[*]".to_string() } else { format!("[{d}]") };
        let dims: String = v.ty.dims().iter().map(dim).collect();
        let head = format!("{} {}{dims}", self.type_name(&v.ty), v.name);
        let layout = self.program.records.layout(&v.ty);
        let is_default = |(c, cell): (&Choices, &Cell)| *c == Choices::one(cell.ty.default_value());
        if v.init.iter().zip(&layout).all(is_default) {
            return head;
        }
        let show = |(c, cell): (&Choices, &Cell)| match c.single() {
            Some(value) => cell.ty.show(value),
            None => any(c, cell.ty),
        };
        let cells: Vec<_> = v.init.iter().zip(&layout).map(show).collect();
        match &cells[..] {
            [one] if matches!(v.ty, Type::Scalar(_)) => format!("{head} = {one}"),
            _ if v.init.iter().all(|c| *c == v.init[0]) => format!("{head} = {}", cells[0]),
            _ => format!("{head} = {{{}}}", cells.join(", ")),
        }
    }

    /// Arguments, without parentheses.
    pub fn args(&self, args: &[Expr]) -> String {
        args.iter().map(|a| self.expr(a, 0)).collect::<Vec<_>>().join(", ")
    }

    /// The expression, in parentheses if it binds less than `outer` asks for.
    pub fn expr(&self, expr: &Expr, outer: u8) -> String {
        let (text, inner) = match &expr.kind {
            ExprKind::Const(value) => {
                let strength = if *value < 0 { UNARY_STRENGTH } else { u8::MAX };
                (expr.ty.show(*value), strength)
            }
            ExprKind::Read(place) => (self.place(place), u8::MAX),
            ExprKind::Unary(op, arg) => {
                let symbol = if *op == UnaryOp::Neg { "-" } else { op.symbol() };
                (format!("{symbol}{}", self.expr(arg, UNARY_STRENGTH + 1)), UNARY_STRENGTH)
            }
            ExprKind::Binary(op, left, right) => {
                let s = strength(*op);
                let connects = matches!(op, BinaryOp::And | BinaryOp::Or);
                // Where a condition is it is clear what is chosen from.
                let side = |e: &Expr, s| match &e.kind {
                    ExprKind::Any(Choices(all))
                        if connects && e.ty == Scalar::Bool && all[..] == [(0, 1)] =>
                    {
                        "any".to_string()
                    }
                    _ => self.expr(e, s),
                };
                (format!("{} {} {}", side(left, s), op.symbol(), side(right, s + 1)), s)
            }
            ExprKind::Select(c, t, e) => {
                (format!("{} ? {} : {}", self.expr(c, 1), self.expr(t, 1), self.expr(e, 0)), 0)
            }
            ExprKind::Convert(Conversion::Checked, arg) => return self.expr(arg, outer),
            ExprKind::Convert(Conversion::Wrapping, arg) => {
                (format!("({}) {}", expr.ty, self.expr(arg, UNARY_STRENGTH)), UNARY_STRENGTH)
            }
            ExprKind::Any(choices) => (any(choices, expr.ty), u8::MAX),
            ExprKind::Rmw(kind, place, operands) => {
                (format!("{}({}, {})", kind.name(), self.place(place), self.args(operands)), u8::MAX)
            }
            ExprKind::Call(id, args) => {
                (format!("{}({})", self.program.procedure(*id).name, self.args(args)), u8::MAX)
            }
            ExprKind::Own => ("self".to_string(), u8::MAX),
            ExprKind::Spawn(id, args, drain) => (
                format!("spawn {}{}({})", nodrain(*drain), self.program.procedure(*id).name, self.args(args)),
                u8::MAX,
            ),
            ExprKind::AddressOf(place) => (format!("&{}", self.place(place)), UNARY_STRENGTH),
            ExprKind::Reallocate(ty, pointer, bytes) => {
                let (ty, pointer, bytes) = (self.type_name(ty), self.expr(pointer, 0), self.expr(bytes, 0));
                (format!("reallocate({ty}, {pointer}, {bytes})"), u8::MAX)
            }
            ExprKind::Allocate(ty, bytes, fill, _) => {
                let zeroed = if *fill == Fill::Zero { ", 0" } else { "" };
                let (ty, bytes) = (self.type_name(ty), self.expr(bytes, 0));
                (format!("allocate({ty}, {bytes}{zeroed})"), u8::MAX)
            }
        };
        if inner < outer { format!("({text})") } else { text }
    }
}

/// `any(...)`, with the values as the type shows them.
fn any(choices: &Choices, ty: Scalar) -> String {
    let number = |v: i64| ty.meaning(v).to_string();
    let ranges: Vec<_> = choices
        .0
        .iter()
        .map(|&(lo, hi)| if lo == hi { number(lo) } else { format!("{}..{}", number(lo), number(hi)) })
        .collect();
    if choices.0 == [(i64::MIN, i64::MAX)] {
        "any".to_string()
    } else {
        format!("any({})", ranges.join(", "))
    }
}

fn show(ty: &Type, value: i64) -> String {
    ty.leaf().map_or_else(|| value.to_string(), |scalar| scalar.show(value))
}

/// What an action says that does not empty the buffer.
pub(super) fn nodrain(drain: Drain) -> &'static str {
    match drain {
        Drain::Yes => "",
        Drain::No => "nodrain ",
    }
}
