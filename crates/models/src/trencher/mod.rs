//! Trencher's input: threads as automata over registers and one unbounded memory.
//!
//! ```text
//! thread t1
//! initial q0
//! final qf
//! transition q0 q1 write 1 0        # memory[0] = 1
//! transition q1 qf read r 1         # r = memory[1]
//! end
//! ```
//!
//! Each state becomes a label, each transition an alternative there that ends in a jump. Where
//! threads have final states, the goal is that they are all at one of theirs together; a program
//! without has no property, and only robustness applies.
//!
//! Registers and memory are integers and start at 0; addresses are values.

mod fences;

pub use fences::Fences;

use fencepost_ir::tree::*;
use fencepost_ir::{FileId, Scalar, Sources, Span};
use fencepost_text::Diagnostic;
use std::collections::{HashMap, HashSet};

type Result<T> = std::result::Result<T, Diagnostic>;

/// Reads a program.
pub fn read(name: &str, text: &str) -> std::result::Result<Program, (Sources, Vec<Diagnostic>)> {
    let sources = Sources::single(name, text);
    match Reader::new(text).program() {
        Ok(mut program) => {
            program.sources = sources;
            debug_assert_eq!(validate(&program), Ok(()), "the reader makes valid trees");
            Ok(program)
        }
        Err(diagnostic) => Err((sources, vec![diagnostic])),
    }
}

/// A word and its place.
#[derive(Clone, Debug)]
struct Word {
    text: String,
    span: Span,
}

struct Reader {
    /// The words of each line that has some.
    lines: Vec<Vec<Word>>,
    next: usize,
    end: Span,
    program: Program,
    /// The names of its threads.
    names: HashSet<String>,
}

/// A thread being read.
struct Automaton {
    name: Word,
    initial: Option<Word>,
    finals: Vec<Word>,
    transitions: Vec<(Word, Word, StmtKind, Span)>,
    /// Registers by their names in the file.
    registers: Vec<(String, Variable)>,
}

impl Reader {
    fn new(text: &str) -> Reader {
        let mut lines = Vec::new();
        for (number, line) in text.strip_prefix('\u{feff}').unwrap_or(text).lines().enumerate() {
            let line = line.split('#').next().unwrap_or("");
            let words = words(line, number as u32 + 1);
            if !words.is_empty() {
                lines.push(words);
            }
        }
        let line = text.lines().count().max(1) as u32;
        let end = Span { file: FileId(0), line, column: 1, length: 1 };
        Reader { lines, next: 0, end, program: Program::default(), names: HashSet::new() }
    }

    fn program(mut self) -> Result<Program> {
        self.program.shared.push(Variable {
            name: "memory".into(),
            ty: Type::with_dims(Scalar::Integer, &[UNBOUNDED]),
            fill: Fill::Zero,
            kept: Kept::Private,
            init: Vec::new(),
            span: Span::NONE,
            spelled: None,
        });
        // The final states of each thread, as labels; no goal unless every thread has one.
        let mut goal = Some(Vec::new());
        let mut goal_span = Span::NONE;
        while self.next < self.lines.len() {
            let line = self.lines[self.next].clone();
            self.next += 1;
            match (line[0].text.as_str(), &line[1..]) {
                // Memory has no end here, so its size says nothing.
                ("memory_size", [size]) if size.text.parse::<u64>().is_ok() => {}
                ("thread", [name]) => {
                    let automaton = self.automaton(name.clone())?;
                    goal_span = automaton.finals.first().map_or(goal_span, |word| word.span);
                    let finals = self.add_thread(automaton)?;
                    goal = goal.filter(|_| !finals.is_empty());
                    goal.iter_mut().for_each(|g| g.push(finals.clone()));
                }
                _ => {
                    return Err(Diagnostic::new(line[0].span, "expected a thread").help(
                        "a program is `thread NAME`, `initial STATE`, transitions and `end`, again and again",
                    ));
                }
            }
        }
        if self.program.threads.is_empty() {
            return Err(Diagnostic::new(self.end, "there is no thread").help("write `thread NAME`"));
        }
        // Every combination of final states is a goal of its own.
        let mut combinations = vec![Vec::new()];
        for (thread, finals) in goal.unwrap_or_default().iter().enumerate() {
            let place = |label: &String| (Who::Thread(ThreadId(thread)), label.clone());
            let extend = |c: Vec<_>| finals.iter().map(move |f| [c.clone(), vec![place(f)]].concat());
            combinations = combinations.into_iter().flat_map(extend).collect();
        }
        for combination in combinations.into_iter().filter(|c| !c.is_empty()) {
            self.program.properties.push(Property::Forbid(combination, goal_span));
        }
        Ok(self.program)
    }

