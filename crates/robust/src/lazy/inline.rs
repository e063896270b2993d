//! Procedures put in place of their calls, so that what a thread does from a store to a load is in one graph.
//!
//! Each copy of a callee has registers of its own, set when it is entered. Every edge knows what it means in
//! the program that was given ([`Meaning`]).

use fencepost_ir::cfg::{
    Dest, Edge, EdgeId, Expr, Instr, NodeId, ProcId, Procedure, ProcedureParts, Program, Property, Reg,
    Register, Requirement, RmwOp, Who,
};

/// What an edge of a changed program means for a TSO run of the program that was given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// Nothing.
    Silent,
    /// The thread follows this edge; a store reaches memory at once.
    Step(EdgeId),
    /// The thread follows this edge, a store, which stays in the buffer.
    Push(EdgeId),
    /// The oldest store in the thread's buffer reaches memory.
    Flush,
}

/// A program and what its edges mean.
#[derive(Clone)]
pub struct Changed {
    /// The program.
    pub program: Program,
    /// For each procedure and edge.
    pub meanings: Vec<Vec<Meaning>>,
}

impl Changed {
    /// A program whose edges mean themselves.
    pub fn unchanged(program: &Program) -> Changed {
        let own = |p: &Procedure| (0..p.edges().len()).map(|i| Meaning::Step(EdgeId(i as u32))).collect();
        Changed { program: program.clone(), meanings: program.procedures.iter().map(own).collect() }
    }

    /// Puts a procedure in place of another.
    pub fn replace(&mut self, id: ProcId, parts: ProcedureParts, mut edges: Vec<(Edge, Meaning)>) {
        // Procedures keep edges in this order, so that both lists agree.
        edges.sort_by_key(|(edge, _)| edge.from);
        let (edges, meanings) = edges.into_iter().unzip();
        self.program.procedures[id.index()] = Procedure::new(ProcedureParts { edges, ..parts });
        self.meanings[id.index()] = meanings;
    }
}

/// Adds alternatives to forbidden combinations: whoever is at the second label is where the first one means.
pub fn also_at(program: &mut Program, from: (ProcId, &str), to: (ProcId, &str)) {
    for property in &mut program.properties {
        let Property::Forbid { together, .. } = property else { continue };
        for alternatives in together {
            let same = |r: &&Requirement| r.procedure == from.0 && r.label == from.1;
            let new: Vec<_> = alternatives
                .iter()
                .filter(same)
                .map(|r| Requirement { who: r.who, procedure: to.0, label: to.1.to_string() })
                .collect();
            alternatives.extend(new);
        }
    }
}

/// Registers of a callee have other numbers in the copy.
pub fn shift_expr(e: &mut Expr, by: u32) {
    let shift = |reg: &mut Reg| {
        if let Reg::Local(slot) = reg {
            *slot += by;
        }
    };
    match e {
        Expr::Const(_) => {}
        Expr::Reg(reg) => shift(reg),
        Expr::At { base, index, .. } => {
            shift(base);
            shift_expr(index, by);
        }
        Expr::Unary(_, _, a) | Expr::Check { arg: a, .. } | Expr::Wrap(_, a) | Expr::Index(_, a) => {
            shift_expr(a, by);
        }
        Expr::Binary(_, _, a, b) => {
            shift_expr(a, by);
            shift_expr(b, by);
        }
        Expr::Select(a, b, c) => {
            shift_expr(a, by);
            shift_expr(b, by);
            shift_expr(c, by);
        }
    }
}

fn shift_dest(dest: &mut Dest, by: u32) {
    let (Dest::Reg(reg) | Dest::At { base: reg, .. }) = dest;
    if let Reg::Local(slot) = reg {
        *slot += by;
    }
    if let Dest::At { index, .. } = dest {
        shift_expr(index, by);
    }
}

