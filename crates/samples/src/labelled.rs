//! Random programs in which every statement outside of atomic sections has a label, so that what is reached can be
//! said as where the threads are. They are smaller than those of [`crate::random`], and each has what its [`Shape`]
//! asks for: calls that call themselves, threads that start others, in loops too, or only threads side by side. All
//! have stores and loads of variables and array elements, fences, read-modify-writes, atomic sections, locks, branches
//! and loops.
//!
//! Labels are `L0`, `L1` and so on, numbered through the program, in each procedure from the first statement on; each is
//! named by a property that nothing violates.

use crate::Rng;
use crate::sketch::{Piece, Sketch};

/// What a program has besides statements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Two threads from the beginning.
    Threads,
    /// Two threads and a recursive function.
    Calls,
    /// A thread that starts one or two others, and may wait for them.
    Spawns,
}

impl Shape {
    /// All of them.
    pub const ALL: [Shape; 3] = [Shape::Threads, Shape::Calls, Shape::Spawns];
}

struct Generator {
    rng: Rng,
    labels: usize,
    in_loop: bool,
}

/// The program of a seed.
pub fn program(seed: u64, shape: Shape) -> Sketch {
    let mut generator = Generator { rng: Rng::new(seed), labels: 0, in_loop: false };
    let mut items: Vec<Piece> =
        ["shared 0..2 x;", "shared 0..2 y;", "shared 0..1 a[2];", "mutex m;"].map(Piece::line).into();
    match shape {
        Shape::Threads => items.extend((0..2).map(|t| generator.thread(t, 3, |_| Vec::new()))),
        Shape::Calls => {
            items.push(generator.function());
            for t in 0..2 {
                let call = |g: &mut Generator| vec![g.labelled(&format!("call({t});"))];
                items.push(generator.thread(t, 1 - t, call));
            }
        }
        Shape::Spawns => items.extend(generator.parent_and_child()),
    }
    let watched = (0..generator.labels).map(|l| Piece::line(format!("at most 9 at L{l};")));
    items.extend(watched);
    let value = generator.rng.below(3);
    items.push(Piece::line(format!("final not exists (x == {value} && y == 1);")));
    Sketch(items)
}

const DECLARED: &str = "0..2 r; 0..2 i; bool b;";

impl Generator {
    fn labelled(&mut self, statement: &str) -> Piece {
        self.labels += 1;
        Piece::line(format!("L{}: {statement}", self.labels - 1))
    }

    /// A procedure: its variables, a label, up to so many statements, what is to be at its end, a label.
    fn body(&mut self, most: usize, end: impl FnOnce(&mut Generator) -> Vec<Piece>) -> Vec<Piece> {
        let mut body = vec![Piece::line(DECLARED), self.labelled("skip;")];
        let least = usize::from(most > 0);
        for _ in 0..least + self.rng.below(most) {
            body.extend(self.statement(1));
        }
        body.extend(end(self));
        body.push(self.labelled("skip;"));
        body
    }

    fn thread(
        &mut self,
        number: usize,
        most: usize,
        end: impl FnOnce(&mut Generator) -> Vec<Piece>,
    ) -> Piece {
        let body = self.body(most, end);
        Piece::block(format!("thread t{number} {{"), body)
    }

    /// A function that calls itself once or twice, with statements around the call.
    fn function(&mut self) -> Piece {
        let body = self.body(1, |g| {
            let again = if g.rng.one_in(2) { "call(n - 1);" } else { "i = n; call(n - 1); r = i;" };
            let call = g.labelled(again);
            let store = g.simple();
            vec![Piece::block("if (n > 0) {", vec![call]), store]
        });
        Piece::block("void call(0..2 n) {", body)
    }

    fn parent_and_child(&mut self) -> Vec<Piece> {
        let child = self.body(2, |g| vec![g.labelled("x = n;")]);
        let drain = self.rng.pick(&["", "", "nodrain "]);
        let start = format!("t = spawn {drain}child(i);");
        let shape = self.rng.below(3);
        let parent = self.body(2, |g| {
            let mut end = vec![Piece::line("thread_id t;")];
            if shape == 0 {
                let skip = g.labelled("skip;");
                let spawn = g.labelled(&start);
                let count = g.labelled("i = i + 1;");
                end.extend([skip, Piece::block("while (i < 2) {", vec![spawn, count])]);
            } else {
                end.push(g.labelled(&start));
                end.push(g.simple());
            }
            if shape == 2 || g.rng.one_in(2) {
                end.push(g.labelled("join(t);"));
                end.push(g.labelled("r = x;"));
                end.push(g.labelled("y = r;"));
            }
            end
        });
        vec![Piece::block("process child(0..2 n) {", child), Piece::block("thread parent {", parent)]
    }

    fn variable(&mut self) -> &'static str {
        self.rng.pick(&["x", "x", "y", "y", "a[0]", "a[1]", "a[i / 2]"])
    }

    /// A statement without others in it, and without a label.
    fn plain(&mut self) -> String {
        let (x, y) = (self.variable(), self.variable());
        let value = self.rng.below(2);
        match self.rng.below(12) {
            0..=3 => format!("{x} = {value};"),
            4..=6 => format!("r = {x};"),
            7 => format!("{x} = r / 2;"),
            8 => format!("r = exchange({x}, {value});"),
            9 => format!("b = cas({x}, {value}, {});", 1 - value),
            10 => format!("{x} = {y} / 2;"),
            _ => self.rng.pick(&["i = r / 2;", "fence store_store;", "assume(r == 0);"]).to_string(),
        }
    }

    /// The same with a label, or a fence.
    fn simple(&mut self) -> Piece {
        let statement = if self.rng.one_in(8) { "fence;".to_string() } else { self.plain() };
        self.labelled(&statement)
    }

    fn statement(&mut self, depth: usize) -> Vec<Piece> {
        if depth == 0 {
            return vec![self.simple()];
        }
        match self.rng.below(14) {
            0..=5 => vec![self.simple()],
            6 => {
                let drain = self.rng.pick(&["", "nodrain "]);
                let section = vec![Piece::line(self.plain()), Piece::line(self.plain())];
                vec![self.labelled("skip;"), Piece::block(format!("atomic {drain}{{"), section)]
            }
            7 | 12 | 13 => {
                let lock = self.labelled("lock(m);");
                let inner = self.simple();
                let unlock = self.labelled("unlock(m);");
                vec![Piece::block("{", vec![lock, inner, unlock])]
            }
            8 => {
                let x = self.variable();
                let before = self.labelled("skip;");
                let parts = vec![self.statement(depth - 1), self.statement(depth - 1)];
                let head = format!("if ({x} == 1) {{");
                vec![before, Piece::Block { head, parts, between: "} else {".into(), end: "}".into() }]
            }
            9 => {
                let before = self.labelled("skip;");
                let parts = vec![self.statement(depth - 1), Vec::new()];
                let (head, between) = ("choose {".into(), "} or {".into());
                vec![before, Piece::Block { head, parts, between, end: "}".into() }]
            }
            10 if !self.in_loop => {
                // Until another thread stores.
                let x = self.variable();
                let before = self.labelled("skip;");
                vec![before, Piece::line(format!("while ({x} == {}) {{}}", self.rng.below(2)))]
            }
            _ if !self.in_loop => {
                self.in_loop = true;
                let before = self.labelled("i = 0;");
                let inner = self.simple();
                let count = self.labelled("i = i + 1;");
                self.in_loop = false;
                vec![before, Piece::block("while (i < 2) {", vec![inner, count])]
            }
            _ => vec![self.simple()],
        }
    }
}
