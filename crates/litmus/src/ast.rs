//! What the parser makes of a litmus test for x86. Both orders of operands become the same
//! instructions: the destination has a field of its own.

use super::register::{BaseRegister, Register};
use fencepost_ir::Span;
use fencepost_ir::tree::Quantifier;

/// The kinds of tests that are read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Arch {
    /// 32 bits, the destination first: `MOV [x],$1`.
    X86,
    /// 64 bits, the destination last: `movq $1,(x)`.
    X86_64,
    /// Threads as C functions.
    C,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

/// A number, or the address of a location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Constant {
    Number(i128),
    /// So many bytes, or elements of an array, after the location's first.
    Address {
        name: Name,
        bytes: i64,
        elements: i64,
    },
}

/// The type before a name in the init block, or none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Declared {
    /// None is given.
    Default,
    Int {
        bits: u8,
        signed: bool,
    },
    Pointer,
}

/// What an item of the init block, of `locations` or of a condition names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Location {
    /// `0:rax`
    Register { thread: u32, name: Name },
    /// `x`, `[x]`
    Memory(Name),
    /// `t[1]`
    Element(Name, u32),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Init {
    pub location: Location,
    pub ty: Declared,
    /// The type as C, in tests in C.
    pub c_type: Option<Name>,
    /// One, or those of an array.
    pub values: Vec<(Constant, Span)>,
    /// Whether they are in braces.
    pub in_braces: bool,
    /// Elements, if it is an array.
    pub elements: Option<u32>,
}

/// How wide an access or a register is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Width {
    Byte,
    Word,
    Long,
    Quad,
}

impl Width {
    pub fn bits(self) -> u8 {
        match self {
            Width::Byte => 8,
            Width::Word => 16,
            Width::Long => 32,
            Width::Quad => 64,
        }
    }

    pub fn of_bits(bits: u8) -> Width {
        match bits {
            0..=8 => Width::Byte,
            9..=16 => Width::Word,
            17..=32 => Width::Long,
            _ => Width::Quad,
        }
    }
}

/// `disp(base,index,scale)` or `[symbol + base + index*scale + disp]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Memory {
    pub symbol: Option<Name>,
    pub displacement: i64,
    pub base: Option<Register>,
    pub index: Option<(Register, u8)>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operand {
    Immediate(Constant),
    Register(Register),
    Memory(Memory),
}

/// Operations with a source and a destination that is read and written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    Add,
    Sub,
    And,
    Or,
    Xor,
}

/// Operations on one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    Inc,
    Dec,
    Neg,
    Not,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shift {
    Left,
    Right,
    Arithmetic,
}

/// What the flags are asked. Each has its negation beside it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Test {
    Equal,
    NotEqual,
    Below,
    AboveEqual,
    BelowEqual,
    Above,
    Less,
    GreaterEqual,
    LessEqual,
    Greater,
    Sign,
    NotSign,
    Overflow,
    NotOverflow,
}

/// How a narrower value fills a wider register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Extend {
    Zero,
    Sign,
}

/// Whether an instruction that reads and writes memory does so at once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Locked {
    Yes,
    No,
}

/// `width` is that of the suffix, or of a register operand; `None` where neither says it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InstrKind {
    Nop,
    Mov { width: Option<Width>, dest: Operand, source: Operand },
    MovExtend { extend: Extend, from: Width, dest: Register, source: Operand },
    Lea { dest: Register, address: Memory },
    Fence,
    StoreFence,
    Exchange { width: Option<Width>, first: Operand, second: Operand, locked: Locked },
    ExchangeAdd { width: Option<Width>, dest: Operand, source: Register, locked: Locked },
    CompareExchange { width: Option<Width>, dest: Operand, source: Register, locked: Locked },
    Binary { op: Binary, width: Option<Width>, dest: Operand, source: Operand, locked: Locked },
    Unary { op: Unary, width: Option<Width>, dest: Operand, locked: Locked },
    Shift { op: Shift, width: Option<Width>, dest: Operand, by: Operand },
    Compare { width: Option<Width>, left: Operand, right: Operand },
    Test { width: Option<Width>, left: Operand, right: Operand },
    Jump(Name),
    JumpIf(Test, Name),
    Set(Test, Operand),
    MoveIf { test: Test, width: Option<Width>, dest: Register, source: Operand },
    Return,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instr {
    pub kind: InstrKind,
    pub span: Span,
}

/// What is in a cell of a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    Label(Name),
    Instr(Instr),
}

/// A column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    pub thread: u32,
    pub span: Span,
    pub lines: Vec<Line>,
}

/// One side of a comparison in a condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Side {
    Location(Location),
    Constant(Constant),
    /// The values of an array.
    Values(Vec<(Constant, Span)>),
}

/// What a comparison in a condition asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    Equal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Relation {
    /// As it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Relation::Equal => "=",
            Relation::Less => "<",
            Relation::LessEqual => "<=",
            Relation::Greater => ">",
            Relation::GreaterEqual => ">=",
        }
    }

    /// Whether it holds between two integers.
    pub fn holds(self, left: i128, right: i128) -> bool {
        match self {
            Relation::Equal => left == right,
            Relation::Less => left < right,
            Relation::LessEqual => left <= right,
            Relation::Greater => left > right,
            Relation::GreaterEqual => left >= right,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Prop {
    True,
    False,
    /// How the left side's value is to the right side's.
    Compare(Relation, Location, Side, Span),
    Not(Box<Prop>),
    And(Box<Prop>, Box<Prop>),
    Or(Box<Prop>, Box<Prop>),
    Implies(Box<Prop>, Box<Prop>),
}

/// What comes after the code, the same for all architectures.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tail {
    pub locations: Vec<Location>,
    pub filter: Option<Prop>,
    pub quantifier: Quantifier,
    pub condition: Prop,
    /// Where the condition is.
    pub span: Span,
}

impl Tail {
    /// Calls `visit` on everything that it looks at.
    pub fn visit(&self, visit: &mut impl FnMut(&Location)) {
        self.locations.iter().for_each(&mut *visit);
        for prop in self.filter.iter().chain([&self.condition]) {
            prop.visit(&mut |left, right| {
                visit(left);
                if let Side::Location(right) = right {
                    visit(right);
                }
            });
        }
    }
}

/// A test for x86.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    pub arch: Arch,
    pub name: String,
    pub init: Vec<Init>,
    pub columns: Vec<Column>,
    pub tail: Tail,
}

impl File {
    /// Bits of a register and of an address.
    pub fn word(&self) -> Width {
        match self.arch {
            Arch::X86 => Width::Long,
            Arch::X86_64 | Arch::C => Width::Quad,
        }
    }
}

/// All registers that a memory operand reads.
pub fn address_registers(memory: &Memory) -> impl Iterator<Item = BaseRegister> {
    memory.base.into_iter().chain(memory.index.map(|(r, _)| r)).map(|r| r.base)
}
