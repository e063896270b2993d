//! Random initialisers, as the system's compiler has them.
//!
//! What ours makes of an initialiser is a list of parts. They are assigned one after the other to a variable that holds
//! zeros; in the compiled program it has to hold the same bytes as the one that the compiler initialises itself.

use fencepost_c::{Options, hir_text};
use fencepost_samples::Rng;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

const ROUNDS: usize = 300;

const TYPES: &str = "struct in { int p, q; }; union un { int u; struct in v; int w[3]; };
struct s { int a; int b[4]; struct in c; struct in d[2]; union un e; char f; };";

#[derive(Clone)]
enum Shape {
    Int,
    Array(Box<Shape>, usize),
    Struct(Vec<(&'static str, Shape)>),
    Union(Vec<(&'static str, Shape)>),
}

fn array(of: Shape, n: usize) -> Shape {
    Shape::Array(Box::new(of), n)
}

fn inner() -> Shape {
    Shape::Struct(vec![("p", Shape::Int), ("q", Shape::Int)])
}

fn whole() -> Shape {
    let union = vec![("u", Shape::Int), ("v", inner()), ("w", array(Shape::Int, 3))];
    Shape::Struct(vec![
        ("a", Shape::Int),
        ("b", array(Shape::Int, 4)),
        ("c", inner()),
        ("d", array(inner(), 2)),
        ("e", Shape::Union(union)),
        ("f", Shape::Int),
    ])
}

impl Shape {
    fn count(&self) -> usize {
        match self {
            Shape::Int => 1,
            Shape::Array(_, n) => *n,
            Shape::Struct(members) | Shape::Union(members) => members.len(),
        }
    }

    /// How many parts are initialised one after the other.
    fn positions(&self) -> usize {
        if let Shape::Union(_) = self { 1 } else { self.count() }
    }

    fn child(&self, i: usize) -> (String, &Shape) {
        match self {
            Shape::Int => (String::new(), self),
            Shape::Array(of, _) => (format!("[{i}]"), of),
            Shape::Struct(members) | Shape::Union(members) => (format!(".{}", members[i].0), &members[i].1),
        }
    }

    /// As many numbers as it has scalars that are initialised one after the other.
    fn flat(&self, rng: &mut Rng) -> String {
        match self {
            Shape::Int => (rng.below(90) + 1).to_string(),
            _ => {
                let all: Vec<String> = (0..self.positions()).map(|i| self.child(i).1.flat(rng)).collect();
                all.join(", ")
            }
        }
    }

    /// A value in braces, or a number.
    fn value(&self, rng: &mut Rng) -> String {
        match self {
            Shape::Int => self.flat(rng),
            _ => self.braced(rng),
        }
    }

    /// A list, of which each item is designated or is for what comes next.
    fn braced(&self, rng: &mut Rng) -> String {
        let mut items = Vec::new();
        let mut position = 0;
        for _ in 0..rng.below(5) + 1 {
            if position >= self.positions() || rng.below(3) == 0 {
                let (text, next) = self.designated(rng);
                items.push(text);
                position = next;
                continue;
            }
            let (_, child) = self.child(position);
            items.push(if rng.below(2) == 0 { child.flat(rng) } else { child.value(rng) });
            position += 1;
        }
        format!("{{{}}}", items.join(", "))
    }

    /// A designated item, and the position after it. Inside of a part nothing follows.
    fn designated(&self, rng: &mut Rng) -> (String, usize) {
        let i = rng.below(self.count());
        let (mut path, mut part) = self.child(i);
        let mut next = if let Shape::Union(_) = self { 1 } else { i + 1 };
        if let (Shape::Array(_, n), 0) = (self, rng.below(4)) {
            let to = i + rng.below(n - i);
            path = format!("[{i} ... {to}]");
            next = to + 1;
        }
        while !matches!(part, Shape::Int) && rng.below(3) == 0 {
            let (step, inside) = part.child(rng.below(part.count()));
            path += &step;
            part = inside;
            next = usize::MAX;
        }
        (format!("{path} = {}", part.value(rng)), next)
    }
}

/// The parts of an initialiser, as assignments to a variable.
fn assignments(name: &str, parts: &str) -> String {
    let mut text = String::new();
    for part in parts.split(", ").filter(|part| !part.is_empty()) {
        let (path, value) = part.split_once(" = ").expect("a part has a value");
        let (mut loops, mut place, mut rest) = (String::new(), name.to_string(), path);
        while let Some(open) = rest.find('[') {
            let close = rest.find(']').expect("an index ends");
            place += &rest[..open];
            match rest[open + 1..close].split_once("...") {
                Some((from, to)) => {
                    let index = format!("i{}", loops.matches("for").count());
                    let _ = write!(loops, "for (int {index} = {from}; {index} <= {to}; {index}++) ");
                    let _ = write!(place, "[{index}]");
                }
                None => place += &rest[open..=close],
            }
            rest = &rest[close + 1..];
        }
        place += rest;
        let _ = match value {
            "{}" => writeln!(text, "    {loops}memset(&{place}, 0, sizeof {place});"),
            value => {
                let number = value.split(':').next().unwrap_or(value);
                writeln!(text, "    {loops}{place} = {number};")
            }
        };
    }
    text
}

#[test]
fn parts_are_where_the_compiler_has_them() {
    let mut rng = Rng::new(21);
    let shapes = [
        ("struct s", "", whole()),
        ("struct s", "[3]", array(whole(), 3)),
        ("struct in", "[2][2]", array(array(inner(), 2), 2)),
        ("int", "[2][3]", array(array(Shape::Int, 3), 2)),
    ];
    let (mut variables, mut uses) = (format!("{TYPES}\n"), String::new());
    for i in 0..ROUNDS {
        let (ty, dims, shape) = &shapes[i % shapes.len()];
        let _ = writeln!(variables, "{ty} x{i}{dims} = {};", shape.braced(&mut rng));
        let _ = writeln!(uses, "x{i};");
    }
    let program = format!("{variables}int main(void) {{ {uses} }}\n");
    let typed = hir_text(&[("initializers.i", &program)], &Options::default());
    let typed = typed.unwrap_or_else(|(_, diagnostics)| panic!("{diagnostics:?}\n{program}"));
    let mut text = format!(
        "void *memset(void *, int, unsigned long); int memcmp(const void *, const void *, unsigned long);
        int printf(const char *, ...);\n{variables}int main(void) {{\n"
    );
    for i in 0..ROUNDS {
        let start = format!("x{i}: ");
        let line = typed.lines().find(|line| line.starts_with(&start)).expect("every variable is used");
        let parts = line.split_once(" = {").map_or("", |(_, parts)| parts);
        let parts = parts.strip_suffix('}').unwrap_or(parts);
        let _ = writeln!(text, "  {{ static __typeof__(x{i}) y;\n{}", assignments("y", parts));
        let _ = writeln!(text, "    if (memcmp(&x{i}, &y, sizeof y)) printf(\"x{i} \"); }}");
    }
    text += "  return 0;\n}\n";
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (folder.join("initializers.c"), folder.join("initializers"));
    std::fs::write(&source, &text).unwrap();
    let made = Command::new("cc").args(["-std=gnu11", "-w", "-o"]).args([&program, &source]).output();
    let made = made.expect("there is a C compiler");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let ran = Command::new(&program).output().expect("the program runs");
    let differ = String::from_utf8(ran.stdout).unwrap();
    let shown: Vec<&str> = differ
        .split_whitespace()
        .flat_map(|name| {
            let (ours, theirs) = (format!("{name}: "), format!(" {name}"));
            let wrote = variables
                .lines()
                .find(|line| line.contains(&format!("{theirs} ")) || line.contains(&format!("{theirs}[")));
            [wrote, typed.lines().find(|line| line.starts_with(&ours))]
        })
        .flatten()
        .collect();
    assert!(differ.is_empty(), "{}", shown.join("\n"));
}
