//! The text of assembly, taken apart: lines of labels and instructions with their operands, in AT&T's syntax.
//!
//! Directives say where code lies and mean nothing here; what kernels put into another section (the places of their
//! `lock`s) is left out. A prefix may be on a line of its own.

use super::mnemonic::{Operation, mnemonic};

/// What the operands and labels of assembly are called.
#[derive(Default)]
pub struct Names<'a> {
    /// Outputs and inputs.
    pub operands: Vec<Option<&'a str>>,
    pub labels: Vec<&'a str>,
}

impl Names<'_> {
    /// The number of the operand of a name.
    pub fn operand(&self, name: &str) -> Option<usize> {
        self.operands.iter().position(|own| *own == Some(name))
    }
}

/// A line.
pub enum Line {
    Label(String),
    Instruction(Instruction),
}

/// An instruction.
#[derive(Clone)]
pub struct Instruction {
    /// As it is written.
    pub text: String,
    pub operation: Operation,
    /// The bytes of its operands, if its name says so.
    pub bytes: Option<u64>,
    pub locked: bool,
    pub operands: Vec<Operand>,
}

/// An operand.
#[derive(Clone, PartialEq, Eq)]
pub enum Operand {
    /// `%1`, `%b1`, `%[name]`: its number among outputs and inputs, and the bytes of it that are meant, if that is said.
    Number(usize, Option<u64>),
    /// `$1`
    Constant(i64),
    /// `%%eax`: the letter of the register, and its bytes.
    Register(char, u64),
    /// `8(%1)`: what an operand points to, that many bytes further.
    Pointed(usize, i64),
    /// `(%%rsp)`: the stack.
    Stack,
    /// `1f`, `1b` or a name.
    Label(String),
    /// `%l1`, `%l[name]`: a label of C's.
    Goto(usize),
}

/// The lines of assembly, or the one that is not known.
pub fn lines(template: &str, names: &Names<'_>) -> Result<Vec<Line>, String> {
    let mut lines = Vec::new();
    let (mut locked, mut prefix) = (false, String::new());
    for text in code(template) {
        let mut rest = text.as_str();
        while let Some((label, behind)) = label(rest) {
            lines.push(Line::Label(label.to_string()));
            rest = behind;
        }
        let mut words = rest;
        loop {
            let (word, behind) = words.split_once(' ').unwrap_or((words, ""));
            match word.to_lowercase().as_str() {
                "lock" => locked = true,
                // Hints, where they are not understood.
                "rep" | "repz" | "repe" | "xacquire" | "xrelease" | "data16" => {}
                _ => break,
            }
            prefix += word;
            prefix.push(' ');
            words = behind;
        }
        if words.is_empty() {
            continue;
        }
        let text = format!("{}{words}", std::mem::take(&mut prefix));
        let mut instruction = instruction(names, words).ok_or(text.clone())?;
        instruction.text = text;
        instruction.locked = std::mem::take(&mut locked);
        lines.push(Line::Instruction(instruction));
    }
    if locked { Err("lock".to_string()) } else { Ok(lines) }
}

/// The lines that are code: without comments, directives and other sections.
fn code(template: &str) -> Vec<String> {
    let text = without_comments(&first_dialect(template)).replace("%=", "");
    let mut code = Vec::new();
    let mut elsewhere = 0usize;
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or("");
        for statement in line.split(';') {
            let statement = statement.split_whitespace().collect::<Vec<_>>().join(" ");
            match statement.split(' ').next().unwrap_or("") {
                ".pushsection" | ".section" | ".subsection" => elsewhere += 1,
                ".popsection" | ".previous" => elsewhere = elsewhere.saturating_sub(1),
                "" => {}
                _ if elsewhere > 0 => {}
                ".balign" | ".align" | ".p2align" => {}
                _ => code.push(statement),
            }
        }
    }
    code
}

/// The text without comments of C's kind.
fn without_comments(text: &str) -> String {
    let mut parts = text.split("/*");
    let mut code = parts.next().unwrap_or("").to_string();
    for part in parts {
        code.push(' ');
        code += part.split_once("*/").map_or("", |(_, behind)| behind);
    }
    code
}

/// Of `{att|intel}` the first.
fn first_dialect(template: &str) -> String {
    let mut text = String::new();
    let (mut inside, mut other) = (false, false);
    let mut before = ' ';
    for c in template.chars() {
        match c {
            '{' if before != '%' => inside = true,
            '|' if inside && before != '%' => other = true,
            '}' if inside && before != '%' => (inside, other) = (false, false),
            _ if other => {}
            _ => text.push(c),
        }
        before = c;
    }
    text
}

/// A label at the beginning of a line, and what comes after it.
fn label(line: &str) -> Option<(&str, &str)> {
    let (label, rest) = line.split_once(':')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$');
    let is_label = !label.is_empty() && label.chars().all(is_name);
    is_label.then_some((label, rest.trim_start()))
}

