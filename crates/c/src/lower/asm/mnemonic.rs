//! The instructions that are known, by their names.

/// What an instruction does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Hints to the processor: nothing that a program can tell.
    Nothing,
    FullFence,
    StoreFence,
    /// A clock of the processor.
    Clock,
    Move,
    /// A move of fewer bytes than are written: their number, and whether the sign is kept.
    Extend {
        from: Option<u64>,
        signed: bool,
    },
    /// A move if a condition holds.
    MoveIf(Condition),
    Exchange,
    CompareExchange,
    /// `cmpxchg8b`, `cmpxchg16b`: the bytes of a half.
    CompareExchangePair(u64),
    /// `xadd`
    FetchAdd,
    Arithmetic(Arithmetic),
    Compare,
    Test,
    Bit(BitOperation),
    /// A byte that says whether a condition holds.
    Set(Condition),
    /// `sbb` of a register with itself: all bits as the carry.
    Spread,
    Jump(Option<Condition>),
}

/// Arithmetic on one operand and another, or on one only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arithmetic {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Increment,
    Decrement,
    Negate,
    Complement,
}

/// What is done to a bit, after it was put into the carry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BitOperation {
    Look,
    Set,
    Reset,
    Complement,
}

/// A condition on flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    pub test: Test,
    /// Whether it is the opposite.
    pub not: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Test {
    Zero,
    Sign,
    Carry,
    /// Carry or zero: below or equal, without signs.
    BelowEqual,
    /// Less, with signs.
    Less,
    LessEqual,
}

/// A name's operation, and the bytes that its last letter says.
pub fn mnemonic(name: &str) -> Option<(Operation, Option<u64>)> {
    if let Some(operation) = named(name) {
        return Some((operation, None));
    }
    let last = name.chars().last()?;
    let bytes = suffix(last)?;
    let stem = &name[..name.len() - 1];
    if let Some(operation) = sized(stem) {
        return Some((operation, Some(bytes)));
    }
    // `movzbl`: from bytes to bytes.
    let from = suffix(stem.chars().last()?)?;
    let signed = match &stem[..stem.len() - 1] {
        "movz" => false,
        "movs" => true,
        _ => return None,
    };
    Some((Operation::Extend { from: Some(from), signed }, Some(bytes)))
}

/// The bytes that a letter at the end of a name says.
pub fn suffix(letter: char) -> Option<u64> {
    match letter {
        'b' => Some(1),
        'w' => Some(2),
        'l' => Some(4),
        'q' => Some(8),
        _ => None,
    }
}

fn named(name: &str) -> Option<Operation> {
    if let Some(known) = sized(name) {
        return Some(known);
    }
    if let Some(rest) = name.strip_prefix("set") {
        return condition(rest).map(Operation::Set);
    }
    if let Some(rest) = name.strip_prefix("cmov") {
        let whole = condition(rest);
        let stem = || condition(rest.strip_suffix(['w', 'l', 'q'])?);
        return whole.or_else(stem).map(Operation::MoveIf);
    }
    if let Some(rest) = name.strip_prefix('j') {
        return condition(rest).map(|condition| Operation::Jump(Some(condition)));
    }
    if name.starts_with("prefetch") {
        return Some(Operation::Nothing);
    }
    Some(match name {
        "pause" | "nop" | "nopl" | "nopw" | "lfence" | "cld" | "clflush" | "clflushopt" | "clwb"
        | "endbr64" => Operation::Nothing,
        "mfence" => Operation::FullFence,
        "sfence" => Operation::StoreFence,
        "rdtsc" | "rdtscp" => Operation::Clock,
        "movzx" => Operation::Extend { from: None, signed: false },
        "movsx" | "movsxd" => Operation::Extend { from: None, signed: true },
        "movslq" => Operation::Extend { from: Some(4), signed: true },
        "movabs" | "movabsq" => Operation::Move,
        "cmpxchg8b" => Operation::CompareExchangePair(4),
        "cmpxchg16b" => Operation::CompareExchangePair(8),
        _ => return None,
    })
}

/// Names that may have a letter for their size after them.
fn sized(name: &str) -> Option<Operation> {
    Some(match name {
        "mov" => Operation::Move,
        "xchg" => Operation::Exchange,
        "cmpxchg" => Operation::CompareExchange,
        "xadd" => Operation::FetchAdd,
        "add" => Operation::Arithmetic(Arithmetic::Add),
        "sub" => Operation::Arithmetic(Arithmetic::Sub),
        "and" => Operation::Arithmetic(Arithmetic::And),
        "or" => Operation::Arithmetic(Arithmetic::Or),
        "xor" => Operation::Arithmetic(Arithmetic::Xor),
        "inc" => Operation::Arithmetic(Arithmetic::Increment),
        "dec" => Operation::Arithmetic(Arithmetic::Decrement),
        "neg" => Operation::Arithmetic(Arithmetic::Negate),
        "not" => Operation::Arithmetic(Arithmetic::Complement),
        "cmp" => Operation::Compare,
        "test" => Operation::Test,
        "bt" => Operation::Bit(BitOperation::Look),
        "bts" => Operation::Bit(BitOperation::Set),
        "btr" => Operation::Bit(BitOperation::Reset),
        "btc" => Operation::Bit(BitOperation::Complement),
        "sbb" => Operation::Spread,
        "jmp" => Operation::Jump(None),
        _ => return None,
    })
}

/// A condition, as it stands after `set`, `cmov`, `j` and in outputs that are flags.
pub fn condition(name: &str) -> Option<Condition> {
    let (test, not) = match name {
        "e" | "z" => (Test::Zero, false),
        "ne" | "nz" => (Test::Zero, true),
        "s" => (Test::Sign, false),
        "ns" => (Test::Sign, true),
        "c" | "b" | "nae" => (Test::Carry, false),
        "nc" | "nb" | "ae" => (Test::Carry, true),
        "be" | "na" => (Test::BelowEqual, false),
        "a" | "nbe" => (Test::BelowEqual, true),
        "l" | "nge" => (Test::Less, false),
        "ge" | "nl" => (Test::Less, true),
        "le" | "ng" => (Test::LessEqual, false),
        "g" | "nle" => (Test::LessEqual, true),
        _ => return None,
    };
    Some(Condition { test, not })
}

impl Operation {
    /// Whether flags are other ones after it.
    pub fn sets_flags(self) -> bool {
        match self {
            Operation::CompareExchange
            | Operation::CompareExchangePair(_)
            | Operation::FetchAdd
            | Operation::Compare
            | Operation::Test
            | Operation::Bit(_)
            | Operation::Spread => true,
            Operation::Arithmetic(arithmetic) => arithmetic != Arithmetic::Complement,
            Operation::Nothing
            | Operation::FullFence
            | Operation::StoreFence
            | Operation::Clock
            | Operation::Move
            | Operation::Extend { .. }
            | Operation::MoveIf(_)
            | Operation::Exchange
            | Operation::Set(_)
            | Operation::Jump(_) => false,
        }
    }

    /// Whether it looks at flags.
    pub fn uses_flags(self) -> bool {
        matches!(
            self,
            Operation::Set(_) | Operation::MoveIf(_) | Operation::Spread | Operation::Jump(Some(_))
        )
    }
}
