//! Where an access goes, as a pointer: so that accesses by name and through pointers can be compared.
//!
//! The cells of a record differ in type and size. What is accessed by name has one type, whatever the indices are; which
//! cells they lead to is found from the form of the cell's number, and where that does not tell the type, the access is
//! refused.

use fencepost_ir::cfg::{Address, Arith, BinaryOp, Expr, ObjectId, Program};
use fencepost_ir::pointer;
use fencepost_ir::{Cell, Scalar};
use std::collections::BTreeSet;

/// Records with more cells than this are not looked into.
const MOST_CELLS: usize = 4096;

/// An access.
pub struct Located {
    /// The pointer to its first byte. Evaluating it fails where an index is out of bounds.
    pub word: Expr,
    /// What is accessed there.
    pub ty: Scalar,
}

/// Where an access goes; `None` where its type is not known.
pub fn located(program: &Program, address: &Address) -> Option<Located> {
    match address {
        Address::Pointed { pointer, ty } => Some(Located { word: pointer.clone(), ty: *ty }),
        Address::Cell { object, index } => named(program, *object, index),
    }
}

fn named(program: &Program, object: ObjectId, index: &Expr) -> Option<Located> {
    let ty = &program.object(object).ty;
    if ty.is_unbounded() {
        return None;
    }
    let element = program.records.layout(ty.innermost());
    let stride = program.records.size(ty.innermost()) as i64;
    let count = element.len();
    if !(1..=MOST_CELLS).contains(&count) {
        return None;
    }
    let reached = remainders(index, count);
    let first = *reached.first()?;
    let Cell { offset, ty } = element[first];
    let in_row = |&i: &usize| element[i] == Cell { offset: offset + (i - first) as u64 * ty.size(), ty };
    if !reached.iter().all(in_row) {
        return None;
    }
    let index = Expr::Index(program.cells(object), Box::new(index.clone()));
    let exact = |op, a: Expr, b: i64| Expr::Binary(op, Arith::Exact, Box::new(a), Box::new(Expr::Const(b)));
    let whole = exact(BinaryOp::Mul, exact(BinaryOp::Div, index.clone(), count as i64), stride);
    let cell = exact(BinaryOp::Sub, exact(BinaryOp::Rem, index, count as i64), first as i64);
    let within = exact(BinaryOp::Add, exact(BinaryOp::Mul, cell, ty.size() as i64), offset as i64);
    let bytes = Expr::Binary(BinaryOp::Add, Arith::Exact, Box::new(whole), Box::new(within));
    let start = Expr::Const(pointer::to_object(object.0, 0));
    let word = Expr::Binary(BinaryOp::Add, Arith::Wrap(pointer::WORD), Box::new(start), Box::new(bytes));
    Some(Located { word, ty })
}

/// What the number of a cell can be, divided by the number of cells of an element: at least all that it is.
fn remainders(index: &Expr, count: usize) -> BTreeSet<usize> {
    let combine = |a: &Expr, b: &Expr, f: fn(usize, usize) -> usize| {
        let (a, b) = (remainders(a, count), remainders(b, count));
        match a.len() * b.len() <= MOST_CELLS {
            true => a.iter().flat_map(|a| b.iter().map(move |b| f(*a, *b) % count)).collect(),
            false => (0..count).collect(),
        }
    };
    match index {
        Expr::Const(number) if *number >= 0 => BTreeSet::from([*number as usize % count]),
        Expr::Index(len, inner) if matches!(**inner, Expr::Const(_)) || *len as usize >= count => {
            remainders(inner, count)
        }
        Expr::Index(len, _) => (0..*len as usize).collect(),
        Expr::Binary(BinaryOp::Add, Arith::Exact, a, b) => combine(a, b, |a, b| a + b),
        Expr::Binary(BinaryOp::Mul, Arith::Exact, a, b) => combine(a, b, |a, b| a * b),
        _ => (0..count).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_ir::cfg::{Choices, Object, Reg};
    use fencepost_ir::eval::{Registers, eval};
    use fencepost_ir::{Fault, Field, IntType, Record, RecordId, RecordKind, Records, Span, Type};

    struct Values([i64; 2]);
    impl Registers for Values {
        fn get(&self, reg: Reg) -> i64 {
            let Reg::Local(slot) = reg else { panic!("no thread has registers of its own here") };
            self.0[slot as usize]
        }
    }

    const INT: Scalar = Scalar::Int(IntType { bits: 32, signed: true });
    const BYTE: Scalar = Scalar::Int(IntType { bits: 8, signed: false });

    /// `struct { char c; int a[2]; } s[3]`
    fn program() -> Program {
        let row = Type::with_dims(INT, &[2]);
        let fields = vec![
            Field { name: "c".into(), ty: BYTE.into(), offset: 0 },
            Field { name: "a".into(), ty: row, offset: 4 },
        ];
        let record = Record { name: "r".into(), kind: RecordKind::Struct, fields, size: 12 };
        let ty = Type::Array(Box::new(Type::Record(RecordId(0))), 3);
        let init = Choices::for_each(0, 9).into();
        let object = Object { name: "s".into(), ty, init, span: Span::NONE };
        Program { records: Records(vec![record]), objects: vec![object], ..Program::default() }
    }

    fn at(index: Expr) -> Option<Located> {
        located(&program(), &Address::Cell { object: ObjectId(0), index })
    }

    fn sum(a: Expr, b: Expr) -> Expr {
        Expr::Binary(BinaryOp::Add, Arith::Exact, Box::new(a), Box::new(b))
    }

    fn index(len: u32, register: u32, cells: i64) -> Expr {
        let index = Expr::Index(len, Box::new(Expr::Reg(Reg::Local(register))));
        Expr::Binary(BinaryOp::Mul, Arith::Exact, Box::new(index), Box::new(Expr::Const(cells)))
    }

    #[test]
    fn every_member_of_every_record_is_found() {
        let program = program();
        let cells = program.records.layout(&program.object(ObjectId(0)).ty);
        let place = |cell: usize| pointer::to_object(0, cells[cell].offset);
        let member = at(sum(index(3, 0, 3), sum(Expr::Const(1), index(2, 1, 1)))).expect("all are int");
        let first = at(index(3, 0, 3)).expect("all are char");
        assert_eq!((member.ty, first.ty), (INT, BYTE));
        for i in 0..3 {
            assert_eq!(eval(&first.word, &Values([i, 0])), Ok(place(3 * i as usize)));
            for j in 0..2 {
                assert_eq!(eval(&member.word, &Values([i, j])), Ok(place((3 * i + 1 + j) as usize)));
            }
        }
        for cell in 0..9 {
            let constant = at(Expr::Const(cell)).expect("one cell has one type");
            assert_eq!(constant.ty, cells[cell as usize].ty);
            assert_eq!(eval(&constant.word, &Values([0, 0])), Ok(place(cell as usize)));
        }
    }

    #[test]
    fn what_may_have_several_types_is_refused() {
        assert!(at(Expr::Reg(Reg::Local(0))).is_none());
        assert!(at(index(3, 0, 1)).is_none());
    }

    #[test]
    fn an_index_out_of_bounds_fails() {
        let word = at(Expr::Const(9)).expect("the type is that of a first member").word;
        assert_eq!(eval(&word, &Values([0, 0])), Err(Fault::OutOfBounds { index: 9, len: 9 }));
    }
}
