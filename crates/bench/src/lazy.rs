//! `fencepost bench lazy`: Figures 6 to 9 and 12 of Bouajjani et al., "Lazy TSO Reachability" (FASE 2015), with the
//! published times and numbers of queries beside ours, and robustness on the same programs. The models are ours;
//! the paper's files may differ in detail. Where `trencher` is on the PATH, it decides robustness of the same
//! program in the same run, as far as it can be written in its language.

use super::lazy_families as families;
use crate::{Format, Options};
use fencepost_ir::cfg::Program;
use fencepost_passes::pipeline;
use fencepost_report::results::{BenchName, LazyRow, RobustColumns, Schema, Word};
use fencepost_robust::attacks;
use fencepost_robust::lazy::Lazy;
use fencepost_task::{Bounds, Budget, Engine, Model, Task, VerdictKind};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A row of a figure.
pub struct Row {
    pub figure: &'static str,
    pub name: String,
    text: String,
    /// What the paper's tool took, in milliseconds, and its queries.
    published: Option<(u64, u64)>,
    pub verdict: VerdictKind,
    /// Whether it is robust.
    pub robust: bool,
    /// The program in Trencher's language.
    trencher: Option<String>,
}

macro_rules! example {
    ($name:literal) => {
        include_str!(concat!("examples/", $name, ".fp")).to_string()
    };
}

/// All rows.
pub fn rows(all: bool) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut add = |figure, name: String, text, published, verdict, robust| {
        rows.push(Row { figure, name, text, published, verdict, robust, trencher: None });
    };
    let f6 = "Figure 6";
    add(f6, "Parker".into(), example!("parker"), Some((5, 4)), VerdictKind::Unsafe, false);
    add(f6, "Peterson".into(), example!("peterson"), Some((13, 12)), VerdictKind::Unsafe, false);
    add(f6, "Dekker".into(), example!("dekker"), Some((70, 30)), VerdictKind::Unsafe, false);
    add(f6, "Lamport 3".into(), families::lamport(3), Some((694, 27)), VerdictKind::Unsafe, false);
    add(f6, "MCS lock".into(), example!("mcs"), Some((61, 30)), VerdictKind::Safe, true);
    add(f6, "CLH lock".into(), example!("clh"), Some((7, 70)), VerdictKind::Safe, true);
    let stack2 = include_str!("models/stack2.fp").to_string();
    add(f6, "Lock-free stack".into(), stack2, Some((7, 14)), VerdictKind::Safe, true);
    add("", "with 3 threads".into(), example!("stack"), None, VerdictKind::Safe, true);
    for n in 2..=5 {
        add("Figure 7", format!("Lamport {n}"), families::lamport(n), None, VerdictKind::Unsafe, false);
    }
    for n in [5, 10, 20, 50] {
        add("Figure 8", format!("Diamond {n}"), families::diamond(n), None, VerdictKind::Unsafe, false);
    }
    let lengths: &[u32] = if all { &[3, 5, 10, 15, 20, 25, 30, 50] } else { &[3, 5, 10, 15, 20, 25] };
    for &n in lengths {
        add("Figure 9", format!("Loop {n}"), families::long_loop(n), None, VerdictKind::Unsafe, false);
    }
    add("Figure 12", "Safe, not robust".into(), example!("lazy_fig12"), None, VerdictKind::Unknown, false);
    for row in &mut rows {
        let size = || row.name.rsplit(' ').next().and_then(|n| n.parse().ok()).expect("the name ends in N");
        row.trencher = match row.figure {
            "Figure 7" => Some(families::lamport_automata(size())),
            "Figure 8" => Some(families::diamond_automata(size())),
            "Figure 9" => Some(families::long_loop_automata(size())),
            _ => None,
        };
    }
    rows
}

/// Longer is not waited for.
const TIMEOUT: Duration = Duration::from_secs(20);

