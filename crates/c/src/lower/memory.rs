//! Functions on memory, by what they do.

use super::{Lowerer, Result, Value};
use crate::hir::{self, Memory, TypeId};
use fencepost_ir::Span;
use fencepost_ir::tree::{Expr, Fill};

impl<'h> Lowerer<'h> {
    /// A function on memory.
    pub fn memory_function(
        &mut self,
        memory: Memory,
        args: &'h [hir::Expr],
        ty: TypeId,
        span: Span,
    ) -> Result<Value> {
        let value = match memory {
            Memory::Malloc | Memory::PageAlloc => self.new_memory(&args[0], Fill::Undefined, span)?,
            Memory::AlignedAlloc => {
                self.effect(&args[0])?;
                self.new_memory(&args[1], Fill::Undefined, span)?
            }
            Memory::Calloc => self.calloc(&args[0], &args[1], span)?,
            Memory::Realloc => self.reallocate(&args[0], &args[1], None, span)?,
            Memory::ReallocArray => self.reallocate(&args[0], &args[2], Some(&args[1]), span)?,
            Memory::AlignedAllocInto => self.allocate_into(args, span)?,
            Memory::Alloca => self.stack_allocation(&args[0], span)?,
            Memory::Map => self.map(args, span)?,
            Memory::Free | Memory::Unmap => {
                self.free(args, span)?;
                return Ok(self.zero(ty, span));
            }
            Memory::Copy => self.copy_memory(&args[0], &args[1], &args[2], span)?.0,
            Memory::CopyFrom => self.copy_memory(&args[1], &args[0], &args[2], span)?.0,
            Memory::CopyToEnd => {
                let (start, bytes) = self.copy_memory(&args[0], &args[1], &args[2], span)?;
                let bytes = self.wrapped(bytes, self.distance_scalar(), span);
                self.moved_by(start, bytes, span)
            }
            Memory::Fill => self.fill_memory(&args[0], Some(&args[1]), &args[2], span)?,
            Memory::Clear => self.fill_memory(&args[0], None, &args[1], span)?,
            Memory::Compare => self.compare_memory(&args[0], &args[1], &args[2], span)?,
            Memory::Sort => {
                self.sort(args, span)?;
                return Ok(Value::Void);
            }
            Memory::Search => self.search(args, span)?,
            Memory::LowBits => {
                let pointer = self.scalar(&args[0])?;
                self.low_bits(pointer, span)
            }
        };
        Ok(self.given(value, ty, span))
    }

    /// What a function gives, in the type that the program declares it with.
    pub fn given(&mut self, value: Expr, ty: TypeId, span: Span) -> Value {
        if self.hir.types.is_void(ty) {
            self.discard(value);
            return Value::Void;
        }
        match self.scalar_type(ty) {
            Some(scalar) => {
                let value = self.recast(value, scalar, span);
                Value::Scalar(self.folded(value))
            }
            None => Value::Void,
        }
    }
}
