//! Pieces of a tree as C text: types, declarations, places, expressions.

use super::{Dialect, Need, Words};
use crate::pointer::{self, Target};
use crate::tree::print::strength;
use crate::tree::{
    Base, BinaryOp, Choices, Conversion, Expr, ExprKind, Place, Procedure, Projection, RecordKind, Type,
    UnaryOp, Variable,
};
use crate::{IntType, Scalar, Span};

const UNARY: u8 = 11;

/// Whether values of the type are numbers that always fit.
fn is_exact(ty: Scalar) -> bool {
    matches!(ty, Scalar::Range { .. } | Scalar::Integer)
}

fn is_comparison(op: BinaryOp) -> bool {
    matches!(strength(op), 6 | 7)
}

/// The strength that operands must have to be without parentheses.
fn asked_of(op: BinaryOp) -> (u8, u8) {
    match op {
        BinaryOp::Or => (3, 3),
        BinaryOp::And => (3, 3),
        BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::BitAnd | BinaryOp::Shl | BinaryOp::Shr => {
            (UNARY, UNARY)
        }
        _ if is_comparison(op) => (8, 8),
        _ => (strength(op), strength(op) + 1),
    }
}

impl Words<'_> {
    /// A scalar type.
    pub fn scalar(&self, ty: Scalar) -> String {
        match self.program.c_words(ty) {
            Some(words) => words.to_string(),
            None => {
                self.context.need(Need::Mutex);
                format!("struct {}mutex", self.context.style.prefix)
            }
        }
    }

    /// The type's name without the dimensions, which follow the variable.
    pub fn type_name(&self, ty: &Type) -> String {
        match ty.innermost() {
            Type::Record(id) => {
                let record = self.program.records.get(*id);
                let keyword = if record.kind == RecordKind::Union { "union" } else { "struct" };
                format!("{keyword} {}", record.name)
            }
            Type::Scalar(scalar) => self.scalar(*scalar),
            Type::Array(..) => unreachable!("the innermost type is no array"),
        }
    }

    /// `type name[dims]`.
    pub fn named(&self, ty: &Type, name: &str) -> String {
        let dims: String = ty.dims().iter().map(|d| format!("[{d}]")).collect();
        let ty = self.type_name(ty);
        let space = if ty.ends_with('*') { "" } else { " " };
        format!("{ty}{space}{name}{dims}")
    }

    /// A type for a cast.
    fn pointer_to(&self, ty: &Type) -> String {
        match ty {
            Type::Array(..) => {
                let dims: String = ty.dims().iter().map(|d| format!("[{d}]")).collect();
                format!("{} (*){dims}", self.type_name(ty))
            }
            Type::Scalar(_) | Type::Record(_) => {
                let name = self.type_name(ty);
                let space = if name.ends_with('*') { "" } else { " " };
                format!("{name}{space}*")
            }
        }
    }

    /// `type name[dims] = init`, without the initialiser where it is zero or anything.
    pub fn declaration(&self, v: &Variable) -> String {
        let head = self.variable(v);
        let layout = self.program.records.layout(&v.ty);
        let zero = |c: &Choices| c.single().is_none_or(|value| value == 0);
        let passed = |ty: Scalar| matches!(ty, Scalar::Thread | Scalar::Mutex);
        if v.init.iter().zip(&layout).all(|(c, cell)| zero(c) || passed(cell.ty)) {
            // A mutex is free at first.
            let mutex = layout.iter().any(|cell| cell.ty == Scalar::Mutex);
            return if mutex { format!("{head} = {{0}}") } else { head };
        }
        let enumerated = self.program.spelled(v).and_then(|s| self.program.spelling.constants(s));
        if let (Some(constants), [Choices(values)]) = (enumerated, &v.init[..])
            && let Some((name, _)) = constants.iter().find(|(_, value)| values[..] == [(*value, *value)])
            && let [(value, _)] = values[..]
            && self.is_called(value, name)
        {
            return format!("{head} = {name}");
        }
        let mut cells =
            v.init.iter().zip(&layout).map(|(c, cell)| self.constant(c.single().unwrap_or(0), cell.ty));
        format!("{head} = {}", self.initializer(&v.ty, &mut cells))
    }

    fn initializer(&self, ty: &Type, cells: &mut impl Iterator<Item = String>) -> String {
        match ty {
            Type::Scalar(Scalar::Mutex) => {
                cells.next();
                "{0}".to_string()
            }
            Type::Scalar(Scalar::Thread) => {
                cells.next();
                "0".to_string()
            }
            Type::Scalar(_) => cells.next().unwrap_or_else(|| "0".to_string()),
            Type::Array(element, n) => {
                let parts: Vec<_> = (0..*n).map(|_| self.initializer(element, cells)).collect();
                format!("{{{}}}", parts.join(", "))
            }
            Type::Record(id) => {
                let fields = &self.program.records.get(*id).fields;
                let parts: Vec<_> = fields.iter().map(|f| self.initializer(&f.ty, cells)).collect();
                format!("{{{}}}", parts.join(", "))
            }
        }
    }

    /// A value.
    fn constant(&self, value: i64, ty: Scalar) -> String {
        match ty {
            Scalar::Pointer { .. } => match pointer::target(value) {
                Target::Null if value == 0 => "(void *)0".to_string(),
                Target::Object(object, 0) => match self.program.shared.get(object as usize) {
                    Some(v) => format!("(void *)&{}", v.name),
                    None => format!("(void *){value}"),
                },
                Target::Object(object, offset) => match self.program.shared.get(object as usize) {
                    Some(v) => format!("(void *)((char *)&{} + {offset})", v.name),
                    None => format!("(void *){value}"),
                },
                Target::Procedure(p) => match self.program.procedures.get(p as usize) {
                    Some(p) => format!("(void *){}", p.name),
                    None => format!("(void *){value}"),
                },
                Target::Null => format!("(void *){value}"),
            },
            Scalar::Int(IntType { bits: 32, signed: true }) if value == i64::from(i32::MIN) => {
                "(-2147483647 - 1)".to_string()
            }
            Scalar::Int(IntType { bits: 64, signed: true }) if value == i64::MIN => {
                "(-9223372036854775807L - 1)".to_string()
            }
            Scalar::Int(IntType { bits: 64, signed: true }) => format!("{value}L"),
            Scalar::Int(IntType { bits: 64, signed: false }) => format!("{}UL", value as u64),
            Scalar::Int(IntType { bits: 32, signed: false }) => format!("{value}U"),
            Scalar::Thread => "0".to_string(),
            _ => value.to_string(),
        }
    }

    /// A place.
    pub fn place(&self, place: &Place) -> String {
        let (pointer, ty) = match &place.base {
            Base::Variable(variable) => {
                let found = self.program.variable(self.procedure, *variable);
                let (name, ty) =
                    found.map_or((String::new(), None), |v| (v.name.clone(), Some(v.ty.clone())));
                return self.path(name, ty, &place.path);
            }
            Base::Pointed(pointer, ty) => (&**pointer, ty),
        };
        match (ty, place.path.split_first()) {
            (Type::Record(id), Some((Projection::Field(i), path))) => {
                let field = &self.program.records.get(*id).fields[*i];
                let text = match self.pointee(pointer, ty) {
                    Some(_) => format!("{}->{}", self.expr(pointer, u8::MAX), field.name),
                    None => {
                        format!("(({}){})->{}", self.pointer_to(ty), self.expr(pointer, UNARY), field.name)
                    }
                };
                self.path(text, Some(field.ty.clone()), path)
            }
            // An array is where its first element is.
            (Type::Array(element, _), Some((Projection::Index(index), path))) => {
                let text = match self.pointee(pointer, element) {
                    Some(_) => self.expr(pointer, u8::MAX),
                    None => format!("(({}){})", self.pointer_to(element), self.expr(pointer, UNARY)),
                };
                let text = format!("{text}[{}]", self.index(index));
                self.path(text, Some((**element).clone()), path)
            }
            (_, path) => {
                let text = match self.pointee(pointer, ty) {
                    Some(_) => format!("*{}", self.expr(pointer, UNARY)),
                    None => format!("*({}){}", self.pointer_to(ty), self.expr(pointer, UNARY)),
                };
                match path {
                    None => text,
                    Some(_) => self.path(format!("({text})"), Some(ty.clone()), &place.path),
                }
            }
        }
    }

    fn path(&self, mut text: String, mut ty: Option<Type>, path: &[Projection]) -> String {
        for step in path {
            match (step, ty) {
                (Projection::Index(index), Some(Type::Array(element, _))) => {
                    text += &format!("[{}]", self.index(index));
                    ty = Some(*element);
                }
                (Projection::Field(i), Some(Type::Record(id))) => {
                    let field = &self.program.records.get(id).fields[*i];
                    text += &format!(".{}", field.name);
                    ty = Some(field.ty.clone());
                }
                _ => return text,
            }
        }
        text
    }

    /// The address of a place.
    pub fn address(&self, place: &Place) -> String {
        match (&place.base, place.path.is_empty()) {
            (Base::Pointed(pointer, _), true) => self.expr(pointer, UNARY),
            _ => format!("&{}", self.place(place)),
        }
    }

    /// An index: C widens it by itself.
    pub fn index(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Convert(Conversion::Wrapping, inner) if matches!((inner.ty, e.ty), (Scalar::Int(from), Scalar::Int(to)) if from.bits < to.bits) => {
                self.expr(inner, 0)
            }
            ExprKind::Const(value) => value.to_string(),
            _ => self.expr(e, 0),
        }
    }

    /// Arguments of a call of one of the program's procedures.
    pub fn call_args(&self, callee: &Procedure, args: &[Expr]) -> String {
        let typed = |(i, a): (usize, &Expr)| {
            let target = callee.locals.get(i).and_then(|p| self.program.spelled(p));
            self.converted(a, target)
        };
        args.iter().enumerate().map(typed).collect::<Vec<_>>().join(", ")
    }

    /// The function that gives any value of a type.
    pub fn nondet(&self, ty: Scalar) -> String {
        let kind = match ty {
            Scalar::Bool => "bool",
            Scalar::Int(IntType { bits: 8, signed: true }) => "char",
            Scalar::Int(IntType { bits: 8, signed: false }) => "uchar",
            Scalar::Int(IntType { bits: 16, signed: true }) => "short",
            Scalar::Int(IntType { bits: 16, signed: false }) => "ushort",
            Scalar::Int(IntType { bits: 64, signed: true }) => "long",
            Scalar::Int(IntType { bits: 64, signed: false }) => "ulong",
            Scalar::Int(IntType { signed: false, .. }) => "uint",
            Scalar::Pointer { .. } => "pointer",
            _ => "int",
        };
        self.context.need(Need::Nondet(ty));
        let start = if self.context.style.dialect == Dialect::Verifier { "__VERIFIER_" } else { "" };
        format!("{start}nondet_{kind}")
    }

    /// The expression, in parentheses if it binds less than `outer` asks for.
    pub fn expr(&self, e: &Expr, outer: u8) -> String {
        let (text, inner) = match &e.kind {
            ExprKind::Const(value) => {
                let name = (e.ty == Scalar::I32).then(|| self.constant_at(e.span, *value)).flatten();
                let text = name.unwrap_or_else(|| self.constant(*value, e.ty));
                let strength = if text.starts_with(['-', '(']) { UNARY } else { u8::MAX };
                (text, strength)
            }
            ExprKind::Read(place) => {
                let text = self.place(place);
                let strength = if text.starts_with('*') { UNARY } else { u8::MAX };
                (text, strength)
            }
            ExprKind::Unary(op, arg) => {
                let symbol = match op {
                    UnaryOp::Neg => "-",
                    UnaryOp::Not | UnaryOp::BitNot => op.symbol(),
                };
                // A truth value becomes an integer first.
                let from_truth = matches!(&arg.kind, ExprKind::Convert(_, inner) if inner.ty == Scalar::Bool);
                let cast = if *op == UnaryOp::BitNot && from_truth { "(int)" } else { "" };
                (format!("{symbol}{cast}{}", self.expr(arg, UNARY + 1)), UNARY)
            }
            ExprKind::Binary(op, left, right) => return self.binary(e, *op, left, right, outer),
            ExprKind::Select(c, t, o) => {
                let typed = [t, o].iter().any(|e| self.pointer_type(e).is_some());
                let arm = |e: &Expr| match typed {
                    true => format!("(void *){}", self.expr(e, UNARY)),
                    false => self.expr(e, 3),
                };
                (format!("{} ? {} : {}", self.expr(c, 3), arm(t), arm(o)), 0)
            }
            // C makes integers of truth values by itself, and converts what fits.
            ExprKind::Convert(_, arg) if arg.ty == e.ty || arg.ty == Scalar::Bool || is_exact(e.ty) => {
                return self.expr(arg, outer);
            }
            ExprKind::Convert(_, arg) => match (&arg.kind, e.ty) {
                (ExprKind::Const(value), Scalar::Int(int)) if matches!(arg.ty, Scalar::Int(_)) => {
                    let number = IntType::wrap(int, arg.ty.meaning(*value));
                    return self.expr(&Expr::constant(number, e.ty, e.span), outer);
                }
                _ => {
                    let long =
                        self.scalar(Scalar::Int(IntType { bits: self.program.pointer_bits, signed: false }));
                    let narrow = |ty| matches!(ty, Scalar::Int(int) if int.bits < self.program.pointer_bits);
                    // Between pointers and narrow integers is one as wide as a pointer.
                    let between = match (arg.ty, e.ty) {
                        (Scalar::Pointer { .. }, to) if narrow(to) => format!("({long})"),
                        (from, Scalar::Pointer { .. }) if narrow(from) => format!("({long})"),
                        _ => String::new(),
                    };
                    (format!("({}){between}{}", self.scalar(e.ty), self.expr(arg, UNARY)), UNARY)
                }
            },
            ExprKind::Any(_) => (format!("{}()", self.nondet(e.ty)), u8::MAX),
            ExprKind::Call(id, args) => {
                let callee = self.program.procedure(*id);
                (format!("{}({})", callee.name, self.call_args(callee, args)), u8::MAX)
            }
            ExprKind::Own => ("pthread_self()".to_string(), u8::MAX),
            ExprKind::AddressOf(place) => {
                let text = self.address(place);
                // An array is its own address, but of another type.
                (format!("(void *){text}"), UNARY)
            }
            ExprKind::Rmw(..) | ExprKind::Spawn(..) | ExprKind::Allocate(..) | ExprKind::Reallocate(..) => {
                panic!("statements have been made of everything that takes one")
            }
        };
        if inner < outer { format!("({text})") } else { text }
    }

    fn binary(&self, e: &Expr, op: BinaryOp, left: &Expr, right: &Expr, outer: u8) -> String {
        let is_pointer = |e: &Expr| matches!(e.ty, Scalar::Pointer { .. });
        if is_pointer(e) || (!is_comparison(op) && is_pointer(left)) {
            let word = self.scalar(Scalar::Int(IntType { bits: self.program.pointer_bits, signed: false }));
            let number = |side: &Expr| match side.kind {
                ExprKind::Const(value) => value.to_string(),
                _ => format!("({word}){}", self.expr(side, UNARY)),
            };
            let text = match op {
                // How far apart two words are, which need not lead into one object.
                BinaryOp::Sub if is_pointer(right) && !matches!(right.kind, ExprKind::Const(_)) => {
                    format!("(void *)({} - {})", number(left), number(right))
                }
                BinaryOp::Add | BinaryOp::Sub if is_pointer(left) => {
                    let offset = match &right.kind {
                        ExprKind::Const(value) => value.to_string(),
                        _ if is_pointer(right) => number(right),
                        _ => self.expr(right, UNARY),
                    };
                    format!("(void *)((char *){} {} {offset})", self.expr(left, UNARY), op.symbol())
                }
                _ => format!("(void *)({} {} {})", number(left), op.symbol(), number(right)),
            };
            return if UNARY < outer { format!("({text})") } else { text };
        }
        if let (BinaryOp::Eq | BinaryOp::Ne, ExprKind::Const(0)) = (op, &right.kind) {
            match &left.kind {
                // Nothing that has a name is at no address.
                ExprKind::AddressOf(Place { base: Base::Variable(_), .. }) => {
                    return if op == BinaryOp::Ne { "1" } else { "0" }.to_string();
                }
                ExprKind::Binary(BinaryOp::BitOr, ..) if op == BinaryOp::Ne => {
                    return format!("!!{}", self.expr(left, UNARY));
                }
                _ => {}
            }
        }
        let (l, r) = asked_of(op);
        let same = |side: &Expr| matches!(side.kind, ExprKind::Binary(o, ..) if o == op);
        let l = if same(left) && !is_comparison(op) { strength(op) } else { l };
        // What a constant is compared with has the type that it needs.
        let side = |e: &Expr, asked| {
            let name = is_comparison(op).then(|| self.constant_name(e)).flatten();
            name.unwrap_or_else(|| self.expr(e, asked))
        };
        // For order compilers want one type on both sides.
        let is_order = is_comparison(op) && !matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        let casts = match is_order {
            true => [left, right].map(|e| self.pointer_type(e).is_some() && !self.same_type(left, right)),
            false => [self.clash(left, right), false],
        };
        let cast = |e: &Expr, cast: bool, asked| match cast {
            true => format!("(void *){}", side(e, UNARY)),
            false => side(e, asked),
        };
        let text = format!("{} {} {}", cast(left, casts[0], l), op.symbol(), cast(right, casts[1], r));
        if strength(op) < outer { format!("({text})") } else { text }
    }

    /// The name of a value at a place.
    pub fn constant_at(&self, span: Span, value: i64) -> Option<String> {
        let name = self.program.spelling.constants.get(&(span, value))?;
        self.is_called(value, name).then(|| name.clone())
    }

    /// Whether a name means the value in the text. It is then needed.
    pub fn is_called(&self, value: i64, name: &str) -> bool {
        let (need, own) = match (self.context.enumerated.get(name), self.program.spelling.macros.get(name)) {
            (Some((id, own)), _) => (Need::Name(*id), *own),
            (None, Some(found)) => (Need::Macro(name.to_string()), found.value),
            (None, None) => return false,
        };
        if own == value {
            self.context.need(need);
        }
        own == value
    }
}
