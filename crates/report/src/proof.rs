//! Why a program is safe, in sentences: what the engine that says so has done.

use fencepost_task::{EngineId, Scope, Stats};

/// What was proved, and how.
pub fn proof(engine: EngineId, stats: &Stats, scope: Scope) -> Vec<String> {
    let states = stats.states;
    let how = match engine {
        EngineId::Explicit => format!(
            "All states that can be reached were visited, {states} of them after reductions, and none violates a \
             property."
        ),
        EngineId::Dual => format!(
            "From the violations backward, {} configurations were looked at; no initial state is among those from \
             which a violation can be reached. The commands below check the proof by code that does not know the \
             engine.",
            stats.configurations
        ),
        EngineId::Lazy => {
            "No SC run violates a property, and wherever TSO adds behaviour it was followed, too.".to_string()
        }
        EngineId::Rounds | EngineId::Age => format!(
            "The program was translated to one whose SC runs are its TSO runs within the bound. {}",
            of_translation(stats)
        ),
        EngineId::Bmc => {
            "A solver found that the formula of all runs has no solution that violates a property."
                .to_string()
        }
    };
    let reach = match scope {
        Scope::Complete => "The verdict is complete: all runs, with buffers of any length.".to_string(),
        Scope::UpTo(_) => format!("It speaks of runs {scope}, and of no others."),
    };
    vec![how, reach]
}

/// A translation is searched, and where that takes long a solver works beside the search: what was counted tells whose
/// answer it is.
fn of_translation(stats: &Stats) -> String {
    match (stats.states, stats.clauses) {
        (0, 1..) => {
            "A solver found that the formula of these has no solution that violates a property.".to_string()
        }
        (states, _) => format!(
            "All states of that which can be reached were visited, {states} of them after reductions, and none \
             violates a property."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_task::Bounds;

    #[test]
    fn who_proved_it_is_said() {
        let searched = Stats { states: 7, ..Stats::default() };
        let solved = Stats { clauses: 7, ..Stats::default() };
        let scope = Scope::UpTo(Bounds { rounds: Some(2), ..Bounds::default() });
        for engine in [EngineId::Rounds, EngineId::Age] {
            let [how, reach] = &proof(engine, &searched, scope)[..] else { panic!("two sentences") };
            assert!(how.contains("7 of them after reductions") && !how.contains("solver"), "{how}");
            assert_eq!(reach, "It speaks of runs up to rounds 2, and of no others.");
            assert!(proof(engine, &solved, scope)[0].contains("A solver"));
        }
        assert!(proof(EngineId::Bmc, &solved, scope)[0].contains("A solver"));
        assert!(!proof(EngineId::Explicit, &searched, Scope::Complete)[0].contains("solver"));
    }
}
