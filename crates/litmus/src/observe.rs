//! What a test looks at when all threads have ended, how states and conditions are printed, and when a
//! state satisfies a condition.
//!
//! A final state is a list of numbers, one for each [`Slot`]. What is printed and compared is the number
//! in the type that the init block declares: unsigned types print without sign. Without a type it is what
//! C calls an `int`, as herd has it; a number that needs more than 32 bits is shown whole.
//!
//! Registers come first, by thread, then memory by name, as herd prints them.

use super::ast::{self, Constant, Declared, Location, Relation, Side, Tail, Width};
use super::expression::*;
use super::layout::{CellRef, Holds, Layout};
use super::reading::{Element, MAX_PIECES, Reading};
use fencepost_ir::tree::{
    BinaryOp, Expr, ExprKind, LocalId, Quantifier, SharedId, ThreadId, UnaryOp, VarRef,
};
use fencepost_ir::{IntType, Scalar, Span};
use fencepost_text::Diagnostic;
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
    Constant(Relation, String, Reading, i64, String),
    Both(Relation, String, Reading, String, Reading),
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
    slots: Vec<(Slot, Scalar)>,
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

    /// The same with their types in the program.
    pub(crate) fn typed_slots(&self) -> impl Iterator<Item = (Slot, Scalar)> + '_ {
        self.slots.iter().copied()
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
        let items = self.items.iter().map(|item| {
            let shown: Vec<String> =
                item.readings.iter().map(|r| r.show(r.of(values), &self.addresses)).collect();
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
            Prop::Constant(relation, _, reading, constant, _) => {
                relation.holds(reading.meaning(reading.of(values)), reading.meaning(*constant))
            }
            Prop::Both(Relation::Equal, _, left, _, right) => left.of(values) == right.of(values),
            Prop::Both(relation, _, left, _, right) => {
                relation.holds(left.meaning(left.of(values)), right.meaning(right.of(values)))
            }
            Prop::Array(_, elements) => elements.iter().all(|(r, c)| r.of(values) == *c),
            Prop::Not(p) => !p.holds(values),
            Prop::And(p, q) => p.holds(values) && q.holds(values),
            Prop::Or(p, q) => p.holds(values) || q.holds(values),
            Prop::Implies(p, q) => !p.holds(values) || q.holds(values),
        }
    }

    fn expr(&self, slots: &[(Slot, Scalar)], span: Span) -> Expr {
        let equal =
            |reading: &Reading, constant: i64| with_number(BinaryOp::Eq, reading.expr(slots, span), constant);
        let truth = |value: i64| number(value, Scalar::Bool, span);
        match self {
            Prop::True => truth(1),
            Prop::False => truth(0),
            Prop::Constant(relation, _, reading, constant, _) => {
                let value = reading.compared(slots, span);
                let constant = number(*constant, value.ty, span);
                binary(operator(*relation), value, constant)
            }
            Prop::Both(Relation::Equal, _, left, _, right) => {
                binary(BinaryOp::Eq, left.expr(slots, span), right.expr(slots, span))
            }
            Prop::Both(relation, _, left, _, right) => {
                binary(operator(*relation), left.compared(slots, span), right.compared(slots, span))
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

    /// herd's text: as few parentheses as its own reader needs, but always some after `not`.
    fn show(&self, around: Around, addresses: &BTreeMap<i64, String>) -> String {
        let joined = |p: &Prop, word: &str, q: &Prop, here: Around, bare: &[Around]| {
            let text = format!("{} {word} {}", p.show(here, addresses), q.show(here, addresses));
            if around == Around::Nothing || bare.contains(&around) { text } else { format!("({text})") }
        };
        match self {
            Prop::True => "true".to_string(),
            Prop::False => "false".to_string(),
            Prop::Constant(relation, name, _, _, written) => format!("{name}{}{written}", relation.symbol()),
            Prop::Both(relation, left, _, right, _) => format!("{left}{}{right}", relation.symbol()),
            Prop::Array(name, elements) => {
                let values: Vec<String> = elements.iter().map(|(r, c)| r.show(*c, addresses)).collect();
                format!("{name}={{{}}}", values.join(","))
            }
            Prop::Not(p) => format!("not ({})", p.show(Around::Nothing, addresses)),
            Prop::And(p, q) => joined(p, "/\\", q, Around::And, &[Around::And, Around::Or]),
            Prop::Or(p, q) => joined(p, "\\/", q, Around::Or, &[Around::Or]),
            Prop::Implies(p, q) => joined(p, "=>", q, Around::Implies, &[Around::Implies]),
        }
    }
}

/// A register as a test's tail names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedRegister {
    /// Where it is.
    pub thread: ThreadId,
    /// The local that holds it, and that local's type.
    pub local: LocalId,
    /// The local's type.
    pub scalar: Scalar,
    /// Registers of a thread are printed by this, then by name.
    pub order: u8,
    /// Registers that are parts of one have one order and one entry.
    pub entry: String,
    /// As it is printed.
    pub name: String,
    /// The bits that are meant.
    pub shift: u8,
    /// How many of them.
    pub bits: u8,
    /// The type that the test gives it.
    pub ty: Option<IntType>,
    /// What values it has.
    pub holds: Holds,
}

/// Finds a register of a thread by its name.
pub type FindRegister<'a> = dyn Fn(u32, &ast::Name) -> Result<NamedRegister> + 'a;

/// What is printed where.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Key {
    Register(u32, u8, String),
    Array(String),
    Cell(String, u32),
}

