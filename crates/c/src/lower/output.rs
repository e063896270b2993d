//! What is printed and written: it goes nowhere, always succeeds, and what the function gives back is its length or the
//! character. Where nobody looks at that, only the arguments are evaluated, and the strings among them read.

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

/// For each argument after a format whether it is a string that is read to its end.
fn strings(format: &ast::Expr) -> Vec<bool> {
    let ast::ExprKind::String(literal) = &format.kind else { return Vec::new() };
    let mut strings = Vec::new();
    let mut units = literal.units.iter().map(|&u| u8::try_from(u).unwrap_or(b'?'));
    while units.any(|unit| unit == b'%') {
        let mut whole = true;
        for unit in units.by_ref() {
            match unit {
                b'*' => strings.push(false),
                // With a precision it need not have an end; wide characters are not followed.
                b'.' | b'l' => whole = false,
                b'-' | b'+' | b' ' | b'#' | b'0'..=b'9' | b'h' | b'z' | b'j' | b't' | b'L' | b'\'' => {}
                b'%' => break,
                conversion => {
                    strings.push(whole && conversion == b's');
                    break;
                }
            }
        }
    }
    strings
}

impl<'a> Lowerer<'a> {
    /// Evaluates the arguments of a function whose result nobody looks at, and reads what it prints.
    pub(super) fn printed(&mut self, name: &str, args: &'a [ast::Expr], span: Span) -> Result<()> {
        let format = match name {
            "printf" => 0,
            "fprintf" | "dprintf" => 1,
            _ => return self.evaluate(args),
        };
        let strings = args.get(format).map_or_else(Vec::new, strings);
        for (i, arg) in args.iter().enumerate() {
            match i.checked_sub(format + 1).and_then(|i| strings.get(i)) {
                Some(true) => self.read_string(arg, span)?,
                Some(false) | None => self.evaluate(std::slice::from_ref(arg))?,
            }
        }
        Ok(())
    }

    /// Reads a string to its end, as whoever prints it does.
    pub(super) fn read_string(&mut self, text: &'a ast::Expr, span: Span) -> Result<()> {
        if let ast::ExprKind::String(_) = text.kind {
            return Ok(());
        }
        let text = self.scalar(text)?;
        let text = self.convert(text, &CType::CHAR.pointer_to(), span)?;
        let text = self.keep(text.expr);
        self.put("strlen", vec![text], span)?;
        Ok(())
    }

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
            ("puts" | "fputs" | "fputs_unlocked", [text, rest @ ..]) => {
                self.read_string(text, span)?;
                self.evaluate(rest)?;
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
