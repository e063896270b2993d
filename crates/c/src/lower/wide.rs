//! `__int128`: a structure of two words, the lower one first.
//!
//! So it is kept, copied, passed and compared-and-swapped as structures are, and in a union it shares the words of a pointer
//! with its tag, which is what lock-free programs use it for. Of its arithmetic there is all but division and shifts by
//! what is no constant. Where one word is wanted it is the lower one, as in conversions.

use super::*;
use crate::types::Rank;
use fencepost_ir::{Field, IntType};

/// The words of a number, lower and upper, and whether it has a sign.
#[derive(Clone)]
pub(super) struct Wide {
    low: Typed,
    high: Typed,
    signed: bool,
}

impl Wide {
    /// The lower word.
    pub(super) fn lower(self) -> Typed {
        self.low
    }
}

const WORD: CType = CType::integer(Rank::LongLong, false);
const SIGNED_WORD: CType = CType::integer(Rank::LongLong, true);

impl<'a> Lowerer<'a> {
    /// The structure that `__int128` is, with or without a sign.
    pub(super) fn wide_type(&mut self, signed: bool) -> CType {
        let known = self.wide[usize::from(signed)];
        CType::Record(known.unwrap_or_else(|| {
            let id =
                self.new_record(RecordKind::Struct, if signed { "__int128" } else { "unsigned __int128" });
            let word = Type::Scalar(Scalar::Int(IntType { bits: 64, signed: false }));
            let field = |name: &str, offset| Field { name: name.into(), ty: word.clone(), offset };
            let record = &mut self.program.records.0[id.0 as usize];
            record.fields = vec![field("low", 0), field("high", 8)];
            record.size = 16;
            self.alignments[id.0 as usize] = 16;
            self.complete[id.0 as usize] = true;
            self.wide[usize::from(signed)] = Some(id);
            id
        }))
    }

    /// Whether a type is `__int128`, and then whether it has a sign.
    pub(super) fn is_wide(&self, ty: &CType) -> Option<bool> {
        let CType::Record(id) = *ty.unqualified() else { return None };
        self.wide.iter().position(|wide| *wide == Some(id)).map(|signed| signed == 1)
    }

    /// The words of a value that is, or becomes, one of 128 bits, read now.
    pub(super) fn words(&mut self, value: Value, span: Span) -> Result<Wide> {
        match value {
            Value::Scalar(value) if value.ty.is_integer() => {
                let signed = matches!(value.ty.unqualified(), CType::Integer(i) if i.signed);
                let value = Typed { expr: self.keep(value.expr), ty: value.ty };
                let low = self.convert(value, &WORD, span)?;
                let zero = self.int_constant(0, &WORD, span);
                let high = match signed {
                    false => zero,
                    true => {
                        let number = self.convert(low.clone(), &SIGNED_WORD, span)?;
                        let last = self.int_constant(63, &CType::INT, span);
                        let sign = self.arithmetic(BinaryOp::Shr, number, last, span)?;
                        self.convert(sign, &WORD, span)?
                    }
                };
                Ok(Wide { low, high, signed: true })
            }
            Value::Record(place, ty) => match self.is_wide(&ty) {
                Some(signed) => {
                    let [low, high] = [0, 1].map(|field| {
                        let mut place = place.clone();
                        place.path.push(Projection::Field(field));
                        let scalar = Scalar::Int(IntType { bits: 64, signed: false });
                        Expr { kind: ExprKind::Read(place), ty: scalar, span }
                    });
                    let low = Typed { expr: self.keep(low), ty: WORD };
                    let high = Typed { expr: self.keep(high), ty: WORD };
                    Ok(Wide { low, high, signed })
                }
                None => {
                    let message = format!("`{}` cannot be used as a number", self.types().show(&ty));
                    Err(Diagnostic::new(span, message))
                }
            },
            Value::Scalar(value) if value.ty.is_pointer() => {
                let value = self.convert(value, &WORD, span)?;
                self.words(Value::Scalar(value), span)
            }
            Value::Scalar(value) if value.ty.is_floating() => Err(floating::unknown_value(span)),
            Value::Scalar(_) | Value::Void => Err(Diagnostic::new(span, "this is no number")),
        }
    }

    /// The words of an expression, which is converted to 128 bits.
    pub(super) fn words_of(&mut self, e: &'a ast::Expr) -> Result<[Expr; 2]> {
        let value = self.value(e)?;
        let Wide { low, high, .. } = self.words(value, e.span)?;
        Ok([low.expr, high.expr])
    }

    /// A variable that holds a number of 128 bits.
    fn wide_record(&mut self, value: Wide, signed: bool, span: Span) -> Result<(Place, CType)> {
        let ty = self.wide_type(signed);
        let storage = self.types().storage(&ty).ok_or_else(|| self.no_values(&ty, span))?;
        let id = self.local("%wide", storage, span);
        let place = Place::variable(VarRef::Local(id), span);
        for (field, word) in [value.low, value.high].into_iter().enumerate() {
            let mut place = place.clone();
            place.path.push(Projection::Field(field));
            self.emit(StmtKind::Assign(place, word.expr), span);
        }
        Ok((place, ty))
    }

