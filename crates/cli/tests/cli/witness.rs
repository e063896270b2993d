//! `--witness`: the structure that the format demands, places that are in the text, and a target where the run breaks.

use crate::{fencepost, fencepost_args, json, root, scratch};
use fencepost_samples::programs;
use std::collections::BTreeMap;
use std::process::Command;

/// A part of YAML as we write it: maps, lists, and values of one line.
#[derive(Clone, Debug, PartialEq)]
enum Yaml {
    Map(BTreeMap<String, Yaml>),
    List(Vec<Yaml>),
    Value(String),
}

impl Yaml {
    fn get(&self, key: &str) -> &Yaml {
        self.find(key).unwrap_or_else(|| panic!("no {key} in {self:?}"))
    }

    fn find(&self, key: &str) -> Option<&Yaml> {
        let Yaml::Map(map) = self else { panic!("{key} is looked for in no map: {self:?}") };
        map.get(key)
    }

    fn list(&self) -> &[Yaml] {
        let Yaml::List(list) = self else { panic!("no list: {self:?}") };
        list
    }

    fn text(&self) -> &str {
        let Yaml::Value(text) = self else { panic!("no value: {self:?}") };
        text
    }

    fn number(&self, key: &str) -> u32 {
        self.get(key).text().parse().unwrap()
    }
}

/// A quoted string, or a bare word.
fn scalar(text: &str) -> String {
    if text.starts_with('"') { serde_json::from_str(text).unwrap() } else { text.to_string() }
}

/// Reads the lines that are indented by at least as much as the first; gives how many these are.
fn yaml(lines: &[(usize, &str)]) -> (Yaml, usize) {
    let (indent, first) = lines[0];
    let mut at = 0;
    if first.starts_with("- ") {
        let mut list = Vec::new();
        while at < lines.len() && lines[at].0 == indent {
            let rest = lines[at].1.strip_prefix("- ").expect("a list goes on");
            if !rest.contains(':') || rest.starts_with('"') {
                list.push(Yaml::Value(scalar(rest)));
                at += 1;
                continue;
            }
            let mut inner = vec![(indent + 2, rest)];
            inner.extend(lines[at + 1..].iter().take_while(|(i, _)| *i > indent));
            let (value, read) = yaml(&inner);
            assert_eq!(read, inner.len());
            list.push(value);
            at += read;
        }
        return (Yaml::List(list), at);
    }
    let mut map = BTreeMap::new();
    while at < lines.len() && lines[at].0 == indent {
        let line = lines[at].1;
        let (key, value) = match line.strip_suffix(':') {
            Some(key) => (key, ""),
            None => line.split_once(": ").unwrap_or_else(|| panic!("a key: {line}")),
        };
        at += 1;
        let value = match value {
            "" => {
                let (value, read) = yaml(&lines[at..]);
                at += read;
                value
            }
            value => Yaml::Value(scalar(value)),
        };
        assert!(map.insert(scalar(key), value).is_none(), "{key} is there once");
    }
    (Yaml::Map(map), at)
}

fn keys(yaml: &Yaml) -> Vec<&str> {
    let Yaml::Map(map) = yaml else { panic!("no map") };
    map.keys().map(String::as_str).collect()
}

