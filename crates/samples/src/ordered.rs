//! Small programs whose accesses have memory orders: a text form of one line, the program in the modelling language, and random ones.
//!
//! Threads are separated by `||`, operations by `;`. The n-th operation of a thread, counted from 0, has the register `rn`:
//!
//! | operation | what it does |
//! |---|---|
//! | `R x acq` | loads `x` |
//! | `W x 1 rel`, `W x r0 rlx` | stores a value or a register |
//! | `X x 1 ar`, `A x 1 ar` | exchanges, adds; the register gets the old value |
//! | `C x 0 1 ar rlx` | compares with 0 and exchanges for 1; the order of failure is last |
//! | `F sc` | a thread fence |
//! | `if r0 = 1` | skips the next operation unless the register has that value |
//! | `L m`, `U m` | locks and unlocks a mutex |
//! | `S 2`, `J 2` | starts a thread, waits for its end; started ones are the last ones, started in order |
//!
//! Orders are `na` (not atomic), `rlx`, `acq`, `rel`, `ar` and `sc`. Cells are `x`, `y`, `z`, `u` of type u8, at first 0; mutexes `m` and `n`.

mod generate;

pub use generate::{Profile, cycle, neighbour, random, threaded, tiny};

use fencepost_ir::Order;
use std::fmt;
use std::str::FromStr;

/// The names of cells.
pub const CELLS: [&str; 4] = ["x", "y", "z", "u"];

/// The names of mutexes.
const MUTEXES: [&str; 2] = ["m", "n"];

/// What is stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// A number.
    Number(u8),
    /// What a register of the thread holds.
    Register(usize),
}

/// The order of an access; none if it is not atomic.
pub type Ordering = Option<Order>;

/// One operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// `R`
    Load(usize, Ordering),
    /// `W`
    Store(usize, Value, Ordering),
    /// `X`
    Exchange(usize, u8, Order),
    /// `A`
    Add(usize, u8, Order),
    /// `C`: cell, expected, new, orders of success and failure.
    Compare(usize, u8, u8, Order, Order),
    /// `F`
    Fence(Order),
    /// `if`: register and value.
    If(usize, u8),
    /// `L`
    Lock(usize),
    /// `U`
    Unlock(usize),
    /// `S`
    Spawn(usize),
    /// `J`
    Join(usize),
}

/// A program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Ordered {
    /// What each thread does.
    pub threads: Vec<Vec<Op>>,
}

fn short(order: Ordering) -> &'static str {
    match order {
        None => "na",
        Some(Order::Relaxed) => "rlx",
        Some(Order::Acquire) => "acq",
        Some(Order::Release) => "rel",
        Some(Order::AcqRel) => "ar",
        Some(Order::SeqCst) => "sc",
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let atomic = |order: Order| short(Some(order));
        match *self {
            Op::Load(x, o) => write!(f, "R {} {}", CELLS[x], short(o)),
            Op::Store(x, Value::Number(v), o) => write!(f, "W {} {v} {}", CELLS[x], short(o)),
            Op::Store(x, Value::Register(r), o) => write!(f, "W {} r{r} {}", CELLS[x], short(o)),
            Op::Exchange(x, v, o) => write!(f, "X {} {v} {}", CELLS[x], atomic(o)),
            Op::Add(x, v, o) => write!(f, "A {} {v} {}", CELLS[x], atomic(o)),
            Op::Compare(x, e, n, s, o) => write!(f, "C {} {e} {n} {} {}", CELLS[x], atomic(s), atomic(o)),
            Op::Fence(o) => write!(f, "F {}", atomic(o)),
            Op::If(r, v) => write!(f, "if r{r} = {v}"),
            Op::Lock(m) => write!(f, "L {}", MUTEXES[m]),
            Op::Unlock(m) => write!(f, "U {}", MUTEXES[m]),
            Op::Spawn(t) => write!(f, "S {t}"),
            Op::Join(t) => write!(f, "J {t}"),
        }
    }
}

impl fmt::Display for Ordered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let thread = |ops: &Vec<Op>| ops.iter().map(Op::to_string).collect::<Vec<_>>().join("; ");
        f.write_str(&self.threads.iter().map(thread).collect::<Vec<_>>().join(" || "))
    }
}

impl Op {
    /// Whether others have to go with it.
    fn is_about_threads(self) -> bool {
        matches!(self, Op::Lock(_) | Op::Unlock(_) | Op::Spawn(_) | Op::Join(_))
    }
}

impl FromStr for Op {
    type Err = String;

    fn from_str(text: &str) -> Result<Op, String> {
        let wrong = || format!("`{text}` is no operation");
        let words: Vec<&str> = text.split_whitespace().collect();
        let cell = |name: &str| CELLS.iter().position(|c| *c == name).ok_or_else(wrong);
        let mutex = |name: &str| MUTEXES.iter().position(|c| *c == name).ok_or_else(wrong);
        let ordering = |name: &str| {
            let all = [None].into_iter().chain(Order::ALL.map(Some));
            all.into_iter().find(|o| short(*o) == name).ok_or_else(wrong)
        };
        let order = |name: &str| ordering(name)?.ok_or_else(wrong);
        let number = |name: &str| name.parse::<u8>().map_err(|_| wrong());
        let thread = |name: &str| name.parse::<usize>().map_err(|_| wrong());
        let register = |name: &str| name.strip_prefix('r').and_then(|n| n.parse().ok()).ok_or_else(wrong);
        Ok(match words[..] {
            ["R", x, o] => Op::Load(cell(x)?, ordering(o)?),
            ["W", x, v, o] if v.starts_with('r') => {
                Op::Store(cell(x)?, Value::Register(register(v)?), ordering(o)?)
            }
            ["W", x, v, o] => Op::Store(cell(x)?, Value::Number(number(v)?), ordering(o)?),
            ["X", x, v, o] => Op::Exchange(cell(x)?, number(v)?, order(o)?),
            ["A", x, v, o] => Op::Add(cell(x)?, number(v)?, order(o)?),
            ["C", x, e, n, s, o] => Op::Compare(cell(x)?, number(e)?, number(n)?, order(s)?, order(o)?),
            ["F", o] => Op::Fence(order(o)?),
            ["if", r, "=", v] => Op::If(register(r)?, number(v)?),
            ["L", m] => Op::Lock(mutex(m)?),
            ["U", m] => Op::Unlock(mutex(m)?),
            ["S", t] => Op::Spawn(thread(t)?),
            ["J", t] => Op::Join(thread(t)?),
            _ => return Err(wrong()),
        })
    }
}

