//! What a test looks at when all threads have ended, how states and conditions are printed, and when a
//! state satisfies a condition.
//!
//! A final state is a list of numbers, one for each [`Slot`]. What is printed and compared is the number
//! in the type that the init block declares: unsigned types print without sign. Without a type it is what
//! C calls an `int`, as herd has it; a number that needs more than 32 bits is shown whole.
//!
//! Registers come first, by thread, then memory by name, as herd prints them.

use super::ast::{self, Constant, Declared, File, Location, Side, Width};
use super::expression::*;
use super::layout::{CellRef, Layout, truncate};
use super::register::{BaseRegister, Part, Register};
use crate::Diagnostic;
use fencepost_ir::tree::{
    BinaryOp, Expr, ExprKind, LocalId, Place, Quantifier, SharedId, ThreadId, UnaryOp, VarRef,
};
use fencepost_ir::{IntType, Scalar, Span};
use std::collections::BTreeMap;

type Result<T> = std::result::Result<T, Diagnostic>;

/// Where the program holds a number that a test looks at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Slot {
    /// A local of a thread's process.
    Register(ThreadId, LocalId),
    /// A cell of a shared variable.
    Cell(SharedId, u32),
}

/// How a slot's number is read: which bits of it, and in which type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Reading {
    slot: usize,
    shift: u8,
    bits: u8,
    /// Bits above a memory cell that never change.
    above: i64,
    /// `None` is the default type.
    ty: Option<IntType>,
    /// Bits of the whole value.
    whole: u8,
    /// Whether its place has an index.
    element: Element,
}

/// Whether a cell is one of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Element {
    Yes,
    No,
}

impl Reading {
    /// The number as it is printed and compared.
    fn of(&self, values: &[i64]) -> i64 {
        let raw = values[self.slot] as u64 >> self.shift;
        self.canonical(truncate(raw as i64, self.bits) | self.above)
    }

    fn canonical(&self, value: i64) -> i64 {
        match self.ty {
            Some(int) => int.wrap(value.into()),
            None if (value as u64) >> 32 == 0 => i64::from(value as i32),
            None => value,
        }
    }

    /// A constant as a value of this kind.
    fn constant(&self, value: i64) -> i64 {
        self.canonical(truncate(value, self.whole))
    }

    fn show(&self, value: i64, addresses: &dyn Fn(i64) -> Option<String>) -> String {
        addresses(value).unwrap_or_else(|| match self.ty {
            Some(int) => int.meaning(value).to_string(),
            None => value.to_string(),
        })
    }

    /// [`Reading::of`] as an expression, a signed 64-bit one.
    fn expr(&self, slots: &[(Slot, u8)], span: Span) -> Expr {
        let u64_type = unsigned(64);
        let (slot, cell_bits) = slots[self.slot];
        let place = |variable, indices| Place::element(variable, indices, span);
        let mut value = match slot {
            Slot::Register(thread, local) => {
                read(place(VarRef::Observed(thread, local), Vec::new()), u64_type)
            }
            Slot::Cell(shared, index) => {
                let index = vec![number(index.into(), Scalar::Integer, span)];
                let indices = if self.element == Element::Yes { index } else { Vec::new() };
                convert(read(place(VarRef::Shared(shared), indices), unsigned(cell_bits)), u64_type)
            }
        };
        if self.shift > 0 {
            value = with_number(BinaryOp::Shr, value, self.shift.into());
        }
        if self.bits < 64 && self.bits < cell_bits {
            value = with_number(BinaryOp::BitAnd, value, truncate(-1, self.bits));
        }
        if self.above != 0 {
            value = with_number(BinaryOp::BitOr, value, self.above);
        }
        let i64_type = signed(64);
        match self.ty {
            Some(int) => convert(convert(value, Scalar::Int(int)), i64_type),
            None => {
                let small = with_number(BinaryOp::Eq, with_number(BinaryOp::Shr, value.clone(), 32), 0);
                let as_int = convert(convert(value.clone(), signed(32)), i64_type);
                select(small, as_int, convert(value, i64_type))
            }
        }
    }
}

/// One entry of a printed state.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Item {
    name: String,
    readings: Vec<Reading>,
    array: bool,
}

/// A condition over the slots.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Prop {
    True,
    False,
    /// With the constant as it was written.
    Constant(String, Reading, i64, String),
    Same(String, Reading, String, Reading),
    Array(String, Vec<(Reading, i64)>),
    Not(Box<Prop>),
    And(Box<Prop>, Box<Prop>),
    Or(Box<Prop>, Box<Prop>),
    Implies(Box<Prop>, Box<Prop>),
}

