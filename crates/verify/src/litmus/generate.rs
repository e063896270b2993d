//! Tests from cycles of relations, each with a name of its own.

use fencepost_litmus::Arch;
use fencepost_litmus::generate::{Cycle, Generated, test};
use std::collections::HashMap;

/// The cycles of texts: each is one, unless all are single relations: then they are one together.
pub fn cycles(texts: &[String]) -> Result<Vec<Cycle>, String> {
    if texts.iter().all(|a| a.split_whitespace().count() == 1) {
        return Ok(vec![Cycle::parse(&texts.join(" "))?]);
    }
    texts.iter().map(|a| Cycle::parse(a).map_err(|e| format!("'{a}': {e}"))).collect()
}

/// The tests; where several have one name, the later ones are numbered, as diy does.
pub fn named(cycles: &[Cycle], arch: Arch) -> Result<Vec<Generated>, String> {
    let mut names: HashMap<String, usize> = HashMap::new();
    let mut tests = Vec::with_capacity(cycles.len());
    for cycle in cycles {
        let mut generated = test(cycle, arch)?;
        let same = names.entry(generated.name.clone()).or_default();
        if *same > 0 {
            let name = format!("{}{same:03}", generated.name);
            generated.text = generated.text.replacen(&generated.name, &name, 1);
            generated.name = name;
        }
        *same += 1;
        tests.push(generated);
    }
    Ok(tests)
}
