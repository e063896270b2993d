//! Sizes, offsets, types and constants, as the system's compiler has them.
//!
//! Declarations and expressions are made up; each gives a number. The compiler prints its numbers when the program that it
//! makes runs; ours are in the text of the typed program.

use fencepost_c::{DataModel, Options, hir_text};
use fencepost_samples::Rng;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// How many declarations and expressions of each kind are tried.
const ROUNDS: usize = 400;

/// The numbers that the compiler gives.
fn theirs(name: &str, declarations: &str, numbers: &[String]) -> Vec<i128> {
    let mut text = format!("{declarations}\nint printf(const char *, ...);\nint main(void) {{\n");
    for number in numbers {
        let _ = writeln!(text, "    printf(\"%lld\\n\", (long long)({number}));");
    }
    text += "    return 0;\n}\n";
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (folder.join(format!("{name}.c")), folder.join(name));
    std::fs::write(&source, text).unwrap();
    let made = Command::new("cc")
        .args(["-std=gnu11", "-w", "-O0", "-o"])
        .args([&program, &source])
        .output()
        .expect("there is a C compiler");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let ran = Command::new(&program).output().expect("the program runs");
    let printed = String::from_utf8(ran.stdout).unwrap();
    printed.lines().map(|line| line.parse().unwrap()).collect()
}

/// The same numbers, of ours: every one has to be a constant.
fn ours(declarations: &str, numbers: &[String], model: DataModel) -> Vec<i128> {
    let mut text = format!("{declarations}\nint main(void) {{\n");
    for number in numbers {
        let _ = writeln!(text, "    (long long)({number});");
    }
    text += "}\n";
    let options = Options { data_model: model, ..Options::default() };
    let typed = hir_text(&[("numbers.i", &text)], &options);
    let typed = typed.unwrap_or_else(|(_, diagnostics)| panic!("{text}\n{diagnostics:?}"));
    let body = typed.split("main: int (void) () {\n").nth(1).expect("there is a main");
    let number = |line: &str| {
        let number = line.trim().split(':').next().unwrap_or_default();
        number.parse().unwrap_or_else(|_| panic!("`{line}` is no number in\n{text}"))
    };
    body.lines().take_while(|line| *line != "}").map(number).collect()
}

fn agree(name: &str, declarations: &str, numbers: &[String]) {
    let (theirs, ours) = (theirs(name, declarations, numbers), ours(declarations, numbers, DataModel::Lp64));
    assert_eq!(theirs.len(), numbers.len());
    assert_eq!(ours.len(), numbers.len());
    for (number, (theirs, ours)) in numbers.iter().zip(theirs.iter().zip(&ours)) {
        assert_eq!(ours, theirs, "{number}\n{declarations}");
    }
}

const SCALARS: [&str; 14] = [
    "char",
    "signed char",
    "unsigned short",
    "short",
    "int",
    "unsigned",
    "long",
    "unsigned long long",
    "_Bool",
    "float",
    "double",
    "long double",
    "char *",
    "__int128",
];

const INTEGERS: [&str; 9] = [
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long long",
];

struct Records<'r> {
    rng: &'r mut Rng,
    scalars: &'static [&'static str],
    text: String,
    /// Numbers about the records that are made.
    asked: Vec<String>,
    count: usize,
}

impl<'r> Records<'r> {
    /// Random records with members of these types and of each other.
    fn new(rng: &'r mut Rng, scalars: &'static [&'static str]) -> Records<'r> {
        let mut records = Records { rng, scalars, text: String::new(), asked: Vec::new(), count: 0 };
        for _ in 0..ROUNDS {
            records.record();
        }
        records
    }

    fn pick<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.rng.below(all.len())]
    }

