//! The functions that the sequential C program is made of besides its threads: those of the verifier it is for,
//! checks inside expressions, and the shared-memory abstraction. Each goes into the file only if it is used.

use fencepost_ir::tree::c::Dialect;
use fencepost_task::Model;

/// What the verifier gives.
pub fn verifier(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Cprover => {
            "#ifdef __CPROVER__
/* All that can go wrong is asserted below. */
#pragma CPROVER check push
#pragma CPROVER check disable \"bounds\"
#pragma CPROVER check disable \"pointer\"
#pragma CPROVER check disable \"pointer-primitive\"
#pragma CPROVER check disable \"div-by-zero\"
#pragma CPROVER check disable \"signed-overflow\"
#pragma CPROVER check disable \"undefined-shift\"
#else
void __CPROVER_assume(_Bool condition);
void __CPROVER_assert(_Bool condition, const char *what);
#endif
long long nondet_longlong(void);
_Bool nondet_bool(void);
#define ASSUME(condition) __CPROVER_assume(condition)
#define FAIL(what) do { __CPROVER_assert(0, what); __CPROVER_assume(0); } while (0)
"
        }
        Dialect::Verifier => {
            "#include <assert.h>
void __VERIFIER_assume(int condition);
unsigned __VERIFIER_nondet_uint(void);
long long __VERIFIER_nondet_longlong(void);
_Bool __VERIFIER_nondet_bool(void);
#define nondet_bool __VERIFIER_nondet_bool
#define nondet_uint __VERIFIER_nondet_uint
#define nondet_longlong __VERIFIER_nondet_longlong
void reach_error(void) { assert(0); }
#define ASSUME(condition) __VERIFIER_assume(condition)
#define FAIL(what) do { (void)what; reach_error(); __VERIFIER_assume(0); } while (0)
"
        }
    }
}

/// A type for whole numbers up to `largest`, and a choice of any.
pub fn unsigned_type(dialect: Dialect, name: &str, largest: u64) -> String {
    let plain = match largest {
        0..=0xff => "unsigned char",
        0x100..=0xffff => "unsigned short",
        _ => "unsigned",
    };
    let bits = (u64::BITS - largest.leading_zeros()).max(1);
    let ty = exactly(dialect, &format!("unsigned __CPROVER_bitvector[{bits}]"), plain, name);
    match dialect {
        Dialect::Cprover => format!("{ty}{name} nondet_{name}(void);\n"),
        Dialect::Verifier => format!("{ty}#define nondet_{name}() (({name})nondet_uint())\n"),
    }
}

/// A type for numbers of so many bits, with sign.
pub fn signed_type(dialect: Dialect, name: &str, bits: u32) -> String {
    let plain = match bits {
        0..=32 => "int",
        33..=64 => "long long",
        _ => "__int128",
    };
    exactly(dialect, &format!("signed __CPROVER_bitvector[{bits}]"), plain, name)
}

/// CBMC has words of every width; others take the next wider type.
fn exactly(dialect: Dialect, exact: &str, plain: &str, name: &str) -> String {
    match dialect {
        Dialect::Cprover => {
            format!("#ifdef __CPROVER__\ntypedef {exact} {name};\n#else\ntypedef {plain} {name};\n#endif\n")
        }
        Dialect::Verifier => format!("typedef {plain} {name};\n"),
    }
}

/// Choices, and what happens at the end of what is modelled.
pub const CHOICES: &str = "
/* -DCHECK_LIMITS: what lies beyond 64 bits or is not modelled is reported, and not just left out.
   -DCHECK_UNWINDING: so is a thread that comes to the bound on repetitions, or on the size of an object.
   -DONE_BY_ONE: numbers are chosen by counting up to them, for verifiers that try all choices.
   -DDRIVER: all choices come from a function that is linked in, to run this file without a verifier. */
#ifdef CHECK_LIMITS
#define LIMIT(what) FAIL(\"limit: \" what)
#else
#define LIMIT(what) ASSUME(0)
#endif
#ifdef CHECK_UNWINDING
#define CUT(what) FAIL(\"the bound on \" what)
#else
#define CUT(what) do { } while (0)
#endif
#ifdef DRIVER
long long driver(long long lo, long long hi);
#endif
";

/// A function, and what it is called.
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

macro_rules! functions {
    ($($name:literal: $text:literal)*) => { &[$(Function { name: $name, text: $text }),*] };
}

