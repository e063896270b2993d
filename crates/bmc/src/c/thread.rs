//! One thread of the sequential program: a function that continues from where the thread was, up to the visible statement
//! before which it is to stop.
//!
//! Visible statements are numbered in the order of the unrolled code, which has no cycles, so every jump goes forward
//! and `pc` only grows. A turn enters the function at its top and hops from one visible statement to the
//! next until it comes to the thread's own, and again from the one where it stops to the end (as Lazy-CSeq does): whether a
//! statement is executed depends on `pc` and `stop` alone, and no way leaves the function before its end, so that a
//! verifier has little to merge. `stop` is where the thread stops; a jump past visible statements therefore says that
//! it is not one of them. What is held up by an assumption or has come
//! to the bound on repetitions is over, and the other threads continue; inside an atomic section everybody is held up
//! with it, so the run ends.

use super::Sequence;
use super::expression::{Text, Writer};
use crate::sharing::object_of;
use fencepost_analysis::bounded::{Facts, Frame, Place, Step};
use fencepost_ir::Scalar;
use fencepost_ir::cfg::{Choices, Dest, Drain, Expr, FenceKind, Instr, Loc, Reg, UnaryOp};
use fencepost_task::Model;
use std::collections::BTreeSet;

/// The label at the end of the function.
const END: &str = "end";

/// Writes one thread.
pub struct ThreadWriter<'s, 'a, 'p> {
    pub(super) sequence: &'s Sequence<'a, 'p>,
    pub(super) thread: usize,
    /// Nesting of atomic sections at each place; `None` where the thread never comes.
    depth: Vec<Option<u32>>,
    /// Numbers of places where the thread can stop, from 1 on.
    pub stops: Vec<Option<usize>>,
    targets: BTreeSet<usize>,
}

/// What a step does, without where it leads.
pub(super) struct Statement {
    pub lines: Vec<String>,
    /// The thread continues only if this holds.
    pub condition: Option<String>,
}

/// A step while it is written.
pub(super) struct Writing<'w, 'p> {
    pub step: &'w Step<'p>,
    pub facts: &'w Facts,
    pub frame: usize,
    pub lines: Vec<String>,
}

impl<'s, 'a, 'p> ThreadWriter<'s, 'a, 'p> {
    /// Numbers the statements of a thread; or says why it cannot be taken.
    pub fn new(sequence: &'s Sequence<'a, 'p>, thread: usize) -> Result<Self, String> {
        let instance = &sequence.analysis.instances[thread];
        let code = &instance.code;
        let mut writer = ThreadWriter {
            sequence,
            thread,
            depth: vec![None; code.places.len()],
            stops: vec![None; code.places.len()],
            targets: BTreeSet::new(),
        };
        writer.depth[0] = Some(0);
        let mut next = 1;
        for place in 0..code.places.len() {
            let Some(nesting) = writer.depth[place] else { continue };
            let mut visible = sequence.rests[thread][place];
            if visible && nesting > 0 {
                return Err("a property speaks of a place inside an atomic section".into());
            }
            for number in code.out(place).filter(|s| instance.facts[*s].reachable) {
                let step = &code.steps[number];
                visible |= writer.is_visible(step, &instance.facts[number]);
                if !instance.facts[number].goes_on {
                    continue;
                }
                let after = match (&step.edge.instr, code.places[step.to]) {
                    (_, Place::End | Place::Cut) => 0,
                    (Instr::AtomicBegin(_), _) => nesting + 1,
                    (Instr::AtomicEnd(_), _) => nesting.saturating_sub(1),
                    _ => nesting,
                };
                if *writer.depth[step.to].get_or_insert(after) != after {
                    return Err("an atomic section that is open on one way to a place only".into());
                }
            }
            if visible && nesting == 0 {
                writer.stops[place] = Some(next);
                next += 1;
            }
        }
        Ok(writer)
    }

    /// How many visible statements there are.
    pub fn visible(&self) -> usize {
        self.stops.iter().flatten().count()
    }

    fn code(&self) -> &'s fencepost_analysis::bounded::Unrolled<'p> {
        &self.sequence.analysis.instances[self.thread].code
    }

    fn nesting(&self, step: &Step<'_>) -> u32 {
        self.depth[step.from].unwrap_or(0)
    }

