//! The sequentialization as a sequential C program with nondeterminism, for other bounded model checkers (Tomasco et al.,
//! FMCAD 2016, sections II to VI): one function for each thread (`thread.rs`), all shared accesses through functions of
//! the shared-memory abstraction (`support.rs`), a `main` that gives the threads their turns.
//!
//! It is the same sequentialization that [`crate::rounds`] encodes: the same unrolled code, the same turns, the same
//! visible statements, the stamped abstractions with a clock or queues (`queues.rs`). A failing assertion of the text is a violation within
//! the bounds, and the other way round. What lies beyond our limits is left out, or reported with
//! `-DCHECK_LIMITS`.

mod access;
mod expression;
mod names;
mod objects;
mod queues;
mod support;
mod thread;

use crate::numbering;
use crate::property::{meets, named, resting_places};
use crate::rounds::turns;
use crate::sharing::{Home, Sharing, add_lives, life, object_of, sharing};
use expression::{Text, Writer, declared, range_of};
use fencepost_analysis::bounded::{Bounded, Instance, all_loops};
use fencepost_ir::cfg::{Choices, Loc, Observable, Program, Property, Quantifier, Reg, Requirement};
use fencepost_ir::{FileId, Scalar, Span, pointer};
use fencepost_task::{Budget, Model};
use names::Names;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use support::{CHOICES, EXPRESSIONS, Function};
use thread::{ThreadWriter, chosen};

pub use fencepost_ir::tree::c::Dialect;

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Sequentialization {
    /// The memory model.
    pub model: Model,
    /// How often loops are repeated at most.
    pub unwind: u32,
    /// Rounds.
    pub rounds: u32,
    /// Times at which stores reach memory.
    pub clock: u32,
    /// Elements of objects whose size is not known.
    pub block: u32,
    /// Entries of each store queue; without it stores have stamps.
    pub queue: Option<u32>,
    /// Whose names are used.
    pub dialect: Dialect,
}

/// A register: its thread, frame (none for registers of the thread) and slot.
type RegisterKey = (usize, Option<usize>, u32);

/// What all threads' texts need to know.
pub(crate) struct Sequence<'a, 'p> {
    analysis: &'a Bounded<'p>,
    sharing: &'a Sharing,
    freed: &'a BTreeSet<usize>,
    rests: &'a [Vec<bool>],
    model: Model,
    cells: BTreeMap<Loc, String>,
    names: RefCell<Names>,
    /// Registers that the text names.
    registers: RefCell<BTreeMap<RegisterKey, String>>,
    /// Names and their declarations, in the order of their first use.
    declarations: RefCell<Vec<(String, String)>>,
    frames: Vec<Vec<String>>,
    last_line: Cell<(FileId, u32)>,
}

/// What a cell starts with.
enum Initial<'p> {
    Value(i64),
    Choice(&'p Choices),
    Unwritten,
}

impl<'a, 'p> Sequence<'a, 'p> {
    fn new(
        analysis: &'a Bounded<'p>,
        sharing: &'a Sharing,
        freed: &'a BTreeSet<usize>,
        rests: &'a [Vec<bool>],
        model: Model,
    ) -> Sequence<'a, 'p> {
        let program = analysis.program;
        let mut names = Names::default();
        let mut cells = BTreeMap::new();
        let first = program.objects.len();
        for loc in sharing.cells.keys() {
            let name = match object_of(first, *loc) {
                None => program.cell_name(*loc).unwrap_or_else(|| "cell".into()),
                Some(object) => {
                    let number = loc.as_element().map_or(0, |(_, cell)| cell);
                    format!("object{object}_{number}")
                }
            };
            cells.insert(*loc, names.give("v_", &name));
        }
        let frames = analysis
            .instances
            .iter()
            .map(|instance| {
                let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
                let name = |frame: &fencepost_analysis::bounded::Frame| {
                    let name = program.procedure(frame.procedure).name.as_str();
                    let number = seen.entry(name).or_default();
                    *number += 1;
                    if *number == 1 { name.to_string() } else { format!("{name}_call{number}") }
                };
                instance.code.frames.iter().map(name).collect()
            })
            .collect();
        Sequence {
            analysis,
            sharing,
            freed,
            rests,
            model,
            cells,
            names: RefCell::new(names),
            registers: RefCell::default(),
            declarations: RefCell::default(),
            frames,
            last_line: Cell::default(),
        }
    }

