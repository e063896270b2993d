//! The control-flow graph as text: one declaration or edge a line, expressions in prefix form.
//! [`super::parse()`] reads it back.

use super::*;
use crate::checks::Claim;
use crate::layout::RecordKind;
use std::fmt::{self, Display, Formatter};

impl UnaryOp {
    /// As the text form writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Neg => "neg",
            UnaryOp::BitNot => "~",
            UnaryOp::Not => "!",
        }
    }
}

impl BinaryOp {
    /// Every operator.
    pub const ALL: [BinaryOp; 18] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Rem,
        BinaryOp::BitAnd,
        BinaryOp::BitOr,
        BinaryOp::BitXor,
        BinaryOp::Shl,
        BinaryOp::Shr,
        BinaryOp::Eq,
        BinaryOp::Ne,
        BinaryOp::Lt,
        BinaryOp::Le,
        BinaryOp::Gt,
        BinaryOp::Ge,
        BinaryOp::And,
        BinaryOp::Or,
    ];

    /// As C and the modelling language write it.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
        }
    }
}

impl RmwOp {
    pub(super) fn symbol(&self) -> &'static str {
        match self {
            RmwOp::Exchange(_) => "exchange",
            RmwOp::Add(_) => "add",
            RmwOp::Sub(_) => "sub",
            RmwOp::And(_) => "and",
            RmwOp::Or(_) => "or",
            RmwOp::Xor(_) => "xor",
            RmwOp::CompareExchange { .. } => "compare-exchange",
        }
    }
}

impl Display for Choices {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, &(lo, hi)) in self.0.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            if lo == hi { write!(f, "{comma}{lo}")? } else { write!(f, "{comma}{lo}..{hi}")? }
        }
        Ok(())
    }
}

/// Prints expressions and instructions with the names of their registers.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    /// The program.
    pub program: &'a Program,
    /// The registers that [`Reg::Local`] means.
    pub locals: &'a [Register],
}

