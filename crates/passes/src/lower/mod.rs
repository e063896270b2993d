//! Tree to control-flow graph.
//!
//! Every shared access becomes an instruction, in the order of evaluation; temporaries are
//! reused from statement to statement, so that they cost little in stored states. The graph it
//! makes has many empty steps; the next passes remove them.

mod expression;
mod graph;
mod local;
mod names;
mod place;
mod property;
mod statement;
mod unwind;

use fencepost_ir::Checks;
use fencepost_ir::cfg::{self, NodeId, ObjectId, ProcId};
use fencepost_ir::tree::*;
use graph::Graph;
use local::Home;
use names::{Facts, HeapTypes, Objects, Registers};
use property::property;
use unwind::Unwinding;

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
        opaque_addresses: program.opaque_addresses,
        orders_pointers: program.orders_pointers,
        records: program.records,
        sources: program.sources,
    }
}

/// One procedure being lowered.
struct Lowering<'a> {
    program: &'a Program,
    id: ProcedureId,
    code: &'a Procedure,
    unwinding: &'a Unwinding,
    homes: Vec<Home>,
    facts: &'a Facts,
    heap_types: &'a mut HeapTypes,
    registers: Registers,
    graph: Graph,
    /// Targets of `break` and `continue`, innermost last.
    loops: Vec<(NodeId, NodeId)>,
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
        let mut registers = Registers::default();
        let homes = local::homes(program, (id, facts.runs_once(id)), &mut registers, &mut objects);
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
            graph: Graph::default(),
            loops: Vec::new(),
            jumps,
            labelled: false,
        };
        lowering.enter();
        lowering.block(&code.body);
        let value = code.result.map(|ty| cfg::Expr::Const(ty.default_value()));
        lowering.return_value(value, code.span);
        lowering.graph.procedure(code, lowering.registers.all)
    }
}

/// The object of a shared variable.
fn object(id: SharedId) -> ObjectId {
    ObjectId(id.0 as u32)
}