    fn automaton(&mut self, name: Word) -> Result<Automaton> {
        let mut automaton = Automaton {
            name,
            initial: None,
            finals: Vec::new(),
            transitions: Vec::new(),
            registers: Vec::new(),
        };
        loop {
            let Some(line) = self.lines.get(self.next).cloned() else {
                return Err(Diagnostic::new(self.end, "the thread has no end").help("write `end`"));
            };
            self.next += 1;
            match (line[0].text.as_str(), &line[1..]) {
                ("end", []) => return Ok(automaton),
                ("initial", [state]) => automaton.initial = Some(state.clone()),
                ("final", states) if !states.is_empty() => automaton.finals.extend_from_slice(states),
                ("transition", [from, to, instruction, operands @ ..]) => {
                    let span = line[0].span.to(line[line.len() - 1].span);
                    let kind = automaton.instruction(instruction, operands, span)?;
                    automaton.transitions.push((from.clone(), to.clone(), kind, span));
                }
                _ => {
                    let diagnostic = Diagnostic::new(line[0].span, "cannot read this line of the thread");
                    return Err(diagnostic.help(
                        "a thread has `initial STATE`, `final STATE`, `transition FROM TO INSTRUCTION` and `end`",
                    ));
                }
            }
        }
    }

    /// Adds the thread; gives the labels of its final states.
    fn add_thread(&mut self, automaton: Automaton) -> Result<Vec<String>> {
        let Automaton { name, initial, finals, transitions, registers } = automaton;
        let Some(initial) = initial else {
            return Err(
                Diagnostic::new(name.span, "the thread has no initial state").help("write `initial STATE`")
            );
        };
        if !self.names.insert(identifier(&name.text)) {
            return Err(Diagnostic::new(name.span, format!("two threads are called `{}`", name.text)));
        }
        let mut states = States::default();
        let ends = transitions.iter().flat_map(|(from, to, ..)| [from, to]).chain(&finals);
        [&initial].into_iter().chain(ends).for_each(|state| states.add(state));
        let mut leaving = vec![Vec::new(); states.words.len()];
        for transition in &transitions {
            leaving[states.number(&transition.0)].push(transition);
        }
        let declare = |(i, (_, r)): (usize, &(String, Variable))| Stmt {
            kind: StmtKind::Declare(LocalId(i), None),
            span: r.span,
        };
        let mut body: Vec<Stmt> = registers.iter().enumerate().map(declare).collect();
        for (i, state) in states.words.iter().enumerate() {
            let stmt = |kind, span| Stmt { kind, span };
            body.push(stmt(StmtKind::Label(states.label(i)), state.span));
            let mut alternatives: Vec<Block> = leaving[i]
                .iter()
                .map(|(_, to, kind, span)| {
                    let jump = StmtKind::Goto(states.label(states.number(to)));
                    Block(vec![stmt(kind.clone(), *span), stmt(jump, *span)])
                })
                .collect();
            match alternatives.len() {
                // Nothing leads on: the thread stays here.
                0 => {
                    body.push(stmt(StmtKind::Assume(Expr::constant(0, Scalar::Bool, state.span)), state.span))
                }
                1 => body.append(&mut alternatives[0].0),
                _ => body.push(stmt(StmtKind::Choose(alternatives), state.span)),
            }
        }
        let procedure = ProcedureId(self.program.procedures.len());
        self.program.procedures.push(Procedure {
            name: identifier(&name.text),
            kind: ProcedureKind::Process,
            params: 0,
            result: None,
            locals: registers.into_iter().map(|(_, variable)| variable).collect(),
            body: Block(body),
            span: name.span,
            spelled: None,
        });
        let (count, args) = (Count::Times(1), Vec::new());
        let name_text = identifier(&name.text);
        self.program.threads.push(Thread { name: name_text, procedure, args, count, span: name.span });
        Ok(finals.iter().map(|f| states.label(states.number(f))).collect())
    }
}