    /// A value as one of 128 bits.
    pub(super) fn widened(&mut self, value: Value, ty: &CType, span: Span) -> Result<Place> {
        let signed = self.is_wide(ty).unwrap_or(false);
        let words = self.words(value, span)?;
        Ok(self.wide_record(words, signed, span)?.0)
    }

    /// Whether a number of 128 bits is not zero.
    pub(super) fn wide_truth(&mut self, value: Value, span: Span) -> Result<Expr> {
        let Wide { low, high, .. } = self.words(value, span)?;
        let both = self.arithmetic(BinaryOp::BitOr, low, high, span)?;
        Ok(self.truth(both, span))
    }

    /// An operator of which an operand has 128 bits.
    pub(super) fn wide_binary(&mut self, op: BinaryOp, l: Wide, r: Wide, span: Span) -> Result<Value> {
        // What has no sign decides, unless it was smaller.
        let signed = l.signed && r.signed;
        if convert::is_comparison(op) {
            return self.wide_comparison(op, l, r, signed, span).map(Value::Scalar);
        }
        let signed = if matches!(op, BinaryOp::Shl | BinaryOp::Shr) { l.signed } else { signed };
        let (low, high) = match op {
            BinaryOp::Add => {
                let low = self.word(BinaryOp::Add, &l.low, &r.low, span)?;
                let carry = self.arithmetic(BinaryOp::Lt, low.clone(), l.low, span)?;
                let high = self.word(BinaryOp::Add, &l.high, &r.high, span)?;
                let high = self.word(BinaryOp::Add, &high, &carry, span)?;
                (low, high)
            }
            BinaryOp::Sub => {
                let borrow = self.arithmetic(BinaryOp::Lt, l.low.clone(), r.low.clone(), span)?;
                let low = self.word(BinaryOp::Sub, &l.low, &r.low, span)?;
                let high = self.word(BinaryOp::Sub, &l.high, &r.high, span)?;
                let high = self.word(BinaryOp::Sub, &high, &borrow, span)?;
                (low, high)
            }
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                (self.word(op, &l.low, &r.low, span)?, self.word(op, &l.high, &r.high, span)?)
            }
            BinaryOp::Mul => {
                let low = self.word(BinaryOp::Mul, &l.low, &r.low, span)?;
                let high = self.upper_product(&l.low, &r.low, span)?;
                let first = self.word(BinaryOp::Mul, &l.low, &r.high, span)?;
                let second = self.word(BinaryOp::Mul, &l.high, &r.low, span)?;
                let high = self.word(BinaryOp::Add, &high, &first, span)?;
                (low, self.word(BinaryOp::Add, &high, &second, span)?)
            }
            BinaryOp::Shl | BinaryOp::Shr => match self.fold(&r.low.expr) {
                Some(by @ 0..128) => self.wide_shift(op, l, by, span)?,
                _ => {
                    let message = "shifting 128 bits by what is no constant is not supported";
                    return Err(Diagnostic::new(span, message));
                }
            },
            _ => return Err(Diagnostic::new(span, "dividing numbers of 128 bits is not supported")),
        };
        let (place, ty) = self.wide_record(Wide { low, high, signed }, signed, span)?;
        Ok(Value::Record(place, ty))
    }

    /// `~` and `-`.
    pub(super) fn wide_unary(&mut self, op: Option<UnaryOp>, value: Wide, span: Span) -> Result<Value> {
        let signed = value.signed;
        let zero = || Value::Scalar(self.int_constant(0, &CType::INT, span));
        match op {
            Some(UnaryOp::Neg) => {
                let zero = zero();
                let zero = Wide { signed, ..self.words(zero, span)? };
                self.wide_binary(BinaryOp::Sub, zero, value, span)
            }
            Some(_) => {
                let low = self.negate(Some(UnaryOp::BitNot), value.low, span)?;
                let high = self.negate(Some(UnaryOp::BitNot), value.high, span)?;
                let (place, ty) = self.wide_record(Wide { low, high, signed }, signed, span)?;
                Ok(Value::Record(place, ty))
            }
            None => {
                let (place, ty) = self.wide_record(value, signed, span)?;
                Ok(Value::Record(place, ty))
            }
        }
    }

    /// `lvalue op= operand`; what it is afterwards.
    pub(super) fn wide_update(
        &mut self,
        mut lvalue: Lvalue,
        op: BinaryOp,
        operand: Value,
        span: Span,
    ) -> Result<Value> {
        if lvalue.ty.is_atomic() {
            return Err(Diagnostic::new(span, "updating an atomic `__int128` is not supported")
                .help("use a compare-exchange"));
        }
        let operand = self.words(operand, span)?;
        self.stabilise(&mut lvalue.place);
        let ty = lvalue.ty.unqualified().clone();
        let old = self.words(Value::Record(lvalue.place.clone(), ty.clone()), span)?;
        let Value::Record(new, _) = self.wide_binary(op, old, operand, span)? else {
            panic!("arithmetic on 128 bits gives 128 bits")
        };
        self.copy(&lvalue.place, &new, &ty, span)?;
        Ok(Value::Record(new, ty))
    }

    /// Arithmetic on words, done now.
    fn word(&mut self, op: BinaryOp, l: &Typed, r: &Typed, span: Span) -> Result<Typed> {
        let r = self.convert(r.clone(), &WORD, span)?;
        let value = self.arithmetic(op, l.clone(), r, span)?;
        Ok(Typed { expr: self.keep(value.expr), ty: value.ty })
    }

    fn wide_comparison(&mut self, op: BinaryOp, l: Wide, r: Wide, signed: bool, span: Span) -> Result<Typed> {
        let same = self.arithmetic(BinaryOp::Eq, l.high.clone(), r.high.clone(), span)?;
        let same = self.truth(same, span);
        let low = self.arithmetic(op, l.low, r.low, span)?;
        let low = self.truth(low, span);
        let (high_l, high_r) = match signed {
            true => (self.convert(l.high, &SIGNED_WORD, span)?, self.convert(r.high, &SIGNED_WORD, span)?),
            false => (l.high, r.high),
        };
        let high = self.arithmetic(op, high_l, high_r, span)?;
        let high = self.truth(high, span);
        // Where the upper words are the same the lower ones decide.
        let kind = ExprKind::Select(Box::new(same), Box::new(low), Box::new(high));
        Ok(self.int_of(Expr { kind, ty: Scalar::Bool, span }))
    }

    fn wide_shift(&mut self, op: BinaryOp, value: Wide, by: i64, span: Span) -> Result<(Typed, Typed)> {
        let Wide { low, high, signed } = value;
        let constant = |this: &Self, n: i64| this.int_constant(n, &CType::INT, span);
        let shifted = |this: &mut Self, op, word: &Typed, by: i64| {
            let by = constant(this, by);
            let moved = this.arithmetic(op, word.clone(), by, span)?;
            this.convert(moved, &WORD, span)
        };
        // What comes in from the left of a number with a sign is its sign.
        let top = match (op, signed) {
            (BinaryOp::Shr, true) => self.convert(high.clone(), &SIGNED_WORD, span)?,
            _ => high.clone(),
        };
        let zero = self.int_constant(0, &WORD, span);
        Ok(match (op, by) {
            (_, 0) => (low, high),
            (BinaryOp::Shl, 64..) => (zero, shifted(self, op, &low, by - 64)?),
            (BinaryOp::Shl, _) => {
                let over = shifted(self, BinaryOp::Shr, &low, 64 - by)?;
                let moved = shifted(self, op, &high, by)?;
                (shifted(self, op, &low, by)?, self.word(BinaryOp::BitOr, &moved, &over, span)?)
            }
            (_, 64..) => {
                let rest = if signed { shifted(self, op, &top, 63)? } else { zero };
                (shifted(self, op, &top, by - 64)?, rest)
            }
            _ => {
                let over = shifted(self, BinaryOp::Shl, &high, 64 - by)?;
                let moved = shifted(self, op, &low, by)?;
                (self.word(BinaryOp::BitOr, &moved, &over, span)?, shifted(self, op, &top, by)?)
            }
        })
    }

    /// The upper word of the product of two words, by their halves.
    fn upper_product(&mut self, l: &Typed, r: &Typed, span: Span) -> Result<Typed> {
        let half = self.int_constant(32, &CType::INT, span);
        let mask = self.int_constant(0xffff_ffff, &WORD, span);
        let low = |this: &mut Self, word: &Typed| this.word(BinaryOp::BitAnd, word, &mask, span);
        let high = |this: &mut Self, word: &Typed| this.word(BinaryOp::Shr, word, &half, span);
        let (l0, l1) = (low(self, l)?, high(self, l)?);
        let (r0, r1) = (low(self, r)?, high(self, r)?);
        let lowest = self.word(BinaryOp::Mul, &l0, &r0, span)?;
        let carry = high(self, &lowest)?;
        let first = self.word(BinaryOp::Mul, &l1, &r0, span)?;
        let first = self.word(BinaryOp::Add, &first, &carry, span)?;
        let (first_low, first_high) = (low(self, &first)?, high(self, &first)?);
        let second = self.word(BinaryOp::Mul, &l0, &r1, span)?;
        let second = self.word(BinaryOp::Add, &second, &first_low, span)?;
        let second_high = high(self, &second)?;
        let product = self.word(BinaryOp::Mul, &l1, &r1, span)?;
        let product = self.word(BinaryOp::Add, &product, &first_high, span)?;
        self.word(BinaryOp::Add, &product, &second_high, span)
    }
}
