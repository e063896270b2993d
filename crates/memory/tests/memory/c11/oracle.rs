//! Asks the implementation of RC11 that lies beside the repository.

use fencepost_ir::Order;
use fencepost_memory::axiom::c11::ReleaseSequences;
use fencepost_samples::ordered::{Op, Ordered, Ordering, Value};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// What it says of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// Whether there is a race.
    pub races: bool,
    /// All cells and registers at the end.
    pub finals: BTreeSet<Vec<i64>>,
}

/// Reads a program a line; writes `?` if it is too large, else whether there is a race and the outcomes.
const DRIVER: &str = "
import sys
sys.path.insert(0, sys.argv[1])
import rc11
for line in sys.stdin:
    threads, cells, lengths, cxx20 = eval(line)
    rc11.CXX20 = cxx20
    r = rc11.explore(rc11.Prog(threads, cells, mod=256), cap=20000)
    if r['capped']:
        print('?')
        continue
    finals = set()
    for registers, memory in r['outcomes']:
        values = list(memory)
        for t, n in enumerate(lengths):
            held = dict(registers[t])
            values += [held.get('r%d' % i, 0) for i in range(n)]
        finals.add(tuple(values))
    print('race' if r['race'] else 'none', ' '.join(','.join(map(str, f)) for f in sorted(finals)))
";

/// Its answers; nothing where it, or Python, is not there.
pub fn ask(programs: &[(Ordered, ReleaseSequences)]) -> Option<Vec<Option<Answer>>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/oracles/c11");
    if !folder.join("rc11.py").is_file() {
        println!("skipped: no other implementation at ../shared/oracles/c11");
        return None;
    }
    let mut command = Command::new("python3");
    command.args(["-B", "-c", DRIVER]).arg(&folder).stdin(Stdio::piped()).stdout(Stdio::piped());
    let Ok(mut child) = command.spawn() else {
        println!("skipped: no python3");
        return None;
    };
    let lines: String = programs.iter().map(|(p, s)| question(p, *s)).collect();
    let mut input = child.stdin.take().expect("it is piped");
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("it reads all");
    assert!(output.status.success(), "the other implementation failed");
    let text = String::from_utf8(output.stdout).expect("text");
    let answers: Vec<Option<Answer>> = text.lines().map(answer).collect();
    assert_eq!(answers.len(), programs.len());
    Some(answers)
}

fn answer(line: &str) -> Option<Answer> {
    let (race, finals) = line.split_once(' ')?;
    let values = |text: &str| text.split(',').map(|v| v.parse().expect("a value")).collect();
    Some(Answer { races: race == "race", finals: finals.split_whitespace().map(values).collect() })
}

/// A program in its syntax: a list of tuples for each thread.
fn question(program: &Ordered, sequences: ReleaseSequences) -> String {
    let mut threads = Vec::new();
    for ops in &program.threads {
        // Both have one instruction for an operation, so they are numbered alike.
        let instructions: Vec<String> = ops.iter().enumerate().map(|(r, op)| instruction(r, op)).collect();
        threads.push(format!("[{}]", instructions.join(",")));
    }
    let lengths: Vec<String> = program.threads.iter().map(|ops| ops.len().to_string()).collect();
    let cxx20 = match sequences {
        ReleaseSequences::Cxx20 => "True",
        ReleaseSequences::C11 => "False",
    };
    format!("([{}],{},[{}],{cxx20})\n", threads.join(","), program.cells(), lengths.join(","))
}

fn instruction(r: usize, op: &Op) -> String {
    let atomic = |order: Order| word(Some(order));
    match *op {
        Op::Load(x, o) => format!("('ld','r{r}',{x},'{}')", word(o)),
        Op::Store(x, Value::Number(v), o) => format!("('st',{x},{v},'{}')", word(o)),
        Op::Store(x, Value::Register(v), o) => format!("('st',{x},'r{v}','{}')", word(o)),
        Op::Exchange(x, v, o) => format!("('xchg','r{r}',{x},{v},'{}')", atomic(o)),
        Op::Add(x, v, o) => format!("('add','r{r}',{x},{v},'{}')", atomic(o)),
        Op::Compare(x, e, n, s, o) => format!("('cas','r{r}',{x},{e},{n},'{}','{}')", atomic(s), atomic(o)),
        Op::Fence(o) => format!("('fence','{}')", atomic(o)),
        Op::If(register, v) => format!("('jz',('==','r{register}',{v}),{})", r + 2),
        Op::Lock(_) | Op::Unlock(_) | Op::Spawn(_) | Op::Join(_) => panic!("the axioms do not take {op}"),
    }
}

fn word(order: Ordering) -> &'static str {
    match order {
        None => "na",
        Some(Order::Relaxed) => "rlx",
        Some(Order::Acquire) => "acq",
        Some(Order::Release) => "rel",
        Some(Order::AcqRel) => "ar",
        Some(Order::SeqCst) => "sc",
    }
}
