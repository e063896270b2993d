//! A column of x86 code to a process of the tree: registers are 64-bit locals, flags are locals where
//! something asks for them.
//!
//! What instructions mean to memory: `mov` is a load or a store. `mfence` is a full fence, `sfence` a
//! store-store fence; `lfence` is nothing, since loads are in order anyway. An exchange with memory and
//! everything with `lock` is one read-modify-write, which drains the store buffer. Other arithmetic on
//! memory is a load and a store. `lock neg`, which no read-modify-write of the tree is, is a load and a
//! compare-and-swap that is assumed to succeed: runs in which it does not are not runs of the test.
//! A `cmpxchg` without `lock` that fails writes nothing, as in herd; the manuals say it writes back what
//! it read.
//!
//! An address that is not known before the run (see [`super::constants`]) is compared with that of every
//! location whose address is used as a value. If it is none of them, the thread ends and remembers the
//! line: the test is wrong, and whoever runs it says so.

use super::ast::*;
use super::expression::*;
use super::flags::Flags;
use super::layout::{Access, CellRef, Layout, Target, truncate};
use super::operands::width;
use super::register::{ACCUMULATOR, BaseRegister, Part, REGISTERS, Register};
use fencepost_ir::tree::{
    self, BinaryOp, Block, Choices, Expr, Fence, FenceKind, Form, LocalId, RmwKind, SharedId, Stmt, StmtKind,
    Type, VarRef, Variable,
};
use fencepost_ir::{Scalar, Span};
use fencepost_text::Diagnostic;
use std::collections::HashSet;

type Result<T> = std::result::Result<T, Diagnostic>;

/// The type of registers.
pub(super) const U64: Scalar = Scalar::Int(fencepost_ir::IntType { bits: 64, signed: false });

/// Locals for values that an instruction uses twice.
#[derive(Clone, Copy)]
pub(super) enum Temporary {
    Result,
    Operand,
    Address,
}

/// What an access does to memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    Load,
    Store,
}

/// A thread being made.
pub struct Code<'a> {
    layout: &'a Layout,
    pub locals: Vec<Variable>,
    registers: [Option<LocalId>; REGISTERS],
    pub(super) flags: Flags,
    temporaries: [Option<LocalId>; 3],
    /// The line of an access to no location.
    pub fault: Option<LocalId>,
    pub body: Vec<Stmt>,
    target: Option<Target>,
    pub(super) span: Span,
}

