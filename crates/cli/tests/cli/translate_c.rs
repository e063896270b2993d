//! Translations of C: they compile without warnings, do what the original does where nothing is delayed, are read
//! again, and have the verdicts of the engines on the original.

use crate::c::{asserting, compiled, features};
use crate::{check, fencepost_args, root, scratch};
use fencepost_samples::effort::every;
use std::process::Command;

/// What a translation leaves to a verifier, so that it runs: nothing is ever chosen, so no round ends.
const STUBS: &str = "\
#include <stdlib.h>
void __VERIFIER_atomic_begin(void) {}
void __VERIFIER_atomic_end(void) {}
void __VERIFIER_assume(int c) { if (!c) exit(7); }
int __VERIFIER_nondet_int(void) { return 0; }
unsigned __VERIFIER_nondet_uint(void) { return 0; }
signed char __VERIFIER_nondet_char(void) { return 0; }
unsigned char __VERIFIER_nondet_uchar(void) { return 0; }
short __VERIFIER_nondet_short(void) { return 0; }
unsigned short __VERIFIER_nondet_ushort(void) { return 0; }
long __VERIFIER_nondet_long(void) { return 0; }
unsigned long __VERIFIER_nondet_ulong(void) { return 0; }
_Bool __VERIFIER_nondet_bool(void) { return 0; }
void *__VERIFIER_nondet_pointer(void) { return 0; }
";

/// Compiles a translation with all warnings; what the compiler says, and the program.
pub fn compile(name: &str, text: &str, options: &[&str]) -> (String, std::path::PathBuf) {
    let (source, stubs) = (scratch(&format!("{name}.c"), text), scratch(&format!("{name}_stubs.c"), STUBS));
    let binary = source.with_extension("");
    let compiler = Command::new("cc")
        .args(["-Wall", "-fwrapv", "-pthread"])
        .args(options)
        .arg("-o")
        .args([&binary, &source, &stubs])
        .output()
        .expect("there is a C compiler");
    (String::from_utf8(compiler.stderr).unwrap(), binary)
}

fn translated(path: &str, args: &[&str]) -> Option<String> {
    let ran = fencepost_args(&[&["translate", path], args].concat());
    assert!(
        ran.code == 0 || ran.code == 2 && ran.stderr.contains("cannot be translated"),
        "{path}: {}",
        ran.stderr
    );
    (ran.code == 0).then_some(ran.stdout)
}

/// Every construct: the translation's assertions hold when it runs.
#[test]
fn translated_constructs_do_what_the_compiled_program_does() {
    let mut done = 0;
    for (i, (name, text)) in features().into_iter().enumerate().step_by(every(1)) {
        let values = compiled(&name, &text);
        let source = scratch(&format!("{name}_to_translate.c"), &asserting(&text, &values));
        let Some(text) = translated(source.to_str().unwrap(), &["--age", "1"]) else { continue };
        let (warnings, binary) = compile(&format!("{name}_translated"), &text, &[]);
        // Those that compare a thing with itself do so in the translation too.
        let mut own = warnings.lines().filter(|l| l.contains("warning:") && !l.contains("self-comparison"));
        assert_eq!(own.next(), None, "{name}: {warnings}");
        // Sections that are none would let threads begin too early.
        let threads = text.contains("pthread_create(");
        if !threads {
            let ran = Command::new(&binary).output().unwrap();
            assert!(ran.status.success(), "{name}: {}", String::from_utf8_lossy(&ran.stderr));
        }
        if threads || i % 4 == 0 {
            let args = ["--model", "sc", "--engine", "explicit", "-q"];
            let ran = check(&format!("{name}_again.c"), &text, &args);
            // What a number holds that is not followed is chosen late, among more values than the search tries.
            let is_open = name == "floating" && ran.code == 3 && ran.stdout.contains("too many to try");
            assert!(ran.code == 0 || is_open, "{name}: {}{}", ran.stdout, ran.stderr);
        }
        done += 1;
    }
    assert!(done >= 75 / every(1), "{done} translated");
}