/// What surrounds a part of a condition when it is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Nothing,
    And,
    Or,
    Implies,
}

/// What a test looks at, and the condition on it.
#[derive(Clone, Debug)]
pub struct Observation {
    slots: Vec<(Slot, u8)>,
    items: Vec<Item>,
    /// Slots that hold the line of an access to no location, if there was one.
    faults: Vec<(usize, ThreadId)>,
    filter: Option<Prop>,
    quantifier: Quantifier,
    condition: Prop,
    addresses: BTreeMap<i64, String>,
}

impl Observation {
    /// Where the numbers of a state are.
    pub fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        self.slots.iter().map(|(slot, _)| *slot)
    }

    /// How the condition is meant.
    pub fn quantifier(&self) -> Quantifier {
        self.quantifier
    }

    /// Whether a state counts at all.
    pub fn passes_filter(&self, values: &[i64]) -> bool {
        self.filter.as_ref().is_none_or(|p| p.holds(values))
    }

    /// Whether a state satisfies the condition, whatever its quantifier.
    pub fn satisfied(&self, values: &[i64]) -> bool {
        self.condition.holds(values)
    }

    /// The thread and the line of an access to no location, if there was one on the way to this state.
    pub fn fault(&self, values: &[i64]) -> Option<(ThreadId, u32)> {
        self.faults.iter().find_map(|&(slot, thread)| match values[slot] {
            0 => None,
            line => Some((thread, line as u32)),
        })
    }

    /// A state as herd prints it.
    pub fn show(&self, values: &[i64]) -> String {
        let addresses = |v: i64| self.addresses.get(&v).cloned();
        let items = self.items.iter().map(|item| {
            let shown: Vec<String> = item.readings.iter().map(|r| r.show(r.of(values), &addresses)).collect();
            match item.array {
                true => format!("{}={{{}}};", item.name, shown.join(",")),
                false => format!("{}={};", item.name, shown.join(",")),
            }
        });
        items.collect::<Vec<_>>().join(" ")
    }

    /// The condition as herd prints it.
    pub fn condition(&self) -> String {
        let word = match self.quantifier {
            Quantifier::Exists => "exists",
            Quantifier::NotExists => "~exists",
            Quantifier::Forall => "forall",
        };
        format!("{word} ({})", self.condition.show(Around::Nothing, &self.addresses))
    }

    /// The condition as an expression; states that the filter drops neither satisfy nor violate it.
    pub fn expr(&self, span: Span) -> Expr {
        let condition = self.condition.expr(&self.slots, span);
        match (&self.filter, self.quantifier) {
            (None, _) => condition,
            (Some(filter), Quantifier::Exists | Quantifier::NotExists) => {
                binary(BinaryOp::And, filter.expr(&self.slots, span), condition)
            }
            (Some(filter), Quantifier::Forall) => {
                binary(BinaryOp::Or, not(filter.expr(&self.slots, span)), condition)
            }
        }
    }

    /// An expression that is true when some access had no location.
    pub fn fault_expr(&self, span: Span) -> Option<Expr> {
        let faults = self.faults.iter().map(|&(slot, _)| {
            let Slot::Register(thread, local) = self.slots[slot].0 else { panic!("faults are locals") };
            let place = simple(VarRef::Observed(thread, local), span);
            with_number(BinaryOp::Ne, read(place, unsigned(32)), 0)
        });
        faults.reduce(|left, right| binary(BinaryOp::Or, left, right))
    }
}

impl Prop {
    fn holds(&self, values: &[i64]) -> bool {
        match self {
            Prop::True => true,
            Prop::False => false,
            Prop::Constant(_, reading, constant, _) => reading.of(values) == *constant,
            Prop::Same(_, left, _, right) => left.of(values) == right.of(values),
            Prop::Array(_, elements) => elements.iter().all(|(r, c)| r.of(values) == *c),
            Prop::Not(p) => !p.holds(values),
            Prop::And(p, q) => p.holds(values) && q.holds(values),
            Prop::Or(p, q) => p.holds(values) || q.holds(values),
            Prop::Implies(p, q) => !p.holds(values) || q.holds(values),
        }
    }