    /// A member, and the path to it where it has an address.
    fn member(&mut self, number: usize) -> (String, Option<String>) {
        let name = format!("m{number}");
        let aligned = match self.rng.below(12) {
            0 => " __attribute__((aligned(8)))",
            1 => " __attribute__((aligned(2)))",
            2 => " __attribute__((packed))",
            _ => "",
        };
        match self.rng.below(10) {
            0..=3 => {
                let ty = self.pick(self.scalars);
                (format!("{ty} {name}{aligned};"), Some(name))
            }
            4 => {
                let (ty, n) = (self.pick(self.scalars), self.rng.below(4) + 1);
                (format!("{ty} {name}[{n}]{aligned};"), Some(format!("{name}[0]")))
            }
            5 if self.count > 0 => {
                let inner = self.rng.below(self.count);
                (format!("struct r{inner} {name}{aligned};"), Some(name))
            }
            6 => {
                let (a, b) = (self.pick(self.scalars), self.pick(self.scalars));
                let kind = self.pick(&["struct", "union"]);
                (format!("{kind} {{ {a} {name}; {b} n{number}; }};"), Some(format!("n{number}")))
            }
            7 => {
                let ty = self.pick(&INTEGERS);
                (format!("{ty} : {};", if self.rng.below(2) == 0 { 0 } else { 3 }), None)
            }
            _ => {
                let ty = self.pick(&INTEGERS);
                let most = match ty {
                    "char" | "signed char" | "unsigned char" => 8,
                    "short" | "unsigned short" => 16,
                    "int" | "unsigned" | "long" => 32,
                    _ => 40,
                };
                (format!("{ty} {name} : {};", self.rng.below(most) + 1), None)
            }
        }
    }

    fn record(&mut self) {
        let name = format!("r{}", self.count);
        let mut members = String::new();
        let mut paths = Vec::new();
        for number in 0..self.rng.below(6) + 1 {
            let (text, path) = self.member(number);
            let _ = write!(members, " {text}");
            paths.extend(path);
        }
        let attribute = match self.rng.below(8) {
            0 => " __attribute__((packed))",
            1 => " __attribute__((aligned(16)))",
            2 => " __attribute__((packed, aligned(4)))",
            _ => "",
        };
        let is_union = self.rng.below(5) == 0;
        let (open, kind) = match is_union {
            true => ("struct { union {", " };"),
            false => ("struct {", ""),
        };
        let open = open.replacen("struct", &format!("struct {name}"), 1);
        let pack = match self.rng.below(6) {
            0 => Some(1 << self.rng.below(4)),
            _ => None,
        };
        if let Some(pack) = pack {
            let _ = writeln!(self.text, "#pragma pack(push, {pack})");
        }
        let _ = writeln!(self.text, "{open}{members}{kind} }}{attribute};");
        if pack.is_some() {
            let _ = writeln!(self.text, "#pragma pack(pop)");
        }
        let ty = format!("struct {name}");
        self.asked.push(format!("sizeof({ty})"));
        self.asked.push(format!("_Alignof({ty})"));
        for path in paths {
            self.asked.push(format!("__builtin_offsetof({ty}, {path})"));
        }
        self.count += 1;
    }
}

#[test]
fn layouts() {
    let mut rng = Rng::new(7);
    let mut records = Records::new(&mut rng, &SCALARS);
    for ty in SCALARS {
        records.asked.push(format!("sizeof({ty})"));
        records.asked.push(format!("_Alignof({ty})"));
        records.asked.push(format!("sizeof(_Atomic({ty}))"));
        records.asked.push(format!("_Alignof(_Atomic({ty}))"));
    }
    records.text += "typedef int near __attribute__((aligned(1))); typedef struct { char c; } far __attribute__((aligned(32)));
        struct named { char c; near n; char d; far f; const near m; };\n";
    for text in ["sizeof(struct named)", "_Alignof(far)", "_Alignof(near)", "sizeof(far)"] {
        records.asked.push(text.to_string());
    }
    for member in ["n", "d", "f", "m"] {
        records.asked.push(format!("__builtin_offsetof(struct named, {member})"));
    }
    let (text, asked) = (records.text, records.asked);
    agree("layouts", &text, &asked);
}

