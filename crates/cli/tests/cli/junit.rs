//! `--format junit`: well-formed XML whose numbers fit, with every verdict in it.

use crate::sarif::{endless, interrupted};
use crate::{check, fencepost, fencepost_args, scratch};
use std::collections::BTreeMap;

/// An element of a report.
struct Element {
    name: String,
    attributes: BTreeMap<String, String>,
    children: Vec<Element>,
    text: String,
}

impl Element {
    fn number(&self, key: &str) -> usize {
        self.attributes[key].parse().unwrap()
    }

    fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Element> {
        self.children.iter().filter(move |c| c.name == name)
    }
}

/// Text with its escapes taken out.
fn unescaped(text: &str) -> String {
    assert!(!text.contains(['<', '>']), "{text}");
    assert!(text.chars().all(|c| c >= ' ' || "\n\t".contains(c)), "{text:?}");
    let mut out = String::new();
    let mut parts = text.split('&');
    out += parts.next().unwrap();
    for part in parts {
        let (escape, rest) = part.split_once(';').unwrap_or_else(|| panic!("an escape ends: {part}"));
        out += match escape {
            "amp" => "&",
            "lt" => "<",
            "gt" => ">",
            "quot" => "\"",
            "#10" => "\n",
            "#13" => "\r",
            "#9" => "\t",
            escape => panic!("unknown escape {escape}"),
        };
        out += rest;
    }
    out
}

/// Reads an element from the beginning of a text; gives the rest.
fn element(text: &str) -> (Element, &str) {
    let (head, mut rest) = text.strip_prefix('<').expect("a tag").split_once('>').expect("a tag ends");
    let (head, empty) = head.strip_suffix('/').map_or((head, false), |h| (h, true));
    let (name, mut attributes_text) = head.split_once(' ').unwrap_or((head, ""));
    let mut attributes = BTreeMap::new();
    while !attributes_text.trim().is_empty() {
        let (key, after) = attributes_text.trim_start().split_once("=\"").expect("an attribute");
        let (value, after) = after.split_once('"').expect("a value ends");
        assert!(attributes.insert(key.to_string(), unescaped(value)).is_none(), "{key} is there once");
        attributes_text = after;
    }
    let mut this = Element { name: name.to_string(), attributes, children: Vec::new(), text: String::new() };
    if empty {
        return (this, rest);
    }
    loop {
        let (text, after) = rest.split_at(rest.find('<').expect("an end tag"));
        this.text += &unescaped(text);
        if let Some(after) = after.strip_prefix("</") {
            let (end, after) = after.split_once('>').unwrap();
            assert_eq!(end, this.name);
            return (this, after);
        }
        let (child, after) = element(after);
        this.children.push(child);
        rest = after;
    }
}

/// Reads a report, and checks that its numbers fit.
fn report(text: &str) -> Element {
    let text = text.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").expect("a declaration");
    let (suites, rest) = element(text);
    assert_eq!((suites.name.as_str(), rest), ("testsuites", "\n"));
    for suite in suites.all("testsuite") {
        let cases: Vec<&Element> = suite.all("testcase").collect();
        assert_eq!(suite.number("tests"), cases.len());
        for (key, child) in [("failures", "failure"), ("errors", "error"), ("skipped", "skipped")] {
            assert_eq!(suite.number(key), cases.iter().filter(|c| c.all(child).count() > 0).count());
        }
        for case in cases {
            assert!(case.attributes["time"].parse::<f64>().unwrap() >= 0.0);
            assert!(!case.attributes["name"].is_empty() && !case.attributes["classname"].is_empty());
        }
    }
    for key in ["tests", "failures", "errors", "skipped"] {
        assert_eq!(suites.number(key), suites.all("testsuite").map(|s| s.number(key)).sum::<usize>());
    }
    suites
}

/// Each case: its name, and what it ended in.
fn cases(suites: &Element) -> Vec<(String, String)> {
    let all = suites.all("testsuite").flat_map(|s| s.all("testcase"));
    let ended = |case: &Element| {
        let end = case.children.iter().find(|c| c.name != "system-out");
        (case.attributes["name"].clone(), end.map_or("passed", |c| c.name.as_str()).to_string())
    };
    all.map(ended).collect()
}

fn ends(suites: &Element) -> Vec<String> {
    cases(suites).into_iter().map(|(_, end)| end).collect()
}

