//! All programs of two threads with a few instructions each: store, load, fence and exchange on
//! two variables with two values, up to renaming of variables, values and threads.
//!
//! Variables start at 0; 1 and 2 are stored. Each load and exchange has a register of its own,
//! and all registers are observed at the end, so that outcomes are (memory, registers).

use fencepost_ir::cfg::*;
use fencepost_ir::{Access, Scalar, Span};
use std::fmt;

/// One instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Op {
    /// A store of a value to a variable.
    Store(u8, u8),
    /// A load of a variable.
    Load(u8),
    /// A full fence.
    Fence,
    /// An exchange of a value into a variable.
    Exchange(u8, u8),
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |x: u8| ["x", "y"][x as usize];
        match *self {
            Op::Store(x, v) => write!(f, "{}={v}", name(x)),
            Op::Load(x) => write!(f, "r={}", name(x)),
            Op::Fence => f.write_str("fence"),
            Op::Exchange(x, v) => write!(f, "xchg({},{v})", name(x)),
        }
    }
}

/// Two threads.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Tiny {
    /// What each does.
    pub threads: [Vec<Op>; 2],
}

impl fmt::Display for Tiny {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let thread = |ops: &[Op]| ops.iter().map(Op::to_string).collect::<Vec<_>>().join("; ");
        write!(f, "{} || {}", thread(&self.threads[0]), thread(&self.threads[1]))
    }
}

fn all_ops() -> Vec<Op> {
    let mut ops = vec![Op::Fence];
    for x in 0..2 {
        ops.push(Op::Load(x));
        for v in 1..=2 {
            ops.push(Op::Store(x, v));
            ops.push(Op::Exchange(x, v));
        }
    }
    ops
}

fn sequences(length: usize) -> Vec<Vec<Op>> {
    let mut all = vec![Vec::new()];
    let mut last = all.clone();
    for _ in 0..length {
        let extended = |s: &Vec<Op>| {
            let s = s.clone();
            all_ops().into_iter().map(move |op| [s.clone(), vec![op]].concat())
        };
        last = last.iter().flat_map(extended).collect();
        all.extend(last.iter().cloned());
    }
    all
}

impl Tiny {
    /// All programs with up to `length` instructions in each thread, one of each class.
    pub fn all(length: usize) -> impl Iterator<Item = Tiny> {
        let sequences = sequences(length);
        let n = sequences.len();
        (0..n * n)
            .map(move |i| Tiny { threads: [sequences[i / n].clone(), sequences[i % n].clone()] })
            .filter(Tiny::is_first)
    }

