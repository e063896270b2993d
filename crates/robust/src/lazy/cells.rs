//! Delayed stores by object and cell, for threads that name the variables that they access.
//!
//! For each store the number of its object, its cell and its value are kept (seed: Bouajjani et al., FASE 2015, section 3). A
//! load of such an object takes the value of the newest store to its cell, if there is one.

use super::extend::{Loading, WORD, Waiting, Way, Works, and, eq, local, or};
use fencepost_ir::Scalar;
use fencepost_ir::cfg::{Address, Arith, BinaryOp, Dest, Expr, Instr, ObjectId, Reg, Register};

/// The registers that hold the stores.
pub struct Cells {
    places: u32,
    /// The number of stores that wait.
    count: u32,
    /// First registers of their objects, cells and values.
    object: u32,
    cell: u32,
    value: u32,
    /// Objects that are stored to, by their numbers in the registers.
    objects: Vec<ObjectId>,
}

impl Cells {
    /// Room for `places` stores to these objects, in the registers from `count` on.
    pub fn new(places: u32, count: u32, objects: Vec<ObjectId>) -> Cells {
        let object = count + 1;
        Cells { places, count, object, cell: object + places, value: object + 2 * places, objects }
    }

    fn number(&self, object: ObjectId) -> Option<i64> {
        self.objects.iter().position(|o| *o == object).map(|n| n as i64)
    }

    /// Whether the store in that place is to the cell.
    fn is_at(&self, place: u32, number: i64, index: &Expr) -> Expr {
        let waits = Expr::Binary(
            BinaryOp::Gt,
            Arith::Exact,
            Box::new(local(self.count)),
            Box::new(Expr::Const(place.into())),
        );
        let same_object = eq(local(self.object + place), Expr::Const(number));
        and(waits, and(same_object, eq(local(self.cell + place), index.clone())))
    }
}

impl Waiting for Cells {
    fn registers(&self) -> Vec<Register> {
        let row = |what| (0..self.places).map(move |i| format!("%{what}{i}"));
        let names = ["object", "cell", "value"].into_iter().flat_map(row);
        names.map(|name| Register { name, ty: Scalar::Int(WORD), init: 0 }).collect()
    }

    fn put(&self, address: &Address, value: &Expr) -> Vec<Instr> {
        let Address::Cell { object, index } = address else {
            panic!("only stores to named cells are kept so")
        };
        let number = self.number(*object).expect("all stored objects are numbered");
        let at = |base: u32| Dest::At { base: Reg::Local(base), len: self.places, index: local(self.count) };
        vec![
            Instr::Assign(at(self.value), value.clone()),
            Instr::Assign(at(self.cell), index.clone()),
            Instr::Assign(at(self.object), Expr::Const(number)),
        ]
    }

    fn load(&self, dest: &Dest, address: &Address) -> Option<Loading> {
        let Address::Cell { object, index } = address else { return None };
        let number = self.number(*object)?;
        let (mut waits, mut value) = (Expr::Const(0), Expr::Const(0));
        // The newest place is asked first.
        for place in 0..self.places {
            let here = self.is_at(place, number, index);
            waits = or(here.clone(), waits);
            let kept = Box::new(local(self.value + place));
            value = Expr::Select(Box::new(here), kept, Box::new(value));
        }
        let own = (Instr::Assign(dest.clone(), value), Works::Itself);
        let memory = (Instr::Load(dest.clone(), address.clone()), Works::Itself);
        let ways = vec![
            Way { condition: waits.clone(), steps: Some(vec![own]) },
            Way { condition: waits.negated(), steps: Some(vec![memory]) },
        ];
        Some(Loading { before: Vec::new(), ways })
    }

    fn oldest(&self) -> Vec<(Expr, Option<Instr>)> {
        let store = |(number, object): (i64, &ObjectId)| {
            let address = Address::Cell { object: *object, index: local(self.cell) };
            let is = eq(local(self.object), Expr::Const(number));
            (is, Some(Instr::Store(address, local(self.value))))
        };
        (0..).zip(&self.objects).map(store).collect()
    }

    fn rows(&self) -> Vec<u32> {
        vec![self.object, self.cell, self.value]
    }

    /// Local variables in memory have no names here.
    fn forget(&self, _: &Expr) -> Vec<Instr> {
        Vec::new()
    }
}
