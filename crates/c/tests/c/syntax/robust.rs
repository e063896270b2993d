//! Extreme inputs: deep ones, long ones, broken ones.

use super::parse;
use super::{fragment, said};
use fencepost_c::Options;
use fencepost_samples::Rng;
use fencepost_samples::mutate::mutate;
use fencepost_samples::programs;

const PROGRAM: &str = include_str!("program.c");

#[test]
fn deep_nesting_is_refused() {
    const DEEP: usize = 100_000;
    let around = |open: &str, middle: &str, close: &str| {
        format!("{}{middle}{}", open.repeat(DEEP), close.repeat(DEEP))
    };
    let row = |part: &str| format!("a{}", part.repeat(DEEP));
    let expressions = [
        around("(", "a", ")"),
        around("-", "a", ""),
        around("- -", "a", ""),
        around("*", "a", ""),
        around("!", "a", ""),
        around("++", "a", ""),
        around("(T)", "a", ""),
        around("(T){", "1", "}"),
        around("sizeof ", "a", ""),
        around("sizeof(", "a", ")"),
        around("__extension__ ", "a", ""),
        around("({ ", "a;", " })"),
        around("f(", "a", ")"),
        around("a[", "a", "]"),
        around("a ? ", "a", " : a"),
        around("a = ", "a", ""),
        around("a ? a : ", "a", ""),
        around("(a + ", "a", ")"),
        around("a + (", "a", ")"),
        around("_Generic(a, default: ", "a", ")"),
        format!("(T(*)({}T{})a", "T(*)(".repeat(DEEP), ")".repeat(DEEP + 1)),
        around("(typeof(", "T", "))a"),
        format!("({}T{})a", "_Atomic(".repeat(DEEP), ")".repeat(DEEP)),
        row(" + a"),
        row(" && a"),
        row(", a"),
        row("[0]"),
        row("()"),
        row(".a"),
        row("++"),
    ];
    let statements = [
        around("{", "", "}"),
        around("if (a) ", "a;", ""),
        around("if (a) { } else { ", "a;", "}"),
        around("while (a) ", "a;", ""),
        around("for (;;) ", "a;", ""),
        around("switch (a) case 1: ", "a;", ""),
        around("do ", "a;", " while (a);"),
        around("struct { ", "int a;", " };"),
        format!("int {}x;", "*".repeat(DEEP)),
        format!("int {}x{};", "(".repeat(DEEP), ")".repeat(DEEP)),
        format!("int x{};", "[1]".repeat(DEEP)),
        format!("int x{};", "(int (*".repeat(DEEP)),
        format!("int x = {};", "{".repeat(DEEP)),
        format!("int x[{} = 1;", "sizeof(int[".repeat(DEEP)),
        format!("__attribute__((aligned({}))) int x;", "(".repeat(DEEP)),
    ];
    for text in expressions.iter().map(|e| format!("{e};")).chain(statements) {
        let shown: String = text.chars().take(40).collect();
        let message = match fragment(&text).statements(super::TYPES) {
            Ok(_) => panic!("accepted: {shown}"),
            Err(diagnostic) => said(&diagnostic),
        };
        let is_limit = ["nested more than 256 levels deep", "more than 400 operators"];
        assert!(is_limit.iter().any(|limit| message.contains(limit)), "{shown}: {message}");
    }
}

#[test]
fn nested_rows_are_no_way_around_the_limit() {
    // Each level is a row of operators on top of the one inside of it.
    let mut text = "a".to_string();
    for _ in 0..100 {
        text = format!("({text}{})", " + a".repeat(50));
    }
    let message = said(&fragment(&format!("{text};")).statements(super::TYPES).unwrap_err());
    assert!(message.contains("more than 400 operators"), "{message}");
}

#[test]
fn what_is_long_but_not_deep_is_read() {
    let long = |part: &str| part.repeat(20_000);
    let texts = [
        long("a; "),
        format!("int x[] = {{{}}};", long("1, ")),
        format!("f({}1);", long("a, ")),
        format!("switch (a) {{ {} }}", long("case 1: ")),
        long("a: "),
        format!("int {}a;", long("a, ")),
        format!("struct {{ {} }};", long("int a; ")),
        format!("enum {{ {} }};", long("a, ")),
        format!("\"a\" {};", long("\"b\" ")),
        format!("int x {};", long("__attribute__((unused)) ")),
    ];
    for text in texts {
        let shown: String = text.chars().take(40).collect();
        fragment(&text).statements(super::TYPES).unwrap_or_else(|d| panic!("{shown}: {d:?}"));
    }
    // A useful depth is read as well.
    for text in [
        format!("{}a{};", "(".repeat(150), ")".repeat(150)),
        format!("{}a;{}", "{".repeat(200), "}".repeat(200)),
        format!("a{};", " + a".repeat(350)),
        format!("if (a) b; {} else c;", "else if (a) b; ".repeat(200)),
    ] {
        let shown: String = text.chars().take(40).collect();
        fragment(&text).statements(super::TYPES).unwrap_or_else(|d| panic!("{shown}: {d:?}"));
    }
}

#[test]
fn broken_programs_are_refused_with_a_place() {
    let mut rng = Rng::new(11);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..6000 {
        let text = mutate(PROGRAM, &mut rng);
        match parse("mutant.i", &text, &Options::default()) {
            Ok(_) => read += 1,
            Err((_, diagnostics)) => {
                refused += 1;
                assert!(diagnostics.iter().all(|d| d.span.is_some()), "{diagnostics:?}\n{text}");
            }
        }
    }
    assert!(read > 500 && refused > 500, "{read} read, {refused} refused");
}

#[test]
fn broken_programs_with_directives_are_refused_with_a_place() {
    if !programs::has("cc") {
        return;
    }
    let text = format!("#include <pthread.h>\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\n{PROGRAM}");
    let mut rng = Rng::new(12);
    for _ in 0..60 {
        let text = mutate(&text, &mut rng);
        if let Err((_, diagnostics)) = parse("mutant.c", &text, &Options::default()) {
            assert!(diagnostics.iter().all(|d| d.span.is_some()), "{diagnostics:?}\n{text}");
        }
    }
}

/// What was measured is printed: run it with `--nocapture`. The bound is generous, for slow machines.
#[test]
fn five_hundred_lines_take_little_time() {
    let lines = PROGRAM.lines().count();
    let text = PROGRAM.repeat(500usize.div_ceil(lines));
    let start = std::time::Instant::now();
    let rounds = 20;
    for _ in 0..rounds {
        parse("long.i", &text, &Options::default()).unwrap_or_else(|(_, d)| panic!("{d:?}"));
    }
    let each = start.elapsed() / rounds;
    println!("{} lines in {each:?}", text.lines().count());
    assert!(each.as_millis() < 100, "{each:?}");
}
