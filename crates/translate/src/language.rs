//! The words in which the two languages of a translation differ. Their statements are nearly the same.

/// The language of a translation's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// The modelling language.
    Model,
    /// C with pthreads.
    C(Dialect),
}

/// Names for what C has no words for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// `__VERIFIER_assume` and so on.
    Verifier,
    /// `__CPROVER_assume` and so on.
    Cprover,
}

impl Language {
    /// Whether it is C.
    pub fn is_c(self) -> bool {
        self != Language::Model
    }

    fn pick(self, model: &'static str, verifier: &'static str, cprover: &'static str) -> &'static str {
        match self {
            Language::Model => model,
            Language::C(Dialect::Verifier) => verifier,
            Language::C(Dialect::Cprover) => cprover,
        }
    }

    /// Opens an atomic section.
    pub fn atomic_begin(self) -> &'static str {
        self.pick("atomic_begin;", "__VERIFIER_atomic_begin();", "__CPROVER_atomic_begin();")
    }

    /// Closes it.
    pub fn atomic_end(self) -> &'static str {
        self.pick("atomic_end;", "__VERIFIER_atomic_end();", "__CPROVER_atomic_end();")
    }

    /// Goes on only if it is true.
    pub fn assume(self, condition: &str) -> String {
        format!("{}({condition});", self.pick("assume", "__VERIFIER_assume", "__CPROVER_assume"))
    }

    /// Must be true.
    pub fn assert(self, condition: &str) -> String {
        match self {
            Language::C(Dialect::Cprover) => format!("__CPROVER_assert({condition}, \"assertion\");"),
            _ => format!("assert({condition});"),
        }
    }

    /// A condition that is true or not.
    pub fn any(self) -> &'static str {
        self.pick("any", "__VERIFIER_nondet_int()", "nondet_int()")
    }

    /// What holds.
    pub fn yes(self) -> &'static str {
        self.pick("true", "1", "1")
    }

    /// What does not hold.
    pub fn no(self) -> &'static str {
        self.pick("false", "0", "0")
    }

    /// A statement that does nothing.
    pub fn skip(self) -> &'static str {
        self.pick("skip;", ";", ";")
    }

    /// What stands before a variable that each thread has for itself.
    pub fn thread_local(self) -> &'static str {
        self.pick("local", "static _Thread_local", "static __thread")
    }

    /// The type of truth values.
    pub fn flag(self) -> &'static str {
        self.pick("bool", "_Bool", "_Bool")
    }

    /// A type for numbers up to the last one.
    pub fn number(self, last: u32) -> String {
        if self.is_c() { "int".to_string() } else { format!("0..{last}") }
    }

    /// A type for numbers without a known end.
    pub fn counter(self) -> &'static str {
        self.pick("integer", "int", "int")
    }

    /// A type for indices.
    pub fn index(self) -> &'static str {
        self.pick("integer", "long", "long")
    }

    /// A comment on a line of its own.
    pub fn comment(self, text: &str) -> String {
        if self.is_c() { format!("/* {text} */\n") } else { format!("// {text}\n") }
    }

    /// The head of a function of the translation's own.
    pub fn function(self, result: &str, name: &str, params: &str) -> String {
        match (self.is_c(), params.is_empty()) {
            (false, _) => format!("{result} {name}({params})"),
            (true, true) => format!("static {result} {name}(void)"),
            (true, false) => format!("static {result} {name}({params})"),
        }
    }
}
