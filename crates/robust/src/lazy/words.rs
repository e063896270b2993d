//! Delayed stores by their addresses, for threads that store or load through pointers (the paper's address registers).
//!
//! For each store its type, a pointer to its first byte and its value are kept. A load looks at the stores that have
//! some of its bytes:
//!
//! - none: it reads memory;
//! - the newest of them goes to the same address, with the same type: that is its value, whatever is before it;
//! - else it reads memory, which also tells whether such an access is possible there, and the bytes of these stores are put
//!   over what it saw, the oldest first. This is one load: between its steps nothing of the thread's reaches memory.
//!
//! Accesses cover whole cells, so two have a cell in common if they have a byte in common.
//!
//! Pointers are compared by their distance only, which does not depend on how allocated objects are numbered, and is never
//! small between different objects. They are kept in registers of their own, since searches rename them.
//!
//! That a pointer leads nowhere is seen when its store reaches memory, which it can do at once; the run that is
//! mapped back fails at the store. The stores to a local variable that is gone are forgotten.
//!
//! Some runs are cut off: those in which bytes are mixed that are not bits, pointers among them where they are not used as integers; and those
//! in which they are mixed with the contents of allocated memory, which may never have been written.

use super::extend::{Loading, Waiting, Way, Works, and, eq, local, or};
use super::located::{Located, located};
use fencepost_ir::cfg::{
    Address, Arith, BinaryOp, Dest, Expr, Fill, Instr, ObjectId, Procedure, Program, Reg, Register,
};
use fencepost_ir::{IntType, Scalar, pointer};

const BITS: IntType = IntType { bits: 64, signed: false };

/// The registers that hold the stores.
pub struct Words<'p> {
    program: &'p Program,
    places: u32,
    /// The number of stores that wait.
    count: u32,
    /// First registers of their types, by number, their addresses, values, and values that are pointers; the last two are
    /// the same where no store is of a pointer.
    kind: u32,
    address: u32,
    value: u32,
    pointer: u32,
    /// Where a load goes, and what it has seen.
    there: u32,
    seen: u32,
    /// The types of the stores. The number after them is that of a store that is forgotten.
    types: Vec<Scalar>,
    /// Pointers from this one on lead to allocated memory, which may hold nothing yet.
    allocated: Option<i64>,
}

fn is_pointer(ty: Scalar) -> bool {
    matches!(ty, Scalar::Pointer { .. })
}

fn on_words(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Arith::Wrap(BITS), Box::new(a), Box::new(b))
}

/// Whether the first pointer is fewer bytes after the second than that.
fn is_within(a: Expr, b: Expr, bytes: Expr) -> Expr {
    on_words(BinaryOp::Lt, on_words(BinaryOp::Sub, a, b), bytes)
}

fn set(register: u32, value: Expr) -> Instr {
    Instr::Assign(Dest::Reg(Reg::Local(register)), value)
}

fn select(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    Expr::Select(Box::new(condition), Box::new(then), Box::new(otherwise))
}

/// Ones in that many bytes.
fn ones(bytes: u64) -> i64 {
    if bytes >= 8 { -1 } else { (1 << (bytes * 8)) - 1 }
}

/// Whether a new object of the program may hold memory that was never written.
fn leaves_unwritten(program: &Program) -> bool {
    program.procedures.iter().flat_map(Procedure::edges).any(|edge| {
        matches!(edge.instr, Instr::Allocate { fill: Fill::Undefined, .. } | Instr::Reallocate { .. })
    })
}