    fn ends_thread(&self, step: &Step<'_>) -> bool {
        matches!(step.edge.instr, Instr::Exit(_)) || self.code().frames[step.frame].caller.is_none()
    }

    /// Whether other threads can see the step, or what it waits for.
    fn is_visible(&self, step: &Step<'_>, facts: &Facts) -> bool {
        let buffers = self.sequence.model != Model::Sc;
        let shared = || facts.targets.rows.first().is_some_and(|row| self.sequence.is_shared(row.first));
        match &step.edge.instr {
            Instr::Load(..) => {
                let first = self.sequence.analysis.program.objects.len();
                // What only the thread itself writes may still be gone.
                let known = |loc: Loc| {
                    let object = object_of(first, loc);
                    self.sequence.is_own(self.thread, loc)
                        && !object.is_some_and(|object| self.sequence.is_life_shared(object))
                };
                shared() && !facts.targets.locs().all(known)
            }
            Instr::Store(..) => shared(),
            Instr::Rmw(..) | Instr::Lock(_) | Instr::Unlock(_) => buffers || shared(),
            Instr::Fence(FenceKind::Full) => buffers,
            Instr::Fence(FenceKind::StoreStore) => self.sequence.model == Model::Pso,
            Instr::Spawn(..) | Instr::Join(..) | Instr::AtomicBegin(_) | Instr::Halt => true,
            Instr::Return(_) | Instr::Exit(_) => buffers && self.ends_thread(step),
            Instr::Free(_, storage) => {
                let lives = facts.frees.iter().any(|(_, object)| self.sequence.is_life_shared(*object));
                lives || (buffers && *storage == fencepost_ir::cfg::Storage::Heap)
            }
            Instr::Allocate { .. } => facts.reuses.iter().any(|o| self.sequence.is_life_shared(*o)),
            // Under SC too, if others see what is copied.
            Instr::Reallocate { .. } => {
                let objects = facts.frees.iter().map(|(_, object)| *object);
                let objects = objects.chain(facts.makes.iter().map(|(_, object)| *object));
                let mut cells = objects.clone().flat_map(|o| self.sequence.analysis.cells_of(o));
                buffers
                    || objects.clone().any(|o| self.sequence.is_life_shared(o))
                    || cells.any(|(loc, _)| self.sequence.is_shared(loc))
            }
            Instr::Nop
            | Instr::Choose
            | Instr::Assign(..)
            | Instr::Assume(_)
            | Instr::Assert(..)
            | Instr::Havoc(..)
            | Instr::Own(_)
            | Instr::Call(..)
            | Instr::AtomicEnd(_) => false,
        }
    }

    fn label(&self, place: usize) -> String {
        match self.stops[place] {
            Some(number) => format!("visible_{number}"),
            None => format!("join_{place}"),
        }
    }

    /// The number of the visible statement in whose part of the text a place is; 0 before the first.
    fn part(&self, place: usize) -> usize {
        self.stops[..=place].iter().rev().find_map(|stop| *stop).unwrap_or(0)
    }

    /// The label of the visible statement after a number, or of the end.
    fn after(&self, number: usize) -> String {
        if number < self.visible() { format!("visible_{}", number + 1) } else { END.into() }
    }

    /// The function.
    pub fn function(&mut self) -> Result<String, String> {
        let places: Vec<usize> = (0..self.depth.len()).filter(|p| self.depth[*p].is_some()).collect();
        let mut parts = Vec::new();
        for (i, place) in places.iter().enumerate() {
            let next = places.get(i + 1).copied();
            parts.push((*place, self.place(*place, next)?));
        }
        // The first is hopped to only from what comes before it.
        let hopped_to = usize::from(self.stops[0].is_some());
        self.targets.extend(places.iter().copied().filter(|p| self.stops[*p] > Some(hopped_to)));
        let thread = self.thread;
        let mut text = String::new();
        if self.stops[0].is_none() {
            text += &format!("    AT({thread}, 0, {});\n", self.after(0));
        }
        for (place, lines) in parts {
            if self.targets.contains(&place) {
                text += &format!("{}:\n", self.label(place));
            }
            if let Some(number) = self.stops[place] {
                text += &format!("    AT({thread}, {number}, {});\n", self.after(number));
            }
            for line in lines {
                text += &format!("    {line}\n");
            }
        }
        text += &format!("{END}:\n    return;\n");
        Ok(text)
    }

