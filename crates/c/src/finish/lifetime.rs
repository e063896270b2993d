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

impl Made {
    /// Puts the ends of lives where they are, of variables for which they count. Gives these variables.
    pub(super) fn end_lives(&mut self) -> HashSet<(ProcedureId, LocalId)> {
        let blocks = std::mem::take(&mut self.notes.blocks);
        let ending = self.pointed_from_outside(&blocks);
        for (&id, blocks) in &blocks {
            let lives: HashSet<LocalId> =
                ending.iter().filter(|(p, _)| *p == id).map(|(_, local)| *local).collect();
            let starts = self.program.threads.iter().any(|t| t.procedure == id);
            let procedure = &mut self.program.procedures[id.0];
            if lives.is_empty() {
                procedure.body.retain(&|stmt| !matches!(stmt.kind, StmtKind::Enter(_) | StmtKind::Leave(_)));
                continue;
            }
            let mut ways = Ways {
                lives: &lives,
                pointers: blocks.pointers().collect(),
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
        ending
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
        let pointers: HashSet<_> = blocks.iter().flat_map(|(p, b)| b.pointers().map(|l| (*p, l))).collect();
        ends.retain(|_, at| pointers.contains(at));
        let variables = blocks.iter().flat_map(|(p, b)| b.variables().map(|l| (*p, l)));
        for at in variables.filter(|at| addressed.contains(at)) {
            ends.insert(Object::Variable(Some(at.0), VarRef::Local(at.1)), at);
        }
        if ends.is_empty() {
            return HashSet::new();
        }
        let mut outside = HashSet::new();
        for (holder, object) in points_to::held(&self.program) {
            let Some((p, local)) = ends.get(&object) else { continue };
            let outlives = match holder {
                Object::Variable(Some(q), VarRef::Local(by)) if q == *p => !blocks[p].is_inside(by, *local),
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
            StmtKind::Block(form, body) => StmtKind::Block(form, self.block(body)),
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
