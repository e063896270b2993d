//! Which registers hold known numbers where, by forward data flow in one thread: so most addresses in
//! registers (`0:rsi=x`, `movq $1,(%rsi)`) are known before anything runs, and the access goes to its
//! location directly.
//!
//! Only what tests do with addresses is followed: moves, `lea`, sums, `xor` of a register with itself.
//! Everything else makes its destination unknown, which is always right.

use super::ast::*;
use super::layout::{Layout, Target, truncate};
use super::operands::{memory_operand, operands};
use super::register::{ACCUMULATOR, BaseRegister, Part, REGISTERS, Register};
use fencepost_ir::Span;
use std::collections::HashMap;

/// Numbers where they are known.
type Known = [Option<i64>; REGISTERS];

/// For each line of a column where its instruction accesses memory, if it does.
pub fn targets(column: &Column, layout: &Layout, initial: &[i64; REGISTERS]) -> Vec<Option<Target>> {
    let labels: HashMap<&str, usize> = column
        .lines
        .iter()
        .enumerate()
        .filter_map(|(i, l)| if let Line::Label(name) = l { Some((name.text.as_str(), i)) } else { None })
        .collect();
    // What is known before each line; `None` where control has not come yet.
    let mut before: Vec<Option<Known>> = vec![None; column.lines.len() + 1];
    let mut work = vec![(0, initial.map(Some))];
    while let Some((line, known)) = work.pop() {
        let merged = match before[line] {
            None => known,
            Some(old) => std::array::from_fn(|r| old[r].filter(|v| known[r] == Some(*v))),
        };
        if before[line] == Some(merged) {
            continue;
        }
        before[line] = Some(merged);
        let Some(code) = column.lines.get(line) else { continue };
        let mut after = merged;
        let mut next = Some(line + 1);
        if let Line::Instr(instr) = code {
            let mut jump = |label: &Name, after: Known| {
                work.extend(labels.get(label.text.as_str()).map(|&target| (target, after)));
            };
            match &instr.kind {
                InstrKind::Jump(label) => {
                    jump(label, after);
                    next = None;
                }
                InstrKind::JumpIf(_, label) => jump(label, after),
                InstrKind::Return => next = None,
                kind => step(kind, layout, &mut after),
            }
        }
        work.extend(next.map(|line| (line, after)));
    }
    let target = |(line, known): (&Line, &Option<Known>)| {
        let Line::Instr(instr) = line else { return None };
        let memory = memory_operand(&instr.kind)?;
        // Nothing is known of registers where control never comes.
        let known = known.unwrap_or([None; REGISTERS]);
        let cell = address(memory, layout, &known).and_then(|a| layout.cell_at(a));
        Some(cell.map_or(Target::Computed, Target::Cell))
    };
    column.lines.iter().zip(&before).map(target).collect()
}

/// The address that a memory operand means, where it is known.
fn address(memory: &Memory, layout: &Layout, known: &Known) -> Option<i64> {
    let mut sum = memory.displacement;
    if let Some(name) = &memory.symbol {
        sum = sum.wrapping_add(layout.places[layout.find(&name.text)].address);
    }
    if let Some(base) = memory.base {
        sum = sum.wrapping_add(read(base, known)?);
    }
    if let Some((index, scale)) = memory.index {
        sum = sum.wrapping_add(read(index, known)?.wrapping_mul(scale.into()));
    }
    Some(truncate(sum, layout.word.bits()))
}

fn read(register: Register, known: &Known) -> Option<i64> {
    let value = known[register.base.0 as usize]?;
    Some(match register.part {
        Part::Low(width) => truncate(value, width.bits()),
        Part::High => truncate(value >> 8, 8),
    })
}

fn value(operand: &Operand, width: Option<Width>, layout: &Layout, known: &Known) -> Option<i64> {
    let value = match operand {
        Operand::Immediate(constant) => layout.constant(constant, Span::NONE).ok()?,
        Operand::Register(register) => read(*register, known)?,
        Operand::Memory(_) => return None,
    };
    Some(truncate(value, width?.bits()))
}

/// Sets a register; parts of 8 and 16 bits leave the rest unknown.
fn write(register: Register, value: Option<i64>, known: &mut Known) {
    let whole = matches!(register.part, Part::Low(Width::Long | Width::Quad));
    let value = value.map(|v| truncate(v, register.width().bits())).filter(|_| whole);
    known[register.base.0 as usize] = value;
}

fn forget(operand: &Operand, known: &mut Known) {
    if let Operand::Register(register) = operand {
        write(*register, None, known);
    }
}

fn step(kind: &InstrKind, layout: &Layout, known: &mut Known) {
    match kind {
        InstrKind::Mov { width, dest: Operand::Register(dest), source } => {
            let value = value(source, *width, layout, known);
            write(*dest, value, known);
        }
        InstrKind::Lea { dest, address: memory } => {
            let value = address(memory, layout, known);
            write(*dest, value, known);
        }
        InstrKind::Binary { op, width, dest: Operand::Register(dest), source, .. } => {
            let same = *source == Operand::Register(*dest);
            let left = value(&Operand::Register(*dest), *width, layout, known);
            let right = value(source, *width, layout, known);
            let result = match op {
                Binary::Xor | Binary::Sub if same => Some(0),
                Binary::Add => left.zip(right).map(|(l, r)| l.wrapping_add(r)),
                Binary::Sub => left.zip(right).map(|(l, r)| l.wrapping_sub(r)),
                Binary::And | Binary::Or | Binary::Xor => None,
            };
            let result = result.zip(*width).map(|(v, w)| truncate(v, w.bits()));
            write(*dest, result, known);
        }
        InstrKind::Exchange { first, second, .. } => {
            forget(first, known);
            forget(second, known);
        }
        InstrKind::ExchangeAdd { dest, source, .. } => {
            forget(dest, known);
            write(*source, None, known);
        }
        InstrKind::CompareExchange { dest, .. } => {
            forget(dest, known);
            known[ACCUMULATOR.0 as usize] = None;
        }
        InstrKind::MovExtend { dest, .. } | InstrKind::MoveIf { dest, .. } => write(*dest, None, known),
        InstrKind::Unary { dest, .. } | InstrKind::Shift { dest, .. } | InstrKind::Set(_, dest) => {
            forget(dest, known);
        }
        InstrKind::Mov { .. }
        | InstrKind::Binary { .. }
        | InstrKind::Compare { .. }
        | InstrKind::Test { .. }
        | InstrKind::Nop
        | InstrKind::Fence
        | InstrKind::StoreFence
        | InstrKind::Jump(_)
        | InstrKind::JumpIf(..)
        | InstrKind::Return => {}
    }
}

/// The registers that a thread's code names.
pub fn registers(column: &Column) -> Vec<BaseRegister> {
    let mut named = Vec::new();
    for line in &column.lines {
        let Line::Instr(instr) = line else { continue };
        for operand in operands(&instr.kind) {
            match operand {
                Operand::Register(register) => named.push(register.base),
                Operand::Memory(memory) => named.extend(address_registers(memory)),
                Operand::Immediate(_) => {}
            }
        }
        match &instr.kind {
            InstrKind::Lea { dest, address } => {
                named.push(dest.base);
                named.extend(address_registers(address));
            }
            InstrKind::MovExtend { dest, .. } | InstrKind::MoveIf { dest, .. } => named.push(dest.base),
            InstrKind::ExchangeAdd { source, .. } => named.push(source.base),
            InstrKind::CompareExchange { source, .. } => named.extend([source.base, ACCUMULATOR]),
            _ => {}
        }
    }
    named
}
