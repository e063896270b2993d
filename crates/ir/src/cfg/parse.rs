//! Reads the text that [`super::print`] writes: lines of atoms, strings and parenthesised lists.
//!
//! A tool for tests and debugging, so its messages name the line and what was expected, no more.

use super::*;
use crate::checks::Claim;
use crate::layout::{Field, Record, RecordId, RecordKind};
use crate::scalar::IntType;
use crate::source::FileId;
use std::fmt;

/// A line that could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// Its number, from 1.
    pub line: usize,
    /// What was wrong.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

type Result<T> = std::result::Result<T, String>;

/// Reads a program. Its sources are empty.
pub fn parse(text: &str) -> std::result::Result<Program, ParseError> {
    let mut reader = Reader::default();
    let lines: Vec<_> = text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()).collect();
    // Procedures call and spawn each other, so their names come first.
    for (number, line) in &lines {
        let at = |message| ParseError { line: number + 1, message };
        let items = tokenize(line).map_err(at)?;
        if let [Item::Atom(keyword), Item::Atom(name), ..] = &items[..]
            && keyword == "procedure"
        {
            reader.procedure_names.push(name.clone());
        }
    }
    for (number, line) in &lines {
        let at = |message| ParseError { line: number + 1, message };
        let items = tokenize(line).map_err(at)?;
        reader.line(&items).map_err(at)?;
    }
    reader.finish_procedure();
    Ok(reader.program)
}

#[derive(Clone, PartialEq, Debug)]
enum Item {
    Atom(String),
    List(Vec<Item>),
}

fn tokenize(line: &str) -> Result<Vec<Item>> {
    let mut stack: Vec<Vec<Item>> = vec![Vec::new()];
    let mut chars = line.chars().peekable();
    while let Some(&c) = chars.peek() {
        match c {
            ' ' | '\t' => {
                chars.next();
            }
            '(' => {
                chars.next();
                stack.push(Vec::new());
            }
            ')' => {
                chars.next();
                let list = stack.pop().filter(|_| !stack.is_empty()).ok_or("unbalanced `)`")?;
                stack.last_mut().ok_or("unbalanced `)`")?.push(Item::List(list));
            }
            '"' => {
                chars.next();
                let text: String = chars.by_ref().take_while(|&c| c != '"').collect();
                stack.last_mut().ok_or("unbalanced")?.push(Item::Atom(text));
            }
            _ => {
                let mut text = String::new();
                while let Some(&c) = chars.peek()
                    && !" \t()".contains(c)
                {
                    text.push(c);
                    chars.next();
                }
                stack.last_mut().ok_or("unbalanced")?.push(Item::Atom(text));
            }
        }
    }
    match stack.pop() {
        Some(items) if stack.is_empty() => Ok(items),
        _ => Err("unbalanced `(`".into()),
    }
}

fn atom(item: &Item) -> Result<&str> {
    match item {
        Item::Atom(text) => Ok(text),
        Item::List(_) => Err("expected a word, found a list".into()),
    }
}

fn list(item: &Item) -> Result<&[Item]> {
    match item {
        Item::List(items) => Ok(items),
        Item::Atom(text) => Err(format!("expected a list, found `{text}`")),
    }
}

fn number<T: std::str::FromStr>(item: &Item) -> Result<T> {
    let text = atom(item)?;
    text.parse().map_err(|_| format!("expected a number, found `{text}`"))
}

fn scalar(text: &str) -> Result<Scalar> {
    let unknown = || format!("`{text}` is not a type");
    Ok(match text {
        "bool" => Scalar::Bool,
        "integer" => Scalar::Integer,
        "thread_id" => Scalar::Thread,
        "mutex" => Scalar::Mutex,
        "pointer32" => Scalar::Pointer { bits: 32 },
        "pointer64" => Scalar::Pointer { bits: 64 },
        _ => match text.split_once("..") {
            Some((lo, hi)) => Scalar::Range {
                lo: lo.parse().map_err(|_| unknown())?,
                hi: hi.parse().map_err(|_| unknown())?,
            },
            None => Scalar::Int(int_type(text)?),
        },
    })
}

fn int_type(text: &str) -> Result<IntType> {
    let unknown = || format!("`{text}` is not a fixed-width type");
    let signed = match text.as_bytes().first() {
        Some(b'i') => true,
        Some(b'u') => false,
        _ => return Err(unknown()),
    };
    match text[1..].parse() {
        Ok(bits @ (1 | 8 | 16 | 24 | 32 | 40 | 48 | 56 | 64)) => Ok(IntType { bits, signed }),
        _ => Err(unknown()),
    }
}

