//! Random programs of the modelling language, larger than the tiny ones and with everything that
//! matters to memory and control: loops, branches, choices, calls, atomic sections, locks,
//! read-modify-writes, both kinds of fences, spawn and join, assertions, labels.
//!
//! They are small enough for a plain search, and their loops mostly end: a loop counts rounds,
//! or spins until another thread stores.

use crate::Rng;
use crate::sketch::{Piece, Sketch};

/// What a program may contain.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Most statements in a thread.
    pub statements: usize,
    /// Most threads.
    pub threads: usize,
    /// Whether loops may store, so that buffers have no bound.
    pub storing_loops: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config { statements: 4, threads: 3, storing_loops: false }
    }
}

struct Generator {
    rng: Rng,
    config: Config,
    labels: usize,
    in_loop: bool,
    in_atomic: bool,
}

/// The program of a seed.
pub fn program(seed: u64, config: Config) -> Sketch {
    let mut generator =
        Generator { rng: Rng::new(seed), config, labels: 0, in_loop: false, in_atomic: false };
    generator.program()
}

const VARIABLES: [&str; 4] = ["x", "y", "a[0]", "a[1]"];

impl Generator {
    fn program(&mut self) -> Sketch {
        let init = self.rng.pick(&["", " = 1", " = any(0..1)"]);
        let mut items = vec![
            Piece::line(format!("shared 0..2 x{init};")),
            Piece::line("shared 0..2 y;"),
            Piece::line("shared 0..2 a[2];"),
            Piece::line("mutex m;"),
            Piece::line("local 0..2 g;"),
        ];
        if self.rng.one_in(3) {
            let part = vec![Piece::line("if (n > 0) { g = n; call(n - 1); }"), self.stmt(0)];
            items.push(Piece::block(
                "void call(0..2 n) {",
                [vec![Piece::line("0..2 r; 0..2 s; bool b;")], part].concat(),
            ));
        }
        let calls = items.len() > 5;
        let threads = 2 + self.rng.below(self.config.threads - 1);
        let copies = self.rng.one_in(4);
        for t in 0..if copies { 1 } else { threads } {
            let mut body = vec![Piece::line("0..2 r; 0..2 s; bool b;")];
            for _ in 0..1 + self.rng.below(self.config.statements) {
                body.push(self.stmt(2));
            }
            if calls && self.rng.one_in(2) {
                let n = self.rng.below(3);
                body.push(Piece::line(format!("call({n});")));
            }
            let count = if copies { format!("[{threads}]") } else { String::new() };
            items.push(Piece::block(format!("thread t{t}{count} {{"), body));
        }
        if !copies && self.rng.one_in(5) {
            let drain = self.rng.pick(&["", "nodrain "]);
            let body = vec![
                Piece::line("0..2 r; thread_id child;"),
                Piece::line("x = 1;"),
                Piece::line(format!("child = spawn {drain}extra(1);")),
                Piece::line("join(child);"),
                Piece::line("r = y;"),
                Piece::line("assert(r != 2);"),
            ];
            items.push(Piece::block(
                "process extra(0..2 n) {",
                vec![Piece::line("0..2 r; 0..2 s; bool b;"), self.stmt(1)],
            ));
            items.push(Piece::block("thread parent {", body));
        }
        if self.labels > 0 {
            let label = self.rng.below(self.labels);
            items.push(Piece::line(format!("at most {} at L{label};", self.rng.below(2))));
        }
        if self.labels > 1 && self.rng.one_in(2) {
            items.push(Piece::line(format!(
                "forbid any at L0 and any at L{};",
                1 + self.rng.below(self.labels - 1)
            )));
        }
        let (v, w) = (self.rng.below(3), self.rng.below(3));
        items.push(Piece::line(format!("final not exists (x == {v} && y == {w} && a[0] == 1);")));
        Sketch(items)
    }

    fn variable(&mut self) -> &'static str {
        VARIABLES[self.rng.below(if self.rng.clone().one_in(3) { 4 } else { 2 })]
    }

    fn value(&mut self) -> &'static str {
        self.rng.pick(&["0", "1", "2", "r", "s", "g", "any(0..1)", "2 - r"])
    }

    fn stmts(&mut self, depth: usize) -> Vec<Piece> {
        (0..1 + self.rng.below(2)).map(|_| self.stmt(depth)).collect()
    }

    fn stmt(&mut self, depth: usize) -> Piece {
        let x = self.variable();
        let v = self.value();
        let register = self.rng.pick(&["r", "s"]);
        let can_store = !self.in_loop || self.config.storing_loops;
        let choices = if depth > 0 { 21 } else { 13 };
        match self.rng.below(choices) {
            0..=3 if can_store => Piece::line(format!("{x} = {v};")),
            0..=5 => Piece::line(format!("{register} = {x};")),
            6 => Piece::line(self.rng.pick(&["fence;", "fence store_store;"])),
            7 => Piece::line(format!("{register} = exchange({x}, {});", self.rng.below(3))),
            8 => Piece::line(format!("b = cas({x}, {}, {});", self.rng.below(3), self.rng.below(3))),
            9 => Piece::line(format!("{register} = {v};")),
            10 => {
                let c = self.rng.below(3);
                let options = [
                    format!("assert({x} != {c});"),
                    format!("assert(r + s < {});", 2 + c),
                    format!("assume({x} == {c});"),
                    "r = r + s;".to_string(),
                    format!("a[{register}] = 1;"),
                    "skip;".to_string(),
                ];
                Piece::line(self.rng.pick(&options))
            }
            11 | 12 => {
                self.labels += 1;
                Piece::line(format!("L{}: skip;", self.labels - 1))
            }
            13 | 14 => Piece::Block {
                head: format!("if ({register} == {x}) {{"),
                parts: vec![self.stmts(depth - 1), self.stmts(depth - 1)],
                between: "} else {".into(),
                end: "}".into(),
            },
            // Often between a store and nothing.
            15 | 20 => {
                let parts = if can_store && self.rng.one_in(2) {
                    vec![vec![Piece::line(format!("{x} = {};", self.rng.below(3)))], Vec::new()]
                } else {
                    vec![self.stmts(depth - 1), self.stmts(depth - 1)]
                };
                Piece::Block { head: "choose {".into(), parts, between: "} or {".into(), end: "}".into() }
            }
            16 => {
                let was = std::mem::replace(&mut self.in_loop, true);
                let body = if self.rng.one_in(2) { Vec::new() } else { self.stmts(depth - 1) };
                self.in_loop = was;
                Piece::block(format!("while ({x} == {}) {{", self.rng.below(2)), body)
            }
            17 if !self.in_atomic => {
                self.in_atomic = true;
                let drain = self.rng.pick(&["", "nodrain "]);
                let body = self.stmts(depth - 1);
                self.in_atomic = false;
                Piece::block(format!("atomic {drain}{{"), body)
            }
            18 if can_store => {
                let part =
                    [vec![Piece::line("lock(m);")], self.stmts(depth - 1), vec![Piece::line("unlock(m);")]]
                        .concat();
                Piece::block("{", part)
            }
            _ => Piece::line(format!("{register} = fetch_add({x}, 1) / 2;")),
        }
    }
}