    fn is_shared(&self, loc: Loc) -> bool {
        matches!(self.sharing.cells[&loc].home, Home::Shared(_))
    }

    /// Whether only the thread itself writes the cell, so that it knows the value.
    fn is_own(&self, thread: usize, loc: Loc) -> bool {
        self.sharing.shadows.get(&loc).is_some_and(|(writer, _)| *writer == thread)
    }

    fn is_tagged(&self, loc: Loc) -> bool {
        self.sharing.cells[&loc].tagged
    }

    /// Whether a cell is one of the program's, and not the life of an object.
    fn is_value(&self, loc: Loc) -> bool {
        let first = self.analysis.program.objects.len();
        object_of(first, loc).is_none_or(|object| life(first, object) != loc)
    }

    fn is_life_shared(&self, object: usize) -> bool {
        let loc = life(self.analysis.program.objects.len(), object);
        self.sharing.cells.get(&loc).is_some_and(|l| matches!(l.home, Home::Shared(_)))
    }

    fn cell_name(&self, loc: Loc) -> String {
        self.cells[&loc].clone()
    }

    /// The pointer to an allocated object.
    fn object_word(&self, object: usize) -> i64 {
        let program = self.analysis.program;
        pointer::to_object((program.objects.len() + object) as u32, 0)
    }

    /// Where a statement is in the source, if it is not where the last one stood.
    fn comment(&self, span: Span) -> String {
        if span == Span::NONE || self.last_line.replace((span.file, span.line)) == (span.file, span.line) {
            return String::new();
        }
        format!(" /* {} */", self.place(span))
    }

    fn place(&self, span: Span) -> String {
        self.analysis.program.sources.place(span).to_string().replace("*/", "* /")
    }

    fn register(&self, thread: usize, frame: usize, reg: Reg) -> (String, Scalar) {
        let instance = &self.analysis.instances[thread];
        let program = self.analysis.program;
        let (key, register) = match reg {
            Reg::Thread(slot) => ((thread, None, slot), &program.thread_registers[slot as usize]),
            Reg::Local(slot) => {
                let procedure = program.procedure(instance.code.frames[frame].procedure);
                ((thread, Some(frame), slot), &procedure.registers[slot as usize])
            }
        };
        let mut registers = self.registers.borrow_mut();
        let name = registers.entry(key).or_insert_with(|| {
            let prefix = match reg {
                Reg::Thread(_) => format!("t{thread}_"),
                Reg::Local(_) => format!("t{thread}_{}_", self.frames[thread][frame]),
            };
            let name = self.names.borrow_mut().give(&prefix, &register.name);
            // What a thread is started with at the beginning.
            let argument = instance.start.and_then(|start| match key {
                (_, Some(0), slot) => program.threads[start.index()].args.get(slot as usize),
                _ => None,
            });
            let init = match argument.copied().unwrap_or(register.init) {
                0 => String::new(),
                value => format!(" = {}", Text::constant(value).code),
            };
            let declaration = format!("static {} {name}{init};", declared(register.ty));
            self.declarations.borrow_mut().push((name.clone(), declaration));
            name
        });
        (name.clone(), register.ty)
    }

    fn initial(&self, loc: Loc) -> Initial<'p> {
        let program = self.analysis.program;
        let choices = match loc.as_element() {
            None => program.objects.iter().flat_map(|o| o.init.iter()).nth(loc.index()),
            Some(_) => None,
        };
        match (choices, self.analysis.cells.get(&loc).map(|c| &c.init)) {
            (Some(choices), _) => match choices.single() {
                Some(value) => Initial::Value(value),
                None => Initial::Choice(choices),
            },
            (None, Some(Some(values))) => Initial::Value(values.single().unwrap_or(0)),
            (None, Some(None)) => Initial::Unwritten,
            (None, None) => Initial::Value(0),
        }
    }

    /// How many bits hold whatever the cells hold.
    fn word_bits(&self) -> u32 {
        let cells = self.sharing.cells.iter().filter(|(loc, _)| self.is_value(**loc));
        let bits = cells.map(|(loc, lodging)| {
            let facts = self.analysis.cells.get(loc);
            let (lo, hi) = match facts.and_then(|facts| facts.values.hull()) {
                Some((lo, hi)) => (i128::from(lo), i128::from(hi)),
                None => range_of(facts.map_or(Scalar::Integer, |c| c.ty)),
            };
            // A negative number has as many bits as its complement.
            let magnitude = (!lo.min(-1)).max(hi);
            let with_sign = i128::BITS - magnitude.leading_zeros() + 1;
            with_sign + u32::from(lodging.tagged)
        });
        bits.max().unwrap_or(1)
    }
}

