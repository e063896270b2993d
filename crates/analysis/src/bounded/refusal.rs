//! Why nothing is said of a program within bounds.

use fencepost_task::{Reason, Stop};
use std::fmt;

/// Why there is nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The program has what cannot be followed, or too much of it.
    Unfit(String),
    /// The budget stopped the work.
    Stopped(Stop),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Reason::from(self.clone()).fmt(f)
    }
}

impl From<Refusal> for Reason {
    fn from(refusal: Refusal) -> Reason {
        match refusal {
            Refusal::Unfit(why) => Reason::NotApplicable(why),
            Refusal::Stopped(stop) => stop.into(),
        }
    }
}

impl From<Stop> for Refusal {
    fn from(stop: Stop) -> Refusal {
        Refusal::Stopped(stop)
    }
}

impl From<String> for Refusal {
    fn from(why: String) -> Refusal {
        Refusal::Unfit(why)
    }
}

impl From<&str> for Refusal {
    fn from(why: &str) -> Refusal {
        Refusal::Unfit(why.to_string())
    }
}
