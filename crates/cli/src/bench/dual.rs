//! `fencepost bench dual`: Tables 1 and 2 and Figure 3 of Abdulla et al., CONCUR 2016, row by row, with the
//! published numbers of configurations beside ours. The models are ours; the paper's files may differ
//! in detail. Counts do not depend on the machine.

use super::families::{self, Repeats};
use crate::options::{BenchOptions, Format};
use crate::output;
use fencepost_cover::Dual;
use fencepost_ir::cfg::Program;
use fencepost_passes::pipeline;
use fencepost_task::{Bounds, Budget, Engine, Model, Task, Verdict};
use std::time::{Duration, Instant};

/// A row of a table.
struct Row {
    table: &'static str,
    name: String,
    text: String,
    /// What the paper's tool generated.
    published: Option<u64>,
    /// Whether it is safe.
    safe: bool,
}

macro_rules! example {
    ($name:literal) => {
        include_str!(concat!("../../../../examples/", $name, ".fp")).to_string()
    };
}

fn rows() -> Vec<Row> {
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
    add(f3, "SB 4+5", copies(families::sb(2), &[4, 5]), Some(1_300_000), false);
    add(f3, "SB 5+5", copies(families::sb(2), &[5, 5]), None, false);
    add(f3, "LB 3+3", copies(families::lb(2), &[3, 3]), None, true);
    add(f3, "LB 6+6", copies(families::lb(2), &[6, 6]), None, true);
    add(f3, "MP 5+5", copies(families::mp(), &[5, 5]), None, true);
    add(f3, "MP 6+6", copies(families::mp(), &[6, 6]), None, true);
    add(f3, "WRC 3+3+3", copies(families::wrc(3), &[3, 3, 3]), None, true);
    add(f3, "WRC 4+4+4", copies(families::wrc(3), &[4, 4, 4]), None, true);
    add(f3, "ISA2 3+3+3", copies(families::isa2(), &[3, 3, 3]), None, true);
    add(f3, "ISA2 4+4+4", copies(families::isa2(), &[4, 4, 4]), None, true);
    add(f3, "RWC 3+3+4", copies(families::rwc(3), &[3, 3, 4]), None, false);
    add(f3, "RWC 4+4+4", copies(families::rwc(3), &[4, 4, 4]), None, false);
    add(f3, "W+RWC 4+4+4", copies(families::w_rwc(3), &[4, 4, 4]), None, false);
    add(f3, "IRIW 3+3+3+3", copies(families::iriw(), &[3, 3, 3, 3]), None, true);
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

/// Longer is not waited for.
const TIMEOUT: Duration = Duration::from_secs(60);

pub fn run(options: &BenchOptions) -> Result<(), String> {
    if options.format == Format::Text {
        output::line(format!(
            "{:9}  {:18}  {:>9}  {:>14}  {:>10}  {:>8}",
            "table", "program", "verdict", "configurations", "published", "seconds"
        ));
    }
    for row in rows() {
        let program = read(&row)?;
        let start = Instant::now();
        let budget = Budget { deadline: Some(start + TIMEOUT), ..Budget::default() };
        let task = Task { program: &program, model: Model::Tso, bounds: Bounds::default(), budget };
        let answer = Dual.check(&task, &mut |_| {});
        let seconds = start.elapsed().as_secs_f64();
        let verdict = match &answer.verdict {
            Verdict::Safe { .. } => "safe",
            Verdict::Unsafe { .. } => "unsafe",
            Verdict::Unknown { .. } => "unknown",
        };
        let expected = if row.safe { "safe" } else { "unsafe" };
        if verdict != expected && verdict != "unknown" {
            return Err(format!("{} {} is {expected}, not {verdict}", row.table, row.name));
        }
        report(options, &row, verdict, answer.stats.configurations, seconds);
    }
    Ok(())
}

fn read(row: &Row) -> Result<Program, String> {
    match fencepost_frontend::model::read(&row.name, &row.text) {
        Ok(tree) => Ok(pipeline::run(tree, pipeline::Options::default(), |_, _| {})),
        Err((_, diagnostics)) => Err(format!("the model {} is wrong: {diagnostics:?}", row.name)),
    }
}

fn report(options: &BenchOptions, row: &Row, verdict: &str, configurations: u64, seconds: f64) {
    let Row { table, name, published, .. } = row;
    if options.format == Format::Json {
        output::line(serde_json::json!({
            "schema": 1, "bench": "dual", "table": table, "program": name, "verdict": verdict,
            "configurations": configurations, "published": published, "seconds": seconds,
        }));
        return;
    }
    let published = published.map_or("-".to_string(), |n| n.to_string());
    output::line(format!(
        "{table:9}  {name:18}  {verdict:>9}  {configurations:>14}  {published:>10}  {seconds:>8.3}"
    ));
}