/// For each thread and place the number of its visible statement, from 1 on.
pub fn numbers(analysis: &mut Bounded<'_>, model: Model) -> Result<Vec<Vec<Option<usize>>>, String> {
    let freed = add_lives(analysis);
    let sharing = sharing(analysis, &freed, &Budget::default()).expect("nothing stops this");
    let rests = resting_places(analysis);
    let sequence = Sequence::new(analysis, &sharing, &freed, &rests, model);
    (0..analysis.instances.len()).map(|thread| Ok(ThreadWriter::new(&sequence, thread)?.stops)).collect()
}

/// The sequential program; or why there is none.
pub fn sequentialize(program: &Program, wanted: &Sequentialization) -> Result<String, String> {
    let loops = all_loops(program, &Budget::default()).expect("nothing stops this");
    let analysis = Bounded::new(program, &loops, wanted.unwind, wanted.block, &Budget::default());
    let mut analysis = analysis.map_err(|refusal| refusal.to_string())?;
    if numbering::is_seen(&analysis) && !numbering::is_certain(&analysis) {
        return Err(numbering::UNORDERED.into());
    }
    if let Some(span) = analysis.wide_access() {
        let place = program.sources.place(span);
        return Err(format!(
            "the sequential program cannot have an access to several cells, as at {place}; check the program with --engine bmc"
        ));
    }
    let freed = add_lives(&mut analysis);
    let sharing = sharing(&analysis, &freed, &Budget::default()).expect("nothing stops this");
    let rests = resting_places(&analysis);
    let sequence = Sequence::new(&analysis, &sharing, &freed, &rests, wanted.model);
    let mut functions = String::new();
    let mut stops = Vec::new();
    for thread in 0..analysis.instances.len() {
        let mut writer = ThreadWriter::new(&sequence, thread)?;
        let body = writer.function()?;
        let instance = &analysis.instances[thread];
        let name = &program.procedure(instance.procedure).name;
        let by = instance.parent.map_or(String::new(), |(parent, step)| {
            let span = analysis.instances[parent].code.steps[step].edge.span;
            format!(", started by thread {parent} at {}", sequence.place(span))
        });
        functions += &format!(
            "\n/* Thread {thread}: {name}{by}. */\nstatic void thread_{thread}(void)\n{{\n{body}}}\n"
        );
        stops.push((writer.visible(), writer.stops));
    }
    let main = main_function(&sequence, &stops);
    let last = stops.iter().map(|(visible, _)| visible + 1).max().unwrap_or(1);
    Ok(file(&sequence, wanted, last, &functions, &main))
}

