//! Each rule of the published semantics, on states: Abdulla et al., CONCUR 2016, Figures 1 (TSO)
//! and 2 (load buffers); Bouajjani et al., FASE 2015, Figure 2; Atig et al., CAV 2011, section
//! 2.3 for atomic sections and spawn; and the rules of PSO.

use fencepost_ir::cfg::{Loc, Program};
use fencepost_memory::{Entry, EntryKind, LoadBuffer, Machine, Memory, Pso, Sc, State, Tso};
use fencepost_passes::pipeline;
use fencepost_task::{Action, Failure, Step};

fn x() -> Loc {
    Loc::cell(0)
}

fn y() -> Loc {
    Loc::cell(1)
}

/// Thread 0 runs the statements; thread 1 runs `other`. Variables are `x`, `y`, registers `r`, `s`.
fn program(statements: &str, other: &str) -> Program {
    let text = format!(
        "shared 0..3 x, y; mutex m; process idle() {{ }} int one() {{ return 1; }}
         thread t0 {{ 0..3 r, s; bool b; thread_id c; {statements} }} thread t1 {{ 0..3 r, s; bool b; {other} }}
         final exists (t0.r == 3 && t0.s == 3 && t1.r == 3);"
    );
    let tree = fencepost_models::fp::read("rule.fp", &text).unwrap_or_else(|(_, d)| panic!("{d:?}"));
    pipeline::lower(tree)
}

struct Run<'p, M> {
    machine: Machine<'p>,
    memory: M,
    state: State,
}

impl<'p, M: Memory> Run<'p, M> {
    fn new(program: &'p Program, memory: M) -> Self {
        let machine = Machine::new(program).unwrap();
        let state = machine.initial(&[]);
        Run { machine, memory, state }
    }

    /// What a thread's own steps are now, without those of its buffer.
    fn own_steps(&self, thread: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        self.machine.thread_steps(&self.memory, &self.state, thread, &mut steps);
        steps
    }

    fn memory_steps(&self, thread: usize) -> Vec<Action> {
        let mut steps = Vec::new();
        self.machine.memory_steps(&self.memory, &self.state, thread, &mut steps);
        steps.iter().map(|s| s.action).collect()
    }

    fn is_blocked(&self, thread: usize) -> bool {
        self.own_steps(thread).is_empty()
    }

    /// Takes the thread's only step.
    fn step(&mut self, thread: usize) -> Result<(), Failure> {
        let steps = self.own_steps(thread);
        assert_eq!(steps.len(), 1, "one step expected");
        self.machine.apply(&self.memory, &mut self.state, steps[0])
    }

    fn steps(&mut self, thread: usize, n: usize) {
        for _ in 0..n {
            self.step(thread).unwrap();
        }
    }

    fn memory_step(&mut self, thread: usize, action: Action) {
        assert!(self.memory_steps(thread).contains(&action), "{action:?} is possible");
        self.machine.apply(&self.memory, &mut self.state, Step { thread: thread as u32, action }).unwrap();
    }

    fn buffer(&self, thread: usize) -> Vec<(EntryKind, usize, i64)> {
        self.state.threads[thread].buffer.iter().map(|e: &Entry| (e.kind, e.loc.index(), e.value)).collect()
    }

    fn register(&self, thread: usize, slot: usize) -> i64 {
        self.state.threads[thread].registers[slot]
    }

    fn cell(&self, loc: Loc) -> i64 {
        self.state.read(loc)
    }
}

// SC

#[test]
fn sc_store_writes_memory_at_once() {
    let p = program("x = 1;", "");
    let mut run = Run::new(&p, Sc);
    run.steps(0, 1);
    assert_eq!((run.cell(x()), run.buffer(0).len()), (1, 0));
    assert!(run.memory_steps(0).is_empty());
}

#[test]
fn sc_fences_do_nothing() {
    let p = program("x = 1; fence; fence store_store;", "");
    let mut run = Run::new(&p, Sc);
    run.steps(0, 3);
    assert_eq!(run.buffer(0), []);
}

// TSO, Figure 1

