//! Tree to control-flow graph: statements and properties. Expressions are in
//! [`crate::lower_expression`].
//!
//! Every shared access becomes an instruction, in the order of evaluation; temporaries are
//! reused from statement to statement, so that they cost little in stored states. The graph it
//! makes has many empty steps; the next passes remove them.

use crate::lower_expression::Lowered;
use crate::lower_names::{Facts, HeapTypes, Objects, Registers};
use crate::unwind::Unwinding;
use fencepost_ir::cfg::{
    self, Dest, Edge, HeapTypeId, Instr, NodeId, ObjectId, ProcId, ProcedureParts, Reg, StartId, Storage,
};
use fencepost_ir::tree::*;
use fencepost_ir::{Access, Checks, Scalar, Span};
use std::collections::HashMap;

/// Makes the control-flow graph.
pub fn run(program: Program) -> cfg::Program {
    let mut objects: Vec<_> = program
        .shared
        .iter()
        .map(|v| cfg::Object {
            name: v.name.clone(),
            ty: v.ty.clone(),
            init: v.init.iter().inspect(|_| fencepost_ir::wanted::point()).cloned().collect(),
            span: v.span,
        })
        .collect();
    let facts = Facts::new(&program);
    let mut thread_registers = Registers::default();
    for variable in &program.thread_locals {
        thread_registers.add(&program.records, variable);
    }
    let unwinding = Unwinding::new(&program, &mut thread_registers.all);
    let mut names = objects.iter().map(|o| o.name.clone()).collect();
    let mut heap_types = HeapTypes::default();
    let procedures = (0..program.procedures.len())
        .map(|id| {
            let id = ProcedureId(id);
            let own = Objects { objects: &mut objects, names: &mut names };
            Lowering::procedure(&program, &facts, id, &unwinding, own, &mut heap_types)
        })
        .collect();
    let start = |t: &Thread| cfg::Start {
        name: t.name.clone(),
        procedure: ProcId(t.procedure.0 as u32),
        args: t.args.clone(),
        count: t.count,
        span: t.span,
    };
    let properties = program.properties.iter().map(|p| property(&program, &facts, p)).collect();
    cfg::Program {
        objects,
        heap_types: heap_types.all,
        thread_registers: thread_registers.all,
        procedures,
        threads: program.threads.iter().map(start).collect(),
        properties,
        checks: Checks::default(),
        pointer_bits: program.pointer_bits,
        exposes_pointers: program.exposes_pointers,
        orders_pointers: program.orders_pointers,
        records: program.records,
        sources: program.sources,
    }
}

/// Where a local is.
#[derive(Clone, Copy)]
pub(crate) enum Home {
    /// In the frame, from this slot on.
    Slots(u32),
    /// In an object of the program: the procedure runs only once.
    Object(ObjectId),
    /// In an object of the frame's own; this slot points to it.
    Pointed(u32),
}

/// One procedure being lowered.
pub(crate) struct Lowering<'a> {
    pub(crate) program: &'a Program,
    pub(crate) id: ProcedureId,
    pub(crate) code: &'a Procedure,
    pub(crate) unwinding: &'a Unwinding,
    pub(crate) homes: Vec<Home>,
    facts: &'a Facts,
    heap_types: &'a mut HeapTypes,
    registers: Registers,
    nodes: u32,
    edges: Vec<Edge>,
    labels: HashMap<String, NodeId>,
    /// Where the next edge starts.
    pub(crate) current: NodeId,
    exit: NodeId,
    /// Targets of `break` and `continue`, innermost last.
    loops: Vec<(NodeId, NodeId)>,
    /// Temporaries that no statement uses now, and those of the current one.
    free: Vec<u32>,
    busy: Vec<u32>,
    /// Whether there are jumps, and whether a label has been passed that they may lead back to.
    jumps: bool,
    labelled: bool,
}