fn main_function(sequence: &Sequence<'_, '_>, stops: &[(usize, Vec<Option<usize>>)]) -> String {
    let mut text = String::from("\nint main(void)\n{\n");
    let shared: Vec<Loc> =
        sequence.sharing.shared.iter().copied().filter(|l| sequence.is_value(*l)).collect();
    if !shared.is_empty() {
        text += "    for (int cell = 0; cell < CELLS; cell++)\n        start_with(cell, initial[cell]);\n";
    }
    let private = sequence.sharing.private.iter().flatten().copied();
    let own = private.filter(|l| !sequence.sharing.shadows.contains_key(l) && sequence.is_value(*l));
    for loc in shared.iter().copied().chain(own) {
        if let Initial::Choice(choices) = sequence.initial(loc) {
            text += "    {\n";
            chosen(choices).iter().for_each(|line| text += &format!("        {line}\n"));
            text += &match sequence.is_shared(loc) {
                true => format!("        start_with({}, chosen);\n", sequence.cell_name(loc)),
                false => format!("        {} = chosen;\n", sequence.cell_name(loc)),
            };
            text += "    }\n";
        }
    }
    let threads = sequence.analysis.instances.len();
    let turn = |thread: &usize| format!("TURN({thread}, {});\n", stops[*thread].0 + 1);
    let (first, others) = (turns(sequence.analysis, true), turns(sequence.analysis, false));
    // The first round begins with a turn of its own for the thread that starts all others.
    let extra = first.len() - threads;
    first[..extra].iter().for_each(|thread| text += &format!("    {}", turn(thread)));
    debug_assert!(first[extra..] == others || extra == 0, "rounds are alike");
    text += "    for (int round = 0; round < ROUNDS; round++) {\n";
    others.iter().for_each(|thread| text += &format!("        {}", turn(thread)));
    text += "    }\n";
    for property in &sequence.analysis.program.properties {
        match property {
            Property::Forbid { together, span } => {
                let mut ways = Vec::new();
                assign(sequence, stops, together, &mut Vec::new(), &mut ways);
                if !ways.is_empty() {
                    text += &format!("    if ({}){}\n", ways.join(" ||\n        "), sequence.comment(*span));
                    text += "        FAIL(\"threads are together where they must not be\");\n";
                }
            }
            Property::Final { quantifier, observed, condition, span } => {
                text += "    _Bool all_ended = 1;\n    for (int thread = 0; thread < THREADS; thread++)\n";
                text += "        all_ended = all_ended && (!started[thread] || ended[thread]);\n";
                let register = |reg: Reg| match reg {
                    Reg::Local(i) => observe(sequence, &observed[i as usize]),
                    Reg::Thread(_) => panic!("final conditions read what they observe"),
                };
                let holds = Writer { register: &register }.text(condition).condition();
                let wrong = match quantifier {
                    Quantifier::Exists | Quantifier::NotExists => holds,
                    Quantifier::Forall => format!("!{holds}"),
                };
                text += &format!("    if (all_ended && {wrong}){}\n", sequence.comment(*span));
                text += "        FAIL(\"the condition on the final state\");\n";
            }
        }
    }
    text + "    return 0;\n}\n"
}

/// All ways in which different threads can rest at the places of all requirements.
fn assign(
    sequence: &Sequence<'_, '_>,
    stops: &[(usize, Vec<Option<usize>>)],
    together: &[Vec<Requirement>],
    taken: &mut Vec<(usize, String)>,
    ways: &mut Vec<String>,
) {
    let Some((first, rest)) = together.split_first() else {
        let tests: Vec<_> = taken.iter().map(|(_, test)| test.clone()).collect();
        ways.push(format!("({})", tests.join(" && ")));
        return;
    };
    let wanted = named(sequence.analysis.program, first);
    for (thread, instance) in sequence.analysis.instances.iter().enumerate() {
        if taken.iter().any(|(t, _)| *t == thread) {
            continue;
        }
        let places = instance.code.places.iter().enumerate();
        let fitting =
            places.filter(|(_, kind)| wanted.iter().any(|r| meets(sequence.analysis, thread, kind, r)));
        let at: Vec<_> = fitting
            .filter_map(|(place, _)| stops[thread].1[place])
            .map(|number| format!("pc[{thread}] == {number}"))
            .collect();
        if !at.is_empty() {
            let at = if at.len() == 1 { at[0].clone() } else { format!("({})", at.join(" || ")) };
            taken.push((thread, format!("!over[{thread}] && {at}")));
            assign(sequence, stops, rest, taken, ways);
            taken.pop();
        }
    }
}

fn observe(sequence: &Sequence<'_, '_>, observed: &Observable) -> (String, Scalar) {
    match observed {
        Observable::Cell(loc) => {
            let ty = sequence.analysis.cells.get(loc).map(|c| c.ty);
            let ty = ty.or_else(|| sequence.analysis.program.cell_type(*loc)).unwrap_or(Scalar::Integer);
            let value = format!("final_value({})", sequence.cell_name(*loc));
            (if sequence.is_tagged(*loc) { format!("({value} >> 1)") } else { value }, ty)
        }
        Observable::Register(start, reg) => {
            let thread = sequence.analysis.instances.iter().position(|i| i.start == Some(*start));
            sequence.register(thread.expect("a final condition names a thread of the beginning"), 0, *reg)
        }
    }
}