/// The C examples: those that allocate are refused; the others compile, and explicit search of what the front end
/// reads back says what the engine says of the original. All unsafe ones are unsafe with age 1.
#[test]
fn translated_examples_have_the_verdicts_of_the_engine() {
    let manifest = std::fs::read_to_string(root().join("examples/verdicts.txt")).unwrap();
    let (mut done, mut refused) = (0, Vec::new());
    for line in manifest.lines().step_by(every(1)) {
        let words: Vec<_> = line.split_whitespace().collect();
        let [file, _, tso, _] = words[..] else { continue };
        // Some have many states, which is nothing new.
        let large = ["fibonacci", "ticketlock", "clhlock"].iter().any(|n| file.starts_with(n));
        if !file.ends_with(".c") || large {
            continue;
        }
        let path = format!("examples/{file}");
        let Some(text) = translated(&path, &["--age", "1"]) else {
            refused.push(file.to_string());
            continue;
        };
        let name = file.trim_end_matches(".c");
        let (warnings, _) = compile(&format!("{name}_age"), &text, &["-O1"]);
        assert_eq!(warnings, "", "{file}");
        let code = if tso == "unsafe" { 1 } else { 0 };
        let ran = check(&format!("{name}_sc.c"), &text, &["--model", "sc", "--engine", "explicit", "-q"]);
        assert_eq!(ran.code, code, "{file}: {}{}", ran.stdout, ran.stderr);
        let ran = fencepost_args(&["check", &path, "--engine", "age", "--age", "1", "-q"]);
        assert_eq!(ran.code, code, "{file}: {}{}", ran.stdout, ran.stderr);
        done += 1;
    }
    assert!(done >= 30 / every(1), "{done} examples");
    let expected =
        |f: &String| ["msqueue", "treiber", "spinlock_any", "mcs_context"].iter().any(|n| f.starts_with(n));
    assert!(refused.iter().all(expected), "{refused:?}");
}

