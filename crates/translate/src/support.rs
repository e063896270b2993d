//! What every translation carries with it: the variables of a thread that stand for its buffer, and the
//! procedures that begin and end rounds, load, store and wait (Figures 2 to 5 of the paper). Only procedures that are
//! called are written.
//!
//! With bounded rounds `later_x[j]` is put down for round `j + 1` of the thread; the last place is for
//! never. With bounded age it is put down for `j + 1` rounds from now on. `flush` is the place of the thread's latest
//! store that is on its way, counted from 1; where it is the present round (with bounded age: 0), nothing is.

use crate::language::Language;
use crate::{Access, Bound, Delayed, Dialect, Translator};
use fencepost_ir::Scalar;
use fencepost_ir::tree::{Drain, StmtKind};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Arrays of up to so many elements are gone through without a loop: that is shorter to run.
const FEW: u64 = 4;

/// A procedure of the translation's own, in the order in which they are written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Helper {
    /// The next round begins.
    BeginRound,
    /// A round may end.
    Switch,
    /// Nothing is on its way.
    Fence,
    /// The first round begins.
    BeginThread,
    /// The last round ends.
    EndThread,
    /// An atomic section of the program begins.
    Enter,
    /// It ends.
    Leave,
    /// What the thread sees of a variable.
    Load(usize),
    /// A store.
    Store(usize),
    /// A load through a pointer.
    Read(Scalar),
    /// A store through a pointer.
    Write(Scalar),
    /// Takes a mutex.
    Lock,
    /// Gives it back.
    Unlock,
    /// The round goes on while a thread is started.
    BeforeSpawn,
    /// The thread is started.
    AfterSpawn,
    /// Any value of a type.
    Nondet(Scalar),
    /// A variable that was allocated is gone.
    Forget(usize),
    /// The end of the program.
    Exit,
    /// Memory is allocated or freed.
    Memory,
}

