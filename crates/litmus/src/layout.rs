//! Which locations a test has, how wide they are and where they lie.
//!
//! An address is a number, so that arithmetic on it is arithmetic: locations lie one after the other
//! from [`FIRST_ADDRESS`] on, far from the numbers that tests use, with room between them. The number
//! fits 31 bits, so that no width and no sign changes it.
//!
//! One location is one memory cell, an array one cell for each element. A cell is as wide as the stores
//! to it. Loads may be narrower (they see a part of the cell) or wider (bytes that no store reaches keep what
//! they were). That is exact: every store replaces its whole cell. Where stores have several widths or an access
//! begins inside a cell, the location is cut into several cells ([`super::pieces`]).

use super::ast::*;
use super::operands::operands;
use super::pieces::{self, Piece};
use fencepost_ir::tree::Type;
use fencepost_ir::{IntType, Scalar, Span, pointer};
use fencepost_text::Diagnostic;
use std::collections::{BTreeSet, HashMap};

type Result<T> = std::result::Result<T, Diagnostic>;

/// Where the first location lies.
const FIRST_ADDRESS: i64 = 0x7ead_0000;

/// Locations begin at multiples of this.
const ALIGNMENT: i64 = 0x100;

/// A location.
#[derive(Clone, Debug)]
pub struct Place {
    pub name: String,
    pub span: Span,
    pub ty: Declared,
    /// Elements, if it is an array.
    pub elements: Option<u32>,
    /// Bits of a cell.
    pub cell: Width,
    /// What it is cut into, if it is accessed in several sizes.
    pub pieces: Vec<Piece>,
    /// Initial values of the cells, all their declared bits.
    pub init: Vec<i64>,
    pub address: i64,
    /// Whether its address is used as a value.
    pub escapes: bool,
    /// The type of its cells in the program; an unsigned one of their width where nothing else is said.
    pub scalar: Option<Scalar>,
    /// What values it has.
    pub holds: Holds,
    /// What accesses that say their width say: stores, if any do, else loads.
    hint: Option<(Role, Width)>,
}

/// What values a location or register has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holds {
    /// Machine words: numbers, some of which are addresses.
    Words,
    Numbers,
    Addresses,
    /// What conditions cannot look at.
    Other,
}

/// A scalar that conditions look at, the type that its values are shown in, and what they are.
pub fn shown(scalar: Scalar) -> Option<(Scalar, IntType, Holds)> {
    let unsigned = |bits| IntType { bits, signed: false };
    match scalar {
        Scalar::Int(int) => Some((scalar, int, Holds::Numbers)),
        Scalar::Bool => Some((scalar, unsigned(8), Holds::Numbers)),
        Scalar::Pointer { .. } => Some((scalar, unsigned(64), Holds::Addresses)),
        Scalar::Integer | Scalar::Range { .. } | Scalar::Mutex | Scalar::Thread => None,
    }
}

/// How an access that says its width speaks for those that do not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
enum Role {
    Load,
    Store,
}

impl Place {
    /// Takes over the type that its variable has in the program.
    pub fn is_of(&mut self, ty: &Type) {
        let (element, elements) = match ty {
            Type::Array(element, n) => (element.as_scalar(), Some(*n)),
            Type::Scalar(_) | Type::Record(_) => (ty.as_scalar(), None),
        };
        let Some((scalar, int, holds)) = element.and_then(shown) else {
            self.holds = Holds::Other;
            return;
        };
        (self.scalar, self.holds) = (Some(scalar), holds);
        self.ty = Declared::Int { bits: int.bits, signed: int.signed };
        self.cell = Width::of_bits(int.bits);
        self.elements = elements;
        self.init.resize(elements.unwrap_or(1) as usize, 0);
    }

    /// Bits that a value of it has: those of its type, or of its cell.
    pub fn bits(&self, word: Width) -> u8 {
        if self.elements.is_none() && !self.pieces.is_empty() {
            return self.pieces.iter().map(|p| p.bits).sum();
        }
        declared_bits(self.ty, word).unwrap_or(self.cell.bits()).max(self.cell.bits())
    }

    /// What the bits above the cell at a byte hold forever.
    pub fn above(&self, offset: u32, word: Width) -> i64 {
        let value = truncate(self.init[self.index(offset, word) as usize], self.bits(word));
        value & !truncate(-1, self.cell.bits())
    }