/// The i386 ABI. The compiler need not make programs for it, only believe or not what it is told.
#[test]
fn layouts_of_32_bits() {
    // There is no integer of 128 bits.
    let scalars = &SCALARS[..SCALARS.len() - 1];
    let mut rng = Rng::new(8);
    let mut records = Records::new(&mut rng, &SCALARS[..SCALARS.len() - 1]);
    for ty in scalars {
        records.asked.push(format!("sizeof({ty})"));
        records.asked.push(format!("_Alignof({ty})"));
        records.asked.push(format!("_Alignof(_Atomic({ty}))"));
    }
    records.asked.push("_Generic(sizeof(int), unsigned: 1, unsigned long: 2)".into());
    records.asked.push("_Generic((char *)0 - (char *)0, int: 1, long: 2)".into());
    records.asked.push("_Generic(2147483648, long: 1, long long: 2)".into());
    records.asked.push("_Generic(1ul + 1u, unsigned: 1, unsigned long: 2)".into());
    let (text, asked) = (records.text, records.asked);
    let mut claims = text.clone();
    for (number, value) in asked.iter().zip(ours(&text, &asked, DataModel::Ilp32)) {
        let _ = writeln!(claims, "_Static_assert(({number}) == {value}, \"{value}\");");
    }
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("layouts32.c");
    std::fs::write(&source, claims).unwrap();
    let believed = Command::new("cc")
        .args(["-m32", "-std=gnu11", "-w", "-fsyntax-only"])
        .arg(&source)
        .output()
        .expect("there is a C compiler");
    assert!(believed.status.success(), "{}\n{text}", String::from_utf8_lossy(&believed.stderr));
}

/// An expression of constants.
fn constant(rng: &mut Rng, depth: usize) -> String {
    if depth == 0 || rng.below(6) == 0 {
        let number = match rng.below(4) {
            0 => rng.below(4) as u64,
            1 => rng.below(300) as u64,
            2 => 1 << rng.below(63),
            _ => u64::MAX >> rng.below(60),
        };
        let suffix = ["", "u", "l", "ul", "ll", "ull"][rng.below(6)];
        return match rng.below(5) {
            0 => format!("{:#x}{suffix}", number),
            1 => ["'a'", "'\\xff'", "sizeof(int)", "L'x'"][rng.below(4)].to_string(),
            _ => format!("{}{suffix}", number >> 1),
        };
    }
    let inner = |rng: &mut Rng| constant(rng, depth - 1);
    match rng.below(10) {
        0 => format!("-({})", inner(rng)),
        1 => format!("~({})", inner(rng)),
        2 => format!("!({})", inner(rng)),
        3 => format!("({} ? {} : {})", inner(rng), inner(rng), inner(rng)),
        4 => format!("({})({})", INTEGERS[rng.below(INTEGERS.len())], inner(rng)),
        5 => format!("(({}) {} {})", inner(rng), ["<<", ">>"][rng.below(2)], rng.below(31)),
        // A divisor that is not 0.
        6 => format!("(({}) {} (({}) | 1))", inner(rng), ["/", "%"][rng.below(2)], inner(rng)),
        7 => {
            let op = ["<", "<=", ">", ">=", "==", "!=", "&&", "||"][rng.below(8)];
            format!("({} {op} {})", inner(rng), inner(rng))
        }
        _ => format!("({} {} {})", inner(rng), ["+", "-", "*", "&", "|", "^"][rng.below(6)], inner(rng)),
    }
}

#[test]
fn constants() {
    let mut rng = Rng::new(11);
    let numbers: Vec<String> = (0..ROUNDS * 4).map(|_| constant(&mut rng, 4)).collect();
    // The least number divided by -1 has no value; such expressions are left out.
    let numbers: Vec<String> = numbers.into_iter().filter(|text| !overflows(text)).collect();
    assert!(numbers.len() > ROUNDS * 2);
    agree("constants", "", &numbers);
}