#[test]
fn verdicts_of_check() {
    let broken = scratch("junit/a<b&\"c\".fp", "shared int x;\nthread t { x = ; }\n");
    let args = ["check", "--format", "junit", "--model", "sc", "--model", "tso", "examples/sb.fp"];
    let ran = fencepost_args(&[&args[..], &[broken.to_str().unwrap(), "examples/sb_fenced.fp"]].concat());
    assert_eq!(ran.code, 2);
    let suites = report(&ran.stdout);
    assert_eq!(ends(&suites), ["passed", "failure", "error", "passed", "passed"]);
    let [first, second, _] = &suites.children[..] else { panic!("a suite for each file") };
    assert_eq!(first.attributes["name"], "examples/sb.fp");
    assert_eq!(second.attributes["name"], broken.to_str().unwrap());
    let failure = &first.children[1].children[0];
    assert_eq!(failure.attributes["message"], "final condition at examples/sb.fp:17");
    assert!(failure.text.contains("overtakes 1") && failure.text.contains("t1.r == 0 && t2.r == 0"));
    let error = &second.children[0].children[0];
    assert!(error.text.contains("x = ;"), "{}", error.text);
}

#[test]
fn unknown_is_an_error_unless_it_is_allowed() {
    let path = endless("junit/endless.fp");
    let args = ["check", "--format", "junit", "--timeout", "0.2", path.to_str().unwrap()];
    let ran = fencepost_args(&args);
    assert_eq!((ran.code, ends(&report(&ran.stdout))), (3, vec!["error".to_string()]));
    let ran = fencepost_args(&[&args[..], &["--allow-unknown"]].concat());
    assert_eq!((ran.code, ends(&report(&ran.stdout))), (0, vec!["skipped".to_string()]));
}

#[test]
fn verdicts_of_robust() {
    let ran = fencepost("robust --format junit examples/sb.fp examples/sb_fenced.fp");
    assert_eq!(
        (ran.code, ends(&report(&ran.stdout))),
        (1, vec!["failure".to_string(), "passed".to_string()])
    );
}

const SB: &str = "X86_64 SB\n{ uint64_t x; uint64_t y; uint64_t 0:rax; uint64_t 1:rax; }\n P0          | P1          ;\n movq $1,(x) | movq $1,(y) ;\n movq (y),%rax | movq (x),%rax ;\nexists (0:rax=0 /\\ 1:rax=0)\n";

#[test]
fn litmus_fails_where_it_differs_from_what_is_recorded() {
    let test = scratch("junit/SB.litmus", SB);
    let path = test.to_str().unwrap();
    let recorded = fencepost_args(&["litmus", "--format", "json", "--model", "sc", "--model", "tso", path]);
    let lines: String =
        recorded.stdout.lines().map(|l| format!("{}\n", l.replace(path, "SB.litmus"))).collect();
    let wrong = lines.replacen("Never", "Always", 1);
    for (name, text, expected, code) in
        [("right", &lines, ["passed", "passed"], 0), ("wrong", &wrong, ["failure", "passed"], 1)]
    {
        let file = scratch(&format!("junit/{name}.jsonl"), text);
        let args = ["litmus", "--format", "junit", "--model", "sc", "--model", "tso", "--expect"];
        let ran = fencepost_args(&[&args[..], &[file.to_str().unwrap(), path]].concat());
        assert_eq!(
            (ran.code, ends(&report(&ran.stdout))),
            (code, expected.map(str::to_string).to_vec()),
            "{name}"
        );
    }
    let ran = fencepost_args(&["litmus", "--format", "junit", path, "nowhere.litmus"]);
    assert_eq!((ran.code, ends(&report(&ran.stdout))), (2, vec!["passed".to_string(), "error".to_string()]));
}

/// After Ctrl-C the report is whole, and names what was not looked at.
#[test]
fn ctrl_c_leaves_a_whole_report() {
    let path = endless("junit/interrupted.fp");
    let path = path.to_str().unwrap();
    let (code, stdout) =
        interrupted(&["check", "--format", "junit", "examples/sb.fp", path, "examples/mp.fp"]);
    assert_eq!(code, 1);
    let suites = report(&stdout);
    assert_eq!(ends(&suites), ["failure", "error", "skipped"]);
    assert_eq!(cases(&suites)[2].0, "examples/mp.fp");
}

/// Text that XML cannot hold.
#[test]
fn odd_text_is_kept_out_of_tags() {
    let text = "shared int x; // ]]> <failure> & \"é\u{1}\nthread t { x = 1; }\nthread u { int r = x; assert(r == 0); } // <b>\n";
    let ran = check("junit/odd.fp", text, &["--format", "junit"]);
    assert_eq!((ran.code, ends(&report(&ran.stdout))), (1, vec!["failure".to_string()]), "{}", ran.stderr);
}
