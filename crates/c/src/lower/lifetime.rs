//! The lives of variables that are declared in blocks: C makes a new object when a block is entered, and the object is gone
//! when the block is left, by whatever way.
//!
//! Most variables cannot tell: nobody has a pointer to them when the block is left, or nobody who still runs. So lowering
//! only notes where blocks begin and end. Afterwards [`points_to`] says who may point to a variable. If none of these
//! outlives the block, the variable is as good as one of the whole function, and the notes are removed. For the others
//! statements are put on every way into the block and out of it. Which blocks a place of the text is in is known, so every jump
//! knows those it leaves and those it enters.
//!
//! Arrays of variable length and large variables are memory that their declaration allocates, to which a variable of our own
//! points; of these only the end counts.

use super::points_to::{self, Object};
use super::*;

/// The blocks of a function, the outermost first. All that a function has is in the outermost one.
#[derive(Default)]
pub(super) struct Blocks {
    blocks: Vec<OneBlock>,
    /// The blocks around, innermost last.
    open: Vec<usize>,
    /// The block that each local stands in.
    of: HashMap<LocalId, usize>,
}

#[derive(Default)]
struct OneBlock {
    parent: Option<usize>,
    /// Variables that live as long as the block.
    variables: Vec<LocalId>,
    /// Pointers to memory that is gone with the block.
    pointers: Vec<LocalId>,
}

impl Blocks {
    /// Notes where a local stands.
    pub(super) fn note(&mut self, local: usize) {
        if let Some(block) = self.open.last() {
            self.of.insert(LocalId(local), *block);
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.blocks.len()
    }

    /// Whether a block is inside another, or is it.
    fn is_inside(&self, block: Option<usize>, outer: usize) -> bool {
        let mut block = block;
        while let Some(inner) = block {
            if inner == outer {
                return true;
            }
            block = self.blocks[inner].parent;
        }
        false
    }
}

impl<'a> Lowerer<'a> {
    /// A block begins; where, among the statements.
    pub(super) fn open_block(&mut self) -> Option<usize> {
        if self.inlined > 0 || self.unit == self.library_unit {
            return None;
        }
        let blocks = &mut self.body.blocks;
        let parent = blocks.open.last().copied();
        blocks.blocks.push(OneBlock { parent, ..OneBlock::default() });
        blocks.open.push(blocks.blocks.len() - 1);
        Some(self.body.out.len())
    }

    /// It ends.
    pub(super) fn close_block(&mut self, start: Option<usize>) {
        let Some(start) = start else { return };
        let Some(block) = self.body.blocks.open.pop() else { return };
        let OneBlock { variables, pointers, .. } = &self.body.blocks.blocks[block];
        let (variables, pointers) = (variables.clone(), pointers.clone());
        let span = |this: &Self, id: LocalId| this.body.locals[id.0].span;
        for id in variables.iter().chain(&pointers) {
            let enter = Stmt { kind: StmtKind::Enter(*id), span: span(self, *id) };
            self.body.out.insert(start.min(self.body.out.len()), enter);
        }
        for id in variables.iter().chain(&pointers).rev() {
            self.body.out.push(Stmt { kind: StmtKind::Leave(*id), span: span(self, *id) });
        }
    }

    /// A local variable lives as long as the block around. Those of the whole function end with it anyway.
    pub(super) fn begins_with_block(&mut self, id: LocalId) {
        let blocks = &mut self.body.blocks;
        if let (0, Some(block @ 1..)) = (self.inlined, blocks.open.last().copied()) {
            blocks.blocks[block].variables.push(id);
        }
    }

    /// The memory that a local points to is gone when the block around ends.
    pub(super) fn ends_with_block(&mut self, id: LocalId) {
        let blocks = &mut self.body.blocks;
        if let (0, Some(block)) = (self.inlined, blocks.open.last().copied()) {
            blocks.blocks[block].pointers.push(id);
        }
    }

    /// The value of a block that is an expression, which is used behind it; the block and those in it are counted from
    /// `first` on.
    pub(super) fn outlives_block(&mut self, value: &Value, first: usize) {
        let blocks = &mut self.body.blocks;
        match value {
            Value::Scalar(Typed { expr: Expr { kind: ExprKind::Read(place), .. }, .. }) => {
                if let (Base::Variable(VarRef::Local(id)), Some(block)) = (&place.base, blocks.open.last()) {
                    blocks.of.insert(*id, *block);
                }
            }
            // It is read behind the block, though it may be a variable of the block, or in one.
            Value::Record(..) => {
                for block in &mut blocks.blocks[first..] {
                    block.variables.clear();
                    block.pointers.clear();
                }
            }
            Value::Scalar(_) | Value::Void => {}
        }
    }