impl Names<'_> {
    /// A register.
    pub fn reg(self, reg: Reg) -> String {
        match reg {
            Reg::Local(slot) => self.locals[slot as usize].name.clone(),
            Reg::Thread(slot) => format!("@{}", self.program.thread_registers[slot as usize].name),
        }
    }

    fn dest(self, dest: &Dest) -> String {
        match dest {
            Dest::Reg(reg) => self.reg(*reg),
            Dest::At { base, len, index } => format!("(at {} {len} {})", self.reg(*base), self.expr(index)),
        }
    }

    fn optional_dest(self, dest: &Option<Dest>) -> String {
        dest.as_ref().map_or("_".to_string(), |d| self.dest(d))
    }

    /// An expression.
    pub fn expr(self, expr: &Expr) -> String {
        let arith = |a: Arith| match a {
            Arith::Exact => String::new(),
            Arith::Wrap(int) => format!(":{int}"),
        };
        match expr {
            Expr::Const(value) => value.to_string(),
            Expr::Reg(reg) => self.reg(*reg),
            Expr::At { base, len, index } => format!("(at {} {len} {})", self.reg(*base), self.expr(index)),
            Expr::Unary(op, a, arg) => format!("({}{} {})", op.symbol(), arith(*a), self.expr(arg)),
            Expr::Binary(op, a, l, r) => {
                format!("({}{} {} {})", op.symbol(), arith(*a), self.expr(l), self.expr(r))
            }
            Expr::Select(c, t, e) => format!("(? {} {} {})", self.expr(c), self.expr(t), self.expr(e)),
            Expr::Check { from, to, arg } => format!("(check {from} {to} {})", self.expr(arg)),
            Expr::Wrap(int, arg) => format!("(wrap {int} {})", self.expr(arg)),
            Expr::Index(len, arg) => format!("(index {len} {})", self.expr(arg)),
        }
    }

    fn address(self, address: &Address) -> String {
        match address {
            Address::Cell { object, index } => {
                format!("({} {})", self.program.object(*object).name, self.expr(index))
            }
            Address::Pointed { pointer, ty } => format!("(* {ty} {})", self.expr(pointer)),
        }
    }

    fn args(self, args: &[Expr]) -> String {
        let args: Vec<_> = args.iter().map(|a| self.expr(a)).collect();
        format!("({})", args.join(" "))
    }

    /// An instruction.
    pub fn instr(self, instr: &Instr) -> String {
        let drain = |d: Drain| match d {
            Drain::Yes => "drain",
            Drain::No => "keep",
        };
        match instr {
            Instr::Nop => "nop".into(),
            Instr::Choose => "choose".into(),
            Instr::Assign(d, e) => format!("assign {} {}", self.dest(d), self.expr(e)),
            Instr::Load(d, a) => format!("load {} {}", self.dest(d), self.address(a)),
            Instr::Store(a, e) => format!("store {} {}", self.address(a), self.expr(e)),
            Instr::Rmw(d, a, op) => {
                let operands: Vec<_> = op.operands().map(|e| self.expr(e)).collect();
                format!(
                    "rmw {} {} {} {}",
                    self.optional_dest(d),
                    self.address(a),
                    op.symbol(),
                    operands.join(" ")
                )
            }
            Instr::Fence(FenceKind::Full) => "fence full".into(),
            Instr::Fence(FenceKind::StoreStore) => "fence store-store".into(),
            Instr::Assume(e) => format!("assume {}", self.expr(e)),
            Instr::Assert(e, Claim::Assertion) => format!("assert {}", self.expr(e)),
            Instr::Assert(e, claim) => format!("claim {} {}", claim.name(), self.expr(e)),
            Instr::Havoc(d, choices) => format!("havoc {} {choices}", self.dest(d)),
            Instr::Lock(a) => format!("lock {}", self.address(a)),
            Instr::Unlock(a) => format!("unlock {}", self.address(a)),
            Instr::Spawn(d, p, args, drains) => format!(
                "spawn {} {} {} {}",
                self.optional_dest(d),
                self.program.procedure(*p).name,
                self.args(args),
                drain(*drains)
            ),
            Instr::Own(d) => format!("own {}", self.dest(d)),
            Instr::Join(d, e) => format!("join {} {}", self.optional_dest(d), self.expr(e)),
            Instr::Call(d, p, args) => format!(
                "call {} {} {}",
                self.optional_dest(d),
                self.program.procedure(*p).name,
                self.args(args)
            ),
            Instr::Return(None) => "return".into(),
            Instr::Return(Some(e)) => format!("return {}", self.expr(e)),
            Instr::AtomicBegin(d) => format!("begin {}", drain(*d)),
            Instr::AtomicEnd(d) => format!("end {}", drain(*d)),
            Instr::Allocate { dest, ty, bytes, fill, storage } => {
                let fill = match fill {
                    Fill::Zero => "zero",
                    Fill::Undefined => "undefined",
                };
                let (dest, bytes) = (self.dest(dest), self.expr(bytes));
                format!("allocate {dest} {} {bytes} {fill} {}", ty.0, storage.word())
            }
            Instr::Reallocate { dest, ty, pointer, bytes } => {
                format!("reallocate {} {} {} {}", self.dest(dest), ty.0, self.expr(pointer), self.expr(bytes))
            }
            Instr::Free(e, storage) => format!("free {} {}", self.expr(e), storage.word()),
            Instr::Exit(None) => "exit".into(),
            Instr::Exit(Some(e)) => format!("exit {}", self.expr(e)),
            Instr::Halt => "halt".into(),
        }
    }
}

impl Storage {
    fn word(self) -> &'static str {
        match self {
            Storage::Heap => "heap",
            Storage::Stack => "stack",
        }
    }
}

fn type_text(ty: &Type) -> String {
    match ty {
        Type::Scalar(scalar) => scalar.to_string(),
        Type::Array(element, n) => format!("(array {n} {})", type_text(element)),
        Type::Record(id) => format!("(record {})", id.0),
    }
}

struct At(Span);

impl Display for At {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Span { file, line, column, length } = self.0;
        write!(f, "@ {} {line} {column} {length}", file.0)
    }
}

