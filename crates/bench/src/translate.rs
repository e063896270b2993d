//! `fencepost bench translate`: Table 1 of Atig, Bouajjani and Parlato, CAV 2011: four mutual exclusion algorithms for two
//! threads, without fences and with them, translated with store age 2. As programs of the modelling language and of C, by
//! explicit search of the translation; beside it cbmc on the translated C, where it is on the PATH, and the
//! seconds that the paper gives for two other tools.
//!
//! Textbook versions of the programs, not the authors' files.

use super::peer;
use crate::{Format, Options};
use fencepost_c as c;
use fencepost_certify::replay;
use fencepost_explore::Explicit;
use fencepost_ir::tree::{self, c::Dialect};
use fencepost_models::fp;
use fencepost_passes::pipeline;
use fencepost_report::results::{PeerVerdict, Published, TranslateRow, Vocabulary, Word};
use fencepost_task::{Bounds, Budget, Model, Task, Verdict, VerdictKind};
use fencepost_translate::{Bound, run_back, translate};
use fencepost_verify::translation::c_text;
use std::time::{Duration, Instant};

const AGE: Bound = Bound::Age(2);

/// How long cbmc may take for a row.
const LIMIT: Duration = Duration::from_secs(60);

struct Row {
    name: &'static str,
    text: &'static str,
    is_unsafe: bool,
    /// Seconds that the paper gives: Poirot, then ESBMC.
    published: (u32, Option<u32>),
}

macro_rules! row {
    ($file:literal, $is_unsafe:expr, $published:expr) => {
        Row {
            name: $file,
            text: include_str!(concat!("examples/", $file)),
            is_unsafe: $is_unsafe,
            published: $published,
        }
    };
}

const ROWS: [Row; 16] = [
    row!("dekker.fp", true, (7, None)),
    row!("lamport2.fp", true, (26, Some(1))),
    row!("peterson.fp", true, (5, Some(1))),
    row!("szymanski.fp", true, (8, Some(1))),
    row!("dekker_fenced.fp", false, (72, Some(6))),
    row!("lamport2_fenced.fp", false, (1608, Some(7))),
    row!("peterson_fenced.fp", false, (47, Some(1))),
    row!("szymanski_fenced.fp", false, (978, Some(6))),
    row!("dekker.c", true, (7, None)),
    row!("lamport.c", true, (26, Some(1))),
    row!("peterson.c", true, (5, Some(1))),
    row!("szymanski.c", true, (8, Some(1))),
    row!("dekker_fenced.c", false, (72, Some(6))),
    row!("lamport_fenced.c", false, (1608, Some(7))),
    row!("peterson_fenced.c", false, (47, Some(1))),
    row!("szymanski_fenced.c", false, (978, Some(6))),
];

pub fn run(options: &Options) -> Result<(), String> {
    if options.format == Format::Text {
        options.print(format!(
            "{:20}  {:4}  {:>7}  {:>8}  {:>8}  {:>6}  {:>5}",
            "program", "tool", "verdict", "seconds", "states", "Poirot", "ESBMC"
        ));
    }
    let cbmc = peer::is_installed("cbmc");
    for row in &ROWS {
        ours(options, row)?;
        if cbmc && row.name.ends_with(".c") {
            theirs(options, row)?;
        }
    }
    Ok(())
}

fn read(name: &str, text: &str) -> Result<tree::Program, String> {
    let read = match name.ends_with(".c") {
        true => c::read(&[(name, text)], &c::Options::default()),
        false => fp::read(name, text),
    };
    read.map_err(|(_, diagnostics)| format!("{name}: {diagnostics:?}"))
}

/// The tree as the translation takes it.
fn prepared(mut tree: tree::Program) -> tree::Program {
    pipeline::on_tree(&mut tree, pipeline::Options::default());
    tree
}

fn ours(options: &Options, row: &Row) -> Result<(), String> {
    let start = Instant::now();
    let tree = read(row.name, row.text)?;
    let prepared = prepared(tree.clone());
    let translation = translate(&prepared, AGE).map_err(|u| format!("{}: {}", row.name, u.what))?;
    let program = pipeline::lower(translation.program.clone());
    let (bounds, budget) = (Bounds::default(), Budget::default());
    let task = Task { program: &program, model: Model::Sc, bounds, budget };
    let answer = Explicit::default().check_quickly(&task, &mut |_| {});
    let verdict = match &answer.verdict {
        Verdict::Unsafe { trace } => {
            let original = pipeline::lower(tree);
            let run = run_back(&original, &program, &translation, trace, &Budget::default()).ok().flatten();
            let run = run.ok_or_else(|| format!("{}: a run of the translation is none of it", row.name))?;
            replay(&original, &run).map_err(|r| format!("{}: {r}", row.name))?;
            VerdictKind::Unsafe
        }
        Verdict::Safe { .. } | Verdict::Unknown { .. } => answer.verdict.kind(),
    };
    let expected = if row.is_unsafe { VerdictKind::Unsafe } else { VerdictKind::Safe };
    if verdict != expected {
        return Err(format!("{}: {verdict}", row.name));
    }
    let verdict = PeerVerdict::Answered(verdict);
    report(options, row, "ours", verdict, start.elapsed().as_secs_f64(), Some(answer.stats.states));
    Ok(())
}

/// Loops are repeated twice for bugs and three times for correct programs, as in the paper.
fn theirs(options: &Options, row: &Row) -> Result<(), String> {
    let tree = prepared(read(row.name, row.text)?);
    let text = translate(&tree, AGE).and_then(|translated| c_text(&translated, Dialect::Cprover));
    let text = text.map_err(|u| format!("{}: {}", row.name, u.what))?;
    let unwind = if row.is_unsafe { "2" } else { "3" };
    let arguments = ["--no-standard-checks", "--no-unwinding-assertions", "--unwind", unwind];
    let (verdict, seconds) = peer::cbmc(&text, &arguments, LIMIT)?;
    report(options, row, "cbmc", verdict, seconds, None);
    Ok(())
}

fn report(options: &Options, row: &Row, tool: &str, verdict: PeerVerdict, seconds: f64, states: Option<u64>) {
    let (poirot, esbmc) = row.published;
    match options.format {
        Format::Json => options.row(&TranslateRow {
            program: row.name.to_string(),
            age: 2,
            tool: tool.to_string(),
            verdict: Word(verdict),
            seconds,
            states,
            published: Published { poirot, esbmc },
        }),
        Format::Text => {
            let show = |n: Option<u64>| n.map_or(String::from("-"), |n| n.to_string());
            options.print(format!(
                "{:20}  {:4}  {:>7}  {:>8.2}  {:>8}  {:>6}  {:>5}",
                row.name,
                tool,
                verdict.word(),
                seconds,
                show(states),
                poirot,
                show(esbmc.map(u64::from))
            ));
        }
    }
}