/// The words of a text that can be names.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}

/// The whole text.
fn file(
    sequence: &Sequence<'_, '_>,
    wanted: &Sequentialization,
    last: usize,
    functions: &str,
    main: &str,
) -> String {
    let Sequentialization { model, unwind, rounds, clock, block, queue, dialect } = *wanted;
    let shared: Vec<Loc> =
        sequence.sharing.shared.iter().copied().filter(|l| sequence.is_value(*l)).collect();
    // Without cells there is nothing to queue.
    let queues = queue.filter(|_| !shared.is_empty()).and_then(|n| Some((n, queues::memory(model)?)));
    let threads = sequence.analysis.instances.len();
    let code = format!("{functions}{main}");
    let source = sequence.analysis.program.sources.name(Default::default());
    let bound = match queues {
        Some((entries, _)) => format!(", queues of {entries}"),
        None if model == Model::Sc => String::new(),
        None => format!(", a clock of {clock}"),
    };
    let leaves_out = |i: &Instance<'_>| i.facts.iter().any(|f| f.reachable && f.leaves_out_sizes);
    let sizes = match sequence.analysis.instances.iter().any(leaves_out) {
        true => format!(", {block} elements of objects whose size is not known"),
        false => String::new(),
    };
    let reused = || sequence.analysis.allocations().any(|(_, o)| sequence.analysis.is_reused(o));
    let reuse = match numbering::is_seen(sequence.analysis) && reused() {
        true => ",\n   as long as no address that was freed is given out again",
        false => "",
    };
    let mut text = format!(
        "/* {} under {}, made sequential: {unwind} repetitions of each loop, {rounds} rounds{bound}{sizes}{reuse}.\n   \
         A failing assertion of this program is a violation within these bounds, and the other way round. */\n",
        source.replace("*/", "* /"),
        model.name().to_uppercase(),
    );
    text += support::verifier(dialect);
    text += CHOICES;
    text += &format!("\n#define THREADS {threads}\n#define ROUNDS {rounds}\n");
    match queues {
        Some((entries, _)) => {
            let stores = |t: &usize| code.contains(&format!("store({t}, "));
            let writers: Vec<String> = (0..threads).filter(stores).map(|t| t.to_string()).collect();
            let count = writers.len().max(1);
            let writers = if writers.is_empty() { "0".to_string() } else { writers.join(", ") };
            text += &format!("#define QUEUE {entries}\n#define WRITERS {count}\n");
            text += &format!("static const int writers[WRITERS] = {{{writers}}}; /* threads that store */\n");
        }
        None if model == Model::Sc => {}
        None => {
            text += &format!("#define CLOCK {clock}\n\n/* Times. */\n");
            text += &support::unsigned_type(dialect, "moment", u64::from(clock.max(2)) - 1);
        }
    }
    let largest = last.max(threads).max(queue.map_or(0, |entries| entries as usize));
    text += "\n/* Numbers of visible statements, and other small ones. */\n";
    text += &support::unsigned_type(dialect, "place", largest as u64);
    let (state, memory) = queues.map_or_else(|| support::memory(model), |(_, queues)| queues);
    // `TURN` picks where a thread stops.
    let used: Vec<&Function> = support::used(&format!("{code} pick("), &[EXPRESSIONS, memory]);
    let support_text: String = used.iter().map(|f| f.text).collect();
    let all = identifiers(&code).chain(identifiers(&support_text)).collect::<BTreeSet<_>>();
    let tagged = sequence.sharing.cells.values().any(|lodging| lodging.tagged);
    if all.contains("word") || tagged || !shared.is_empty() {
        text += "\n/* What a cell holds. Cells that may be read before they are written hold twice the value and 1. */\n";
        text += &support::signed_type(dialect, "word", sequence.word_bits());
    }
    if !shared.is_empty() {
        text += "\n/* Cells that threads share. */\nenum {\n";
        shared.iter().for_each(|loc| text += &format!("    {},\n", sequence.cell_name(*loc)));
        text += "    CELLS\n};\n";
        let values: Vec<_> = shared.iter().map(|loc| initial_text(sequence, *loc)).collect();
        text += &format!("static const word initial[CELLS] = {{{}}};\n", values.join(", "));
    }
    // Expressions' functions come first: those of memory call them.
    let of = |group: &'static [Function]| {
        let here = |f: &&&Function| group.iter().any(|g| std::ptr::eq(g.text, f.text) || g.text == f.text);
        used.iter().filter(here).map(|f| f.text).collect::<String>()
    };
    text += &of(EXPRESSIONS);
    let used_of_memory = of(memory);
    if !used_of_memory.is_empty() {
        for line in state.lines() {
            let name = line.strip_prefix("static ").and_then(|rest| {
                let before = rest.split(['[', ';']).next()?;
                before.split_whitespace().last()
            });
            if name.is_none_or(|name| all.contains(name)) {
                text += line;
                text.push('\n');
            }
        }
    }
    text += &used_of_memory;
    text += "\n/* Threads: how far each has come (the number of the visible statement it is at; 0 before it begins), whether it\n   \
             goes no further, and where it stops this time. */\n";
    text += "static place pc[THREADS], stop;\n";
    let starts: Vec<_> =
        sequence.analysis.instances.iter().map(|i| if i.parent.is_none() { "1" } else { "0" }).collect();
    text += &format!("static _Bool started[THREADS] = {{{}}}, over[THREADS], halted;\n", starts.join(", "));
    for (name, declaration) in [
        ("ended", "static _Bool ended[THREADS];"),
        ("joined", "static _Bool joined[THREADS];"),
        ("result", "static long long result[THREADS];"),
    ] {
        if all.contains(name) {
            text += &format!("{declaration}\n");
        }
    }
    if all.contains("gone") {
        text += &format!(
            "static _Bool gone[{}]; /* allocated objects that have been freed */\n",
            sequence.analysis.objects.len()
        );
    }
    text += "
