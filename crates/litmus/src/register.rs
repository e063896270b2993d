//! The names of x86's general registers: which part of which register a name means.

use super::ast::{Arch, Width};

/// A 64-bit register, in the order in which states print them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct BaseRegister(pub u8);

/// Number of registers.
pub const REGISTERS: usize = 16;

/// Register `ax`, which `cmpxchg` compares with.
pub const ACCUMULATOR: BaseRegister = BaseRegister(0);

/// Register `cx`, whose low byte shifts may count by.
pub const COUNTER: BaseRegister = BaseRegister(2);

/// Which bits of a register a name means.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Part {
    /// The lowest bits, as many as the width has.
    Low(Width),
    /// The second byte: `ah`.
    High,
}

/// A named part of a register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Register {
    /// Which register.
    pub base: BaseRegister,
    /// Which part of it.
    pub part: Part,
}

const OLD: [&str; 8] = ["ax", "bx", "cx", "dx", "si", "di", "bp", "sp"];

impl Register {
    /// The low part of a register.
    pub fn low(base: BaseRegister, width: Width) -> Register {
        Register { base, part: Part::Low(width) }
    }

    /// The register of a name, without `%`, in any case of letters.
    pub fn parse(arch: Arch, name: &str) -> Option<Register> {
        let name = name.to_ascii_lowercase();
        let wide = arch != Arch::X86;
        let old = |two: &str| OLD.iter().position(|o| *o == two).map(|i| BaseRegister(i as u8));
        let low = |base: Option<BaseRegister>, width| base.map(|base| Register::low(base, width));
        if let Some(base) = old(&name) {
            return low(Some(base), Width::Word);
        }
        let (first, rest) = name.split_at_checked(1)?;
        match first {
            "e" => return low(old(rest), Width::Long),
            "r" if wide && rest.starts_with(|c: char| c.is_ascii_digit()) => {
                let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                let number: u8 = rest[..digits].parse().ok().filter(|n| (8..16).contains(n))?;
                if rest[..digits].len() != number.to_string().len() {
                    return None;
                }
                let width = match &rest[digits..] {
                    "" => Width::Quad,
                    "d" => Width::Long,
                    "w" => Width::Word,
                    "b" => Width::Byte,
                    _ => return None,
                };
                return low(Some(BaseRegister(number)), width);
            }
            "r" if wide => return low(old(rest), Width::Quad),
            _ => {}
        }
        // Byte registers: `al`, `ah`, `sil`.
        let (two, last) = name.split_at_checked(name.len() - 1)?;
        match (two, last) {
            ("a" | "b" | "c" | "d", "l") => low(old(&format!("{two}x")), Width::Byte),
            ("a" | "b" | "c" | "d", "h") => {
                old(&format!("{two}x")).map(|base| Register { base, part: Part::High })
            }
            ("si" | "di" | "bp" | "sp", "l") if wide => low(old(two), Width::Byte),
            _ => None,
        }
    }

    /// Bits of the part.
    pub fn width(self) -> Width {
        match self.part {
            Part::Low(width) => width,
            Part::High => Width::Byte,
        }
    }

    /// The name as herd prints it: capitals in tests for `X86`.
    pub fn name(self, arch: Arch) -> String {
        let number = self.base.0 as usize;
        let name = match (OLD.get(number), self.part) {
            (Some(two), Part::Low(Width::Quad)) => format!("r{two}"),
            (Some(two), Part::Low(Width::Long)) => format!("e{two}"),
            (Some(two), Part::Low(Width::Word)) => two.to_string(),
            (Some(two), Part::Low(Width::Byte)) if number < 4 => format!("{}l", &two[..1]),
            (Some(two), Part::Low(Width::Byte)) => format!("{two}l"),
            (Some(two), Part::High) => format!("{}h", &two[..1]),
            (None, Part::Low(Width::Quad)) => format!("r{number}"),
            (None, Part::Low(Width::Long)) => format!("r{number}d"),
            (None, Part::Low(Width::Word)) => format!("r{number}w"),
            (None, Part::Low(Width::Byte) | Part::High) => format!("r{number}b"),
        };
        if arch == Arch::X86 { name.to_ascii_uppercase() } else { name }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back() {
        for number in 0..REGISTERS as u8 {
            let low = [Width::Byte, Width::Word, Width::Long, Width::Quad].map(Part::Low);
            let parts = low.into_iter().chain((number < 4).then_some(Part::High));
            for part in parts {
                let register = Register { base: BaseRegister(number), part };
                let name = register.name(Arch::X86_64);
                assert_eq!(Register::parse(Arch::X86_64, &name), Some(register), "{name}");
                assert_eq!(Register::parse(Arch::X86_64, &name.to_uppercase()), Some(register), "{name}");
            }
        }
    }

    #[test]
    fn other_names_are_no_registers() {
        for name in ["x", "y", "r", "r7", "r16", "r08", "r8q", "e", "ex", "rr", "ah1", "sih", "", "eaxl", "l"]
        {
            assert_eq!(Register::parse(Arch::X86_64, name), None, "{name}");
        }
        for name in ["rax", "r8", "sil"] {
            assert_eq!(Register::parse(Arch::X86, name), None, "{name}");
        }
    }
}
