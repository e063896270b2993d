//! What every translation carries with it: the variables of a thread that stand for its buffer, and the
//! procedures that begin and end rounds, load, store and wait (Figures 2 to 5 of the paper). Only procedures that are
//! called are there.
//!
//! With bounded rounds `later_x[j]` is put down for round `j + 1` of the thread; the last place is for
//! never. With bounded age it is put down for `j + 1` rounds from now on. `flush` is the place of the thread's latest
//! store that is on its way, counted from 1; where it is the present round (with bounded age: 0), nothing is.

use crate::{Access, Bound, Delayed, Translator, build, names};
use fencepost_ir::tree::{
    BinaryOp, Block, Choices, Declared, Drain, Expr, Form, LocalId, Place, Procedure, ProcedureId,
    ProcedureKind, Program, Stmt, StmtKind, ThreadLocalId, Type, VarRef, Variable,
};
use fencepost_ir::{IntType, Scalar, Span};
use std::collections::BTreeMap;

/// Arrays of up to so many elements are gone through without a loop: that is shorter to run.
const FEW: u64 = 4;

/// A procedure of the translation's own, in the order in which they are printed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Helper {
    /// The next round begins.
    BeginRound,
    /// A round may end.
    Switch,
    /// Nothing is on its way.
    Fence,
    /// The first round begins.
    BeginThread,
    /// The last round ends.
    EndThread,
    /// An atomic section of the program begins.
    Enter,
    /// It ends.
    Leave,
    /// What the thread sees of a variable.
    Load(usize),
    /// A store.
    Store(usize),
    /// A load through a pointer.
    Read(Scalar),
    /// A store through a pointer.
    Write(Scalar),
    /// A variable that was allocated is gone.
    Forget(usize),
}

/// The variables of a thread that stand for its buffer.
pub struct Buffer {
    /// The present round, with bounded rounds.
    round: ThreadLocalId,
    flush: ThreadLocalId,
    /// Atomic sections of the thread's own that it is in.
    critical: ThreadLocalId,
    /// The type of rounds and places.
    number: Scalar,
    /// For what is delayed: what is put down, and whether anything is.
    pub later: Vec<(ThreadLocalId, ThreadLocalId)>,
}

impl Buffer {
    /// Adds the variables to the program.
    pub fn new(program: &mut Program, delayed: &[Delayed], bound: Bound, prefix: &str) -> Buffer {
        let last = bound.places();
        let number = Scalar::Range { lo: 0, hi: i64::from(last) };
        let mut add = |name: &str, ty: Type, note: &str| {
            let id = ThreadLocalId(program.thread_locals.len());
            let init =
                program.records.layout(&ty).iter().map(|c| Choices::one(c.ty.default_value())).collect();
            program.thread_locals.push(Variable::new(format!("{prefix}{name}"), ty, init, Span::NONE));
            if !note.is_empty() {
                program.spelling.notes.insert(Declared::ThreadLocal(id), note.to_string());
            }
            id
        };
        let round = match bound {
            Bound::Rounds(_) => Some(add("round", number.into(), "The thread's present round.")),
            Bound::Age(_) => None,
        };
        let note = "When the thread's latest store that is on its way reaches memory.";
        let flush = add("flush", number.into(), note);
        let note = "Atomic sections of its own that it is in.";
        let critical = add("critical", Scalar::Integer.into(), note);
        let mut note = "What is put down for later rounds, and whether anything is.";
        let mut later = Vec::new();
        for x in delayed.iter().filter(|_| last > 0) {
            let dims: Vec<u32> = [last].iter().chain(&x.dims).copied().collect();
            let value = add(&format!("later_{}", x.name), Type::with_dims(x.ty, &dims), note);
            let is_there = add(&format!("is_later_{}", x.name), Type::with_dims(Scalar::Bool, &dims), "");
            later.push((value, is_there));
            note = "";
        }
        Buffer { round: round.unwrap_or(flush), flush, critical, number, later }
    }
}

