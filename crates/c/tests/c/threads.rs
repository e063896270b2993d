//! Threads whose text is inside of another file: words that are macros, what is shared, which locals are looked at, the
//! library, and what is said of mistakes.

use fencepost_c::Fragment;
use fencepost_c::threads::{
    self, Dialect, Initial, InitialValue, Processes, Shared, Thread, TypeText, ValueKind,
};
use fencepost_ir::tree::{ProcedureKind, Type};
use fencepost_ir::{FileId, IntType, Scalar, Span};
use std::sync::LazyLock;

const HEADER: &str = "\
typedef enum { low, high } level;
typedef _Atomic(int) counter;
typedef counter row[2];
/* Words. */
#define GET(X) __atomic_load_n(&(X), low)
#define TWICE(X) (GET(X) + GET(X))
#define SELF(X) SELF(X)
#define PAIR(A, B) \\
    ((A), \\
     (B))
#define MANY(X) (X + X + X + X + X + X + X + X)
";

static DIALECT: LazyLock<Dialect> = LazyLock::new(|| Dialect::new(HEADER, &[("NEVER", "it never ends")]));

fn fragment(text: &str) -> Fragment<'_> {
    Fragment { text, file: FileId(0), line: 1, column: 1 }
}

fn shared(name: &str) -> Shared {
    Shared { name: name.to_string(), ty: None, elements: None, init: Initial::Nothing, span: Span::NONE }
}

/// Lowers declarations and threads; locals of some names are looked at in the first one.
fn lower(declarations: &str, threads: &[&str], observed: &[&str]) -> Result<Processes, Vec<String>> {
    let names = ["P0", "P1", "P2"];
    let thread = |(text, name)| {
        let observed = if name == "P0" { observed.to_vec() } else { Vec::new() };
        Thread { name, function: fragment(text), observed }
    };
    let all: Vec<Thread<'_>> = threads.iter().copied().zip(names).map(thread).collect();
    let parsed = threads::parse(&DIALECT, &[fragment(declarations)], all);
    let lowered = parsed.and_then(|parsed| {
        let mut names: Vec<String> = parsed.parameters().map(|name| name.text.clone()).collect();
        names.sort();
        names.dedup();
        parsed.lower(&names.iter().map(|name| shared(name)).collect::<Vec<_>>())
    });
    lowered.map_err(|found| {
        found.iter().map(|d| format!("{}:{}: {}", d.span.line, d.span.column, d.message)).collect()
    })
}

fn refused(declarations: &str, threads: &[&str], expected: &[&str]) {
    let said = match lower(declarations, threads, &[]) {
        Ok(_) => panic!("accepted: {threads:?}"),
        Err(said) => said,
    };
    assert_eq!(said, expected, "{threads:?}");
}

fn accepted(declarations: &str, threads: &[&str], observed: &[&str]) -> Processes {
    lower(declarations, threads, observed).unwrap_or_else(|said| panic!("{threads:?}: {said:?}"))
}

#[test]
fn threads_are_processes_and_their_parameters_variables() {
    let made = accepted("", &["P0(int *x, counter *y) { *x = 1; *y = 2; }", "P1(unsigned char *z) {}"], &[]);
    let program = made.program;
    let names: Vec<&str> = program.shared.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names, ["x", "y", "z"]);
    let int = |bits, signed| Type::Scalar(Scalar::Int(IntType { bits, signed }));
    let types: Vec<&Type> = program.shared.iter().map(|v| &v.ty).collect();
    assert_eq!(types, [&int(32, true), &int(32, true), &int(8, false)]);
    for thread in &program.threads {
        let procedure = program.procedure(thread.procedure);
        assert_eq!((procedure.kind, procedure.params), (ProcedureKind::Process, 0));
        // Nothing points anywhere: accesses are to the variables themselves.
        assert!(procedure.locals.is_empty(), "{:?}", procedure.locals);
    }
}

#[test]
fn words_are_replaced_where_they_are_called() {
    for value in ["TWICE(*x)", "GET(*x) + PAIR(1, PAIR(2, 3))", "({ int GET = 1; GET; })"] {
        accepted("", &[&format!("static void P0(int *x) {{ *x = {value}; }}")], &[]);
    }
    // A word that gives itself is not looked at again, and one that the text defines is the text's.
    refused("", &["P0(int *x) { SELF(1); }"], &["1:14: `SELF` is not declared"]);
    accepted("int GET(int a) { return a; }", &["P0(int *x) { *x = GET(5); }"], &[]);
    refused("", &["P0(int *x) { GET(); }"], &["1:14: `GET` takes 1 argument, not 0"]);
    refused("", &["P0(int *x) { GET(*x, 1); }"], &["1:14: `GET` takes 1 argument, not 2"]);
    refused("", &["P0(int *x) { GET(*x; }"], &["1:14: the arguments of `GET` have no end"]);
    refused("", &["P0(int *x) { NEVER(); }"], &["1:14: it never ends"]);
    let nested = format!("P0(int *x) {{ {}*x{}; }}", "MANY(".repeat(30), ")".repeat(30));
    let said = lower("", &[&nested], &[]).map(|_| ()).unwrap_err();
    assert!(said.len() == 1 && said[0].ends_with("this becomes too long"), "{said:?}");
}

