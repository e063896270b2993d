//! Memorax and Trencher files: every statement by the tree it becomes, every error by its message.

use fencepost_ir::{Sources, tree};
use fencepost_models::{memorax, trencher};
use fencepost_samples::Rng;
use fencepost_samples::mutate::mutate;
use fencepost_text::Diagnostic;

type Read = fn(&str, &str) -> Result<tree::Program, (Sources, Vec<Diagnostic>)>;

fn tree_of(read: Read, text: &str) -> String {
    match read("file", text) {
        Ok(program) => program.to_string(),
        Err((_, diagnostics)) => panic!("{diagnostics:?}\n{text}"),
    }
}

#[track_caller]
fn refused(read: Read, text: &str, expected: &str) {
    let (_, diagnostics) = read("file", text).expect_err(text);
    let d = &diagnostics[0];
    let text = &text[..text.len().min(200)];
    assert_eq!(format!("{}:{}: {}", d.span.line, d.span.column, d.message), expected, "{text}");
}

// Memorax

/// The statements that `text` becomes in a process with registers `$r : [0:1]` and `$z : Z`, where
/// `x : [0:3]`, `y : [0:1]` and `n : Z` are global.
#[track_caller]
fn rmm(text: &str, expected: &str) {
    let file = format!(
        "data x = 0 : [0:3] y = 0 : [0:1] n = 0 process data own = 0 : [0:1] registers $r = 0 : [0:1] $z = 0
         text B: nop; {text}; L: nop process data own = 1 : [0:1] text E: nop"
    );
    let tree = tree_of(memorax::read, &file);
    let body = tree.split("thread P0 {").nth(1).and_then(|t| t.split("\n}\n").next()).unwrap();
    let from = body.find("  B:\n    skip;\n").unwrap() + "  B:\n    skip;\n".len();
    let to = body.find("  L:").unwrap();
    let words = |s: &str| s.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words(&body[from..to]), words(expected), "{text}");
}

#[test]
fn memorax_statements() {
    rmm("nop", "skip;");
    rmm("read: x = 2", "assume(x == 2);");
    rmm("read: x = $z + 1", "assume(x == z + 1);");
    rmm("read: $r := y", "r = y;");
    rmm("syncrd: $z := x", "z = x;");
    rmm("syncrd: x = 1", "assume(x == 1);");
    rmm("write: x := 3", "x = 3;");
    rmm("write: own[my] := 1", "own_0 = 1;");
    rmm("write: own[0] := 1", "own_1 = 1;");
    rmm("syncwr: x := 1", "exchange(x, 1);");
    rmm("locked write: x := 1", "exchange(x, 1);");
    rmm("slocked write: x := 1", "fence store_store; x = 1;");
    rmm("fence", "fence;");
    rmm("ssfence", "fence store_store;");
    rmm("llfence", "skip;");
    rmm("$r := 1", "r = 1;");
    rmm("assume: $r = 0 && not [$z > 2 || $z < -1]", "assume(r == 0 && !(z > 2 || z < -1));");
    rmm("cas(x, 0, 1)", "assume(cas(x, 0, 1));");
    rmm("if $r = 0 then $r := 1 else nop", "if (r == 0) { r = 1; } else { skip; }");
    rmm("if $r = 0 then { nop; nop }", "if (r == 0) { skip; skip; }");
    rmm("while $z != 1 do read: $z := x", "while (z != 1) { z = x; }");
    rmm("goto L", "goto L;");
    rmm("M: goto M", "M: goto M;");
    rmm(
        "either{ read: x = 0 or read: x = 1; nop }",
        "choose { assume(x == 0); } or { assume(x == 1); skip; }",
    );
    rmm("locked{ read: x = 0; write: x := 1 }", "atomic { choose { assume(x == 0); exchange(x, 1); } }");
    rmm("locked{ read: x = 0 or nop }", "atomic nodrain { choose { assume(x == 0); } or { skip; } }");
    rmm(
        "write: [$z] := 1",
        "choose { assume(z == 0); x = 1; } or { assume(z == 1); y = 1; } or { assume(z == 2); n = 1; }",
    );
}

#[test]
fn memorax_values_outside_the_domain_disable_the_instruction() {
    rmm("$r := $z", "assume(z >= 0 && z <= 1); r = z;");
    rmm("write: y := $r + 1", "assume(r + 1 >= 0 && r + 1 <= 1); y = r + 1;");
    rmm("write: n := $z + 1", "n = z + 1;");
    rmm("write: y := 5", "assume(5 >= 0 && 5 <= 1); y = 0;");
    rmm("cas(y, $z, 1)", "assume(z >= 0 && z <= 1); assume(cas(y, z, 1));");
    rmm("read: $r := x", "read_2 = x; assume(read_2 >= 0 && read_2 <= 1); r = read_2;");
}

