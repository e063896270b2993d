//! Inline assembly: fences, hints, and the locked instructions by which locks are written on x86.
//!
//! Of the latter one instruction with its operands is known: `xchg`, and behind `lock` `cmpxchg`, `xadd`, `add`,
//! `sub`, `inc`, `dec`, `and`, `or`, `xor`, `bts` and `btr`, on one operand in memory; behind it may stand a `set` that gives
//! one of its flags, or a `sbb` that spreads the carry. `mov` between a register and memory is a load or a store.

use super::*;

/// What is said of all else.
fn unsupported(asm: &ast::Asm) -> Diagnostic {
    Diagnostic::new(asm.span, "this assembly is not supported").help(
        "mfence, sfence, lfence, pause, nop, locked instructions and empty assembly are; write the rest in C",
    )
}

/// A flag that the instruction leaves, and the output that gets it.
#[derive(Clone, Copy)]
struct Flag {
    is: FlagKind,
    output: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum FlagKind {
    Zero,
    NotZero,
    Negative,
    NotNegative,
    /// The bit that was there, as 1 or as all bits.
    Carry,
    SpreadCarry,
}

/// An operand of the instruction: its number among outputs and inputs, or a constant.
enum Operand {
    Number(usize),
    Constant(i64),
}

impl<'a> Lowerer<'a> {
    /// Instructions that are known to order memory, to do nothing, or to update a variable.
    pub(super) fn asm(&mut self, asm: &'a ast::Asm) -> Result<()> {
        // The prefix may stand before a semicolon.
        let template = asm.template.text().to_lowercase();
        let template = template.replace("lock;", "lock ").replace("lock ;", "lock ");
        if asm.is_goto {
            return Err(unsupported(asm));
        }
        let lines =
            template.split([';', '\n']).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        let mut lines: Vec<String> = lines.filter(|l| !l.is_empty()).collect();
        while let Some(i) = lines.iter().position(|l| l == "lock").filter(|i| i + 1 < lines.len()) {
            let locked = format!("lock {}", lines.remove(i + 1));
            lines[i] = locked;
        }
        let mut fences = Vec::new();
        for line in &lines {
            match line.as_str() {
                "mfence" => fences.push(FenceKind::Full),
                // The usual way to say mfence on machines without it.
                text if text.starts_with("lock") && text.contains("$0") && text.contains("sp)") => {
                    fences.push(FenceKind::Full)
                }
                "sfence" => fences.push(FenceKind::StoreStore),
                "lfence" | "pause" | "nop" | "rep nop" | "rep; nop" | "rep" => {}
                _ => match &lines[..] {
                    [first, rest @ ..] if first.starts_with("lock cmpxchg16b ") && rest.len() < 2 => {
                        let flag = rest.first().map(|line| flag(asm, line).ok_or_else(|| unsupported(asm)));
                        return self.double_compare_exchange(asm, first, flag.transpose()?);
                    }
                    [only] if only == "rdtsc" || only == "rdtscp" => return self.any_outputs(asm),
                    [only] if only.starts_with("mov") => return self.moved(asm, only),
                    [only] => {
                        let flag = (0..asm.outputs.len()).find_map(|n| flag_output(asm, n));
                        return self.locked(asm, only, flag);
                    }
                    [first, second] => {
                        let flag = flag(asm, second).ok_or_else(|| unsupported(asm))?;
                        return self.locked(asm, first, Some(flag));
                    }
                    _ => return Err(unsupported(asm)),
                },
            }
        }
        // Empty assembly that ties values together changes none of them.
        if !asm.outputs.is_empty() && !lines.is_empty() {
            return Err(unsupported(asm));
        }
        for fence in fences {
            self.emit(StmtKind::Fence(Fence::Machine(fence)), asm.span);
        }
        Ok(())
    }

    /// A clock of the processor: what it shows is any value.
    fn any_outputs(&mut self, asm: &'a ast::Asm) -> Result<()> {
        for output in &asm.outputs {
            let target = self.lvalue(&output.expr)?;
            let value = self.anything_of(&target.ty, asm.span)?;
            self.store(&target, value, asm.span);
        }
        Ok(())
    }

