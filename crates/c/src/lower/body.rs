//! The procedure that is being made: its statements and locals, and the functions whose bodies they come of.
//!
//! A function of the library is inlined where it is called: its body gets a frame of its own on top of the caller's. All
//! that comes of it has the call's place, so that runs show the user's line and no function that the user did not write.

use super::build::{is_constant, is_stable, read_local};
use super::jump::{Cleanup, Jumps};
use super::types::default_cells;
use super::{Lowerer, Result};
use crate::finish::Blocks;
use crate::hir::{self, FunctionId, LabelId};
use fencepost_ir::tree::{
    Base, Block, Expr, ExprKind, LocalId, Place, Projection, Stmt, StmtKind, Type, VarRef, Variable,
};
use fencepost_ir::{Access, Scalar, Span};
use index_vec::IndexVec;
use std::collections::{HashMap, HashSet};

/// A procedure being made.
#[derive(Default)]
pub struct Body<'h> {
    pub locals: Vec<Variable>,
    pub out: Vec<Stmt>,
    /// The function, and the library's functions that are being inlined, innermost last.
    pub frames: Vec<Frame<'h>>,
    /// Labels of our own, counted.
    pub labels: usize,
    /// Blocks, and what is declared in them.
    pub blocks: Blocks,
    /// What memory is for that nothing else tells the type of.
    pub allocated: Option<Type>,
    /// The pointer to the arguments after `...`.
    pub further: Option<LocalId>,
    /// The parameters that are constants.
    pub known: HashMap<LocalId, i64>,
    /// Whether returning ends the program.
    pub is_main: bool,
    /// Loops that read a text only because it is printed, by the locals that they count with.
    pub printed: Vec<LocalId>,
}

/// A function whose body is being lowered.
pub struct Frame<'h> {
    pub function: FunctionId,
    pub body: &'h hir::Body,
    /// What has become of each local.
    slots: IndexVec<hir::LocalId, Option<Slot>>,
    /// The call where it is inlined, and what becomes of accesses that are not said to be atomic.
    inlined: Option<(Span, Access)>,
    /// What labels are called in the program, and the names that are taken.
    pub labels: HashMap<LabelId, String>,
    pub label_names: HashSet<String>,
    /// Where `break` and `continue` lead, innermost last.
    pub jumps: Vec<Jumps>,
    /// Labels of the cases of the switches around, innermost last.
    pub switches: Vec<Vec<String>>,
    /// Variables in scope that something is called with when they go.
    pub cleanups: Vec<Cleanup>,
}

impl<'h> Frame<'h> {
    pub fn new(function: FunctionId, body: &'h hir::Body, inlined: Option<(Span, Access)>) -> Frame<'h> {
        let mut slots = IndexVec::new();
        slots.resize(body.locals.len(), None);
        Frame {
            function,
            body,
            slots,
            inlined,
            labels: HashMap::new(),
            label_names: HashSet::new(),
            jumps: Vec::new(),
            switches: Vec::new(),
            cleanups: Vec::new(),
        }
    }
}

/// What a local of C has become.
#[derive(Clone, Debug)]
pub enum Slot {
    /// A local of the procedure.
    Local(LocalId),
    /// Memory of its own, of this type, to which a local of the procedure points.
    Pointed(LocalId, Type),
    /// A parameter of an inlined function: the argument.
    Alias(Expr),
}

impl<'h> Lowerer<'h> {
    /// The function that is being lowered.
    pub fn frame(&mut self) -> &mut Frame<'h> {
        self.body.frames.last_mut().expect("statements stand in functions")
    }

