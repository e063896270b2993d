//! `--format sarif`: the log follows the standard, its places and fixes are right, its fingerprints stay.

use crate::{check, fencepost, fencepost_args, json, root, sarif_standard, scratch};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The run in a log that was printed.
fn run_of(stdout: &str) -> Value {
    sarif_standard::check(&json(stdout)).clone()
}

fn results(run: &Value) -> &Vec<Value> {
    run["results"].as_array().unwrap()
}

/// The line that a result is at.
fn line(result: &Value) -> u64 {
    result["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64().unwrap()
}

fn fingerprint(result: &Value) -> &str {
    result["partialFingerprints"]["fencepostLine/v1"].as_str().unwrap()
}

/// A text with the changes of a fix; columns count characters.
fn applied(text: &str, fix: &Value) -> String {
    let mut text = text.to_string();
    let [change] = &fix["artifactChanges"].as_array().unwrap()[..] else { panic!("one file: {fix}") };
    for replacement in change["replacements"].as_array().unwrap().iter().rev() {
        let region = &replacement["deletedRegion"];
        let offset = |line: &Value, column: &Value| {
            let (line, column) = (line.as_u64().unwrap() as usize, column.as_u64().unwrap() as usize);
            let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
            let rest = &text[start..];
            start + rest.char_indices().nth(column - 1).map_or(rest.len(), |(i, _)| i)
        };
        let from = offset(&region["startLine"], &region["startColumn"]);
        let to = offset(&region["endLine"], &region["endColumn"]);
        text.replace_range(from..to, replacement["insertedContent"]["text"].as_str().unwrap());
    }
    text
}

#[test]
fn one_log_for_files_and_models() {
    let ran =
        fencepost("check --format sarif --model sc --model tso examples/peterson.c examples/sb_fenced.fp");
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let run = run_of(&ran.stdout);
    let kinds: Vec<_> =
        results(&run).iter().map(|r| (r["ruleId"].as_str().unwrap(), r["kind"].as_str().unwrap())).collect();
    assert_eq!(kinds, [("safety", "pass"), ("assertion", "fail"), ("safety", "pass"), ("safety", "pass")]);
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    assert_eq!(run["invocations"][0]["exitCode"], 1);
    let unsafe_one = &results(&run)[1];
    assert_eq!(line(unsafe_one), 31);
    let place = &unsafe_one["locations"][0];
    assert_eq!(place["physicalLocation"]["artifactLocation"]["uri"], "examples/peterson.c");
    assert_eq!(place["logicalLocations"][0]["name"], "critical_section");
    let related: Vec<_> = unsafe_one["relatedLocations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|l| l["physicalLocation"]["region"]["startLine"].as_u64().unwrap())
        .collect();
    assert_eq!(related, [16, 17], "the store and the load that overtakes it");
}

/// A thread flow for each thread, all steps of the JSON trace that are shown, and what the buffers hold.
#[test]
fn code_flows_are_the_run() {
    let run = run_of(&fencepost("check --format sarif examples/sb.fp").stdout);
    let flow = &results(&run)[0]["codeFlows"][0];
    let threads = flow["threadFlows"].as_array().unwrap();
    assert_eq!(threads.iter().map(|t| t["id"].as_str().unwrap()).collect::<Vec<_>>(), ["t1", "t2"]);
    let mut steps: Vec<&Value> = threads.iter().flat_map(|t| t["locations"].as_array().unwrap()).collect();
    steps.sort_by_key(|s| s["executionOrder"].as_u64());
    let first = steps[0];
    assert_eq!(first["state"]["store buffer"]["text"], "x=1", "{first}");
    assert_eq!(first["state"]["x"]["text"], "0", "not in memory yet");
    let said = first["location"]["message"]["text"].as_str().unwrap();
    assert_eq!(said, "t1: store x = 1, which waits in the store buffer; overtaken by step 2");
    let trace = json(&fencepost("check --format json examples/sb.fp").stdout);
    for step in steps {
        let number = step["executionOrder"].as_u64().unwrap() as usize;
        let event = &trace["trace"][number - 1];
        if let Some(line) = event["line"].as_u64() {
            assert_eq!(step["location"]["physicalLocation"]["region"]["startLine"], line);
        }
        assert!(
            step["location"]["message"]["text"]
                .as_str()
                .unwrap()
                .starts_with(event["thread"].as_str().unwrap())
        );
    }
}

const SB_C: &str = "#include <pthread.h>
#include <assert.h>
int x, y, r1, r2;
static void *one(void *arg) { /* ä𝕏 */ x = 1; r1 = y; return 0; }
static void *two(void *arg)
{
    y = 1;
    r2 = x;
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(r1 == 1 || r2 == 1);
    return 0;
}
";

const SB_LITMUS: &str = "X86_64 SB\n{ uint64_t x; uint64_t y; uint64_t 0:rax; uint64_t 1:rax; }\n P0          | P1          ;\n movq $1,(x) | movq $1,(y) ;\n movq (y),%rax | movq (x),%rax ;\nexists (0:rax=0 /\\ 1:rax=0)\n";

/// The fixes of a log, applied to its file, make a program that is safe.
#[test]
fn fixes_repair_the_program() {
    let sb_fp = std::fs::read_to_string(root().join("examples/sb.fp")).unwrap();
    let texts = [
        ("sarif/sb ä.c", SB_C.to_string(), 2),
        ("sarif/crlf.c", SB_C.replace('\n', "\r\n"), 2),
        ("sarif/sb.fp", sb_fp, 2),
        ("sarif/SB.litmus", SB_LITMUS.to_string(), 2),
    ];
    for (name, text, fences) in texts {
        let ran = check(name, &text, &["--format", "sarif"]);
        assert_eq!(ran.code, 1, "{name}: {}", ran.stderr);
        let run = run_of(&ran.stdout);
        let [result] = &results(&run)[..] else { panic!("{name}: one result") };
        let [fix] = &result["fixes"].as_array().unwrap_or_else(|| panic!("{name}: {}", ran.stdout))[..]
        else {
            panic!("{name}: one fix")
        };
        let repaired = applied(&text, fix);
        let added =
            ["fence", "MFENCE"].map(|word| repaired.matches(word).count() - text.matches(word).count());
        assert!(added.contains(&fences), "{name}:\n{repaired}");
        let again = check(&format!("{name}.{}", name.rsplit('.').next().unwrap()), &repaired, &["-q"]);
        assert_eq!(again.code, 0, "{name}: {}\n{repaired}", again.stdout);
    }
}

/// Under SC nothing can be fenced, and what is proved needs no fix.
#[test]
fn no_fix_where_fences_do_not_help() {
    let broken = "shared int x;\nthread t { x = 1; }\nthread u { int r = x; assert(r == 0); }\n";
    let ran = check("sarif/plain.fp", broken, &["--format", "sarif", "--model", "sc", "--model", "tso"]);
    let run = run_of(&ran.stdout);
    assert_eq!(results(&run).len(), 2);
    assert!(results(&run).iter().all(|r| r["kind"] == "fail" && r.get("fixes").is_none()));
    let texts: Vec<_> = results(&run).iter().map(|r| r["message"]["text"].as_str().unwrap()).collect();
    assert!(texts[1].contains("still unsafe"), "{texts:?}");
}

#[test]
fn fingerprints_stay_when_lines_move_and_differ_otherwise() {
    let of = |text: &str, args: &[&str]| {
        let ran = check("sarif/moved.c", text, &[&["--format", "sarif"], args].concat());
        let run = run_of(&ran.stdout);
        let all: Vec<_> = results(&run).iter().map(|r| (fingerprint(r).to_string(), line(r))).collect();
        all
    };
    let before = of(SB_C, &[]);
    let above = SB_C.replace("int x, y", "/* a line\n   and more */\nint unrelated = 3;\nint x, y");
    let below = above.replace("    assert(", "\t\tassert(");
    let after = of(&below, &[]);
    assert_eq!(before[0].0, after[0].0);
    assert_eq!(before[0].1 + 3, after[0].1, "it moved");
    let pso = of(SB_C, &["--model", "pso"]);
    let other = of(&SB_C.replace("r1 == 1 || r2 == 1", "r2 == 1 || r1 == 1"), &[]);
    for different in [pso, other] {
        assert_ne!(before[0].0, different[0].0);
    }
}

#[test]
fn inputs_that_cannot_be_read_are_notifications() {
    let broken = scratch("sarif/broken.fp", "shared int x;\nthread t { x = ; }\n");
    let empty = scratch("sarif/empty.fp", "shared int x;\nthread t { x = 1; }\n");
    let args =
        ["check", "--format", "sarif", "nowhere.fp", broken.to_str().unwrap(), empty.to_str().unwrap()];
    let ran = fencepost_args(&[&args[..], &["examples/sb.fp"]].concat());
    assert_eq!(ran.code, 2);
    let run = run_of(&ran.stdout);
    assert_eq!(results(&run).len(), 1, "the batch goes on");
    let invocation = &run["invocations"][0];
    assert_eq!((&invocation["executionSuccessful"], &invocation["exitCode"]), (&false.into(), &2.into()));
    let notes = invocation["toolExecutionNotifications"].as_array().unwrap();
    assert_eq!(notes.len(), 3);
    let at = |i: usize| &notes[i]["locations"][0]["physicalLocation"];
    assert_eq!(at(0)["artifactLocation"]["uri"], "nowhere.fp");
    assert_eq!(at(1)["region"]["startLine"], 2);
    assert!(notes[2]["message"]["text"].as_str().unwrap().contains("nothing to check"));
}

#[test]
fn what_is_not_known_is_open() {
    let endless = "shared u32 x, y; thread t { u32 r; while (true) { r = r + 1; x = r; r = y; } }
        thread u { u32 r; while (true) { r = r + 1; y = r; r = x; } } thread v { assert(x != 4000000000); }";
    let ran = check("sarif/endless.fp", endless, &["--format", "sarif", "--timeout", "0.2"]);
    assert_eq!(ran.code, 3);
    let run = run_of(&ran.stdout);
    let [result] = &results(&run)[..] else { panic!("one result") };
    assert_eq!((&result["kind"], &result["level"]), (&"open".into(), &"none".into()));
    assert!(result["message"]["text"].as_str().unwrap().contains("time limit"));
    let ran = check("sarif/endless.fp", endless, &["--format", "sarif", "--timeout", "0.2", "-q"]);
    assert_eq!(results(&run_of(&ran.stdout)).len(), 0, "--quiet leaves out what is not wrong");
}

/// Two C files that are one program: places are in the file that has them.
#[test]
fn linked_files_have_their_own_places() {
    let lock = "#include <stdatomic.h>\n#include <assert.h>\natomic_int flag[2];\nint inside;\nvoid enter(int me)\n{\n    atomic_store_explicit(&flag[me], 1, memory_order_relaxed);\n    if (atomic_load_explicit(&flag[1 - me], memory_order_relaxed)) return;\n    inside++;\n    assert(inside == 1);\n    inside--;\n}\n";
    let main = "#include <pthread.h>\nvoid enter(int me);\nstatic void *run(void *arg) { enter(1); return 0; }\nint main(void) { pthread_t t; pthread_create(&t, 0, run, 0); enter(0); pthread_join(t, 0); return 0; }\n";
    let (main, lock) = (scratch("sarif/main.c", main), scratch("sarif/lock.c", lock));
    let files = [main.to_str().unwrap(), lock.to_str().unwrap()];
    let ran = fencepost_args(&[&["check", "--format", "sarif", "--link"], &files[..]].concat());
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let run = run_of(&ran.stdout);
    let [result] = &results(&run)[..] else { panic!("one result") };
    let place = &result["locations"][0]["physicalLocation"];
    assert!(place["artifactLocation"]["uri"].as_str().unwrap().ends_with("/sarif/lock.c"), "{place}");
    assert_eq!(place["region"]["startLine"], 10);
    assert_eq!(run["artifacts"].as_array().unwrap().len(), 2);
}

/// Each kind of error has its rule.
#[test]
fn rules_by_what_is_wrong() {
    let threads = |body: &str| {
        format!(
            "#include <pthread.h>\n#include <stdlib.h>\n#include <assert.h>\nint a[2], x, *p; pthread_mutex_t m, n;\n\
             void *other(void *arg) {{ x = 1; return 0; }}\n\
             int main(void) {{ pthread_t t; pthread_create(&t, 0, other, 0); {body}; pthread_join(t, 0); return 0; }}\n"
        )
    };
    let cases: [(&str, &str, &[&str]); 12] = [
        ("assertion", "assert(x == 0)", &[]),
        ("pointer", "*p = 1", &[]),
        ("bounds", "a[x + 1] = 0", &[]),
        ("use-after-free", "p = malloc(4); *p = 0; free(p); *p = 1", &[]),
        ("free", "p = malloc(4); free(p); free(p)", &[]),
        ("division", "a[0] = 1 / x", &[]),
        ("shift", "a[0] = 1 << (x + 31)", &[]),
        ("join", "pthread_join(t, 0)", &[]),
        ("unlock", "pthread_mutex_unlock(&m)", &[]),
        ("race", "x = 2", &["--races"]),
        ("deadlock", "pthread_mutex_lock(&m); pthread_mutex_lock(&m)", &["--deadlock"]),
        ("leak", "p = malloc(4); p = 0", &["--leaks"]),
    ];
    for (rule, body, args) in cases {
        let ran = check(
            &format!("sarif/{rule}.c"),
            &threads(body),
            &[&["--format", "sarif", "--model", "sc"], args].concat(),
        );
        let run = run_of(&ran.stdout);
        let found: Vec<_> = results(&run).iter().map(|r| r["ruleId"].as_str().unwrap()).collect();
        assert_eq!(found, [rule], "{}", ran.stderr);
        assert!(results(&run)[0]["codeFlows"][0]["threadFlows"].is_array(), "{rule}");
    }
}

#[test]
fn robustness_and_fences() {
    let ran = fencepost("robust --format sarif examples/sb.fp examples/sb_fenced.fp");
    let run = run_of(&ran.stdout);
    let kinds: Vec<_> =
        results(&run).iter().map(|r| (r["ruleId"].as_str().unwrap(), r["level"].as_str().unwrap())).collect();
    assert_eq!(kinds, [("not-robust", "warning"), ("not-robust", "warning"), ("not-robust", "none")]);
    assert_ne!(fingerprint(&results(&run)[0]), fingerprint(&results(&run)[1]));
    let text = std::fs::read_to_string(root().join("examples/dekker.c")).unwrap();
    let ran = fencepost("fences --format sarif examples/dekker.c");
    assert_eq!(ran.code, 0);
    let run = run_of(&ran.stdout);
    let [result] = &results(&run)[..] else { panic!("one result") };
    assert_eq!(result["ruleId"], "missing-fence");
    let repaired = applied(&text, &result["fixes"][0]);
    assert_eq!(check("sarif/dekker.c", &repaired, &["-q"]).code, 0, "{repaired}");
    let ran = fencepost("fences --format sarif examples/dekker_fenced.c");
    assert_eq!(results(&run_of(&ran.stdout))[0]["kind"], "pass");
}

/// The check of the standard finds what is wrong with a log.
#[test]
fn broken_logs_are_found_out() {
    let log = json(&fencepost("check --format sarif examples/sb.fp").stdout);
    let broken: [(&str, Value); 8] = [
        ("/version", "2.0.0".into()),
        ("/runs/0/results/0/ruleIndex", 2.into()),
        ("/runs/0/results/0/level", "fatal".into()),
        ("/runs/0/results/0/kind", "pass".into()),
        ("/runs/0/results/0/locations/0/physicalLocation/region/startLine", 0.into()),
        ("/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri", "a b.fp".into()),
        ("/runs/0/results/0/codeFlows/0/threadFlows/0/locations", Value::Array(Vec::new())),
        ("/runs/0/results/0/message", "text".into()),
    ];
    for (pointer, value) in broken {
        let mut log = log.clone();
        *log.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value;
        let accepted = std::panic::catch_unwind(|| sarif_standard::check(&log).clone()).is_ok();
        assert!(!accepted, "{pointer}");
    }
}

/// Ends a run after a while; gives what it printed.
pub fn interrupted(args: &[&str]) -> (i32, String) {
    let child = Command::new(env!("CARGO_BIN_EXE_fencepost"))
        .args(args)
        .current_dir(root())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

/// A program that no engine is done with.
pub fn endless(name: &str) -> std::path::PathBuf {
    let text = "shared u32 x, y; thread t { u32 r; while (true) { r = r + 1; x = r; r = y; } }
        thread u { u32 r; while (true) { r = r + 1; y = r; r = x; } } thread v { assert(x != 4000000000); }";
    scratch(name, text)
}

/// After Ctrl-C the log is whole, with what is known, and says that it is not everything.
#[test]
fn ctrl_c_leaves_a_whole_log() {
    let endless = endless("sarif/interrupted.fp");
    let files = ["examples/sb.fp", endless.to_str().unwrap(), "examples/mp.fp"];
    let (code, stdout) = interrupted(&[&["check", "--format", "sarif"], &files[..]].concat());
    assert_eq!(code, 1, "one file is unsafe");
    let run = run_of(&stdout);
    let kinds: Vec<_> = results(&run).iter().map(|r| r["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["fail", "open"]);
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert_eq!(invocation["toolExecutionNotifications"][0]["descriptor"]["id"], "interrupted");
}

/// A format that a command does not have is refused, and named.
#[test]
fn formats_that_make_no_sense_are_refused() {
    let wrong = [
        "litmus --format sarif x.litmus",
        "fences --format junit examples/sb.fp",
        "bench --format sarif",
        "bench --format junit",
        "fences --audit --format sarif examples/sb.fp",
        "litmus --compare sc,tso --format junit x.litmus",
        "litmus --generate PodWR --format junit",
        "check --print tree --format sarif examples/sb.fp",
        "check --print tree --format junit examples/sb.fp",
    ];
    for command in wrong {
        let ran = fencepost(command);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{command}");
        assert!(
            ran.stderr.starts_with("error: ") && ran.stderr.contains("format"),
            "{command}: {}",
            ran.stderr
        );
    }
    assert!(Path::new(&root().join("examples/sb.fp")).exists());
}
