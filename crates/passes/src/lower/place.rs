//! Places: which register, cell or byte of an object a path leads to.

use super::expression::binary;
use super::local::Home;
use super::{Lowering, object};
use fencepost_ir::cfg::{self, Address, Dest, ObjectId, Reg};
use fencepost_ir::eval::element;
use fencepost_ir::tree::*;
use fencepost_ir::{Scalar, pointer};

/// A place that is ready to be accessed.
pub(super) enum Lowered {
    /// One of the thread's own registers.
    Private(Dest),
    /// Memory.
    Memory(Address),
}

/// `sum + factor * count`, computed here where it can be.
fn add(ty: Scalar, sum: cfg::Expr, count: cfg::Expr, factor: u64) -> cfg::Expr {
    let product = match (count, factor) {
        (cfg::Expr::Const(n), _) => cfg::Expr::Const(n.wrapping_mul(factor as i64)),
        (count, 1) => count,
        (count, _) => binary(BinaryOp::Mul, ty, count, cfg::Expr::Const(factor as i64)),
    };
    match (sum, product) {
        (cfg::Expr::Const(a), cfg::Expr::Const(b)) => cfg::Expr::Const(a.wrapping_add(b)),
        (cfg::Expr::Const(0), product) => product,
        (sum, cfg::Expr::Const(0)) => sum,
        (sum, product) => binary(BinaryOp::Add, ty, sum, product),
    }
}

/// Whether an index is checked against the length of its array.
#[derive(Clone, Copy, PartialEq)]
enum Check {
    Yes,
    /// Pointers may be formed to anywhere.
    No,
}

fn checked(check: Check, len: u32, index: cfg::Expr) -> cfg::Expr {
    match index {
        cfg::Expr::Const(i) if (0..i64::from(len)).contains(&i) => index,
        _ if check == Check::Yes => cfg::Expr::Index(len, Box::new(index)),
        _ => index,
    }
}

/// An index that leads from no object to another: more is an error of the program, since no object is that large.
fn near(index: cfg::Expr, size: u64) -> cfg::Expr {
    let most = (pointer::LARGEST as i64 + 2) / size.max(1) as i64;
    match index {
        cfg::Expr::Const(i) if (-most..most).contains(&i) => index,
        _ => {
            let to = Scalar::Range { lo: -most, hi: most - 1 };
            cfg::Expr::Check { from: Scalar::Integer, to, arg: Box::new(index) }
        }
    }
}