    /// A load or a store.
    fn moved(&mut self, asm: &'a ast::Asm, line: &str) -> Result<()> {
        let (word, operands) = line.split_once(' ').ok_or_else(|| unsupported(asm))?;
        let operands: Option<Vec<Operand>> =
            operands.split(',').map(|text| operand(asm, text.trim())).collect();
        let (Some([from, to]), "mov" | "movb" | "movw" | "movl" | "movq") = (operands.as_deref(), word)
        else {
            return Err(unsupported(asm));
        };
        let Operand::Number(to) = *to else { return Err(unsupported(asm)) };
        let is_only_output = to < asm.outputs.len() && asm.outputs.len() == 1;
        if !is_only_output {
            return Err(unsupported(asm));
        }
        let value = match from {
            Operand::Constant(c) => self.int_constant(*c, &CType::INT, asm.span),
            Operand::Number(n) => self.input(asm, *n)?,
        };
        self.output(asm, to, value)
    }

    /// One locked instruction.
    fn locked(&mut self, asm: &'a ast::Asm, line: &str, flag: Option<Flag>) -> Result<()> {
        let (is_locked, rest) = match line.strip_prefix("lock ") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let (word, operands) = rest.split_once(' ').ok_or_else(|| unsupported(asm))?;
        let name = word.trim_end_matches(['b', 'w', 'l', 'q']);
        // `sub` and `xadd` end in what could be a suffix.
        let name = match word {
            _ if word.starts_with("sub") => "sub",
            "bts" | "btsl" | "btsq" => "bts",
            "btr" | "btrl" | "btrq" => "btr",
            _ if word.starts_with("xadd") => "xadd",
            _ if word.starts_with("add") => "add",
            _ if word.starts_with("and") => "and",
            _ => name,
        };
        let operands: Vec<Operand> = operands
            .split(',')
            .map(|text| operand(asm, text.trim()))
            .collect::<Option<_>>()
            .ok_or_else(|| unsupported(asm))?;
        let is_memory = |o: &Operand| matches!(o, Operand::Number(n) if constraint(asm, *n).contains('m'));
        let memory = operands.iter().find(|o| is_memory(o)).ok_or_else(|| unsupported(asm))?;
        let Operand::Number(memory) = *memory else { return Err(unsupported(asm)) };
        let other = operands.iter().find(|o| !is_memory(o));
        let span = asm.span;
        let mut target = self.lvalue(expression(asm, memory))?;
        if !target.ty.is_scalar() {
            return Err(unsupported(asm));
        }
        self.stabilise(&mut target.place);
        let ty = target.ty.unqualified().clone();
        let value = |this: &mut Self| match other {
            Some(Operand::Number(n)) => this.input(asm, *n),
            Some(Operand::Constant(c)) => Ok(this.int_constant(*c, &CType::INT, span)),
            None => Err(unsupported(asm)),
        };
        if let ("bts" | "btr", true) = (name, is_locked) {
            let bit = value(self)?;
            return self.bit_operation(asm, (memory, target), name == "bts", bit, flag);
        }
        let (kind, operand, result) = match (name, is_locked) {
            ("xchg", _) => (RmwKind::Exchange, value(self)?, other),
            ("xadd", true) => (RmwKind::Add, value(self)?, other),
            ("add", true) => (RmwKind::Add, value(self)?, None),
            ("sub", true) => (RmwKind::Sub, value(self)?, None),
            ("and", true) => (RmwKind::And, value(self)?, None),
            ("or", true) => (RmwKind::Or, value(self)?, None),
            ("xor", true) => (RmwKind::Xor, value(self)?, None),
            ("inc", true) => (RmwKind::Add, self.int_constant(1, &CType::INT, span), None),
            ("dec", true) => (RmwKind::Sub, self.int_constant(1, &CType::INT, span), None),
            ("cmpxchg", true) => {
                let new = value(self)?;
                return self.compare_exchange_asm(asm, target, new, flag);
            }
            _ => return Err(unsupported(asm)),
        };
        let outputs = asm.outputs.len();
        let written = match result {
            Some(Operand::Number(n)) if *n < outputs => Some(*n),
            _ => None,
        };
        let flagged = flag.map(|flag| flag.output);
        if (0..outputs).any(|n| n != memory && Some(n) != written && Some(n) != flagged) {
            return Err(unsupported(asm));
        }
        let operand = self.convert(operand, &ty, span)?;
        let operand = Typed { expr: self.keep(operand.expr), ..operand };
        let old = self.rmw(kind, target, vec![operand.expr.clone()], span);
        let old = Typed { expr: self.keep(old.expr), ..old };
        if let Some(flag) = flag {
            let op = match kind {
                RmwKind::Add => BinaryOp::Add,
                RmwKind::Sub => BinaryOp::Sub,
                RmwKind::And => BinaryOp::BitAnd,
                RmwKind::Or => BinaryOp::BitOr,
                RmwKind::Xor => BinaryOp::BitXor,
                // It leaves the flags as they were.
                RmwKind::Exchange | RmwKind::CompareExchange | RmwKind::CompareAndSwap => {
                    return Err(unsupported(asm));
                }
            };
            let new = self.arithmetic(op, old.clone(), operand, span)?;
            let new = self.convert(new, &ty, span)?;
            self.set_flag(asm, flag, new)?;
        }
        match written {
            Some(n) => self.output(asm, n, old),
            None => Ok(()),
        }
    }

