//! `fencepost bench dual`: Tables 1 and 2 and Figure 3 of Abdulla et al., CONCUR 2016, row by row, with the
//! published numbers of configurations beside ours and, where `memorax` is on the PATH, its own on the same
//! automata. The models are ours; the paper's files may differ in detail. Counts do not depend on the
//! machine. The invariant's elements, which prune the search, are counted apart.

use super::families::{self, Repeats};
use super::memorax::{self, Peer};
use crate::{Format, Options};
use fencepost_cover::{Dual, DualModel, Values};
use fencepost_ir::cfg::Program;
use fencepost_passes::pipeline;
use fencepost_report::results::{BenchName, DualRow, Schema, Word};
use fencepost_task::{Bounds, Budget, Engine, Model, Stats, Task, VerdictKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A row of a table.
pub struct Row {
    pub table: &'static str,
    pub name: String,
    text: String,
    /// What the paper's tool generated.
    published: Option<u64>,
    /// Whether it is safe.
    pub safe: bool,
}

macro_rules! example {
    ($name:literal) => {
        include_str!(concat!("examples/", $name, ".fp")).to_string()
    };
}

/// All rows.
pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let ones = |n: usize| vec![1; n];
    let mut add = |table, name: &str, text: String, published, safe| {
        rows.push(Row { table, name: name.to_string(), text, published, safe });
    };
    let once = |family: &families::Family| families::program(family, Some(&ones(family.len())), Repeats::No);
    let t1 = "Table 1";
    add(t1, "SB 5", once(&families::sb(5)), Some(10641), false);
    add(t1, "LB 3", once(&families::lb(3)), Some(2048), true);
    add(t1, "WRC 4", once(&families::wrc(4)), Some(1507), true);
    add(t1, "ISA2 3", once(&families::isa2()), Some(509), true);
    add(t1, "RWC 5", once(&families::rwc(5)), Some(4277), false);
    add(t1, "W+RWC 4", once(&families::w_rwc(4)), Some(1713), false);
    add(t1, "IRIW 4", once(&families::iriw()), Some(520), true);
    add(t1, "Nbw_w_wr 2", include_str!("models/nbw_w_wr.fp").to_string(), Some(222), true);
    add(t1, "Sense_rev_bar 2", include_str!("models/sense_rev_bar.fp").to_string(), Some(1704), true);
    add(t1, "Dekker 2", example!("dekker"), Some(5053), false);
    add(t1, "Dekker_simple 2", include_str!("models/dekker_simple.fp").to_string(), Some(98), false);
    add(t1, "Peterson 2", include_str!("models/peterson_once.fp").to_string(), Some(5442), false);
    add(t1, "Peterson_loop 2", example!("peterson"), Some(7632), false);
    add(t1, "Szymanski 2", example!("szymanski"), Some(29018), false);
    add(t1, "MP 4", families::program(&families::mp(), Some(&[2, 2]), Repeats::No), Some(883), true);
    add(t1, "Ticket_spin_lock 3", example!("ticket"), Some(18963), true);
    add(t1, "Bakery 2", example!("bakery"), Some(82050), false);
    add(t1, "Dijkstra 2", example!("dijkstra"), Some(8324), false);
    add(t1, "Lamport_fast 3", example!("lamport3"), Some(292543), false);
    add(t1, "Burns 4", example!("burns4"), Some(2762578), false);
    let t2 = "Table 2";
    let any = |family: &families::Family| families::program(family, None, Repeats::Yes);
    add(t2, "SB", any(&families::sb(2)), Some(147), false);
    add(t2, "LB", any(&families::lb(2)), Some(1028), true);
    add(t2, "MP", any(&families::mp()), Some(149), true);
    add(t2, "WRC", any(&families::wrc(3)), Some(618), true);
    add(t2, "ISA2", any(&families::isa2()), Some(1539), true);
    add(t2, "RWC", any(&families::rwc(3)), Some(293), false);
    add(t2, "W+RWC", any(&families::w_rwc(3)), Some(828), false);
    add(t2, "IRIW", any(&families::iriw()), Some(648), true);
    let f3 = "Figure 3";
    let copies =
        |family: families::Family, copies: &[usize]| families::program(&family, Some(copies), Repeats::Yes);
    for (family, name, unsafe_, sizes) in figure_3() {
        for size in sizes {
            let text = copies(family.clone(), size);
            let size: Vec<String> = size.iter().map(usize::to_string).collect();
            let size = size.join("+");
            let published = (name == "SB" && size == "4+5").then_some(1_300_000);
            add(f3, &format!("{name} {size}"), text, published, !unsafe_);
        }
    }
    for [n, m] in [[2, 2], [2, 3], [3, 3], [6, 6]] {
        add(f3, &format!("Ticket lock {n}+{m}"), families::ticket_lock(n, m), None, true);
    }
    let fenced = "Fenced";
    add(fenced, "Peterson", example!("peterson_fenced"), None, true);
    add(fenced, "Dekker", example!("dekker_fenced"), None, true);
    add(fenced, "Lamport 3", example!("lamport3_fenced"), None, true);
    add(fenced, "Szymanski", example!("szymanski_fenced"), None, true);
    add(fenced, "Bakery", example!("bakery_fenced"), None, true);
    add(fenced, "Burns 4", example!("burns4_fenced"), None, true);
    add(fenced, "Dijkstra 2", example!("dijkstra_fenced"), None, true);
    add(fenced, "Ticket 3", example!("ticket_fenced"), None, true);
    rows
}