#[test]
fn tso_write_appends_to_the_own_buffer() {
    let p = program("x = 1; y = 2;", "");
    let mut run = Run::new(&p, Tso);
    run.steps(0, 2);
    assert_eq!(run.buffer(0), [(EntryKind::Store, 0, 1), (EntryKind::Store, 1, 2)]);
    assert_eq!((run.cell(x()), run.cell(y()), run.buffer(1).len()), (0, 0, 0));
}

#[test]
fn tso_update_takes_the_oldest_entry_of_any_thread() {
    let p = program("x = 1; y = 2;", "y = 3;");
    let mut run = Run::new(&p, Tso);
    run.steps(0, 2);
    run.steps(1, 1);
    assert_eq!(run.memory_steps(0), [Action::Flush(x())]);
    assert_eq!(run.memory_steps(1), [Action::Flush(y())]);
    run.memory_step(0, Action::Flush(x()));
    assert_eq!((run.cell(x()), run.cell(y())), (1, 0));
    assert_eq!(run.buffer(0), [(EntryKind::Store, 1, 2)]);
}

#[test]
fn tso_read_own_write_takes_the_newest() {
    let p = program("x = 1; x = 2; r = x;", "");
    let mut run = Run::new(&p, Tso);
    run.steps(0, 3);
    assert_eq!((run.register(0, 0), run.cell(x())), (2, 0));
}

#[test]
fn tso_read_memory_when_nothing_is_pending_for_the_variable() {
    let p = program("x = 1; r = y;", "y = 3;");
    let mut run = Run::new(&p, Tso);
    run.steps(1, 1);
    run.memory_step(1, Action::Flush(y()));
    run.steps(0, 2);
    assert_eq!(run.register(0, 0), 3);
}

#[test]
fn tso_read_does_not_see_other_buffers() {
    let p = program("r = y;", "y = 3;");
    let mut run = Run::new(&p, Tso);
    run.steps(1, 1);
    run.steps(0, 1);
    assert_eq!(run.register(0, 0), 0);
}

#[test]
fn tso_arw_waits_for_the_own_buffer_and_acts_on_memory() {
    let p = program("y = 1; r = exchange(x, 2);", "x = 3;");
    let mut run = Run::new(&p, Tso);
    run.steps(1, 1); // another thread's pending store does not matter
    run.steps(0, 1);
    assert!(run.is_blocked(0));
    run.memory_step(0, Action::Flush(y()));
    run.steps(0, 1);
    assert_eq!((run.register(0, 0), run.cell(x()), run.buffer(0).len()), (0, 2, 0));
}

#[test]
fn arw_blocks_never_but_compare_exchange_may_write_nothing() {
    let p = program("r = compare_exchange(x, 1, 2); b = cas(x, 0, 3);", "");
    let mut run = Run::new(&p, Tso);
    run.steps(0, 1);
    assert_eq!((run.register(0, 0), run.cell(x())), (0, 0));
    run.steps(0, 2);
    assert_eq!((run.register(0, 2), run.cell(x())), (1, 3));
}

#[test]
fn tso_fence_waits_for_the_own_buffer_only() {
    let p = program("x = 1; fence;", "y = 1;");
    let mut run = Run::new(&p, Tso);
    run.steps(0, 1);
    run.steps(1, 1);
    assert!(run.is_blocked(0));
    run.memory_step(0, Action::Flush(x()));
    run.steps(0, 1);
    assert_eq!(run.buffer(1).len(), 1);
}

#[test]
fn tso_store_store_fence_does_nothing() {
    let p = program("x = 1; fence store_store; y = 1;", "");
    let mut run = Run::new(&p, Tso);
    run.steps(0, 3);
    assert_eq!(run.buffer(0).len(), 2);
}

#[test]
fn lock_unlock_and_end_wait_for_the_own_buffer() {
    let p = program("x = 1; lock(m); y = 1; unlock(m); x = 2;", "");
    let mut run = Run::new(&p, Tso);
    for flushed in [x(), y(), x()] {
        run.steps(0, 1);
        assert!(run.is_blocked(0));
        run.memory_step(0, Action::Flush(flushed));
        run.steps(0, 1);
    }
    assert!(run.state.threads[0].ended);
}