/* A turn executes the visible statements from pc on that come before stop, each with what follows it up to the next, and
   hops over all others. */
#define AT(thread, number, next) do { if (pc[thread] > number || stop <= number) goto next; } while (0)
/* A jump past visible statements: the thread does not stop at any of them, but at the number or later. */
#define PASS(number, label) do { ASSUME(stop >= number); goto label; } while (0)
#define OVER(thread, next) do { over[thread] = 1; stop = 0; goto next; } while (0)
/* Whoever has its first turn comes to its first visible statement. */
#define TURN(thread, last) \\
    do { \\
        if (started[thread] && !over[thread] && !halted) { \\
            stop = pick(pc[thread], last); \\
            ASSUME(stop > 0); \\
            thread_##thread(); \\
            pc[thread] = stop; \\
        } \\
    } while (0)
";
    let declarations = sequence.declarations.borrow();
    let used = declarations.iter().filter(|(name, _)| all.contains(name.as_str()));
    let declarations: Vec<_> = used.map(|(_, text)| text.as_str()).collect();
    let private = sequence.sharing.private.iter().flatten().copied();
    let own = private.filter(|l| !sequence.sharing.shadows.contains_key(l) && sequence.is_value(*l));
    let own = own.filter(|l| all.contains(sequence.cells[l].as_str()));
    let own: Vec<_> = own
        .map(|loc| {
            let ty = sequence.analysis.cells.get(&loc).map_or(Scalar::Integer, |c| c.ty);
            let ty = if sequence.is_tagged(loc) { "word" } else { declared(ty) };
            format!("static {ty} {} = {};", sequence.cell_name(loc), initial_text(sequence, loc))
        })
        .collect();
    if !own.is_empty() {
        text += &format!("\n/* Cells that one thread only uses. */\n{}\n", own.join("\n"));
    }
    if !declarations.is_empty() {
        text += &format!("\n/* Variables of the threads. */\n{}\n", declarations.join("\n"));
    }
    text + &code
}

fn initial_text(sequence: &Sequence<'_, '_>, loc: Loc) -> String {
    let value = match sequence.initial(loc) {
        Initial::Value(value) => Text::constant(value).code,
        Initial::Choice(_) | Initial::Unwritten => return "0".into(),
    };
    if sequence.is_tagged(loc) { format!("(word){value} * 2 + 1") } else { value }
}
