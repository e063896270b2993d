//! Atomic functions by their names.

use crate::hir::{FetchOp, Gives};

/// What an atomic function does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    Load,
    /// `__atomic_load(p, out, order)`
    LoadInto,
    Store,
    /// `__atomic_store(p, in, order)`
    StoreFrom,
    Init,
    Exchange,
    /// `__atomic_exchange(p, in, out, order)`
    ExchangeInto,
    /// `(p, &expected, desired, ...)`, gives whether it succeeded.
    CompareExchange,
    /// `__atomic_compare_exchange(p, &expected, &desired, ...)`
    CompareExchangeFrom,
    /// `__sync_val_compare_and_swap(p, old, new)`
    ValueCompareSwap,
    /// `__sync_bool_compare_and_swap(p, old, new)`
    BoolCompareSwap,
    /// `__atomic_compare_swap_n(p, old, new, order)`, of our own: gives the old value.
    CompareSwap,
    Fetch(FetchOp, Gives),
    TestAndSet,
    /// `__sync_lock_test_and_set(p, v)`
    LockTestAndSet,
    /// `__sync_lock_release(p)`
    LockRelease,
    Clear,
    ThreadFence,
    SignalFence,
    FullFence,
    IsLockFree,
}

impl Operation {
    /// How many arguments it takes at least; orders may be missing.
    pub fn least(self) -> usize {
        match self {
            Operation::FullFence => 0,
            Operation::Load
            | Operation::TestAndSet
            | Operation::LockRelease
            | Operation::Clear
            | Operation::ThreadFence
            | Operation::SignalFence
            | Operation::IsLockFree => 1,
            Operation::LoadInto
            | Operation::Store
            | Operation::StoreFrom
            | Operation::Init
            | Operation::Exchange
            | Operation::Fetch(..)
            | Operation::LockTestAndSet => 2,
            Operation::ExchangeInto
            | Operation::CompareExchange
            | Operation::CompareExchangeFrom
            | Operation::ValueCompareSwap
            | Operation::BoolCompareSwap => 3,
            Operation::CompareSwap => 4,
        }
    }
}

fn fetch(name: &str, gives: Gives) -> Option<Operation> {
    let op = match name {
        "add" => FetchOp::Add,
        "sub" => FetchOp::Sub,
        "and" => FetchOp::And,
        "or" => FetchOp::Or,
        "xor" => FetchOp::Xor,
        "nand" => FetchOp::Nand,
        _ => return None,
    };
    Some(Operation::Fetch(op, gives))
}

/// A name without the number of bytes that variants for one size have at their end.
fn unsized_name(name: &str) -> Option<&str> {
    let (stem, bytes) = name.rsplit_once('_')?;
    matches!(bytes, "1" | "2" | "4" | "8" | "16").then_some(stem)
}

/// Whether a function is atomic by its name.
pub(crate) fn is_atomic_function(name: &str) -> bool {
    operation(name).is_some()
}

/// The operation of a function's name.
pub fn operation(name: &str) -> Option<Operation> {
    if let Some(stem) = unsized_name(name).filter(|n| n.starts_with("__sync_") || n.starts_with("__atomic_"))
    {
        return match stem {
            "__atomic_load" | "__atomic_store" | "__atomic_exchange" | "__atomic_compare_exchange" => {
                operation(&format!("{stem}_n"))
            }
            _ => operation(stem),
        };
    }
    if let Some(rest) = name.strip_prefix("__sync_") {
        return sync(rest);
    }
    let rest = name.strip_prefix("__c11_atomic_").or_else(|| name.strip_prefix("__atomic_"));
    let rest = rest.or_else(|| name.strip_prefix("atomic_"))?;
    let rest = rest.strip_suffix("_explicit").unwrap_or(rest);
    generic(rest, !name.starts_with("__atomic_"))
}

fn sync(rest: &str) -> Option<Operation> {
    Some(match rest {
        "synchronize" => Operation::FullFence,
        "val_compare_and_swap" => Operation::ValueCompareSwap,
        "bool_compare_and_swap" => Operation::BoolCompareSwap,
        "lock_test_and_set" => Operation::LockTestAndSet,
        "lock_release" => Operation::LockRelease,
        _ => match (rest.strip_prefix("fetch_and_"), rest.strip_suffix("_and_fetch")) {
            (Some(op), _) => return fetch(op, Gives::Old),
            (_, Some(op)) => return fetch(op, Gives::New),
            (None, None) => return None,
        },
    })
}

/// C11's functions and GCC's, whose plain names work on what pointers point to.
fn generic(rest: &str, c11: bool) -> Option<Operation> {
    Some(match rest {
        "load_n" => Operation::Load,
        "load" if c11 => Operation::Load,
        "load" => Operation::LoadInto,
        "store_n" => Operation::Store,
        "store" if c11 => Operation::Store,
        "store" => Operation::StoreFrom,
        "init" => Operation::Init,
        "exchange_n" => Operation::Exchange,
        "exchange" if c11 => Operation::Exchange,
        "exchange" => Operation::ExchangeInto,
        "compare_exchange_n" | "compare_exchange_strong" | "compare_exchange_weak" => {
            Operation::CompareExchange
        }
        "compare_exchange" => Operation::CompareExchangeFrom,
        "compare_swap_n" if !c11 => Operation::CompareSwap,
        "test_and_set" | "flag_test_and_set" => Operation::TestAndSet,
        "clear" | "flag_clear" => Operation::Clear,
        "thread_fence" => Operation::ThreadFence,
        "signal_fence" => Operation::SignalFence,
        "always_lock_free" | "is_lock_free" => Operation::IsLockFree,
        _ => match (rest.strip_prefix("fetch_"), rest.strip_suffix("_fetch")) {
            (Some(op), _) => return fetch(op, Gives::Old),
            (_, Some(op)) => return fetch(op, Gives::New),
            (None, None) => return None,
        },
    })
}