    /// What happens at a place.
    fn place(&mut self, place: usize, next: Option<usize>) -> Result<Vec<String>, String> {
        let instance = &self.sequence.analysis.instances[self.thread];
        let thread = self.thread;
        match instance.code.places[place] {
            Place::End => return Ok(vec![format!("ended[{thread}] = 1;"), self.over(place)]),
            Place::Cut => return Ok(vec!["CUT(\"repetitions\");".into(), self.over(place)]),
            Place::At { .. } => {}
        }
        let out: Vec<usize> = instance.code.out(place).filter(|s| instance.facts[*s].reachable).collect();
        let hold = self.hold(place);
        let mut lines = Vec::new();
        if let [a, b] = out[..]
            && let (Instr::Assume(first), Instr::Assume(second)) =
                (&instance.code.steps[a].edge.instr, &instance.code.steps[b].edge.instr)
            && (negates(first, second) || negates(second, first))
            && instance.facts[a].goes_on
            && instance.facts[b].goes_on
        {
            let condition = self.text(instance.code.steps[a].frame, first).condition();
            let comment = self.sequence.comment(instance.code.steps[a].edge.span);
            let (yes, no) = (instance.code.steps[a].to, instance.code.steps[b].to);
            let falls = self.falls(yes, &instance.code.steps[a], next);
            let (condition, to, rest) =
                if falls { (format!("!{condition}"), no, yes) } else { (condition, yes, no) };
            lines.push(format!("if ({condition}){comment}"));
            lines.push(format!("    {}", self.go(to, &instance.code.steps[a])));
            if !self.falls(rest, &instance.code.steps[b], next) {
                let go = self.go(rest, &instance.code.steps[b]);
                lines.push(go);
            }
            return Ok(lines);
        }
        if out.is_empty() {
            return Ok(vec![hold]);
        }
        let last = out.len() - 1;
        for (i, number) in out.into_iter().enumerate() {
            let step = &instance.code.steps[number];
            let statement = self.statement(number)?;
            let mut body = statement.lines;
            if let Some(condition) = statement.condition {
                body.push(format!("if (!{condition})"));
                body.push(format!("    {hold}"));
            }
            let comment = self.sequence.comment(step.edge.span);
            if let Some(first) = body.first_mut() {
                first.push_str(&comment);
            }
            let goes_on = instance.facts[number].goes_on && !matches!(step.edge.instr, Instr::Halt);
            if !goes_on {
                body.push(hold.clone());
            } else if i < last || !self.falls(step.to, step, next) {
                let go = self.go(step.to, step);
                body.push(go);
            }
            if i < last {
                lines.push("if (pick(0, 1)) {".into());
                lines.extend(body.into_iter().map(|line| format!("    {line}")));
                lines.push("}".into());
            } else {
                lines.extend(body);
            }
        }
        Ok(lines)
    }

    /// The end of the turn, and of the thread, at a place where it is held up.
    fn hold(&self, place: usize) -> String {
        match self.depth[place] {
            Some(0) | None => self.over(place),
            Some(_) => "ASSUME(0);".into(),
        }
    }

    /// The end of a thread: from here on there is nothing but hopping to the end of the function.
    fn over(&self, place: usize) -> String {
        format!("OVER({}, {});", self.thread, self.after(self.part(place)))
    }

    /// Whether a run would be cut off inside an atomic section; it ends then.
    fn cuts_section(&self, to: usize, step: &Step<'_>) -> bool {
        self.code().places[to] == Place::Cut && self.nesting(step) > 0
    }

    /// Whether a step leads to the place whose text is next.
    fn falls(&self, to: usize, step: &Step<'_>, next: Option<usize>) -> bool {
        Some(to) == next && !self.cuts_section(to, step)
    }

    /// A jump.
    fn go(&mut self, to: usize, step: &Step<'_>) -> String {
        if self.cuts_section(to, step) {
            return "{ CUT(\"repetitions\"); ASSUME(0); }".into();
        }
        self.targets.insert(to);
        // The next place where the thread can stop.
        let next = self.stops[to].unwrap_or(self.part(to) + 1);
        if next > self.part(step.from) + 1 {
            return format!("PASS({next}, {});", self.label(to));
        }
        format!("goto {};", self.label(to))
    }

