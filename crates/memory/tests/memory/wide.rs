//! Accesses of several cells: what is known of them, and mistakes that these answers find.

use fencepost_c::{Options, read};
use fencepost_ir::cfg::Loc;
use fencepost_memory::{EntryKind, Machine, Memory, Pso, Sc, State, Tso, reachable};
use fencepost_passes::pipeline;
use fencepost_task::{Action, Model};

/// Threads `t1` and `t2`, what holds at their end, and whether that is so under SC, TSO and PSO.
struct Known {
    name: &'static str,
    t1: &'static str,
    t2: &'static str,
    end: &'static str,
    safe: [bool; 3],
}

const KNOWN: [Known; 7] = [
    Known {
        name: "a_store_reaches_memory_as_one",
        t1: "u.whole = 0x10001;",
        t2: "int high = u.half[1], low = u.half[0]; assert(!(high == 1 && low == 0));",
        end: "1",
        safe: [true, true, true],
    },
    Known {
        name: "a_load_sees_memory_at_one_moment",
        t1: "u.half[1] = 1; u.half[0] = 1;",
        t2: "unsigned seen = u.whole; assert(seen != 1);",
        end: "1",
        safe: [true, true, false],
    },
    Known {
        name: "own_parts_are_seen",
        t1: "u.whole = 0x10001; u.half[1] = 2; assert(u.whole == 0x20001); u.whole = 7; assert(u.half[1] == 0);",
        t2: "",
        end: "u.whole == 7",
        safe: [true, true, true],
    },
    Known {
        name: "newer_wholes_stay_behind_older_parts",
        t1: "u.half[0] = 1; u.whole = 0x20002;",
        t2: "",
        end: "u.half[0] == 2",
        safe: [true, true, true],
    },
    Known {
        name: "newer_parts_stay_behind_older_wholes",
        t1: "u.whole = 0x20002; u.half[1] = 1;",
        t2: "",
        end: "u.whole == 0x10002",
        safe: [true, true, true],
    },
    Known {
        name: "parts_of_one_word_order_nothing_else",
        t1: "x = 1; u.half[0] = 1; u.whole = 0x30003;",
        t2: "unsigned seen = u.whole; if (seen == 0x30003) assert(x == 1);",
        end: "1",
        safe: [true, true, false],
    },
    // The load takes one half from the own buffer and one from memory: more than TSO has with equal sizes.
    Known {
        name: "half_from_the_buffer_half_from_memory",
        t1: "u.half[0] = 1; unsigned seen = u.whole; a = seen;",
        t2: "u.half[1] = 1; unsigned seen = u.whole; b = seen;",
        end: "!(a == 1 && b == 0x10000)",
        safe: [true, false, false],
    },
];

fn is_safe(known: &Known, memory: &impl Memory) -> bool {
    let text = format!(
        "#include <assert.h>\n#include <pthread.h>\nunion {{ unsigned whole; unsigned short half[2]; }} u;\n\
         unsigned x, a, b;\nvoid *t1(void *p) {{ {} return 0; }}\nvoid *t2(void *p) {{ {} return 0; }}\n\
         int main(void) {{ pthread_t one, two; pthread_create(&one, 0, t1, 0); pthread_create(&two, 0, t2, 0);\n\
         pthread_join(one, 0); pthread_join(two, 0); assert({}); }}\n",
        known.t1, known.t2, known.end
    );
    let tree = read(&[("wide.c", &text)], &Options::default());
    let program = pipeline::lower(tree.unwrap_or_else(|(_, d)| panic!("{}: {}", known.name, d[0].message)));
    let machine = Machine::new(&program).expect("threads are spawned");
    reachable(&machine, memory, 100_000).expect("few states").is_safe()
}

#[test]
fn known_answers_hold() {
    for known in &KNOWN {
        let found = [is_safe(known, &Sc), is_safe(known, &Tso), is_safe(known, &Pso)];
        assert_eq!(found, known.safe, "{}", known.name);
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Mistake {
    /// Each cell of a store reaches memory when it likes.
    CellsAreStores,
    /// A load takes all of its cells from memory where the newest store has not all of them.
    OwnPartsAreNotSeen,
    /// Under PSO, a store waits only for those with the same first cell.
    OnlyFirstCellsWait,
}

/// Each mistake, and the known answer that finds it.
const MUTANTS: [(Mistake, Model, &str); 4] = [
    (Mistake::CellsAreStores, Model::Tso, "a_store_reaches_memory_as_one"),
    (Mistake::CellsAreStores, Model::Pso, "a_store_reaches_memory_as_one"),
    (Mistake::OwnPartsAreNotSeen, Model::Tso, "own_parts_are_seen"),
    (Mistake::OnlyFirstCellsWait, Model::Pso, "newer_parts_stay_behind_older_wholes"),
];

struct Mutant<M> {
    right: M,
    mistake: Mistake,
}

impl<M: Memory> Memory for Mutant<M> {
    fn store(&self, state: &mut State, thread: usize, parts: &[(Loc, i64)]) {
        match self.mistake {
            Mistake::CellsAreStores => {
                parts.iter().rev().for_each(|p| self.right.store(state, thread, &[*p]))
            }
            Mistake::OwnPartsAreNotSeen | Mistake::OnlyFirstCellsWait => {
                self.right.store(state, thread, parts)
            }
        }
    }

    fn load(&self, state: &State, thread: usize, loc: Loc) -> Option<i64> {
        match self.mistake {
            Mistake::OwnPartsAreNotSeen => {
                let own = state.threads[thread].buffer.iter().rev();
                let own = own.clone().find(|e| e.kind == EntryKind::Store && e.loc == loc);
                Some(own.map_or_else(|| state.read(loc), |e| e.value))
            }
            _ => self.right.load(state, thread, loc),
        }
    }

    fn store_store_fence(&self, state: &mut State, thread: usize) {
        self.right.store_store_fence(state, thread);
    }

    fn memory_steps(&self, state: &State, thread: usize, see: &mut dyn FnMut(Action)) {
        match self.mistake {
            Mistake::OnlyFirstCellsWait => {
                let mut seen = Vec::new();
                for e in state.threads[thread].buffer.iter().filter(|e| e.kind == EntryKind::Store) {
                    if !seen.contains(&e.loc) {
                        see(Action::Flush(e.loc));
                        seen.push(e.loc);
                    }
                }
            }
            _ => self.right.memory_steps(state, thread, see),
        }
    }

    fn memory_step(&self, state: &mut State, thread: usize, action: Action) {
        self.right.memory_step(state, thread, action);
    }
}

#[test]
fn known_answers_find_mistakes() {
    for (mistake, model, name) in MUTANTS {
        let known = KNOWN.iter().find(|k| k.name == name).expect("a known answer");
        let (found, right) = match model {
            Model::Sc => (is_safe(known, &Mutant { right: Sc, mistake }), known.safe[0]),
            Model::Tso => (is_safe(known, &Mutant { right: Tso, mistake }), known.safe[1]),
            Model::Pso => (is_safe(known, &Mutant { right: Pso, mistake }), known.safe[2]),
        };
        assert_ne!(found, right, "{mistake:?} survives {name}");
    }
}