impl<'p> Words<'p> {
    /// Room for `places` stores of these types, in the registers from `count` on.
    pub fn new(program: &'p Program, places: u32, count: u32, types: Vec<Scalar>) -> Words<'p> {
        let first = pointer::to_object(program.objects.len() as u32, 0);
        let nearest = first.wrapping_sub(1 << 31);
        let value = count + 1 + 2 * places;
        let pointer = if types.iter().copied().any(is_pointer) { value + places } else { value };
        Words {
            program,
            places,
            count,
            kind: count + 1,
            address: count + 1 + places,
            value,
            pointer,
            there: pointer + places,
            seen: pointer + places + 1,
            types,
            allocated: leaves_unwritten(program).then_some(nearest),
        }
    }

    fn located(&self, address: &Address) -> Located {
        located(self.program, address).expect("the extension has asked for all accesses")
    }

    fn number(&self, ty: Scalar) -> Option<i64> {
        self.types.iter().position(|t| *t == ty).map(|n| n as i64)
    }

    fn forgotten(&self) -> Expr {
        Expr::Const(self.types.len() as i64)
    }

    /// The first of the registers that values of a type are kept in.
    fn values(&self, ty: Scalar) -> u32 {
        if is_pointer(ty) { self.pointer } else { self.value }
    }

    /// Something that depends on the type of the store in a place.
    fn by_type(&self, place: u32, what: impl Fn(Scalar) -> Expr) -> Expr {
        let mut each: Vec<Expr> = self.types.iter().map(|ty| what(*ty)).collect();
        let last = each.pop().expect("a store is delayed");
        if each.iter().all(|e| *e == last) {
            return last;
        }
        let numbered = (0..).zip(each);
        numbered.fold(last, |rest, (n, e)| select(eq(local(self.kind + place), Expr::Const(n)), e, rest))
    }

    fn waits(&self, place: u32) -> Expr {
        let (count, place) = (Box::new(local(self.count)), Box::new(Expr::Const(place.into())));
        Expr::Binary(BinaryOp::Gt, Arith::Exact, count, place)
    }

    /// Whether the store in a place has some of the bytes of a load of a type.
    fn has_some(&self, place: u32, ty: Scalar) -> Expr {
        let store = || local(self.address + place);
        let after = is_within(store(), local(self.there), Expr::Const(ty.size() as i64));
        let bytes = self.by_type(place, |ty| Expr::Const(ty.size() as i64));
        let before = is_within(local(self.there), store(), bytes);
        and(self.waits(place), or(after, before))
    }

    /// Whether a load of a type can see bytes of a store of another one, or at another address.
    fn can_mix(&self, load: Scalar, store: Scalar) -> bool {
        let has_bits = |ty| match ty {
            Scalar::Int(_) => true,
            Scalar::Pointer { bits } => bits == 64 && self.program.exposes_pointers,
            Scalar::Bool | Scalar::Range { .. } | Scalar::Integer | Scalar::Thread | Scalar::Mutex => false,
        };
        has_bits(load) && has_bits(store)
    }

    /// Whether the bytes of a load of a type cannot be put together.
    fn cannot_mix(&self, load: Scalar) -> Expr {
        let mut cannot = Expr::Const(0);
        for place in 0..self.places {
            let store = self.by_type(place, |ty| Expr::Const(i64::from(!self.can_mix(load, ty))));
            if store != Expr::Const(0) {
                cannot = or(and(self.has_some(place, load), store), cannot);
            }
        }
        match self.allocated {
            Some(first) => {
                let named = on_words(BinaryOp::Lt, local(self.there), Expr::Const(first));
                or(named.negated(), cannot)
            }
            None => cannot,
        }
    }

    /// Puts the bytes of the store in a place over what a load of a type has seen.
    fn put_over(&self, place: u32, load: Scalar) -> Instr {
        let mask = self.by_type(place, |ty| Expr::Const(ones(ty.size())));
        let value = self.by_type(place, |ty| local(self.values(ty) + place));
        let bits = on_words(BinaryOp::BitAnd, value, mask.clone());
        let (store, there) = (|| local(self.address + place), || local(self.there));
        let moved = |op, from: Expr, to: Expr| {
            let by = on_words(BinaryOp::Mul, on_words(BinaryOp::Sub, from, to), Expr::Const(8));
            let kept = on_words(BinaryOp::BitXor, on_words(op, mask.clone(), by.clone()), Expr::Const(-1));
            let kept = on_words(BinaryOp::BitAnd, local(self.seen), kept);
            on_words(BinaryOp::BitOr, kept, on_words(op, bits.clone(), by))
        };
        let after = is_within(store(), there(), Expr::Const(load.size() as i64));
        let mixed =
            select(after, moved(BinaryOp::Shl, store(), there()), moved(BinaryOp::Shr, there(), store()));
        set(self.seen, select(self.has_some(place, load), mixed, local(self.seen)))
    }

    /// The way of a load that sees several stores, or a part of one.
    fn mixing(&self, dest: &Dest, address: &Address, ty: Scalar) -> Vec<(Instr, Works)> {
        let mut steps = vec![(Instr::Load(Dest::Reg(Reg::Local(self.seen)), address.clone()), Works::Itself)];
        steps.extend((0..self.places).map(|place| (self.put_over(place, ty), Works::Silently)));
        let value = match ty {
            Scalar::Int(int) => Expr::Wrap(int, Box::new(local(self.seen))),
            _ => local(self.seen),
        };
        steps.push((Instr::Assign(dest.clone(), value), Works::Silently));
        steps
    }
}

impl Waiting for Words<'_> {
    fn registers(&self) -> Vec<Register> {
        let address = Scalar::Pointer { bits: self.program.pointer_bits };
        let bits = Scalar::Int(BITS);
        let rows = [("kind", bits), ("address", address), ("value", bits), ("pointer", address)];
        let rows = rows.into_iter().take(self.rows().len());
        let row = |(what, ty)| (0..self.places).map(move |i| (format!("%{what}{i}"), ty));
        let single = [("%there".to_string(), address), ("%seen".to_string(), bits)];
        let all = rows.flat_map(row).chain(single);
        all.map(|(name, ty)| Register { name, ty, init: 0 }).collect()
    }