#[test]
fn all_that_is_wrong_is_told_at_its_place() {
    let wrong = ["P0(int *x) {\n  *x = ;\n}", "P1(int *x) { else; }"];
    refused("", &wrong, &["2:8: expected an expression, found `;`", "1:14: this `else` belongs to no `if`"]);
    let wrong = ["P0(int *x) { a; *x = b; }", "P1(int x) {}"];
    refused(
        "",
        &wrong,
        &[
            "1:4: a parameter is a pointer to a location",
            "1:14: `a` is not declared",
            "1:22: `b` is not declared",
        ],
    );
    refused("#define ONE 1\n", &["P0(int *x) {}"], &["1:1: no preprocessor runs here"]);
    refused("", &["P0(int *x) {}", "P1(long *x) {}"], &["1:10: `x` has another width elsewhere"]);
    refused("", &["P0(int *x) { int r = x; }"], &["1:22: a pointer is no number"]);
    refused("", &["P0(int *x) { x = 1; }"], &["1:18: a number is no pointer of type `int *`"]);
    refused("", &["int P0(int *x) {}"], &["1:5: `P0` is a thread, which gives no result"]);
    refused("", &["void P1(int *x) {}"], &["1:1: expected the function `P0` and nothing else"]);
    refused("", &["P0(a, b) int *a, *b; {}"], &["1:1: expected the types of all parameters"]);
}

#[test]
fn the_last_values_of_locals_are_in_registers() {
    let text = "P0(int *x) { int a = 1; int b = 2; int *p = &b; { int a = 3; } if (*x) return; *p = 4; }";
    let Processes { program, observed } = accepted("", &[text], &["a", "b", "p", "none"]);
    let locals = &program.procedure(program.threads[0].procedure).locals;
    let names: Vec<_> = observed[0].iter().map(|id| id.map(|id| locals[id.0].name.as_str())).collect();
    assert_eq!(names, [Some("a"), Some("%b"), Some("p"), None]);
    assert_eq!(observed[0][0], locals.iter().position(|l| l.name == "a").map(fencepost_ir::tree::LocalId));
}

#[test]
fn the_library_is_there_for_those_that_call_it() {
    let copy = "P0(int *x, int *y) { __builtin_memcpy(x, y, sizeof *x); }";
    let divide = "P1(__int128 *z) { *z = *z / 3; }";
    let made = accepted("", &[copy, divide], &[]);
    assert!(!made.program.procedure(made.program.threads[0].procedure).body.0.is_empty());
}

#[test]
fn shared_variables_have_types_and_values() {
    let thread = Thread { name: "P0", function: fragment("P0(void) { }"), observed: Vec::new() };
    let parsed = threads::parse(&DIALECT, &[], vec![thread]).map_err(|d| d[0].message.clone()).unwrap();
    let span = Span::NONE;
    let value = |kind| InitialValue { kind, span };
    let ty = |text: &str| Some(TypeText { text: text.to_string(), span });
    let number = |n| Initial::One(value(ValueKind::Number(n)));
    let rows = [ValueKind::Number(1), ValueKind::Number(-1)].map(value);
    let element = Initial::One(value(ValueKind::ElementAddress("t".into(), 1)));
    let variables = [
        Shared { ty: ty("counter *"), init: element, ..shared("p") },
        Shared { ty: ty("counter"), elements: Some(2), init: Initial::List(rows.into()), ..shared("t") },
        Shared { ty: ty("unsigned long"), init: number(u64::MAX.into()), ..shared("u") },
        Shared { ty: ty("short"), init: number(-2), ..shared("s") },
        Shared { ty: ty("row"), ..shared("r") },
        shared("i"),
    ];
    let made = parsed.lower(&variables).map_err(|d| d[0].message.clone()).unwrap();
    let values = |i: usize| {
        let init = made.program.shared[i].init.iter();
        init.map(|choices| choices.single().unwrap()).collect::<Vec<i64>>()
    };
    assert_eq!(values(0), [fencepost_ir::pointer::to_object(1, 4)]);
    assert_eq!((values(1), values(2), values(3)), (vec![1, -1], vec![-1], vec![-2]));
    assert_eq!((values(4), values(5)), (vec![0, 0], vec![0]));
}

#[test]
fn orders_of_compare_exchange_and_orders_that_the_run_knows() {
    let printed = |declarations: &str, body: &str| {
        let thread = format!("P0 (counter *x, int *y) {{ int e = 0; {body} }}");
        lower(declarations, &[&thread], &[]).unwrap_or_else(|said| panic!("{said:?}")).program.to_string()
    };
    for (body, expected) in [
        ("__atomic_compare_exchange_n(x, &e, 1, 0, 4, 0);", "x@acq_rel@relaxed"),
        ("__c11_atomic_compare_exchange_strong(x, &e, 1, 0, 5);", "x@relaxed@seq_cst"),
        // Nothing is written where it fails.
        ("__atomic_compare_exchange_n(x, &e, 1, 0, 5, 4);", "x@seq_cst@acquire"),
        ("__atomic_compare_exchange_n(x, &e, 1, 0, 4, 2);", "x@acq_rel,"),
        ("__sync_bool_compare_and_swap(y, 0, 1);", "y@seq_cst,"),
    ] {
        let text = printed("", body);
        assert!(text.contains(expected), "{expected} in\n{text}");
    }
    let declarations = "static int swap(counter *x, int order) { return __atomic_exchange_n(x, 1, order); }
        static int get(counter *x, int order) { return __atomic_load_n(x, order); }
        static int put(counter *x, int s, int f) { int e = 0; return __atomic_compare_exchange_n(x, &e, 1, 0, s, f); }";
    let text =
        printed(declarations, "int order = *y; e = swap(x, order); e = get(x, order); put(x, order, order);");
    for order in ["relaxed", "acquire", "release", "acq_rel", "seq_cst"] {
        let exchange = format!(")@{order}, 1);");
        let is_there = text.lines().any(|line| line.contains("= exchange(") && line.ends_with(&exchange));
        assert!(is_there, "{exchange} in\n{text}");
    }
    for end in [")@acquire;", ")@acq_rel@relaxed, %t8, 1);"] {
        assert!(text.lines().any(|line| line.ends_with(end)), "{end} in\n{text}");
    }
}