fn shift_instr(instr: &mut Instr, by: u32) {
    match instr {
        Instr::Assign(d, e) => {
            shift_dest(d, by);
            shift_expr(e, by);
        }
        Instr::Load(d, a) => {
            shift_dest(d, by);
            shift_expr(a.expr_mut(), by);
        }
        Instr::Store(a, e) => {
            shift_expr(a.expr_mut(), by);
            shift_expr(e, by);
        }
        Instr::Rmw(d, a, op) => {
            d.iter_mut().for_each(|d| shift_dest(d, by));
            shift_expr(a.expr_mut(), by);
            match op {
                RmwOp::Exchange(e)
                | RmwOp::Add(e)
                | RmwOp::Sub(e)
                | RmwOp::And(e)
                | RmwOp::Or(e)
                | RmwOp::Xor(e) => shift_expr(e, by),
                RmwOp::CompareExchange { expected, new } => {
                    shift_expr(expected, by);
                    shift_expr(new, by);
                }
            }
        }
        Instr::Lock(a) | Instr::Unlock(a) => shift_expr(a.expr_mut(), by),
        Instr::Assume(e) | Instr::Assert(e, _) | Instr::Free(e, _) => shift_expr(e, by),
        Instr::Havoc(d, _) | Instr::Own(d) => shift_dest(d, by),
        Instr::Spawn(d, _, args, _) | Instr::Call(d, _, args) => {
            d.iter_mut().for_each(|d| shift_dest(d, by));
            args.iter_mut().for_each(|e| shift_expr(e, by));
        }
        Instr::Join(d, e) => {
            d.iter_mut().for_each(|d| shift_dest(d, by));
            shift_expr(e, by);
        }
        Instr::Return(e) | Instr::Exit(e) => e.iter_mut().for_each(|e| shift_expr(e, by)),
        Instr::Allocate { dest, bytes, .. } => {
            shift_dest(dest, by);
            shift_expr(bytes, by);
        }
        Instr::Reallocate { dest, pointer, bytes, .. } => {
            shift_dest(dest, by);
            shift_expr(pointer, by);
            shift_expr(bytes, by);
        }
        Instr::Nop
        | Instr::Choose
        | Instr::Fence(_)
        | Instr::Halt
        | Instr::AtomicBegin(_)
        | Instr::AtomicEnd(_) => {}
    }
}

struct Copier<'p> {
    program: &'p Program,
    registers: Vec<Register>,
    nodes: u32,
    edges: Vec<(Edge, Meaning)>,
    labels: Vec<(String, NodeId)>,
    /// Labels of copies: procedure, label, and the copy's.
    copied_labels: Vec<(ProcId, String, String)>,
    /// Procedures that are being copied, to see recursion.
    open: Vec<ProcId>,
    copies: u32,
}

/// More than this and the graphs are too large to be worth it.
const MAX_NODES: u32 = 1 << 16;

impl Copier<'_> {
    fn fresh(&mut self) -> NodeId {
        self.nodes += 1;
        NodeId(self.nodes - 1)
    }

    /// Copies a procedure's edges; `returns` says where a return leads and where its value goes. Gives its
    /// entry.
    fn copy(
        &mut self,
        id: ProcId,
        base: u32,
        returns: Option<(NodeId, Option<Dest>)>,
    ) -> Result<NodeId, String> {
        let procedure = self.program.procedure(id);
        if self.open.contains(&id) {
            return Err(format!("`{}` calls itself", procedure.name));
        }
        if self.nodes > MAX_NODES {
            return Err("calls take too much room when they are put in place".to_string());
        }
        self.open.push(id);
        let first = self.nodes;
        self.nodes += procedure.nodes;
        let at = |node: NodeId| NodeId(first + node.0);
        for (label, node) in &procedure.labels {
            let name = match returns {
                None => label.clone(),
                Some(_) => format!("{label}@{}", self.copies),
            };
            if returns.is_some() {
                self.copied_labels.push((id, label.clone(), name.clone()));
            }
            self.labels.push((name, at(*node)));
        }
        for (number, edge) in procedure.edges().iter().enumerate() {
            let mut instr = edge.instr.clone();
            shift_instr(&mut instr, base);
            let meaning = Meaning::Step(EdgeId(number as u32));
            let (from, to, span, access) = (at(edge.from), at(edge.to), edge.span, edge.access);
            match (instr, &returns) {
                (Instr::Call(dest, callee, args), _) => {
                    self.call(
                        Edge { from, to, instr: Instr::Nop, span, access },
                        meaning,
                        dest,
                        callee,
                        args,
                    )?;
                }
                (Instr::Return(value), Some((to, dest))) => {
                    let instr = match (value, dest) {
                        (Some(value), Some(dest)) => Instr::Assign(dest.clone(), value),
                        _ => Instr::Nop,
                    };
                    self.edges.push((Edge { from, to: *to, instr, span, access }, meaning));
                }
                (instr, _) => self.edges.push((Edge { from, to, instr, span, access }, meaning)),
            }
        }
        self.open.pop();
        Ok(at(procedure.entry()))
    }

    fn call(
        &mut self,
        edge: Edge,
        meaning: Meaning,
        dest: Option<Dest>,
        callee: ProcId,
        args: Vec<Expr>,
    ) -> Result<(), String> {
        self.copies += 1;
        let base = self.registers.len() as u32;
        let procedure = self.program.procedure(callee);
        let name = |r: &Register| format!("%{}.{}", self.copies, r.name);
        let copies: Vec<_> =
            procedure.registers.iter().map(|r| Register { name: name(r), ..r.clone() }).collect();
        self.registers.extend(copies);
        let entry = self.copy(callee, base, Some((edge.to, dest)))?;
        let others = procedure.registers[args.len()..].iter().map(|r| Expr::Const(r.init));
        let values: Vec<Expr> = args.into_iter().chain(others).collect();
        let mut from = edge.from;
        let mut meaning = meaning;
        let last = values.len();
        for (slot, value) in values.into_iter().enumerate() {
            let to = if slot + 1 == last { entry } else { self.fresh() };
            let instr = Instr::Assign(Dest::Reg(Reg::Local(base + slot as u32)), value);
            self.edges.push((Edge { from, to, instr, span: edge.span, access: edge.access }, meaning));
            (from, meaning) = (to, Meaning::Silent);
        }
        if last == 0 {
            self.edges.push((Edge { to: entry, ..edge }, meaning));
        }
        Ok(())
    }
}

