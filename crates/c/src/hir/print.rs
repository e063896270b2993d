//! A program as text, for tests and for people who look into the front end.
//!
//! It looks like C with everything made explicit: implicit conversions are `long:(...)`, constants
//! other than `int` have their type, accesses that are not plain say what they are.

use super::print_expression::Printer;
use super::*;
use std::fmt::{self, Write};

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for global in &self.globals {
            print_global(self, global, f)?;
        }
        for function in self.functions.iter().filter(|function| function.origin == Origin::User) {
            print_function(self, function, f)?;
        }
        for (what, hooks) in [("before", &self.constructors), ("after", &self.destructors)] {
            for hook in hooks {
                writeln!(f, "{what} main: {}", self.functions[*hook].name)?;
            }
        }
        Ok(())
    }
}

fn print_global(program: &Program, global: &Global, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    // What only the library knows is not shown.
    if global.origin == Origin::Library {
        return Ok(());
    }
    let lives = match global.lives {
        Lives::Program => "",
        Lives::Thread => "thread_local ",
    };
    let body = global.function.and_then(|function| program.functions[function].body.as_ref());
    let mut printer = Printer::new(program, body);
    printer.initializer(global.ty, &global.init);
    let name = if global.name.is_empty() { "<string>" } else { &global.name };
    writeln!(f, "{lives}{name}: {}{}", program.types.show(global.ty), printer.out)
}

fn print_function(program: &Program, function: &Function, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{}: {}", function.name, program.types.show(function.ty))?;
    let Some(body) = &function.body else { return writeln!(f) };
    let params = body.locals.iter().take(body.params);
    let params: Vec<String> = params.map(|p| format!("{}: {}", p.name, program.types.show(p.ty))).collect();
    let mut text = Text { printer: Printer::new(program, Some(body)), depth: 1 };
    text.block(&body.block);
    writeln!(f, " ({}) {{\n{}}}", params.join(", "), text.printer.out)
}

/// Statements, each on a line of its own.
struct Text<'a> {
    printer: Printer<'a>,
    depth: usize,
}

impl Text<'_> {
    fn line(&mut self, write: impl FnOnce(&mut Printer<'_>)) {
        for _ in 0..self.depth {
            self.printer.out.push_str("  ");
        }
        write(&mut self.printer);
        self.printer.out.push('\n');
    }

    fn block(&mut self, block: &Block) {
        block.items.iter().for_each(|stmt| self.statement(stmt));
    }

    fn nested(&mut self, block: &Block) {
        self.depth += 1;
        self.block(block);
        self.depth -= 1;
    }

    fn statement(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Expr(e) => self.line(|p| p.expression(e)),
            StmtKind::Declare(id, init) => self.line(|p| {
                let ty = p.local_type(*id);
                let _ = write!(p.out, "{}: {ty}", p.local(*id));
                p.local_initializer(*id, init);
            }),
            StmtKind::Block(block) => {
                self.line(|p| p.out.push('{'));
                self.nested(block);
                self.line(|p| p.out.push('}'));
            }
            StmtKind::Label(id) => self.line(|p| {
                let label = p.label(*id);
                let _ = write!(p.out, "{label}:");
            }),
            StmtKind::If(condition, then, otherwise) => {
                self.line(|p| p.headed("if ", condition));
                self.nested(then);
                if !otherwise.items.is_empty() {
                    self.line(|p| p.out.push_str("else"));
                    self.nested(otherwise);
                }
            }
            StmtKind::Loop(l) => self.a_loop(l),
            StmtKind::Switch(switch) => self.switch(switch),
            StmtKind::Case(n) => self.line(|p| {
                let _ = write!(p.out, "case #{n}:");
            }),
            StmtKind::Goto(id) => self.line(|p| {
                let label = p.label(*id);
                let _ = write!(p.out, "goto {label}");
            }),
            StmtKind::GotoComputed(e) => self.line(|p| p.headed("goto *", e)),
            StmtKind::Break => self.line(|p| p.out.push_str("break")),
            StmtKind::Continue => self.line(|p| p.out.push_str("continue")),
            StmtKind::Return(None) => self.line(|p| p.out.push_str("return")),
            StmtKind::Return(Some(e)) => self.line(|p| p.headed("return ", e)),
            StmtKind::Asm(asm) => self.line(|p| p.asm(asm)),
            StmtKind::Start(e) => self.line(|p| p.headed("start ", e)),
        }
    }

    fn a_loop(&mut self, l: &Loop) {
        self.block(&l.init);
        let word = match l.kind {
            LoopKind::While => "while ",
            LoopKind::DoWhile => "do while ",
            LoopKind::For => "for ",
        };
        self.line(|p| {
            match &l.condition {
                Some(condition) => p.headed(word, condition),
                None => p.out.push_str(word.trim_end()),
            }
            if let Some(step) = &l.step {
                p.headed("; ", step);
            }
        });
        self.nested(&l.body);
    }

    fn switch(&mut self, switch: &Switch) {
        self.line(|p| {
            p.headed("switch ", &switch.value);
            for case in &switch.cases {
                let _ = match case.values {
                    None => write!(p.out, " default"),
                    Some((from, to)) if from == to => write!(p.out, " {from}"),
                    Some((from, to)) => write!(p.out, " {from}...{to}"),
                };
            }
        });
        self.nested(&switch.body);
    }
}
