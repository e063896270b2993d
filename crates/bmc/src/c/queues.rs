//! Store queues as C text: what the shared-memory abstractions `tso` and `pso` of [`crate::sma::queue`] are in the
//! sequential program. `QUEUE`, `WRITERS` with `writers` (the threads that store), `CELLS`, `THREADS` and `word` are
//! defined before.

use super::support::Function;
use fencepost_task::Model;

macro_rules! state_text {
    ($first:literal, $more:literal) => {
        concat!(
            "
/* Memory, ", $first, ".
   Every thread has a queue of stores, the oldest first. Before each access any of those that may can leave. */
static word memory[CELLS];
static _Bool frozen;                        /* inside an atomic section: only its thread's stores leave */
static int waiting[THREADS];                /* how many stores a thread's queue holds */
static int waiting_cell[THREADS][QUEUE];    /* where to */
static word waiting_value[THREADS][QUEUE];  /* and what */
", $more)
    };
}

const TSO_STATE: &str = state_text!("total store order: a thread's stores reach it in their order", "");
const PSO_STATE: &str = state_text!(
    "partial store order: a thread's stores to one cell reach it in their order",
    "static _Bool behind_fence[THREADS][QUEUE];  /* a store-store fence stands before the store */
static _Bool fence_waits[THREADS];          /* one stands before the next store */
"
);

macro_rules! queue_functions {
    ($leave:literal, $($name:literal: $text:literal)*) => { &[
    Function { name: "start_with", text: "
static void start_with(int cell, word value)
{
    memory[cell] = value;
}
" },
    Function { name: "leave", text: $leave },
    Function { name: "flush", text: "
/* Some stores reach memory; in a section only those of its thread. */
static void flush(int thread)
{
    for (int i = 0; i < QUEUE * WRITERS; i++) {
        place which = pick(0, WRITERS);
        if (which == WRITERS)
            break;
        ASSUME(waiting[writers[which]] > 0 && (!frozen || writers[which] == thread));
        leave(writers[which]);
    }
}
" },
    Function { name: "tick", text: "
/* Some time passes. */
static void tick(void)
{
    if (!frozen)
        flush(0);
}
" },
    Function { name: "seen", text: "
/* The newest own store that waits; else memory. */
static word seen(int thread, int cell)
{
    word value = memory[cell];
    for (int i = 0; i < QUEUE; i++)
        if (i < waiting[thread] && waiting_cell[thread][i] == cell)
            value = waiting_value[thread][i];
    return value;
}
" },
    Function { name: "load", text: "
static word load(int thread, int cell)
{
    flush(thread);
    return seen(thread, cell);
}
" },
    Function { name: "load_now", text: "
static word load_now(int cell)
{
    return memory[cell];
}
" },
    Function { name: "load_own", text: "
/* A cell that no other thread writes. */
static word load_own(int thread, int cell)
{
    return seen(thread, cell);
}
" },
    Function { name: "store_now", text: "
/* Straight to memory. */
static void store_now(int thread, int cell, word value)
{
    (void)thread;
    memory[cell] = value;
}
" },
    Function { name: "drain", text: "
/* Waits until all stores of the thread have reached memory. */
static void drain(int thread)
{
    flush(thread);
    ASSUME(waiting[thread] == 0);
}
" },
    Function { name: "waits", text: "
/* Whether a store of another thread to the cell is still on its way. */
static _Bool waits(int thread, int cell)
{
    for (int other = 0; other < THREADS; other++)
        for (int i = 0; i < QUEUE; i++)
            if (other != thread && i < waiting[other] && waiting_cell[other][i] == cell)
                return 1;
    return 0;
}
" },
    Function { name: "final_value", text: "
static word final_value(int cell)
{
    return memory[cell];
}
" },
    $(Function { name: $name, text: $text },)*
    ] };
}

const TSO: &[Function] = queue_functions! {
    "
/* A thread's oldest store reaches memory. */
static void leave(int thread)
{
    memory[waiting_cell[thread][0]] = waiting_value[thread][0];
    waiting[thread]--;
    for (int i = 0; i + 1 < QUEUE; i++) {
        waiting_cell[thread][i] = waiting_cell[thread][i + 1];
        waiting_value[thread][i] = waiting_value[thread][i + 1];
    }
}
",
    "store": "
static void store(int thread, int cell, word value)
{
    flush(thread);
    ASSUME(waiting[thread] < QUEUE);
    waiting_cell[thread][waiting[thread]] = cell;
    waiting_value[thread][waiting[thread]] = value;
    waiting[thread]++;
}
"
};

const PSO: &[Function] = queue_functions! {
    "
/* One of a thread's stores reaches memory: the oldest to its cell, with no fence between it and an older one. */
static void leave(int thread)
{
    int which = (int)pick(0, QUEUE - 1);
    ASSUME(which < waiting[thread]);
    for (int i = 0; i < QUEUE; i++) {
        ASSUME(i >= which || waiting_cell[thread][i] != waiting_cell[thread][which]);
        ASSUME(i >= which || !behind_fence[thread][i + 1]);
    }
    memory[waiting_cell[thread][which]] = waiting_value[thread][which];
    waiting[thread]--;
    for (int i = 0; i + 1 < QUEUE; i++)
        if (i >= which) {
            /* The fence before the one that leaves now stands before the next. */
            behind_fence[thread][i] = behind_fence[thread][i + 1] || (i == which && behind_fence[thread][i]);
            waiting_cell[thread][i] = waiting_cell[thread][i + 1];
            waiting_value[thread][i] = waiting_value[thread][i + 1];
        }
}
",
    "store": "
static void store(int thread, int cell, word value)
{
    flush(thread);
    ASSUME(waiting[thread] < QUEUE);
    waiting_cell[thread][waiting[thread]] = cell;
    waiting_value[thread][waiting[thread]] = value;
    behind_fence[thread][waiting[thread]] = fence_waits[thread];
    fence_waits[thread] = 0;
    waiting[thread]++;
}
"
    "store_store_fence": "
static void store_store_fence(int thread)
{
    fence_waits[thread] = 1;
}
"
};

/// What is kept, and the functions. SC has no queues.
pub fn memory(model: Model) -> Option<(&'static str, &'static [Function])> {
    match model {
        Model::Sc => None,
        Model::Tso => Some((TSO_STATE, TSO)),
        Model::Pso => Some((PSO_STATE, PSO)),
    }
}