/// The other dialect: read again, with the same verdicts.
#[test]
fn the_dialect_of_cbmc() {
    for (example, code) in [("peterson", 1), ("peterson_fenced", 0), ("trylock", 1), ("leader_fenced", 0)] {
        let text = translated(&format!("examples/{example}.c"), &["--rounds", "2", "--dialect", "cprover"]);
        let text = text.expect("it can be translated");
        assert!(text.contains("__CPROVER_assume") && !text.contains("__VERIFIER"), "{text}");
        let args = ["--model", "sc", "--engine", "explicit", "-q", "--havoc-externs"];
        let ran = check(&format!("{example}_cprover.c"), &text, &args);
        assert_eq!(ran.code, code, "{example}: {}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn names_and_structure_are_kept() {
    let text = translated("examples/trylock.c", &["--age", "2"]).unwrap();
    for kept in
        ["static int try_lock(int me, int tries)", "tries - 1", "static void unlock(int me)", "in_critical"]
    {
        assert!(text.contains(kept), "{kept}: {text}");
    }
}

/// Loops, switches, order and comments are the user's.
#[test]
fn statements_and_comments_are_kept() {
    let text = "\
/* About the file. */
#include <assert.h>
#include <pthread.h>

/* Where it is. */
static int state;
static int count[3]; // how often

/* Goes on. */
static void turn(int how)
{
    /* which way */
    switch (how) {
    case 0:
        count[0]++; // up
        break;
    case 1:
    case 2: {
        int k = 2;
        for (int i = 0; i < k; i++) {
            if (how == i)
                continue;
            count[i] = i;
        }
        break;
    }
    default:
        state = 0;
    }
}

static void *run(void *arg)
{
    int n;
    for (n = 0; n < state; n++)
        turn(n);
    return 0;
}

int main(void)
{
    pthread_t h[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&h[i], 0, run, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(h[i], 0);
    assert(count[0] == 0);
    return 0; /* that is all */
}
";
    let path = scratch("statements_kept.c", text);
    let out = translated(path.to_str().unwrap(), &["--age", "1"]).unwrap();
    let expected = [
        "/* About the file. */\n\n#include",
        "/* Where it is. */\nstatic int state;\n// how often\nstatic int count[3];\n",
        "/* Goes on. */\nstatic void turn(int how)\n{\n",
        "    /* which way */\n    switch (how) {\n    case 0:\n        // up\n        tso_switch();\n",
        "        tso_switch();\n        break;\n    case 1:\n    case 2:;\n        int k = 2;\n",
        "        for (int i = 0; i < k; i++) {\n",
        "                continue;\n",
        "    default:\n        tso_switch();\n        tso_store_state(0);\n    }\n",
        "    for (n = 0;; n++) {\n        tso_switch();\n        tso_0 = tso_load_state();\n",
        "    for (int i = 0; i < 2; i++) {\n        tso_switch();\n        pthread_join(h[i], 0);\n",
        "    /* that is all */\n",
    ];
    for part in expected {
        assert!(out.contains(part), "{part}\nis not in\n{out}");
    }
    assert!(!out.contains("goto") && !out.contains("while (1)"), "{out}");
    let order: Vec<_> =
        ["static void turn(int how)\n{", "static void *run(void *arg)\n{", "int main(void)\n{"]
            .map(|head| out.find(head).expect(head))
            .into();
    assert!(order.is_sorted(), "{out}");
    let (warnings, _) = compile("statements_kept_age", &out, &["-O1"]);
    assert_eq!(warnings, "");
}

/// Statements, variables and rounds, each alone, make the text longer by the same amount each time.
#[test]
fn the_text_is_linear_in_the_program_and_in_the_bound() {
    let program = |statements: usize, variables: usize| {
        let stores = "    x = y; y = x + 1; a[x & 63] = *p;\n".repeat(statements);
        let more: String = (0..variables).map(|i| format!("int v{i:03};\n")).collect();
        let uses: String = (0..variables).map(|i| format!("    v{i:03} = 1;\n")).collect();
        format!(
            "#include <assert.h>\nint x, y, a[64], *p = &x;\n{more}int main(void) {{\n{stores}{uses}    assert(x == y);\n}}\n"
        )
    };
    let length = |statements, variables, k: &str| {
        let path = scratch("linear.c", &program(statements, variables));
        translated(path.to_str().unwrap(), &["--rounds", k]).unwrap().len()
    };
    // The numbers of added variables have more digits.
    let steps = |lengths: [usize; 3]| {
        let (first, second) = (lengths[1] - lengths[0], lengths[2] - lengths[1]);
        assert!(second <= first + first / 10, "{lengths:?}");
    };
    steps([100, 200, 300].map(|n| length(n, 5, "2")));
    steps([20, 40, 60].map(|n| length(5, n, "2")));
    steps(["10", "20", "30"].map(|k| length(20, 5, k)));
}

/// Pointers to shared variables find what is on its way, whatever variable they mean.
#[test]
fn pointers_see_stores_that_are_on_their_way() {
    let text = "\
#include <assert.h>
#include <pthread.h>
static int x, y, a, b;
static struct pair { int first; int second; } pairs[2];
static void put(int *p, int v) { *p = v; }
static int get(int *p) { int own = *p; int *q = &own; return *q; }
static void *one(void *arg) { put(&x, 1); FENCE; a = get(&y); pairs[0].first = get(&x); return 0; }
static void *two(void *arg) { put(&y, 1); FENCE; b = get(&x); put(&pairs[1].second, get(&y)); return 0; }
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, one, 0); pthread_create(&t, 0, two, 0);
    pthread_join(s, 0); pthread_join(t, 0);
    assert(pairs[0].first == 1 && pairs[1].second == 1);
    assert(a || b);
    return 0;
}
";
    let path = scratch("pointers_on_their_way.c", text);
    for (fence, code) in [("", 1), ("__sync_synchronize()", 0)] {
        let fence = format!("-DFENCE={fence}");
        for engine in [["rounds", "--rounds"], ["age", "--age"]] {
            let args = ["check", path.to_str().unwrap(), &fence, "--engine", engine[0], engine[1], "2", "-q"];
            let ran = fencepost_args(&args);
            assert_eq!(ran.code, code, "{args:?}: {}{}", ran.stdout, ran.stderr);
            if code == 1 {
                assert!(ran.stdout.contains(":14"), "the last assertion: {}", ran.stdout);
            }
        }
    }
}