/// Finds the slots of a test.
pub struct Observer<'a> {
    tail: &'a Tail,
    layout: &'a Layout,
    register: &'a FindRegister<'a>,
    slots: Vec<(Slot, Scalar)>,
    items: BTreeMap<Key, Item>,
}

impl<'a> Observer<'a> {
    /// For the tail of a test.
    pub fn new(tail: &'a Tail, layout: &'a Layout, register: &'a FindRegister<'a>) -> Observer<'a> {
        Observer { tail, layout, register, slots: Vec::new(), items: BTreeMap::new() }
    }

    /// Everything that the test's tail says; `faults` are the locals of lines of wrong accesses.
    pub fn finish(mut self, faults: &[(ThreadId, LocalId)]) -> Result<Observation> {
        let tail = self.tail;
        // What only the filter looks at is not printed, so it comes last.
        for location in &tail.locations {
            self.item(location)?;
        }
        let condition = self.prop(&tail.condition)?;
        let shown = self.items.clone();
        let filter = match &tail.filter {
            Some(filter) => Some(self.prop(filter)?),
            None => None,
        };
        let faults = faults.iter().map(|&(thread, local)| {
            self.slots.push((Slot::Register(thread, local), unsigned(32)));
            (self.slots.len() - 1, thread)
        });
        let faults = faults.collect();
        let cells = (0..self.layout.places.len()).flat_map(|i| self.layout.cells(i));
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

    fn slot(&mut self, slot: Slot, ty: Scalar) -> usize {
        match self.slots.iter().position(|(s, _)| *s == slot) {
            Some(i) => i,
            None => {
                self.slots.push((slot, ty));
                self.slots.len() - 1
            }
        }
    }

    /// The value of an element, or of the whole location if it is not an array.
    fn cell_reading(&mut self, place: usize, index: u32) -> Reading {
        let (location, word) = (&self.layout.places[place], self.layout.word);
        let bits = location.cell.bits();
        let offset = index * location.element_bytes(word) as u32;
        let (above, ty) = (location.above(offset, word), int_type(location.ty, word));
        let element = if location.elements.is_some() { Element::Yes } else { Element::No };
        let whole = location.bits(word);
        let mut pieces = [0; MAX_PIECES];
        if !location.pieces.is_empty() {
            let bytes = if location.elements.is_some() {
                location.element_bytes(word) as u32
            } else {
                whole as u32 / 8
            };
            let row = location.row(offset, bytes).expect("elements and whole locations are rows of pieces");
            let first = row.start;
            let mut slots = Vec::new();
            for (i, piece) in row.clone().zip(&location.pieces[row]) {
                pieces[i - first] = piece.bits;
                slots.push(self.slot(Slot::Cell(SharedId(place), i as u32), unsigned(piece.bits)));
            }
            return Reading {
                slot: slots[0],
                shift: 0,
                bits: whole,
                above: 0,
                ty,
                holds: location.holds,
                whole,
                element: Element::Piece,
                pieces,
            };
        }
        let holds = location.holds;
        let scalar = location.scalar.unwrap_or(unsigned(bits));
        let slot = self.slot(Slot::Cell(SharedId(place), index), scalar);
        Reading { slot, shift: 0, bits, above, ty, holds, whole, element, pieces }
    }

    /// A location that conditions can look at.
    fn observed(&self, name: &ast::Name) -> Result<usize> {
        let place = self.layout.find(&name.text);
        match self.layout.places[place].holds {
            Holds::Words | Holds::Numbers | Holds::Addresses => Ok(place),
            Holds::Other => Err(Diagnostic::new(
                name.span,
                format!("conditions look at numbers and addresses, and `{}` is neither", name.text),
            )),
        }
    }

    /// Adds a location to what is printed; gives its name and readings.
    fn item(&mut self, location: &Location) -> Result<(String, Vec<Reading>, bool)> {
        let (key, name, readings, array) = match location {
            Location::Register { thread, name } => {
                let found = (self.register)(*thread, name)?;
                let slot = self.slot(Slot::Register(found.thread, found.local), found.scalar);
                let NamedRegister { shift, bits, ty, holds, .. } = found;
                let (element, pieces) = (Element::No, [0; MAX_PIECES]);
                let reading =
                    Reading { slot, shift, bits, above: 0, ty, holds, whole: bits, element, pieces };
                let key = Key::Register(*thread, found.order, found.entry);
                (key, format!("{thread}:{}", found.name), vec![reading], false)
            }
            Location::Memory(name) => {
                let place = self.observed(name)?;
                let cells = self.layout.places[place].init.len() as u32;
                let readings = (0..cells).map(|c| self.cell_reading(place, c)).collect();
                match self.layout.places[place].elements {
                    Some(_) => (Key::Array(name.text.clone()), name.text.clone(), readings, true),
                    None => (Key::Cell(name.text.clone(), 0), format!("[{}]", name.text), readings, false),
                }
            }
            Location::Element(name, index) => {
                let place = self.observed(name)?;
                self.layout.check_index(name, *index)?;
                let reading = self.cell_reading(place, *index);
                let key = Key::Cell(name.text.clone(), *index);
                (key, format!("{}[{index}]", name.text), vec![reading], false)
            }
        };
        let item = Item { name: name.clone(), readings: readings.clone(), array };
        // Of a register's names the widest is printed.
        let known = self.items.entry(key).or_insert_with(|| item.clone());
        if item.readings[0].bits > known.readings[0].bits {
            *known = item;
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
            ast::Prop::Compare(relation, left, right, span) => {
                self.comparison(*relation, left, right, *span)?
            }
        })
    }

    fn comparison(&mut self, relation: Relation, left: &Location, right: &Side, span: Span) -> Result<Prop> {
        let (name, readings, array) = self.item(left)?;
        right_fits(right, &name, readings[0], relation, span)?;
        match right {
            Side::Values(_) if relation != Relation::Equal => {
                Err(Diagnostic::new(span, "arrays are compared with `=` and `!=` only"))
            }
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
                if relation != Relation::Equal && readings[0].is_u64() != right[0].is_u64() {
                    let message = format!("`{name}` and `{other}` are a `uint64_t` and a signed number");
                    return Err(Diagnostic::new(span, message).help("give both one type in the init block"));
                }
                Ok(Prop::Both(relation, name, readings[0], other, right[0]))
            }
            Side::Constant(constant) => {
                let value = self.layout.constant(constant, span)?;
                let written = match constant {
                    Constant::Number(n) => n.to_string(),
                    Constant::Address { .. } => {
                        self.layout.show_address(value).unwrap_or_else(|| value.to_string())
                    }
                };
                Ok(Prop::Constant(relation, name, readings[0], readings[0].constant(value), written))
            }
        }
    }
}

