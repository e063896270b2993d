//! Cycles in the graphs of procedures and calls, each found in one walk.

use fencepost_ir::cfg::{Instr, NodeId, ProcId, Procedure, Program};

/// Targets of edges that close a cycle in a depth-first search: every cycle has one.
pub fn loop_heads(procedure: &Procedure) -> Vec<NodeId> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; procedure.nodes as usize];
    let mut heads = Vec::new();
    for root in (0..procedure.nodes).map(NodeId) {
        if marks[root.index()] != Mark::New {
            continue;
        }
        marks[root.index()] = Mark::Open;
        let mut stack = vec![(root, procedure.out(root))];
        while let Some((node, out)) = stack.last_mut() {
            match out.next() {
                Some((_, edge)) => match marks[edge.to.index()] {
                    Mark::New => {
                        marks[edge.to.index()] = Mark::Open;
                        stack.push((edge.to, procedure.out(edge.to)));
                    }
                    Mark::Open => heads.push(edge.to),
                    Mark::Done => {}
                },
                None => {
                    marks[node.index()] = Mark::Done;
                    stack.pop();
                }
            }
        }
    }
    heads
}

/// The largest part of some nodes in which each has one before and one after it.
pub fn between(procedure: &Procedure, nodes: &[bool]) -> Vec<bool> {
    let mut kept = nodes.to_vec();
    let (mut before, mut behind) = (vec![0u32; kept.len()], vec![0u32; kept.len()]);
    let mut sources = vec![Vec::new(); kept.len()];
    for edge in procedure.edges() {
        if kept[edge.from.index()] && kept[edge.to.index()] {
            before[edge.to.index()] += 1;
            behind[edge.from.index()] += 1;
            sources[edge.to.index()].push(edge.from);
        }
    }
    let mut work: Vec<_> =
        (0..kept.len()).filter(|n| kept[*n] && (before[*n] == 0 || behind[*n] == 0)).collect();
    while let Some(n) = work.pop() {
        if !std::mem::replace(&mut kept[n], false) {
            continue;
        }
        for (_, edge) in procedure.out(NodeId(n as u32)).filter(|(_, e)| nodes[e.to.index()]) {
            let to = edge.to.index();
            before[to] -= 1;
            if before[to] == 0 {
                work.push(to);
            }
        }
        for source in &sources[n] {
            let from = source.index();
            behind[from] -= 1;
            if behind[from] == 0 {
                work.push(from);
            }
        }
    }
    kept
}

/// For each procedure whether it can call itself, over others or not: components of the calls' graph (Tarjan).
pub fn recursive_procedures(program: &Program) -> Vec<bool> {
    let callees = |p: usize| {
        program.procedure(ProcId(p as u32)).edges().iter().filter_map(|e| match e.instr {
            Instr::Call(_, callee, _) => Some(callee.index()),
            _ => None,
        })
    };
    let count = program.procedures.len();
    let mut recursive = vec![false; count];
    // When each was met, and the earliest open one that it leads back to.
    let mut met: Vec<Option<usize>> = vec![None; count];
    let mut back = vec![usize::MAX; count];
    let mut is_open = vec![false; count];
    let (mut open, mut clock) = (Vec::new(), 0);
    for root in 0..count {
        if met[root].is_some() {
            continue;
        }
        let mut path = vec![(root, callees(root))];
        (met[root], back[root], is_open[root]) = (Some(clock), clock, true);
        open.push(root);
        clock += 1;
        while let Some((caller, calls)) = path.last_mut() {
            let caller = *caller;
            match calls.next() {
                Some(callee) if met[callee].is_none() => {
                    (met[callee], back[callee], is_open[callee]) = (Some(clock), clock, true);
                    open.push(callee);
                    clock += 1;
                    path.push((callee, callees(callee)));
                }
                Some(callee) => {
                    recursive[caller] |= callee == caller;
                    if is_open[callee] {
                        back[caller] = back[caller].min(back[callee]);
                    }
                }
                None => {
                    path.pop();
                    if let Some((outer, _)) = path.last() {
                        back[*outer] = back[*outer].min(back[caller]);
                    }
                    if Some(back[caller]) == met[caller] {
                        let first = open.iter().rposition(|p| *p == caller).expect("it is open");
                        let component = open.split_off(first);
                        for p in &component {
                            is_open[*p] = false;
                            recursive[*p] |= component.len() > 1;
                        }
                    }
                }
            }
        }
    }
    recursive
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_passes::pipeline;

    fn recursive(text: &str) -> Vec<String> {
        let program = pipeline::lower(fencepost_models::fp::read("test.fp", text).unwrap());
        let found = recursive_procedures(&program);
        let names = program.procedures.iter().zip(found).filter(|(_, found)| *found);
        names.map(|(procedure, _)| procedure.name.clone()).collect()
    }

    #[test]
    fn calls_that_come_back() {
        let text =
            "shared int x; void a() { b(); d(); } void b() { c(); } void c() { a(); } void d() { x = 1; }
            void e() { if (x == 1) { e(); } } thread t { d(); a(); e(); assert(x == 1); }";
        assert_eq!(recursive(text), ["a", "b", "c", "e"]);
    }

    #[test]
    fn nodes_of_cycles_and_between_them() {
        let text = "shared int x; thread t { int i; i = 1; while (i < 5) { i = i + 1; } i = 2; while (i < 9) { i = i + 1; }
            i = 3; assert(x == 0); }";
        let program = pipeline::lower(fencepost_models::fp::read("test.fp", text).unwrap());
        let procedure = &program.procedures[0];
        let kept = between(procedure, &vec![true; procedure.nodes as usize]);
        for head in loop_heads(procedure) {
            assert!(kept[head.index()]);
        }
        assert!(!kept[procedure.entry().index()]);
        assert_eq!(between(procedure, &vec![false; kept.len()]), vec![false; kept.len()]);
    }
}