    fn expr(&self, slots: &[(Slot, u8)], span: Span) -> Expr {
        let equal =
            |reading: &Reading, constant: i64| with_number(BinaryOp::Eq, reading.expr(slots, span), constant);
        let truth = |value: i64| number(value, Scalar::Bool, span);
        match self {
            Prop::True => truth(1),
            Prop::False => truth(0),
            Prop::Constant(_, reading, constant, _) => equal(reading, *constant),
            Prop::Same(_, left, _, right) => {
                binary(BinaryOp::Eq, left.expr(slots, span), right.expr(slots, span))
            }
            Prop::Array(_, elements) => {
                let all = elements.iter().map(|(r, c)| equal(r, *c));
                all.reduce(|l, r| binary(BinaryOp::And, l, r)).unwrap_or_else(|| truth(1))
            }
            Prop::Not(p) => {
                let kind = ExprKind::Unary(UnaryOp::Not, Box::new(p.expr(slots, span)));
                Expr { kind, ty: Scalar::Bool, span }
            }
            Prop::And(p, q) => binary(BinaryOp::And, p.expr(slots, span), q.expr(slots, span)),
            Prop::Or(p, q) => binary(BinaryOp::Or, p.expr(slots, span), q.expr(slots, span)),
            Prop::Implies(p, q) => binary(BinaryOp::Or, not(p.expr(slots, span)), q.expr(slots, span)),
        }
    }

    /// herd's text: as few parentheses as its own reader needs, but always some behind `not`.
    fn show(&self, around: Around, addresses: &BTreeMap<i64, String>) -> String {
        let constant = |value: &i64| addresses.get(value).cloned().unwrap_or_else(|| value.to_string());
        let joined = |p: &Prop, word: &str, q: &Prop, here: Around, bare: &[Around]| {
            let text = format!("{} {word} {}", p.show(here, addresses), q.show(here, addresses));
            if around == Around::Nothing || bare.contains(&around) { text } else { format!("({text})") }
        };
        match self {
            Prop::True => "true".to_string(),
            Prop::False => "false".to_string(),
            Prop::Constant(name, _, _, written) => format!("{name}={written}"),
            Prop::Same(left, _, right, _) => format!("{left}={right}"),
            Prop::Array(name, elements) => {
                let values: Vec<String> = elements.iter().map(|(_, c)| constant(c)).collect();
                format!("{name}={{{}}}", values.join(","))
            }
            Prop::Not(p) => format!("not ({})", p.show(Around::Nothing, addresses)),
            Prop::And(p, q) => joined(p, "/\\", q, Around::And, &[Around::And, Around::Or]),
            Prop::Or(p, q) => joined(p, "\\/", q, Around::Or, &[Around::Or]),
            Prop::Implies(p, q) => joined(p, "=>", q, Around::Implies, &[Around::Implies]),
        }
    }
}

/// What a location of a condition is called and how it is read.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Key {
    Register(u32, BaseRegister),
    Array(String),
    Cell(String, u32),
}

/// Finds the slots of a test.
pub struct Observer<'a> {
    file: &'a File,
    layout: &'a Layout,
    /// The local of each thread's registers.
    register: &'a dyn Fn(usize, BaseRegister) -> LocalId,
    slots: Vec<(Slot, u8)>,
    items: BTreeMap<Key, Item>,
}

