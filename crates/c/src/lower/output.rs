//! What is printed and written: it goes nowhere, always succeeds, and what the function gives back is its length or the
//! character. Where nobody looks at that, only the arguments are evaluated.

use super::*;
use crate::types::Rank;

/// Functions whose result is a length.
const PRINTERS: &[&str] = &["printf", "fprintf", "dprintf", "vprintf", "vfprintf"];

/// The most that `vprintf` gives where arguments are not followed to it.
const SOME_LENGTH: i64 = 255;

/// Whether a call without a use of its result does nothing.
pub(super) fn only_prints(name: &str) -> bool {
    PRINTERS.contains(&name)
}

impl<'a> Lowerer<'a> {
    /// A function that prints or writes, if it is one.
    pub(super) fn output_call(
        &mut self,
        name: &str,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Result<Option<Value>> {
        let value = match (name, args) {
            ("printf", [format, rest @ ..]) => self.length(format, rest, span)?,
            ("fprintf" | "dprintf", [file, format, rest @ ..]) => {
                self.evaluate(std::slice::from_ref(file))?;
                self.length(format, rest, span)?
            }
            ("vprintf", [format, list]) | ("vfprintf", [_, format, list]) if self.uses_varargs => {
                self.evaluate(&args[..args.len() - 2])?;
                let [to, size] = self.nowhere(span)?;
                let format = self.scalar(format)?;
                let format = self.convert(format, &CType::CHAR.pointer_to(), span)?;
                let format = self.keep(format.expr);
                let list = self.scalar(list)?;
                let list = self.keep(list.expr);
                Value::Scalar(self.put("vsnprintf", vec![to, size, format, list], span)?)
            }
            ("vprintf" | "vfprintf", _) => {
                self.evaluate(args)?;
                Value::Scalar(self.choice(&CType::INT, 0, SOME_LENGTH, span))
            }
            ("putchar" | "putchar_unlocked", [c]) | ("putc" | "fputc", [c, _]) => {
                let byte = self.scalar(c)?;
                let byte = self.convert(byte, &CType::integer(Rank::Char, false), span)?;
                let byte = Typed { expr: self.keep(byte.expr), ..byte };
                self.evaluate(&args[1..])?;
                Value::Scalar(self.convert(byte, &CType::INT, span)?)
            }
            // Any number that is not negative would do.
            ("puts" | "fputs" | "fputs_unlocked", _) => {
                self.evaluate(args)?;
                Value::Scalar(self.choice(&CType::INT, 0, 1, span))
            }
            ("fwrite", [data, size, count, file]) => {
                self.evaluate(std::slice::from_ref(data))?;
                let size = self.scalar(size)?;
                let size = Typed { expr: self.keep(size.expr), ..size };
                let count = self.scalar(count)?;
                let count = self.convert(count, &CType::UNSIGNED_LONG, span)?;
                let count = self.keep(count.expr);
                self.evaluate(std::slice::from_ref(file))?;
                let some = self.truth(size, span);
                let none = Expr::constant(0, count.ty, span);
                let ty = count.ty;
                let kind = ExprKind::Select(Box::new(some), Box::new(count), Box::new(none));
                Value::Scalar(Typed { expr: Expr { kind, ty, span }, ty: CType::UNSIGNED_LONG })
            }
            ("write", [file, data, n]) => {
                self.evaluate(std::slice::from_ref(file))?;
                self.evaluate(std::slice::from_ref(data))?;
                let n = self.scalar(n)?;
                Value::Scalar(self.convert(n, &CType::LONG, span)?)
            }
            ("setlocale", _) => {
                self.evaluate(args)?;
                let literal =
                    ast::StringLiteral { units: vec![u32::from(b'C')], encoding: ast::Encoding::Plain };
                let text = self.string(&literal, span)?;
                self.load(text, span)?
            }
            ("isatty" | "getuid" | "geteuid" | "getgid", _) => {
                self.evaluate(args)?;
                Value::Scalar(self.choice(&CType::INT, 0, 1, span))
            }
            // There may be no such file.
            ("remove" | "unlink", _) => {
                self.evaluate(args)?;
                Value::Scalar(self.choice(&CType::INT, -1, 0, span))
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }
}
