//! The functions that threads of C tests call: C11's atomics, and the kernel's where they are the same by
//! another name. What they mean is said in [`super::body`].

use super::body::{Body, Target, unsupported};
use super::expression::*;
use fencepost_c::ast::{self, ExprKind, UnaryOp};
use fencepost_ir::tree::{BinaryOp, Block, Expr, Fence, FenceKind, RmwKind, StmtKind};
use fencepost_ir::{Access, IntType, Order, Span};
use fencepost_text::Diagnostic;

type Result<T> = std::result::Result<T, Diagnostic>;

/// What the kernel's marked accesses are.
const RELAXED: Access = Access::Atomic(Order::Relaxed);

/// The type of a truth value.
const INT: IntType = IntType { bits: 32, signed: true };

impl Body {
    /// A call; `None` if it has no value.
    pub(super) fn call(&mut self, name: &str, args: &[ast::Expr], span: Span) -> Result<Option<Expr>> {
        let count = |expected: usize| {
            if args.len() == expected {
                return Ok(());
            }
            let message = format!("`{name}` takes {expected} arguments, not {}", args.len());
            Err(Diagnostic::new(span, message))
        };
        // The kernel's functions, as far as they are C11's by another name.
        match name {
            "READ_ONCE" => {
                count(1)?;
                return match self.target(&args[0])? {
                    Target::Memory(global) => Ok(Some(self.load(global, RELAXED, span))),
                    Target::Local(_) => self.value(&args[0]),
                };
            }
            "WRITE_ONCE" => {
                count(2)?;
                let Target::Memory(global) = self.target(&args[0])? else {
                    return Err(unsupported(span, "a local variable here"));
                };
                let value = self.expr(&args[1])?;
                self.store(global, value, RELAXED, span);
                return Ok(None);
            }
            "smp_mb" | "smp_wmb" | "smp_rmb" | "barrier" => {
                count(0)?;
                match name {
                    "smp_mb" => self.push(StmtKind::Fence(Fence::Machine(FenceKind::Full)), span),
                    "smp_wmb" => self.push(StmtKind::Fence(Fence::Machine(FenceKind::StoreStore)), span),
                    _ => {}
                }
                return Ok(None);
            }
            "smp_load_acquire" => {
                count(1)?;
                let global = self.pointed(&args[0])?;
                return Ok(Some(self.load(global, Access::Atomic(Order::Acquire), span)));
            }
            "smp_store_release" => {
                count(2)?;
                let global = self.pointed(&args[0])?;
                let value = self.expr(&args[1])?;
                self.store(global, value, Access::Atomic(Order::Release), span);
                return Ok(None);
            }
            "xchg" => {
                count(2)?;
                let global = self.pointed(&args[0])?;
                let value = self.expr(&args[1])?;
                return Ok(Some(self.rmw(global, RmwKind::Exchange, vec![value], Access::SEQ_CST, span)));
            }
            _ => {}
        }
        let Some(rest) = name.strip_prefix("atomic_") else {
            return Err(unsupported(span, &format!("the function `{name}`")));
        };
        let (operation, explicit) = match rest.strip_suffix("_explicit") {
            Some(operation) => (operation, true),
            None => (rest, false),
        };
        let orders = usize::from(explicit);
        match operation {
            "load" => {
                count(1 + orders)?;
                let global = self.pointed(&args[0])?;
                let order = self.order(args.get(1))?;
                Ok(Some(self.load(global, Access::Atomic(order), span)))
            }
            "store" | "init" => {
                count(2 + orders)?;
                let global = self.pointed(&args[0])?;
                let value = self.expr(&args[1])?;
                let access = match operation {
                    "init" => Access::Plain,
                    _ => Access::Atomic(self.order(args.get(2))?),
                };
                self.store(global, value, access, span);
                Ok(None)
            }
            "exchange" | "fetch_add" | "fetch_sub" | "fetch_and" | "fetch_or" | "fetch_xor" => {
                count(2 + orders)?;
                let kind = match operation {
                    "exchange" => RmwKind::Exchange,
                    "fetch_add" => RmwKind::Add,
                    "fetch_sub" => RmwKind::Sub,
                    "fetch_and" => RmwKind::And,
                    "fetch_or" => RmwKind::Or,
                    _ => RmwKind::Xor,
                };
                let global = self.pointed(&args[0])?;
                let value = self.expr(&args[1])?;
                let order = self.order(args.get(2))?;
                Ok(Some(self.rmw(global, kind, vec![value], Access::Atomic(order), span)))
            }
            "compare_exchange_strong" | "compare_exchange_weak" => {
                count(3 + 2 * orders)?;
                let success = self.order(args.get(3))?;
                let failure = self.order(args.get(4))?;
                if !failure.suits_load() {
                    let message = format!("a compare-exchange that fails has no order {failure}");
                    return Err(Diagnostic::new(args[4].span, message)
                        .help("it only loads: relaxed, acquire or seq_cst"));
                }
                self.compare_exchange(args, Access::compare(success, failure), span).map(Some)
            }
            "thread_fence" => {
                count(1)?;
                let order = self.order(args.first())?;
                self.push(StmtKind::Fence(Fence::Thread(order)), span);
                Ok(None)
            }
            "signal_fence" => {
                count(1)?;
                self.order(args.first())?;
                Ok(None)
            }
            _ => Err(unsupported(span, &format!("the function `{name}`"))),
        }
    }