impl<'a> Observer<'a> {
    /// `register` gives the local that holds a register of the thread in that column.
    pub fn new(
        file: &'a File,
        layout: &'a Layout,
        register: &'a dyn Fn(usize, BaseRegister) -> LocalId,
    ) -> Observer<'a> {
        Observer { file, layout, register, slots: Vec::new(), items: BTreeMap::new() }
    }

    /// Everything that the test's tail says; `faults` are the locals of lines of wrong accesses.
    pub fn finish(mut self, faults: &[(ThreadId, LocalId)]) -> Result<Observation> {
        let tail = &self.file.tail;
        for location in &tail.locations {
            self.item(location)?;
        }
        let filter = match &tail.filter {
            Some(filter) => Some(self.prop(filter)?),
            None => None,
        };
        let condition = self.prop(&tail.condition)?;
        // What only the filter looks at is not printed.
        let mut shown = self.items;
        if filter.is_some() {
            let mut wanted = Vec::new();
            tail.locations.iter().for_each(|l| wanted.push(l.clone()));
            tail.condition.visit(&mut |left, right| {
                wanted.push(left.clone());
                if let Side::Location(right) = right {
                    wanted.push(right.clone());
                }
            });
            let keys: Vec<Key> = wanted.iter().filter_map(|l| key(self.file, self.layout, l)).collect();
            shown.retain(|key, _| keys.contains(key));
        }
        let faults = faults.iter().map(|&(thread, local)| {
            self.slots.push((Slot::Register(thread, local), 32));
            (self.slots.len() - 1, thread)
        });
        let faults = faults.collect();
        let cells = self
            .layout
            .places
            .iter()
            .enumerate()
            .flat_map(|(i, p)| (0..p.init.len() as u32).map(move |c| (i, c)));
        let name = |cell: CellRef| {
            let address = self.layout.address(cell);
            (address, self.layout.show_address(address).expect("a cell has an address"))
        };
        Ok(Observation {
            addresses: cells.map(name).collect(),
            slots: self.slots,
            items: shown.into_values().collect(),
            faults,
            filter,
            quantifier: tail.quantifier,
            condition,
        })
    }

    fn slot(&mut self, slot: Slot, bits: u8) -> usize {
        match self.slots.iter().position(|(s, _)| *s == slot) {
            Some(i) => i,
            None => {
                self.slots.push((slot, bits));
                self.slots.len() - 1
            }
        }
    }

    /// The type that the init block gives a register.
    fn register_type(&self, thread: u32, base: BaseRegister) -> Option<IntType> {
        let declared = self.file.init.iter().find_map(|item| match &item.location {
            Location::Register { thread: t, name } if *t == thread => {
                let register = Register::parse(self.file.arch, &name.text)?;
                (register.base == base).then_some(item.ty)
            }
            _ => None,
        });
        declared.and_then(|ty| int_type(ty, self.layout.word))
    }

    fn register_reading(&mut self, thread: u32, name: &ast::Name) -> Result<(Register, Reading)> {
        let column = self.file.columns.iter().position(|c| c.thread == thread);
        let Some(column) = column else {
            return Err(Diagnostic::new(name.span, format!("there is no thread P{thread}")));
        };
        let Some(register) = Register::parse(self.file.arch, &name.text) else {
            return Err(Diagnostic::new(name.span, format!("`{}` is no register", name.text)));
        };
        let local = (self.register)(column, register.base);
        let slot = self.slot(Slot::Register(ThreadId(column), local), 64);
        let ty = self.register_type(thread, register.base);
        let bits = register.width().bits();
        let shift = if register.part == Part::High { 8 } else { 0 };
        Ok((register, Reading { slot, shift, bits, above: 0, ty, whole: bits, element: Element::No }))
    }

    fn cell_reading(&mut self, (place, cell): CellRef) -> Reading {
        let location = &self.layout.places[place];
        let bits = location.cell.bits();
        let (above, ty) = (location.above(cell, self.layout.word), int_type(location.ty, self.layout.word));
        let element = if location.elements.is_some() { Element::Yes } else { Element::No };
        let whole = location.bits(self.layout.word);
        let slot = self.slot(Slot::Cell(SharedId(place), cell), bits);
        Reading { slot, shift: 0, bits, above, ty, whole, element }
    }

    /// Adds a location to what is printed; gives its name and readings.
    fn item(&mut self, location: &Location) -> Result<(String, Vec<Reading>, bool)> {
        let (name, readings, array) = match location {
            Location::Register { thread, name } => {
                let (register, reading) = self.register_reading(*thread, name)?;
                (format!("{thread}:{}", register.name(self.file.arch)), vec![reading], false)
            }
            Location::Memory(name) => {
                let place = self.layout.find(&name.text);
                let cells = self.layout.places[place].init.len() as u32;
                let readings = (0..cells).map(|c| self.cell_reading((place, c))).collect();
                let array = self.layout.places[place].elements.is_some();
                (if array { name.text.clone() } else { format!("[{}]", name.text) }, readings, array)
            }
            Location::Element(name, index) => {
                let place = self.layout.find(&name.text);
                let location = &self.layout.places[place];
                match location.elements {
                    Some(n) if *index < n => {}
                    Some(n) => {
                        let message = format!("`{}` has {n} elements, counted from 0", name.text);
                        return Err(Diagnostic::new(name.span, message));
                    }
                    None => {
                        return Err(Diagnostic::new(name.span, format!("`{}` is no array", name.text))
                            .help("an array is declared in the init block, as in `int64_t t[2];`"));
                    }
                }
                (format!("{}[{index}]", name.text), vec![self.cell_reading((place, *index))], false)
            }
        };
        let key = key(self.file, self.layout, location).expect("what has a reading has a key");
        let item = Item { name: name.clone(), readings: readings.clone(), array };
        // Of a register's names the widest is printed.
        match self.items.entry(key) {
            std::collections::btree_map::Entry::Vacant(entry) => {
                entry.insert(item);
            }
            std::collections::btree_map::Entry::Occupied(mut entry) => {
                if item.readings[0].bits > entry.get().readings[0].bits {
                    entry.insert(item);
                }
            }
        }
        Ok((name, readings, array))
    }

    fn prop(&mut self, prop: &ast::Prop) -> Result<Prop> {
        Ok(match prop {
            ast::Prop::True => Prop::True,
            ast::Prop::False => Prop::False,
            ast::Prop::Not(p) => Prop::Not(self.prop(p)?.into()),
            ast::Prop::And(p, q) => Prop::And(self.prop(p)?.into(), self.prop(q)?.into()),
            ast::Prop::Or(p, q) => Prop::Or(self.prop(p)?.into(), self.prop(q)?.into()),
            ast::Prop::Implies(p, q) => Prop::Implies(self.prop(p)?.into(), self.prop(q)?.into()),
            ast::Prop::Equal(left, right, span) => self.comparison(left, right, *span)?,
        })
    }

    fn comparison(&mut self, left: &Location, right: &Side, span: Span) -> Result<Prop> {
        let (name, readings, array) = self.item(left)?;
        match right {
            Side::Values(values) => {
                if !array || values.len() != readings.len() {
                    let message =
                        format!("{} values for `{name}`, which has {}", values.len(), readings.len());
                    return Err(Diagnostic::new(span, message));
                }
                let constants: Result<Vec<(Reading, i64)>> = readings
                    .iter()
                    .zip(values)
                    .map(|(r, (c, span))| Ok((*r, r.constant(self.layout.constant(c, *span)?))))
                    .collect();
                Ok(Prop::Array(name, constants?))
            }
            _ if array => {
                let message = format!("`{name}` is an array");
                Err(Diagnostic::new(span, message)
                    .help("compare an element, as in `t[0]=1`, or all: `t={1,2}`"))
            }
            Side::Location(right) => {
                let (other, right, right_is_array) = self.item(right)?;
                if right_is_array {
                    return Err(Diagnostic::new(span, format!("`{other}` is an array")));
                }
                Ok(Prop::Same(name, readings[0], other, right[0]))
            }
            Side::Constant(constant) => {
                let value = self.layout.constant(constant, span)?;
                let written = match constant {
                    Constant::Number(n) => n.to_string(),
                    Constant::Address { .. } => {
                        self.layout.show_address(value).unwrap_or_else(|| value.to_string())
                    }
                };
                Ok(Prop::Constant(name, readings[0], readings[0].constant(value), written))
            }
        }
    }
}

