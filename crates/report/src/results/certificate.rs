//! Certificates. Lists that can be long have an element a line, so that two certificates can be compared line by line.
//!
//! Cells, values, threads, procedures, nodes and states are numbers; names are there for people and are not read back. Where
//! the program spawns threads, the certificate speaks of the program in which `slots` threads wait from the beginning to be
//! spawned.

use super::Schema;
use super::word::Word;
use fencepost_ir::cfg::{Loc, Program};
use fencepost_task::certificate::{
    CertifiedConfiguration, CertifiedFrame, CertifiedGroup, CertifiedLife, CertifiedMessage, CertifiedOp,
    CertifiedPlace, CertifiedProcess, CertifiedReachable, CertifiedVariable,
};
use fencepost_task::{AnyModel, Certificate, EngineId, Model};
use serde::{Deserialize, Serialize};
use std::io;

/// A proof that can be checked again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CertificateResult {
    /// The version of the format.
    pub schema: Schema,
    /// Always `certificate`.
    pub kind: CertificateKind,
    /// The file, as it was named.
    pub file: String,
    /// The memory model that it speaks of.
    pub model: Word<AnyModel>,
    /// The engine that found it.
    pub engine: Word<EngineId>,
    /// Threads that wait to be spawned.
    #[serde(default)]
    pub slots: u32,
    /// The cells.
    pub variables: Vec<Variable>,
    /// Groups of threads that nothing tells apart, each with its automaton.
    pub groups: Vec<Group>,
    /// The configurations from which a violation can be reached.
    pub basis: Vec<Configuration>,
    /// The configurations that can be reached: states of the threads, memory, and for each thread and each cell the values
    /// that it may read.
    pub invariant: Vec<Reachable>,
}

/// The word `certificate`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CertificateKind {
    /// It.
    Certificate,
}

/// A cell of a certificate.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Variable {
    /// Its name; none for a cell of a slot.
    pub name: Option<String>,
    /// The values that it can hold. Elsewhere, a value is its number in this list.
    pub values: Vec<i64>,
    /// How many of them, from the first on, it can hold at the beginning.
    pub initial: u32,
}

/// Threads that nothing tells apart.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Group {
    /// Their names.
    #[serde(default)]
    pub threads: Vec<String>,
    /// Their numbers.
    pub starts: Vec<u32>,
    /// How many there are; none for any number.
    pub count: Option<u32>,
    /// How many states the automaton has; 0 is the initial one.
    pub states: u32,
    /// Transitions: state, operation, state.
    pub transitions: Vec<(u32, Operation, u32)>,
    /// Places of the program, and the state that stands for each: frames, registers, mutexes held, and how the thread
    /// is.
    pub relation: Vec<(Where, u32)>,
}

/// What a transition does, by numbers of cells and values. `atomic` compares the cells of its first list and writes those of
/// the second.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Operation {
    /// Nothing.
    Nop((NopWord,)),
    /// A fence.
    Fence((FenceWord,)),
    /// The cell holds the value.
    Read(ReadWord, u32, u32),
    /// The cell gets the value.
    Write(WriteWord, u32, u32),
    /// Both, for several cells, with an empty buffer.
    Atomic(AtomicWord, Vec<(u32, u32)>, Vec<(u32, u32)>),
}

macro_rules! tag {
    ($name:ident, $word:literal) => {
        /// The first element of its row.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        pub enum $name {
            /// It.
            #[serde(rename = $word)]
            It,
        }
    };
}

tag!(NopWord, "nop");
tag!(FenceWord, "fence");
tag!(ReadWord, "read");
tag!(WriteWord, "write");
tag!(AtomicWord, "atomic");
tag!(OwnWord, "own");

/// Frames (procedure, node, and the caller's edge), registers, mutexes held, and how the thread is.
type Where = (Vec<(u32, u32, Option<u32>)>, Vec<i64>, Vec<u32>, Word<CertifiedLife>);

