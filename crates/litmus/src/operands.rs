//! What instructions of x86 access: their operands, which of them is in memory, and how wide it is.

use super::ast::*;

/// The operands of an instruction, but for those that are always registers.
pub fn operands(kind: &InstrKind) -> Vec<&Operand> {
    match kind {
        InstrKind::Mov { dest, source, .. } | InstrKind::Binary { dest, source, .. } => vec![dest, source],
        InstrKind::MovExtend { source, .. } | InstrKind::MoveIf { source, .. } => vec![source],
        InstrKind::Exchange { first, second, .. } => vec![first, second],
        InstrKind::ExchangeAdd { dest, .. }
        | InstrKind::CompareExchange { dest, .. }
        | InstrKind::Unary { dest, .. }
        | InstrKind::Set(_, dest) => vec![dest],
        InstrKind::Shift { dest, by, .. } => vec![dest, by],
        InstrKind::Compare { left, right, .. } | InstrKind::Test { left, right, .. } => vec![left, right],
        InstrKind::Nop
        | InstrKind::Lea { .. }
        | InstrKind::Fence
        | InstrKind::StoreFence
        | InstrKind::Jump(_)
        | InstrKind::JumpIf(..)
        | InstrKind::Return => Vec::new(),
    }
}

/// The memory operand that an instruction accesses; it has at most one.
pub fn memory_operand(kind: &InstrKind) -> Option<&Memory> {
    operands(kind).into_iter().find_map(|o| if let Operand::Memory(m) = o { Some(m) } else { None })
}

/// Whether the instruction writes its memory operand.
pub fn stores(kind: &InstrKind) -> bool {
    match kind {
        InstrKind::Mov { dest, .. } => matches!(dest, Operand::Memory(_)),
        InstrKind::Binary { dest, .. } => matches!(dest, Operand::Memory(_)),
        InstrKind::Exchange { .. }
        | InstrKind::ExchangeAdd { .. }
        | InstrKind::CompareExchange { .. }
        | InstrKind::Unary { .. }
        | InstrKind::Shift { .. }
        | InstrKind::Set(..) => true,
        InstrKind::MovExtend { .. }
        | InstrKind::MoveIf { .. }
        | InstrKind::Compare { .. }
        | InstrKind::Test { .. }
        | InstrKind::Nop
        | InstrKind::Lea { .. }
        | InstrKind::Fence
        | InstrKind::StoreFence
        | InstrKind::Jump(_)
        | InstrKind::JumpIf(..)
        | InstrKind::Return => false,
    }
}

/// The width that an instruction accesses its operands with, if it says one.
pub fn width(kind: &InstrKind) -> Option<Width> {
    match kind {
        InstrKind::Mov { width, .. }
        | InstrKind::Exchange { width, .. }
        | InstrKind::ExchangeAdd { width, .. }
        | InstrKind::CompareExchange { width, .. }
        | InstrKind::Binary { width, .. }
        | InstrKind::Unary { width, .. }
        | InstrKind::Shift { width, .. }
        | InstrKind::Compare { width, .. }
        | InstrKind::Test { width, .. }
        | InstrKind::MoveIf { width, .. } => *width,
        InstrKind::MovExtend { from, .. } => Some(*from),
        InstrKind::Set(..) => Some(Width::Byte),
        InstrKind::Nop
        | InstrKind::Lea { .. }
        | InstrKind::Fence
        | InstrKind::StoreFence
        | InstrKind::Jump(_)
        | InstrKind::JumpIf(..)
        | InstrKind::Return => None,
    }
}
