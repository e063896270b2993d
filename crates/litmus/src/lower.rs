//! A parsed x86 test to a program of the tree: a process for each column, a shared variable for each
//! location, the condition as the property.

use super::ast::*;
use super::code::Code;
use super::constants;
use super::expression::unsigned;
use super::layout::{Access, Holds, Layout, Target, memory_operand, stores, truncate, width};
use super::observe::{NamedRegister, Observation, Observer, int_type};
use super::register::{BaseRegister, Part, REGISTERS, Register};
use fencepost_ir::tree::{self, Block, Choices, Count, ProcedureId, ProcedureKind, Property, ThreadId, Type};
use fencepost_ir::{IntType, RecordId, Span};
use fencepost_text::Diagnostic;
use std::collections::BTreeSet;

type Result<T> = std::result::Result<T, Diagnostic>;

/// A computed address is compared with so many cells at most.
const MAX_CELLS: usize = 100;

/// The program of a test, and what it looks at.
pub fn lower(file: &File) -> Result<(tree::Program, Observation)> {
    let mut layout = Layout::new(file.word(), &file.init, &[], &file.columns, &file.tail)?;
    let initial = initial_registers(file, &layout)?;
    let targets: Vec<Vec<Option<Target>>> =
        file.columns.iter().zip(&initial).map(|(c, i)| constants::targets(c, &layout, i)).collect();
    let said = accesses(file, &targets, |kind, _| width(kind));
    layout.note_widths(&said);
    let accesses = accesses(file, &targets, |kind, t| Some(width(kind).unwrap_or(layout.default_width(t))));
    if let Some(computed) = accesses.iter().find(|a| a.target == Target::Computed)
        && layout.escaping_cells().len() > MAX_CELLS
    {
        let message = format!("this address may be one of more than {MAX_CELLS} cells");
        return Err(Diagnostic::new(computed.span, message).help("use smaller arrays"));
    }
    layout.set_widths(&accesses)?;

    let mut program = tree::Program::default();
    add_shared(&mut program, &layout);
    let named = named_registers(file);
    let mut threads: Vec<Code<'_>> = Vec::new();
    for ((column, targets), initial) in file.columns.iter().zip(&targets).zip(&initial) {
        let mut registers: BTreeSet<BaseRegister> = constants::registers(column).into_iter().collect();
        registers.extend(named.iter().filter(|(t, _)| *t == column.thread).map(|(_, r)| *r));
        let registers: Vec<_> = registers.into_iter().collect();
        let mut code = Code::new(&layout, &registers, initial, column.span);
        code.column(column, targets)?;
        threads.push(code);
    }
    let faults: Vec<_> =
        threads.iter().enumerate().filter_map(|(i, c)| Some((ThreadId(i), c.fault?))).collect();
    let register = |thread: u32, name: &Name| {
        let (column, register) = find_register(file, thread, name)?;
        Ok(NamedRegister {
            thread: ThreadId(column),
            local: threads[column].register(register.base),
            scalar: unsigned(64),
            order: register.base.0,
            // Parts of one register are one entry.
            entry: String::new(),
            name: register.name(file.arch),
            shift: if register.part == Part::High { 8 } else { 0 },
            bits: register.width().bits(),
            ty: register_type(file, thread, register.base),
            holds: Holds::Words,
        })
    };
    let observation = Observer::new(&file.tail, &layout, &register).finish(&faults)?;
    for (column, code) in file.columns.iter().zip(threads) {
        add_thread(&mut program, column.thread, code.locals, code.body, column.span);
    }
    let span = if file.tail.span.is_some() { file.tail.span } else { file.columns[0].span };
    add_properties(&mut program, &observation, span);
    Ok((program, observation))
}

/// Adds the shared variables of a layout, and the structs of those that are cut.
pub fn add_shared(program: &mut tree::Program, layout: &Layout) {
    for place in &layout.places {
        let scalar = unsigned(place.cell.bits());
        if !place.pieces.is_empty() {
            let ty = Type::Record(RecordId(program.records.0.len() as u32));
            let init = place.pieces.iter().map(|p| Choices::one(place.piece_init(*p, layout.word))).collect();
            program.records.0.push(place.record());
            program.pointer_bits = layout.word.bits();
            program.shared.push(tree::Variable::new(place.name.clone(), ty, init, place.span));
            continue;
        }
        let init = place.init.iter().map(|v| Choices::one(truncate(*v, place.cell.bits())));
        let dims: Vec<u32> = place.elements.into_iter().collect();
        let (name, ty) = (place.name.clone(), Type::with_dims(scalar, &dims));
        program.shared.push(tree::Variable::new(name, ty, init.collect(), place.span));
    }
}