/// Memory, in which open cells are `null`, and threads: group, state, load buffer.
type Configuration = (Vec<Option<u32>>, Vec<(u32, u32, Vec<Message>)>);

/// States of the threads, memory, and for each thread and each cell the values that it may read.
type Reachable = (Vec<u32>, Vec<u32>, Vec<Vec<Vec<u32>>>);

/// A message in a load buffer: cell and value; `own` marks one that the thread wrote itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Message {
    /// Of another thread.
    Other(u32, Option<u32>),
    /// Of its own.
    Own(u32, Option<u32>, OwnWord),
}

/// A certificate that was read.
#[derive(Clone, Debug)]
pub struct SavedCertificate {
    /// The memory model that it speaks of.
    pub model: AnyModel,
    /// The proof.
    pub certificate: Certificate,
}

/// A certificate as text.
pub fn write_certificate(
    file: &str,
    engine: EngineId,
    program: &Program,
    certificate: &Certificate,
) -> String {
    let result = CertificateResult::new(file, engine, program, certificate);
    let mut bytes = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, Rows::default());
    let written = result.serialize(&mut serializer);
    written.unwrap_or_else(|error| panic!("certificates have texts as keys: {error}"));
    bytes.push(b'\n');
    String::from_utf8(bytes).expect("JSON is UTF-8")
}

/// Reads a certificate that `check` saved.
pub fn read_certificate(text: &str) -> Result<SavedCertificate, serde_json::Error> {
    let result: CertificateResult = serde_json::from_str(text)?;
    Ok(SavedCertificate { model: result.model.0, certificate: result.into_certificate() })
}

impl CertificateResult {
    fn new(file: &str, engine: EngineId, program: &Program, certificate: &Certificate) -> CertificateResult {
        // Cells of slots, which come last, are none of the program's.
        let own = program.cell_bases()[program.objects.len()];
        let variable = |(number, variable): (usize, &CertifiedVariable)| Variable {
            name: ((number as u32) < own).then(|| program.cell_name(Loc::cell(number as u32))).flatten(),
            values: variable.values.clone(),
            initial: variable.initial,
        };
        let name = |start: &u32| Some(program.threads.get(*start as usize)?.name.clone());
        let group = |group: &CertifiedGroup| Group {
            threads: group.starts.iter().filter_map(name).collect(),
            starts: group.starts.clone(),
            count: group.count,
            states: group.states,
            transitions: group.transitions.iter().map(|(a, op, b)| (*a, op.into(), *b)).collect(),
            relation: group.relation.iter().map(|(place, state)| (row_of(place), *state)).collect(),
        };
        let process = |p: &CertifiedProcess| {
            let buffer = p.buffer.iter().map(|m| match m.own {
                true => Message::Own(m.variable, m.value, OwnWord::It),
                false => Message::Other(m.variable, m.value),
            });
            (p.group, p.state, buffer.collect())
        };
        let configuration =
            |c: &CertifiedConfiguration| (c.memory.clone(), c.processes.iter().map(process).collect());
        let reachable = |r: &CertifiedReachable| (r.states.clone(), r.memory.clone(), r.readable.clone());
        CertificateResult {
            schema: Schema,
            kind: CertificateKind::Certificate,
            file: file.to_string(),
            model: Model::Tso.into(),
            engine: Word(engine),
            slots: certificate.slots,
            variables: certificate.variables.iter().enumerate().map(variable).collect(),
            groups: certificate.groups.iter().map(group).collect(),
            basis: certificate.basis.iter().map(configuration).collect(),
            invariant: certificate.invariant.iter().map(reachable).collect(),
        }
    }

