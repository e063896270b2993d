//! Floating point, as far as nobody looks at it.
//!
//! Programs compute times and averages to print them. Such a value decides nothing that is checked here, so it is not
//! followed: a floating-point variable has its place in memory and its accesses (they may race, and their addresses may
//! be wrong), but all values are one. Where a value would decide anything (a condition, a conversion to an
//! integer, its bytes) the program is refused at that line.

use super::*;
pub(super) use crate::finish::unknown_value;
use fencepost_ir::RecordKind;

/// Functions from numbers to a floating-point number, without their suffixes `f` and `l`.
const FUNCTIONS: &[&str] = &[
    "acos",
    "asin",
    "atan",
    "cos",
    "sin",
    "tan",
    "acosh",
    "asinh",
    "atanh",
    "cosh",
    "sinh",
    "tanh",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "cbrt",
    "fabs",
    "sqrt",
    "erf",
    "erfc",
    "lgamma",
    "tgamma",
    "ceil",
    "floor",
    "nearbyint",
    "rint",
    "round",
    "trunc",
    "atan2",
    "pow",
    "hypot",
    "fmod",
    "remainder",
    "copysign",
    "nextafter",
    "fdim",
    "fmax",
    "fmin",
    "fma",
    "ldexp",
    "scalbn",
    "difftime",
    "drand48",
    "atof",
    "strtod",
];

impl<'a> Lowerer<'a> {
    /// The one value of a floating type.
    pub(super) fn some_number(&mut self, ty: &CType, span: Span) -> Typed {
        let number = self.int_constant(0, ty.unqualified(), span);
        self.notes.numbers.insert((span, number.expr.ty));
        number
    }

    /// Notes where a variable with an initialiser holds such numbers.
    pub(super) fn note_numbers(&mut self, variable: VarRef, ty: &CType, offset: u64) {
        match ty.unqualified().clone() {
            CType::Floating(_) => self.notes.number_cells.push((variable, offset)),
            CType::Array(of, _) => self.note_numbers(variable, &of, offset),
            CType::Record(id) if self.has_floating(ty) => {
                for member in self.members[id.0 as usize].clone() {
                    let field = self.program.records.get(id).fields[member.field].offset;
                    self.note_numbers(variable, &member.ty, offset + field);
                }
            }
            _ => {}
        }
    }

    /// A function that gives a floating-point number, if it is one.
    pub(super) fn floating_call(
        &mut self,
        name: &str,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Result<Option<Value>> {
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let known = FUNCTIONS.contains(&plain);
        let single = plain.strip_suffix('f').is_some_and(|stem| FUNCTIONS.contains(&stem));
        let constant = matches!(plain, "huge_val" | "inf" | "nan");
        let single_constant = matches!(plain, "huge_valf" | "inff" | "nanf");
        let ty = match () {
            _ if known || constant || name == "__VERIFIER_nondet_double" => CType::Floating(8),
            _ if single || single_constant || name == "__VERIFIER_nondet_float" => CType::Floating(4),
            _ => return Ok(None),
        };
        // `strtod` also tells where the number ends.
        if let ("strtod" | "strtof", [_, end]) = (plain, args)
            && !self.constant(end).is_ok_and(|end| end == 0)
        {
            return Err(unknown_value(span));
        }
        self.evaluate(args)?;
        Ok(Some(Value::Scalar(self.some_number(&ty, span))))
    }

    /// A number that becomes one of a floating type: its accesses happen, its value is gone.
    pub(super) fn made_floating(&mut self, value: Typed, ty: &CType, span: Span) -> Result<Typed> {
        if !value.ty.is_integer() && !value.ty.is_floating() {
            let (from, to) = (self.types().show(&value.ty), self.types().show(ty));
            return Err(Diagnostic::new(span, format!("`{from}` does not convert to `{to}`")));
        }
        self.discard(value.expr);
        self.notes.keeps_numbers = true;
        Ok(self.some_number(ty, span))
    }

    /// Arithmetic of which one operand is floating.
    pub(super) fn floating_arithmetic(
        &mut self,
        op: BinaryOp,
        l: Typed,
        r: Typed,
        span: Span,
    ) -> Result<Typed> {
        let is_number = |ty: &CType| ty.is_integer() || ty.is_floating();
        if convert::is_comparison(op) && is_number(&l.ty) && is_number(&r.ty) {
            return Err(unknown_value(span));
        }
        let computes = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div);
        if !computes || !is_number(&l.ty) || !is_number(&r.ty) {
            return Err(convert::wrong_operands(op, span, self.types(), &l.ty, &r.ty));
        }
        let ty = self.types().common(&l.ty, &r.ty);
        self.discard(l.expr);
        self.discard(r.expr);
        Ok(self.some_number(&ty, span))
    }

    /// Refuses pointers by which a floating-point number's bytes could be seen, or be made.
    pub(super) fn keeps_floating(&self, from: &CType, to: &CType, span: Span) -> Result<()> {
        let generic = |ty: &CType| matches!(ty.unqualified(), CType::Void | CType::Record(_));
        if generic(from) || generic(to) || floats(from) == floats(to) {
            return Ok(());
        }
        Err(unknown_value(span))
    }

    /// Refuses a member of a union whose bytes are floating in one member and not in another.
    pub(super) fn keeps_floating_apart(&self, id: fencepost_ir::RecordId, span: Span) -> Result<()> {
        if self.program.records.get(id).kind != RecordKind::Union {
            return Ok(());
        }
        let members = &self.members[id.0 as usize];
        let some = members.iter().any(|m| self.has_floating(&m.ty));
        let all = members.iter().all(|m| floats(&m.ty));
        if some && !all { Err(unknown_value(span)) } else { Ok(()) }
    }

    /// Whether there is a floating-point number in a type.
    pub(super) fn has_floating(&self, ty: &CType) -> bool {
        match ty.unqualified() {
            CType::Record(id) => self.members[id.0 as usize].iter().any(|m| self.has_floating(&m.ty)),
            CType::Array(of, _) => self.has_floating(of),
            ty => ty.is_floating(),
        }
    }
}

/// Whether a type is of floating-point numbers only.
fn floats(ty: &CType) -> bool {
    match ty.unqualified() {
        CType::Array(of, _) => floats(of),
        ty => ty.is_floating(),
    }
}