fn choices(text: &str) -> Result<Choices> {
    let bad = || format!("`{text}` is not a set of values");
    let mut ranges = Vec::new();
    for part in text.split(',') {
        let (lo, hi) = part.split_once("..").unwrap_or((part, part));
        ranges.push((lo.parse().map_err(|_| bad())?, hi.parse().map_err(|_| bad())?));
    }
    Ok(Choices(ranges))
}

fn drain(item: &Item) -> Result<Drain> {
    match atom(item)? {
        "drain" => Ok(Drain::Yes),
        "keep" => Ok(Drain::No),
        other => Err(format!("expected `drain` or `keep`, found `{other}`")),
    }
}

fn storage(item: &Item) -> Result<Storage> {
    match atom(item)? {
        "heap" => Ok(Storage::Heap),
        "stack" => Ok(Storage::Stack),
        other => Err(format!("expected `heap` or `stack`, found `{other}`")),
    }
}

fn type_of(item: &Item) -> Result<Type> {
    let items = match item {
        Item::Atom(text) => return scalar(text).map(Type::Scalar),
        Item::List(items) => items,
    };
    match &items[..] {
        [_, n, element] => Ok(Type::Array(Box::new(type_of(element)?), number(n)?)),
        [_, record] => Ok(Type::Record(RecordId(number(record)?))),
        _ => Err("expected (array N T) or (record N)".into()),
    }
}

fn field(item: &Item) -> Result<Field> {
    match list(item)? {
        [name, offset, ty] => {
            Ok(Field { name: atom(name)?.to_string(), offset: number(offset)?, ty: type_of(ty)? })
        }
        _ => Err("expected (name offset type)".into()),
    }
}

fn span(items: &[Item]) -> Result<Span> {
    match items {
        [_, file, line, column, length] => Ok(Span {
            file: FileId(number(file)?),
            line: number(line)?,
            column: number(column)?,
            length: number(length)?,
        }),
        _ => Err("expected `@ file line column length`".into()),
    }
}

#[derive(Default)]
struct Reader {
    program: Program,
    procedure_names: Vec<String>,
    current: Option<ProcedureParts>,
}

impl Reader {
    fn finish_procedure(&mut self) {
        if let Some(parts) = self.current.take() {
            self.program.procedures.push(Procedure::new(parts));
        }
    }

    fn procedure(&self, item: &Item) -> Result<ProcId> {
        let name = atom(item)?;
        match self.procedure_names.iter().position(|n| n == name) {
            Some(i) => Ok(ProcId(i as u32)),
            None => Err(format!("no procedure `{name}`")),
        }
    }