impl Lowering<'_> {
    pub(super) fn scalar_type(&self, place: &Place) -> Scalar {
        let ty = self.program.place_type(Some(self.code), place).and_then(Type::as_scalar);
        ty.expect("the validator asks for a scalar")
    }

    /// The number of the cell that a path leads to. A lone index is checked by the access itself.
    fn cell_number<'t>(
        &'t self,
        mut ty: &'t Type,
        path: &[Projection],
        indices: Vec<cfg::Expr>,
    ) -> cfg::Expr {
        let records = &self.program.records;
        let mut indices = indices.into_iter();
        let mut number = cfg::Expr::Const(0);
        for step in path {
            match (step, ty) {
                (Projection::Index(_), Type::Array(element, n)) => {
                    let index = indices.next().expect("one for each index on the path");
                    let alone = path.len() == 1;
                    let index = checked(if alone { Check::No } else { Check::Yes }, *n, index);
                    number = add(Scalar::Integer, number, index, records.cells(element));
                    ty = element;
                }
                (Projection::Field(i), Type::Record(id)) => {
                    let first = cfg::Expr::Const(records.first_cell(*id, *i) as i64);
                    number = add(Scalar::Integer, number, first, 1);
                    ty = &records.get(*id).fields[*i].ty;
                }
                _ => panic!("the validator follows paths"),
            }
        }
        number
    }

    /// The pointer to what a path leads to, from the pointer to its start.
    fn byte_address<'t>(
        &'t self,
        start: cfg::Expr,
        mut ty: &'t Type,
        path: &[Projection],
        indices: Vec<cfg::Expr>,
        check: Check,
    ) -> cfg::Expr {
        let records = &self.program.records;
        let word = Scalar::Pointer { bits: self.program.pointer_bits };
        let mut indices = indices.into_iter();
        let mut address = start;
        for step in path {
            match (step, ty) {
                (Projection::Index(_), Type::Array(element, n)) => {
                    let index = indices.next().expect("one for each index on the path");
                    // Arrays of one element or none at the end of a record stand for longer ones.
                    let index = match *n > 1 {
                        true => checked(check, *n, index),
                        false => near(index, records.size(element)),
                    };
                    address = add(word, address, index, records.size(element));
                    ty = element;
                }
                (Projection::Field(i), Type::Record(id)) => {
                    let field = &records.get(*id).fields[*i];
                    address = add(word, address, cfg::Expr::Const(field.offset as i64), 1);
                    ty = &field.ty;
                }
                _ => panic!("the validator follows paths"),
            }
        }
        address
    }

    /// The pointer to an object of the program.
    fn object_address(&self, object: ObjectId) -> cfg::Expr {
        cfg::Expr::Const(pointer::to_object(object.0, 0))
    }

    fn passes_union<'t>(&'t self, mut ty: &'t Type, path: &[Projection]) -> bool {
        let records = &self.program.records;
        for step in path {
            ty = match (step, ty) {
                (Projection::Index(_), Type::Array(element, _)) => element,
                (Projection::Field(i), Type::Record(id)) => match records.get(*id).kind {
                    RecordKind::Union => return true,
                    RecordKind::Struct => &records.get(*id).fields[*i].ty,
                },
                _ => return false,
            };
        }
        false
    }

    /// Evaluates what a place is computed from.
    pub(super) fn place(&mut self, place: &Place) -> Lowered {
        let mut operands = self.operands(place.expressions());
        let (variable, ty) = match &place.base {
            Base::Pointed(_, ty) => {
                let indices = operands.split_off(1);
                let start = operands.remove(0);
                let pointer = self.byte_address(start, ty, &place.path, indices, Check::Yes);
                return Lowered::Memory(self.pointed(pointer, place));
            }
            Base::Variable(reference) => {
                let variable = self.program.variable(Some(self.code), *reference);
                (*reference, &variable.expect("the validator asks for the variable").ty)
            }
        };
        let (base, len) = match variable {
            VarRef::Shared(id) => return Lowered::Memory(self.in_object(object(id), ty, place, operands)),
            VarRef::Local(id) => match self.homes[id.0] {
                Home::Object(object) => return Lowered::Memory(self.in_object(object, ty, place, operands)),
                Home::Pointed(slot) => {
                    let start = cfg::Expr::Reg(Reg::Local(slot));
                    let pointer = self.byte_address(start, ty, &place.path, operands, Check::Yes);
                    return Lowered::Memory(self.pointed(pointer, place));
                }
                Home::Slots(slot) => (Reg::Local(slot), self.program.records.cells(ty) as u32),
            },
            VarRef::ThreadLocal(id) => {
                let before = &self.program.thread_locals[..id.0];
                let slot: u64 = before.iter().map(|v| self.program.records.cells(&v.ty)).sum();
                (Reg::Thread(slot as u32), self.program.records.cells(ty) as u32)
            }
            VarRef::Observed(..) => panic!("only final conditions observe"),
        };
        Lowered::Private(match self.cell_number(ty, &place.path, operands) {
            cfg::Expr::Const(i) if (0..i64::from(len)).contains(&i) => {
                Dest::Reg(element(base, len, i).expect("just compared"))
            }
            index => Dest::At { base, len, index },
        })
    }

    fn in_object(&self, object: ObjectId, ty: &Type, place: &Place, indices: Vec<cfg::Expr>) -> Address {
        if self.passes_union(ty, &place.path) {
            let start = self.object_address(object);
            return self.pointed(self.byte_address(start, ty, &place.path, indices, Check::Yes), place);
        }
        Address::Cell { object, index: self.cell_number(ty, &place.path, indices) }
    }

    fn pointed(&self, pointer: cfg::Expr, place: &Place) -> Address {
        Address::Pointed { pointer, ty: self.scalar_type(place) }
    }

    /// A place that is in memory.
    pub(super) fn memory_place(&mut self, place: &Place) -> Address {
        match self.place(place) {
            Lowered::Memory(address) => address,
            Lowered::Private(_) => panic!("only places in memory have addresses"),
        }
    }

    pub(super) fn address_of(&mut self, place: &Place) -> cfg::Expr {
        let mut operands = self.operands(place.expressions());
        let (start, ty) = match &place.base {
            Base::Pointed(_, ty) => {
                let indices = operands.split_off(1);
                let start = operands.remove(0);
                return self.byte_address(start, ty, &place.path, indices, Check::No);
            }
            Base::Variable(reference) => {
                let variable = self.program.variable(Some(self.code), *reference);
                let start = match reference {
                    VarRef::Shared(id) => self.object_address(object(*id)),
                    VarRef::Local(id) => match self.homes[id.0] {
                        Home::Object(object) => self.object_address(object),
                        Home::Pointed(slot) => cfg::Expr::Reg(Reg::Local(slot)),
                        Home::Slots(_) => panic!("what has an address is kept in memory"),
                    },
                    VarRef::ThreadLocal(_) | VarRef::Observed(..) => panic!("registers have no address"),
                };
                (start, &variable.expect("the validator asks for the variable").ty)
            }
        };
        self.byte_address(start, ty, &place.path, operands, Check::No)
    }
}
