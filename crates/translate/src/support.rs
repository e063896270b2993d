//! What every translation carries with it: the variables of a thread that stand for its buffer, and the
//! procedures that begin and end rounds, store and wait (Figures 2 to 5 of the paper).

use crate::{Bound, Delayed, Translator};
use std::fmt::Write;

impl Translator<'_> {
    /// Rounds that stores can be put down for: with bounded age they are counted in a circle, with bounded
    /// rounds the last one never comes.
    fn slots(&self) -> u32 {
        match self.bound {
            Bound::Rounds(k) | Bound::Age(k) => k + 1,
        }
    }

    /// Declarations and procedures.
    pub fn support(&self) -> String {
        let (p, last) = (&self.prefix, self.slots() - 1);
        let mut out = String::new();
        let _ = write!(
            out,
            "\n// The thread's present round, and the round in which its latest store reaches memory.\n\
             local 0..{last} {p}round;\nlocal 0..{last} {p}flush;\n\
             // Whether it is in an atomic section of its own.\nlocal bool {p}critical;\n"
        );
        if self.delayed.iter().any(Option::is_some) {
            out.push_str("// What it sees of each shared variable, and what is put down for later rounds.\n");
        }
        for x in self.delayed.iter().flatten() {
            let Delayed { name, ty, dims } = x;
            let dims: String = dims.iter().map(|d| format!("[{d}]")).collect();
            let slots = self.slots();
            let _ = write!(
                out,
                "local {ty} {p}view_{name}{dims};\nlocal {ty} {p}later_{name}[{slots}]{dims};\n\
                 local bool {p}is_later_{name}[{slots}]{dims};\n"
            );
        }
        out.push_str(&self.threads());
        out.push_str(&self.rounds());
        for x in self.delayed.iter().flatten() {
            out.push_str(&self.store(x));
        }
        out
    }

    fn threads(&self) -> String {
        let p = &self.prefix;
        let mut out = format!(
            "\n// The first round begins: the view is memory.\nvoid {p}begin_thread() {{\n    atomic_begin;\n"
        );
        for x in self.delayed.iter().flatten() {
            let name = &x.name;
            out.push_str(&each(x, p, &|at| vec![format!("{p}view_{name}{at} = {name}{at};")]));
        }
        let _ = write!(
            out,
            "}}\n\n// The last round ends, when nothing is on its way any more.\nvoid {p}end_thread() {{\n    \
             {p}switch();\n    {p}fence();\n    atomic_end;\n}}\n"
        );
        out
    }

    fn rounds(&self) -> String {
        let p = &self.prefix;
        let mut out = format!(
            "\n// Here a round may end, and others run.\nvoid {p}switch() {{\n    while (!{p}critical && any) {{\n        \
             atomic_end;\n        {p}begin_round();\n    }}\n}}\n\n\
             // Nothing may be on its way.\nvoid {p}fence() {{\n    assume({p}flush == {p}round);\n}}\n\n\
             // The next round begins: what is put down for it reaches memory.\nvoid {p}begin_round() {{\n"
        );
        match self.bound {
            Bound::Rounds(k) => {
                let _ = write!(
                    out,
                    "    assume({p}round < {});\n    atomic_begin;\n    if ({p}flush == {p}round) {{\n        \
                     {p}flush = {p}flush + 1;\n    }}\n    {p}round = {p}round + 1;\n",
                    k - 1
                );
            }
            Bound::Age(k) => {
                let n = k + 1;
                let _ = write!(
                    out,
                    "    atomic_begin;\n    if ({p}flush == {p}round) {{\n        {p}flush = ({p}flush + 1) % {n};\n    \
                     }}\n    {p}round = ({p}round + 1) % {n};\n"
                );
            }
        }
        for x in self.delayed.iter().flatten() {
            let Delayed { name, ty, .. } = x;
            let default = ty.show(ty.default_value());
            out.push_str(&each(x, p, &|at| {
                let notes: Vec<_> =
                    (0..self.slots()).map(|j| format!("{p}is_later_{name}[{j}]{at}")).collect();
                let now = format!("[{p}round]{at}");
                vec![
                    format!("if ({p}is_later_{name}{now}) {{"),
                    format!("    {name}{at} = {p}later_{name}{now};"),
                    format!("    {p}later_{name}{now} = {default};"),
                    format!("    {p}is_later_{name}{now} = false;"),
                    "}".to_string(),
                    format!("if (!({})) {{", notes.join(" || ")),
                    format!("    {p}view_{name}{at} = {name}{at};"),
                    "}".to_string(),
                ]
            }));
        }
        out.push_str("}\n");
        out
    }

    /// A store reaches memory now, or is put down for a later round.
    fn store(&self, x: &Delayed) -> String {
        let p = &self.prefix;
        let Delayed { name, ty, dims } = x;
        let indices: Vec<_> = (0..dims.len()).map(|d| format!("{p}i{d}")).collect();
        let at: String = indices.iter().map(|i| format!("[{i}]")).collect();
        let params: String = indices.iter().map(|i| format!("integer {i}, ")).collect();
        let advance = match self.bound {
            Bound::Rounds(k) => {
                format!("while (any && {p}flush < {k}) {{\n            {p}flush = {p}flush + 1;\n        }}")
            }
            Bound::Age(k) => {
                let n = k + 1;
                format!(
                    "while (any && ({p}flush + 1) % {n} != {p}round) {{\n            \
                     {p}flush = ({p}flush + 1) % {n};\n        }}"
                )
            }
        };
        format!(
            "\nvoid {p}store_{name}({params}{ty} {p}value) {{\n    {p}view_{name}{at} = {p}value;\n    \
             if (!{p}critical) {{\n        {advance}\n    }}\n    \
             if ({p}flush == {p}round) {{\n        {name}{at} = {p}value;\n    }} else {{\n        \
             {p}later_{name}[{p}flush]{at} = {p}value;\n        {p}is_later_{name}[{p}flush]{at} = true;\n    }}\n}}\n"
        )
    }
}

/// Lines for a variable, or for each element of an array.
fn each(x: &Delayed, prefix: &str, lines: &dyn Fn(&str) -> Vec<String>) -> String {
    let mut out = String::new();
    let pad = |depth: usize| "    ".repeat(1 + depth);
    let index = |d: usize| format!("{prefix}{}_{d}", x.name);
    let mut at = String::new();
    for (d, n) in x.dims.iter().enumerate() {
        let (i, here) = (index(d), pad(d));
        let _ = write!(out, "{here}0..{n} {i} = 0;\n{here}while ({i} < {n}) {{\n");
        at += &format!("[{i}]");
    }
    let depth = x.dims.len();
    for line in lines(&at) {
        let _ = writeln!(out, "{}{line}", pad(depth));
    }
    for d in (0..depth).rev() {
        let i = index(d);
        let _ = write!(out, "{}{i} = {i} + 1;\n{}}}\n", pad(d + 1), pad(d));
    }
    out
}