#[test]
fn memorax_declarations() {
    let tree = tree_of(
        memorax::read,
        "forbidden A *; * B data x = * : [-1:1] y = 3 process(2) registers $r = * : [0:2] text A: B: nop",
    );
    assert!(tree.contains("shared -1..1 x = any(-1..1);"), "{tree}");
    assert!(tree.contains("shared integer y = 3;"), "{tree}");
    assert!(tree.contains("0..2 r = any(0..2);"), "{tree}");
    assert!(tree.contains("forbid P0 at A;\nforbid P1 at B;"), "{tree}");
}

#[test]
fn memorax_processes_are_counted_without_the_one_that_speaks() {
    let process = "process data v = 0 text L: read: v[0] = 0; read: v[1] = 0; write: v[my] := 1 ";
    let tree = tree_of(memorax::read, &process.repeat(3));
    let reads: Vec<_> = tree.lines().map(str::trim).filter(|l| l.contains("v_")).collect();
    let of = |a: &str, b: &str, own: &str| {
        [format!("assume({a} == 0);"), format!("assume({b} == 0);"), format!("{own} = 1;")]
    };
    let expected = [of("v_1", "v_2", "v_0"), of("v_0", "v_2", "v_1"), of("v_0", "v_1", "v_2")].concat();
    assert_eq!(reads[3..], expected, "{tree}");
}

#[test]
fn memorax_macros() {
    let tree = tree_of(
        memorax::read,
        "macro set(v, e) write: v := e endmacro macro twice(v) set(v, (1)); set(v, ($r + (1))) endmacro
         data x = 0 process registers $r = 0 text twice(x)",
    );
    assert!(tree.contains("x = 1;\n    x = r + 1;"), "{tree}");
}

#[test]
fn memorax_errors() {
    let bad = |text: &str, expected: &str| refused(memorax::read, text, expected);
    bad("", "1:1: expected `process`, found the end of the file");
    bad("data x = 0", "1:11: expected `process`, found the end of the file");
    bad("nonsense", "1:1: expected `forbidden`, `data` or `process`, in this order, found `nonsense`");
    bad("forbidden process text nop", "1:11: expected a label or `*` for each process, found `process`");
    bad("forbidden A process(2) text A: nop", "1:11: 1 labels for 2 processes");
    bad("forbidden A process text B: nop", "1:11: process 0 has no label `A`");
    bad("process(0) text nop", "1:9: 0 processes are not between 1 and 1000");
    bad("process nop", "1:9: expected `text`, the code of the process, found `nop`");
    bad("process text", "1:13: expected a statement, found the end of the file");
    bad(
        "process text nop nop",
        "1:18: expected `forbidden`, `data` or `process`, in this order, found `nop`",
    );
    bad("process text goto M", "1:14: there is no label `M` in this process");
    bad("process text A: nop; A: nop", "1:22: the label `A` stands twice");
    bad("process text $r := 1", "1:14: there is no register `$r`");
    bad("process text write: x := 1", "1:21: there is no global variable `x`");
    bad("process text write: x[my] := 1", "1:21: process 0 has no variable `x`");
    bad("process text write: x[3] := 1", "1:21: process 4 has no variable `x`");
    bad("process text write: x[-1] := 1", "1:23: processes are counted from 0");
    bad("data x = 0 process text write: x := x", "1:37: expected a number or a register, found `x`");
    bad("data x = 5 : [0:1] process text nop", "1:10: 5 is outside the domain 0..1");
    bad("data x = 0 : [1:0] process text nop", "1:14: this domain is empty");
    bad("data x = 0 : Q process text nop", "1:14: expected a domain, `[lo:hi]` or `Z`, found `Q`");
    bad("data x = 0 x = 1 process text nop", "1:12: `x` is declared twice");
    bad("data x = 99999999999999999999 process text nop", "1:10: this number does not fit 64 bits");
    bad("process text assume: 1", "1:23: expected a comparison, found the end of the file");
    bad("process text if 1 = 1 nop", "1:23: expected `then`, found `nop`");
    bad("process text while 1 = 1 nop", "1:26: expected `do`, found `nop`");
    bad("process text either{ nop", "1:25: expected `}`, found the end of the file");
    bad("process text locked{ A: nop }", "1:22: there are no labels inside a locked block");
    bad("process text A: locked{ goto A }", "1:25: a locked block holds instructions only");
    bad("process text slocked nop", "1:22: expected `write`, found `nop`");
    bad("process text jump A", "1:14: `jump` begins no statement");
    bad("macro m(a) nop", "1:1: this macro has no end");
    bad("macro m(a) nop endmacro process text m()", "1:38: the macro takes 1 arguments, not 0");
    bad("macro m(a", "1:8: this parenthesis is never closed");
    bad("macro m nop endmacro macro m nop endmacro", "1:28: the macro `m` is defined twice");
    bad("/* open", "1:1: this comment has no end");
    bad(
        &format!("process text {}nop{}", "{".repeat(9999), "}".repeat(9999)),
        "1:414: nested more than 400 levels deep",
    );
}