    /// Whether no renaming gives a smaller program: the one that stands for its class.
    fn is_first(&self) -> bool {
        for swap_threads in [false, true] {
            for swap_variables in [false, true] {
                for swap_values in [false, true] {
                    let variable = |x: u8| if swap_variables { 1 - x } else { x };
                    let value = |v: u8| if swap_values { 3 - v } else { v };
                    let rename = |op: &Op| match *op {
                        Op::Store(x, v) => Op::Store(variable(x), value(v)),
                        Op::Load(x) => Op::Load(variable(x)),
                        Op::Fence => Op::Fence,
                        Op::Exchange(x, v) => Op::Exchange(variable(x), value(v)),
                    };
                    let [a, b] = &self.threads;
                    let (a, b) = if swap_threads { (b, a) } else { (a, b) };
                    let renamed =
                        Tiny { threads: [a.iter().map(rename).collect(), b.iter().map(rename).collect()] };
                    if renamed < *self {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Whether only one variable is used.
    pub fn uses_one_variable(&self) -> bool {
        let variable = |op: &Op| match *op {
            Op::Store(x, _) | Op::Load(x) | Op::Exchange(x, _) => Some(x),
            Op::Fence => None,
        };
        let mut used: Vec<_> = self.threads.iter().flatten().filter_map(variable).collect();
        used.sort_unstable();
        used.dedup();
        used.len() <= 1
    }

    /// The program with a full fence after every store.
    pub fn with_fences(&self) -> Tiny {
        let fenced = |ops: &Vec<Op>| {
            ops.iter()
                .flat_map(|op| if let Op::Store(..) = op { vec![*op, Op::Fence] } else { vec![*op] })
                .collect()
        };
        Tiny { threads: self.threads.each_ref().map(fenced) }
    }

    /// The control-flow graph.
    pub fn program(&self) -> Program {
        let value = Scalar::Range { lo: 0, hi: 2 };
        let object = |name: &str| Object {
            name: name.to_string(),
            ty: value.into(),
            init: [Choices::one(0)].into(),
            span: Span::NONE,
        };
        let mut program = Program { objects: vec![object("x"), object("y")], ..Program::default() };
        let mut observed = vec![Observable::Cell(Loc::cell(0)), Observable::Cell(Loc::cell(1))];
        for (t, ops) in self.threads.iter().enumerate() {
            let mut registers = Vec::new();
            let mut edges = Vec::new();
            for (i, op) in ops.iter().enumerate() {
                let mut register = || {
                    let slot = registers.len() as u32;
                    registers.push(Register { name: format!("r{slot}"), ty: value, init: 0 });
                    observed.push(Observable::Register(StartId(t as u32), Reg::Local(slot)));
                    Dest::Reg(Reg::Local(slot))
                };
                let address = |x: u8| Address::Cell { object: ObjectId(x.into()), index: Expr::Const(0) };
                let instr = match *op {
                    Op::Store(x, v) => Instr::Store(address(x), Expr::Const(v.into())),
                    Op::Load(x) => Instr::Load(register(), address(x)),
                    Op::Fence => Instr::Fence(FenceKind::Full),
                    Op::Exchange(x, v) => {
                        Instr::Rmw(Some(register()), address(x), RmwOp::Exchange(Expr::Const(v.into())))
                    }
                };
                edges.push(Edge {
                    from: NodeId(i as u32),
                    to: NodeId(i as u32 + 1),
                    instr,
                    span: Span::NONE,
                    access: Access::Plain,
                });
            }
            let last = ops.len() as u32;
            edges.push(Edge {
                from: NodeId(last),
                to: NodeId(last + 1),
                instr: Instr::Return(None),
                span: Span::NONE,
                access: Access::Plain,
            });
            let name = format!("t{}", t + 1);
            program.procedures.push(Procedure::new(ProcedureParts {
                name: name.clone(),
                registers,
                params: 0,
                result: None,
                nodes: last + 2,
                edges,
                labels: Vec::new(),
                span: Span::NONE,
            }));
            let procedure = ProcId(t as u32);
            program.threads.push(Start {
                name,
                procedure,
                args: Vec::new(),
                count: Count::Times(1),
                span: Span::NONE,
            });
        }
        let (quantifier, condition, span) = (Quantifier::Exists, Expr::Const(0), Span::NONE);
        program.properties.push(Property::Final { quantifier, observed, condition, span });
        debug_assert_eq!(validate(&program), Ok(()));
        program
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_counted_by_burnside() {
        // Sequences of length up to n over 11 operations, in ordered pairs, under the group of
        // order 8: the number of classes is the mean number of fixed pairs.
        let count = |n: usize| {
            let sequences = |ops: usize| (0..=n).map(|k| ops.pow(k as u32)).sum::<usize>();
            let total = sequences(11);
            // Swapping variables, alone or with values, fixes fences; swapping values also loads.
            let (fences, fences_and_loads) = (sequences(1), sequences(3));
            let same_threads = total.pow(2) + 2 * fences.pow(2) + fences_and_loads.pow(2);
            // With the threads swapped, the second thread is the renamed first one.
            let swapped_threads = 4 * total;
            (same_threads + swapped_threads) / 8
        };
        for n in 0..=2 {
            assert_eq!(Tiny::all(n).count(), count(n), "length {n}");
        }
    }
}
