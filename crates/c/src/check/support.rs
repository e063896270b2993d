//! Functions and variables of the library that no call names, but that known functions stand for or are made of.

use super::scope::Symbol;
use super::{Checker, Result};
use crate::hir::{Callee, Conversion, Expr, ExprKind, Intrinsic, Memory, Output, Outside, Rank, TypeId};
use crate::runtime;
use fencepost_ir::Span;
use fencepost_ir::tree::BinaryOp;

/// The library's functions that a known function may be made of.
fn made_of(intrinsic: Intrinsic) -> &'static [&'static str] {
    match intrinsic {
        Intrinsic::Memory(memory) => memory_made_of(memory),
        Intrinsic::Outside(outside) => outside_made_of(outside),
        Intrinsic::Output(output) => output_made_of(output),
        _ => &[],
    }
}

fn memory_made_of(memory: Memory) -> &'static [&'static str] {
    match memory {
        Memory::Copy | Memory::CopyFrom | Memory::CopyToEnd => {
            &["__fencepost_copy_raw", "__fencepost_not_whole"]
        }
        Memory::Fill | Memory::Clear => &["__fencepost_fill_raw", "__fencepost_not_whole"],
        Memory::Compare => &["__fencepost_order", "__fencepost_not_whole"],
        Memory::Malloc
        | Memory::Calloc
        | Memory::Free
        | Memory::Realloc
        | Memory::ReallocArray
        | Memory::AlignedAlloc
        | Memory::PageAlloc
        | Memory::AlignedAllocInto
        | Memory::Alloca
        | Memory::Map
        | Memory::Unmap
        | Memory::Sort
        | Memory::Search
        | Memory::LowBits => &[],
    }
}

fn outside_made_of(outside: Outside) -> &'static [&'static str] {
    match outside {
        Outside::Time | Outside::Clock | Outside::ClockInto | Outside::TimespecInto | Outside::TimeInto => {
            &["__fencepost_now"]
        }
        Outside::Calendar | Outside::CalendarInto => &["__fencepost_date"],
        Outside::FormatTime => &["__fencepost_date_text"],
        Outside::ScanText => &[
            "__fencepost_skip_space",
            "__fencepost_scan_text",
            "__fencepost_scan_number",
            "__fencepost_number_value",
            "__fencepost_scan_word",
            "__fencepost_scan_many",
            "__fencepost_scan_set",
            "__fencepost_scan_any",
            "__fencepost_scan_nothing",
            "__fencepost_scan_character",
            "__fencepost_scan_characters",
            "__fencepost_scan_copy",
        ],
        Outside::SystemCall => &["__fencepost_futex", "gettid"],
        Outside::Scan
        | Outside::ScanFile
        | Outside::Text(_)
        | Outside::GetVariable
        | Outside::SetVariable
        | Outside::Setting => &[],
    }
}

fn output_made_of(output: Output) -> &'static [&'static str] {
    match output {
        Output::Print(_) | Output::PrintList(_) | Output::IntoSized | Output::Into => &[
            "vsnprintf",
            "__fencepost_put_text",
            "__fencepost_put_character",
            "__fencepost_put_number",
            "__fencepost_put_end",
        ],
        Output::Log(_)
        | Output::Perhaps
        | Output::Character
        | Output::Text
        | Output::Items
        | Output::Bytes => &[],
    }
}

/// What a function of the library makes necessary if the program calls it.
const FOLLOWED: [(&str, &str); 4] = [
    ("atexit", "__fencepost_run_handlers"),
    ("pthread_key_create", "__fencepost_destroy"),
    ("tss_create", "__fencepost_destroy"),
    ("pthread_cancel", "__fencepost_cancelled_here"),
];

impl<'a> Checker<'a> {
    /// Lets the functions be there that a known function may be made of.
    pub fn support(&mut self, intrinsic: Intrinsic) {
        if self.mode.unevaluated == 0 {
            made_of(intrinsic).iter().for_each(|name| self.supported(name));
        }
    }

    /// Lets the function be there that divides numbers of 128 bits, if the value is such a quotient or remainder.
    pub fn support_division(&mut self, value: &Expr) {
        let ExprKind::Binary(op @ (BinaryOp::Div | BinaryOp::Rem), ..) = value.kind else { return };
        match self.types.as_integer(value.ty) {
            Some(integer) if integer.rank == Rank::Int128 && self.mode.unevaluated == 0 => {
                self.supported(runtime::wide_division(op, integer.signed));
            }
            _ => {}
        }
    }

    /// Lets the functions be there that threads and the program end with; gives whether there is more to check now.
    pub fn support_ends(&mut self, has_destructors: bool) -> bool {
        for (called, needed) in FOLLOWED {
            let used =
                self.library_function(called).is_some_and(|decl| self.link.functions[decl].id.is_some());
            if used {
                self.supported(needed);
            }
        }
        if has_destructors {
            self.supported("__fencepost_run_handlers");
        }
        !self.waiting.is_empty()
    }

    fn supported(&mut self, name: &'static str) {
        let decl = self.library_function(name).unwrap_or_else(|| panic!("the library has `{name}`"));
        if let Ok(id) = self.used_function(decl, Span::NONE) {
            self.output.support.insert(name, id);
        }
    }

    /// A pointer to a variable of the library, as a value of a type.
    fn library_address(&mut self, name: &str, ty: TypeId, span: Span) -> Result<Expr> {
        let Some(Symbol::Variable(decl)) = self.link.library.get(name).copied() else {
            panic!("the library has `{name}`")
        };
        let place = self.variable_place(decl, span)?;
        let address = self.address_of(place, span)?;
        self.convert(address, ty, Conversion::Implicit)
    }

    /// `stdin` and its like, which point to a file as any other.
    pub fn standard_file(&mut self, ty: TypeId, span: Span) -> Result<Expr> {
        self.library_address("__fencepost_file", ty, span)
    }

    /// `__errno_location()`
    pub fn error_place(&mut self, span: Span) -> Result<Expr> {
        let ty = self.types.pointer_to(self.types.int());
        self.library_address("__fencepost_errno", ty, span)
    }

    /// `sem_open(name, flags, mode, value)`: of the last two only the value counts.
    pub fn open_semaphore(&mut self, args: Vec<Expr>, ty: TypeId, span: Span) -> Result<Expr> {
        let decl = self.library_function("__fencepost_sem_open").expect("the library opens semaphores");
        let function =
            self.types.function(self.link.functions[decl].ty).expect("functions are called").clone();
        let mut args = args.into_iter();
        let (name, flags) = (args.next(), args.next());
        let zero = self.constant(0, self.types.int(), span);
        let given = [name, flags, args.nth(1)].map(|arg| arg.unwrap_or_else(|| zero.clone()));
        let mut converted = Vec::new();
        for (arg, param) in given.into_iter().zip(function.params.unwrap_or_default()) {
            converted.push(self.converted(arg, param)?);
        }
        let callee = Callee::Function(self.used_function(decl, span)?);
        let call = Expr { kind: ExprKind::Call(callee, converted), ty: function.result, span };
        self.converted(call, ty)
    }
}