    fn line(&mut self, items: &[Item]) -> Result<()> {
        let split = items.iter().position(|i| matches!(i, Item::Atom(a) if a == "@"));
        let (items, at) = items.split_at(split.unwrap_or(items.len()));
        let (at, access) = match at {
            [at @ .., Item::Atom(word)] if let Some(access) = Access::from_name(word) => (at, access),
            at => (at, Access::Plain),
        };
        let at = if at.is_empty() { Span::NONE } else { span(at)? };
        let [first, rest @ ..] = items else { return Err("empty line".into()) };
        match (atom(first)?, rest) {
            ("pointers", [bits, uses @ ..]) => {
                self.program.pointer_bits = number(bits)?;
                for word in uses {
                    match atom(word)? {
                        "exposed" => self.program.exposes_pointers = true,
                        "opaque" => self.program.opaque_addresses = true,
                        "ordered" => self.program.orders_pointers = true,
                        other => return Err(format!("`{other}` is no use of pointers")),
                    }
                }
            }
            ("record", [name, kind, size, fields @ ..]) => {
                let kind = match atom(kind)? {
                    "struct" => RecordKind::Struct,
                    "union" => RecordKind::Union,
                    other => return Err(format!("`{other}` is no kind of record")),
                };
                let fields = fields.iter().map(field).collect::<Result<_>>()?;
                let (name, size) = (atom(name)?.to_string(), number(size)?);
                self.program.records.0.push(Record { name, kind, fields, size });
            }
            ("heap", [name, ty]) => {
                let heap_type = HeapType { name: atom(name)?.to_string(), ty: type_of(ty)? };
                self.program.heap_types.push(heap_type);
            }
            ("object", [name, ty, init]) => {
                let init = list(init)?.iter().map(|c| choices(atom(c)?)).collect::<Result<_>>()?;
                let (name, ty) = (atom(name)?.to_string(), type_of(ty)?);
                self.program.objects.push(Object { name, ty, init, span: at });
            }
            ("thread-register", [name, ty, init]) => {
                let r = Register { name: atom(name)?.into(), ty: scalar(atom(ty)?)?, init: number(init)? };
                self.program.thread_registers.push(r);
            }
            ("procedure", [name, result, params, nodes]) => {
                self.finish_procedure();
                let result = match atom(result)? {
                    "void" => None,
                    ty => Some(scalar(ty)?),
                };
                self.current = Some(ProcedureParts {
                    name: atom(name)?.into(),
                    registers: Vec::new(),
                    params: number(params)?,
                    result,
                    nodes: number(nodes)?,
                    edges: Vec::new(),
                    labels: Vec::new(),
                    span: at,
                });
            }
            ("register", [name, ty, init]) => {
                let r = Register { name: atom(name)?.into(), ty: scalar(atom(ty)?)?, init: number(init)? };
                self.parts()?.registers.push(r);
            }
            ("label", [name, node]) => {
                let label = (atom(name)?.to_string(), NodeId(number(node)?));
                self.parts()?.labels.push(label);
            }
            ("start", [name, procedure, args, count]) => {
                self.finish_procedure();
                let count = match atom(count)? {
                    "any" => Count::Any,
                    _ => Count::Times(number(count)?),
                };
                let procedure = self.procedure(procedure)?;
                let args = list(args)?.iter().map(number).collect::<Result<_>>()?;
                let name = atom(name)?.into();
                self.program.threads.push(Start { name, procedure, args, count, span: at });
            }
            ("forbid", alternatives) => {
                self.finish_procedure();
                let together = alternatives.iter().map(|a| self.requirements(a)).collect::<Result<_>>()?;
                self.program.properties.push(Property::Forbid { together, span: at });
            }
            ("final", [quantifier, observed, condition]) => {
                self.finish_procedure();
                let property = self.final_condition(quantifier, observed, condition, at)?;
                self.program.properties.push(property);
            }
            (_, [arrow, to, instr @ ..]) if *arrow == Item::Atom("->".into()) => {
                let (from, to) = (NodeId(number(first)?), NodeId(number(to)?));
                let instr = self.instr(instr)?;
                let parts = self.parts()?;
                if from.0 >= parts.nodes || to.0 >= parts.nodes {
                    return Err("an edge leaves the procedure's nodes".into());
                }
                parts.edges.push(Edge { from, to, instr, span: at, access });
            }
            (word, _) => return Err(format!("cannot read a line that starts with `{word}`")),
        }
        Ok(())
    }

    fn parts(&mut self) -> Result<&mut ProcedureParts> {
        self.current.as_mut().ok_or_else(|| "this line belongs into a procedure".to_string())
    }

    fn requirements(&self, item: &Item) -> Result<Vec<Requirement>> {
        let requirement = |item: &Item| {
            let (who, procedure, label) = match list(item)? {
                [_, procedure, label] => (Who::Any, procedure, label),
                [kind, arg, procedure, label] if atom(kind)? == "runs" => {
                    (Who::Runs(self.procedure(arg)?), procedure, label)
                }
                [_, arg, procedure, label] => (Who::Start(StartId(number(arg)?)), procedure, label),
                _ => return Err("expected (any P L), (runs P P L) or (start N P L)".to_string()),
            };
            Ok(Requirement { who, procedure: self.procedure(procedure)?, label: atom(label)?.into() })
        };
        list(item)?.iter().map(requirement).collect()
    }

    fn final_condition(
        &self,
        quantifier: &Item,
        observed: &Item,
        condition: &Item,
        span: Span,
    ) -> Result<Property> {
        let quantifier = match atom(quantifier)? {
            "exists" => Quantifier::Exists,
            "not-exists" => Quantifier::NotExists,
            "forall" => Quantifier::Forall,
            other => return Err(format!("`{other}` is no quantifier")),
        };
        let observable = |item: &Item| match list(item)? {
            [_, loc] => Ok(Observable::Cell(Loc::cell(number(loc)?))),
            [kind, name, address] if atom(kind)? == "element" => {
                let address = Loc::element(self.object(name)?, number(address)?);
                Ok(Observable::Cell(address.ok_or("the address is too large")?))
            }
            [_, start, reg] => {
                let start = StartId(number(start)?);
                let thread = self.program.threads.get(start.index()).ok_or("no such thread")?;
                let registers = &self.program.procedure(thread.procedure).registers;
                Ok(Observable::Register(start, self.reg(registers, atom(reg)?)?))
            }
            _ => Err("expected (cell N) or (register N R)".to_string()),
        };
        let observed: Vec<_> = list(observed)?.iter().map(observable).collect::<Result<_>>()?;
        let registers: Vec<_> = (0..observed.len())
            .map(|i| Register { name: format!("#{i}"), ty: Scalar::Integer, init: 0 })
            .collect();
        Ok(Property::Final { quantifier, observed, condition: self.expr(&registers, condition)?, span })
    }

