//! A system of automata in Memorax's language, and Memorax's answer, where it is on the PATH: its branch with
//! the dual semantics counts the same configurations as the paper's tables.

use crate::peer::{self, is_installed};
use fencepost_cover::{ANY, Automaton, DualModel, Op};
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// More ways to place the threads of a target than this are not written down.
const MAX_FORBIDDEN: usize = 2000;

/// The text; states are labels, values their numbers. Of a group with any number of threads there is one.
pub fn rmm(model: &DualModel) -> Result<String, String> {
    let mut out = String::from("forbidden\n");
    let counts: Vec<usize> = model.system.groups.iter().map(|g| g.count.unwrap_or(1) as usize).collect();
    let mut forbidden = Vec::new();
    for target in &model.targets {
        if target.memory.iter().any(|v| *v != ANY) {
            return Err("a target with memory".into());
        }
        let processes: Vec<(usize, u32)> =
            target.processes.iter().map(|p| (p.group.into(), p.state)).collect();
        let mut rows = vec![vec![None; counts.iter().sum()]];
        for (group, state) in processes {
            let first: usize = counts[..group].iter().sum();
            let mut longer = Vec::new();
            for row in &rows {
                for place in (first..first + counts[group]).filter(|place| row[*place].is_none()) {
                    let mut row: Vec<Option<u32>> = row.clone();
                    row[place] = Some(state);
                    longer.push(row);
                }
            }
            longer.sort();
            longer.dedup();
            rows = longer;
            if rows.len() + forbidden.len() > MAX_FORBIDDEN {
                return Err("too many forbidden combinations".into());
            }
        }
        forbidden.extend(rows);
    }
    let label = |state: &Option<u32>| state.map_or("*".to_string(), |s| format!("S{s}"));
    let rows = forbidden.iter().map(|row| row.iter().map(label).collect::<Vec<_>>().join(" "));
    let _ = writeln!(out, "  {}\n\ndata", rows.collect::<Vec<_>>().join(";\n  "));
    for (x, (values, initial)) in model.domains.values.iter().zip(&model.domains.initial).enumerate() {
        let start = match *initial {
            1 => "0",
            n if n == values.len() => "*",
            _ => return Err("some of several initial values".into()),
        };
        let _ = writeln!(out, "  x{x} = {start} : [0:{}]", values.len() - 1);
    }
    for (group, count) in model.system.groups.iter().zip(&counts) {
        let _ = write!(out, "\nprocess({count})\ntext\n{}", text(&group.automaton));
    }
    Ok(out)
}

fn text(automaton: &Automaton) -> String {
    let mut states = Vec::new();
    for state in 0..automaton.states() {
        let steps = automaton.transitions.iter().filter(|t| t.from == state);
        let steps: Vec<String> = steps.map(|t| format!("{}; goto S{}", statement(&t.op), t.to)).collect();
        let steps = match &steps[..] {
            // It stays forever.
            [] => format!("nop; goto S{state}"),
            [only] => only.clone(),
            several => format!("either{{ {} }}", several.join(" or\n      ")),
        };
        states.push(format!("  S{state}: {steps}"));
    }
    states.join(";\n") + "\n"
}

fn statement(op: &Op) -> String {
    match op {
        Op::Nop => "nop".to_string(),
        Op::Read(x, v) => format!("read: x{x} = {v}"),
        Op::Write(x, v) => format!("write: x{x} := {v}"),
        Op::Fence => "fence".to_string(),
        Op::Atomic(guard, update) => match (&guard[..], &update[..]) {
            ([(x, v)], [(y, w)]) if x == y => format!("cas(x{x},{v},{w})"),
            // Without a write it would not wait for the buffer.
            ([(x, v), ..], []) => statement(&Op::Atomic(guard.clone(), vec![(*x, *v)])),
            _ => {
                let reads = guard.iter().map(|(x, v)| format!("read: x{x} = {v}"));
                let writes = update.iter().map(|(x, v)| format!("write: x{x} := {v}"));
                format!("locked{{ {} }}", reads.chain(writes).collect::<Vec<_>>().join("; "))
            }
        },
    }
}

/// What Memorax says of a model.
pub struct Peer {
    /// Whether a target is reachable.
    pub reachable: bool,
    /// Configurations that it generated.
    pub generated: u64,
    /// Seconds, by its own clock.
    pub seconds: f64,
}

/// Whether it is there.
pub fn present() -> bool {
    is_installed("memorax")
}

/// Asks Memorax, for given threads or for any number; `None` if it gives no answer in time.
pub fn ask(folder: &Path, text: &str, any_number: bool, timeout: Duration) -> Result<Option<Peer>, String> {
    let (file, said) = (folder.join("model.rmm"), folder.join("said"));
    std::fs::write(&file, text).map_err(|e| e.to_string())?;
    let out = std::fs::File::create(&said).map_err(|e| e.to_string())?;
    let abstraction = if any_number { "pdual" } else { "dual" };
    let child = Command::new("memorax")
        .args(["-a", abstraction, "reach"])
        .arg(&file)
        .stdout(out)
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| format!("memorax: {e}"))?;
    if peer::end_of(child, timeout)?.is_none() {
        return Ok(None);
    }
    Ok(answer(&std::fs::read_to_string(&said).unwrap_or_default()))
}

/// Reads `Reachable: Yes`, `Generated constraints: 17`, `Time consumption: 0.2 s`.
fn answer(said: &str) -> Option<Peer> {
    let field = |name: &str| {
        let line = said.lines().find_map(|l| l.trim().strip_prefix(name))?;
        line.split_whitespace().next()
    };
    Some(Peer {
        reachable: match field("Reachable:")? {
            "Yes" => true,
            "No" => false,
            _ => return None,
        },
        generated: field("Generated constraints:")?.parse().ok()?,
        seconds: field("Time consumption:")?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dual;
    use fencepost_cover::{Dual, Values};
    use fencepost_passes::pipeline;
    use fencepost_task::{Bounds, Budget, Engine, Model, Task, Verdict};

    /// What is written for Memorax means the same when it is read again.
    #[test]
    fn models_for_memorax_keep_their_verdicts() {
        let mut compared = 0;
        for row in dual::rows().iter().filter(|row| ["Table 1", "Fenced"].contains(&row.table)) {
            let model = DualModel::new(&dual::read(row).unwrap(), &Budget::default(), Values::All).unwrap();
            let Ok(text) = rmm(&model) else { continue };
            if model.targets.is_empty() {
                continue;
            }
            let tree = fencepost_models::memorax::read(&row.name, &text);
            let tree = tree.unwrap_or_else(|(_, d)| panic!("{}: {d:?}\n{text}", row.name));
            let program = pipeline::run(tree, pipeline::Options::default(), |_, _| {});
            let (bounds, budget) = (Bounds::default(), Budget::default());
            let task = Task { program: &program, model: Model::Tso, bounds, budget };
            let verdict = Dual.check(&task, &mut |_| {}).verdict;
            assert_eq!(matches!(verdict, Verdict::Safe { .. }), row.safe, "{}\n{text}", row.name);
            compared += 1;
        }
        assert!(compared > 20, "{compared} compared");
    }

    #[test]
    fn an_answer_is_read() {
        let said = "Reachability analysis results:\n  Reachable:             No\n  \
                    Generated constraints: 2048\n  Size of visited set:   7\n  Time consumption:      0.25 s\n";
        let Peer { reachable, generated, seconds } = answer(said).unwrap();
        assert_eq!((reachable, generated, seconds), (false, 2048, 0.25));
        assert!(answer("Reachable: (Failure)").is_none());
    }
}