/// A procedure that is made.
#[derive(Default)]
pub struct Made {
    pub params: usize,
    pub locals: Vec<Variable>,
    pub result: Option<Scalar>,
    pub body: Vec<Stmt>,
    pub note: &'static str,
}

impl Made {
    fn new(note: &'static str, body: Vec<Stmt>) -> Made {
        Made { note, body, ..Made::default() }
    }

    fn local(&mut self, name: String, ty: Scalar) -> LocalId {
        let init = vec![Choices::one(ty.default_value())];
        self.locals.push(Variable::new(name, ty.into(), init, Span::NONE));
        LocalId(self.locals.len() - 1)
    }

    /// A parameter, and its value.
    pub fn param(&mut self, name: String, ty: Scalar) -> Expr {
        self.params += 1;
        let id = self.local(name, ty);
        build::read_local(id, ty, Span::NONE)
    }
}

impl Bound {
    /// Places for stores that are on their way, for each variable.
    pub fn places(self) -> u32 {
        match self {
            Bound::Rounds(k) | Bound::Age(k) => k,
        }
    }
}

impl Translator<'_> {
    /// Notes that it is called, and gives its number.
    pub fn helper(&self, helper: Helper) -> ProcedureId {
        let mut helpers = self.helpers.borrow_mut();
        if let Some(number) = helpers.iter().position(|known| *known == helper) {
            return ProcedureId(self.program.procedures.len() + number);
        }
        helpers.push(helper);
        ProcedureId(self.program.procedures.len() + helpers.len() - 1)
    }

    fn helper_name(&self, helper: Helper) -> String {
        let name = match helper {
            Helper::BeginRound => "begin_round".to_string(),
            Helper::Switch => "switch".to_string(),
            Helper::Fence => "fence".to_string(),
            Helper::BeginThread => "begin_thread".to_string(),
            Helper::EndThread => "end_thread".to_string(),
            Helper::Enter => "enter".to_string(),
            Helper::Leave => "leave".to_string(),
            Helper::Load(x) => format!("load_{}", self.delayed[x].name),
            Helper::Store(x) => format!("store_{}", self.delayed[x].name),
            Helper::Read(ty) => format!("read_{}", type_word(ty)),
            Helper::Write(ty) => format!("write_{}", type_word(ty)),
            Helper::Forget(id) => {
                let name = &self.program.shared[id].name;
                format!("end_{}", names::plain(name.strip_prefix(&self.prefix).unwrap_or(name)))
            }
        };
        format!("{}{name}", self.prefix)
    }

    /// The procedures that load and store.
    pub fn accesses(&self) -> BTreeMap<String, Access> {
        let of = |x: usize, is_store| Access { is_store, shared: self.delayed[x].base.0 };
        // Others are not variables of the original.
        let known = |x: &usize| self.delayed[*x].base.0 < self.original.shared.len();
        let all = (0..self.delayed.len())
            .filter(known)
            .flat_map(|x| [(Helper::Load(x), of(x, false)), (Helper::Store(x), of(x, true))]);
        all.map(|(helper, access)| (self.helper_name(helper), access)).collect()
    }

    /// The procedures that are called, each with what there is to be said of it.
    pub fn support(&self) -> Vec<(Helper, Procedure, &'static str)> {
        let mut all = Vec::new();
        // Making one may call for others.
        let next = |made: usize| self.helpers.borrow().get(made).copied();
        while let Some(helper) = next(all.len()) {
            let Made { params, locals, result, body, note } = self.made(helper);
            let procedure = Procedure {
                name: self.helper_name(helper),
                kind: ProcedureKind::Function,
                params,
                result,
                locals,
                body: Block(body),
                span: Span::NONE,
                spelled: None,
            };
            all.push((helper, procedure, note));
        }
        all
    }

    fn made(&self, helper: Helper) -> Made {
        let call = |helper| self.called(helper, Vec::new());
        let (begin, end) = (StmtKind::AtomicBegin(Drain::Yes), StmtKind::AtomicEnd(Drain::Yes));
        match helper {
            Helper::BeginRound => self.begin_round(),
            Helper::Switch => {
                let body = vec![build::stmt(end), call(Helper::BeginRound)];
                let body = vec![build::repeat(self.may_end(), body)];
                Made::new("Here a round may end, and others run.", body)
            }
            Helper::Fence => {
                let body = vec![build::stmt(StmtKind::Assume(self.is_empty()))];
                Made::new("Nothing may be on its way.", body)
            }
            Helper::BeginThread => Made::new("The first round begins.", vec![build::stmt(begin)]),
            Helper::EndThread => Made::new(
                "The last round ends, when nothing is on its way any more.",
                vec![call(Helper::Switch), call(Helper::Fence), build::stmt(end)],
            ),
            Helper::Enter => Made::new(
                "An atomic section begins: no round ends in it.",
                vec![call(Helper::Switch), call(Helper::Fence), self.count_sections(BinaryOp::Add)],
            ),
            Helper::Leave => Made::new(
                "An atomic section ends.",
                vec![call(Helper::Fence), self.count_sections(BinaryOp::Sub)],
            ),
            Helper::Load(x) => self.load(x),
            Helper::Store(x) => self.store(x),
            Helper::Read(ty) => self.read_through(ty),
            Helper::Write(ty) => self.write_through(ty),
            Helper::Forget(id) => self.forget(id),
        }
    }

    /// A call of one of these procedures.
    pub fn called(&self, helper: Helper, args: Vec<Expr>) -> Stmt {
        build::stmt(StmtKind::Eval(build::call(self.helper(helper), args, Scalar::Integer)))
    }

    fn own(&self, id: ThreadLocalId) -> Place {
        build::variable(VarRef::ThreadLocal(id))
    }

    fn flush(&self) -> Expr {
        build::read(self.own(self.buffer.flush), self.buffer.number)
    }

    /// The present round.
    fn now(&self) -> Expr {
        match self.bound {
            Bound::Rounds(_) => build::read(self.own(self.buffer.round), self.buffer.number),
            Bound::Age(_) => build::number(0),
        }
    }

    /// Adds one to a variable, or takes it away.
    fn count(&self, id: ThreadLocalId, ty: Scalar, op: BinaryOp) -> Stmt {
        let one = build::binary(op, build::read(self.own(id), ty), build::number(1), Scalar::Integer);
        build::assign(self.own(id), build::fitting(one, ty))
    }

    /// Enters or leaves an atomic section of the program's own.
    pub fn count_sections(&self, op: BinaryOp) -> Stmt {
        self.count(self.buffer.critical, Scalar::Integer, op)
    }

    fn is_outside_sections(&self) -> Expr {
        let critical = build::read(self.own(self.buffer.critical), Scalar::Integer);
        build::test(BinaryOp::Eq, critical, build::number(0))
    }

    /// Whether a round ends here, if it may.
    pub fn may_end(&self) -> Expr {
        build::test(BinaryOp::And, self.is_outside_sections(), build::any_truth())
    }

    /// Nothing is on its way.
    fn is_empty(&self) -> Expr {
        build::test(BinaryOp::Eq, self.flush(), self.now())
    }

    /// What is put down for a variable in a place, and whether anything is.
    pub fn later(&self, x: usize, place: Expr, indices: &[Expr]) -> (Place, Place) {
        let (value, is_there) = self.buffer.later[x];
        let at = |id| {
            build::element(
                VarRef::ThreadLocal(id),
                [place.clone()].into_iter().chain(indices.iter().cloned()),
            )
        };
        (at(value), at(is_there))
    }

    fn begin_round(&self) -> Made {
        let number = self.buffer.number;
        let note = "The next round begins: what is put down for it reaches memory.";
        let mut made = Made { note, ..Made::default() };
        let mut out = Vec::new();
        if let Bound::Rounds(k) = self.bound {
            let more = build::test(BinaryOp::Lt, self.now(), build::number(i64::from(k) - 1));
            out.push(build::stmt(StmtKind::Assume(more)));
        }
        out.push(build::stmt(StmtKind::AtomicBegin(Drain::Yes)));
        match self.bound {
            Bound::Rounds(_) => {
                let next = self.count(self.buffer.flush, number, BinaryOp::Add);
                out.push(build::when(self.is_empty(), vec![next]));
                out.push(self.count(self.buffer.round, number, BinaryOp::Add));
            }
            Bound::Age(_) => {
                let next = self.count(self.buffer.flush, number, BinaryOp::Sub);
                out.push(build::when(build::test(BinaryOp::Gt, self.flush(), build::number(0)), vec![next]));
            }
        }
        for x in 0..self.buffer.later.len() {
            self.each(x, &mut made, &mut out, &|at| self.arrive(x, at));
        }
        made.body = out;
        made
    }

    /// What is put down for the round that begins reaches memory.
    fn arrive(&self, x: usize, indices: &[Expr]) -> Vec<Stmt> {
        let d = &self.delayed[x];
        let nothing = Expr::constant(d.ty.default_value(), d.ty, Span::NONE);
        let first = match self.bound {
            Bound::Rounds(_) => build::binary(BinaryOp::Sub, self.now(), build::number(1), Scalar::Integer),
            Bound::Age(_) => build::number(0),
        };
        let (value, is_there) = self.later(x, first.clone(), indices);
        let mut then = vec![build::assign(d.at(indices), build::read(value, d.ty))];
        let clear = |j: Expr| {
            let (value, is_there) = self.later(x, j, indices);
            [build::assign(value, nothing.clone()), build::assign(is_there, build::truth(false))]
        };
        let arrives = build::read(is_there, Scalar::Bool);
        match self.bound {
            Bound::Rounds(_) => {
                then.extend(clear(first));
                vec![build::when(arrives, then)]
            }
            Bound::Age(k) => {
                let mut out = vec![build::when(arrives, then)];
                for j in 1..i64::from(k) {
                    let (value, is_there) = self.later(x, build::number(j - 1), indices);
                    let (next, is_next) = self.later(x, build::number(j), indices);
                    out.push(build::assign(value, build::read(next, d.ty)));
                    out.push(build::assign(is_there, build::read(is_next, Scalar::Bool)));
                }
                out.extend(clear(build::number(i64::from(k) - 1)));
                out
            }
        }
    }

    /// Parameters for the indices of what is delayed.
    fn index_params(&self, x: usize, made: &mut Made) -> Vec<Expr> {
        let dims = 0..self.delayed[x].dims.len();
        dims.map(|d| made.param(format!("{}i{d}", self.prefix), Scalar::Integer)).collect()
    }

    /// The newest store that is on its way, else memory.
    fn load(&self, x: usize) -> Made {
        let d = &self.delayed[x];
        let mut made = Made { result: Some(d.ty), ..Made::default() };
        let indices = self.index_params(x, &mut made);
        let back = |place| build::stmt(StmtKind::Return(Some(build::read(place, d.ty))));
        for j in (0..i64::from(self.bound.places())).rev() {
            let (value, is_there) = self.later(x, build::number(j), &indices);
            made.body.push(build::when(build::read(is_there, Scalar::Bool), vec![back(value)]));
        }
        made.body.push(back(d.at(&indices)));
        made
    }

    /// Whether stores of an atomic section may be in the buffer when it ends.
    fn sections_keep_stores(&self) -> bool {
        let mut found = false;
        for procedure in &self.program.procedures {
            procedure.body.visit(&mut |stmt| match &stmt.kind {
                StmtKind::AtomicEnd(Drain::No) => found = true,
                StmtKind::Atomic(Drain::No, body) => body.visit(&mut |inner| {
                    found |= matches!(inner.kind, StmtKind::Assign(..));
                    found |= inner.kind.expressions().into_iter().any(|e| e.calls());
                }),
                _ => {}
            });
        }
        found
    }

    /// A store reaches memory now, or is put down for a later round.
    fn store(&self, x: usize) -> Made {
        let d = &self.delayed[x];
        let mut made = Made::default();
        let indices = self.index_params(x, &mut made);
        let value = made.param(format!("{}value", self.prefix), d.ty);
        let last = i64::from(self.bound.places());
        let now = build::assign(d.at(&indices), value.clone());
        if last == 0 {
            made.body.push(now);
            return made;
        }
        let less = build::test(BinaryOp::Lt, self.flush(), build::number(last));
        // What an atomic section stores has left the buffer at its end, if that waits for it.
        let more = match self.sections_keep_stores() {
            true => less,
            false => build::test(BinaryOp::And, self.is_outside_sections(), less),
        };
        let more = build::test(BinaryOp::And, more, build::any_truth());
        let further = self.count(self.buffer.flush, self.buffer.number, BinaryOp::Add);
        let place = build::binary(BinaryOp::Sub, self.flush(), build::number(1), Scalar::Integer);
        let (later, is_later) = self.later(x, place, &indices);
        let put_down = vec![build::assign(later, value), build::assign(is_later, build::truth(true))];
        made.body.push(build::repeat(more, vec![further]));
        made.body.push(build::stmt(StmtKind::If(self.is_empty(), Block(vec![now]), Block(put_down))));
        made
    }

    /// Statements for a variable, or for each element of an array.
    pub fn each(&self, x: usize, made: &mut Made, out: &mut Vec<Stmt>, stmts: &dyn Fn(&[Expr]) -> Vec<Stmt>) {
        let d = &self.delayed[x];
        let count = d.dims.iter().fold(1u64, |n, d| n.saturating_mul(u64::from(*d)));
        if count <= FEW {
            for number in 0..count {
                let mut rest = number;
                let mut indices = Vec::new();
                for d in d.dims.iter().rev() {
                    indices.insert(0, build::number((rest % u64::from(*d)) as i64));
                    rest /= u64::from(*d);
                }
                out.extend(stmts(&indices));
            }
            return;
        }
        let mut loops = Vec::new();
        for (dimension, n) in d.dims.iter().enumerate() {
            let ty = Scalar::Range { lo: 0, hi: i64::from(*n) };
            let name = format!("{}{}_{dimension}", self.prefix, d.name);
            let known = made.locals.iter().position(|v| v.name == name).map(LocalId);
            loops.push((known.unwrap_or_else(|| made.local(name, ty)), ty, i64::from(*n)));
        }
        let indices: Vec<Expr> =
            loops.iter().map(|(id, ty, _)| build::read_local(*id, *ty, Span::NONE)).collect();
        let mut inner = stmts(&indices);
        for (id, ty, n) in loops.into_iter().rev() {
            let own = || build::read_local(id, ty, Span::NONE);
            let next = build::binary(BinaryOp::Add, own(), build::number(1), Scalar::Integer);
            inner.push(build::assign(build::variable(VarRef::Local(id)), build::fitting(next, ty)));
            let first = build::stmt(StmtKind::Declare(id, Some(Expr::constant(0, ty, Span::NONE))));
            let test = build::test(BinaryOp::Lt, own(), build::number(n));
            let block = Block(vec![first, build::repeat(test, inner)]);
            inner = vec![build::stmt(StmtKind::Block(Form::For { step: 1 }, block))];
        }
        out.extend(inner);
    }
}

/// A word for a type.
fn type_word(ty: Scalar) -> String {
    match ty {
        Scalar::Bool => "bool".to_string(),
        Scalar::Int(IntType { bits, signed }) => {
            let word = match bits {
                8 => "char",
                16 => "short",
                32 => "int",
                64 => "long",
                bits => return format!("{}{bits}", if signed { "int" } else { "uint" }),
            };
            format!("{}{word}", if signed { "" } else { "u" })
        }
        Scalar::Thread => "thread".to_string(),
        Scalar::Pointer { .. } => "pointer".to_string(),
        Scalar::Range { .. } | Scalar::Integer => "integer".to_string(),
        Scalar::Mutex => "mutex".to_string(),
    }
}