    fn reg(&self, locals: &[Register], name: &str) -> Result<Reg> {
        let (registers, plain): (&[Register], &str) = match name.strip_prefix('@') {
            Some(plain) => (&self.program.thread_registers, plain),
            None => (locals, name),
        };
        let slot = registers.iter().position(|r| r.name == plain);
        let slot = slot.ok_or_else(|| format!("no register `{name}`"))? as u32;
        Ok(if name.starts_with('@') { Reg::Thread(slot) } else { Reg::Local(slot) })
    }

    fn expr(&self, locals: &[Register], item: &Item) -> Result<Expr> {
        let items = match item {
            Item::Atom(text) if text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) => {
                return Ok(Expr::Const(number(item)?));
            }
            Item::Atom(text) => return Ok(Expr::Reg(self.reg(locals, text)?)),
            Item::List(items) => items,
        };
        let sub = |item| self.expr(locals, item).map(Box::new);
        let (head, args) = items.split_first().ok_or("empty expression")?;
        let (name, arith) = match atom(head)?.split_once(':') {
            Some((name, ty)) => (name, Arith::Wrap(int_type(ty)?)),
            None => (atom(head)?, Arith::Exact),
        };
        Ok(match (name, args) {
            ("at", [base, len, index]) => {
                Expr::At { base: self.reg(locals, atom(base)?)?, len: number(len)?, index: sub(index)? }
            }
            ("?", [c, t, e]) => Expr::Select(sub(c)?, sub(t)?, sub(e)?),
            ("check", [from, to, arg]) => {
                Expr::Check { from: scalar(atom(from)?)?, to: scalar(atom(to)?)?, arg: sub(arg)? }
            }
            ("wrap", [ty, arg]) => Expr::Wrap(int_type(atom(ty)?)?, sub(arg)?),
            ("index", [len, arg]) => Expr::Index(number(len)?, sub(arg)?),
            ("neg", [arg]) => Expr::Unary(UnaryOp::Neg, arith, sub(arg)?),
            ("~", [arg]) => Expr::Unary(UnaryOp::BitNot, arith, sub(arg)?),
            ("!", [arg]) => Expr::Unary(UnaryOp::Not, arith, sub(arg)?),
            (_, [left, right]) => {
                let op = BinaryOp::ALL.into_iter().find(|op| op.symbol() == name);
                let op = op.ok_or_else(|| format!("no operator `{name}`"))?;
                Expr::Binary(op, arith, sub(left)?, sub(right)?)
            }
            _ => return Err(format!("no operator `{name}` with {} operands", args.len())),
        })
    }

    fn dest(&self, locals: &[Register], item: &Item) -> Result<Dest> {
        match item {
            Item::Atom(name) => Ok(Dest::Reg(self.reg(locals, name)?)),
            Item::List(items) => match &items[..] {
                [_, base, len, index] => Ok(Dest::At {
                    base: self.reg(locals, atom(base)?)?,
                    len: number(len)?,
                    index: self.expr(locals, index)?,
                }),
                _ => Err("expected (at base len index)".into()),
            },
        }
    }

    fn optional_dest(&self, locals: &[Register], item: &Item) -> Result<Option<Dest>> {
        if *item == Item::Atom("_".into()) { Ok(None) } else { self.dest(locals, item).map(Some) }
    }

    fn object(&self, item: &Item) -> Result<ObjectId> {
        let name = atom(item)?;
        let position = self.program.objects.iter().position(|o| o.name == name);
        position.map(|i| ObjectId(i as u32)).ok_or_else(|| format!("no object `{name}`"))
    }

    fn address(&self, locals: &[Register], item: &Item) -> Result<Address> {
        match list(item)? {
            [name, index] => {
                Ok(Address::Cell { object: self.object(name)?, index: self.expr(locals, index)? })
            }
            [_, ty, pointer] => {
                Ok(Address::Pointed { pointer: self.expr(locals, pointer)?, ty: scalar(atom(ty)?)? })
            }
            _ => Err("expected (object index) or (* type pointer)".into()),
        }
    }

    fn instr(&self, items: &[Item]) -> Result<Instr> {
        let locals = &self.current.as_ref().ok_or("an edge outside a procedure")?.registers[..];
        let e = |item| self.expr(locals, item);
        let exprs = |item| list(item)?.iter().map(e).collect::<Result<Vec<_>>>();
        let [head, args @ ..] = items else { return Err("expected an instruction".into()) };
        Ok(match (atom(head)?, args) {
            ("nop", []) => Instr::Nop,
            ("choose", []) => Instr::Choose,
            ("assign", [d, v]) => Instr::Assign(self.dest(locals, d)?, e(v)?),
            ("load", [d, a]) => Instr::Load(self.dest(locals, d)?, self.address(locals, a)?),
            ("store", [a, v]) => Instr::Store(self.address(locals, a)?, e(v)?),
            ("rmw", [d, a, op, operands @ ..]) => {
                let op = match (atom(op)?, operands) {
                    ("exchange", [v]) => RmwOp::Exchange(e(v)?),
                    ("add", [v]) => RmwOp::Add(e(v)?),
                    ("sub", [v]) => RmwOp::Sub(e(v)?),
                    ("and", [v]) => RmwOp::And(e(v)?),
                    ("or", [v]) => RmwOp::Or(e(v)?),
                    ("xor", [v]) => RmwOp::Xor(e(v)?),
                    ("compare-exchange", [x, n]) => RmwOp::CompareExchange { expected: e(x)?, new: e(n)? },
                    (other, _) => return Err(format!("no read-modify-write `{other}`")),
                };
                Instr::Rmw(self.optional_dest(locals, d)?, self.address(locals, a)?, op)
            }
            ("fence", [kind]) => match atom(kind)? {
                "full" => Instr::Fence(FenceKind::Full),
                "store-store" => Instr::Fence(FenceKind::StoreStore),
                other => return Err(format!("no fence `{other}`")),
            },
            ("assume", [c]) => Instr::Assume(e(c)?),
            ("assert", [c]) => Instr::Assert(e(c)?, Claim::Assertion),
            ("claim", [name, c]) => {
                let claim = Claim::from_name(atom(name)?).ok_or("no such claim")?;
                Instr::Assert(e(c)?, claim)
            }
            ("havoc", [d, c]) => Instr::Havoc(self.dest(locals, d)?, choices(atom(c)?)?),
            ("lock", [a]) => Instr::Lock(self.address(locals, a)?),
            ("unlock", [a]) => Instr::Unlock(self.address(locals, a)?),
            ("spawn", [d, p, args, drains]) => {
                Instr::Spawn(self.optional_dest(locals, d)?, self.procedure(p)?, exprs(args)?, drain(drains)?)
            }
            ("own", [d]) => Instr::Own(self.dest(locals, d)?),
            ("join", [d, t]) => Instr::Join(self.optional_dest(locals, d)?, e(t)?),
            ("allocate", [d, ty, bytes, filled, lives]) => Instr::Allocate {
                dest: self.dest(locals, d)?,
                ty: HeapTypeId(number(ty)?),
                bytes: e(bytes)?,
                fill: match atom(filled)? {
                    "zero" => Fill::Zero,
                    "undefined" => Fill::Undefined,
                    other => return Err(format!("expected `zero` or `undefined`, found `{other}`")),
                },
                storage: storage(lives)?,
            },
            ("reallocate", [d, ty, pointer, bytes]) => Instr::Reallocate {
                dest: self.dest(locals, d)?,
                ty: HeapTypeId(number(ty)?),
                pointer: e(pointer)?,
                bytes: e(bytes)?,
            },
            ("free", [p, lives]) => Instr::Free(e(p)?, storage(lives)?),
            ("exit", []) => Instr::Exit(None),
            ("exit", [v]) => Instr::Exit(Some(e(v)?)),
            ("halt", []) => Instr::Halt,
            ("call", [d, p, args]) => {
                Instr::Call(self.optional_dest(locals, d)?, self.procedure(p)?, exprs(args)?)
            }
            ("return", []) => Instr::Return(None),
            ("return", [v]) => Instr::Return(Some(e(v)?)),
            ("begin", [d]) => Instr::AtomicBegin(drain(d)?),
            ("end", [d]) => Instr::AtomicEnd(drain(d)?),
            (other, _) => return Err(format!("no instruction `{other}` with {} operands", args.len())),
        })
    }
}
