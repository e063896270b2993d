//! Where things are: behind macros, in headers, in preprocessed text and in fragments.

use super::parse;
use super::said;
use expect_test::{Expect, expect};
use fencepost_c::ast::{BlockItem, Expr, ExprKind, Item, StmtKind, Unit};
use fencepost_c::{DataModel, Fragment, Options};
use fencepost_ir::{FileId, Sources, Span};
use fencepost_samples::programs;

fn read(name: &str, text: &str) -> (Unit, Sources) {
    parse(name, text, &Options::default()).unwrap_or_else(|(_, d)| panic!("{d:?}\n{text}"))
}

/// All names and numbers of the expressions in statements of the user's functions, with their places.
fn places(unit: &Unit, sources: &Sources) -> String {
    let mut out = String::new();
    for item in &unit.items {
        let Item::Function(function) = item else { continue };
        for item in &function.body.items {
            match item {
                BlockItem::Statement(s) => {
                    if let StmtKind::Expr(e) | StmtKind::Return(Some(e)) = &s.kind {
                        expr(e, sources, &mut out);
                    }
                }
                BlockItem::Declaration(d) => {
                    for declarator in &d.declarators {
                        line(declarator.name().span, &declarator.name().text, sources, &mut out);
                    }
                }
                BlockItem::StaticAssert(_) | BlockItem::Broken(_) => {}
            }
        }
    }
    out
}

fn line(span: Span, what: &str, sources: &Sources, out: &mut String) {
    let chars = sources.line(span).unwrap_or("").chars();
    let there: String = chars.skip(span.column as usize - 1).take(span.length as usize).collect();
    *out += &format!("{what}: {}:{} `{there}`\n", span.line, span.column);
}

fn expr(e: &Expr, sources: &Sources, out: &mut String) {
    let mut walk = |e: &Expr| expr(e, sources, out);
    match &e.kind {
        ExprKind::Identifier(name) => line(e.span, name, sources, out),
        ExprKind::Integer(literal) => line(e.span, &literal.value.to_string(), sources, out),
        ExprKind::Unary(_, a) | ExprKind::Step(_, a) | ExprKind::Cast(_, a) | ExprKind::Member(a, ..) => {
            walk(a)
        }
        ExprKind::Binary(_, a, b) | ExprKind::Assign(_, a, b) | ExprKind::Comma(a, b) => {
            walk(a);
            walk(b);
        }
        ExprKind::Conditional(a, b, c) => {
            walk(a);
            b.iter().for_each(|b| walk(b));
            walk(c);
        }
        ExprKind::Call(f, args) => {
            walk(f);
            args.iter().for_each(walk);
        }
        _ => line(e.span, "other", sources, out),
    }
}

#[track_caller]
fn check(text: &str, expected: Expect) {
    if programs::has("cc") {
        let (unit, sources) = read("places.c", text);
        expected.assert_eq(&places(&unit, &sources));
    }
}