    pub(super) fn register(&self, frame: usize, reg: Reg) -> (String, Scalar) {
        self.sequence.register(self.thread, frame, reg)
    }

    pub(super) fn text(&self, frame: usize, expr: &Expr) -> Text {
        Writer { register: &|reg| self.register(frame, reg) }.text(expr)
    }

    pub(super) fn assign(&self, lines: &mut Vec<String>, frame: usize, dest: &Dest, value: &str) {
        match dest {
            Dest::Reg(reg) => lines.push(format!("{} = {value};", self.register(frame, *reg).0)),
            Dest::At { base, len, index } => {
                let writer = Writer { register: &|reg| self.register(frame, reg) };
                let index = writer.index(&writer.text(index), *len);
                lines.push("{".into());
                lines.push(format!("    long long into = {}, given = {value};", index.code));
                for i in 0..*len {
                    let name = self.register(frame, fencepost_analysis::values::slot(*base, i)).0;
                    let test = if i == 0 { "if" } else { "else if" };
                    lines.push(format!("    {test} (into == {i}) {name} = given;"));
                }
                lines.push("}".into());
            }
        }
    }

    pub(super) fn drain(&self, lines: &mut Vec<String>) {
        if self.sequence.model != Model::Sc {
            lines.push(format!("drain({});", self.thread));
        }
    }

    fn statement(&self, number: usize) -> Result<Statement, String> {
        let instance = &self.sequence.analysis.instances[self.thread];
        let step = &instance.code.steps[number];
        let facts = &instance.facts[number];
        let mut w = Writing { step, facts, frame: step.frame, lines: Vec::new() };
        let mut condition = None;
        let thread = self.thread;
        let buffers = self.sequence.model != Model::Sc;
        match &step.edge.instr {
            Instr::Nop | Instr::Choose => {}
            Instr::Assign(dest, value) => {
                let value = self.text(w.frame, value).code;
                self.assign(&mut w.lines, w.frame, dest, &value);
            }
            Instr::Load(..) | Instr::Store(..) | Instr::Rmw(..) => self.access(&mut w),
            Instr::Lock(_) | Instr::Unlock(_) => self.mutex(&mut w, &self.hold(step.from)),
            Instr::Fence(FenceKind::Full) => self.drain(&mut w.lines),
            Instr::Fence(FenceKind::StoreStore) => {
                if self.sequence.model == Model::Pso {
                    w.lines.push(format!("store_store_fence({thread});"));
                }
            }
            Instr::Assume(value) => condition = Some(self.text(w.frame, value).condition()),
            Instr::Assert(value, claim) => {
                let value = self.text(w.frame, value).condition();
                w.lines.push(format!("if (!{value})"));
                w.lines.push(format!("    FAIL(\"{}\");", claim.name()));
            }
            Instr::Havoc(dest, choices) => {
                if let [(lo, hi)] = choices.0[..] {
                    self.assign(&mut w.lines, w.frame, dest, &any(lo, hi));
                } else {
                    w.lines.push("{".into());
                    w.lines.extend(chosen(choices).into_iter().map(|l| format!("    {l}")));
                    let mut inner = Vec::new();
                    self.assign(&mut inner, w.frame, dest, "chosen");
                    w.lines.extend(inner.into_iter().map(|l| format!("    {l}")));
                    w.lines.push("}".into());
                }
            }
            Instr::Spawn(dest, _, args, drain) => {
                if *drain == Drain::Yes {
                    self.drain(&mut w.lines);
                }
                let child = facts.starts.expect("the analysis has made the thread");
                for (i, arg) in args.iter().enumerate() {
                    let name = self.sequence.register(child, 0, Reg::Local(i as u32)).0;
                    w.lines.push(format!("{name} = {};", self.text(w.frame, arg).code));
                }
                if let Some(dest) = dest {
                    self.assign(&mut w.lines, w.frame, dest, &child.to_string());
                }
                w.lines.push(format!("started[{child}] = 1;"));
            }
            Instr::Own(dest) => self.assign(&mut w.lines, w.frame, dest, &thread.to_string()),
            Instr::Join(dest, handle) => {
                w.lines.push("{".into());
                w.lines.push(format!("    long long who = {};", self.text(w.frame, handle).code));
                w.lines.push("    if (who < 0 || who >= THREADS || !started[who])".into());
                w.lines.push("        FAIL(\"join of no thread\");".into());
                w.lines.push("    ASSUME(ended[who]);".into());
                w.lines.push("    if (joined[who])".into());
                w.lines.push("        FAIL(\"a thread is joined twice\");".into());
                w.lines.push("    joined[who] = 1;".into());
                if let Some(dest) = dest {
                    let mut inner = Vec::new();
                    self.assign(&mut inner, w.frame, dest, "result[who]");
                    w.lines.extend(inner.into_iter().map(|l| format!("    {l}")));
                }
                w.lines.push("}".into());
            }
            Instr::Call(_, _, args) => {
                if let Some(entered) = step.enters {
                    for (i, arg) in args.iter().enumerate() {
                        let name = self.register(entered, Reg::Local(i as u32)).0;
                        w.lines.push(format!("{name} = {};", self.text(w.frame, arg).code));
                    }
                }
            }
            Instr::Return(value) | Instr::Exit(value) => {
                let value = value.as_ref().map(|v| self.text(w.frame, v).code);
                self.leave(&mut w, value);
            }
            Instr::AtomicBegin(drain) => {
                if buffers {
                    w.lines.push(if *drain == Drain::Yes {
                        format!("drain({thread});")
                    } else {
                        "tick();".into()
                    });
                    w.lines.push("frozen = 1;".into());
                }
            }
            Instr::AtomicEnd(drain) => match self.nesting(step) {
                0 => w.lines.push("FAIL(\"the end of an atomic section outside of one\");".into()),
                nesting => {
                    if *drain == Drain::Yes {
                        self.drain(&mut w.lines);
                    }
                    if buffers && nesting == 1 {
                        w.lines.push("frozen = 0;".into());
                    }
                }
            },
            Instr::Allocate { dest, bytes, fill, .. } => {
                self.allocate(&mut w, dest, bytes, *fill, &self.hold(step.from));
            }
            Instr::Free(pointer, storage) => self.free(&mut w, pointer, *storage),
            Instr::Halt => {
                self.drain(&mut w.lines);
                w.lines.push("halted = 1;".into());
            }
            Instr::Reallocate { dest, pointer, bytes, .. } => {
                self.reallocate(&mut w, dest, pointer, bytes, &self.hold(step.from));
            }
        }
        Ok(Statement { lines: w.lines, condition })
    }