/// Refuses to compare a number with an address, or to ask which of two addresses is smaller.
fn right_fits(right: &Side, name: &str, left: Reading, relation: Relation, span: Span) -> Result<()> {
    let is_address = |constant: &Constant| matches!(constant, Constant::Address { .. });
    let has_address = match right {
        Side::Constant(constant) => is_address(constant),
        Side::Values(values) => values.iter().any(|(constant, _)| is_address(constant)),
        Side::Location(_) => false,
    };
    match left.holds {
        Holds::Numbers if has_address => {
            let message = format!("`{name}` is a number, not an address");
            Err(Diagnostic::new(span, message).help("`[x]` is what `x` holds"))
        }
        Holds::Addresses if relation != Relation::Equal => {
            Err(Diagnostic::new(span, "addresses are compared with `=` and `!=` only"))
        }
        Holds::Words | Holds::Numbers | Holds::Addresses | Holds::Other => Ok(()),
    }
}

fn operator(relation: Relation) -> BinaryOp {
    match relation {
        Relation::Equal => BinaryOp::Eq,
        Relation::Less => BinaryOp::Lt,
        Relation::LessEqual => BinaryOp::Le,
        Relation::Greater => BinaryOp::Gt,
        Relation::GreaterEqual => BinaryOp::Ge,
    }
}

/// The type that a declaration gives.
pub fn int_type(ty: Declared, word: Width) -> Option<IntType> {
    match ty {
        Declared::Default => None,
        Declared::Int { bits, signed } => Some(IntType { bits, signed }),
        Declared::Pointer => Some(IntType { bits: word.bits(), signed: false }),
    }
}