// Trencher

const THREAD: &str = "thread t\ninitial q0\n";

#[test]
fn trencher_instructions() {
    let check = |instruction: &str, expected: &str| {
        let tree = tree_of(trencher::read, &format!("{THREAD}transition q0 q1 {instruction}\nend"));
        assert!(tree.contains(&format!("    {expected}\n    goto q1;")), "{instruction}\n{tree}");
    };
    check("write 1 0", "memory[0] = 1;");
    check("write + r 1 r", "memory[r] = r + 1;");
    check("read r 5", "r = memory[5];");
    check("read r + r 5", "r = memory[r + 5];");
    check("mfence", "fence;");
    check("local r - 3 * 2 r", "r = 3 - 2 * r;");
    check("local r == r 1", "r = r == 1;");
    check("check && ! == r 1 || < r 2 >= r 7", "assume(!(r == 1) && (r < 2 || r >= 7));");
    check("check r", "assume(r != 0);");
    check("check & r 1", "assume((r & 1) != 0);");
    check("local r / % r 3 2", "r = r % 3 / 2;");
    check("noop", "skip;");
    check("lock", "atomic_begin;");
    check("unlock", "atomic_end;");
}

#[test]
fn trencher_goals_are_all_threads_at_a_final_state() {
    let thread =
        |name: &str, finals: &str| format!("thread {name}\ninitial a\n{finals}transition a b noop\nend\n");
    let both = tree_of(trencher::read, &(thread("t", "final b\n") + &thread("u", "final a b\n")));
    assert!(both.contains("forbid t at b and u at a;\nforbid t at b and u at b;"), "{both}");
    let one = tree_of(trencher::read, &(thread("t", "final b\n") + &thread("u", "")));
    assert!(!one.contains("forbid"), "{one}");
}

#[test]
fn trencher_names_may_be_any_words() {
    let text = "# comment\nmemory_size 3\nthread t-1 # more\ninitial q<\ntransition q< q= read r' 0\ntransition q< q< noop\nend";
    let tree = tree_of(trencher::read, text);
    assert!(fencepost_models::fp::read("printed", &tree).is_ok(), "{tree}");
}

#[test]
fn trencher_errors() {
    let bad = |text: &str, expected: &str| refused(trencher::read, text, expected);
    bad("", "1:1: there is no thread");
    bad("nonsense", "1:1: expected a thread");
    bad("thread", "1:1: expected a thread");
    bad("thread t", "1:1: the thread has no end");
    bad("thread t\nend", "1:8: the thread has no initial state");
    bad("thread t\ninitial\nend", "2:1: cannot read this line of the thread");
    bad(&format!("{THREAD}end\nthread t\ninitial a\nend"), "4:8: two threads are called `t`");
    let instruction = |i: &str, expected: &str| bad(&format!("{THREAD}transition a b {i}\nend"), expected);
    instruction("jump", "3:16: there is no instruction `jump`");
    instruction("write 1", "3:16: an operand of this instruction is missing");
    instruction("read", "3:16: this instruction is `read REG ADDR`");
    instruction("read 1 1", "3:21: `1` is not a register");
    instruction("local + 1", "3:22: `+` is not a register");
    instruction("mfence 1", "3:23: this is more than the instruction takes");
    instruction("check < r", "3:16: an operand of this instruction is missing");
    instruction("write 99999999999999999999 1", "3:22: this number does not fit 64 bits");
    instruction(&format!("check {}1", "! ".repeat(999)), "3:824: nested more than 400 levels deep");
}

// Both

#[test]
fn mutated_files_are_read_or_refused_with_a_place() {
    let rmm = "forbidden CS CS data x = 0 : [0:1] process(2) data f = 0 : [0:1] registers $r = * : [0:1]\ntext\n\
        L: write: f[my] := 1;\nread: $r := f[0];\nif $r = 0 then { CS: nop } else goto L;\n\
        either{ cas(x,0,1) or locked{ read: x = 1; write: x := 0 } };\nwhile $r != 1 do read: $r := x;\ngoto L";
    let trench = format!(
        "{THREAD}final q1\ntransition q0 q1 write + r 1 0\ntransition q1 q0 read r == r 1\ntransition q0 q0 check < r 3\nend\n"
    );
    let mut rng = Rng::new(3);
    for (read, text) in [(memorax::read as Read, rmm), (trencher::read, trench.as_str())] {
        let (mut accepted, mut refused) = (0, 0);
        for _ in 0..3000 {
            let mutant = mutate(text, &mut rng);
            match read("mutant", &mutant) {
                Ok(program) => {
                    accepted += 1;
                    fencepost_passes::pipeline::lower(program);
                }
                Err((_, diagnostics)) => {
                    refused += 1;
                    assert!(diagnostics.iter().all(|d| d.span.is_some()), "{mutant}");
                }
            }
        }
        assert!(accepted > 50 && refused > 500, "{accepted} {refused}");
    }
}