#[test]
fn tokens_stand_where_the_user_wrote_them() {
    check(
        "#include <assert.h>
#include <stdatomic.h>
#define TWICE(x) ((x) + (x))
#define LOCK lock(&m)
#define NOTHING
#define FIELD(a) a
int f(int x) {
\tx = 1; /* \u{e9} */ x = 2; // comment
  assert(x == 3);
  x = TWICE(x * 4) + 5; LOCK; x = 6;
  NOTHING x = 7; FIELD(x) = FIELD(8);
  assert(x == 9 &&
         x == 10); x = 11;
  x = TWICE(12)
    + 13;
  atomic_store_explicit(&y, 14, memory_order_release);
  g(15,
    x, 16);
  return __LINE__ + x;
}
",
        expect![[r#"
            x: 8:2 `x`
            1: 8:6 `1`
            x: 8:17 `x`
            2: 8:21 `2`
            __fencepost_assert: 9:3 `assert`
            x: 9:10 `x`
            3: 9:15 `3`
            x: 10:3 `x`
            x: 10:7 `TWICE`
            4: 10:7 `TWICE`
            x: 10:13 `x`
            4: 10:17 `4`
            5: 10:22 `5`
            lock: 10:25 `LOCK`
            m: 10:25 `LOCK`
            x: 10:31 `x`
            6: 10:35 `6`
            x: 11:11 `x`
            7: 11:15 `7`
            x: 11:24 `x`
            8: 11:35 `8`
            __fencepost_assert: 12:3 `assert`
            x: 12:10 `x`
            9: 12:15 `9`
            x: 13:10 `x`
            10: 13:15 `10`
            x: 13:20 `x`
            11: 13:24 `11`
            x: 14:3 `x`
            12: 14:7 `TWICE`
            12: 14:12 `(`
            13: 15:7 `13`
            __c11_atomic_store: 16:3 `atomic_store_explicit`
            y: 16:26 `y`
            14: 16:29 `14`
            memory_order_release: 16:33 `memory_order_release`
            g: 17:3 `g`
            15: 17:5 `15`
            x: 18:5 `x`
            16: 18:8 `16`
            19: 19:10 `__LINE__`
            x: 19:21 `x`
        "#]],
    );
}

#[test]
fn comments_and_continued_lines_keep_places() {
    check(
        "/* a
 comment */ int before;
#define LONG(a, b) \\
  a + \\
  b
int f(void) {
  int /* here */ a, \\
      b;
  a = LONG(1, 2); b = 3;








  /* the preprocessor writes a marker instead of many empty lines */ a = 4;
}
#line 100
int g(void) { b = 5; }
",
        expect![[r#"
            a: 7:18 `a`
            b: 8:7 `b`
            a: 9:3 `a`
            1: 9:12 `1`
            2: 9:15 `2`
            b: 9:19 `b`
            3: 9:23 `3`
            a: 18:70 `a`
            4: 18:74 `4`
            b: 100:15 ``
            5: 100:19 ``
        "#]],
    );
}

#[test]
fn headers_know_who_includes_them() {
    if !programs::has("cc") {
        return;
    }
    let text = "int first;\n#include <pthread.h>\n  #  include <stdio.h>\nint last;\n";
    let (unit, sources) = read("places.c", text);
    let find = |name: &str| {
        let mut declared = unit.items.iter().filter_map(|item| match item {
            Item::Declaration(d) => d.declarators.first(),
            _ => None,
        });
        declared.find(|d| d.name().text == name).unwrap_or_else(|| panic!("{name}")).name().span
    };
    let mut out = String::new();
    for name in ["first", "pthread_create", "sched_yield", "printf", "last"] {
        let span = find(name);
        let user = unit.origins.in_user_file(span);
        let system = if unit.origins.is_system(span) { "system" } else { "user" };
        out += &format!("{name}: {system}, {}, {}\n", sources.name(span.file), sources.place(user));
    }
    expect![[r#"
        first: user, places.c, places.c:1
        pthread_create: system, <pthread.h>, places.c:2
        sched_yield: system, <sched.h>, places.c:2
        printf: system, <stdio.h>, places.c:3
        last: user, places.c, places.c:4
    "#]]
    .assert_eq(&out);
}

#[test]
fn user_headers_are_found_and_named() {
    if !programs::has("cc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("more")).unwrap();
    std::fs::write(path("mine.h"), "#define INIT 7\nint from_mine = INIT;\n").unwrap();
    std::fs::write(path("more/other.h"), "int from_other\n").unwrap();
    let text = "#include \"mine.h\"\n#include <other.h>\nint main(void) { return FLAG; }\n";
    let options = Options {
        include_dirs: vec![path("more")],
        defines: vec!["FLAG=3".to_string()],
        ..Options::default()
    };
    // In a file, and as a text that only has a name in that folder.
    for written in [true, false] {
        let name = path(if written { "main.c" } else { "absent.c" });
        if written {
            std::fs::write(&name, text).unwrap();
        }
        let (sources, diagnostics) = parse(name.to_str().unwrap(), text, &options).unwrap_err();
        let place = diagnostics[0].span;
        // The missing semicolon is noticed at the next token, in the file itself.
        assert_eq!((sources.name(place.file), place.line), (name.to_str().unwrap(), 3), "{diagnostics:?}");
    }
    std::fs::write(path("more/other.h"), "int from_other;\nint = 1;\n").unwrap();
    let (sources, diagnostics) = parse(path("main.c").to_str().unwrap(), text, &options).unwrap_err();
    let place = diagnostics[0].span;
    assert!(sources.name(place.file).ends_with("more/other.h"), "{diagnostics:?}");
    assert_eq!(said(&diagnostics[0]), "2:5: expected a name, found `=`");
}

#[test]
fn odd_file_names_are_understood() {
    if !programs::has("cc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("\u{e9} \\ \"x\".c");
    let name = path.to_str().unwrap();
    let text = "int ok;\nint wrong = ;\n";
    std::fs::write(&path, text).unwrap();
    let (sources, diagnostics) = parse(name, text, &Options::default()).unwrap_err();
    assert_eq!(sources.name(diagnostics[0].span.file), name);
    assert_eq!(said(&diagnostics[0]), "2:13: expected an expression, found `;`");
}

#[test]
fn what_the_preprocessor_says_has_a_place() {
    if !programs::has("cc") {
        return;
    }
    let refused = |text: &str| {
        let (_, diagnostics) = parse("bad.c", text, &Options::default()).unwrap_err();
        diagnostics.iter().map(said).collect::<Vec<_>>().join("\n")
    };
    expect!["2:10: the header `no/such.h` is not found (help: name its folder with -I; of system headers there are those of C11, pthreads and much of POSIX)"].assert_eq(&refused("int x;\n#include <no/such.h>\n"));
    expect![[r#"
        2:4: #error this is wrong
        4:2: #elif without #if"#]]
    .assert_eq(&refused("#if 1\n  #error this is wrong\n#endif\n#elif\n"));
    expect![[r#"2:12: macro "f" requires 2 arguments, but only 1 given"#]]
        .assert_eq(&refused("#define f(a, b) a\nint x = f(1);\n"));
    let missing = Options { command: Some("no-such-compiler -O".to_string()), ..Options::default() };
    let (_, diagnostics) = parse("bad.c", "int x;", &missing).unwrap_err();
    assert!(said(&diagnostics[0]).starts_with("0:0: the C preprocessor `no-such-compiler` cannot be run"));
}

#[test]
fn data_models_differ() {
    if !programs::has("cc") {
        return;
    }
    let text = "#include <limits.h>\n#include <stdint.h>\nlong max = LONG_MAX; size_t s; int64_t w;\n";
    let text = text.replace("size_t", "__SIZE_TYPE__");
    let dump = |data_model| {
        let options = Options { data_model, ..Options::default() };
        let (unit, _) = parse("model.c", &text, &options).unwrap_or_else(|(_, d)| panic!("{d:?}"));
        let last: Vec<String> = unit.items.iter().rev().take(3).map(super::dump::item).collect();
        last.join(" ")
    };
    expect!["w: int64_t; s: unsignedlong; max: long = x9223372036854775807l;"]
        .assert_eq(&dump(DataModel::Lp64));
    expect!["w: int64_t; s: unsigned; max: long = x2147483647l;"].assert_eq(&dump(DataModel::Ilp32));
}

#[test]
fn places_of_preprocessed_text_are_those_of_its_markers() {
    let text = "# 1 \"gone.c\"
# 1 \"/no/such/include/stdio.h\" 1 3 4
int puts(const char *);
# 17 \"gone.c\" 2
int x;
# 18 \"gone.c\" 3 4
int macro;
#pragma pack(1)
int y = ;
";
    let (sources, diagnostics) = parse("gone.i", text, &Options::default()).unwrap_err();
    assert_eq!(said(&diagnostics[0]), "20:9: expected an expression, found `;`");
    assert_eq!(sources.place(diagnostics[0].span).to_string(), "gone.c:20");
    // Text with markers is not preprocessed again, whatever it is called.
    let (unit, sources) = read("gone.c", &text.replace("int y = ;", ""));
    let kinds: Vec<(String, bool)> = unit
        .items
        .iter()
        .map(|item| {
            let Item::Declaration(d) = item else { panic!("{item:?}") };
            (sources.place(d.span).to_string(), unit.origins.is_system(d.span))
        })
        .collect();
    let expected = [("/no/such/include/stdio.h:1", true), ("gone.c:17", false), ("gone.c:18", false)];
    assert_eq!(kinds, expected.map(|(place, system)| (place.to_string(), system)));
    // Without markers the text's own lines count.
    let (sources, diagnostics) = parse("own.i", "int x;\nint y = ;\n", &Options::default()).unwrap_err();
    assert_eq!(sources.place(diagnostics[0].span).to_string(), "own.i:2");
}

#[test]
fn fragments_stand_in_their_file() {
    let fragment = |text| Fragment { text, file: FileId(3), line: 10, column: 5 };
    let items = fragment("a = 1;\n b = 2;").statements(&[]).unwrap();
    let spans: Vec<Span> = items
        .iter()
        .map(|item| match item {
            BlockItem::Statement(s) => s.span,
            _ => panic!("{item:?}"),
        })
        .collect();
    let file = FileId(3);
    assert_eq!(spans[0], Span { file, line: 10, column: 5, length: 6 });
    assert_eq!(spans[1], Span { file, line: 11, column: 2, length: 6 });
    let refused = |text| said(&fragment(text).statements(&[]).unwrap_err());
    assert_eq!(refused("a;\n}"), "11:1: expected a statement, found `}`");
    assert_eq!(refused("{ a;"), "10:9: expected `}`, found the end of the file");
}
