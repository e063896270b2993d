//! What a program says of an access: whether it is atomic, and in which order.
//!
//! Front ends write it down as the source has it. What an order means on a machine is said in one place, the table of
//! `memory`; a data race is one by what is said here.

use std::fmt;

/// Memory orders of C11; `consume` is read as `acquire`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Order {
    /// Orders nothing.
    Relaxed,
    /// What follows stays after it.
    Acquire,
    /// What precedes stays before it.
    Release,
    /// Both.
    AcqRel,
    /// Both, and all such accesses are in one order.
    SeqCst,
}

impl Order {
    /// Every order, weaker ones first.
    pub const ALL: [Order; 5] =
        [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];

    /// Its name in the modelling language and in graphs.
    pub fn name(self) -> &'static str {
        match self {
            Order::Relaxed => "relaxed",
            Order::Acquire => "acquire",
            Order::Release => "release",
            Order::AcqRel => "acq_rel",
            Order::SeqCst => "seq_cst",
        }
    }

    /// The order of that name.
    pub fn from_name(name: &str) -> Option<Order> {
        Order::ALL.into_iter().find(|order| order.name() == name)
    }

    /// Whether a load can have it.
    pub fn suits_load(self) -> bool {
        matches!(self, Order::Relaxed | Order::Acquire | Order::SeqCst)
    }

    /// Whether a store can have it.
    pub fn suits_store(self) -> bool {
        matches!(self, Order::Relaxed | Order::Release | Order::SeqCst)
    }

    /// The order of the load in a read-modify-write of this order.
    pub fn of_load(self) -> Order {
        match self {
            Order::Relaxed | Order::Release => Order::Relaxed,
            Order::Acquire | Order::AcqRel => Order::Acquire,
            Order::SeqCst => Order::SeqCst,
        }
    }

    /// The order of the store in a read-modify-write of this order.
    pub fn of_store(self) -> Order {
        match self {
            Order::Relaxed | Order::Acquire => Order::Relaxed,
            Order::Release | Order::AcqRel => Order::Release,
            Order::SeqCst => Order::SeqCst,
        }
    }

    /// Whether what is before it is passed on to those who acquire.
    pub fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }

    /// Whether it takes what others released.
    pub fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst)
    }
}

/// What the program says of an access or fence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Default)]
pub enum Access {
    /// Nothing.
    #[default]
    Plain,
    /// It must happen as written, but is not atomic.
    Volatile,
    /// It is an instruction of a machine, in assembly: C has no order for it, machines take it as relaxed.
    Instruction,
    /// It is atomic.
    Atomic(Order),
    /// It is a compare-exchange with an order of its own for failure.
    Compare {
        /// The order if it writes.
        success: Order,
        /// The order if it does not: that of a load.
        failure: Order,
    },
}

impl Access {
    /// An atomic access in the strongest order.
    pub const SEQ_CST: Access = Access::Atomic(Order::SeqCst);

    /// Whether it can be part of a data race.
    pub fn is_atomic(self) -> bool {
        matches!(self, Access::Instruction | Access::Atomic(_) | Access::Compare { .. })
    }

    /// A compare-exchange with these orders.
    pub fn compare(success: Order, failure: Order) -> Access {
        match failure == success.of_load() {
            true => Access::Atomic(success),
            false => Access::Compare { success, failure },
        }
    }

    /// The order of an atomic access.
    pub fn order(self) -> Option<Order> {
        match self {
            Access::Atomic(order) | Access::Compare { success: order, .. } => Some(order),
            Access::Instruction => Some(Order::Relaxed),
            Access::Plain | Access::Volatile => None,
        }
    }

    /// The order of a read-modify-write that writes; it is atomic even if nothing is said of it.
    pub fn of_update(self) -> Order {
        self.order().unwrap_or(Order::SeqCst)
    }

    /// The order of a read-modify-write that writes nothing, which makes it a load.
    pub fn of_failure(self) -> Order {
        match self {
            Access::Plain | Access::Volatile | Access::Instruction | Access::Atomic(_) => {
                self.of_update().of_load()
            }
            Access::Compare { failure, .. } => failure,
        }
    }

    /// Its name in text forms; none for a plain one.
    pub fn name(self) -> Option<String> {
        match self {
            Access::Plain => None,
            Access::Volatile => Some("volatile".to_string()),
            Access::Instruction => Some("instruction".to_string()),
            Access::Atomic(order) => Some(order.name().to_string()),
            Access::Compare { success, failure } => Some(format!("{success}@{failure}")),
        }
    }

    /// The access of that name.
    pub fn from_name(name: &str) -> Option<Access> {
        match name.split_once('@') {
            Some((success, failure)) => {
                let failure = Order::from_name(failure).filter(|order| order.suits_load())?;
                Some(Access::compare(Order::from_name(success)?, failure))
            }
            None if name == "volatile" => Some(Access::Volatile),
            None if name == "instruction" => Some(Access::Instruction),
            None => Order::from_name(name).map(Access::Atomic),
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