fn instruction(names: &Names<'_>, text: &str) -> Option<Instruction> {
    let (word, operands) = text.split_once(' ').unwrap_or((text, ""));
    let (operation, bytes) = mnemonic(&word.to_lowercase())?;
    let operands = match operation {
        // A hint's address does not matter.
        Operation::Nothing => Vec::new(),
        _ => split(operands).into_iter().map(|text| operand(names, text)).collect::<Option<Vec<_>>>()?,
    };
    Some(Instruction { text: String::new(), operation, bytes, locked: false, operands })
}

/// Operands, which commas part; those in parentheses do not.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    let last = text[start..].trim();
    if !last.is_empty() {
        parts.push(last);
    }
    parts
}

fn operand(names: &Names<'_>, text: &str) -> Option<Operand> {
    if let Some(constant) = text.strip_prefix('$') {
        return number(constant).map(Operand::Constant);
    }
    if let Some((displacement, base)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        let displacement = if displacement.is_empty() { 0 } else { number(displacement)? };
        return match operand(names, base.trim())? {
            Operand::Number(n, _) => Some(Operand::Pointed(n, displacement)),
            Operand::Register('s', _) => Some(Operand::Stack),
            _ => None,
        };
    }
    let Some(reference) = text.strip_prefix('%') else {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$');
        return text.chars().all(is_name).then(|| Operand::Label(text.to_string()));
    };
    if let Some((letter, bytes)) = register(reference.trim_start_matches('%').trim_start()) {
        return Some(Operand::Register(letter, bytes));
    }
    referred(names, reference)
}

/// An operand by its number or name, before which a letter may say how it is written.
fn referred(names: &Names<'_>, reference: &str) -> Option<Operand> {
    let start = reference.find(|c: char| c == '[' || c.is_ascii_digit())?;
    let (modifier, which) = reference.split_at(start);
    let count = names.operands.len();
    let n = match which.strip_prefix('[').and_then(|which| which.strip_suffix(']')) {
        Some(name) if modifier == "l" => {
            return names.labels.iter().position(|l| *l == name).map(Operand::Goto);
        }
        Some(name) => names.operand(name)?,
        None => which.parse().ok()?,
    };
    let bytes = match modifier {
        "" => None,
        "b" => Some(1),
        "w" => Some(2),
        "k" => Some(4),
        "q" => Some(8),
        "l" => return n.checked_sub(count).filter(|n| *n < names.labels.len()).map(Operand::Goto),
        // The high byte of a register, and numbers that are written in other ways.
        _ => return None,
    };
    (n < count).then_some(Operand::Number(n, bytes))
}

fn number(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok()? as i64,
        None => digits.parse().ok()?,
    };
    Some(if negative { value.wrapping_neg() } else { value })
}

/// A register by its name: the letter that constraints have for it, `s` for the stack pointer, and its bytes.
fn register(name: &str) -> Option<(char, u64)> {
    let name = name.to_lowercase();
    Some(match name.as_str() {
        "al" | "bl" | "cl" | "dl" => (name.chars().next()?, 1),
        "ax" | "bx" | "cx" | "dx" => (name.chars().next()?, 2),
        "eax" | "ebx" | "ecx" | "edx" => (name.chars().nth(1)?, 4),
        "rax" | "rbx" | "rcx" | "rdx" => (name.chars().nth(1)?, 8),
        "esi" => ('S', 4),
        "rsi" => ('S', 8),
        "edi" => ('D', 4),
        "rdi" => ('D', 8),
        "esp" => ('s', 4),
        "rsp" => ('s', 8),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instructions(template: &str) -> Result<Vec<(String, bool)>, String> {
        let shown = lines(template, &Names::default())?.into_iter().map(|line| match line {
            Line::Label(label) => (format!("{label}:"), false),
            Line::Instruction(instruction) => (instruction.text, instruction.locked),
        });
        Ok(shown.collect())
    }

    fn plain(text: &str) -> (String, bool) {
        (text.to_string(), false)
    }

    #[test]
    fn prefixes_stand_before_their_instruction() {
        let fence = Ok(vec![("lock addl $0,0(%%rsp)".to_string(), true)]);
        assert_eq!(instructions("lock; addl $0,0(%%rsp)"), fence);
        assert_eq!(instructions("\tlock\n\taddl $0,0(%%rsp)\n"), fence);
        assert_eq!(instructions("rep; nop"), Ok(vec![plain("rep nop")]));
        assert_eq!(instructions("lock"), Err("lock".to_string()));
    }

    #[test]
    fn other_sections_are_left_out() {
        let text = ".pushsection .smp_locks,\"a\"\n.balign 4\n.long 671f - .\n.popsection\n671:\n\tlock; incl (%%rsp)";
        let expected = vec![plain("671:"), ("lock incl (%%rsp)".to_string(), true)];
        assert_eq!(instructions(text), Ok(expected));
        let old = ".section .smp_locks,\"a\"\n .align 4\n .long 661f\n.previous\n661:\n\tmfence # all";
        assert_eq!(instructions(old), Ok(vec![plain("661:"), plain("mfence")]));
    }

    #[test]
    fn the_instruction_that_is_not_known_is_told() {
        assert_eq!(instructions("mfence; cli; nop"), Err("cli".to_string()));
        assert_eq!(instructions("mfence {%%eax|eax}"), Ok(vec![plain("mfence %%eax")]));
    }
}