    /// Puts the ends of lives where they are, of variables for which they count, in the procedures that have been lowered
    /// since this was done last.
    pub(super) fn end_lives(&mut self) {
        let mut blocks = std::mem::take(&mut self.blocks);
        let mut new: Vec<ProcedureId> = blocks.keys().copied().collect();
        new.sort_unstable();
        let ending = self.pointed_from_outside(&blocks);
        for id in new {
            let lives: HashSet<LocalId> =
                ending.iter().filter(|(p, _)| *p == id).map(|(_, local)| *local).collect();
            let starts = self.program.threads.iter().any(|t| t.procedure == id);
            let procedure = &mut self.program.procedures[id.0];
            if lives.is_empty() {
                procedure.body.retain(&|stmt| !matches!(stmt.kind, StmtKind::Enter(_) | StmtKind::Leave(_)));
                continue;
            }
            let pointers = blocks.remove(&id).into_iter().flat_map(|b| b.blocks).flat_map(|b| b.pointers);
            let mut ways = Ways {
                lives: &lives,
                pointers: pointers.collect(),
                at_labels: HashMap::new(),
                at_loops: Vec::new(),
                now: Vec::new(),
                locals: &mut procedure.locals,
                ends_with_thread: !starts,
            };
            ways.look(&procedure.body);
            ways.now.clear();
            let body = std::mem::take(&mut procedure.body);
            procedure.body = ways.block(body);
        }
        self.in_blocks.extend(ending);
    }

    /// The variables that something may point to that is there when their block is not.
    fn pointed_from_outside(&self, blocks: &HashMap<ProcedureId, Blocks>) -> HashSet<(ProcedureId, LocalId)> {
        // What has an address, and the blocks of those that may end; and who starts threads with what.
        let mut addressed: HashSet<(ProcedureId, LocalId)> = HashSet::new();
        let mut ends: HashMap<Object, (ProcedureId, LocalId)> = HashMap::new();
        let mut started: HashSet<ProcedureId> = self.program.threads.iter().map(|t| t.procedure).collect();
        let mut sites: HashMap<ProcedureId, usize> = HashMap::new();
        for (p, procedure) in self.program.procedures.iter().enumerate() {
            let id = ProcedureId(p);
            procedure.body.visit(&mut |stmt| {
                for e in stmt.kind.expressions() {
                    e.visit(&mut |e| match &e.kind {
                        ExprKind::AddressOf(Place { base: Base::Variable(VarRef::Local(local)), .. }) => {
                            addressed.insert((id, *local));
                        }
                        ExprKind::Spawn(procedure, ..) => {
                            started.insert(*procedure);
                        }
                        ExprKind::Allocate(..) | ExprKind::Reallocate(..) => {
                            let site = sites.entry(id).or_default();
                            if let StmtKind::Declare(local, Some(value)) = &stmt.kind
                                && std::ptr::eq(value, e)
                            {
                                ends.insert(Object::Site(id, *site), (id, *local));
                            }
                            *site += 1;
                        }
                        _ => {}
                    });
                }
            });
        }
        let with_block = |(p, local): &(ProcedureId, LocalId), of: fn(&OneBlock) -> &Vec<LocalId>| {
            blocks.get(p).is_some_and(|b| b.blocks.iter().any(|b| of(b).contains(local)))
        };
        ends.retain(|_, at| with_block(at, |b| &b.pointers));
        for at in addressed.iter().filter(|at| with_block(at, |b| &b.variables)) {
            ends.insert(Object::Variable(Some(at.0), VarRef::Local(at.1)), *at);
        }
        if ends.is_empty() {
            return HashSet::new();
        }
        let mut outside = HashSet::new();
        for (holder, object) in points_to::held(&self.program) {
            let Some((p, local)) = ends.get(&object) else { continue };
            let outlives = match holder {
                Object::Variable(Some(q), VarRef::Local(by)) if q == *p => {
                    let own = &blocks[p];
                    own.of.get(local).is_none_or(|block| !own.is_inside(own.of.get(&by).copied(), *block))
                }
                // A function that is called ends before the block does, unless it is a thread's; but pointers may
                // lead to variables of those who call.
                Object::Variable(Some(q), VarRef::Local(by)) => {
                    let is_parameter = by.0 < self.program.procedure(q).params;
                    addressed.contains(&(q, by)) || is_parameter && started.contains(&q)
                }
                Object::Variable(..) | Object::Site(..) => true,
                Object::Number => false,
                // Variables are gone with the function anyway.
                Object::Result(_) | Object::Threads => matches!(object, Object::Site(..)),
            };
            if outlives {
                outside.insert((*p, *local));
            }
        }
        outside
    }
}

/// Puts ends and beginnings of lives on the ways of a procedure.
struct Ways<'l> {
    lives: &'l HashSet<LocalId>,
    /// Those of them that point to what ends.
    pointers: HashSet<LocalId>,
    /// What is alive at each label.
    at_labels: HashMap<String, Vec<LocalId>>,
    /// And at the loops around, innermost last.
    at_loops: Vec<Vec<LocalId>>,
    now: Vec<LocalId>,
    locals: &'l mut Vec<Variable>,
    /// A thread that is there from the beginning leaves its variables to the others.
    ends_with_thread: bool,
}