    fn into_certificate(self) -> Certificate {
        let variable = |v: Variable| CertifiedVariable { values: v.values, initial: v.initial };
        let group = |g: Group| CertifiedGroup {
            starts: g.starts,
            count: g.count,
            states: g.states,
            transitions: g.transitions.into_iter().map(|(a, op, b)| (a, op.into(), b)).collect(),
            relation: g.relation.into_iter().map(|(row, state)| (place_of(row), state)).collect(),
        };
        let message = |m: Message| match m {
            Message::Other(variable, value) => CertifiedMessage { variable, value, own: false },
            Message::Own(variable, value, OwnWord::It) => CertifiedMessage { variable, value, own: true },
        };
        let process = |(group, state, buffer): (u32, u32, Vec<Message>)| CertifiedProcess {
            group,
            state,
            buffer: buffer.into_iter().map(message).collect(),
        };
        let configuration = |(memory, processes): Configuration| CertifiedConfiguration {
            memory,
            processes: processes.into_iter().map(process).collect(),
        };
        let reachable = |(states, memory, readable)| CertifiedReachable { states, memory, readable };
        Certificate {
            slots: self.slots,
            variables: self.variables.into_iter().map(variable).collect(),
            groups: self.groups.into_iter().map(group).collect(),
            basis: self.basis.into_iter().map(configuration).collect(),
            invariant: self.invariant.into_iter().map(reachable).collect(),
        }
    }
}

fn row_of(place: &CertifiedPlace) -> Where {
    let frames = place.frames.iter().map(|f| (f.procedure, f.node, f.call)).collect();
    (frames, place.registers.clone(), place.held.clone(), Word(place.life))
}

fn place_of((frames, registers, held, life): Where) -> CertifiedPlace {
    let frame = |(procedure, node, call)| CertifiedFrame { procedure, node, call };
    CertifiedPlace { frames: frames.into_iter().map(frame).collect(), registers, held, life: life.0 }
}

impl From<&CertifiedOp> for Operation {
    fn from(op: &CertifiedOp) -> Operation {
        match op {
            CertifiedOp::Nop => Operation::Nop((NopWord::It,)),
            CertifiedOp::Fence => Operation::Fence((FenceWord::It,)),
            CertifiedOp::Read(cell, value) => Operation::Read(ReadWord::It, *cell, *value),
            CertifiedOp::Write(cell, value) => Operation::Write(WriteWord::It, *cell, *value),
            CertifiedOp::Atomic(guard, update) => {
                Operation::Atomic(AtomicWord::It, guard.clone(), update.clone())
            }
        }
    }
}

impl From<Operation> for CertifiedOp {
    fn from(operation: Operation) -> CertifiedOp {
        match operation {
            Operation::Nop(_) => CertifiedOp::Nop,
            Operation::Fence(_) => CertifiedOp::Fence,
            Operation::Read(_, cell, value) => CertifiedOp::Read(cell, value),
            Operation::Write(_, cell, value) => CertifiedOp::Write(cell, value),
            Operation::Atomic(_, guard, update) => CertifiedOp::Atomic(guard, update),
        }
    }
}

/// One key a line, and one element a line of the lists of the certificate and of the lists of rows in its groups.
#[derive(Default)]
struct Rows {
    /// The lists and objects around: true for objects.
    around: Vec<bool>,
    /// Whether the list of a group had a row.
    had_rows: bool,
}

/// A list in an object in a list of the certificate.
const IN_GROUP: [bool; 4] = [true, false, true, false];

impl serde_json::ser::Formatter for Rows {
    fn begin_array<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        if self.around == IN_GROUP {
            self.had_rows = true;
            out.write_all(b"\n")?;
        }
        self.around.push(false);
        out.write_all(b"[")
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        let rows = self.around == IN_GROUP && std::mem::take(&mut self.had_rows);
        if self.around.len() == 2 || rows {
            out.write_all(b"\n")?;
        }
        self.around.pop();
        out.write_all(b"]")
    }

    fn begin_array_value<W: ?Sized + io::Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        out.write_all(if first { b"" } else { b"," })?;
        out.write_all(if self.around.len() == 2 { b"\n" } else { b"" })
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.around.push(true);
        out.write_all(b"{")
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.around.pop();
        out.write_all(if self.around.is_empty() { b"\n}" } else { b"}" })
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        out.write_all(if first { b"" } else { b"," })?;
        out.write_all(if self.around.len() == 1 { b"\n" } else { b"" })
    }
}