    /// The element at a byte.
    pub fn index(&self, offset: u32, word: Width) -> u32 {
        if self.elements.is_some() { offset / self.element_bytes(word) as u32 } else { 0 }
    }

    /// Bytes that belong to it: those of its type, or what the widest access takes.
    fn bytes(&self, word: Width) -> i64 {
        match (self.elements, declared_bits(self.ty, word)) {
            (None, None) => 8,
            _ => self.element_bytes(word) * self.init.len() as i64,
        }
    }

    pub fn element_bytes(&self, word: Width) -> i64 {
        i64::from(declared_bits(self.ty, word).unwrap_or(32)) / 8
    }
}

/// The lowest bits of a value.
pub fn truncate(value: i64, bits: u8) -> i64 {
    if bits >= 64 { value } else { value & ((1i64 << bits) - 1) }
}

pub fn declared_bits(ty: Declared, word: Width) -> Option<u8> {
    match ty {
        Declared::Default => None,
        Declared::Int { bits, .. } => Some(bits),
        Declared::Pointer => Some(word.bits()),
    }
}

/// A location, and a byte of it where a cell begins.
pub type CellRef = (usize, u32);

/// Where an instruction accesses memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// Always this cell.
    Cell(CellRef),
    /// Where its registers point.
    Computed,
}

/// All locations.
pub struct Layout {
    pub places: Vec<Place>,
    pub word: Width,
    by_name: HashMap<String, usize>,
}

impl Layout {
    /// The locations of a test that its init block, its code (of x86) and its tail name, and those of
    /// `named`. Cells get their widths by [`Layout::set_widths`].
    pub fn new(
        word: Width,
        init: &[Init],
        named: &[Name],
        columns: &[Column],
        tail: &Tail,
    ) -> Result<Layout> {
        let mut layout = Layout { places: Vec::new(), word, by_name: HashMap::new() };
        let mut declared = BTreeSet::new();
        for item in init {
            let Location::Memory(name) = &item.location else { continue };
            let i = layout.add(name);
            if !declared.insert(i) {
                return Err(Diagnostic::new(name.span, format!("`{}` is initialised twice", name.text)));
            }
            let place = &mut layout.places[i];
            (place.ty, place.elements) = (item.ty, item.elements);
            place.init = vec![0; item.elements.unwrap_or(1) as usize];
            if item.elements == Some(0) {
                return Err(Diagnostic::new(name.span, format!("the array `{}` has no elements", name.text)));
            }
        }
        named.iter().for_each(|name| {
            layout.add(name);
        });
        layout.add_used(init, columns, tail);
        let mut address = FIRST_ADDRESS;
        for place in &mut layout.places {
            place.address = address;
            let bytes = place.element_bytes(layout.word).max(8) * place.init.len() as i64;
            address += (bytes / ALIGNMENT + 1) * ALIGNMENT;
            if address > i32::MAX.into() {
                return Err(Diagnostic::new(place.span, "too many locations"));
            }
        }
        for item in init {
            let Location::Memory(name) = &item.location else { continue };
            let i = layout.by_name[&name.text];
            for (cell, (value, span)) in item.values.iter().enumerate() {
                let value = layout.constant(value, *span)?;
                if let Some(init) = layout.places[i].init.get_mut(cell) {
                    *init = value;
                }
            }
        }
        Ok(layout)
    }

    fn add(&mut self, name: &Name) -> usize {
        let next = self.places.len();
        let i = *self.by_name.entry(name.text.clone()).or_insert(next);
        if i == next {
            self.places.push(Place {
                name: name.text.clone(),
                span: name.span,
                ty: Declared::Default,
                elements: None,
                cell: Width::Long,
                pieces: Vec::new(),
                init: vec![0],
                address: 0,
                escapes: false,
                scalar: None,
                holds: Holds::Words,
                hint: None,
            });
        }
        i
    }

