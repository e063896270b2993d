//! Allocated memory, where it is known how often each `malloc` runs: then what it gives are known objects. The translation
//! allocates them as the original does, and notes each in a variable, so that accesses through pointers can find out
//! which object they mean, and stores to it can be put down for later like those to any other variable.
//!
//! While it is translated, an object is a shared variable of [`Program::shared`], of the object's type; in the program that
//! comes out that variable is a pointer to it ([`Heap::place_pointers`]).

use crate::Unsupported;
use crate::pointers::{Moved, with_fixed_values};
use crate::times::{self, Runs, constant};
use fencepost_ir::tree::{
    Choices, Declared, ExprKind, Fill, ProcedureId, Program, SharedId, Spelled, Storage, Type, Variable,
};
use fencepost_ir::{Scalar, Span};
use std::collections::BTreeMap;

/// More objects than this are not kept apart.
const MOST: u64 = 64;

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
    sites: BTreeMap<(ProcedureId, Span), SharedId>,
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

    /// The objects that an expression there makes.
    pub fn at(&self, procedure: ProcedureId, span: Span) -> Option<SharedId> {
        self.sites.get(&(procedure, span)).copied()
    }

    /// Adds a variable for the objects of each place that allocates. Local variables that were moved are allocated too:
    /// variables of C outside of functions never end, and hold zero at first.
    pub fn new(program: &mut Program, moved: Vec<Moved>, prefix: &str) -> Result<Heap, Unsupported> {
        let fixed = with_fixed_values(program);
        let runs = Runs::new(&fixed);
        let mut heap = Heap::default();
        for Moved { procedure, shared, fill, .. } in &moved {
            let v = &program.shared[shared.0];
            let (element, count) = match &v.ty {
                Type::Array(element, n) if !matches!(**element, Type::Array(..)) => (&**element, *n),
                Type::Scalar(_) | Type::Record(_) => (&v.ty, 1),
                Type::Array(..) => {
                    return Err(Unsupported::new(
                        v.span,
                        "an array of arrays in a function that other threads may see",
                    )
                    .help("give it a value where it is declared, or make it static"));
                }
            };
            let place = format!("{} has as {}", program.procedure(*procedure).name, v.name);
            let (element, fill) = (element.clone(), *fill);
            heap.objects.insert(*shared, Objects { element, count, total: 1, fill, place });
        }
        heap.moved = moved;
        let mut found: BTreeMap<(ProcedureId, Span), (Objects, u64)> = BTreeMap::new();
        let mut wrong = None;
        for (i, procedure) in fixed.procedures.iter().enumerate() {
            let id = ProcedureId(i);
            let is_first = program.threads.iter().any(|t| t.procedure == id);
            times::expressions(procedure, &mut |e, times| {
                let (ty, size, fill, storage) = match &e.kind {
                    ExprKind::Allocate(ty, size, fill, storage) => (ty, size, *fill, *storage),
                    ExprKind::Reallocate(..) => {
                        wrong.get_or_insert(Unsupported::new(e.span, "memory that is made larger or smaller").help(
                            "allocate as much as is needed at once, or check the file with `--engine bmc` or `explicit`",
                        ));
                        return;
                    }
                    _ => return,
                };
                let result = (|| {
                    if storage == Storage::Stack && !is_first {
                        return Err(Unsupported::new(
                            e.span,
                            "a large local variable of a function that threads run",
                        )
                        .help("make the variable static, or smaller"));
                    }
                    let times = runs.times(id).zip(times).and_then(|(a, b)| a.checked_mul(b));
                    let Some(total) = times.filter(|n| *n <= MOST) else {
                        return Err(Unsupported::new(e.span, "memory that is allocated any number of times").help(
                            "allocate it at a place that runs a known number of times (outside of loops, or in one that counts \
                             to a constant), take it from a static array, or check the file with `--engine bmc` or `explicit`",
                        ));
                    };
                    if is_open(program, ty) {
                        return Err(Unsupported::new(e.span, "memory for an array of open length")
                            .help("give the array a length"));
                    }
                    let element = match ty {
                        Type::Array(element, _) if matches!(**element, Type::Array(..)) => {
                            return Err(Unsupported::new(e.span, "memory for arrays of arrays")
                                .help("use one array, or make the variable static"));
                        }
                        Type::Array(element, _) => (**element).clone(),
                        Type::Scalar(_) | Type::Record(_) => ty.clone(),
                    };
                    let size_of = program.records.size(&element);
                    let bytes = constant(size).and_then(|n| u64::try_from(n).ok());
                    let count = bytes.filter(|n| size_of > 0 && n % size_of == 0).map(|n| n / size_of);
                    let Some(count) = count.and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0) else {
                        return Err(Unsupported::new(
                            e.span,
                            "memory whose size is no constant number of elements",
                        )
                        .help("allocate a constant number of elements of one type"));
                    };
                    Ok((element, count, total))
                })();
                let (element, count, total) = match result {
                    Ok(known) => known,
                    Err(unsupported) => {
                        wrong.get_or_insert(unsupported);
                        return;
                    }
                };
                let place = format!("{} allocates in line {}", procedure.name, e.span.line);
                let objects = Objects { element: element.clone(), count, total: 0, fill, place };
                let known = found.entry((id, e.span)).or_insert((objects, 0));
                // A macro may allocate twice at one place.
                if known.0.element != element || known.0.count != count || known.0.fill != fill {
                    wrong.get_or_insert(Unsupported::new(
                        e.span,
                        "memory of several types allocated at one place",
                    ));
                }
                known.1 += total;
            });
        }
        if let Some(wrong) = wrong {
            return Err(wrong);
        }
        for (site, (objects, total)) in found {
            // What never runs is never asked for, but has a text.
            let total = u32::try_from(total.max(1)).expect("there are few");
            let id = SharedId(program.shared.len());
            let number =
                if heap.sites.is_empty() { String::new() } else { format!("_{}", heap.sites.len() + 1) };
            let objects = Objects { total, ..objects };
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

/// Whether there is an array without a length in a type.
fn is_open(program: &Program, ty: &Type) -> bool {
    match ty {
        Type::Scalar(_) => false,
        Type::Array(element, n) => *n == 0 || is_open(program, element),
        Type::Record(id) => program.records.get(*id).fields.iter().any(|f| is_open(program, &f.ty)),
    }
}