impl<'a> Code<'a> {
    /// A thread with these registers.
    pub fn new(
        layout: &'a Layout,
        registers: &[BaseRegister],
        initial: &[i64; REGISTERS],
        span: Span,
    ) -> Code<'a> {
        let mut code = Code {
            layout,
            locals: Vec::new(),
            registers: [None; REGISTERS],
            flags: Flags::default(),
            temporaries: [None; 3],
            fault: None,
            body: Vec::new(),
            target: None,
            span,
        };
        for base in registers {
            let name = Register::low(*base, Width::Quad).name(Arch::X86_64);
            let id = code.local(&name, U64, initial[base.0 as usize]);
            code.registers[base.0 as usize] = Some(id);
        }
        code
    }

    fn local(&mut self, name: &str, scalar: Scalar, init: i64) -> LocalId {
        let (ty, init) = (Type::Scalar(scalar), vec![Choices::one(init)]);
        self.locals.push(Variable::new(name.to_string(), ty, init, self.span));
        LocalId(self.locals.len() - 1)
    }

    /// The local of a register of the thread.
    pub fn register(&self, base: BaseRegister) -> LocalId {
        self.registers[base.0 as usize].expect("the registers that code names are made first")
    }

    /// Lowers the code; `targets` says for each line where it accesses memory.
    pub fn column(&mut self, column: &Column, targets: &[Option<Target>]) -> Result<()> {
        let mut labels = HashSet::new();
        for line in &column.lines {
            match line {
                Line::Label(name) if !labels.insert(name.text.as_str()) => {
                    let message = format!("the label `{}` stands twice in this column", name.text);
                    return Err(Diagnostic::new(name.span, message));
                }
                Line::Label(_) | Line::Instr(_) => {}
            }
        }
        let flags = Flags::needed(column);
        for flag in flags {
            let id = self.local(flag.name(), Scalar::Bool, 0);
            self.flags.set(flag, id);
        }
        for (line, target) in column.lines.iter().zip(targets) {
            match line {
                Line::Label(name) => {
                    self.span = name.span;
                    self.push(StmtKind::Label(name.text.clone()));
                }
                Line::Instr(instr) => {
                    self.span = instr.span;
                    self.target = *target;
                    if let InstrKind::Jump(label) | InstrKind::JumpIf(_, label) = &instr.kind
                        && !labels.contains(label.text.as_str())
                    {
                        let message = format!("no label `{}` in this column", label.text);
                        return Err(Diagnostic::new(label.span, message));
                    }
                    self.instr(&instr.kind)?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn push(&mut self, kind: StmtKind) {
        self.body.push(Stmt { kind, span: self.span });
    }

    pub(super) fn set(&mut self, local: LocalId, value: Expr) {
        self.push(StmtKind::Assign(simple(VarRef::Local(local), self.span), value));
    }

    pub(super) fn get(&self, local: LocalId) -> Expr {
        let Type::Scalar(ty) = self.locals[local.0].ty else { panic!("registers are scalars") };
        read(simple(VarRef::Local(local), self.span), ty)
    }

    // Operands

    pub(super) fn read_register(&self, register: Register) -> Expr {
        let whole = self.get(self.register(register.base));
        match register.part {
            Part::Low(width) => convert(whole, unsigned(width.bits())),
            Part::High => convert(with_number(BinaryOp::Shr, whole, 8), unsigned(8)),
        }
    }

    /// Writing 32 bits clears those above; writing fewer keeps them.
    fn register_with(&self, register: Register, value: Expr) -> Expr {
        let part = convert(value, unsigned(register.width().bits()));
        let whole = self.get(self.register(register.base));
        let kept = |mask: i64| with_number(BinaryOp::BitAnd, whole, !mask);
        match register.part {
            Part::Low(Width::Quad | Width::Long) => convert(part, U64),
            Part::Low(width) => binary(BinaryOp::BitOr, kept(truncate(-1, width.bits())), convert(part, U64)),
            Part::High => {
                binary(BinaryOp::BitOr, kept(0xff00), with_number(BinaryOp::Shl, convert(part, U64), 8))
            }
        }
    }

    fn write_register(&mut self, register: Register, value: Expr) {
        let value = self.register_with(register, value);
        self.set(self.register(register.base), value);
    }

    /// The address that a memory operand means.
    fn address_of(&self, memory: &Memory) -> Expr {
        let mut start = memory.displacement;
        if let Some(name) = &memory.symbol {
            start = start.wrapping_add(self.layout.places[self.layout.find(&name.text)].address);
        }
        let mut sum = number(start, U64, self.span);
        if let Some(base) = memory.base {
            sum = binary(BinaryOp::Add, sum, convert(self.read_register(base), U64));
        }
        if let Some((index, scale)) = memory.index {
            let index = convert(self.read_register(index), U64);
            sum = binary(BinaryOp::Add, sum, with_number(BinaryOp::Mul, index, scale.into()));
        }
        convert(convert(sum, unsigned(self.layout.word.bits())), U64)
    }

    pub(super) fn temporary(&mut self, which: Temporary) -> LocalId {
        if let Some(id) = self.temporaries[which as usize] {
            return id;
        }
        let name = match which {
            Temporary::Result => "result",
            Temporary::Operand => "operand",
            Temporary::Address => "address",
        };
        let id = self.local(name, U64, 0);
        self.temporaries[which as usize] = Some(id);
        id
    }

    /// Where an access goes, and its type.
    pub(super) fn cell(&self, (place, offset): CellRef, width: Width) -> (tree::Place, Scalar) {
        let location = &self.layout.places[place];
        if !location.pieces.is_empty() {
            return (self.layout.part(place, offset, width, self.span), unsigned(width.bits()));
        }
        let variable = VarRef::Shared(SharedId(place));
        let place = match location.elements {
            Some(_) => {
                let index = location.index(offset, self.layout.word);
                let index = number(index.into(), Scalar::Integer, self.span);
                tree::Place::element(variable, vec![index], self.span)
            }
            None => simple(variable, self.span),
        };
        (place, unsigned(location.cell.bits()))
    }

    /// Does `each` for the cell that the instruction accesses: directly where it is known, else after
    /// comparisons of its address.
    pub(super) fn access(
        &mut self,
        memory: &Memory,
        width: Width,
        effect: Effect,
        each: &mut dyn FnMut(&mut Code<'a>, CellRef),
    ) {
        match self.target {
            Some(Target::Cell(cell)) => each(self, cell),
            Some(Target::Computed) | None => {
                let address = self.temporary(Temporary::Address);
                let value = self.address_of(memory);
                self.set(address, value);
                let stores = effect == Effect::Store;
                let access = Access { target: Target::Computed, width, stores, span: self.span };
                let cells = self.layout.candidates(&access);
                self.choose_cell(address, &cells, each);
            }
        }
    }

    fn choose_cell(
        &mut self,
        address: LocalId,
        cells: &[CellRef],
        each: &mut dyn FnMut(&mut Code<'a>, CellRef),
    ) {
        let outside = std::mem::take(&mut self.body);
        let stmt = match cells.split_first() {
            None => {
                let fault = match self.fault {
                    Some(id) => id,
                    None => self.local("fault", unsigned(32), 0),
                };
                self.fault = Some(fault);
                let line = number(self.span.line.into(), unsigned(32), self.span);
                self.set(fault, line);
                self.push(StmtKind::Return(None));
                StmtKind::Block(Form::Braces, Block(std::mem::take(&mut self.body)))
            }
            Some((&cell, rest)) => {
                each(self, cell);
                let then = std::mem::take(&mut self.body);
                self.choose_cell(address, rest, each);
                let otherwise = std::mem::take(&mut self.body);
                let here = self.layout.address(cell);
                let condition = with_number(BinaryOp::Eq, self.get(address), here);
                StmtKind::If(condition, Block(then), Block(otherwise))
            }
        };
        self.body = outside;
        self.push(stmt);
    }

    /// The whole value at a cell, with the bits above it that no store reaches.
    fn cell_value(&self, cell: CellRef, width: Width) -> Expr {
        let (place, ty) = self.cell(cell, width);
        let value = convert(read(place, ty), unsigned(width.bits()));
        if !self.layout.places[cell.0].pieces.is_empty() {
            return value;
        }
        match self.layout.places[cell.0].above(cell.1, self.layout.word) {
            0 => value,
            above => with_number(BinaryOp::BitOr, value, above),
        }
    }

    /// A load into the local that holds memory operands.
    fn load(&mut self, memory: &Memory, width: Width) -> Expr {
        let operand = self.temporary(Temporary::Operand);
        self.access(memory, width, Effect::Load, &mut |code, cell| {
            let value = code.cell_value(cell, width);
            code.set(operand, convert(value, U64));
        });
        convert(self.get(operand), unsigned(width.bits()))
    }

    fn store(&mut self, memory: &Memory, value: Expr) {
        let Scalar::Int(int) = value.ty else { panic!("registers hold integers") };
        let width = Width::of_bits(int.bits);
        self.access(memory, width, Effect::Store, &mut |code, cell| {
            let (place, ty) = code.cell(cell, width);
            code.push(StmtKind::Assign(place, convert(value.clone(), ty)));
        });
    }

    /// A read-modify-write; its old value goes to the local that holds memory operands.
    fn rmw(&mut self, memory: &Memory, kind: RmwKind, values: &[Expr], width: Width) -> Expr {
        let operand = self.temporary(Temporary::Operand);
        self.access(memory, width, Effect::Store, &mut |code, cell| {
            let (place, ty) = code.cell(cell, width);
            let values = values.iter().map(|v| convert(v.clone(), ty)).collect();
            code.set(operand, convert(rmw(kind, place, values, ty), U64));
        });
        convert(self.get(operand), unsigned(width.bits()))
    }

    /// A number or a register's value.
    fn value(&self, operand: &Operand, width: Width) -> Result<Option<Expr>> {
        let ty = unsigned(width.bits());
        Ok(match operand {
            Operand::Immediate(constant) => {
                Some(number(self.layout.constant(constant, self.span)?, ty, self.span))
            }
            Operand::Register(register) => Some(convert(self.read_register(*register), ty)),
            Operand::Memory(_) => None,
        })
    }

    /// An operand's value; a load if it is in memory.
    pub(super) fn fetch(&mut self, operand: &Operand, width: Width) -> Result<Expr> {
        match operand {
            Operand::Memory(memory) => Ok(self.load(memory, width)),
            Operand::Immediate(_) | Operand::Register(_) => {
                Ok(self.value(operand, width)?.expect("not in memory"))
            }
        }
    }

    pub(super) fn put(&mut self, operand: &Operand, value: Expr) {
        match operand {
            Operand::Register(register) => self.write_register(*register, value),
            Operand::Memory(memory) => self.store(memory, value),
            Operand::Immediate(_) => panic!("the parser refuses numbers as destinations"),
        }
    }

    // Instructions

    fn width(&self, kind: &InstrKind) -> Width {
        width(kind).unwrap_or_else(|| match self.target {
            Some(target) => self.layout.default_width(target),
            None => self.layout.word,
        })
    }

    fn instr(&mut self, kind: &InstrKind) -> Result<()> {
        let width = self.width(kind);
        let ty = unsigned(width.bits());
        match kind {
            InstrKind::Nop => {}
            InstrKind::Fence => self.push(StmtKind::Fence(Fence::Machine(FenceKind::Full))),
            InstrKind::StoreFence => self.push(StmtKind::Fence(Fence::Machine(FenceKind::StoreStore))),
            InstrKind::Return => self.push(StmtKind::Return(None)),
            InstrKind::Jump(label) => self.push(StmtKind::Goto(label.text.clone())),
            InstrKind::JumpIf(test, label) => {
                let condition = self.flags.test(*test, self.span);
                let jump = Stmt { kind: StmtKind::Goto(label.text.clone()), span: self.span };
                self.push(StmtKind::If(condition, Block(vec![jump]), Block(Vec::new())));
            }
            InstrKind::Set(test, dest) => {
                let value = convert(self.flags.test(*test, self.span), ty);
                self.put(dest, value);
            }
            InstrKind::MoveIf { test, dest, source, .. } => {
                // The load happens in any case, and so does the clearing of the upper half.
                let value = self.fetch(source, width)?;
                let old = convert(self.read_register(*dest), ty);
                let value = select(self.flags.test(*test, self.span), value, old);
                self.write_register(*dest, value);
            }
            InstrKind::Mov { dest: Operand::Register(register), source: Operand::Memory(memory), .. } => {
                self.load_register(*register, memory, width);
            }
            InstrKind::Mov { dest, source, .. } => {
                let value = self.value(source, width)?.expect("the parser refuses two memory operands");
                self.put(dest, value);
            }
            InstrKind::MovExtend { extend, from, dest, source } => {
                let value = self.fetch(source, *from)?;
                let value = match extend {
                    Extend::Zero => value,
                    Extend::Sign => convert(convert(value, signed(from.bits())), signed(64)),
                };
                self.write_register(*dest, value);
            }
            InstrKind::Lea { dest, address } => {
                let value = self.address_of(address);
                self.write_register(*dest, value);
            }
            InstrKind::Exchange { first, second, locked, .. } => {
                self.exchange(first, second, *locked, width)?
            }
            InstrKind::ExchangeAdd { dest, source, locked, .. } => {
                let right = convert(self.read_register(*source), ty);
                let left = self.modify(dest, *locked, RmwKind::Add, &right, width)?;
                self.add_flags(left.clone(), right);
                self.write_register(*source, left);
            }
            InstrKind::CompareExchange { dest, source, locked, .. } => {
                self.compare_exchange(dest, *source, *locked, width)?;
            }
            InstrKind::Binary { op, dest, source, locked, .. } => {
                self.binary(*op, dest, source, *locked, width)?;
            }
            InstrKind::Unary { op, dest, locked, .. } => self.unary(*op, dest, *locked, width)?,
            InstrKind::Shift { op, dest, by, .. } => self.shift(*op, dest, by, width)?,
            InstrKind::Compare { left, right, .. } => {
                let (left, right) = self.two_values(left, right, width)?;
                self.sub_flags(left, right);
            }
            InstrKind::Test { left, right, .. } => {
                let (left, right) = self.two_values(left, right, width)?;
                self.logic_flags(binary(BinaryOp::BitAnd, left, right));
            }
        }
        Ok(())
    }

    /// A load goes straight to its register where nothing else is to be done.
    fn load_register(&mut self, register: Register, memory: &Memory, width: Width) {
        self.access(memory, width, Effect::Load, &mut |code, cell| {
            let value = code.cell_value(cell, width);
            code.write_register(register, value);
        });
    }

    fn two_values(&mut self, left: &Operand, right: &Operand, width: Width) -> Result<(Expr, Expr)> {
        Ok((self.fetch(left, width)?, self.fetch(right, width)?))
    }

    /// Combines an operand with a value and gives what it was before, in a local of its own.
    pub(super) fn modify(
        &mut self,
        dest: &Operand,
        locked: Locked,
        kind: RmwKind,
        right: &Expr,
        width: Width,
    ) -> Result<Expr> {
        if let (Operand::Memory(memory), Locked::Yes) = (dest, locked) {
            return Ok(self.rmw(memory, kind, std::slice::from_ref(right), width));
        }
        let old = self.fetch(dest, width)?;
        let operand = self.temporary(Temporary::Operand);
        self.set(operand, convert(old, U64));
        let old = convert(self.get(operand), unsigned(width.bits()));
        let op = match kind {
            RmwKind::Add => BinaryOp::Add,
            RmwKind::Sub => BinaryOp::Sub,
            RmwKind::And => BinaryOp::BitAnd,
            RmwKind::Or => BinaryOp::BitOr,
            RmwKind::Xor => BinaryOp::BitXor,
            RmwKind::Exchange | RmwKind::CompareExchange | RmwKind::CompareAndSwap => {
                panic!("exchanges are no arithmetic")
            }
        };
        self.put(dest, binary(op, old.clone(), right.clone()));
        Ok(old)
    }

    fn exchange(&mut self, first: &Operand, second: &Operand, locked: Locked, width: Width) -> Result<()> {
        let (memory, register) = match (first, second) {
            (Operand::Memory(memory), Operand::Register(register))
            | (Operand::Register(register), Operand::Memory(memory)) => (memory, *register),
            (first, second) => {
                let result = self.temporary(Temporary::Result);
                let (left, right) = self.two_values(first, second, width)?;
                self.set(result, convert(left, U64));
                self.put(first, right);
                let kept = self.get(result);
                self.put(second, kept);
                return Ok(());
            }
        };
        let new = convert(self.read_register(register), unsigned(width.bits()));
        let old = match locked {
            Locked::Yes => self.rmw(memory, RmwKind::Exchange, &[new], width),
            Locked::No => {
                let old = self.load(memory, width);
                self.store(memory, new);
                old
            }
        };
        self.write_register(register, old);
        Ok(())
    }

    fn compare_exchange(
        &mut self,
        dest: &Operand,
        source: Register,
        locked: Locked,
        width: Width,
    ) -> Result<()> {
        let accumulator = Register::low(ACCUMULATOR, width);
        // The destination may be the accumulator itself.
        let kept = self.temporary(Temporary::Result);
        self.set(kept, convert(self.read_register(accumulator), U64));
        let expected = convert(self.get(kept), unsigned(width.bits()));
        let new = convert(self.read_register(source), unsigned(width.bits()));
        let old = match (dest, locked) {
            (Operand::Memory(memory), Locked::Yes) => {
                self.rmw(memory, RmwKind::CompareExchange, &[expected.clone(), new], width)
            }
            _ => {
                let old = self.fetch(dest, width)?;
                let operand = self.temporary(Temporary::Operand);
                self.set(operand, convert(old, U64));
                let old = convert(self.get(operand), unsigned(width.bits()));
                let outside = std::mem::take(&mut self.body);
                self.put(dest, new);
                let then = std::mem::replace(&mut self.body, outside);
                let equal = binary(BinaryOp::Eq, old.clone(), expected.clone());
                self.push(StmtKind::If(equal, Block(then), Block(Vec::new())));
                old
            }
        };
        self.sub_flags(expected.clone(), old.clone());
        let failed = self.register_with(accumulator, old.clone());
        let kept = self.get(self.register(ACCUMULATOR));
        let value = select(binary(BinaryOp::Eq, old, expected), kept, failed);
        self.set(self.register(ACCUMULATOR), value);
        Ok(())
    }
}