    /// Undeclared locations are 0 at first.
    fn add_used(&mut self, init: &[Init], columns: &[Column], tail: &Tail) {
        for item in init {
            item.values.iter().for_each(|(c, _)| self.add_constant(c));
        }
        for line in columns.iter().flat_map(|c| &c.lines) {
            let Line::Instr(instr) = line else { continue };
            for operand in operands(&instr.kind) {
                match operand {
                    Operand::Immediate(constant) => self.add_constant(constant),
                    Operand::Memory(Memory { symbol: Some(name), base, index, .. }) => {
                        let i = self.add(name);
                        self.places[i].escapes |= base.is_some() || index.is_some();
                    }
                    Operand::Memory(_) | Operand::Register(_) => {}
                }
            }
            if let InstrKind::Lea { address: Memory { symbol: Some(name), .. }, .. } = &instr.kind {
                let i = self.add(name);
                self.places[i].escapes = true;
            }
        }
        for location in &tail.locations {
            self.add_location(location);
        }
        for prop in tail.filter.iter().chain([&tail.condition]) {
            prop.visit(&mut |left, right| {
                self.add_location(left);
                match right {
                    Side::Location(location) => self.add_location(location),
                    Side::Constant(constant) => self.add_constant(constant),
                    Side::Values(values) => values.iter().for_each(|(c, _)| self.add_constant(c)),
                }
            });
        }
    }

    fn add_location(&mut self, location: &Location) {
        match location {
            Location::Memory(name) | Location::Element(name, _) => {
                self.add(name);
            }
            Location::Register { .. } => {}
        }
    }

    fn add_constant(&mut self, constant: &Constant) {
        if let Constant::Address { name, .. } = constant {
            let i = self.add(name);
            self.places[i].escapes = true;
        }
    }

    /// Lets addresses be the program's own pointers to the locations, which are its first variables.
    pub fn number_objects(&mut self) {
        for (i, place) in self.places.iter_mut().enumerate() {
            place.address = pointer::to_object(i as u32, 0);
        }
    }

    /// The location of a name.
    pub fn find(&self, name: &str) -> usize {
        self.by_name[name]
    }

    /// Refuses an index that the location does not have.
    pub fn check_index(&self, name: &Name, index: u32) -> Result<()> {
        match self.places[self.find(&name.text)].elements {
            Some(n) if index < n => Ok(()),
            Some(n) => {
                let message = format!("`{}` has {n} elements, counted from 0", name.text);
                Err(Diagnostic::new(name.span, message))
            }
            None => Err(Diagnostic::new(name.span, format!("`{}` is no array", name.text))
                .help("an array is declared in the init block, as in `int64_t t[2];`")),
        }
    }

    /// The number that a constant is.
    pub fn constant(&self, constant: &Constant, span: Span) -> Result<i64> {
        match constant {
            // Unsigned numbers keep their bits.
            Constant::Number(n) => Ok(*n as i64),
            Constant::Address { name, bytes, elements } => {
                let place = &self.places[self.find(&name.text)];
                let offset = bytes + elements * place.element_bytes(self.word);
                if offset != 0 && self.cell_at(place.address + offset).is_none() {
                    let message = format!("`{}` has no such element", name.text);
                    return Err(Diagnostic::new(span, message));
                }
                Ok(place.address + offset)
            }
        }
    }

    /// The location and the byte of it at an address.
    pub fn cell_at(&self, address: i64) -> Option<CellRef> {
        // Addresses are given out in the order of the places.
        let i = self.places.partition_point(|place| place.address <= address).checked_sub(1)?;
        let place = &self.places[i];
        let offset = address - place.address;
        (offset < place.bytes(self.word)).then_some((i, offset as u32))
    }

    /// The address of a cell.
    pub fn address(&self, (place, offset): CellRef) -> i64 {
        self.places[place].address + i64::from(offset)
    }

    /// Where the cells of a location begin.
    pub fn cells(&self, i: usize) -> Vec<CellRef> {
        let place = &self.places[i];
        if place.pieces.is_empty() {
            let bytes = place.element_bytes(self.word) as u32;
            return (0..place.init.len() as u32).map(|c| (i, c * bytes)).collect();
        }
        place.pieces.iter().map(|piece| (i, piece.offset)).collect()
    }

    /// The cells that a computed address may mean.
    pub fn escaping_cells(&self) -> Vec<CellRef> {
        let escaping = (0..self.places.len()).filter(|i| self.places[*i].escapes);
        escaping.flat_map(|i| self.cells(i)).collect()
    }

    /// How a number is shown: as an address where it is one.
    pub fn show_address(&self, value: i64) -> Option<String> {
        let (place, offset) = self.cell_at(value)?;
        let place = &self.places[place];
        Some(if offset == 0 { place.name.clone() } else { format!("{}+{offset}", place.name) })
    }