/// A family, its name, whether its target can be reached, and numbers of copies.
type Scaled = (families::Family, &'static str, bool, &'static [&'static [usize]]);

/// The families of Figure 3 up to twelve threads.
fn figure_3() -> Vec<Scaled> {
    vec![
        (families::sb(2), "SB", true, &[&[4, 5], &[5, 5], &[6, 6]]),
        (families::lb(2), "LB", false, &[&[3, 3], &[3, 4], &[6, 6]]),
        (families::mp(), "MP", false, &[&[5, 5], &[6, 6]]),
        (families::wrc(3), "WRC", false, &[&[3, 3, 3], &[4, 4, 4]]),
        (families::isa2(), "ISA2", false, &[&[2, 3, 3], &[4, 4, 4]]),
        (families::rwc(3), "RWC", true, &[&[3, 3, 4], &[4, 4, 4]]),
        (families::w_rwc(3), "W+RWC", true, &[&[3, 3, 3], &[4, 4, 4]]),
        (families::iriw(), "IRIW", false, &[&[2, 3, 3, 3], &[3, 3, 3, 3]]),
    ]
}

/// Longer is not waited for.
const TIMEOUT: Duration = Duration::from_secs(60);

pub fn run(options: &Options) -> Result<(), String> {
    let folder = std::env::temp_dir().join(format!("fencepost-bench-{}", std::process::id()));
    let with_memorax = memorax::present();
    if with_memorax {
        std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    }
    let result = all_rows(options, with_memorax.then_some(&folder));
    if with_memorax {
        let _ = std::fs::remove_dir_all(&folder);
    }
    result
}

fn all_rows(options: &Options, memorax_in: Option<&PathBuf>) -> Result<(), String> {
    if options.format == Format::Text {
        options.print(format!(
            "{:9}  {:18}  {:>7}  {:>14}  {:>9}  {:>10}  {:>8}  {:>10}  {:>8}",
            "table",
            "program",
            "verdict",
            "configurations",
            "invariant",
            "published",
            "seconds",
            "memorax",
            "seconds"
        ));
    }
    for row in rows() {
        let program = read(&row)?;
        let start = Instant::now();
        let budget = Budget::default().until(start + TIMEOUT);
        let task = Task { program: &program, model: Model::Tso, bounds: Bounds::default(), budget };
        let answer = Dual.check(&task, &mut |_| {});
        let seconds = start.elapsed().as_secs_f64();
        let verdict = answer.verdict.kind();
        let expected = if row.safe { VerdictKind::Safe } else { VerdictKind::Unsafe };
        if verdict != expected && verdict != VerdictKind::Unknown {
            return Err(format!("{} {} is {expected}, not {verdict}", row.table, row.name));
        }
        let peer = match memorax_in {
            Some(folder) => ask_memorax(folder, &row, &program)?,
            None => None,
        };
        report(options, &row, verdict, &answer.stats, seconds, peer);
    }
    Ok(())
}

fn ask_memorax(folder: &Path, row: &Row, program: &Program) -> Result<Option<Peer>, String> {
    let model =
        DualModel::new(program, &Budget::default(), Values::All).map_err(|reason| reason.to_string())?;
    let Ok(text) = memorax::rmm(&model) else { return Ok(None) };
    let any_number = model.system.groups.iter().any(|g| g.count.is_none());
    let peer = memorax::ask(folder, &text, any_number, TIMEOUT)?;
    if peer.as_ref().is_some_and(|p| p.reachable == row.safe) {
        return Err(format!("memorax has another verdict on {} {}", row.table, row.name));
    }
    Ok(peer)
}

/// The program of a row.
pub fn read(row: &Row) -> Result<Program, String> {
    match fencepost_models::fp::read(&row.name, &row.text) {
        Ok(tree) => Ok(pipeline::run(tree, pipeline::Options::default(), |_, _| {})),
        Err((_, diagnostics)) => Err(format!("the model {} is wrong: {diagnostics:?}", row.name)),
    }
}

fn report(
    options: &Options,
    row: &Row,
    verdict: VerdictKind,
    stats: &Stats,
    seconds: f64,
    peer: Option<Peer>,
) {
    let Row { table, name, published, .. } = row;
    let Stats { configurations, states, .. } = stats;
    if options.format == Format::Json {
        options.row(&DualRow {
            schema: Schema,
            bench: BenchName::Dual,
            table: table.to_string(),
            program: name.clone(),
            verdict: Word(verdict),
            configurations: *configurations,
            invariant: *states,
            published: *published,
            seconds,
            memorax: peer.as_ref().map(|p| p.generated),
            memorax_seconds: peer.as_ref().map(|p| p.seconds),
        });
        return;
    }
    let published = published.map_or("-".to_string(), |n| n.to_string());
    let (generated, took) = match peer {
        Some(p) => (p.generated.to_string(), format!("{:.3}", p.seconds)),
        None => ("-".to_string(), "-".to_string()),
    };
    options.print(format!(
        "{table:9}  {name:18}  {verdict:>7}  {configurations:>14}  {states:>9}  {published:>10}  {seconds:>8.3}  \
         {generated:>10}  {took:>8}"
    ));
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_task::Verdict;

    /// Every row is decided as it should be, and those of Table 1 with no more configurations than the
    /// paper's tool generated; a tenth of them where the paper's numbers are large.
    #[test]
    fn rows_have_their_verdicts_and_stay_below_the_published_numbers() {
        for row in rows() {
            let program = read(&row).unwrap();
            let (bounds, budget) = (Bounds::default(), Budget::default());
            let answer =
                Dual.check(&Task { program: &program, model: Model::Tso, bounds, budget }, &mut |_| {});
            let name = format!("{} {}", row.table, row.name);
            match answer.verdict {
                Verdict::Safe { .. } => assert!(row.safe, "{name}"),
                Verdict::Unsafe { .. } => assert!(!row.safe, "{name}"),
                Verdict::Unknown { reason, .. } => panic!("{name}: {reason}"),
            }
            let tenth = ["Burns 4", "Lamport_fast 3", "Bakery 2", "Szymanski 2"].contains(&&row.name[..]);
            let limit = row.published.filter(|_| row.table == "Table 1").unwrap_or(u64::MAX);
            let limit = if tenth { limit / 10 } else { limit };
            let configurations = answer.stats.configurations;
            assert!(configurations <= limit, "{name}: {configurations} configurations, not {limit}");
        }
    }
}