pub fn run(options: &Options) -> Result<(), String> {
    if options.format == Format::Text {
        options.print(format!(
            "{:9}  {:17}  {:>7}  {:>7}  {:>9}  {:>8}  {:>9}  {:>7}  {:>10}  {:>9}  {:>8}  {:>8}",
            "figure",
            "program",
            "verdict",
            "queries",
            "states",
            "ms",
            "published",
            "queries",
            "robust",
            "states",
            "ms",
            "trencher"
        ));
    }
    for row in rows(options.all) {
        let program = read(&row)?;
        let start = Instant::now();
        let timeout = if row.verdict == VerdictKind::Unknown { Duration::from_secs(1) } else { TIMEOUT };
        let budget = Budget::default().until(start + timeout);
        let task =
            Task { program: &program, model: Model::Tso, bounds: Bounds::default(), budget: budget.clone() };
        let answer = Lazy::default().check(&task, &mut |_| {});
        let took = start.elapsed().as_secs_f64() * 1e3;
        let verdict = answer.verdict.kind();
        if verdict != row.verdict {
            return Err(format!("{} {} is {}, not {verdict}", row.figure, row.name, row.verdict));
        }
        let start = Instant::now();
        let budget = Budget::default().until(start + TIMEOUT);
        let found = attacks(&program, &budget);
        let robust_took = start.elapsed().as_secs_f64() * 1e3;
        let attacks = match (&found.incomplete, found.found.len()) {
            (Some(_), 0) => "unknown".to_string(),
            (None, 0) => "robust".to_string(),
            (_, 1) => "1 attack".to_string(),
            (_, n) => format!("{n} attacks"),
        };
        let peer = trencher(&row)?;
        let (states, queries) = (answer.stats.states, answer.stats.queries);
        if options.format == Format::Json {
            options.row(&LazyRow {
                schema: Schema,
                bench: BenchName::Lazy,
                figure: row.figure.to_string(),
                program: row.name.clone(),
                verdict: Word(verdict),
                queries,
                states,
                milliseconds: took,
                published_milliseconds: row.published.map(|p| p.0),
                published_queries: row.published.map(|p| p.1),
                robustness: RobustColumns {
                    robust: found.is_robust(),
                    expected_robust: row.robust,
                    attacks: found.found.len(),
                    robust_states: found.stats.states,
                    robust_milliseconds: robust_took,
                    trencher_milliseconds: peer,
                },
            });
            continue;
        }
        let show = |n: Option<u64>| n.map_or("-".to_string(), |n| n.to_string());
        options.print(format!(
            "{:9}  {:17}  {verdict:>7}  {queries:>7}  {states:>9}  {took:>8.1}  {:>9}  {:>7}  {attacks:>10}  {:>9}  \
             {robust_took:>8.1}  {:>8}",
            row.figure,
            row.name,
            show(row.published.map(|p| p.0)),
            show(row.published.map(|p| p.1)),
            found.stats.states,
            peer.map_or("-".to_string(), |ms| format!("{ms:.1}")),
        ));
    }
    Ok(())
}

/// The program of a row.
pub fn read(row: &Row) -> Result<Program, String> {
    match fencepost_models::fp::read(&row.name, &row.text) {
        Ok(tree) => Ok(pipeline::lower(tree)),
        Err((_, diagnostics)) => Err(format!("the model {} is wrong: {diagnostics:?}", row.name)),
    }
}

/// Milliseconds that Trencher takes to decide robustness, where it is installed and the program can be written
/// in its language.
fn trencher(row: &Row) -> Result<Option<f64>, String> {
    let Some(text) = &row.trencher else { return Ok(None) };
    let mut command = Command::new("trencher");
    if command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
        return Ok(None);
    }
    let path = std::env::temp_dir().join(format!("fencepost-bench-{}.txt", std::process::id()));
    std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    let start = Instant::now();
    let mut command = Command::new("trencher");
    let output = command.arg("-r").arg(&path).stdin(Stdio::null()).output();
    let took = start.elapsed().as_secs_f64() * 1e3;
    let _ = std::fs::remove_file(&path);
    match output {
        Ok(output) if output.status.success() => Ok(Some(took)),
        Ok(_) | Err(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_task::Verdict;

    /// Every row has its verdict, and every run is replayed; robustness agrees; the number of queries does not
    /// grow with the length of Figure 9's loop.
    #[test]
    fn rows_have_their_verdicts() {
        let mut queries = Vec::new();
        for row in rows(false).iter().filter(|r| r.name != "Lamport 5" && r.verdict != VerdictKind::Unknown) {
            let program = read(row).unwrap();
            let (bounds, budget) = (Bounds::default(), Budget::default());
            let task = Task { program: &program, model: Model::Tso, bounds, budget };
            let answer = Lazy::default().check(&task, &mut |_| {});
            match answer.verdict {
                Verdict::Safe { .. } => assert_eq!(row.verdict, VerdictKind::Safe, "{}", row.name),
                Verdict::Unsafe { trace } => {
                    assert_eq!(row.verdict, VerdictKind::Unsafe, "{}", row.name);
                    fencepost_certify::replay(&program, &trace).unwrap();
                }
                Verdict::Unknown { reason, .. } => panic!("{}: {reason}", row.name),
            }
            if row.figure == "Figure 9" {
                queries.push(answer.stats.queries);
            }
            assert_eq!(attacks(&program, &Budget::default()).is_robust(), row.robust, "{}", row.name);
        }
        assert!(queries.windows(2).all(|w| w[0] == w[1]), "{queries:?}");
    }

    /// What is written for Trencher is what we read: both texts are equally robust.
    #[test]
    fn texts_for_trencher_mean_the_same() {
        for row in rows(false) {
            let Some(text) = &row.trencher else { continue };
            if row.name == "Lamport 5" || row.name == "Lamport 4" {
                continue;
            }
            let tree = fencepost_models::trencher::read("row.txt", text).unwrap();
            let found = attacks(&pipeline::lower(tree), &Budget::default());
            let own = attacks(&read(&row).unwrap(), &Budget::default());
            let places = |a: &fencepost_robust::Attacks| a.found.len();
            assert_eq!(places(&found), places(&own), "{}", row.name);
        }
    }
}
