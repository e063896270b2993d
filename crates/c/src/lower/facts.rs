//! What has to be known of the whole program before any of it is lowered.

use super::known::known_parameters;
use crate::hir::{
    self, Callee, Expr, ExprKind, FunctionId, GlobalId, Intrinsic, Memory, Origin, Outside, Visitor,
};
use index_vec::IndexVec;
use std::collections::{HashMap, HashSet};

/// Facts about a program.
pub struct Facts {
    /// Functions whose address is taken somewhere.
    pub taken: HashSet<FunctionId>,
    /// Functions that give back memory of a type that only the caller knows.
    pub allocators: HashSet<FunctionId>,
    /// Whether functions look at arguments after `...`.
    pub looks_at_arguments: bool,
    /// Whether the program calls `main`, or takes its address.
    pub calls_main: bool,
    /// Whether there may be something to do when the program ends.
    pub has_handlers: bool,
    /// Whether a key may have a destructor.
    pub has_key_destructors: bool,
    /// Whether threads are cancelled.
    pub cancels: bool,
    /// Whether something would have to be done when a thread is cancelled.
    pub has_cleanup_handlers: bool,
    /// Whether the program sets variables of its environment.
    pub sets_variables: bool,
    /// Parameters that are the same constant in every call.
    pub known_parameters: HashMap<(FunctionId, hir::LocalId), i128>,
}

impl Facts {
    pub fn of(program: &hir::Program) -> Facts {
        let mut look = Look {
            program,
            function: None,
            taken: HashSet::new(),
            called: IndexVec::from_vec(vec![Vec::new(); program.functions.len()]),
            allocating: HashSet::new(),
            looks_at_arguments: false,
            has_key_destructors: false,
            has_cleanup_handlers: false,
            sets_variables: false,
        };
        program.globals.iter().for_each(|global| look.initializer(&global.init));
        for (id, function) in program.functions.iter_enumerated() {
            look.function = Some(id);
            if let Some(body) = &function.body {
                // The variable is that of our header's `pthread_cleanup_push`.
                look.has_cleanup_handlers |=
                    body.locals.iter().any(|local| local.name == "__fencepost_routine");
                look.block(&body.block);
            }
        }
        let is_called = |main| look.called.iter().any(|called| called.contains(&main));
        let calls_main = program.main().is_some_and(|main| look.taken.contains(&main) || is_called(main));
        let allocators = look.allocators();
        Facts {
            allocators,
            looks_at_arguments: look.looks_at_arguments,
            calls_main,
            has_handlers: program.support.contains_key("__fencepost_run_handlers"),
            has_key_destructors: look.has_key_destructors,
            cancels: program.support.contains_key("__fencepost_cancelled_here"),
            has_cleanup_handlers: look.has_cleanup_handlers,
            sets_variables: look.sets_variables,
            known_parameters: known_parameters(program, &look.taken),
            taken: look.taken,
        }
    }
}

struct Look<'h> {
    program: &'h hir::Program,
    /// The function at hand.
    function: Option<FunctionId>,
    taken: HashSet<FunctionId>,
    /// Which functions each function calls.
    called: IndexVec<FunctionId, Vec<FunctionId>>,
    /// Functions that allocate themselves.
    allocating: HashSet<FunctionId>,
    looks_at_arguments: bool,
    has_key_destructors: bool,
    has_cleanup_handlers: bool,
    sets_variables: bool,
}

impl Look<'_> {
    fn is_users(&self) -> bool {
        self.function.is_some_and(|id| self.program.functions[id].origin == Origin::User)
    }

    fn call(&mut self, callee: &Callee, args: &[Expr]) {
        let Some(caller) = self.function else { return };
        match callee {
            Callee::Function(id) => {
                self.called[caller].push(*id);
                let called = &self.program.functions[*id];
                let is_librarys = called.origin == Origin::Library;
                let name = called.name.as_str();
                self.looks_at_arguments |=
                    is_librarys && self.is_users() && matches!(name, "vsnprintf" | "vsprintf");
                let is_key = is_librarys && matches!(name, "pthread_key_create" | "tss_create");
                let has_destructor =
                    args.get(1).is_some_and(|destructor| !matches!(destructor.kind, ExprKind::Const(0)));
                self.has_key_destructors |= is_key && has_destructor && self.is_users();
            }
            Callee::Intrinsic(Intrinsic::Memory(
                Memory::Malloc
                | Memory::Calloc
                | Memory::Realloc
                | Memory::ReallocArray
                | Memory::AlignedAlloc
                | Memory::PageAlloc
                | Memory::AlignedAllocInto,
            )) => {
                self.allocating.insert(caller);
            }
            Callee::Intrinsic(Intrinsic::Outside(Outside::SetVariable)) => self.sets_variables = true,
            Callee::Intrinsic(Intrinsic::PushHandler) => self.has_cleanup_handlers = true,
            Callee::Intrinsic(_) | Callee::Pointer(_) => {}
        }
    }

    /// The functions that give back what they, or those that they call, allocate, as what only the caller knows the type of.
    fn allocators(&self) -> HashSet<FunctionId> {
        let is_generic = |id: FunctionId| {
            let function = &self.program.functions[id];
            let types = &self.program.types;
            let result = types.function(function.ty).map(|ty| ty.result);
            let to = result.filter(|ty| types.is_pointer(*ty)).and_then(|ty| types.element(ty));
            function.origin == Origin::User
                && to.is_some_and(|to| types.is_void(to) || types.size(to) == Some(1) && types.is_integer(to))
        };
        let mut found: HashSet<FunctionId> =
            self.allocating.iter().copied().filter(|id| is_generic(*id)).collect();
        loop {
            let calls_one = |id: &FunctionId| self.called[*id].iter().any(|called| found.contains(called));
            let more: Vec<FunctionId> = self
                .called
                .indices()
                .filter(|id| !found.contains(id) && is_generic(*id) && calls_one(id))
                .collect();
            if more.is_empty() {
                return found;
            }
            found.extend(more);
        }
    }
}

impl Visitor for Look<'_> {
    fn expression(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Function(id) => {
                self.taken.insert(*id);
            }
            ExprKind::VaArg(_) => self.looks_at_arguments |= self.is_users(),
            ExprKind::Call(callee, args) => self.call(callee, args),
            _ => {}
        }
        hir::walk_expression(self, e);
    }
}

/// The variables that a function's text converts to pointers to one type only, once they hold memory.
#[derive(Default)]
pub struct Conversions {
    pub locals: std::collections::HashMap<hir::LocalId, Vec<hir::TypeId>>,
    pub globals: std::collections::HashMap<GlobalId, Vec<hir::TypeId>>,
}

impl Visitor for Conversions {
    fn expression(&mut self, e: &Expr) {
        if let ExprKind::Convert(_, arg) = &e.kind
            && let ExprKind::Read(place) = &arg.kind
            && place.path.is_empty()
        {
            match place.base {
                hir::Base::Local(id) => self.locals.entry(id).or_default().push(e.ty),
                hir::Base::Global(id) => self.globals.entry(id).or_default().push(e.ty),
                _ => {}
            }
        }
        hir::walk_expression(self, e);
    }
}