impl Translator<'_> {
    /// Notes that it is called, and gives its name.
    pub fn helper(&self, helper: Helper) -> String {
        self.used.borrow_mut().insert(helper);
        self.helper_name(helper)
    }

    pub fn helper_name(&self, helper: Helper) -> String {
        let type_word = |ty: Scalar| match ty {
            Scalar::Thread => "thread".to_string(),
            ty => self.c_words(None).nondet(ty).replace("__VERIFIER_", "").replace("nondet_", ""),
        };
        let name = match helper {
            Helper::BeginRound => "begin_round".to_string(),
            Helper::Switch => "switch".to_string(),
            Helper::Fence => "fence".to_string(),
            Helper::BeginThread => "begin_thread".to_string(),
            Helper::EndThread => "end_thread".to_string(),
            Helper::Enter => "enter".to_string(),
            Helper::Leave => "leave".to_string(),
            Helper::Load(x) => format!("load_{}", self.delayed[x].name),
            Helper::Store(x) => format!("store_{}", self.delayed[x].name),
            Helper::Read(ty) => format!("read_{}", type_word(ty)),
            Helper::Write(ty) => format!("write_{}", type_word(ty)),
            Helper::Lock => "lock".to_string(),
            Helper::Unlock => "unlock".to_string(),
            Helper::BeforeSpawn => "before_spawn".to_string(),
            Helper::AfterSpawn => "after_spawn".to_string(),
            Helper::Nondet(ty) => return self.c_words(None).nondet(ty),
            Helper::Forget(id) => {
                let name = &self.program.shared[id].name;
                format!("end_{}", name.strip_prefix(&self.prefix).unwrap_or(name))
            }
            Helper::Exit => return "exit".to_string(),
            Helper::Memory => return "malloc".to_string(),
        };
        format!("{}{name}", self.prefix)
    }

    /// The procedures that load and store.
    pub fn accesses(&self) -> BTreeMap<String, Access> {
        let of = |x: usize, is_store| Access { is_store, shared: self.delayed[x].base.0 };
        // Others are no variables of the original.
        let known = |x: &usize| self.delayed[*x].base.0 < self.original.shared.len();
        let all = (0..self.delayed.len())
            .filter(known)
            .flat_map(|x| [(Helper::Load(x), of(x, false)), (Helper::Store(x), of(x, true))]);
        all.map(|(helper, access)| (self.helper_name(helper), access)).collect()
    }

    /// What a procedure calls of the others.
    fn callees(&self, helper: Helper) -> Vec<Helper> {
        match helper {
            Helper::Switch => vec![Helper::BeginRound],
            Helper::EndThread => vec![Helper::Switch, Helper::Fence],
            Helper::Enter => vec![Helper::Switch, Helper::Fence],
            Helper::Leave => vec![Helper::Fence],
            Helper::Read(ty) => self.pointed(ty).map(Helper::Load).collect(),
            Helper::Write(ty) => self.pointed(ty).map(Helper::Store).collect(),
            _ => Vec::new(),
        }
    }

    /// Everything that is called.
    fn all_used(&self) -> BTreeSet<Helper> {
        let mut all = BTreeSet::new();
        let mut work: Vec<Helper> = self.used.borrow().iter().copied().collect();
        while let Some(helper) = work.pop() {
            if all.insert(helper) {
                work.extend(self.callees(helper));
            }
        }
        all
    }

    pub fn uses(&self, helper: Helper) -> bool {
        self.used.borrow().contains(&helper)
    }

    /// Places for stores that are on their way, for each variable.
    pub fn places(&self) -> u32 {
        match self.bound {
            Bound::Rounds(k) | Bound::Age(k) => k,
        }
    }

    /// Functions that C text does not define.
    pub fn externs(&self) -> String {
        let mut out = String::new();
        if self.language == Language::C(Dialect::Verifier) {
            out += "extern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n\
                    extern void __VERIFIER_assume(int);\n";
        }
        let mut nondet: BTreeSet<Scalar> = BTreeSet::from([Scalar::I32]);
        for helper in self.used.borrow().iter() {
            match helper {
                Helper::Nondet(ty) => {
                    nondet.insert(*ty);
                }
                // `stdlib.h` has it, too.
                Helper::Exit if !self.uses(Helper::Memory) => {
                    out += "extern void exit(int) __attribute__((noreturn));\n"
                }
                _ => {}
            }
        }
        let words = self.c_words(None);
        for ty in nondet {
            let name = words.nondet(ty);
            let ty = words.scalar(ty);
            let space = if ty.ends_with('*') { "" } else { " " };
            let _ = writeln!(out, "extern {ty}{space}{name}(void);");
        }
        out.push('\n');
        if self.uses(Helper::Lock) || self.has_mutex() {
            let p = &self.prefix;
            let _ = write!(
                out,
                "/* A mutex: whether it is taken, and who has it. */\nstruct {p}mutex {{\n    _Bool taken;\n    \
                 pthread_t owner;\n}};\n\n"
            );
        }
        out
    }

    fn has_mutex(&self) -> bool {
        let records = &self.program.records;
        self.program.shared.iter().any(|v| records.layout(&v.ty).iter().any(|cell| cell.ty == Scalar::Mutex))
    }

    pub fn scalar(&self, ty: Scalar) -> String {
        if self.language.is_c() { self.c_words(None).scalar(ty) } else { ty.to_string() }
    }

    /// `type name`.
    pub fn typed(&self, ty: Scalar, name: &str) -> String {
        let ty = self.scalar(ty);
        if ty.ends_with('*') { format!("{ty}{name}") } else { format!("{ty} {name}") }
    }

    /// A value of the type where nothing is put down.
    fn nothing(&self, ty: Scalar) -> String {
        if self.language.is_c() { "0".to_string() } else { ty.show(ty.default_value()) }
    }

    /// Declarations and procedures.
    pub fn support(&self) -> String {
        let used = self.all_used();
        let (p, last, language) = (&self.prefix, self.places(), self.language);
        let (local, number) = (language.thread_local(), language.number(last));
        let mut out = String::from("\n");
        if let Bound::Rounds(_) = self.bound {
            out += &language.comment("The thread's present round.");
            let _ = writeln!(out, "{local} {number} {p}round;");
        }
        out += &language.comment("When the thread's latest store that is on its way reaches memory.");
        let _ = writeln!(out, "{local} {number} {p}flush;");
        out += &language.comment("Atomic sections of its own that it is in.");
        let _ = writeln!(out, "{local} {} {p}critical;", language.counter());
        if !self.delayed.is_empty() && last > 0 {
            out += &language.comment("What is put down for later rounds, and whether anything is.");
            for x in &self.delayed {
                let dims: String = x.dims.iter().map(|d| format!("[{d}]")).collect();
                let later = self.typed(x.ty, &format!("{p}later_{}[{last}]{dims}", x.name));
                let is_later = format!("{} {p}is_later_{}[{last}]{dims}", language.flag(), x.name);
                let _ = writeln!(out, "{local} {later};\n{local} {is_later};");
            }
        }
        if used.contains(&Helper::BeforeSpawn) {
            out += &language.comment("Whether a thread that starts another one is to go on first.");
            let _ = writeln!(out, "static _Bool {p}starting;");
        }
        for helper in used {
            out += &self.text_of(helper);
        }
        out
    }

    /// The text of a procedure.
    fn text_of(&self, helper: Helper) -> String {
        let (p, language) = (&self.prefix, self.language);
        let begin = language.atomic_begin();
        let end = language.atomic_end();
        let name = self.helper_name(helper);
        let spawns = self.uses(Helper::BeforeSpawn);
        let alone = if spawns { vec![language.assume(&format!("!{p}starting"))] } else { Vec::new() };
        let (comment, lines) = match helper {
            Helper::BeginRound => {
                ("The next round begins: what is put down for it reaches memory.", self.begin_round(&alone))
            }
            Helper::Switch => {
                let test = match language {
                    Language::Model => format!("while ({p}critical == 0 && any) {{"),
                    Language::C(_) => format!("while (!{p}critical && {}) {{", language.any()),
                };
                let next = format!("    {p}begin_round();");
                ("Here a round may end, and others run.", vec![test, format!("    {end}"), next, "}".into()])
            }
            Helper::Fence => ("Nothing may be on its way.", vec![language.assume(&self.empty())]),
            Helper::BeginThread => {
                let lines = std::iter::once(begin.to_string()).chain(alone).collect();
                ("The first round begins.", lines)
            }
            Helper::EndThread => (
                "The last round ends, when nothing is on its way any more.",
                vec![format!("{p}switch();"), format!("{p}fence();"), end.to_string()],
            ),
            Helper::Enter => (
                "An atomic section begins: no round ends in it.",
                vec![
                    format!("{p}switch();"),
                    format!("{p}fence();"),
                    format!("{p}critical = {p}critical + 1;"),
                ],
            ),
            Helper::Leave => (
                "An atomic section ends.",
                vec![format!("{p}fence();"), format!("{p}critical = {p}critical - 1;")],
            ),
            Helper::Load(x) => return self.load(&name, &self.delayed[x]),
            Helper::Store(x) => return self.store(&name, &self.delayed[x]),
            Helper::Read(ty) | Helper::Write(ty) => return self.through_pointer(helper, &name, ty),
            Helper::Lock => {
                let free = language.assume(&format!("!{p}m->taken"));
                let lines = [free, format!("{p}m->taken = 1;"), format!("{p}m->owner = pthread_self();")];
                return self.mutex(&name, "Waits for a mutex and takes it.", &lines);
            }
            Helper::Unlock => {
                let own = format!("{p}m->taken && pthread_equal({p}m->owner, pthread_self())");
                let lines = [language.assert(&own), format!("{p}m->taken = 0;"), format!("{p}m->owner = 0;")];
                return self.mutex(&name, "Gives back a mutex that the thread has.", &lines);
            }
            Helper::BeforeSpawn => (
                "A thread is started outside of the section, but nobody else runs meanwhile.",
                vec![format!("{p}starting = 1;"), end.to_string()],
            ),
            Helper::AfterSpawn => {
                ("The round goes on.", vec![begin.to_string(), format!("{p}starting = 0;")])
            }
            Helper::Forget(id) => (
                "A variable is gone, and so are the thread's stores to it that are on their way.",
                self.forget(id),
            ),
            Helper::Nondet(_) | Helper::Exit | Helper::Memory => return String::new(),
        };
        self.function("void", &name, "", comment, &lines)
    }

    pub fn function(
        &self,
        result: &str,
        name: &str,
        params: &str,
        comment: &str,
        lines: &[String],
    ) -> String {
        let head = self.language.function(result, name, params);
        let head = head.replace("* ", "*");
        let open = if self.language.is_c() { "\n{" } else { " {" };
        let comment = if comment.is_empty() { String::new() } else { self.language.comment(comment) };
        let body: String = lines.iter().map(|line| format!("    {line}\n")).collect();
        format!("\n{comment}{head}{open}\n{body}}}\n")
    }

    fn mutex(&self, name: &str, comment: &str, lines: &[String]) -> String {
        let p = &self.prefix;
        self.function("void", name, &format!("struct {p}mutex *{p}m"), comment, lines)
    }

    /// Nothing is on its way.
    fn empty(&self) -> String {
        let p = &self.prefix;
        match self.bound {
            Bound::Rounds(_) => format!("{p}flush == {p}round"),
            Bound::Age(_) => format!("{p}flush == 0"),
        }
    }

    fn begin_round(&self, alone: &[String]) -> Vec<String> {
        let (p, language) = (&self.prefix, self.language);
        let mut out = Vec::new();
        if let Bound::Rounds(k) = self.bound {
            out.push(language.assume(&format!("{p}round < {}", k - 1)));
        }
        out.push(language.atomic_begin().to_string());
        out.extend_from_slice(alone);
        match self.bound {
            Bound::Rounds(_) => {
                out.push(format!("if ({p}flush == {p}round) {{"));
                out.push(format!("    {p}flush = {p}flush + 1;"));
                out.push("}".to_string());
                out.push(format!("{p}round = {p}round + 1;"));
            }
            Bound::Age(_) => {
                out.push(format!("if ({p}flush > 0) {{"));
                out.push(format!("    {p}flush = {p}flush - 1;"));
                out.push("}".to_string());
            }
        }
        for x in self.delayed.iter().filter(|_| self.places() > 0) {
            self.each(x, &mut out, &|at| self.arrive(x, at));
        }
        out
    }

    /// What is put down for the round that begins reaches memory.
    fn arrive(&self, x: &Delayed, indices: &[String]) -> Vec<String> {
        let (p, name) = (&self.prefix, &x.name);
        let (no, nothing) = (self.language.no(), self.nothing(x.ty));
        let at: String = indices.iter().map(|i| format!("[{i}]")).collect();
        let now = match self.bound {
            Bound::Rounds(_) => format!("[{p}round - 1]{at}"),
            Bound::Age(_) => format!("[0]{at}"),
        };
        let mut lines = vec![
            format!("if ({p}is_later_{name}{now}) {{"),
            format!("    {} = {p}later_{name}{now};", x.at(indices)),
        ];
        let clear = |j: &str| {
            [format!("{p}later_{name}{j}{at} = {nothing};"), format!("{p}is_later_{name}{j}{at} = {no};")]
        };
        match self.bound {
            Bound::Rounds(_) => {
                let cleared = clear(&format!("[{p}round - 1]"));
                lines.extend(cleared.iter().map(|line| format!("    {line}")));
                lines.push("}".to_string());
            }
            Bound::Age(k) => {
                lines.push("}".to_string());
                for j in 1..k {
                    for what in ["later", "is_later"] {
                        lines.push(format!("{p}{what}_{name}[{}]{at} = {p}{what}_{name}[{j}]{at};", j - 1));
                    }
                }
                lines.extend(clear(&format!("[{}]", k - 1)));
            }
        }
        lines
    }

    fn indices(&self, x: &Delayed) -> (Vec<String>, String) {
        let names: Vec<_> = (0..x.dims.len()).map(|d| format!("{}i{d}", self.prefix)).collect();
        let params: Vec<_> = names.iter().map(|i| format!("{} {i}", self.language.index())).collect();
        (names, params.join(", "))
    }

    /// The newest store that is on its way, else memory.
    fn load(&self, function: &str, x: &Delayed) -> String {
        let (p, name) = (&self.prefix, &x.name);
        let (indices, params) = self.indices(x);
        let at: String = indices.iter().map(|i| format!("[{i}]")).collect();
        let mut lines = Vec::new();
        for j in (0..self.places()).rev() {
            lines.push(format!("if ({p}is_later_{name}[{j}]{at}) {{"));
            lines.push(format!("    return {p}later_{name}[{j}]{at};"));
            lines.push("}".to_string());
        }
        lines.push(format!("return {};", x.at(&indices)));
        self.function(&self.scalar(x.ty), function, &params, "", &lines)
    }

    /// Whether stores of an atomic section may be in the buffer when it ends.
    fn sections_keep_stores(&self) -> bool {
        let mut found = false;
        for procedure in &self.program.procedures {
            procedure.body.visit(&mut |stmt| match &stmt.kind {
                StmtKind::AtomicEnd(Drain::No) => found = true,
                StmtKind::Atomic(Drain::No, body) => body.visit(&mut |inner| {
                    found |= matches!(inner.kind, StmtKind::Assign(..));
                    found |= inner.kind.expressions().into_iter().any(|e| e.calls());
                }),
                _ => {}
            });
        }
        found
    }

    /// A store reaches memory now, or is put down for a later round.
    fn store(&self, function: &str, x: &Delayed) -> String {
        let (p, name, language) = (&self.prefix, &x.name, self.language);
        let (indices, mut params) = self.indices(x);
        let at: String = indices.iter().map(|i| format!("[{i}]")).collect();
        if !params.is_empty() {
            params += ", ";
        }
        params += &self.typed(x.ty, &format!("{p}value"));
        let last = self.places();
        let now = format!("{} = {p}value;", x.at(&indices));
        if last == 0 {
            return self.function("void", function, &params, "", &[now]);
        }
        // What an atomic section stores has left the buffer at its end, if that waits for it.
        let outside = match language {
            _ if self.sections_keep_stores() => String::new(),
            Language::Model => format!("{p}critical == 0 && "),
            Language::C(_) => format!("!{p}critical && "),
        };
        let test = format!("while ({outside}{p}flush < {last} && {}) {{", language.any());
        let lines = [
            test,
            format!("    {p}flush = {p}flush + 1;"),
            "}".to_string(),
            format!("if ({}) {{", self.empty()),
            format!("    {now}"),
            "} else {".to_string(),
            format!("    {p}later_{name}[{p}flush - 1]{at} = {p}value;"),
            format!("    {p}is_later_{name}[{p}flush - 1]{at} = {};", language.yes()),
            "}".to_string(),
        ];
        self.function("void", function, &params, "", &lines)
    }

    /// Lines for a variable, or for each element of an array.
    pub fn each(&self, x: &Delayed, out: &mut Vec<String>, lines: &dyn Fn(&[String]) -> Vec<String>) {
        let count = x.dims.iter().fold(1u64, |n, d| n.saturating_mul(u64::from(*d)));
        if count <= FEW {
            for number in 0..count {
                let mut rest = number;
                let mut indices: Vec<String> = Vec::new();
                for d in x.dims.iter().rev() {
                    indices.insert(0, (rest % u64::from(*d)).to_string());
                    rest /= u64::from(*d);
                }
                out.extend(lines(&indices));
            }
            return;
        }
        let indices: Vec<_> = (0..x.dims.len()).map(|d| format!("{}{}_{d}", self.prefix, x.name)).collect();
        let pad = |depth: usize| "    ".repeat(depth);
        for (d, (i, n)) in indices.iter().zip(&x.dims).enumerate() {
            let here = pad(d);
            if self.language.is_c() {
                out.push(format!("{here}for (int {i} = 0; {i} < {n}; {i}++) {{"));
            } else {
                out.push(format!("{here}0..{n} {i} = 0;"));
                out.push(format!("{here}while ({i} < {n}) {{"));
            }
        }
        let depth = indices.len();
        out.extend(lines(&indices).into_iter().map(|line| format!("{}{line}", pad(depth))));
        for (d, i) in indices.iter().enumerate().rev() {
            if !self.language.is_c() {
                out.push(format!("{}{i} = {i} + 1;", pad(d + 1)));
            }
            out.push(format!("{}}}", pad(d)));
        }
    }
}