    /// The locals of the function that is being lowered.
    pub fn hir_body(&self) -> &'h hir::Body {
        self.body.frames.last().expect("statements stand in functions").body
    }

    pub fn is_inlined(&self) -> bool {
        self.body.frames.last().is_some_and(|frame| frame.inlined.is_some())
    }

    /// Where something stands for the user.
    pub fn at(&self, span: Span) -> Span {
        let inlined = self.body.frames.last().and_then(|frame| frame.inlined);
        inlined.map_or(span, |(call, _)| call)
    }

    /// What an access is, seen from the user's text.
    pub fn seen_as(&self, access: Access) -> Access {
        match self.body.frames.last().and_then(|frame| frame.inlined) {
            Some((_, seen)) if access == Access::Plain => seen,
            _ => access,
        }
    }

    pub fn slot(&self, id: hir::LocalId) -> Option<&Slot> {
        self.body.frames.last()?.slots[id].as_ref()
    }

    pub fn set_slot(&mut self, id: hir::LocalId, slot: Slot) {
        self.frame().slots[id] = Some(slot);
    }

    pub fn emit(&mut self, kind: StmtKind, span: Span) {
        self.body.out.push(Stmt { kind, span });
    }

    /// `place = value`
    pub fn assign_place(&mut self, place: Place, value: Expr, span: Span) {
        self.emit(StmtKind::Assign(place, value), span);
    }

    pub fn set_local(&mut self, id: LocalId, value: Expr, span: Span) {
        self.assign_place(Place::variable(VarRef::Local(id), span), value, span);
    }

    /// The statements that `inside` emits, taken out.
    pub fn captured<T>(&mut self, inside: impl FnOnce(&mut Self) -> Result<T>) -> Result<(T, Block)> {
        let outer = std::mem::take(&mut self.body.out);
        let result = inside(self);
        let inner = std::mem::replace(&mut self.body.out, outer);
        Ok((result?, Block(inner)))
    }

    /// A block of statements that `inside` emits.
    pub fn block_of(&mut self, inside: impl FnOnce(&mut Self) -> Result<()>) -> Result<Block> {
        self.captured(inside).map(|((), block)| block)
    }

    /// A new local variable.
    pub fn local(&mut self, name: &str, ty: Type, span: Span) -> LocalId {
        let init = default_cells(&self.program.records, &ty);
        self.body.locals.push(Variable::new(name.to_string(), ty, init, span));
        LocalId(self.body.locals.len() - 1)
    }

    /// A variable of our own, which reports do not show.
    pub fn temporary(&mut self, ty: Scalar, span: Span) -> LocalId {
        let name = format!("%t{}", self.body.locals.len());
        self.local(&name, ty.into(), span)
    }

    /// A variable of our own for a structure.
    pub fn temporary_record(&mut self, ty: Type, span: Span) -> Place {
        let id = self.local("%record", ty, span);
        Place::variable(VarRef::Local(id), span)
    }

    /// The value, evaluated now.
    pub fn keep(&mut self, value: Expr) -> Expr {
        if is_constant(&value) {
            return value;
        }
        let (ty, span) = (value.ty, value.span);
        let id = self.temporary(ty, span);
        self.emit(StmtKind::Declare(id, Some(value)), span);
        read_local(id, ty, span)
    }

    pub fn keep_unless_stable(&mut self, e: Expr) -> Expr {
        if is_stable(&e) { e } else { self.keep(e) }
    }

    /// How far statements have come.
    pub fn mark(&self) -> usize {
        self.body.out.len()
    }

    /// The value, evaluated before what was emitted since `mark`.
    pub fn settle(&mut self, value: Expr, mark: usize) -> Expr {
        if self.body.out.len() == mark || is_constant(&value) {
            return value;
        }
        let later = self.body.out.split_off(mark);
        let kept = self.keep(value);
        self.body.out.extend(later);
        kept
    }

    /// What a place is computed from, evaluated before what was emitted since `mark`.
    pub fn settle_place(&mut self, place: &mut Place, mark: usize) {
        if self.body.out.len() == mark {
            return;
        }
        let later = self.body.out.split_off(mark);
        self.stabilise(place);
        self.body.out.extend(later);
    }

    /// Evaluates what a place is computed from, so that it can be used twice.
    pub fn stabilise(&mut self, place: &mut Place) {
        if let Base::Pointed(pointer, _) = &mut place.base
            && !self.is_kept(pointer)
        {
            **pointer = self.keep((**pointer).clone());
        }
        for step in &mut place.path {
            if let Projection::Index(index) = step
                && !self.is_kept(index)
            {
                *index = self.keep(index.clone());
            }
        }
    }

    /// Whether a value is in a variable of our own: it has been evaluated.
    fn is_kept(&self, value: &Expr) -> bool {
        let ExprKind::Read(Place { base: Base::Variable(VarRef::Local(id)), path, .. }) = &value.kind else {
            return false;
        };
        path.is_empty() && self.body.locals[id.0].name.starts_with("%t")
    }

    /// A label that no one else uses.
    pub fn fresh_label(&mut self, what: &str) -> String {
        self.body.labels += 1;
        format!("__{what}{}", self.body.labels)
    }

    /// Evaluates an expression whose value is unused, if that has an effect.
    pub fn discard(&mut self, e: Expr) {
        let span = e.span;
        let acts = acts(&e);
        match e.kind {
            ExprKind::Rmw(..) | ExprKind::Call(..) | ExprKind::Spawn(..) => {
                self.emit(StmtKind::Eval(e), span);
            }
            _ if acts => {
                self.keep(e);
            }
            _ => {}
        }
    }
}

/// Whether evaluating an expression does anything, or can fail.
fn acts(e: &Expr) -> bool {
    use fencepost_ir::tree::{BinaryOp, Conversion};
    let mut acts = false;
    e.visit(&mut |e| {
        acts |= match &e.kind {
            ExprKind::Rmw(..)
            | ExprKind::Call(..)
            | ExprKind::Spawn(..)
            | ExprKind::Reallocate(..)
            | ExprKind::Allocate(..) => true,
            // A read can fail, and is an access.
            ExprKind::Read(place) => {
                !matches!(place.base, Base::Variable(VarRef::Local(_) | VarRef::ThreadLocal(_)))
                    || place.indices().any(|i| !matches!(i.kind, ExprKind::Const(_)))
            }
            ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr, ..) => true,
            ExprKind::Convert(Conversion::Checked, _) => true,
            _ => false,
        };
    });
    acts
}
