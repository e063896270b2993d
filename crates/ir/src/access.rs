//! Whether an access is atomic, as the program says: what a data race is depends on it, and what a step does does not.

/// What the program says of a load or store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Default)]
pub enum Access {
    /// It is not atomic.
    #[default]
    Plain,
    /// It is atomic and orders nothing.
    Relaxed,
    /// It is atomic, and stronger than relaxed.
    Ordered,
}

impl Access {
    /// Its name in text forms; none for a plain one.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Access::Plain => None,
            Access::Relaxed => Some("relaxed"),
            Access::Ordered => Some("ordered"),
        }
    }
}