impl FromStr for Ordered {
    type Err = String;

    fn from_str(text: &str) -> Result<Ordered, String> {
        let thread = |text: &str| text.split(';').map(str::parse).collect::<Result<Vec<Op>, _>>();
        Ok(Ordered { threads: text.split("||").map(thread).collect::<Result<_, _>>()? })
    }
}

/// A litmus test with its published answer under RC11.
pub struct Known {
    /// Its name.
    pub name: &'static str,
    /// Its threads.
    pub program: Ordered,
    /// A final state, as in `1:r0=1 x=2`.
    pub outcome: &'static str,
    /// Whether RC11 has it.
    pub allowed: bool,
}

/// Litmus tests with their published answers.
pub fn known() -> Vec<Known> {
    let lines = include_str!("ordered/known.txt").lines().filter(|line| !line.starts_with('#'));
    let known = |line: &'static str| {
        let [name, program, outcome, answer] = line.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let program = program.parse().unwrap_or_else(|e| panic!("{name}: {e}"));
        Known { name, program, outcome, allowed: answer == "yes" }
    };
    lines.map(known).collect()
}

/// Programs each of which a rule of seq_cst, of release sequences or of threads decides.
pub fn decisive() -> Vec<Ordered> {
    let lines = include_str!("ordered/decisive.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.parse().unwrap_or_else(|e| panic!("{e}"))).collect()
}

impl Ordered {
    /// The number of cells that are used.
    pub fn cells(&self) -> usize {
        let used = |op: &Op| match *op {
            Op::Load(x, _) | Op::Store(x, ..) | Op::Exchange(x, ..) | Op::Add(x, ..) | Op::Compare(x, ..) => {
                x + 1
            }
            Op::Fence(_) | Op::If(..) | Op::Lock(_) | Op::Unlock(_) | Op::Spawn(_) | Op::Join(_) => 0,
        };
        self.threads.iter().flatten().map(used).max().unwrap_or(0)
    }

    /// Whether a thread is started by another one.
    pub fn is_spawned(&self, thread: usize) -> bool {
        self.threads.iter().flatten().any(|op| *op == Op::Spawn(thread))
    }

    /// The program in the modelling language.
    pub fn source(&self) -> String {
        let mut text = String::new();
        CELLS[..self.cells()].iter().for_each(|x| text += &format!("shared u8 {x};\n"));
        for (m, name) in MUTEXES.iter().enumerate() {
            if self.threads.iter().flatten().any(|op| *op == Op::Lock(m)) {
                text += &format!("mutex {name};\n");
            }
        }
        // What is spawned is declared before it is named.
        for (t, ops) in self.threads.iter().enumerate().rev() {
            text += &match self.is_spawned(t) {
                true => format!("process t{t}() {{\n"),
                false => format!("thread t{t} {{\n"),
            };
            (0..ops.len()).for_each(|r| text += &format!("u8 r{r};\n"));
            for spawned in (0..self.threads.len()).filter(|u| ops.contains(&Op::Spawn(*u))) {
                text += &format!("thread_id h{spawned};\n");
            }
            let mut closing = false;
            for (r, op) in ops.iter().enumerate() {
                text += &statement(r, op);
                if closing {
                    text += "}\n";
                }
                closing = matches!(op, Op::If(..));
            }
            text += if closing { "}\n}\n" } else { "}\n" };
        }
        text
    }
}

fn statement(r: usize, op: &Op) -> String {
    let at = |order: Ordering| order.map_or(String::new(), |order| format!("@{order}"));
    match *op {
        Op::Load(x, o) => format!("r{r} = {}{};\n", CELLS[x], at(o)),
        Op::Store(x, Value::Number(v), o) => format!("{}{} = {v};\n", CELLS[x], at(o)),
        Op::Store(x, Value::Register(v), o) => format!("{}{} = r{v};\n", CELLS[x], at(o)),
        Op::Exchange(x, v, o) => format!("r{r} = exchange({}@{o}, {v});\n", CELLS[x]),
        Op::Add(x, v, o) => format!("r{r} = fetch_add({}@{o}, {v});\n", CELLS[x]),
        Op::Compare(x, e, n, s, o) => format!("r{r} = compare_exchange({}@{s}@{o}, {e}, {n});\n", CELLS[x]),
        Op::Fence(o) => format!("fence {o};\n"),
        Op::If(r, v) => format!("if (r{r} == {v}) {{\n"),
        Op::Lock(m) => format!("lock({});\n", MUTEXES[m]),
        Op::Unlock(m) => format!("unlock({});\n", MUTEXES[m]),
        Op::Spawn(t) => format!("h{t} = spawn t{t}();\n"),
        Op::Join(t) => format!("join(h{t});\n"),
    }
}
