//! The lives of variables that are declared in blocks: C makes a new object when a block is entered, and the object is gone
//! when the block is left, by whatever way.
//!
//! Most variables cannot tell: nobody has a pointer to them when the block is left, or nobody who still runs. So front ends
//! only say where blocks begin and end in the text: every variable of a block is entered and left. [`PointsTo`] says who may
//! point to a variable. If none of these
//! outlives the block, the variable is as good as one of the whole function, and the statements are removed. For the others
//! they are put on every way into the block and out of it. Which blocks a place of the text is in is known, so every jump
//! knows those it leaves and those it enters.
//!
//! Arrays of variable length and large variables are memory that their declaration allocates, to which a variable of our own
//! points; of these only the end counts. They are left, and not entered.
//!
//! Variables that have been looked at are kept in their blocks ([`Kept::InBlock`]), so that the pass can run again.

use fencepost_analysis::addressed::Addressed;
use fencepost_analysis::points_to::{Object, PointsTo, Sites};
use fencepost_ir::Span;
use fencepost_ir::tree::*;
use std::collections::{HashMap, HashSet};

/// Puts the ends of lives where they are, of variables for which they count.
pub(crate) fn run(program: &mut Program) {
    let regions: Vec<Regions> = program.procedures.iter().map(Regions::new).collect();
    let ending = pointed_from_outside(program, &regions);
    for (p, regions) in regions.iter().enumerate() {
        if regions.regions.is_empty() {
            continue;
        }
        let id = ProcedureId(p);
        let lives: HashSet<LocalId> =
            ending.iter().filter(|(p, _)| *p == id).map(|(_, local)| *local).collect();
        let starts = program.threads.iter().any(|t| t.procedure == id);
        let procedure = &mut program.procedures[p];
        let done = |local: LocalId| !regions.regions.contains_key(&local);
        if lives.is_empty() {
            procedure.body.retain(&|stmt| match stmt.kind {
                StmtKind::Enter(local) | StmtKind::Leave(local) => done(local),
                _ => true,
            });
            continue;
        }
        for local in lives.iter().filter(|local| !regions.is_pointer(**local)) {
            procedure.locals[local.0].kept = Kept::InBlock(Fill::Zero);
        }
        let mut ways = Ways {
            lives: &lives,
            regions,
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
}

/// Where the blocks of locals are in a procedure's text, by the numbers of its statements.
struct Regions {
    /// Of those that end with a block and have not been looked at before: the first and the last statement, and what ends.
    regions: HashMap<LocalId, Region>,
    /// The first and the last statement that names a local; a parameter is there from the beginning.
    named: HashMap<LocalId, (usize, usize)>,
}

struct Region {
    first: usize,
    last: usize,
    ends: Ends,
}

/// What ends with a block.
#[derive(Clone, Copy, PartialEq)]
enum Ends {
    /// The variable.
    Variable,
    /// The memory that the variable's declaration has allocated, which is this site of the procedure.
    Memory(Option<usize>),
}

impl Regions {
    fn new(procedure: &Procedure) -> Regions {
        let mut regions: HashMap<LocalId, Region> = HashMap::new();
        let mut named: HashMap<LocalId, (usize, usize)> = HashMap::new();
        let sites = Sites::new(procedure);
        let mut declared: HashMap<LocalId, (usize, Option<usize>)> = HashMap::new();
        let mut at = 1;
        procedure.body.visit(&mut |stmt| {
            at += 1;
            let mut name = |local: LocalId| {
                let (_, last) = named.entry(local).or_insert((at, at));
                *last = at;
            };
            let is_new = |local: LocalId| procedure.locals[local.0].kept == Kept::Private;
            match &stmt.kind {
                StmtKind::Enter(local) if is_new(*local) => {
                    let first = Region { first: at, last: at, ends: Ends::Variable };
                    regions.entry(*local).or_insert(first);
                }
                StmtKind::Leave(local) if is_new(*local) => {
                    let (first, site) = declared.get(local).copied().unwrap_or((at, None));
                    let ends = Ends::Memory(site);
                    regions.entry(*local).or_insert(Region { first, last: at, ends }).last = at;
                }
                StmtKind::Declare(local, value) => {
                    let site = value.as_ref().and_then(|e| sites.number(e));
                    declared.entry(*local).or_insert((at, site));
                    name(*local);
                }
                _ => {}
            }
            if let Some(Place { base: Base::Variable(VarRef::Local(local)), .. }) = stmt.kind.place() {
                name(*local);
            }
            for e in stmt.kind.expressions() {
                e.visit(&mut |e| {
                    if let ExprKind::Read(place) | ExprKind::AddressOf(place) | ExprKind::Rmw(_, place, _) =
                        &e.kind
                        && let Base::Variable(VarRef::Local(local)) = place.base
                    {
                        name(local);
                    }
                });
            }
        });
        for parameter in (0..procedure.params).map(LocalId) {
            named.entry(parameter).or_insert((0, 0)).0 = 0;
        }
        Regions { regions, named }
    }

    fn is_pointer(&self, local: LocalId) -> bool {
        self.regions.get(&local).is_some_and(|region| region.ends != Ends::Variable)
    }

    /// Whether a local is named only inside of the block of another.
    fn is_inside(&self, other: LocalId, local: LocalId) -> bool {
        let (Some(region), Some((first, last))) = (self.regions.get(&local), self.named.get(&other)) else {
            return false;
        };
        region.first <= *first && *last <= region.last
    }
}

/// The variables that something may point to that is there when their block is not.
fn pointed_from_outside(program: &Program, regions: &[Regions]) -> HashSet<(ProcedureId, LocalId)> {
    // What has an address, and the blocks of those that may end; and who starts threads with what.
    let addressed = Addressed::new(program);
    let mut started: HashSet<ProcedureId> = program.threads.iter().map(|t| t.procedure).collect();
    for procedure in &program.procedures {
        procedure.body.visit(&mut |stmt| {
            for e in stmt.kind.expressions() {
                e.visit(&mut |e| {
                    if let ExprKind::Spawn(procedure, ..) = &e.kind {
                        started.insert(*procedure);
                    }
                });
            }
        });
    }
    let mut ends: HashMap<Object, (ProcedureId, LocalId)> = HashMap::new();
    for (p, regions) in regions.iter().enumerate() {
        let id = ProcedureId(p);
        for (local, region) in &regions.regions {
            match region.ends {
                Ends::Variable if addressed.contains(id, VarRef::Local(*local)) => {
                    ends.insert(Object::Variable(Some(id), VarRef::Local(*local)), (id, *local));
                }
                Ends::Memory(Some(site)) => {
                    ends.insert(Object::Site(id, site), (id, *local));
                }
                Ends::Variable | Ends::Memory(None) => {}
            }
        }
    }
    if ends.is_empty() {
        return HashSet::new();
    }
    let mut outside = HashSet::new();
    for (holder, object) in PointsTo::new(program).held() {
        let Some((p, local)) = ends.get(&object) else { continue };
        let outlives = match holder {
            Object::Variable(Some(q), VarRef::Local(by)) if q == *p => !regions[p.0].is_inside(by, *local),
            // A function that is called ends before the block does, unless it is a thread's; but pointers may
            // lead to variables of those who call.
            Object::Variable(Some(q), VarRef::Local(by)) => {
                let is_parameter = by.0 < program.procedure(q).params;
                addressed.contains(q, VarRef::Local(by)) || is_parameter && started.contains(&q)
            }
            Object::Variable(..) | Object::Site(..) => true,
            Object::Unfollowed | Object::Unknown => false,
            // Variables are gone with the function anyway.
            Object::Result(_) | Object::Threads => matches!(object, Object::Site(..)),
        };
        if outlives {
            outside.insert((*p, *local));
        }
    }
    outside
}

/// Puts ends and beginnings of lives on the ways of a procedure.
struct Ways<'l> {
    lives: &'l HashSet<LocalId>,
    regions: &'l Regions,
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
            // What is allocated begins to live where it is declared.
            StmtKind::Declare(id, _)
                if self.lives.contains(id) && self.regions.is_pointer(*id) && !self.now.contains(id) =>
            {
                self.now.push(*id);
            }
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
            StmtKind::Enter(id) | StmtKind::Leave(id)
                if !self.lives.contains(&id) && self.regions.regions.contains_key(&id) =>
            {
                return;
            }
            // What follows a jump is unreachable.
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
        for id in there.iter().filter(|id| !self.now.contains(id) && !self.regions.is_pointer(**id)) {
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
