//! Names of constants. The tree has numbers; where the user wrote a name, be it of an enumeration or of a macro that is
//! nothing but a number, the name is found in the text at the number's place. It is taken only if it has that value.

use fencepost_ir::Span;
use fencepost_ir::tree::{Expr, ExprKind, Macro, Program, Spelling, TypeName};
use std::collections::{BTreeMap, BTreeSet};

/// The text of a program, and what is a constant in it.
struct Constants<'a> {
    files: Vec<File<'a>>,
    /// Of enumerations.
    enumerated: BTreeSet<(&'a str, i64)>,
    /// Names that are something else.
    taken: BTreeSet<String>,
}

struct File<'a> {
    lines: Vec<&'a str>,
    /// Macros without parameters, with what they stand for; nothing if they are defined twice.
    macros: BTreeMap<&'a str, Option<&'a str>>,
}

/// Notes what the constants of a program are called.
pub fn name(program: &mut Program) {
    let mut spelling = Spelling::default();
    Constants::new(program).note(program, &mut spelling);
    program.spelling.constants = spelling.constants;
    program.spelling.macros = spelling.macros;
}

impl<'a> Constants<'a> {
    /// Those of a program.
    fn new(program: &'a Program) -> Constants<'a> {
        let of = |name: &'a TypeName| match name {
            TypeName::Enumeration { constants, .. } => &constants[..],
            TypeName::Typedef { .. } => &[],
        };
        let constants = program.spelling.names.iter().flat_map(of);
        let enumerated = constants.map(|(name, value)| (&name[..], *value)).collect();
        let variables = program.shared.iter().chain(&program.thread_locals);
        let locals = program.procedures.iter().flat_map(|p| &p.locals);
        let names = variables.chain(locals).map(|v| &v.name);
        let fields = program.records.0.iter().flat_map(|r| &r.fields).map(|f| &f.name);
        let others =
            program.procedures.iter().map(|p| &p.name).chain(program.records.0.iter().map(|r| &r.name));
        let taken = names.chain(fields).chain(others).cloned().collect();
        let files = program.sources.files().map(|file| File::new(program.sources.text(file))).collect();
        Constants { files, enumerated, taken }
    }

    /// The name that begins at a place.
    fn word_at(&self, span: Span) -> Option<String> {
        self.files.get(span.file.0 as usize)?.word_at(span)
    }

    /// Notes the names of the constants in a program.
    fn note(&self, program: &Program, spelling: &mut Spelling) {
        for procedure in &program.procedures {
            procedure.body.visit(&mut |stmt| {
                for e in stmt.kind.expressions() {
                    e.visit(&mut |e| self.note_constant(e, spelling));
                }
            });
        }
        for file in &self.files {
            for (name, body) in &file.macros {
                if let Some(body) = body
                    && let Some(value) = number(body).filter(|_| !self.taken.contains(*name))
                {
                    spelling
                        .macros
                        .entry(name.to_string())
                        .or_insert(Macro { text: body.to_string(), value });
                }
            }
        }
    }

    fn note_constant(&self, e: &Expr, spelling: &mut Spelling) {
        let ExprKind::Const(value) = e.kind else { return };
        let Some(word) = self.word_at(e.span) else { return };
        let body = self.files[e.span.file.0 as usize].macros.get(&word[..]).copied().flatten();
        let known = match self.enumerated.contains(&(&word[..], value)) {
            true => true,
            false => body.and_then(number) == Some(value) && !self.taken.contains(&word),
        };
        if known {
            spelling.constants.insert((e.span, value), word);
        }
    }
}

impl<'a> File<'a> {
    fn new(text: &'a str) -> File<'a> {
        let mut file = File { lines: text.lines().collect(), macros: BTreeMap::new() };
        for line in text.lines() {
            let Some(rest) = line.trim_start().strip_prefix('#') else { continue };
            let Some(rest) = rest.trim_start().strip_prefix("define") else { continue };
            let rest = rest.trim_start();
            let (name, body) = rest.split_at(rest.find(|c| !is_word(c)).unwrap_or(rest.len()));
            let body = body.split("/*").next().and_then(|b| b.split("//").next()).unwrap_or_default();
            let body = (!body.starts_with('(')).then_some(body.trim());
            file.macros.entry(name).and_modify(|known| *known = None).or_insert(body);
        }
        file
    }

    /// The name that begins at a place.
    fn word_at(&self, span: Span) -> Option<String> {
        let line = self.lines.get((span.line as usize).checked_sub(1)?)?;
        let start = line.char_indices().nth((span.column as usize).checked_sub(1)?)?.0;
        let word = |text: &str| text.chars().take_while(|c| is_word(*c)).collect::<String>();
        // The constant of a case is after the word.
        let word = match line[start..].strip_prefix("case ") {
            Some(rest) => word(rest.trim_start()),
            None => word(&line[start..]),
        };
        let own = word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) || word.starts_with("__");
        (!own).then_some(word)
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The value of a number, with parentheses and a sign or without.
fn number(text: &str) -> Option<i64> {
    if let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
        let inner = inner.trim();
        return match inner.strip_prefix('-') {
            Some(rest) => plain(rest.trim())?.checked_neg(),
            None => plain(inner),
        };
    }
    plain(text)
}

/// The value of a literal that is an `int`: others would change the type of what they are in.
fn plain(text: &str) -> Option<i64> {
    let value = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16),
        None if text.len() > 1 && text.starts_with('0') => i64::from_str_radix(text, 8),
        None => text.parse(),
    };
    value.ok().filter(|v| i32::try_from(*v).is_ok() && !text.starts_with(['+', '-']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let all = ["3", "(3)", "( -4 )", "0x1F", "017", "08", "1L", "a", "-4", "1 + 2", "4294967296", "()"];
        let values: Vec<_> = all.map(number).to_vec();
        let some = [Some(3), Some(3), Some(-4), Some(31), Some(15), None, None, None, None, None, None, None];
        assert_eq!(values, some);
    }

    #[test]
    fn macros_that_are_numbers() {
        let text = "#define N 3 /* three */\n# define M(x) x\n#define N2 4\n#ifdef A\n#define B 1\n#else\n#define B 2\n#endif\nint a[N], b[N2];\n";
        let file = File::new(text);
        let of = |name| file.macros.get(name).copied().flatten();
        assert_eq!((of("N"), of("N2")), (Some("3"), Some("4")));
        assert_eq!((of("M"), of("B"), of("C")), (None, None, None));
        let span = |column| Span { line: 9, column, length: 1, ..Span::NONE };
        assert_eq!(file.word_at(span(7)).as_deref(), Some("N"));
        assert_eq!(file.word_at(span(6)), None, "no name");
    }
}