/// Adds a thread and its process.
pub fn add_thread(
    program: &mut tree::Program,
    thread: u32,
    locals: Vec<tree::Variable>,
    body: Vec<tree::Stmt>,
    span: Span,
) {
    let name = format!("P{thread}");
    let procedure = ProcedureId(program.procedures.len());
    program.procedures.push(tree::Procedure {
        name: name.clone(),
        kind: ProcedureKind::Process,
        params: 0,
        result: None,
        locals,
        body: Block(body),
        span,
        spelled: None,
    });
    program.threads.push(tree::Thread { name, procedure, args: Vec::new(), count: Count::Times(1), span });
}

/// Makes the condition a property, and that every access has a location.
pub fn add_properties(program: &mut tree::Program, observation: &Observation, span: Span) {
    let condition = observation.expr(span);
    program.properties.push(Property::Final(observation.quantifier(), condition, span));
    if let Some(fault) = observation.fault_expr(span) {
        program.properties.push(Property::Final(tree::Quantifier::NotExists, fault, span));
    }
}

/// The column and the register of a name.
fn find_register(file: &File, thread: u32, name: &Name) -> Result<(usize, Register)> {
    let Some(column) = file.columns.iter().position(|c| c.thread == thread) else {
        return Err(Diagnostic::new(name.span, format!("there is no thread P{thread}")));
    };
    match Register::parse(file.arch, &name.text) {
        Some(register) => Ok((column, register)),
        None => Err(Diagnostic::new(name.span, format!("`{}` is no register", name.text))),
    }
}

/// The type that the init block gives a register.
fn register_type(file: &File, thread: u32, base: BaseRegister) -> Option<IntType> {
    let declared = file.init.iter().find_map(|item| match &item.location {
        Location::Register { thread: t, name } if *t == thread => {
            let register = Register::parse(file.arch, &name.text)?;
            (register.base == base).then_some(item.ty)
        }
        _ => None,
    });
    declared.and_then(|ty| int_type(ty, file.word()))
}

/// The registers that a test's tail names, with their threads.
fn named_registers(file: &File) -> Vec<(u32, BaseRegister)> {
    let mut named = Vec::new();
    file.tail.visit(&mut |location| {
        if let Location::Register { thread, name } = location
            && let Some(register) = Register::parse(file.arch, &name.text)
        {
            named.push((*thread, register.base));
        }
    });
    named
}

/// The accesses to memory whose width is known.
fn accesses(
    file: &File,
    targets: &[Vec<Option<Target>>],
    width: impl Fn(&InstrKind, Target) -> Option<Width>,
) -> Vec<Access> {
    let mut accesses = Vec::new();
    for (column, targets) in file.columns.iter().zip(targets) {
        for (line, target) in column.lines.iter().zip(targets) {
            let (Line::Instr(instr), Some(target)) = (line, *target) else { continue };
            let Some(memory) = memory_operand(&instr.kind) else { continue };
            let Some(width) = width(&instr.kind, target) else { continue };
            accesses.push(Access { target, width, stores: stores(&instr.kind), span: memory.span });
        }
    }
    accesses
}

/// What the registers of each column hold at first.
fn initial_registers(file: &File, layout: &Layout) -> Result<Vec<[i64; REGISTERS]>> {
    let mut initial = vec![[0; REGISTERS]; file.columns.len()];
    let mut seen = BTreeSet::new();
    for item in &file.init {
        let Location::Register { thread, name } = &item.location else { continue };
        let (column, register) = find_register(file, *thread, name)?;
        if !seen.insert((column, register.base)) {
            return Err(Diagnostic::new(name.span, format!("`{}` is initialised twice", name.text)));
        }
        let Some((value, span)) = item.values.first() else { continue };
        let value = layout.constant(value, *span)?;
        let whole = &mut initial[column][register.base.0 as usize];
        *whole = match register.part {
            // In 64-bit code the value of a 32-bit name fills the register as an instruction would.
            Part::Low(width) => truncate(value, width.bits().min(layout.word.bits())),
            Part::High => truncate(value, 8) << 8,
        };
    }
    Ok(initial)
}