/// Those for expressions and choices.
pub const EXPRESSIONS: &[Function] = functions! {
    "pick": "
/* Any number from lo to hi. */
static place pick(place lo, place hi)
{
#ifdef ONE_BY_ONE
    place chosen = lo;
    while (chosen < hi && nondet_bool())
        chosen++;
#elif defined DRIVER
    place chosen = (place)driver(lo, hi);
#else
    place chosen = nondet_place();
    ASSUME(lo <= chosen && chosen <= hi);
#endif
    return chosen;
}
"
    "any_value": "
static long long any_value(long long lo, long long hi)
{
#ifdef ONE_BY_ONE
    long long chosen = lo;
    while (chosen < hi && nondet_bool())
        chosen++;
#elif defined DRIVER
    long long chosen = driver(lo, hi);
#else
    long long chosen = nondet_longlong();
    ASSUME(lo <= chosen && chosen <= hi);
#endif
    return chosen;
}
"
    "element": "
static long long element(long long index, long long length)
{
    if (index < 0 || index >= length)
        FAIL(\"index out of bounds\");
    return index;
}
"
    "in_range": "
static long long in_range(long long value, long long lo, long long hi)
{
    if (value < lo || value > hi)
        FAIL(\"a value leaves its range\");
    return value;
}
"
    "modelled": "
static long long modelled(long long value, long long lo, long long hi)
{
    if (value < lo || value > hi)
        LIMIT(\"a value leaves 64 bits\");
    return value;
}
"
    "low_bits": "
static long long low_bits(long long value, int bits)
{
    return (long long)((unsigned long long)value & ((1ULL << bits) - 1));
}
"
    "sign_bits": "
static long long sign_bits(long long value, int bits)
{
    unsigned long long low = (unsigned long long)value & ((1ULL << bits) - 1), sign = 1ULL << (bits - 1);
    return (long long)((low ^ sign) - sign);
}
"
    "exact_sum": "
static long long exact_sum(long long a, long long b)
{
    if (b > 0 ? a > 9223372036854775807LL - b : a < -9223372036854775807LL - 1 - b)
        LIMIT(\"a sum leaves 64 bits\");
    return a + b;
}
"
    "checked_sum": "
static long long checked_sum(long long a, long long b)
{
    if (b > 0 ? a > 9223372036854775807LL - b : a < -9223372036854775807LL - 1 - b)
        FAIL(\"a sum leaves 64 bits\");
    return a + b;
}
"
    "exact_difference": "
static long long exact_difference(long long a, long long b)
{
    if (b < 0 ? a > 9223372036854775807LL + b : a < -9223372036854775807LL - 1 + b)
        LIMIT(\"a difference leaves 64 bits\");
    return a - b;
}
"
    "checked_difference": "
static long long checked_difference(long long a, long long b)
{
    if (b < 0 ? a > 9223372036854775807LL + b : a < -9223372036854775807LL - 1 + b)
        FAIL(\"a difference leaves 64 bits\");
    return a - b;
}
"
    "exact_product": "
static long long exact_product(long long a, long long b)
{
    __int128 product = (__int128)a * b;
    if (product < -9223372036854775807LL - 1 || product > 9223372036854775807LL)
        LIMIT(\"a product leaves 64 bits\");
    return (long long)product;
}
"
    "checked_product": "
static long long checked_product(long long a, long long b)
{
    __int128 product = (__int128)a * b;
    if (product < -9223372036854775807LL - 1 || product > 9223372036854775807LL)
        FAIL(\"a product leaves 64 bits\");
    return (long long)product;
}
"
    "quotient": "
static long long quotient(long long a, long long b)
{
    if (b == 0)
        FAIL(\"division by zero\");
    return b == -1 ? (long long)(0ULL - (unsigned long long)a) : a / b;
}
"
    "exact_quotient": "
static long long exact_quotient(long long a, long long b)
{
    if (b == 0)
        FAIL(\"division by zero\");
    if (b == -1 && a < -9223372036854775807LL)
        LIMIT(\"a quotient leaves 64 bits\");
    return a / b;
}
"
    "checked_quotient": "
static long long checked_quotient(long long a, long long b)
{
    if (b == 0)
        FAIL(\"division by zero\");
    if (b == -1 && a < -9223372036854775807LL)
        FAIL(\"a quotient leaves 64 bits\");
    return a / b;
}
"
    "rest": "
static long long rest(long long a, long long b)
{
    if (b == 0)
        FAIL(\"division by zero\");
    return b == -1 ? 0 : a % b;
}
"
    "unsigned_quotient": "
static long long unsigned_quotient(long long a, long long b)
{
    if (b == 0)
        FAIL(\"division by zero\");
    return (long long)((unsigned long long)a / (unsigned long long)b);
}
"
    "unsigned_rest": "
static long long unsigned_rest(long long a, long long b)
{
    if (b == 0)
        FAIL(\"division by zero\");
    return (long long)((unsigned long long)a % (unsigned long long)b);
}
"
    "shift_left": "
static long long shift_left(long long value, long long by, int width)
{
    if (by < 0 || by >= width)
        FAIL(\"shift out of range\");
    return (long long)((unsigned long long)value << by);
}
"
    "exact_shift_left": "
static long long exact_shift_left(long long value, long long by, int width)
{
    if (by < 0 || by >= width)
        FAIL(\"shift out of range\");
    __int128 product = (__int128)value * (1ULL << by);
    if (product < -9223372036854775807LL - 1 || product > 9223372036854775807LL)
        LIMIT(\"a product leaves 64 bits\");
    return (long long)product;
}
"
    "shift_right": "
static long long shift_right(long long value, long long by, int width)
{
    if (by < 0 || by >= width)
        FAIL(\"shift out of range\");
    return value >> by;
}
"
    "unsigned_shift_right": "
static long long unsigned_shift_right(long long value, long long by, int width)
{
    if (by < 0 || by >= width)
        FAIL(\"shift out of range\");
    return (long long)((unsigned long long)value >> by);
}
"
};

/// The shared-memory abstraction of a model: what it keeps, and its functions. `CLOCK`, `CELLS`, `THREADS`, `word`
/// and `initial` are defined before.
pub fn memory(model: Model) -> (&'static str, &'static [Function]) {
    match model {
        Model::Sc => (SC_STATE, SC),
        Model::Tso => (TSO_STATE, TSO),
        Model::Pso => (PSO_STATE, PSO),
    }
}

const SC_STATE: &str = "
/* Memory, sequentially consistent: a store is there at once. */
static word memory[CELLS];
";

const SC: &[Function] = functions! {
    "start_with": "
static void start_with(int cell, word value)
{
    memory[cell] = value;
}
"
    "load": "
static word load(int thread, int cell)
{
    (void)thread;
    return memory[cell];
}
"
    "load_own": "
/* A cell that no other thread writes. */
static word load_own(int thread, int cell)
{
    (void)thread;
    return memory[cell];
}
"
    "store": "
static void store(int thread, int cell, word value)
{
    (void)thread;
    memory[cell] = value;
}
"
    "final_value": "
static word final_value(int cell)
{
    return memory[cell];
}
"
};

macro_rules! state_text {
    ($first:literal, $more:literal) => {
        concat!(
            "
/* Memory, ", $first, ".
   A clock runs from 0 to CLOCK - 1, and every store gets a stamp when it is issued: the time at which it reaches memory.
   A store whose stamp has passed is there without anybody doing anything. */
static moment now;                          /* the clock */
static _Bool frozen;                        /* it stands still: inside an atomic section */
static word held[CELLS][CLOCK];             /* what a cell holds at each time, by the stores so far */
static _Bool stamped[CELLS][CLOCK];         /* whether a store to it has this stamp */
static word last_value[THREADS][CELLS];     /* a thread's last store to a cell */
static moment last_stamp[THREADS][CELLS];   /* and its stamp */
static moment latest[THREADS];              /* the largest stamp of a thread */
", $more)
    };
}

const TSO_STATE: &str = state_text!("total store order: a thread's stores reach it in their order", "");
const PSO_STATE: &str = state_text!(
    "partial store order: a thread's stores to one cell reach it in their order",
    "static moment floor_of[THREADS];            /* no stamp of a thread is below this: store-store fences */\n"
);

macro_rules! stamped_functions {
    ($($name:literal: $text:literal)*) => { functions! {
    "start_with": "
static void start_with(int cell, word value)
{
    for (int time = 0; time < CLOCK; time++)
        held[cell][time] = value;
    for (int thread = 0; thread < THREADS; thread++)
        last_value[thread][cell] = value;
}
"
    "pick_time": "
/* Now, or any time after it. */
static moment pick_time(void)
{
#ifdef ONE_BY_ONE
    moment chosen = now;
    while (chosen < CLOCK - 1 && nondet_bool())
        chosen++;
#elif defined DRIVER
    moment chosen = (moment)driver(now, CLOCK - 1);
#else
    moment chosen = nondet_moment();
    ASSUME(now <= chosen && chosen <= CLOCK - 1);
#endif
    return chosen;
}
"
    "tick": "
/* Some time passes. */
static void tick(void)
{
    if (!frozen)
        now = pick_time();
}
"
    "settle": "
/* From its stamp on, up to the next stamp that is taken, a store decides what the cell holds. */
static void settle(int cell, moment stamp, word value)
{
    _Bool decides = 0;
    for (int time = 0; time < CLOCK; time++) {
        decides = time == stamp || (decides && !stamped[cell][time]);
        if (decides)
            held[cell][time] = value;
    }
    stamped[cell][stamp] = 1;
}
"
    "load": "
/* The own last store, if it waits; else memory. */
static word load(int thread, int cell)
{
    tick();
    return last_stamp[thread][cell] > now ? last_value[thread][cell] : held[cell][now];
}
"
    "load_now": "
static word load_now(int cell)
{
    return held[cell][now];
}
"
    "load_own": "
/* A cell that no other thread writes. */
static word load_own(int thread, int cell)
{
    return last_value[thread][cell];
}
"
    "store_now": "
/* Straight to memory. */
static void store_now(int thread, int cell, word value)
{
    settle(cell, now, value);
    last_value[thread][cell] = value;
}
"
    "drain": "
/* Waits until all stores of the thread have reached memory. */
static void drain(int thread)
{
    tick();
    ASSUME(latest[thread] <= now);
}
"
    "waits": "
/* Whether a store of another thread to the cell is still on its way. */
static _Bool waits(int thread, int cell)
{
    for (int other = 0; other < THREADS; other++)
        if (other != thread && last_stamp[other][cell] > now)
            return 1;
    return 0;
}
"
    "final_value": "
static word final_value(int cell)
{
    return held[cell][CLOCK - 1];
}
"
    $($name: $text)*
    } };
}

const TSO: &[Function] = stamped_functions! {
    "store": "
static void store(int thread, int cell, word value)
{
    tick();
    moment stamp = pick_time();
    ASSUME(latest[thread] <= stamp);
    settle(cell, stamp, value);
    last_value[thread][cell] = value;
    last_stamp[thread][cell] = stamp;
    latest[thread] = stamp;
}
"
};

const PSO: &[Function] = stamped_functions! {
    "store": "
static void store(int thread, int cell, word value)
{
    tick();
    moment stamp = pick_time();
    ASSUME(last_stamp[thread][cell] <= stamp && floor_of[thread] <= stamp);
    settle(cell, stamp, value);
    last_value[thread][cell] = value;
    last_stamp[thread][cell] = stamp;
    if (latest[thread] < stamp)
        latest[thread] = stamp;
}
"
    "store_store_fence": "
static void store_store_fence(int thread)
{
    tick();
    floor_of[thread] = latest[thread];
}
"
};

/// Those of the functions that a text calls, or that they call, in their order.
pub fn used<'f>(text: &str, functions: &[&'f [Function]]) -> Vec<&'f Function> {
    let all: Vec<&Function> = functions.iter().flat_map(|f| f.iter()).collect();
    let mut wanted = vec![false; all.len()];
    let calls = |text: &str, name: &str| {
        text.match_indices(&format!("{name}(")).any(|(at, _)| {
            at == 0 || !text.as_bytes()[at - 1].is_ascii_alphanumeric() && text.as_bytes()[at - 1] != b'_'
        })
    };
    loop {
        let before = wanted.clone();
        for (i, function) in all.iter().enumerate() {
            let inside =
                |(j, other): (usize, &&Function)| before[j] && j != i && calls(other.text, function.name);
            wanted[i] |= calls(text, function.name) || all.iter().enumerate().any(inside);
        }
        if wanted == before {
            break;
        }
    }
    all.into_iter().zip(wanted).filter(|(_, wanted)| *wanted).map(|(f, _)| f).collect()
}
