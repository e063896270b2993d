//! Clocks and dates. To each thread either hardly any time has passed since the beginning, or very much (`__fencepost_now`),
//! and everybody lives in Greenwich.

use super::build::{number, read, wrapping};
use super::types::default_cells;
use super::{Lowerer, Result};
use crate::hir::{self, TypeId};
use fencepost_ir::tree::{Expr, ExprKind, Place, Type, VarRef};
use fencepost_ir::{IntType, Scalar, Span};
use fencepost_text::Diagnostic;

const LONG_LONG: Scalar = Scalar::Int(IntType { bits: 64, signed: true });

/// Members of a date that are numbers; those after them are 0 in Greenwich.
const NUMBERS: usize = 9;

impl<'h> Lowerer<'h> {
    /// A clock's reading.
    pub fn now(&mut self, span: Span) -> Result<Expr> {
        self.library_value("__fencepost_now", Vec::new(), span)
    }

    /// `time(out)`
    pub fn time(&mut self, out: &'h hir::Expr, span: Span) -> Result<Expr> {
        let now = self.now(span)?;
        let target = self.scalar(out)?;
        if self.fold(&target) != Some(0)
            && let Some(to) = self.hir.types.element(out.ty)
        {
            let target = self.pointed_place(target, to, span)?;
            let scalar = self.scalar_type(to).ok_or_else(|| self.no_values(to, span))?;
            let value = self.wrapped(now.clone(), scalar, span);
            self.assign_place(target, value, span);
        }
        Ok(now)
    }

    /// Where a pointer leads, and its type.
    fn structure(&mut self, out: &'h hir::Expr, span: Span) -> Result<(Place, Type)> {
        let ty = self.before_cast(out).ty;
        let Some(to) = self.hir.types.element(ty) else {
            let message = format!("expected a pointer, not `{}`", self.hir.types.show(ty));
            return Err(Diagnostic::new(self.at(out.span), message));
        };
        let (pointer, _) = self.typed_pointer(out)?;
        let storage = self.stored(to, span)?;
        Ok((self.follow(pointer, storage.clone(), span), storage))
    }

    /// Sets the first member of a structure to a clock's reading, and the others to zero.
    pub fn set_time(&mut self, out: &'h hir::Expr, span: Span) -> Result<()> {
        let now = self.now(span)?;
        let (target, storage) = self.structure(out, span)?;
        for (i, (_, place, scalar)) in self.scalars_of(&target, &storage, span)?.into_iter().enumerate() {
            let value = match i {
                0 => wrapping(now.clone(), scalar, span),
                _ => number(0, scalar, span),
            };
            self.assign_place(place, value, span);
        }
        Ok(())
    }

    /// What a pointer to a time says.
    fn moment(&mut self, time: &'h hir::Expr, span: Span) -> Result<Expr> {
        let (place, storage) = self.structure(time, span)?;
        let scalar = storage.as_scalar().ok_or_else(|| self.no_values(time.ty, span))?;
        Ok(self.keep(wrapping(read(place, scalar, span), LONG_LONG, span)))
    }

    /// `localtime_r(time, out)`
    pub fn calendar_into(&mut self, time: &'h hir::Expr, out: &'h hir::Expr, span: Span) -> Result<Expr> {
        let time = self.moment(time, span)?;
        let (mut date, storage) = self.structure(out, span)?;
        self.stabilise(&mut date);
        self.set_date(&date, &storage, &time, span)?;
        Ok(self.address(date, span))
    }

    /// `localtime(time)`, which gives a pointer of that type: to a structure that all calls share.
    pub fn calendar(&mut self, time: &'h hir::Expr, ty: TypeId, span: Span) -> Result<Expr> {
        let time = self.moment(time, span)?;
        let to = self.hir.types.element(ty).unwrap_or(ty);
        let storage = self.stored(to, span)?;
        let known = |v: &fencepost_ir::tree::Variable| v.name.starts_with("%calendar") && v.ty == storage;
        let variable = match self.program.shared.iter().position(known) {
            Some(id) => VarRef::Shared(fencepost_ir::tree::SharedId(id)),
            None => {
                let init = default_cells(&self.program.records, &storage);
                self.shared_variable("%calendar", storage.clone(), init, span)
            }
        };
        let date = Place::variable(variable, span);
        self.set_date(&date, &storage, &time, span)?;
        Ok(Expr { kind: ExprKind::AddressOf(date), ty: self.pointer(), span })
    }

    fn set_date(&mut self, date: &Place, storage: &Type, time: &Expr, span: Span) -> Result<()> {
        for (i, (_, place, scalar)) in self.fillable(date, storage, span).into_iter().enumerate() {
            let value = match i < NUMBERS {
                true => {
                    let member = number(i as i64, self.int(), span);
                    let value = self.library_value("__fencepost_date", vec![time.clone(), member], span)?;
                    wrapping(value, scalar, span)
                }
                false => number(0, scalar, span),
            };
            self.assign_place(place, value, span);
        }
        Ok(())
    }

    /// `strftime(to, size, format, date)`
    pub fn date_text(&mut self, args: &'h [hir::Expr], span: Span) -> Result<Expr> {
        let [to, size, format, date, ..] = args else { panic!("it takes four operands") };
        let sink = self.sink_memory(to, Some(size), span)?;
        let format = self.text_pointer(format)?;
        let format = self.keep_unless_stable(format);
        let (date, storage) = self.structure(date, span)?;
        let mut given = vec![sink.to, sink.size, format];
        let members = self.fillable(&date, &storage, span);
        if members.len() < NUMBERS {
            return Err(Diagnostic::new(span, "this is not a date"));
        }
        for (_, place, scalar) in members.into_iter().take(NUMBERS - 1) {
            given.push(self.keep(wrapping(read(place, scalar, span), self.int(), span)));
        }
        self.library_value("__fencepost_date_text", given, span)
    }
}
