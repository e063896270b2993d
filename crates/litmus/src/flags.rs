//! The flags of x86, as far as something asks for them.

use super::ast::{Column, InstrKind, Line, Test};
use super::expression::{binary, not, read, simple};
use fencepost_ir::tree::{BinaryOp, Expr, LocalId, VarRef};
use fencepost_ir::{Scalar, Span};

/// A flag.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Flag {
    Zero,
    Sign,
    Carry,
    Overflow,
}

impl Flag {
    const ALL: [Flag; 4] = [Flag::Zero, Flag::Sign, Flag::Carry, Flag::Overflow];

    /// Its name in the manuals.
    pub fn name(self) -> &'static str {
        match self {
            Flag::Zero => "zf",
            Flag::Sign => "sf",
            Flag::Carry => "cf",
            Flag::Overflow => "of",
        }
    }
}

/// The locals that hold the flags of a thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flags([Option<LocalId>; 4]);

impl Flags {
    /// The flags that the code asks for.
    pub fn needed(column: &Column) -> Vec<Flag> {
        let mut asked = Vec::new();
        for line in &column.lines {
            let Line::Instr(instr) = line else { continue };
            if let InstrKind::JumpIf(test, _) | InstrKind::Set(test, _) | InstrKind::MoveIf { test, .. } =
                &instr.kind
            {
                asked.extend(flags_of(*test));
            }
        }
        Flag::ALL.into_iter().filter(|f| asked.contains(f)).collect()
    }

    /// Says where a flag is kept.
    pub fn set(&mut self, flag: Flag, local: LocalId) {
        self.0[flag as usize] = Some(local);
    }

    /// Where a flag is kept, if anything asks for it.
    pub fn get(&self, flag: Flag) -> Option<LocalId> {
        self.0[flag as usize]
    }

    /// Whether anything asks for any flag.
    pub fn any(&self) -> bool {
        self.0.iter().any(Option::is_some)
    }

    /// Forgets where a flag is kept, for an instruction that leaves it alone.
    pub fn take(&mut self, flag: Flag) -> Option<LocalId> {
        self.0[flag as usize].take()
    }

    /// Undoes [`Flags::take`].
    pub fn restore(&mut self, flag: Flag, local: Option<LocalId>) {
        self.0[flag as usize] = local;
    }

    /// Whether a test holds.
    pub fn test(&self, test: Test, span: Span) -> Expr {
        let flag = |flag: Flag| {
            let local = self.get(flag).expect("flags that tests ask for are kept");
            read(simple(VarRef::Local(local), span), Scalar::Bool)
        };
        let less = || binary(BinaryOp::Ne, flag(Flag::Sign), flag(Flag::Overflow));
        match test {
            Test::Equal => flag(Flag::Zero),
            Test::NotEqual => not(flag(Flag::Zero)),
            Test::Below => flag(Flag::Carry),
            Test::AboveEqual => not(flag(Flag::Carry)),
            Test::BelowEqual => binary(BinaryOp::Or, flag(Flag::Carry), flag(Flag::Zero)),
            Test::Above => not(binary(BinaryOp::Or, flag(Flag::Carry), flag(Flag::Zero))),
            Test::Less => less(),
            Test::GreaterEqual => not(less()),
            Test::LessEqual => binary(BinaryOp::Or, flag(Flag::Zero), less()),
            Test::Greater => not(binary(BinaryOp::Or, flag(Flag::Zero), less())),
            Test::Sign => flag(Flag::Sign),
            Test::NotSign => not(flag(Flag::Sign)),
            Test::Overflow => flag(Flag::Overflow),
            Test::NotOverflow => not(flag(Flag::Overflow)),
        }
    }
}

fn flags_of(test: Test) -> Vec<Flag> {
    match test {
        Test::Equal | Test::NotEqual => vec![Flag::Zero],
        Test::Below | Test::AboveEqual => vec![Flag::Carry],
        Test::BelowEqual | Test::Above => vec![Flag::Carry, Flag::Zero],
        Test::Less | Test::GreaterEqual => vec![Flag::Sign, Flag::Overflow],
        Test::LessEqual | Test::Greater => vec![Flag::Zero, Flag::Sign, Flag::Overflow],
        Test::Sign | Test::NotSign => vec![Flag::Sign],
        Test::Overflow | Test::NotOverflow => vec![Flag::Overflow],
    }
}