    /// `lock cmpxchg16b memory`: what is expected is in the registers a and d, and so is what was found; what is stored is
    /// in b and c.
    fn double_compare_exchange(&mut self, asm: &'a ast::Asm, line: &str, flag: Option<Flag>) -> Result<()> {
        let span = asm.span;
        let word = CType::integer(crate::types::Rank::LongLong, false);
        let scalar = self.types().scalar(&word).expect("integers are scalars");
        let outputs = asm.outputs.len();
        let in_register = |n: &usize, letter: char| {
            let constraint = constraint(asm, *n).trim_start_matches(['=', '+', '&']);
            constraint.len() == 1 && constraint.starts_with(letter)
        };
        let memory = line.rsplit(' ').next().and_then(|text| operand(asm, text));
        let Some(Operand::Number(memory)) = memory else { return Err(unsupported(asm)) };
        let given = |this: &mut Self, letter: char| {
            let input = (outputs..outputs + asm.inputs.len()).find(|n| in_register(n, letter));
            let both = (0..outputs).find(|n| in_register(n, letter));
            let value = this.input(asm, input.or(both).ok_or_else(|| unsupported(asm))?)?;
            let value = this.convert(value, &word, span)?;
            Ok::<Expr, Diagnostic>(this.keep(value.expr))
        };
        let expected = [given(self, 'a')?, given(self, 'd')?];
        let new = [given(self, 'b')?, given(self, 'c')?];
        // Pointers go through it as numbers.
        self.program.exposes_pointers = true;
        let target = self.lvalue(expression(asm, memory))?;
        let pointer = self.address_of(target, span)?;
        let pointer = Typed { expr: self.keep(pointer.expr), ty: word.clone().pointer_to() };
        let one = self.int_constant(1, &CType::INT, span);
        let second = self.offset(pointer.clone(), one, 1, span)?;
        let places = [self.pointed(pointer, span)?.place, self.pointed(second, span)?.place];
        let old = [self.temporary(scalar, span), self.temporary(scalar, span)];
        let same = self.temporary(Scalar::Bool, span);
        let (_, block) = self.captured(|this| {
            let mut equal = Expr::constant(1, Scalar::Bool, span);
            for ((place, old), expected) in places.iter().zip(old).zip(&expected) {
                let read = Expr { kind: ExprKind::Read(place.clone()), ty: scalar, span };
                this.emit(StmtKind::Assign(Place::variable(VarRef::Local(old), span), read), span);
                let old = Box::new(read_local(old, scalar, span));
                let eq = ExprKind::Binary(BinaryOp::Eq, old, Box::new(expected.clone()));
                let eq = Box::new(Expr { kind: eq, ty: Scalar::Bool, span });
                let both = ExprKind::Binary(BinaryOp::And, Box::new(equal), eq);
                equal = Expr { kind: both, ty: Scalar::Bool, span };
            }
            this.emit(StmtKind::Assign(Place::variable(VarRef::Local(same), span), equal), span);
            let stores = places.into_iter().zip(new).map(|(place, new)| StmtKind::Assign(place, new));
            let then = Block(stores.map(|kind| Stmt { kind, span }).collect());
            let test = read_local(same, Scalar::Bool, span);
            this.emit(StmtKind::If(test, then, Block::default()), span);
            Ok(())
        })?;
        self.emit(StmtKind::Atomic(Drain::Yes, block), span);
        for n in 0..outputs {
            let register = ['a', 'd'].into_iter().position(|letter| in_register(&n, letter));
            let flag = flag.or_else(|| flag_output(asm, n)).filter(|flag| flag.output == n);
            let value = match (register, flag.map(|flag| flag.is)) {
                (_, Some(FlagKind::Zero)) => {
                    Typed { expr: read_local(same, Scalar::Bool, span), ty: CType::Bool }
                }
                (_, Some(FlagKind::NotZero)) => {
                    let not = ExprKind::Unary(UnaryOp::Not, Box::new(read_local(same, Scalar::Bool, span)));
                    Typed { expr: Expr { kind: not, ty: Scalar::Bool, span }, ty: CType::Bool }
                }
                (Some(i), None) => Typed { expr: read_local(old[i], scalar, span), ty: word.clone() },
                _ if n == memory || constraint(asm, n).contains('m') => continue,
                _ => return Err(unsupported(asm)),
            };
            self.output(asm, n, value)?;
        }
        Ok(())
    }