impl<'a> Lowering<'a> {
    fn procedure(
        program: &'a Program,
        facts: &'a Facts,
        id: ProcedureId,
        unwinding: &'a Unwinding,
        mut objects: Objects<'_>,
        heap_types: &'a mut HeapTypes,
    ) -> cfg::Procedure {
        let code = program.procedure(id);
        let once = facts.runs_once(id);
        let mut registers = Registers::default();
        let mut homes = Vec::new();
        for local in &code.locals {
            homes.push(match local.kept {
                Kept::InMemory(Fill::Zero) if once => Home::Object(objects.add(code, local)),
                Kept::InMemory(_) | Kept::InBlock(_) => {
                    let pointer = Variable {
                        name: format!("&{}", local.name),
                        ty: Scalar::Pointer { bits: program.pointer_bits }.into(),
                        init: vec![Choices::one(0)],
                        fill: Fill::Zero,
                        kept: Kept::Private,
                        span: local.span,
                        spelled: None,
                    };
                    Home::Pointed(registers.add(&program.records, &pointer))
                }
                Kept::Private => Home::Slots(registers.add(&program.records, local)),
            });
        }
        let mut jumps = false;
        code.body.visit(&mut |s| jumps |= matches!(s.kind, StmtKind::Goto(_)));
        let mut lowering = Lowering {
            program,
            id,
            code,
            unwinding,
            facts,
            homes,
            heap_types,
            registers,
            nodes: 2,
            edges: Vec::new(),
            labels: HashMap::new(),
            current: NodeId(0),
            exit: NodeId(1),
            loops: Vec::new(),
            free: Vec::new(),
            busy: Vec::new(),
            jumps,
            labelled: false,
        };
        lowering.enter();
        lowering.block(&code.body);
        let value = code.result.map(|ty| cfg::Expr::Const(ty.default_value()));
        lowering.return_value(value, code.span);
        let mut labels: Vec<_> = lowering.labels.into_iter().collect();
        labels.sort_by_key(|(name, node)| (*node, name.clone()));
        cfg::Procedure::new(ProcedureParts {
            name: code.name.clone(),
            registers: lowering.registers.all,
            params: code.params as u32,
            result: code.result,
            nodes: lowering.nodes,
            edges: lowering.edges,
            labels,
            span: code.span,
        })
    }

    /// Makes the objects of locals that are kept in memory. Parameters are private: the front end
    /// copies one whose address is taken.
    fn enter(&mut self) {
        for (i, local) in self.code.locals.iter().enumerate() {
            if let Kept::InMemory(_) = local.kept {
                self.make(LocalId(i), local.span);
            }
        }
    }

    /// Makes the object of a local that has one of its own.
    fn make(&mut self, id: LocalId, span: Span) {
        let local = &self.code.locals[id.0];
        let (Home::Pointed(slot), Kept::InMemory(fill) | Kept::InBlock(fill)) =
            (self.homes[id.0], local.kept)
        else {
            return;
        };
        let bytes = cfg::Expr::Const(self.program.records.size(&local.ty) as i64);
        let ty = self.heap_type(&local.name, &local.ty);
        let dest = Dest::Reg(Reg::Local(slot));
        self.emit(Instr::Allocate { dest, ty, bytes, fill, storage: Storage::Stack }, span);
    }

    /// The object of a local is gone; that of a private one is what it points to, or none if that is null.
    pub(crate) fn leave(&mut self, id: LocalId, span: Span) {
        let (Home::Pointed(slot) | Home::Slots(slot)) = self.homes[id.0] else { return };
        let pointer = Reg::Local(slot);
        self.emit(Instr::Free(cfg::Expr::Reg(pointer), Storage::Stack), span);
        let in_block = matches!(self.code.locals[id.0].kept, Kept::InBlock(_));
        if matches!(self.homes[id.0], Home::Slots(_)) || in_block && self.may_unwind() {
            self.emit(Instr::Assign(Dest::Reg(pointer), cfg::Expr::Const(0)), span);
        }
    }

    /// The kind of allocated objects with that name and type.
    pub(crate) fn heap_type(&mut self, name: &str, ty: &Type) -> HeapTypeId {
        self.heap_types.id(name, ty)
    }

    pub(crate) fn node(&mut self) -> NodeId {
        self.nodes += 1;
        NodeId(self.nodes - 1)
    }

    pub(crate) fn edge(&mut self, from: NodeId, to: NodeId, instr: Instr, span: Span) {
        self.edges.push(Edge { from, to, instr, span, access: Access::Plain });
    }

    /// Adds an access at the current node and goes on after it.
    pub(crate) fn emit_access(&mut self, instr: Instr, access: Access, span: Span) {
        self.emit(instr, span);
        self.edges.last_mut().expect("an edge was added").access = access;
    }

    /// Adds an instruction at the current node and goes on behind it.
    pub(crate) fn emit(&mut self, instr: Instr, span: Span) {
        let to = self.node();
        self.edge(self.current, to, instr, span);
        self.current = to;
    }

    /// Goes on at `node`; what came before leads there.
    pub(crate) fn go_to(&mut self, node: NodeId, span: Span) {
        self.edge(self.current, node, Instr::Nop, span);
        self.current = node;
    }

    /// What follows is reached by jumps only, if at all.
    fn cut(&mut self) {
        self.current = self.node();
    }

    /// A temporary for the current statement.
    pub(crate) fn temporary(&mut self, ty: Scalar) -> Reg {
        let reusable = self.free.iter().position(|&slot| self.registers.all[slot as usize].ty == ty);
        let slot = match reusable {
            Some(i) => self.free.swap_remove(i),
            None => self.registers.add_temporary(ty),
        };
        self.busy.push(slot);
        Reg::Local(slot)
    }

