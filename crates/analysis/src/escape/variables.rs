//! Which variables and allocations of a tree only the thread that made them can reach.
//!
//! Others reach what the program's shared variables lead to, what new threads are given and what threads end with, and
//! from there on what these objects hold pointers to ([`PointsTo::held`]). Pointers that are not followed may lead
//! anywhere: an object whose pointers become such is taken for reached, and so is what is stored through one.

use crate::points_to::{Object, PointsTo};
use fencepost_ir::tree::{Program, VarRef};
use std::collections::{BTreeMap, BTreeSet};

/// The objects that several threads may reach.
pub struct Escape {
    reached: BTreeSet<Object>,
}

impl Escape {
    /// Analyses a program.
    pub fn new(program: &Program) -> Escape {
        let points_to = PointsTo::with_unknown(program);
        let mut leads_to: BTreeMap<Object, Vec<Object>> = BTreeMap::new();
        for (holder, object) in points_to.held() {
            leads_to.entry(holder).or_default().push(object);
        }
        let is_root = |object: &Object| match object {
            Object::Variable(_, VarRef::Shared(_) | VarRef::Observed(..)) => true,
            Object::Variable(_, VarRef::Local(_) | VarRef::ThreadLocal(_)) => false,
            Object::Site(..) | Object::Result(_) => false,
            Object::Threads | Object::Unfollowed | Object::Unknown => true,
        };
        let roots = leads_to.keys().copied().filter(is_root);
        let mut reached: BTreeSet<Object> = roots.chain(points_to.handed()).chain(points_to.lost()).collect();
        let mut waiting: Vec<Object> = reached.iter().copied().collect();
        while let Some(object) = waiting.pop() {
            let next = leads_to.get(&object).into_iter().flatten();
            waiting.extend(next.copied().filter(|next| reached.insert(*next)));
        }
        Escape { reached }
    }

    /// Whether another thread than the one that made the object may reach it.
    pub fn is_reached(&self, object: Object) -> bool {
        matches!(object, Object::Variable(_, VarRef::Shared(_))) || self.reached.contains(&object)
    }
}