    /// `lock bts` and `lock btr`: a bit is set or cleared, and the carry is what it was.
    fn bit_operation(
        &mut self,
        asm: &'a ast::Asm,
        (memory, target): (usize, Lvalue),
        sets: bool,
        bit: Typed,
        flag: Option<Flag>,
    ) -> Result<()> {
        let span = asm.span;
        let ty = target.ty.unqualified().clone();
        let carried = |flag: &Flag| matches!(flag.is, FlagKind::Carry | FlagKind::SpreadCarry);
        let others = (0..asm.outputs.len()).any(|n| n != memory && flag.is_none_or(|flag| flag.output != n));
        if others || !ty.is_integer() || flag.is_some_and(|flag| !carried(&flag)) {
            return Err(unsupported(asm));
        }
        // The words from that place on are one row of bits.
        let bits = self.types().size(&ty).unwrap_or(8) as i64 * 8;
        let bit = self.convert(bit, &CType::LONG, span)?;
        let (target, bit) = match self.fold(&bit.expr) {
            Some(n) if (0..bits).contains(&n) => (target, bit),
            _ => {
                let bit = Typed { expr: self.keep(bit.expr), ..bit };
                let width = self.int_constant(bits.ilog2().into(), &CType::LONG, span);
                let word = self.arithmetic(BinaryOp::Shr, bit.clone(), width, span)?;
                let pointer = self.address_of(target, span)?;
                let pointer = self.offset(pointer, word, 1, span)?;
                let mut target = self.pointed(pointer, span)?;
                self.stabilise(&mut target.place);
                let last = self.int_constant(bits - 1, &CType::LONG, span);
                (target, self.arithmetic(BinaryOp::BitAnd, bit, last, span)?)
            }
        };
        let one = self.int_constant(1, &CType::integer(crate::types::Rank::LongLong, false), span);
        let mask = self.arithmetic(BinaryOp::Shl, one, bit, span)?;
        let mask = self.convert(mask, &ty, span)?;
        let (kind, operand) = match sets {
            true => (RmwKind::Or, mask.clone()),
            false => (RmwKind::And, self.negate(Some(UnaryOp::BitNot), mask.clone(), span)?),
        };
        let operand = self.convert(operand, &ty, span)?;
        let old = self.rmw(kind, target, vec![operand.expr], span);
        let Some(flag) = flag else { return Ok(()) };
        let was = self.arithmetic(BinaryOp::BitAnd, old, mask, span)?;
        let zero = self.int_constant(0, &CType::INT, span);
        let was = self.arithmetic(BinaryOp::Ne, was, zero, span)?;
        let was = match flag.is {
            FlagKind::SpreadCarry => self.negate(Some(UnaryOp::Neg), was, span)?,
            _ => was,
        };
        self.output(asm, flag.output, was)
    }

