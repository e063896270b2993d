//! Which allocated objects only one thread can reach, in a given state.
//!
//! Whoever accesses an allocated object has a pointer to it. If no word of memory, of another thread, or on its way to memory
//! leads to the object, then no other thread gets at it before its own thread gives a pointer away: a node that is filled in
//! before it is linked to the others. Its accesses to it are then as local as those to registers (`reduction.rs`). That needs
//! pointers to stay pointers; and the object to be there, since the place of one that is gone may be given to others.
//!
//! Other threads may have lost their pointers while stores through them wait in their buffers, so these count, too.

use fencepost_ir::cfg::{Address, Expr, Instr, NodeId, ObjectId, Program};
use fencepost_ir::eval::eval;
use fencepost_ir::pointer::{self, Target};
use fencepost_memory::{Entry, Life, State, Thread};
use fencepost_task::{Action, Model, Step};

/// The accesses that may be to what is not shared.
pub struct Unshared {
    /// For each procedure and node with one way out, and that an access through a pointer: the pointer, and where it continues.
    accesses: Vec<Vec<Option<(Expr, NodeId)>>>,
    /// Stores reach memory in their order.
    in_order: bool,
}

impl Unshared {
    /// For a program whose pointers stay pointers.
    pub fn new(program: &Program, model: Model) -> Option<Unshared> {
        let accesses = program.procedures.iter().map(|procedure| {
            let access = |node: u32| {
                let mut ways = procedure.out(NodeId(node)).map(|(_, edge)| edge);
                let (edge, None) = (ways.next()?, ways.next()) else { return None };
                match &edge.instr {
                    Instr::Load(_, Address::Pointed { pointer, .. })
                    | Instr::Store(Address::Pointed { pointer, .. }, _) => Some((pointer.clone(), edge.to)),
                    _ => None,
                }
            };
            (0..procedure.nodes).map(access).collect()
        });
        let followed = !program.heap_types.is_empty() && !program.shows_addresses();
        followed.then(|| Unshared { accesses: accesses.collect(), in_order: model == Model::Tso })
    }

    /// The nodes of a procedure with such accesses, and where these continue.
    pub fn nodes(&self, procedure: usize, see: &mut dyn FnMut(usize, usize)) {
        for (node, access) in self.accesses[procedure].iter().enumerate() {
            if let Some((_, to)) = access {
                see(node, to.index());
            }
        }
    }

    /// Whether the thread's next step is an access to what it alone can reach, and continues where that is not seen.
    pub fn is_next(&self, state: &State, thread: usize, unseen: impl Fn(NodeId) -> bool) -> bool {
        let top = state.threads[thread].top();
        let Some((pointer, to)) = &self.accesses[top.procedure.index()][top.node.index()] else {
            return false;
        };
        let Ok(word) = eval(pointer, &state.threads[thread]) else { return false };
        let Target::Object(number, _) = pointer::target(word) else { return false };
        unseen(*to) && self.is_unshared(state, thread, ObjectId(number), true)
    }

    /// The next step of a thread's buffer, if nobody sees it: where stores reach memory in their order, a store that gives away
    /// the pointer comes after those to the object. Under PSO it may come before them.
    pub fn flush(&self, state: &State, thread: usize, steps: &[Step]) -> Option<Step> {
        let [step @ Step { action: Action::Flush(loc), .. }] = steps else { return None };
        let (object, _) = loc.as_element()?;
        (self.in_order && self.is_unshared(state, thread, object, false)).then_some(*step)
    }

    fn is_unshared(&self, state: &State, thread: usize, object: ObjectId, by_own_stores: bool) -> bool {
        state.heap_object(object).is_some_and(|o| o.life == Life::Live)
            && !others_lead_to(state, thread, object, by_own_stores)
    }
}

/// Whether anything but the thread's own registers, and the object itself, leads to the object; stores that wait in its own
/// buffer count if asked for.
fn others_lead_to(state: &State, own: usize, object: ObjectId, by_own_stores: bool) -> bool {
    let leads = |word: i64| matches!(pointer::target(word), Target::Object(o, _) if o == object.0);
    let stores = |e: &Entry| e.is_store() && e.loc.as_element().is_some_and(|(o, _)| o == object);
    let by_thread = |(index, thread): (usize, &Thread)| {
        let other = index != own;
        leads(thread.result)
            || thread.buffer.iter().any(|e| (other || by_own_stores) && leads(e.value) || other && stores(e))
            || other && !thread.ended && thread.registers.iter().copied().any(leads)
    };
    let heap = (state.first_heap..).zip(&state.heap).filter(|(number, _)| *number != object.0);
    state.threads.iter().enumerate().any(by_thread)
        || state.cells.iter().copied().any(leads)
        || heap.flat_map(|(_, o)| o.cells.iter().flatten()).copied().any(leads)
}