fn register(f: &mut Formatter<'_>, keyword: &str, r: &Register) -> fmt::Result {
    writeln!(f, "{keyword} {} {} {}", r.name, r.ty, r.init)
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.pointer_bits > 0 {
            let exposed = if self.exposes_pointers { " exposed" } else { "" };
            let opaque = if self.opaque_addresses { " opaque" } else { "" };
            let ordered = if self.orders_pointers { " ordered" } else { "" };
            writeln!(f, "pointers {}{exposed}{opaque}{ordered}", self.pointer_bits)?;
        }
        for record in &self.records.0 {
            let kind = match record.kind {
                RecordKind::Struct => "struct",
                RecordKind::Union => "union",
            };
            write!(f, "record \"{}\" {kind} {}", record.name, record.size)?;
            for field in &record.fields {
                write!(f, " (\"{}\" {} {})", field.name, field.offset, type_text(&field.ty))?;
            }
            writeln!(f)?;
        }
        for heap_type in &self.heap_types {
            writeln!(f, "heap \"{}\" {}", heap_type.name, type_text(&heap_type.ty))?;
        }
        for object in &self.objects {
            write!(f, "object {} {} (", object.name, type_text(&object.ty))?;
            write_joined(f, object.init.iter())?;
            writeln!(f, ") {}", At(object.span))?;
        }
        for r in &self.thread_registers {
            register(f, "thread-register", r)?;
        }
        for p in &self.procedures {
            let result = p.result.map_or("void".to_string(), |r| r.to_string());
            writeln!(f, "procedure {} {result} {} {} {}", p.name, p.params, p.nodes, At(p.span))?;
            for r in &p.registers {
                register(f, "  register", r)?;
            }
            for (label, node) in &p.labels {
                writeln!(f, "  label {label} {}", node.0)?;
            }
            let names = Names { program: self, locals: &p.registers };
            for e in &p.edges {
                write!(f, "  {} -> {} {} {}", e.from.0, e.to.0, names.instr(&e.instr), At(e.span))?;
                writeln!(f, "{}", e.access.name().map_or(String::new(), |name| format!(" {name}")))?;
            }
        }
        for t in &self.threads {
            write!(f, "start \"{}\" {} (", t.name, self.procedure(t.procedure).name)?;
            write_joined(f, t.args.iter())?;
            match t.count {
                Count::Times(n) => writeln!(f, ") {n} {}", At(t.span))?,
                Count::Any => writeln!(f, ") any {}", At(t.span))?,
            }
        }
        for property in &self.properties {
            self.print_property(f, property)?;
        }
        Ok(())
    }
}

impl Program {
    fn print_property(&self, f: &mut Formatter<'_>, property: &Property) -> fmt::Result {
        match property {
            Property::Forbid { together, span } => {
                f.write_str("forbid")?;
                for alternatives in together {
                    f.write_str(" (")?;
                    for (i, r) in alternatives.iter().enumerate() {
                        let space = if i > 0 { " " } else { "" };
                        let procedure = &self.procedure(r.procedure).name;
                        match r.who {
                            Who::Any => write!(f, "{space}(any {procedure} {})", r.label)?,
                            Who::Runs(p) => {
                                write!(f, "{space}(runs {} {procedure} {})", self.procedure(p).name, r.label)?
                            }
                            Who::Start(s) => write!(f, "{space}(start {} {procedure} {})", s.0, r.label)?,
                        }
                    }
                    f.write_str(")")?;
                }
                writeln!(f, " {}", At(*span))
            }
            Property::Final { quantifier, observed, condition, span } => {
                let quantifier = match quantifier {
                    Quantifier::Exists => "exists",
                    Quantifier::NotExists => "not-exists",
                    Quantifier::Forall => "forall",
                };
                write!(f, "final {quantifier} (")?;
                let mut registers = Vec::new();
                for (i, o) in observed.iter().enumerate() {
                    let space = if i > 0 { " " } else { "" };
                    match o {
                        Observable::Cell(loc) => match loc.as_element() {
                            None => write!(f, "{space}(cell {})", loc.index())?,
                            Some((object, address)) => {
                                let name = &self.object(object).name;
                                write!(f, "{space}(element {name} {address})")?;
                            }
                        },
                        Observable::Register(s, reg) => {
                            let p = self.procedure(self.threads[s.index()].procedure);
                            let names = Names { program: self, locals: &p.registers };
                            write!(f, "{space}(register {} {})", s.0, names.reg(*reg))?;
                        }
                    }
                    registers.push(Register { name: format!("#{i}"), ty: Scalar::Integer, init: 0 });
                }
                let names = Names { program: self, locals: &registers };
                writeln!(f, ") {} {}", names.expr(condition), At(*span))
            }
        }
    }
}

fn write_joined<T: Display>(f: &mut Formatter<'_>, items: impl Iterator<Item = T>) -> fmt::Result {
    for (i, item) in items.enumerate() {
        let space = if i > 0 { " " } else { "" };
        write!(f, "{space}{item}")?;
    }
    Ok(())
}
