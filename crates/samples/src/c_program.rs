//! Random C programs of one thread: integers of all widths, conversions, wrap-around, shifts, division,
//! branches, loops, arrays, structures with bit-fields, pointers, calls. They are defined C where the compiler
//! is told that signed overflow wraps (`-fwrapv`), so that the compiled program is a judge.
//!
//! A program is a function `test` that hands integers to `out`, for a harness to print or to compare.

use crate::Rng;
use std::fmt::Write;

const TYPES: [&str; 10] = [
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "_Bool",
];

const VARIABLES: usize = 6;

struct Generator {
    rng: Rng,
    text: String,
    loops: usize,
}

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let mut generator = Generator { rng: Rng::new(seed), text: String::new(), loops: 0 };
    generator.program();
    generator.text
}

impl Generator {
    fn program(&mut self) {
        for i in 0..VARIABLES {
            let (ty, value) = (self.rng.pick(&TYPES), self.constant());
            let place = if self.rng.one_in(2) { "static " } else { "" };
            let _ = writeln!(self.text, "{place}{ty} v{i} = ({ty}){value};");
        }
        let ty = self.rng.pick(&TYPES);
        let _ = writeln!(self.text, "static {ty} a[4] = {{1, 2, 3}};");
        let (w1, w2) = (1 + self.rng.below(7), 1 + self.rng.below(12));
        let _ = writeln!(
            self.text,
            "struct s {{ unsigned f : {w1}; int g : {w2}; char c; long l; }};\nstatic struct s s;"
        );
        let (result, first, second) = (self.rng.pick(&TYPES), self.rng.pick(&TYPES), self.rng.pick(&TYPES));
        let value = self.expression(2, &["p", "q", "v0"]);
        let _ = writeln!(self.text, "static {result} f({first} p, {second} q) {{ return {value}; }}");
        self.text += "static void test(void)\n{\n    struct s t = {1, 2, 3, 4};\n    int i0, i1, i2;\n";
        for _ in 0..6 + self.rng.below(6) {
            self.statement(0);
        }
        for i in 0..VARIABLES {
            let _ = writeln!(self.text, "    out(v{i});");
        }
        self.text += "    out(a[0]); out(a[3]); out(s.f); out(s.g); out(s.c); out(t.g + t.l);\n}\n";
    }

    fn constant(&mut self) -> String {
        let values = [
            "0",
            "1",
            "-1",
            "2",
            "7",
            "127",
            "128",
            "255",
            "256",
            "32767",
            "65535",
            "2147483647",
            "2147483648u",
        ];
        match self.rng.below(4) {
            0 => format!("{}", self.rng.number() as i16),
            1 => format!("{}ll", self.rng.number() as i32),
            _ => self.rng.pick(&values).to_string(),
        }
    }

    fn operand(&mut self, names: &[&str]) -> String {
        match self.rng.below(4) {
            0 => self.constant(),
            _ if !names.is_empty() => self.rng.pick(names).to_string(),
            _ => match self.rng.below(9) {
                0 => format!("a[{} & 3]", self.rng.pick(&["v0", "v1", "(int)v2"])),
                1 => self.rng.pick(&["s.f", "s.g", "s.c", "s.l", "t.f", "t.l"]).to_string(),
                n => format!("v{}", n % VARIABLES),
            },
        }
    }

    fn expression(&mut self, depth: usize, names: &[&str]) -> String {
        if depth == 0 {
            return self.operand(names);
        }
        let l = self.expression(depth - 1, names);
        let r = self.expression(depth - 1, names);
        match self.rng.below(14) {
            0..=2 => format!("({l} {} {r})", self.rng.pick(&["+", "-", "*"])),
            3 => format!("({l} {} {r})", self.rng.pick(&["&", "|", "^"])),
            4 => format!("({l} {} {r})", self.rng.pick(&["<", ">", "<=", ">=", "==", "!="])),
            // Neither zero nor -1 divides.
            5 => format!("({l} {} (({r} & 15) + 1))", self.rng.pick(&["/", "%"])),
            6 => format!("((unsigned long)({l}) {} ({r} & 7))", self.rng.pick(&["<<", ">>"])),
            7 => format!("(({l}) ? {l} : {r})"),
            8 => format!("({l} {} {r})", self.rng.pick(&["&&", "||"])),
            9 => format!("({}({l}))", self.rng.pick(&["-", "~", "!", "+"])),
            10 => format!("({l}, {r})"),
            _ => format!("(({})({l}))", self.rng.pick(&TYPES)),
        }
    }

    fn statement(&mut self, nesting: usize) {
        let indent = "    ".repeat(nesting + 1);
        let value = self.expression(2, &[]);
        let target = format!("v{}", self.rng.below(VARIABLES));
        match self.rng.below(if nesting < 2 { 12 } else { 8 }) {
            0 | 1 => {
                let _ = writeln!(self.text, "{indent}{target} = {value};");
            }
            2 => {
                let op = self.rng.pick(&["+=", "-=", "*=", "&=", "|=", "^="]);
                let _ = writeln!(self.text, "{indent}{target} {op} {value};");
            }
            3 => {
                let _ = writeln!(self.text, "{indent}a[({value}) & 3] = {target};");
            }
            4 => {
                let field = self.rng.pick(&["s.f", "s.g", "s.c", "s.l", "t.f", "t.g"]);
                let op = self.rng.pick(&["=", "+=", "^="]);
                let _ = writeln!(self.text, "{indent}{field} {op} {value};");
            }
            5 => {
                let step = self.rng.pick(&["++", "--"]);
                let _ = writeln!(self.text, "{indent}out({target}{step});");
            }
            6 => {
                let second = self.operand(&[]);
                let _ = writeln!(self.text, "{indent}{target} = f({value}, {second});");
            }
            7 => {
                let _ = writeln!(self.text, "{indent}out({value});");
            }
            8 | 9 => {
                let _ = writeln!(self.text, "{indent}if ({value}) {{");
                self.statement(nesting + 1);
                let _ = writeln!(self.text, "{indent}}} else {{");
                self.statement(nesting + 1);
                let _ = writeln!(self.text, "{indent}}}");
            }
            10 if self.loops < 3 => {
                let (i, n) = (self.loops, 1 + self.rng.below(3));
                self.loops += 1;
                let _ = writeln!(self.text, "{indent}for (i{i} = 0; i{i} < {n}; i{i}++) {{");
                self.statement(nesting + 1);
                let _ = writeln!(self.text, "{indent}}}");
            }
            _ => {
                let _ = writeln!(self.text, "{indent}switch ({value} & 3) {{\n{indent}case 0:");
                self.statement(nesting + 1);
                let _ = writeln!(self.text, "{indent}case 2: {target}++; break;\n{indent}default:");
                self.statement(nesting + 1);
                let _ = writeln!(self.text, "{indent}}}");
            }
        }
    }
}