    /// The width of an access that does not say one: that of other stores to the location, else of its
    /// type, else of loads.
    pub fn default_width(&self, target: Target) -> Width {
        let of = |place: &Place| match (place.hint, declared_bits(place.ty, self.word)) {
            (Some((Role::Store, width)), _) => width,
            (_, Some(bits)) => Width::of_bits(bits),
            (Some((Role::Load, width)), None) => width,
            (None, None) => Width::Long,
        };
        match target {
            Target::Cell((place, _)) => of(&self.places[place]),
            Target::Computed => {
                let widths: BTreeSet<_> = self.places.iter().filter(|p| p.escapes).map(of).collect();
                if widths.len() == 1 { widths.into_iter().next().unwrap_or(Width::Long) } else { Width::Long }
            }
        }
    }

    /// Notes the widths that accesses say, for those that do not.
    pub fn note_widths(&mut self, accesses: &[Access]) {
        for access in accesses {
            let Target::Cell((place, _)) = access.target else { continue };
            let role = if access.stores { Role::Store } else { Role::Load };
            let hint = &mut self.places[place].hint;
            *hint = (*hint).max(Some((role, access.width)));
        }
    }

    /// Gives each cell the width of the stores to it, or cuts the location where there are several. Accesses at computed addresses decide only where
    /// nothing else does: one that turns out to be of another width than its cell is an error of the run.
    pub fn set_widths(&mut self, accesses: &[Access]) -> Result<()> {
        let computed: BTreeSet<Width> =
            accesses.iter().filter(|a| a.target == Target::Computed && a.stores).map(|a| a.width).collect();
        let computed = if computed.len() == 1 { computed.first().copied() } else { None };
        for i in 0..self.places.len() {
            let place = &self.places[i];
            let mine = |a: &&Access| matches!(a.target, Target::Cell((p, _)) if p == i);
            let mine: Vec<&Access> = accesses.iter().filter(mine).collect();
            let mut stores: Vec<&Access> = mine.iter().copied().filter(|a| a.stores).collect();
            stores.sort_by_key(|a| a.width);
            let declared = declared_bits(place.ty, self.word).map(Width::of_bits);
            if place.elements.is_some() {
                let element = declared.unwrap_or(Width::Long);
                let bytes = u32::from(element.bits()) / 8;
                let plain = |a: &&Access| a.offset().is_multiple_of(bytes) && fits(element, Some(element), a);
                if !mine.iter().all(plain) {
                    self.places[i].pieces = pieces::cut(place, self.word, &mine)?;
                }
                self.places[i].cell = element;
                continue;
            }
            let widths = stores.first().map(|a| a.width)..=stores.last().map(|a| a.width);
            let mixed = widths.start() != widths.end() || mine.iter().any(|a| a.offset() != 0);
            let pieces = if mixed { pieces::cut(place, self.word, &mine)? } else { Vec::new() };
            let cell = match stores.first() {
                Some(first) => first.width,
                None => {
                    let pointed = computed.filter(|w| place.escapes && declared.is_none_or(|d| *w <= d));
                    let loaded = || mine.iter().map(|a| a.width).max();
                    pointed.or(declared).or_else(loaded).unwrap_or(Width::Long)
                }
            };
            (self.places[i].cell, self.places[i].pieces) = (cell, pieces);
        }
        Ok(())
    }

    /// The cells that an access at a computed address may mean.
    pub fn candidates(&self, access: &Access) -> Vec<CellRef> {
        let fits = |(place, offset): &CellRef| {
            let place = &self.places[*place];
            if !place.pieces.is_empty() {
                return place.row(*offset, u32::from(access.width.bits()) / 8).is_some();
            }
            fits(place.cell, place.elements.map(|_| place.cell), access)
        };
        self.escaping_cells().into_iter().filter(fits).collect()
    }
}

/// Whether an access can be made to a cell: stores fill it; loads may see a part, and beyond it unless the
/// next element lies there.
fn fits(cell: Width, element: Option<Width>, access: &Access) -> bool {
    if access.stores { access.width == cell } else { element.is_none_or(|e| access.width <= e) }
}

/// An access to memory, for the widths of cells.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    pub target: Target,
    pub width: Width,
    pub stores: bool,
    pub span: Span,
}

impl Prop {
    /// Calls `visit` on both sides of every comparison.
    pub fn visit(&self, visit: &mut impl FnMut(&Location, &Side)) {
        match self {
            Prop::True | Prop::False => {}
            Prop::Compare(_, left, right, _) => visit(left, right),
            Prop::Not(p) => p.visit(visit),
            Prop::And(p, q) | Prop::Or(p, q) | Prop::Implies(p, q) => {
                p.visit(visit);
                q.visit(visit);
            }
        }
    }
}