    /// `lock cmpxchg new, memory`: what is expected is in the register a, and so is what was found.
    fn compare_exchange_asm(
        &mut self,
        asm: &'a ast::Asm,
        target: Lvalue,
        new: Typed,
        flag: Option<Flag>,
    ) -> Result<()> {
        let span = asm.span;
        let ty = target.ty.unqualified().clone();
        let outputs = asm.outputs.len();
        let in_a = |n: &usize| constraint(asm, *n).contains('a');
        let result = (0..outputs).find(in_a);
        let flagged = |n| flag.is_some_and(|flag| flag.output == n);
        if (0..outputs).any(|n| Some(n) != result && !flagged(n) && !constraint(asm, n).contains('m')) {
            return Err(unsupported(asm));
        }
        let expected = (outputs..outputs + asm.inputs.len()).find(in_a).or(result);
        let expected = self.input(asm, expected.ok_or_else(|| unsupported(asm))?)?;
        let expected = self.convert(expected, &ty, span)?;
        let expected = self.keep(expected.expr);
        let new = self.convert(new, &ty, span)?;
        let new = self.keep(new.expr);
        let wanted = Typed { expr: expected.clone(), ty };
        let old = self.rmw(RmwKind::CompareExchange, target, vec![expected, new], span);
        let old = Typed { expr: self.keep(old.expr), ..old };
        if let Some(flag) = flag {
            // The flags are those of the comparison.
            if !matches!(flag.is, FlagKind::Zero | FlagKind::NotZero) {
                return Err(unsupported(asm));
            }
            let difference = self.arithmetic(BinaryOp::BitXor, old.clone(), wanted, span)?;
            self.set_flag(asm, flag, difference)?;
        }
        match result {
            // What `set` puts into the register is there last.
            Some(n) if !flagged(n) => self.output(asm, n, old),
            _ => Ok(()),
        }
    }

    /// Gives an output the flag that a result leaves.
    fn set_flag(&mut self, asm: &'a ast::Asm, flag: Flag, result: Typed) -> Result<()> {
        let zero = self.int_constant(0, &CType::INT, asm.span);
        let (op, result) = match flag.is {
            FlagKind::Zero => (BinaryOp::Eq, result),
            FlagKind::NotZero => (BinaryOp::Ne, result),
            FlagKind::Carry | FlagKind::SpreadCarry => return Err(unsupported(asm)),
            FlagKind::Negative | FlagKind::NotNegative => {
                // The highest bit says so, whatever the type's sign.
                let signed = match result.ty.unqualified() {
                    CType::Integer(integer) => CType::integer(integer.rank, true),
                    _ => return Err(unsupported(asm)),
                };
                let op = if flag.is == FlagKind::Negative { BinaryOp::Lt } else { BinaryOp::Ge };
                (op, self.convert(result, &signed, asm.span)?)
            }
        };
        let truth = self.arithmetic(op, result, zero, asm.span)?;
        self.output(asm, flag.output, truth)
    }