/// Reads a witness, and checks its structure; gives the segments, each a list of waypoints.
fn read(witness: &str, file: &str, text: &str, specification: &str) -> Vec<Vec<Yaml>> {
    let lines: Vec<_> = witness.lines().map(|l| (l.len() - l.trim_start().len(), l.trim_start())).collect();
    let (entries, read) = yaml(&lines);
    assert_eq!(read, lines.len());
    let [entry] = entries.list() else { panic!("one entry") };
    assert_eq!(keys(entry), ["content", "entry_type", "metadata"]);
    assert_eq!(entry.get("entry_type").text(), "violation_sequence");
    let metadata = entry.get("metadata");
    assert_eq!(keys(metadata), ["creation_time", "format_version", "producer", "task", "uuid"]);
    assert_eq!(metadata.get("format_version").text(), "2.2");
    let uuid: Vec<usize> = metadata.get("uuid").text().split('-').map(str::len).collect();
    assert_eq!(uuid, [8, 4, 4, 4, 12]);
    assert_eq!(metadata.get("producer").get("name").text(), "Fencepost");
    let task = metadata.get("task");
    let all = ["data_model", "input_file_hashes", "input_files", "language", "specification"];
    assert_eq!(keys(task), all);
    assert_eq!(task.get("input_files").list()[0].text(), file);
    assert_eq!(
        task.get("input_file_hashes").get(file).text(),
        fencepost_report::digest::sha256(text.as_bytes())
    );
    assert_eq!(task.get("specification").text(), specification);
    assert_eq!(task.get("language").text(), "C");
    assert!(["LP64", "ILP32"].contains(&task.get("data_model").text()));
    let mut segments = Vec::new();
    let mut threads = 1;
    for segment in entry.get("content").list() {
        let waypoints: Vec<Yaml> =
            segment.get("segment").list().iter().map(|w| w.get("waypoint").clone()).collect();
        for waypoint in &waypoints {
            assert_eq!(waypoint.get("action").text(), "follow");
            assert!(waypoint.number("thread_id") < threads, "a thread is named when it has been started");
            let location = waypoint.get("location");
            assert_eq!(location.get("file_name").text(), file);
            let (line, column) = (location.number("line"), location.number("column"));
            let rest = text.lines().nth(line as usize - 1).expect("a line of the file");
            let rest = &rest[rest.char_indices().nth(column as usize - 1).expect("a column of the line").0..];
            assert!(text.contains(location.get("function").text()));
            match waypoint.get("type").text() {
                "function_enter" => {
                    assert!(rest.starts_with(')'), "{rest}");
                    threads += 1;
                }
                "function_return" => {
                    assert!(rest.starts_with(')'), "{rest}");
                    let constraint = waypoint.get("constraint");
                    assert_eq!(constraint.get("format").text(), "acsl_expression");
                    assert!(constraint.get("value").text().starts_with("\\result == "));
                }
                "assumption" => {
                    assert_eq!(waypoint.get("constraint").get("format").text(), "c_expression");
                    assert!(!rest.starts_with([' ', ';', '}', ')']), "{rest}");
                }
                "target" => assert!(waypoint.find("constraint").is_none()),
                other => panic!("unknown type {other}"),
            }
        }
        segments.push(waypoints);
    }
    let is_target = |segment: &Vec<Yaml>| segment.iter().any(|w| w.get("type").text() == "target");
    assert_eq!(segments.iter().filter(|s| is_target(s)).count(), 1);
    assert!(is_target(segments.last().unwrap()), "the last segment is the target");
    segments
}

/// Type, thread, line and condition of each waypoint.
fn told(segments: &[Vec<Yaml>]) -> Vec<(String, u32, u32, String)> {
    let all = segments.iter().flatten();
    all.map(|w| {
        let value = w.find("constraint").map_or(String::new(), |c| c.get("value").text().to_string());
        (w.get("type").text().to_string(), w.number("thread_id"), w.get("location").number("line"), value)
    })
    .collect()
}

/// The witness of a text.
fn witness(name: &str, text: &str, specification: &str, args: &[&str]) -> Vec<Vec<Yaml>> {
    let path = scratch(&format!("witness/{name}"), text);
    let file = path.to_str().unwrap();
    let target = format!("{file}.yml");
    let ran = fencepost_args(&[&["check", "--model", "sc", "-q", "--witness", &target, file], args].concat());
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    read(&std::fs::read_to_string(target).unwrap(), file, text, specification)
}

const PROGRAM: &str = "extern int __VERIFIER_nondet_int(void);
extern void abort(void);
#include <assert.h>
#include <pthread.h>
void reach_error() { assert(0); }
void __VERIFIER_assert(int cond) { if (!(cond)) { ERROR: { reach_error(); abort(); } } }
int x, y;
int twice(int v)
{
    y = v;
    return v + v;
}
void *writer(void *arg)
{
    x = __VERIFIER_nondet_int();
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    int r = twice(x);
    __VERIFIER_assert(r != 14);
    pthread_join(t, 0);
    return 0;
}
";

#[test]
fn waypoints_follow_the_run() {
    let segments = witness("program.c", PROGRAM, "G ! call(reach_error())", &[]);
    // Twice 7 is 14, and so is twice the number that wraps to it.
    let written = told(&segments).iter().find_map(|t| t.3.strip_prefix("x == ")?.parse::<i32>().ok());
    let written = written.filter(|x| x.wrapping_mul(2) == 14).expect("somebody reads what was written");
    let (result, read) = (format!("\\result == {written}"), format!("x == {written}"));
    let expected = [
        ("function_enter", 0, 21, ""),
        ("assumption", 1, 15, "1"),
        ("function_return", 1, 15, result.as_str()),
        ("assumption", 0, 22, read.as_str()),
        ("assumption", 0, 10, "1"),
        ("target", 0, 6, ""),
    ];
    let expected = expected.map(|(t, n, l, c)| (t.to_string(), n, l, c.to_string()));
    assert_eq!(told(&segments), expected);
    let target = segments.last().unwrap()[0].get("location");
    assert_eq!((target.number("column"), target.get("function").text()), (60, "__VERIFIER_assert"));
}

