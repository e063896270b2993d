//! Allocated memory, where it is known how often each `malloc` runs: then what it gives are known objects. The translation
//! allocates them as the original does, and notes each in a variable, so that accesses through pointers can find out
//! which object they mean, and stores to it can be put down for later like those to any other variable.
//!
//! While it is translated, an object is a shared variable of [`Program::shared`], of the object's type; in the program that
//! comes out that variable is a pointer to it ([`Heap::place_pointers`]).

mod sites;

use crate::Unsupported;
use crate::pointers::Moved;
use fencepost_ir::tree::{Choices, Declared, Fill, ProcedureId, Program, SharedId, Spelled, Type, Variable};
use fencepost_ir::{Scalar, Span};
use sites::Site;
use std::collections::BTreeMap;

/// The objects of a place that allocates.
#[derive(Clone, Debug)]
pub struct Objects {
    /// What the memory is for.
    pub element: Type,
    /// How many of them one object holds.
    pub count: u32,
    /// How many objects there are.
    pub total: u32,
    /// Whether it is zero at first.
    pub fill: Fill,
    /// Where, for comments.
    pub place: String,
}

/// All objects, by the variables that stand for them.
#[derive(Default)]
pub struct Heap {
    pub objects: BTreeMap<SharedId, Objects>,
    sites: BTreeMap<Site, SharedId>,
    /// For places that allocate several objects the variable that says how many there are.
    pub counters: BTreeMap<SharedId, (SharedId, Scalar)>,
    /// Local variables that procedures allocate when they begin.
    pub moved: Vec<Moved>,
}

impl Heap {
    /// Makes pointers of the variables that stand for objects, and adds a counter for each place that allocates several.
    pub fn place_pointers(&mut self, program: &mut Program, prefix: &str) {
        let pointer = Scalar::Pointer { bits: program.pointer_bits };
        for (id, objects) in &self.objects {
            let dims: &[u32] = if objects.total > 1 { &[objects.total] } else { &[] };
            let spelled = program.spelled_out(&objects.element).map(Spelled::pointer);
            let spelled = spelled.map(|s| match objects.total {
                1 => s,
                _ => Spelled::Array(Box::new(s), None),
            });
            let v = &mut program.shared[id.0];
            v.ty = Type::with_dims(pointer, dims);
            v.init = vec![Choices::one(0); objects.total as usize];
            v.spelled = spelled;
            v.span = Span::NONE;
            let note = format!("What {}.", objects.place);
            program.spelling.notes.insert(Declared::Shared(*id), note);
        }
        for (id, objects) in self.objects.iter().filter(|(_, objects)| objects.total > 1) {
            let name = &program.shared[id.0].name;
            let name = match name.starts_with(prefix) {
                true => format!("{name}_used"),
                false => format!("{prefix}{name}_used"),
            };
            let ty = Scalar::Range { lo: 0, hi: i64::from(objects.total) };
            self.counters.insert(*id, (SharedId(program.shared.len()), ty));
            program.shared.push(Variable::new(name, ty.into(), vec![Choices::one(0)], Span::NONE));
        }
    }

    /// The objects that an allocation makes.
    pub fn at(&self, site: Site) -> Option<SharedId> {
        self.sites.get(&site).copied()
    }

    /// Adds a variable for the objects of each place that allocates. Local variables that were moved are allocated too:
    /// variables of C outside of functions never end, and hold zero at first.
    pub fn new(program: &mut Program, moved: Vec<Moved>, prefix: &str) -> Result<Heap, Unsupported> {
        let mut heap = Heap::default();
        for Moved { procedure, shared, fill, .. } in &moved {
            heap.objects.insert(*shared, moved_local(program, *procedure, *shared, *fill)?);
        }
        heap.moved = moved;
        for (site, objects) in sites::allocations(program)? {
            let id = SharedId(program.shared.len());
            let number =
                if heap.sites.is_empty() { String::new() } else { format!("_{}", heap.sites.len() + 1) };
            let ty = objects.whole();
            let cells = program.records.layout(&ty);
            let init = cells.iter().map(|cell| Choices::one(cell.ty.default_value())).collect();
            program.shared.push(Variable::new(format!("{prefix}heap{number}"), ty, init, Span::NONE));
            heap.objects.insert(id, objects);
            heap.sites.insert(site, id);
        }
        Ok(heap)
    }
}

/// The object of a local variable that was moved.
fn moved_local(
    program: &Program,
    procedure: ProcedureId,
    shared: SharedId,
    fill: Fill,
) -> Result<Objects, Unsupported> {
    let v = &program.shared[shared.0];
    let (element, count) = match &v.ty {
        Type::Array(element, n) if !matches!(**element, Type::Array(..)) => (&**element, *n),
        Type::Scalar(_) | Type::Record(_) => (&v.ty, 1),
        Type::Array(..) => {
            let what = "an array of arrays in a function that other threads may see";
            return Err(Unsupported::new(v.span, what)
                .help("give it a value where it is declared, or make it static"));
        }
    };
    let place = format!("{} has as {}", program.procedure(procedure).name, v.name);
    Ok(Objects { element: element.clone(), count, total: 1, fill, place })
}

impl Objects {
    /// The type of one object.
    pub fn one(&self) -> Type {
        match self.count {
            1 => self.element.clone(),
            n => Type::Array(Box::new(self.element.clone()), n),
        }
    }

    /// The type of all of them.
    pub fn whole(&self) -> Type {
        match self.total {
            1 => self.one(),
            n => Type::Array(Box::new(self.one()), n),
        }
    }
}