    fn leave(&self, w: &mut Writing<'_, 'p>, value: Option<String>) {
        if self.ends_thread(w.step) {
            self.drain(&mut w.lines);
            if self.sequence.model != Model::Sc && self.nesting(w.step) > 0 {
                w.lines.push("frozen = 0;".into());
            }
            if let Some(value) = value {
                w.lines.push(format!("result[{}] = {value};", self.thread));
            }
            return;
        }
        let frame: &Frame = &self.code().frames[w.frame];
        let (caller, call) = frame.caller.expect("an inner frame");
        let procedure = self.sequence.analysis.program.procedure(self.code().frames[caller].procedure);
        if let (Instr::Call(Some(dest), ..), Some(value)) = (&procedure.edge(call).instr, value) {
            self.assign(&mut w.lines, caller, dest, &value);
        }
    }
}

fn negates(a: &Expr, b: &Expr) -> bool {
    matches!(b, Expr::Unary(UnaryOp::Not, _, inner) if **inner == *a)
}

/// A call that gives any number of a range.
pub(super) fn any(lo: i64, hi: i64) -> String {
    format!("any_value({}, {})", Text::constant(lo).code, Text::constant(hi).code)
}

/// Statements after which `chosen` is one of the choices.
pub(super) fn chosen(choices: &Choices) -> Vec<String> {
    let (first, last) = (choices.0[0].0, choices.0[choices.0.len() - 1].1);
    let constant = |v: i64| Text::constant(v).code;
    let tests = choices.0.iter().map(|&(lo, hi)| match lo == hi {
        true => format!("chosen == {}", constant(lo)),
        false => format!("(chosen >= {} && chosen <= {})", constant(lo), constant(hi)),
    });
    let tests: Vec<_> = tests.collect();
    vec![format!("long long chosen = {};", any(first, last)), format!("ASSUME({});", tests.join(" || "))]
}