/// The words of a line, with their places.
fn words(line: &str, number: u32) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut inside = false;
    for (column, c) in line.chars().enumerate() {
        if c.is_whitespace() {
            inside = false;
        } else if inside && let Some(word) = words.last_mut() {
            word.text.push(c);
            word.span.length += 1;
        } else {
            inside = true;
            let span = Span { file: FileId(0), line: number, column: column as u32 + 1, length: 1 };
            words.push(Word { text: c.to_string(), span });
        }
    }
    words
}

/// A name that the modelling language can print: other characters become `_`.
fn identifier(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let needs_letter = plain.starts_with(|c: char| c.is_ascii_digit()) || crate::fp::is_reserved(&plain);
    if needs_letter { format!("s_{plain}") } else { plain }
}

/// The states of a thread, in the order in which they are named.
#[derive(Default)]
struct States {
    words: Vec<Word>,
    numbers: HashMap<String, usize>,
    /// How many states have names that become the same identifier.
    alike: HashMap<String, usize>,
}

impl States {
    fn add(&mut self, state: &Word) {
        if !self.numbers.contains_key(&state.text) {
            self.numbers.insert(state.text.clone(), self.words.len());
            self.words.push(state.clone());
            *self.alike.entry(identifier(&state.text)).or_insert(0) += 1;
        }
    }

    fn number(&self, state: &Word) -> usize {
        self.numbers[&state.text]
    }

    /// The label of the i-th state. States whose names look alike are numbered.
    fn label(&self, i: usize) -> String {
        let name = identifier(&self.words[i].text);
        if self.alike[&name] > 1 { format!("{name}_{i}") } else { name }
    }
}

const OPERATORS: [(&str, BinaryOp); 14] = [
    ("==", BinaryOp::Eq),
    ("!=", BinaryOp::Ne),
    ("<", BinaryOp::Lt),
    ("<=", BinaryOp::Le),
    (">", BinaryOp::Gt),
    (">=", BinaryOp::Ge),
    ("&&", BinaryOp::And),
    ("||", BinaryOp::Or),
    ("+", BinaryOp::Add),
    ("-", BinaryOp::Sub),
    ("*", BinaryOp::Mul),
    ("/", BinaryOp::Div),
    ("%", BinaryOp::Rem),
    ("&", BinaryOp::BitAnd),
];

impl Automaton {
    fn instruction(&mut self, name: &Word, operands: &[Word], span: Span) -> Result<StmtKind> {
        let mut rest = operands;
        let usage = |text: &str| Diagnostic::new(name.span, format!("this instruction is `{text}`"));
        let kind = match name.text.as_str() {
            "write" => {
                let value = self.number(&mut rest, name)?;
                let address = self.number(&mut rest, name)?;
                StmtKind::Assign(memory(address), value)
            }
            "read" => {
                let Some((register, after)) = rest.split_first() else { return Err(usage("read REG ADDR")) };
                rest = after;
                let register = self.register(register)?;
                let address = self.number(&mut rest, name)?;
                let value = Expr { kind: ExprKind::Read(memory(address)), ty: Scalar::Integer, span };
                StmtKind::Assign(register, value)
            }
            "local" => {
                let Some((register, after)) = rest.split_first() else { return Err(usage("local REG EXPR")) };
                rest = after;
                let register = self.register(register)?;
                StmtKind::Assign(register, self.number(&mut rest, name)?)
            }
            "check" => {
                let condition = self.number(&mut rest, name)?;
                StmtKind::Assume(truth(condition))
            }
            "mfence" => StmtKind::Fence(Fence::Machine(FenceKind::Full)),
            "noop" => StmtKind::Skip,
            "lock" => StmtKind::AtomicBegin(Drain::Yes),
            "unlock" => StmtKind::AtomicEnd(Drain::Yes),
            other => {
                return Err(Diagnostic::new(name.span, format!("there is no instruction `{other}`"))
                    .help("known are write, read, mfence, local, check, noop, lock and unlock"));
            }
        };
        match rest.first() {
            Some(word) => Err(Diagnostic::new(word.span, "this is more than the instruction takes")),
            None => Ok(kind),
        }
    }