    fn put(&self, address: &Address, value: &Expr) -> Vec<Instr> {
        let Located { word, ty } = self.located(address);
        let number = self.number(ty).expect("all stored types are numbered");
        let at = |first| Dest::At { base: Reg::Local(first), len: self.places, index: local(self.count) };
        vec![
            Instr::Assign(at(self.values(ty)), value.clone()),
            Instr::Assign(at(self.address), word),
            Instr::Assign(at(self.kind), Expr::Const(number)),
        ]
    }

    fn load(&self, dest: &Dest, address: &Address) -> Option<Loading> {
        let Located { word, ty } = self.located(address);
        let (mut some, mut same, mut value) = (Expr::Const(0), Expr::Const(0), Expr::Const(0));
        // The newest place is asked first.
        for place in 0..self.places {
            let here = self.has_some(place, ty);
            some = or(here.clone(), some);
            if let Some(number) = self.number(ty) {
                let at = is_within(local(self.address + place), local(self.there), Expr::Const(1));
                let exactly = and(eq(local(self.kind + place), Expr::Const(number)), at);
                same = select(here.clone(), exactly, same);
                value = select(here, local(self.values(ty) + place), value);
            }
        }
        let own = (Instr::Assign(dest.clone(), value), Works::Itself);
        let memory = (Instr::Load(dest.clone(), address.clone()), Works::Itself);
        let partly = and(some.clone(), same.clone().negated());
        let cannot = self.cannot_mix(ty);
        let mut ways = vec![
            Way { condition: same, steps: Some(vec![own]) },
            Way { condition: some.negated(), steps: Some(vec![memory]) },
            Way { condition: and(partly.clone(), cannot.clone()), steps: None },
        ];
        if self.types.iter().any(|store| self.can_mix(ty, *store)) {
            let condition = and(partly, cannot.negated());
            ways.push(Way { condition, steps: Some(self.mixing(dest, address, ty)) });
        }
        Some(Loading { before: vec![set(self.there, word)], ways })
    }

    fn oldest(&self) -> Vec<(Expr, Option<Instr>)> {
        let is = |number: Expr| eq(local(self.kind), number);
        let store = |(number, ty): (i64, &Scalar)| {
            let address = Address::Pointed { pointer: local(self.address), ty: *ty };
            (is(Expr::Const(number)), Some(Instr::Store(address, local(self.values(*ty)))))
        };
        (0..).zip(&self.types).map(store).chain([(is(self.forgotten()), None)]).collect()
    }

    fn rows(&self) -> Vec<u32> {
        let mut rows = vec![self.kind, self.address, self.value, self.pointer];
        rows.dedup();
        rows
    }

    fn forget(&self, variable: &Expr) -> Vec<Instr> {
        let mut steps = vec![set(self.there, variable.clone())];
        for place in 0..self.places {
            let distance = on_words(BinaryOp::Sub, local(self.address + place), local(self.there));
            // Half a word's half before it and half after it: all that belongs to the object.
            let distance = on_words(BinaryOp::Add, distance, Expr::Const(1 << 31));
            let same = on_words(BinaryOp::Lt, distance, Expr::Const(1 << 32));
            let gone = and(self.waits(place), same);
            // The address is what tells, so it comes last.
            for row in [self.kind, self.value, self.pointer, self.address] {
                let value = if row == self.kind { self.forgotten() } else { Expr::Const(0) };
                steps.push(set(row + place, select(gone.clone(), value, local(row + place))));
            }
        }
        steps
    }
}

/// The type that an access has; or what it is of, where that is not known.
pub fn accessed(program: &Program, address: &Address) -> Result<Scalar, &'static str> {
    let known = located(program, address).map(|located| located.ty);
    known.ok_or("of a variable with cells of several types, where the index does not tell which,")
}

/// Whether an object holds only what can be kept without its address.
pub fn is_plain(program: &Program, object: ObjectId) -> bool {
    let leaf = program.object(object).ty.leaf();
    leaf.is_some_and(|ty| !is_pointer(ty) && ty != Scalar::Thread)
}