#[test]
fn spawn_waits_for_the_own_buffer_unless_told_otherwise() {
    for (statement, waits) in [("c = spawn idle();", true), ("c = spawn nodrain idle();", false)] {
        let p = program(&format!("x = 1; {statement}"), "");
        let mut run = Run::new(&p, Tso);
        run.steps(0, 1);
        assert_eq!(run.is_blocked(0), waits, "{statement}");
        if waits {
            run.memory_step(0, Action::Flush(x()));
        }
        run.steps(0, 1);
        assert_eq!((run.state.threads.len(), run.register(0, 3)), (3, 2));
    }
}

// Threads, locks and sections, whatever the model

#[test]
fn join_waits_for_the_end() {
    let p = program("c = spawn idle(); join(c);", "");
    let mut run = Run::new(&p, Tso);
    run.steps(0, 1);
    assert!(run.is_blocked(0));
    run.steps(2, 1);
    assert!(run.state.threads[2].ended);
    run.steps(0, 1);
}

#[test]
fn join_of_no_thread_fails() {
    let p = program("join(none);", "");
    assert_eq!(Run::new(&p, Sc).step(0), Err(Failure::JoinNoThread(-1)));
}

#[test]
fn a_mutex_has_one_owner() {
    let p = program("lock(m); unlock(m);", "lock(m); unlock(m);");
    let mut run = Run::new(&p, Sc);
    run.steps(0, 1);
    assert!(run.is_blocked(1));
    run.steps(0, 1);
    run.steps(1, 1);
    assert!(!run.is_blocked(1));
}

#[test]
fn unlocking_what_is_not_held_fails() {
    let p = program("lock(m);", "unlock(m);");
    let mut run = Run::new(&p, Sc);
    assert_eq!(run.step(1), Err(Failure::UnlockNotHeld));
    run.steps(0, 1);
    assert_eq!(run.step(1), Err(Failure::UnlockNotHeld));
}

#[test]
fn nobody_else_steps_or_is_flushed_inside_a_section() {
    let p = program("atomic { x = 1; r = y; }", "y = 2; y = 3;");
    let mut run = Run::new(&p, Tso);
    run.steps(1, 1);
    run.steps(0, 2);
    assert!(run.is_blocked(1));
    assert_eq!((run.memory_steps(1), run.memory_steps(0)), (vec![], vec![Action::Flush(x())]));
    run.steps(0, 1);
    assert!(run.is_blocked(0), "the end waits for the own buffer");
    run.memory_step(0, Action::Flush(x()));
    run.steps(0, 1);
    assert_eq!((run.is_blocked(1), run.memory_steps(1)), (false, vec![Action::Flush(y())]));
}

#[test]
fn sections_nest() {
    let p = program("atomic_begin; atomic_begin; atomic_end; r = x; atomic_end; atomic_end;", "x = 1;");
    let mut run = Run::new(&p, Sc);
    run.steps(0, 3);
    assert!(run.is_blocked(1));
    run.steps(0, 2);
    assert!(!run.is_blocked(1));
    assert_eq!(run.step(0), Err(Failure::AtomicEndOutside));
}

#[test]
fn calls_push_frames_and_returns_pop_them() {
    let p = program("r = one();", "");
    let mut run = Run::new(&p, Sc);
    run.steps(0, 1);
    assert_eq!(run.state.threads[0].frames.len(), 2);
    run.steps(0, 2); // the return, and the check that the result fits r
    assert_eq!((run.state.threads[0].frames.len(), run.register(0, 0)), (1, 1));
}

// PSO

#[test]
fn pso_stores_to_different_cells_leave_in_any_order() {
    let p = program("y = 1; x = 1; x = 2;", "");
    let mut run = Run::new(&p, Pso);
    run.steps(0, 3);
    assert_eq!(run.memory_steps(0), [Action::Flush(x()), Action::Flush(y())]);
    run.memory_step(0, Action::Flush(x()));
    assert_eq!((run.cell(x()), run.cell(y())), (1, 0), "the oldest of its cell");
}

#[test]
fn pso_buffers_are_equal_whatever_the_order_between_cells() {
    let (p, q) = (program("x = 1; y = 1;", ""), program("y = 1; x = 1;", ""));
    let (mut a, mut b) = (Run::new(&p, Pso), Run::new(&q, Pso));
    a.steps(0, 2);
    b.steps(0, 2);
    assert_eq!(a.buffer(0), b.buffer(0));
}

