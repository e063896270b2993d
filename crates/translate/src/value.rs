//! Expressions. One that reads or changes memory is taken apart: a round may end before each access, so each becomes
//! a statement with a variable for its result.

use crate::body::{Body, Result};
use crate::support::Helper;
use crate::{Unsupported, language::Language};
use fencepost_ir::tree::{
    Base, BinaryOp, Choices, Drain, Expr, ExprKind, Fill, LocalId, Place, Projection, RmwKind, SharedId,
    VarRef,
};
use fencepost_ir::{Scalar, Span};

/// How a place is accessed.
pub enum Access {
    /// Directly: others do not see it, or it never changes.
    Direct,
    /// Through what stands for the buffer.
    Delayed(usize),
    /// Through a pointer that may mean something delayed.
    Pointer(Scalar),
}

impl Body<'_> {
    /// How a place is accessed.
    pub fn access(&self, place: &Place) -> Access {
        match &place.base {
            Base::Variable(VarRef::Shared(id)) => match self.translator.delayed_at(*id, &place.path) {
                Some(x) => Access::Delayed(x),
                None => Access::Direct,
            },
            Base::Variable(_) => Access::Direct,
            Base::Pointed(..) => match self.translator.scalar_at(&self.procedure, place) {
                Some(ty) if self.translator.pointed(ty).next().is_some() => Access::Pointer(ty),
                _ => Access::Direct,
            },
        }
    }

    /// Whether an access to the place is no step that others could run before. In the modelling language what never
    /// changes is read in steps too, so that all states between two steps are there.
    pub fn is_unseen(&self, place: &Place) -> bool {
        let shared = matches!(place.base, Base::Variable(VarRef::Shared(_)));
        matches!(self.access(place), Access::Direct) && (self.language().is_c() || !shared)
    }

    /// Whether evaluating it takes more than reading the thread's own variables.
    pub fn has_effects(&self, e: &Expr) -> bool {
        let mut found = false;
        e.visit(&mut |e| {
            found |= match &e.kind {
                ExprKind::Read(place) => !self.is_unseen(place),
                ExprKind::Rmw(..) | ExprKind::Call(..) | ExprKind::Spawn(..) | ExprKind::Allocate(..) => true,
                ExprKind::Any(choices) => self.is_restricted(choices, e.ty),
                _ => false,
            }
        });
        found
    }

    /// Whether C has no expression for the choice.
    fn is_restricted(&self, choices: &Choices, ty: Scalar) -> bool {
        let (lo, hi) = ty.limits();
        let all = matches!(choices.0[..], [(a, b)] if (ty.meaning(a) <= lo && ty.meaning(b) >= hi) || (a, b) == (i64::MIN, i64::MAX));
        self.language().is_c() && !all
    }

    /// Operands from left to right; what stands left of a call is kept.
    pub fn operands(&mut self, operands: &[&Expr]) -> Result<Vec<Expr>> {
        let mut values = Vec::new();
        for (i, operand) in operands.iter().enumerate() {
            let mut value = self.value(operand)?;
            if operands[i + 1..].iter().any(|later| later.calls()) {
                value = self.keep(value);
            }
            values.push(value);
        }
        Ok(values)
    }

    /// A place whose pointer and indices take no access.
    pub fn place(&mut self, place: &Place, later: &[&Expr]) -> Result<(Place, Vec<Expr>)> {
        if let Base::Pointed(..) = place.base
            && !self.language().is_c()
        {
            return Err(Unsupported::new(place.span, "a pointer"));
        }
        let inner: Vec<&Expr> = place.expressions().collect();
        let count = inner.len();
        let all: Vec<&Expr> = inner.into_iter().chain(later.iter().copied()).collect();
        let mut values = self.operands(&all)?;
        let rest = values.split_off(count);
        let mut values = values.into_iter();
        let mut next = || values.next().expect("there is a value for each expression");
        let base = match &place.base {
            Base::Pointed(_, ty) => Base::Pointed(Box::new(next()), ty.clone()),
            Base::Variable(variable) => Base::Variable(*variable),
        };
        let path = place.path.iter().map(|step| match step {
            Projection::Index(_) => Projection::Index(next()),
            Projection::Field(i) => Projection::Field(*i),
        });
        Ok((Place { base, path: path.collect(), span: place.span, access: place.access }, rest))
    }

    /// An expression for the value that takes no access.
    pub fn value(&mut self, e: &Expr) -> Result<Expr> {
        let with = |kind| Expr { kind, ty: e.ty, span: e.span };
        Ok(match &e.kind {
            ExprKind::Any(choices) if self.is_restricted(choices, e.ty) => {
                let id = self.temporary(e.ty);
                let nondet = self.translator.helper(Helper::Nondet(e.ty));
                self.assign(id, &format!("{nondet}()"));
                let name = self.procedure.locals[id.0].name.clone();
                let range = |&(lo, hi): &(i64, i64)| {
                    if lo == hi {
                        format!("{name} == {lo}")
                    } else {
                        format!("({name} >= {lo} && {name} <= {hi})")
                    }
                };
                let ranges: Vec<_> = choices.0.iter().map(range).collect();
                let assume = self.language().assume(&ranges.join(" || "));
                self.line(assume);
                self.read_local(id, e.ty, e.span)
            }
            ExprKind::Any(_) => {
                if self.language().is_c() {
                    self.translator.helper(Helper::Nondet(e.ty));
                }
                e.clone()
            }
            ExprKind::Const(_) | ExprKind::Own => e.clone(),
            ExprKind::Read(place) if self.is_unseen(place) => with(ExprKind::Read(self.place(place, &[])?.0)),
            ExprKind::Read(place) => {
                let text = self.load(place)?;
                let id = self.temporary(e.ty);
                self.assign(id, &text);
                self.read_local(id, e.ty, e.span)
            }
            ExprKind::Unary(op, arg) => with(ExprKind::Unary(*op, Box::new(self.value(arg)?))),
            ExprKind::Convert(how, arg) => with(ExprKind::Convert(*how, Box::new(self.value(arg)?))),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) if self.has_effects(right) => {
                let id = self.temporary(Scalar::Bool);
                let left = self.value(left)?;
                let text = self.truth(&left);
                self.assign(id, &text);
                let name = self.procedure.locals[id.0].name.clone();
                let condition = if *op == BinaryOp::And { name } else { format!("!{name}") };
                self.line(format!("if ({condition}) {{"));
                self.indent += 1;
                let right = self.value(right)?;
                let text = self.truth(&right);
                self.assign(id, &text);
                self.indent -= 1;
                self.line("}");
                self.read_local(id, Scalar::Bool, e.span)
            }
            ExprKind::Binary(op, left, right) => {
                let [left, right] = self.pair(left, right)?;
                with(ExprKind::Binary(*op, left, right))
            }
            ExprKind::Select(condition, then, otherwise)
                if self.has_effects(then) || self.has_effects(otherwise) =>
            {
                let id = self.temporary(e.ty);
                let condition = self.value(condition)?;
                self.line(format!("if ({}) {{", self.expr(&condition)));
                self.arm(id, then)?;
                self.line("} else {");
                self.arm(id, otherwise)?;
                self.line("}");
                self.read_local(id, e.ty, e.span)
            }
            ExprKind::Select(condition, then, otherwise) => {
                let condition = Box::new(self.value(condition)?);
                let [then, otherwise] = self.pair(then, otherwise)?;
                with(ExprKind::Select(condition, then, otherwise))
            }
            ExprKind::Rmw(..) | ExprKind::Call(..) | ExprKind::Spawn(..) => {
                let id = self.temporary(e.ty);
                self.action(e, Some(id))?;
                self.read_local(id, e.ty, e.span)
            }
            ExprKind::AddressOf(place) if self.language().is_c() => {
                with(ExprKind::AddressOf(self.place(place, &[])?.0))
            }
            ExprKind::AddressOf(_) => return Err(Unsupported::new(e.span, "a pointer")),
            ExprKind::Allocate(..) => {
                let id = self.temporary(e.ty);
                self.allocate(e, id)?;
                self.read_local(id, e.ty, e.span)
            }
            ExprKind::Reallocate(..) => {
                return Err(Unsupported::new(e.span, "memory that is made larger or smaller"));
            }
        })
    }

    /// The text of a load that others see, and before it a place where a round may end.
    fn load(&mut self, place: &Place) -> Result<String> {
        let access = self.access(place);
        let (place, _) = self.place(place, &[])?;
        let text = match access {
            Access::Direct => self.place_text(&place),
            Access::Delayed(x) => {
                let load = self.translator.helper(Helper::Load(x));
                let cast = self.cast_between(&place, x).map_or(String::new(), |(own, _)| format!("({own})"));
                format!("{cast}{load}({})", self.indices(&place).join(", "))
            }
            Access::Pointer(ty) => {
                let read = self.translator.helper(Helper::Read(ty));
                format!("{read}({})", self.address(&place))
            }
        };
        self.switch();
        Ok(text)
    }

    /// The types of a place and of what is delayed of it, where they differ: members of unions.
    pub fn cast_between(&self, place: &Place, x: usize) -> Option<(String, String)> {
        let delayed = self.translator.delayed[x].ty;
        let own = self.translator.scalar_at(&self.procedure, place).filter(|own| *own != delayed)?;
        Some((self.type_text(own), self.type_text(delayed)))
    }

    /// The text of a value that is all that is assigned: a load needs no variable of its own.
    pub fn whole_value(&mut self, e: &Expr, target: LocalId) -> Result<String> {
        match &e.kind {
            ExprKind::Read(place) if !self.is_unseen(place) => self.load(place),
            _ => {
                let value = self.value(e)?;
                Ok(self.expr_to_local(&value, target))
            }
        }
    }

    fn pair(&mut self, left: &Expr, right: &Expr) -> Result<[Box<Expr>; 2]> {
        let values = self.operands(&[left, right])?;
        let [left, right] = <[Expr; 2]>::try_from(values).expect("two operands have two values");
        Ok([Box::new(left), Box::new(right)])
    }

    fn arm(&mut self, id: LocalId, e: &Expr) -> Result<()> {
        self.indent += 1;
        let value = self.value(e)?;
        let text = self.expr(&value);
        self.assign(id, &text);
        self.indent -= 1;
        Ok(())
    }

    /// The value as a condition.
    fn truth(&self, e: &Expr) -> String {
        match e.ty {
            Scalar::Bool => self.expr(e),
            _ => format!("({}) != 0", self.expr(e)),
        }
    }

    /// A call, spawn or read-modify-write; its result goes to the variable. What it waits for stands before it.
    pub fn action(&mut self, e: &Expr, result: Option<LocalId>) -> Result<()> {
        let text = match &e.kind {
            ExprKind::Call(id, args) => {
                let args = self.operands(&args.iter().collect::<Vec<_>>())?;
                let call = Expr { kind: ExprKind::Call(*id, args), ty: e.ty, span: e.span };
                match result {
                    Some(result) => self.expr_to_local(&call, result),
                    None => self.expr(&call),
                }
            }
            ExprKind::Spawn(id, args, drain) => {
                let args = self.operands(&args.iter().collect::<Vec<_>>())?;
                self.switch();
                if *drain == Drain::Yes {
                    self.call(Helper::Fence);
                }
                let process = self.translator.process_of[id.0];
                if self.language().is_c() {
                    let handle = result.unwrap_or_else(|| self.temporary(Scalar::Thread));
                    let handle = self.procedure.locals[handle.0].name.clone();
                    let name = self.translator.program.procedure(process).name.clone();
                    let arg = if args.is_empty() { "0".to_string() } else { self.args(&args) };
                    self.call(Helper::BeforeSpawn);
                    self.line(format!("pthread_create(&{handle}, 0, {name}, {arg});"));
                    self.call(Helper::AfterSpawn);
                    return Ok(());
                }
                let kind = ExprKind::Spawn(process, args, *drain);
                self.expr(&Expr { kind, ty: e.ty, span: e.span })
            }
            ExprKind::Rmw(kind, place, operands) => {
                let later: Vec<&Expr> = operands.iter().collect();
                let (place, operands) = self.place(place, &later)?;
                if !self.language().is_c() && !matches!(place.base, Base::Variable(VarRef::Shared(_))) {
                    return Err(Unsupported::new(
                        e.span,
                        "a read-modify-write of a variable that is not shared",
                    ));
                }
                self.switch();
                self.call(Helper::Fence);
                if self.language().is_c() {
                    return self.spelled_out(*kind, &place, &operands, result);
                }
                let kind = ExprKind::Rmw(*kind, place, operands);
                self.expr(&Expr { kind, ty: e.ty, span: e.span })
            }
            _ => return Err(Unsupported::new(e.span, "an expression without effect as a statement")),
        };
        match result {
            Some(id) => self.assign(id, &text),
            None => self.line(format!("{text};")),
        }
        Ok(())
    }

    /// Allocates one of the objects of a place, and notes that it is there.
    fn allocate(&mut self, e: &Expr, result: LocalId) -> Result<()> {
        let Some(id) = self.translator.heap.at(self.id, e.span) else {
            return Err(Unsupported::new(e.span, "allocated memory"));
        };
        let value = self.procedure.locals[result.0].name.clone();
        let text = self.new_object(id);
        self.assign(result, &text);
        self.note_object(id, &value);
        Ok(())
    }

    /// Allocates those of the procedure's variables that are to be.
    pub fn first_objects(&mut self) {
        let translator = self.translator;
        let own = self.id;
        for moved in translator.heap.moved.iter().filter(|m| m.procedure == own) {
            let text = self.new_object(moved.shared);
            self.note_object(moved.shared, &text);
        }
    }

    /// Whether variables of the procedure are gone when it returns.
    pub fn has_last_objects(&self) -> bool {
        self.translator.heap.moved.iter().any(|m| m.procedure == self.id && m.ends)
    }

    /// The procedure's variables are gone.
    pub fn last_objects(&mut self) {
        let translator = self.translator;
        let own = self.id;
        for moved in translator.heap.moved.iter().filter(|m| m.procedure == own && m.ends) {
            translator.helper(Helper::Memory);
            self.call(Helper::Forget(moved.shared.0));
        }
    }

    /// The text that allocates an object.
    fn new_object(&self, id: SharedId) -> String {
        let objects = &self.translator.heap.objects[&id];
        self.translator.helper(Helper::Memory);
        let element = self.c_words().type_name(&objects.element);
        match (objects.fill, objects.count) {
            (Fill::Zero, n) => format!("calloc({n}, sizeof({element}))"),
            (Fill::Undefined, 1) => format!("malloc(sizeof({element}))"),
            (Fill::Undefined, n) => format!("malloc({n} * sizeof({element}))"),
        }
    }

    /// Notes that an object is there; its mutexes are free.
    fn note_object(&mut self, id: SharedId, value: &str) {
        let translator = self.translator;
        let objects = &translator.heap.objects[&id];
        let name = &translator.program.shared[id.0].name;
        let target = if objects.total == 1 { name.clone() } else { format!("{name}[{name}_used]") };
        self.line(format!("{target} = {value};"));
        if objects.fill == Fill::Undefined {
            for mutex in objects.mutexes(&translator.program, &target) {
                self.line(format!("{mutex}.taken = 0;"));
            }
        }
        if objects.total > 1 {
            self.line(format!("{name}_used = {name}_used + 1;"));
        }
    }

    /// A read-modify-write, in a section: a load and a store.
    fn spelled_out(
        &mut self,
        kind: RmwKind,
        place: &Place,
        operands: &[Expr],
        result: Option<LocalId>,
    ) -> Result<()> {
        let Some(ty) = self.translator.scalar_at(&self.procedure, place) else {
            return Err(Unsupported::new(place.span, "an atomic operation on more than a scalar"));
        };
        let operands: Vec<Expr> = operands.iter().map(|e| self.keep(e.clone())).collect();
        let old = match (kind, result) {
            (RmwKind::CompareAndSwap, _) | (_, None) => self.temporary(ty),
            (_, Some(result)) => result,
        };
        let target = self.place_text(place);
        let now = Expr { kind: ExprKind::Read(place.clone()), ty, span: Span::NONE };
        let text = self.expr_to_local(&now, old);
        self.assign(old, &text);
        let before = self.read_local(old, ty, Span::NONE);
        let combined = |op| {
            let kind = ExprKind::Binary(op, Box::new(before.clone()), Box::new(operands[0].clone()));
            Expr { kind, ty, span: Span::NONE }
        };
        let narrowed = |body: &Self, op| {
            let text = body.expr(&combined(op));
            match ty {
                Scalar::Int(int) if int.bits < 32 => format!("({})({text})", body.type_text(ty)),
                _ => text,
            }
        };
        let new = match kind {
            RmwKind::Exchange => self.expr_to(&operands[0], place),
            RmwKind::Add => narrowed(self, BinaryOp::Add),
            RmwKind::Sub => narrowed(self, BinaryOp::Sub),
            RmwKind::And => narrowed(self, BinaryOp::BitAnd),
            RmwKind::Or => narrowed(self, BinaryOp::BitOr),
            RmwKind::Xor => narrowed(self, BinaryOp::BitXor),
            RmwKind::CompareExchange | RmwKind::CompareAndSwap => {
                let equal = self.expr(&combined_equal(&before, &operands[0]));
                let new = self.expr_to(&operands[1], place);
                self.line(format!("if ({equal}) {{"));
                self.line(format!("    {target} = {new};"));
                self.line("}");
                if let (RmwKind::CompareAndSwap, Some(result)) = (kind, result) {
                    self.assign(result, &equal);
                }
                return Ok(());
            }
        };
        self.line(format!("{target} = {new};"));
        Ok(())
    }

    /// Whether the text is C.
    pub fn language(&self) -> Language {
        self.translator.language
    }
}

fn combined_equal(left: &Expr, right: &Expr) -> Expr {
    let kind = ExprKind::Binary(BinaryOp::Eq, Box::new(left.clone()), Box::new(right.clone()));
    Expr { kind, ty: Scalar::Bool, span: Span::NONE }
}