impl Ways<'_> {
    fn pass(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Enter(id) if self.lives.contains(id) => self.now.push(*id),
            StmtKind::Leave(id) => self.now.retain(|alive| alive != id),
            _ => {}
        }
    }

    /// Notes what is alive at labels.
    fn look(&mut self, body: &Block) {
        let mut now = Vec::new();
        body.visit(&mut |stmt| {
            std::mem::swap(&mut self.now, &mut now);
            self.pass(&stmt.kind);
            if let StmtKind::Label(name) = &stmt.kind {
                self.at_labels.insert(name.clone(), self.now.clone());
            }
            std::mem::swap(&mut self.now, &mut now);
        });
    }

    fn block(&mut self, block: Block) -> Block {
        let mut out = Vec::new();
        for stmt in block.0 {
            self.statement(stmt, &mut out);
        }
        Block(out)
    }

    fn statement(&mut self, stmt: Stmt, out: &mut Vec<Stmt>) {
        self.pass(&stmt.kind);
        let span = stmt.span;
        let kind = match stmt.kind {
            StmtKind::Enter(id) if !self.lives.contains(&id) || self.pointers.contains(&id) => return,
            StmtKind::Leave(id) if !self.lives.contains(&id) => return,
            // What stands behind a jump is not come to.
            StmtKind::Leave(_) if out.last().is_some_and(is_jump) => return,
            StmtKind::If(test, then, otherwise) => {
                let then = self.block(then);
                StmtKind::If(test, then, self.block(otherwise))
            }
            StmtKind::While(test, body) => StmtKind::While(test, self.in_loop(body)),
            StmtKind::DoWhile(body, test) => StmtKind::DoWhile(self.in_loop(body), test),
            StmtKind::Atomic(drain, body) => StmtKind::Atomic(drain, self.block(body)),
            StmtKind::Block(body) => StmtKind::Block(self.block(body)),
            StmtKind::Choose(blocks) => StmtKind::Choose(blocks.into_iter().map(|b| self.block(b)).collect()),
            StmtKind::Goto(label) => {
                let there = self.at_labels.get(&label).cloned().unwrap_or_default();
                self.lead(&there, span, out);
                StmtKind::Goto(label)
            }
            kind @ (StmtKind::Break | StmtKind::Continue) => {
                let there = self.at_loops.last().cloned().unwrap_or_default();
                self.lead(&there, span, out);
                kind
            }
            StmtKind::Return(value) if !self.now.is_empty() => {
                let value = value.map(|value| self.kept(value, out));
                self.lead(&[], span, out);
                StmtKind::Return(value)
            }
            StmtKind::Exit(value) if !self.now.is_empty() && self.ends_with_thread => {
                let value = value.map(|value| self.kept(value, out));
                self.lead(&[], span, out);
                StmtKind::Exit(value)
            }
            kind => kind,
        };
        out.push(Stmt { kind, span });
    }

    fn in_loop(&mut self, body: Block) -> Block {
        self.at_loops.push(self.now.clone());
        let body = self.block(body);
        self.at_loops.pop();
        body
    }

    /// Leaves the blocks around and enters those of a place that is jumped to.
    fn lead(&self, there: &[LocalId], span: Span, out: &mut Vec<Stmt>) {
        for id in self.now.iter().rev().filter(|id| !there.contains(id)) {
            out.push(Stmt { kind: StmtKind::Leave(*id), span });
        }
        for id in there.iter().filter(|id| !self.now.contains(id) && !self.pointers.contains(id)) {
            out.push(Stmt { kind: StmtKind::Enter(*id), span });
        }
    }

    /// A value, evaluated now.
    fn kept(&mut self, value: Expr, out: &mut Vec<Stmt>) -> Expr {
        let (ty, span) = (value.ty, value.span);
        let init = vec![Choices::one(ty.default_value())];
        self.locals.push(Variable::new(format!("%t{}", self.locals.len()), ty.into(), init, span));
        let id = LocalId(self.locals.len() - 1);
        out.push(Stmt { kind: StmtKind::Declare(id, Some(value)), span });
        read_local(id, ty, span)
    }
}

fn is_jump(stmt: &Stmt) -> bool {
    matches!(
        stmt.kind,
        StmtKind::Goto(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_)
            | StmtKind::Exit(_)
            | StmtKind::Halt
    )
}