/// Gives each thread of the beginning a procedure of its own, so that one can be extended without the others.
/// Those that are started several times at one place keep theirs together.
pub fn separate(changed: &mut Changed) {
    let Changed { program, meanings } = changed;
    let mut used: Vec<bool> = vec![false; program.procedures.len()];
    for procedure in &program.procedures {
        for edge in procedure.edges() {
            if let Instr::Spawn(_, child, ..) = edge.instr {
                used[child.index()] = true;
            }
        }
    }
    for start in 0..program.threads.len() {
        let old = program.threads[start].procedure;
        if !std::mem::replace(&mut used[old.index()], true) {
            continue;
        }
        let new = ProcId(program.procedures.len() as u32);
        let mut copy = program.procedure(old).clone();
        copy.name = format!("{}@{}", copy.name, start + 1);
        let labels: Vec<String> = copy.labels.iter().map(|(label, _)| label.clone()).collect();
        program.procedures.push(copy);
        used.push(true);
        meanings.push(meanings[old.index()].clone());
        program.threads[start].procedure = new;
        for label in labels {
            also_at(program, (old, &label), (new, &label));
        }
        // Whoever ran the procedure runs its copy now.
        for property in &mut program.properties {
            let Property::Forbid { together, .. } = property else { continue };
            for requirement in together.iter_mut().flatten().filter(|r| r.procedure == new) {
                if requirement.who == Who::Runs(old) {
                    requirement.who = Who::Runs(new);
                }
            }
        }
    }
}

/// The program with no calls in what its threads run; or why not.
pub fn inline(program: &Program) -> Result<Changed, String> {
    let mut changed = Changed::unchanged(program);
    let mut roots: Vec<ProcId> = program.threads.iter().map(|t| t.procedure).collect();
    for procedure in &program.procedures {
        for edge in procedure.edges() {
            if let Instr::Spawn(_, child, ..) = edge.instr {
                roots.push(child);
            }
        }
    }
    roots.sort_unstable();
    roots.dedup();
    for id in roots {
        let procedure = program.procedure(id);
        if !procedure.edges().iter().any(|e| matches!(e.instr, Instr::Call(..))) {
            continue;
        }
        let mut copier = Copier {
            program,
            registers: procedure.registers.clone(),
            nodes: 0,
            edges: Vec::new(),
            labels: Vec::new(),
            copied_labels: Vec::new(),
            open: Vec::new(),
            copies: 0,
        };
        copier.copy(id, 0, None)?;
        let Copier { registers, nodes, edges, labels, copied_labels, .. } = copier;
        let parts = procedure.clone().into_parts();
        changed.replace(id, ProcedureParts { registers, nodes, labels, ..parts }, edges);
        for (callee, label, copy) in copied_labels {
            also_at(&mut changed.program, (callee, &label), (id, &copy));
        }
    }
    Ok(changed)
}