    fn register(&mut self, word: &Word) -> Result<Place> {
        let is_operator = word.text == "!" || OPERATORS.iter().any(|(o, _)| *o == word.text);
        if is_operator || word.text.parse::<i128>().is_ok() {
            return Err(Diagnostic::new(word.span, format!("`{}` is not a register", word.text)));
        }
        let known = self.registers.iter().position(|(name, _)| *name == word.text);
        let id = known.unwrap_or_else(|| {
            let name = identifier(&word.text);
            let alike = self.registers.iter().any(|(_, v)| v.name == name);
            let name = if alike { format!("{name}_{}", self.registers.len()) } else { name };
            let (ty, init) = (Scalar::Integer.into(), vec![Choices::one(0)]);
            self.registers.push((word.text.clone(), Variable::new(name, ty, init, word.span)));
            self.registers.len() - 1
        });
        Ok(Place::variable(VarRef::Local(LocalId(id)), word.span))
    }

    /// A prefix expression, as an integer; comparisons and logic give 0 or 1.
    fn number(&mut self, rest: &mut &[Word], instruction: &Word) -> Result<Expr> {
        self.expression(rest, instruction, 0)
    }

    fn expression(&mut self, rest: &mut &[Word], instruction: &Word, depth: usize) -> Result<Expr> {
        let Some((word, after)) = rest.split_first() else {
            return Err(Diagnostic::new(instruction.span, "an operand of this instruction is missing"));
        };
        if depth > MAX_DEPTH {
            return Err(Diagnostic::new(word.span, format!("nested more than {MAX_DEPTH} levels deep")));
        }
        *rest = after;
        let span = word.span;
        let integer = |kind| Expr { kind, ty: Scalar::Integer, span };
        let bool_to_integer = |kind| {
            let e = Expr { kind, ty: Scalar::Bool, span };
            integer(ExprKind::Convert(Conversion::Checked, Box::new(e)))
        };
        if word.text == "!" {
            let arg = truth(self.expression(rest, instruction, depth + 1)?);
            return Ok(bool_to_integer(ExprKind::Unary(UnaryOp::Not, Box::new(arg))));
        }
        if let Some((_, op)) = OPERATORS.iter().find(|(o, _)| *o == word.text) {
            let left = self.expression(rest, instruction, depth + 1)?;
            let right = self.expression(rest, instruction, depth + 1)?;
            return Ok(match op {
                BinaryOp::And | BinaryOp::Or => {
                    bool_to_integer(ExprKind::Binary(*op, Box::new(truth(left)), Box::new(truth(right))))
                }
                BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::Div
                | BinaryOp::Rem
                | BinaryOp::BitAnd => integer(ExprKind::Binary(*op, Box::new(left), Box::new(right))),
                _ => bool_to_integer(ExprKind::Binary(*op, Box::new(left), Box::new(right))),
            });
        }
        match word.text.parse::<i128>() {
            Ok(n) => match i64::try_from(n) {
                Ok(value) => Ok(Expr::constant(value, Scalar::Integer, span)),
                Err(_) => Err(Diagnostic::new(span, "this number does not fit 64 bits")),
            },
            Err(_) => Ok(integer(ExprKind::Read(self.register(word)?))),
        }
    }
}

/// Deeper expressions are refused, so that no input overflows the stack.
const MAX_DEPTH: usize = 400;

/// `memory[address]`
fn memory(address: Expr) -> Place {
    let span = address.span;
    Place::element(VarRef::Shared(SharedId(0)), vec![address], span)
}

/// Whether the integer is not 0.
fn truth(e: Expr) -> Expr {
    let span = e.span;
    if let ExprKind::Convert(_, inner) = e.kind {
        return *inner;
    }
    let zero = Box::new(Expr::constant(0, Scalar::Integer, span));
    Expr { kind: ExprKind::Binary(BinaryOp::Ne, Box::new(e), zero), ty: Scalar::Bool, span }
}