fn key(file: &File, layout: &Layout, location: &Location) -> Option<Key> {
    Some(match location {
        Location::Register { thread, name } => {
            Key::Register(*thread, Register::parse(file.arch, &name.text)?.base)
        }
        Location::Memory(name) if layout.places[layout.find(&name.text)].elements.is_some() => {
            Key::Array(name.text.clone())
        }
        Location::Memory(name) => Key::Cell(name.text.clone(), 0),
        Location::Element(name, index) => Key::Cell(name.text.clone(), *index),
    })
}

fn int_type(ty: Declared, word: Width) -> Option<IntType> {
    match ty {
        Declared::Default => None,
        Declared::Int { bits, signed } => Some(IntType { bits, signed }),
        Declared::Pointer => Some(IntType { bits: word.bits(), signed: false }),
    }
}

/// The registers that a test's tail names, with their threads.
pub fn named_registers(file: &File) -> Vec<(u32, BaseRegister)> {
    let mut named = Vec::new();
    let mut add = |location: &Location| {
        if let Location::Register { thread, name } = location
            && let Some(register) = Register::parse(file.arch, &name.text)
        {
            named.push((*thread, register.base));
        }
    };
    file.tail.locations.iter().for_each(&mut add);
    for prop in file.tail.filter.iter().chain([&file.tail.condition]) {
        prop.visit(&mut |left, right| {
            add(left);
            if let Side::Location(right) = right {
                add(right);
            }
        });
    }
    named
}