/// Whether an expression is not folded.
fn overflows(text: &str) -> bool {
    let program = format!("int main(void) {{ (long long)({text}); }}");
    let typed = hir_text(&[("number.i", &program)], &Options::default());
    let typed = typed.unwrap_or_else(|(_, diagnostics)| panic!("{text}\n{diagnostics:?}"));
    typed.contains(" / ") || typed.contains(" % ")
}

/// The number of a type, in a list of all that are expected.
fn type_number(text: &str) -> String {
    let types = [
        "int",
        "unsigned",
        "long",
        "unsigned long",
        "long long",
        "unsigned long long",
        "char",
        "float",
        "double",
        "long double",
        "int *",
        "const int *",
        "void *",
        "char *",
        "struct s",
        "_Bool",
        "int (*)[3]",
        "int (*)(int)",
        "__int128",
        "unsigned __int128",
        "short",
    ];
    let cases: Vec<String> = types.iter().enumerate().map(|(i, ty)| format!("{ty}: {i}")).collect();
    format!("_Generic(({text}), {}, default: -1)", cases.join(", "))
}

/// Operands of arithmetic.
const ATOMS: &str = "\
    c sc h us i u l ul ll ull f d ld bo w en em vi ai cl s.m s.t 1 1u 1l 'a' 1.5 1.5f A sizeof(int) \
    ps->m";

/// Expressions of every kind, but for those with a `;`.
const FIXED: &str = r#"
    p + 1; p - p; &i; &a; a; aa; aa[0]; *aa; &aa[0]; fn; &fn; *fn; *p; *cp; "x"; "x"[0]; i ? p : 0;
    i ? p : v; i ? p : cp; i ? v : t; s; *ps; -c; ~h; +s.b; +s.c; s.c + 1; +s.t; !p; c++; h = 3l; l += c;
    (char)i; (const int)i; p == v; sizeof i; fn(1); i, l; &s; &vi; *&i; (void *)0; i ?: l; L'x'
"#;

#[test]
fn types() {
    let declarations =
        "struct s { int m; unsigned b : 3; long c : 20; _Bool t : 1; unsigned long d : 40; } s, *ps;
        char c; signed char sc; short h; unsigned short us; int i; unsigned u; long l; unsigned long ul;
        long long ll; unsigned long long ull; float f; double d; long double ld; _Bool bo; __int128 w;
        int *p; const int *cp; void *v; char *t; int a[3], aa[2][3]; int fn(int); enum e { A } en;
        enum n { B = -1 } em; volatile int vi; _Atomic int ai; const long cl;";
    let atoms: Vec<&str> = ATOMS.split_whitespace().collect();
    let integers = |text: &str| !["f", "d", "ld", "1.5", "1.5f"].contains(&text);
    let mut rng = Rng::new(3);
    let mut numbers: Vec<String> = Vec::new();
    for _ in 0..ROUNDS * 3 {
        let (l, r) = (atoms[rng.below(atoms.len())], atoms[rng.below(atoms.len())]);
        let ops: &[&str] = match integers(l) && integers(r) {
            true => &["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", "==", "&&", ","],
            false => &["+", "-", "*", "/", "<", "==", "||", ","],
        };
        let op = ops[rng.below(ops.len())];
        numbers.push(type_number(&format!("{l} {op} {r}")));
        numbers.push(type_number(&format!("i ? {l} : {r}")));
    }
    numbers.extend(["({ i; l; })", "({ short z; z; })"].map(type_number));
    numbers.extend(FIXED.split(';').map(|text| type_number(text.trim())));
    agree("types", &format!("{declarations}\nint fn(int x) {{ return x; }}"), &numbers);
}
