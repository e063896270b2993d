//! What C has no words for: functions that a verifier knows, and mutexes that can be taken inside atomic sections.

use super::{Dialect, Need, Words};
use crate::Scalar;
use std::fmt::Write;

impl Words<'_> {
    fn pick(&self, verifier: &'static str, cprover: &'static str) -> &'static str {
        match self.context.style.dialect {
            Dialect::Verifier => verifier,
            Dialect::Cprover => cprover,
        }
    }

    /// Opens an atomic section.
    pub fn atomic_begin(&self) -> &'static str {
        self.pick("__VERIFIER_atomic_begin();", "__CPROVER_atomic_begin();")
    }

    /// Closes it.
    pub fn atomic_end(&self) -> &'static str {
        self.pick("__VERIFIER_atomic_end();", "__CPROVER_atomic_end();")
    }

    /// Goes on only if it is true.
    pub fn assume(&self, condition: &str) -> String {
        format!("{}({condition});", self.pick("__VERIFIER_assume", "__CPROVER_assume"))
    }

    /// Must be true.
    pub fn assertion(&self, condition: &str) -> String {
        match self.context.style.dialect {
            Dialect::Verifier => format!("assert({condition});"),
            Dialect::Cprover => format!("__CPROVER_assert({condition}, \"assertion\");"),
        }
    }

    /// What comes before a variable that each thread has for itself.
    pub fn thread_local(&self) -> &'static str {
        self.pick("static _Thread_local", "static __thread")
    }

    /// Headers that what is needed is in.
    pub fn headers(&self) -> String {
        let assert = self.pick("#include <assert.h>\n", "");
        let memory = if self.context.needs(&Need::Memory) { "#include <stdlib.h>\n" } else { "" };
        format!("{assert}#include <pthread.h>\n{memory}")
    }

    /// Functions that the text does not define.
    pub fn externs(&self) -> String {
        let mut out = String::new();
        if self.context.style.dialect == Dialect::Verifier {
            out += "extern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n\
                    extern void __VERIFIER_assume(int);\n";
        }
        // `stdlib.h` has it, too.
        if self.context.needs(&Need::Exit) && !self.context.needs(&Need::Memory) {
            out += "extern void exit(int) __attribute__((noreturn));\n";
        }
        let needs = self.context.needs.borrow().clone();
        let nondet = needs.iter().filter_map(|need| match need {
            Need::Nondet(ty) => Some(*ty),
            _ => None,
        });
        for ty in nondet {
            let _ = writeln!(out, "extern {}(void);", self.named(&ty.into(), &self.nondet(ty)));
        }
        out.push('\n');
        out
    }

    /// The type of mutexes, as large as the program takes them to be.
    pub fn mutex_type(&self) -> String {
        if !self.context.needs(&Need::Mutex) {
            return String::new();
        }
        format!(
            "/* A mutex: whether it is taken, and who has it. */\nstruct {}mutex {{\n    _Bool taken;\n    pthread_t owner;\n    \
             char rest[{} - 2 * sizeof(pthread_t)];\n}};\n\n",
            self.context.style.prefix,
            Scalar::Mutex.size()
        )
    }

    /// Functions that take and give back mutexes, in an atomic section.
    pub fn mutex_functions(&self) -> String {
        let p = &self.context.style.prefix;
        let mut out = String::new();
        let mut function = |name: &str, comment: &str, lines: [String; 3]| {
            let body: String = lines.iter().map(|line| format!("    {line}\n")).collect();
            out +=
                &format!("\n/* {comment} */\nstatic void {p}{name}(struct {p}mutex *{p}m)\n{{\n{body}}}\n");
        };
        if self.context.needs(&Need::Lock) {
            let free = self.assume(&format!("!{p}m->taken"));
            let lines = [free, format!("{p}m->taken = 1;"), format!("{p}m->owner = pthread_self();")];
            function("lock", "Waits for a mutex and takes it.", lines);
        }
        if self.context.needs(&Need::Unlock) {
            let own = self.assertion(&format!("{p}m->taken && pthread_equal({p}m->owner, pthread_self())"));
            let lines = [own, format!("{p}m->taken = 0;"), format!("{p}m->owner = 0;")];
            function("unlock", "Gives back a mutex that the thread has.", lines);
        }
        out
    }
}