    /// `(object, &expected, desired, ...)`: whether it succeeded; `expected` gets what was there.
    fn compare_exchange(&mut self, args: &[ast::Expr], access: Access, span: Span) -> Result<Expr> {
        let global = self.pointed(&args[0])?;
        let expected = match &args[1].kind {
            ExprKind::Unary(UnaryOp::AddressOf, inner) => self.target(inner)?,
            // herd's own tests pass a location.
            _ => Target::Memory(self.pointed(&args[1])?),
        };
        let desired = self.expr(&args[2])?;
        let wanted = self.temporary(global.ty, span);
        let value = match expected {
            Target::Local(id) => self.get(id, span),
            Target::Memory(other) => self.load(other, Access::Plain, span),
        };
        self.set(wanted, value, span);
        let wanted = self.get(wanted, span);
        let old = self.rmw(global, RmwKind::CompareExchange, vec![wanted.clone(), desired], access, span);
        let success = self.temporary(INT, span);
        self.set(success, binary(BinaryOp::Eq, old.clone(), wanted), span);
        let outside = std::mem::take(&mut self.stmts);
        match expected {
            Target::Local(id) => self.set(id, old, span),
            Target::Memory(other) => self.store(other, old, Access::Plain, span),
        }
        let failed = std::mem::replace(&mut self.stmts, outside);
        let condition = with_number(BinaryOp::Eq, self.get(success, span), 0);
        self.push(StmtKind::If(condition, Block(failed), Block(Vec::new())), span);
        Ok(self.get(success, span))
    }

    /// The memory order of an argument; none is the strongest.
    fn order(&self, arg: Option<&ast::Expr>) -> Result<Order> {
        let Some(arg) = arg else { return Ok(Order::SeqCst) };
        let name = match &arg.kind {
            ExprKind::Identifier(name) => name.as_str(),
            _ => "",
        };
        Ok(match name {
            "memory_order_relaxed" => Order::Relaxed,
            "memory_order_consume" | "memory_order_acquire" => Order::Acquire,
            "memory_order_release" => Order::Release,
            "memory_order_acq_rel" => Order::AcqRel,
            "memory_order_seq_cst" => Order::SeqCst,
            _ => {
                return Err(
                    Diagnostic::new(arg.span, "expected a memory order").help("as in `memory_order_relaxed`")
                );
            }
        })
    }
}