    fn release_temporaries(&mut self) {
        self.free.append(&mut self.busy);
    }

    /// The locals in memory end, where a thread ends by itself. Those of a thread that is there from the beginning live
    /// on: it is common that a program's first thread leaves the others with pointers to its variables.
    pub(crate) fn leave_locals(&mut self, span: Span) {
        if !self.facts.starts(self.id) {
            self.end_locals(span);
        }
    }

    fn end_locals(&mut self, span: Span) {
        for (i, local) in self.code.locals.iter().enumerate() {
            if let (Home::Pointed(_), Kept::InMemory(_)) = (self.homes[i], local.kept) {
                self.leave(LocalId(i), span);
            }
        }
    }

    fn return_value(&mut self, value: Option<cfg::Expr>, span: Span) {
        self.end_locals(span);
        self.leave_by(Instr::Return(value), span);
    }

    /// The thread ends with a result.
    pub(crate) fn end_thread(&mut self, result: Option<cfg::Expr>, span: Span) {
        self.leave_by(Instr::Exit(result), span);
    }

    /// Leaves the procedure.
    pub(crate) fn leave_by(&mut self, instr: Instr, span: Span) {
        self.edge(self.current, self.exit, instr, span);
        self.cut();
    }

    fn label(&mut self, name: &str) -> NodeId {
        match self.labels.get(name) {
            Some(node) => *node,
            None => {
                let node = self.node();
                self.labels.insert(name.to_string(), node);
                node
            }
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.0 {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        fencepost_ir::wanted::point();
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Skip => self.emit(Instr::Nop, span),
            StmtKind::Label(name) => {
                let node = self.label(name);
                self.labelled = true;
                self.go_to(node, span);
            }
            StmtKind::Declare(id, Some(value)) => {
                self.store(&Place::variable(VarRef::Local(*id), span), value, span)
            }
            StmtKind::Declare(id, None) => self.declare(*id, span),
            StmtKind::Assign(place, value) => self.store(place, value, span),
            StmtKind::Eval(e) => self.effect(e),
            StmtKind::If(cond, then, otherwise) => {
                let (yes, no, end) = (self.node(), self.node(), self.node());
                self.condition(cond, yes, no);
                self.release_temporaries();
                for (start, block) in [(yes, then), (no, otherwise)] {
                    self.current = start;
                    self.block(block);
                    self.go_to(end, span);
                }
            }
            StmtKind::While(cond, body) => {
                let (head, inside, end) = (self.node(), self.node(), self.node());
                self.go_to(head, span);
                self.condition(cond, inside, end);
                self.release_temporaries();
                self.current = inside;
                self.loops.push((end, head));
                self.block(body);
                self.loops.pop();
                self.go_to(head, span);
                self.current = end;
            }
            StmtKind::DoWhile(body, cond) => {
                let (head, test, end) = (self.node(), self.node(), self.node());
                self.go_to(head, span);
                self.loops.push((end, test));
                self.block(body);
                self.loops.pop();
                self.go_to(test, span);
                self.condition(cond, head, end);
                self.current = end;
            }
            StmtKind::Break | StmtKind::Continue => {
                let (end, next) = *self.loops.last().expect("the validator asks for a loop");
                let target = if stmt.kind == StmtKind::Break { end } else { next };
                self.go_to(target, span);
                self.cut();
            }
            StmtKind::Goto(label) => {
                let node = self.label(label);
                self.go_to(node, span);
                self.cut();
            }
            StmtKind::Return(value) => {
                let value = value.as_ref().map(|v| self.expr(v));
                self.return_value(value, span);
            }
            StmtKind::Choose(blocks) => {
                let (start, end) = (self.current, self.node());
                for block in blocks {
                    self.current = start;
                    self.emit(Instr::Choose, span);
                    self.block(block);
                    self.go_to(end, span);
                }
            }
            StmtKind::Atomic(drain, body) => {
                self.emit(Instr::AtomicBegin(*drain), span);
                self.block(body);
                self.emit(Instr::AtomicEnd(*drain), span);
            }
            StmtKind::AtomicBegin(drain) => self.emit(Instr::AtomicBegin(*drain), span),
            StmtKind::AtomicEnd(drain) => self.emit(Instr::AtomicEnd(*drain), span),
            StmtKind::Fence(Fence::Machine(kind)) => self.emit(Instr::Fence(*kind), span),
            // Only in a graph for the language's own model: elsewhere the pass `orders` has put the machine's fence here.
            StmtKind::Fence(Fence::Thread(order)) => {
                self.emit_access(Instr::Fence(FenceKind::Full), Access::Atomic(*order), span);
            }
            StmtKind::Assume(e) => {
                let condition = self.expr(e);
                self.emit(Instr::Assume(condition), span);
            }
            StmtKind::Assert(e) => {
                let condition = self.expr(e);
                self.emit(Instr::Assert(condition), span);
            }
            StmtKind::Lock(place) => {
                let address = self.memory_place(place);
                self.emit(Instr::Lock(address), span);
            }
            StmtKind::Unlock(place) => {
                let address = self.memory_place(place);
                self.emit(Instr::Unlock(address), span);
            }
            StmtKind::Join(None, e) => {
                let handle = self.expr(e);
                self.emit(Instr::Join(None, handle), span);
            }
            StmtKind::Join(Some(place), e) => {
                let handle = self.expr(e);
                match self.place(place) {
                    Lowered::Private(dest) => self.emit(Instr::Join(Some(dest), handle), span),
                    Lowered::Memory(address) => {
                        let ty = self.scalar_type(place);
                        let result = self.temporary(ty);
                        self.emit(Instr::Join(Some(Dest::Reg(result)), handle), span);
                        self.emit(Instr::Store(address, cfg::Expr::Reg(result)), span);
                    }
                }
            }
            StmtKind::Free(e) => {
                let pointer = self.expr(e);
                self.emit(Instr::Free(pointer, Storage::Heap), span);
            }
            StmtKind::Enter(id) => self.make(*id, span),
            StmtKind::Leave(id) => self.leave(*id, span),
            StmtKind::Exit(value) => {
                self.exit_thread(value.as_ref(), span);
            }
            StmtKind::Halt => {
                self.edge(self.current, self.exit, Instr::Halt, span);
                self.cut();
            }
            StmtKind::Block(_, block) => self.block(block),
        }
        self.release_temporaries();
    }

    /// A declaration without value sets the default again if it can be passed twice; frames
    /// start with it.
    fn declare(&mut self, id: LocalId, span: Span) {
        if self.loops.is_empty() && !(self.jumps && self.labelled) {
            return;
        }
        // A block that a loop enters again has a new variable, which holds anything; nobody knows the one before, or
        // the statements around the block would say when it is entered.
        if let (Kept::InMemory(Fill::Undefined), false) = (self.code.locals[id.0].kept, self.jumps) {
            self.leave(id, span);
            self.make(id, span);
        }
        let Home::Slots(base) = self.homes[id.0] else { return };
        for (i, init) in self.code.locals[id.0].init.iter().enumerate() {
            let value = init.single().expect("locals start with one value");
            let dest = Dest::Reg(Reg::Local(base + i as u32));
            self.emit(Instr::Assign(dest, cfg::Expr::Const(value)), span);
        }
    }
}

/// The object of a shared variable.
pub(crate) fn object(id: SharedId) -> ObjectId {
    ObjectId(id.0 as u32)
}

fn property(program: &Program, facts: &Facts, property: &Property) -> cfg::Property {
    match property {
        Property::Forbid(parts, span) => {
            let together = parts.iter().map(|(who, label)| places(program, facts, *who, label)).collect();
            cfg::Property::Forbid { together, span: *span }
        }
        Property::AtMost(n, label, span) => {
            let together = (0..=*n).map(|_| places(program, facts, Who::Any, label)).collect();
            cfg::Property::Forbid { together, span: *span }
        }
        Property::Final(quantifier, condition, span) => {
            let mut observed = Vec::new();
            let condition =
                crate::lower_expression::final_condition(program, facts, condition, &mut observed);
            cfg::Property::Final { quantifier: *quantifier, observed, condition, span: *span }
        }
    }
}

/// The procedures where a label counts: the threads' own one if it has the label, else every
/// function that has it; for any thread, all code.
fn places(program: &Program, facts: &Facts, who: Who, label: &str) -> Vec<cfg::Requirement> {
    let with_label = facts.with_label(label);
    let own = match who {
        Who::Any => None,
        Who::Runs(p) => Some(p),
        Who::Thread(t) => Some(program.threads[t.0].procedure),
    };
    let who = match who {
        Who::Any => cfg::Who::Any,
        Who::Runs(p) => cfg::Who::Runs(ProcId(p.0 as u32)),
        Who::Thread(t) => cfg::Who::Start(StartId(t.0 as u32)),
    };
    let own_has_it = own.is_some_and(|own| with_label.binary_search(&own.0).is_ok());
    let counts = |i: usize| match own {
        None => true,
        Some(own) if own_has_it => own.0 == i,
        Some(_) => program.procedures[i].kind == ProcedureKind::Function,
    };
    let places = with_label.iter().filter(|i| counts(**i));
    places.map(|&i| cfg::Requirement { who, procedure: ProcId(i as u32), label: label.to_string() }).collect()
}