#[test]
fn pso_an_epoch_waits_for_the_older_ones() {
    let p = program("y = 1; fence store_store; x = 1; fence store_store; y = 2; r = y;", "");
    let mut run = Run::new(&p, Pso);
    run.steps(0, 6);
    assert_eq!(run.register(0, 0), 2, "a load takes the newest own store of any epoch");
    for flush in [Action::Flush(y()), Action::Flush(x()), Action::Flush(y())] {
        assert_eq!(run.memory_steps(0), [flush]);
        run.memory_step(0, flush);
    }
    assert_eq!((run.cell(x()), run.cell(y()), run.buffer(0).len()), (1, 2, 0));
}

#[test]
fn pso_a_fence_with_nothing_before_it_leaves_no_trace() {
    let p = program("fence store_store; x = 1; fence store_store; fence store_store;", "");
    let mut run = Run::new(&p, Pso);
    run.steps(0, 4);
    assert_eq!(run.buffer(0).len(), 2, "one store, one barrier");
    run.memory_step(0, Action::Flush(x()));
    assert_eq!(run.buffer(0), []);
}

#[test]
fn pso_what_drains_drains_everything() {
    let p = program("x = 1; fence store_store; y = 1; fence;", "");
    let mut run = Run::new(&p, Pso);
    run.steps(0, 3);
    run.memory_step(0, Action::Flush(x()));
    assert!(run.is_blocked(0));
    run.memory_step(0, Action::Flush(y()));
    run.steps(0, 1);
}

// Load buffers, Figure 2

fn dual<'p>(p: &'p Program) -> Run<'p, LoadBuffer> {
    Run::new(p, LoadBuffer::new(p, 3))
}

#[test]
fn dual_write_updates_memory_and_leaves_an_own_message() {
    let p = program("x = 1;", "");
    let mut run = dual(&p);
    run.steps(0, 1);
    assert_eq!((run.cell(x()), run.buffer(0)), (1, vec![(EntryKind::Own, 0, 1)]));
}

#[test]
fn dual_propagate_appends_what_memory_holds() {
    let p = program("r = x;", "x = 2;");
    let mut run = dual(&p);
    run.memory_step(0, Action::Propagate(x()));
    run.steps(1, 1);
    assert_eq!(run.buffer(0), [(EntryKind::Message, 0, 0)]);
}

#[test]
fn dual_delete_drops_the_oldest() {
    let p = program("r = x; s = y;", "");
    let mut run = dual(&p);
    run.memory_step(0, Action::Propagate(x()));
    run.memory_step(0, Action::Propagate(y()));
    run.memory_step(0, Action::Delete);
    assert_eq!(run.buffer(0), [(EntryKind::Message, 1, 0)]);
}

#[test]
fn dual_read_own_write_takes_the_newest_own_message() {
    let p = program("x = 1; x = 2; r = x;", "");
    let mut run = dual(&p);
    run.steps(0, 3);
    assert_eq!((run.register(0, 0), run.buffer(0).len()), (2, 2));
}

#[test]
fn dual_read_takes_the_oldest_message_and_leaves_it() {
    let p = program("r = x; s = y;", "x = 1;");
    let mut run = dual(&p);
    assert!(run.is_blocked(0), "nothing was sent");
    run.memory_step(0, Action::Propagate(x()));
    run.steps(1, 1);
    run.memory_step(0, Action::Propagate(y()));
    run.steps(0, 1);
    assert_eq!((run.register(0, 0), run.buffer(0).len()), (0, 2));
    assert!(run.is_blocked(0), "the oldest message is not one for y");
    run.memory_step(0, Action::Delete);
    run.steps(0, 1);
}

#[test]
fn dual_arw_and_fence_wait_for_the_own_buffer() {
    let p = program("x = 1; fence; r = exchange(x, 2);", "");
    let mut run = dual(&p);
    run.steps(0, 1);
    assert!(run.is_blocked(0));
    run.memory_step(0, Action::Delete);
    run.steps(0, 2);
    assert_eq!((run.register(0, 0), run.cell(x())), (1, 2));
}