/// A preprocessed file speaks of its own lines, whatever its line markers say.
#[test]
fn preprocessed_files_have_their_own_lines() {
    let source = scratch("witness/source.c", PROGRAM);
    if !programs::has("cc") {
        return;
    }
    let made = Command::new("cc").arg("-E").arg(&source).output();
    let text = String::from_utf8(made.unwrap().stdout).unwrap();
    let segments = witness("made.i", &text, "G ! call(reach_error())", &[]);
    let line = segments.last().unwrap()[0].get("location").number("line") as usize;
    assert!(text.lines().nth(line - 1).unwrap().contains("reach_error(); abort();"));
}

/// The target is where the violation is said to be, for every kind that SV-COMP has.
#[test]
fn targets_are_where_it_breaks() {
    let program = |body: &str| {
        format!(
            "#include <pthread.h>\n#include <stdlib.h>\n#include <assert.h>\nint a[2], x, *p;\n\
             void *other(void *arg)\n{{\n    x = 1;\n    return 0;\n}}\nint main(void)\n{{\n    pthread_t t;\n    \
             pthread_create(&t, 0, other, 0);\n    {body};\n    pthread_join(t, 0);\n    return 0;\n}}\n"
        )
    };
    let cases: [(&str, &str, &str, &[&str]); 6] = [
        ("assert", "assert(x == 0)", "G ! call(reach_error())", &[]),
        ("deref", "*p = x", "G valid-deref", &[]),
        ("bounds", "a[x + 1] = 0", "G valid-deref", &[]),
        ("after", "p = malloc(4); free(p); *p = 1", "G valid-deref", &[]),
        ("free", "p = malloc(4); free(p); free(p)", "G valid-free", &[]),
        ("race", "x = 2", "G ! data-race", &["--races"]),
    ];
    for (name, body, specification, args) in cases {
        let segments = witness(&format!("{name}.c"), &program(body), specification, args);
        let targets: Vec<_> = segments
            .last()
            .unwrap()
            .iter()
            .map(|w| (w.number("thread_id"), w.get("location").number("line")))
            .collect();
        match name {
            "race" => assert_eq!(targets, [(0, 14), (1, 7)]),
            _ => assert_eq!(targets, [(0, 14)], "{name}"),
        }
    }
}

/// Every value that an assumption claims is one that the run has.
#[test]
fn assumptions_are_of_the_run() {
    let text = std::fs::read_to_string(root().join("examples/work_queue_broken.c")).unwrap();
    let segments = witness("queue.c", &text, "G valid-deref", &[]);
    let path = scratch("witness/queue.c", &text);
    let ran = fencepost_args(&["check", "--model", "sc", "--format", "json", path.to_str().unwrap()]);
    let trace = json(&ran.stdout)["trace"].clone();
    let mut values: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for event in trace.as_array().unwrap() {
        if let (Some(loc), Some(value)) = (event["loc"].as_str(), event["value"].as_i64()) {
            values.entry(loc.to_string()).or_default().push(value);
        }
    }
    let mut claims = 0;
    for (kind, _, _, value) in told(&segments) {
        for claim in value.split(" && ").filter(|_| kind == "assumption").filter(|c| *c != "1") {
            let (name, value) = claim.split_once(" == ").unwrap();
            let known = values.get(name).unwrap_or_else(|| panic!("{name} is a variable of the run"));
            assert!(value == "0" || known.contains(&value.parse().unwrap()), "{claim}");
            claims += 1;
        }
    }
    assert!(claims > 0);
}

#[test]
fn witnesses_are_of_c_under_sc() {
    let target = scratch("witness/none.yml", "");
    std::fs::remove_file(&target).unwrap();
    let target = target.to_str().unwrap();
    for command in [
        "check examples/peterson.c --witness",
        "check --model sc --model tso examples/peterson.c --witness",
        "check --model sc examples/sb.fp --witness",
        "check --model sc --link examples/peterson.c --witness",
        "check --model sc - --witness",
    ] {
        let ran = fencepost(&format!("{command} {target}"));
        assert_eq!(ran.code, 2, "{command}");
        assert!(ran.stderr.contains("--witness"), "{command}: {}", ran.stderr);
    }
    let ran = fencepost(&format!("check --model sc examples/peterson.c --witness {target}"));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, "no witness: the verdict is safe\n"));
    let deadlock = scratch(
        "witness/deadlock.c",
        "#include <pthread.h>\npthread_mutex_t m;\nint main(void) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); return 0; }\n",
    );
    let args = ["check", "--model", "sc", "--deadlock", deadlock.to_str().unwrap(), "--witness", target];
    let ran = fencepost_args(&args);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("SV-COMP has no property for this: deadlock"), "{}", ran.stderr);
    assert!(!std::path::Path::new(target).exists(), "nothing is written");
}