    /// What an operand holds before: its own value, or that of the input that is tied to it.
    fn input(&mut self, asm: &'a ast::Asm, n: usize) -> Result<Typed> {
        let tied = || {
            let same = |i: &ast::AsmOperand| i.constraint.trim().parse() == Ok(n);
            asm.inputs.iter().position(same).map(|i| asm.outputs.len() + i)
        };
        let is_output_only = n < asm.outputs.len() && constraint(asm, n).contains('=');
        let from = if is_output_only { tied().ok_or_else(|| unsupported(asm))? } else { n };
        let value = self.scalar(expression(asm, from))?;
        Ok(Typed { expr: self.keep(value.expr), ..value })
    }

    fn output(&mut self, asm: &'a ast::Asm, n: usize, value: Typed) -> Result<()> {
        // Old programs cast what they get.
        let mut expr = expression(asm, n);
        while let ast::ExprKind::Cast(_, inner) = &expr.kind {
            expr = inner;
        }
        let target = self.lvalue(expr)?;
        let value = self.convert(value, &target.ty, asm.span)?;
        self.store(&target, value.expr, asm.span);
        Ok(())
    }
}

/// An output that is a flag itself: `"=@ccz"` and its like.
fn flag_output(asm: &ast::Asm, output: usize) -> Option<Flag> {
    let is = match constraint(asm, output).strip_prefix("=@cc")? {
        "e" | "z" => FlagKind::Zero,
        "ne" | "nz" => FlagKind::NotZero,
        "s" => FlagKind::Negative,
        "ns" => FlagKind::NotNegative,
        "c" | "b" => FlagKind::Carry,
        _ => return None,
    };
    Some(Flag { is, output })
}

/// `sete %1` and its like.
fn flag(asm: &ast::Asm, line: &str) -> Option<Flag> {
    let (word, target) = line.split_once(' ')?;
    let is = match word {
        "sete" | "setz" => FlagKind::Zero,
        "setne" | "setnz" => FlagKind::NotZero,
        "sets" => FlagKind::Negative,
        "setns" => FlagKind::NotNegative,
        "setc" | "setb" => FlagKind::Carry,
        "sbb" | "sbbl" | "sbbq" => {
            let (first, second) = target.split_once(',')?;
            return match (operand(asm, first.trim())?, operand(asm, second.trim())?) {
                (Operand::Number(output), Operand::Number(same))
                    if output == same && output < asm.outputs.len() =>
                {
                    Some(Flag { is: FlagKind::SpreadCarry, output })
                }
                _ => None,
            };
        }
        _ => return None,
    };
    match operand(asm, target.trim())? {
        Operand::Number(output) if output < asm.outputs.len() => Some(Flag { is, output }),
        Operand::Number(_) | Operand::Constant(_) => None,
    }
}

fn operand(asm: &ast::Asm, text: &str) -> Option<Operand> {
    if let Some(constant) = text.strip_prefix('$') {
        return constant.parse().ok().map(Operand::Constant);
    }
    let reference = text.strip_prefix('%')?;
    if let Some(name) = reference.strip_prefix('[').and_then(|r| r.strip_suffix(']')) {
        let all = asm.outputs.iter().chain(&asm.inputs);
        let is_it = |o: &ast::AsmOperand| o.name.as_ref().is_some_and(|n| n.text.eq_ignore_ascii_case(name));
        return all.into_iter().position(is_it).map(Operand::Number);
    }
    // A letter may say which part of a register is meant.
    let number = reference.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let number: usize = number.parse().ok()?;
    (number < asm.outputs.len() + asm.inputs.len()).then_some(Operand::Number(number))
}

fn get(asm: &ast::Asm, n: usize) -> &ast::AsmOperand {
    asm.outputs.get(n).unwrap_or_else(|| &asm.inputs[n - asm.outputs.len()])
}

fn expression(asm: &ast::Asm, n: usize) -> &ast::Expr {
    &get(asm, n).expr
}

fn constraint(asm: &ast::Asm, n: usize) -> &str {
    &get(asm, n).constraint
}
