//! `fencepost lsp`, driven by a client as editors do it: programs are opened, saved, repaired by the quick fix; what makes
//! no sense is answered and does no harm.

use crate::root;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// No answer takes longer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client with its server.
struct Client {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    /// What came and was not asked for.
    seen: Vec<Value>,
    next: u64,
}

impl Client {
    fn start() -> Client {
        let mut child = Command::new(env!("CARGO_BIN_EXE_fencepost"))
            .args(["lsp", "--stdio"])
            .current_dir(root())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Client { child, input, messages, seen: Vec::new(), next: 0 }
    }

    /// A client that is ready, with abilities and settings.
    fn ready(capabilities: Value, settings: Value) -> Client {
        let mut client = Client::start();
        let params = json!({"processId": null, "rootUri": null, "capabilities": capabilities, "initializationOptions": settings});
        let answer = client.request("initialize", params);
        assert_eq!(answer["result"]["capabilities"]["positionEncoding"], "utf-16");
        assert_eq!(answer["result"]["serverInfo"]["name"], "fencepost");
        client.notify("initialized", json!({}));
        client
    }

    fn raw(&mut self, bytes: &[u8]) {
        self.input.write_all(bytes).unwrap();
        self.input.flush().unwrap();
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// The next message that fits; others are kept.
    fn wait(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let message = self.messages.recv_timeout(left);
            let message = message.unwrap_or_else(|_| panic!("no {what}; seen: {:?}", self.seen));
            if fits(&message) {
                return message;
            }
            self.seen.push(message);
        }
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.wait(&format!("answer to {method}"), |m| m["id"] == id && m.get("method").is_none())
    }

    fn open(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "x", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    fn save(&mut self, uri: &str) {
        self.notify("textDocument/didSave", json!({"textDocument": {"uri": uri}}));
    }

    /// Replaces the whole text.
    fn replace(&mut self, uri: &str, version: u32, text: &str) {
        let params =
            json!({"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]});
        self.notify("textDocument/didChange", params);
    }

    fn diagnostics(&mut self, uri: &str) -> Vec<Value> {
        let message = self.wait("diagnostics", |m| {
            m["method"] == "textDocument/publishDiagnostics" && m["params"]["uri"] == uri
        });
        message["params"]["diagnostics"].as_array().unwrap().clone()
    }

    /// The quick fixes at a range, as soon as there are any.
    fn actions(&mut self, uri: &str, range: &Value) -> Vec<Value> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let params =
                json!({"textDocument": {"uri": uri}, "range": range, "context": {"diagnostics": []}});
            let answer = self.request("textDocument/codeAction", params);
            let actions = answer["result"].as_array().unwrap_or_else(|| panic!("{answer}")).clone();
            if !actions.is_empty() || Instant::now() > deadline {
                return actions;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn end(mut self) {
        assert_eq!(self.request("shutdown", Value::Null)["result"], Value::Null);
        self.notify("exit", Value::Null);
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }
}

fn read(stream: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            line => {
                if let Some(value) = line.strip_prefix("Content-Length: ") {
                    length = value.parse::<usize>().ok();
                }
            }
        }
    }
    let mut content = vec![0; length?];
    stream.read_exact(&mut content).ok()?;
    serde_json::from_slice(&content).ok()
}

/// The offset of a position, whose columns are UTF-16.
fn offset(text: &str, position: &Value) -> usize {
    let line = position["line"].as_u64().unwrap() as usize;
    let column = position["character"].as_u64().unwrap() as usize;
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let mut units = 0;
    for (at, c) in text[start..].char_indices() {
        if units >= column {
            return start + at;
        }
        units += c.len_utf16();
    }
    text.len()
}

/// What is at a range.
fn at<'t>(text: &'t str, range: &Value) -> &'t str {
    &text[offset(text, &range["start"])..offset(text, &range["end"])]
}

/// A text with edits, from the last to the first.
fn applied(text: &str, edits: &Value) -> String {
    let mut edits: Vec<&Value> = edits.as_array().unwrap().iter().collect();
    edits.sort_by_key(|e| std::cmp::Reverse(offset(text, &e["range"]["start"])));
    let mut new = text.to_string();
    for edit in edits {
        let (from, to) = (offset(text, &edit["range"]["start"]), offset(text, &edit["range"]["end"]));
        new.replace_range(from..to, edit["newText"].as_str().unwrap());
    }
    new
}

const LOCK_C: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int flag[2];
int inside; /* ä𝕏 */
static void enter(int me)
{
    /* 𝕏𝕏 é */ atomic_store_explicit(&flag[me], 1, memory_order_relaxed);
    if (atomic_load_explicit(&flag[1 - me], memory_order_relaxed)) return;
    /* ä𝕏 */ inside++; assert(inside == 1);
    inside--;
}
static void *other(void *arg) { enter(1); return 0; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    enter(0);
    pthread_join(t, 0);
    return 0;
}
";

const LOCK_FP: &str = "shared int x, y; // ä𝕏
thread a {
    /* 𝕏 */ x = 1; int r = y;
}
thread b {
    y = 1;
    int r = x;
}
final not exists (a.r == 0 && b.r == 0);
";

fn example(name: &str) -> String {
    std::fs::read_to_string(root().join("examples").join(name)).unwrap()
}

/// A broken program: diagnostics with the run, the quick fix, and nothing left of them after it.
fn repaired_by_the_quick_fix(name: &str, text: &str, broken: &str, overtaken: &str, versioned: bool) {
    let capabilities = json!({"workspace": {"workspaceEdit": {"documentChanges": versioned}}});
    let mut client = Client::ready(capabilities, json!({"checkOnOpen": false}));
    let uri = format!("file:///tmp/some%20where/{name}");
    client.open(&uri, text);
    client.save(&uri);
    let diagnostics = client.diagnostics(&uri);
    let [diagnostic] = &diagnostics[..] else { panic!("{name}: one diagnostic: {diagnostics:?}") };
    assert_eq!((&diagnostic["severity"], &diagnostic["source"]), (&1.into(), &"fencepost".into()));
    assert_eq!(at(text, &diagnostic["range"]), broken, "{name}");
    let related = diagnostic["relatedInformation"].as_array().unwrap();
    assert!(related.iter().all(|r| r["location"]["uri"] == uri.as_str()));
    let store = related.iter().find(|r| r["message"].as_str().unwrap().contains("overtaken by")).unwrap();
    assert_eq!(at(text, &store["location"]["range"]), overtaken, "{name}: {store}");
    let actions = client.actions(&uri, &diagnostic["range"]);
    let action = actions.first().unwrap_or_else(|| panic!("{name}: a quick fix"));
    assert!(action["title"].as_str().unwrap().starts_with("Insert "), "{action}");
    assert_eq!((&action["kind"], &action["isPreferred"]), (&"quickfix".into(), &true.into()));
    assert_eq!(&action["diagnostics"][0], diagnostic);
    let edits = match versioned {
        true => {
            let change = &action["edit"]["documentChanges"][0];
            assert_eq!(change["textDocument"], json!({"uri": uri, "version": 1}));
            &change["edits"]
        }
        false => &action["edit"]["changes"][&uri],
    };
    let new = applied(text, edits);
    assert_ne!(new, text);
    client.replace(&uri, 2, &new);
    // Of a text that was not checked nothing is offered.
    let params =
        json!({"textDocument": {"uri": uri}, "range": diagnostic["range"], "context": {"diagnostics": []}});
    assert_eq!(client.request("textDocument/codeAction", params)["result"], json!([]));
    client.save(&uri);
    assert_eq!(client.diagnostics(&uri), Vec::<Value>::new(), "{name}: it is repaired:\n{new}");
    client.end();
}

#[test]
fn a_broken_lock_in_c() {
    let store = "atomic_store_explicit(&flag[me], 1, memory_order_relaxed)";
    repaired_by_the_quick_fix("lock%C3%A4.c", LOCK_C, "assert(inside == 1)", store, true);
}

#[test]
fn a_broken_lock_in_the_modelling_language() {
    repaired_by_the_quick_fix(
        "lock.fp",
        LOCK_FP,
        "final not exists (a.r == 0 && b.r == 0);",
        "x = 1;",
        false,
    );
}

#[test]
fn a_litmus_test_with_windows_line_ends() {
    let text = "X86_64 SB\n{ uint64_t x; uint64_t y; uint64_t 0:rax; uint64_t 1:rax; }\n P0          | P1          ;\n movq $1,(x) | movq $1,(y) ;\n movq (y),%rax | movq (x),%rax ;\nexists (0:rax=0 /\\ 1:rax=0)\n";
    let text = text.replace('\n', "\r\n");
    let mut client = Client::ready(json!({}), json!(null));
    let uri = "file:///tmp/SB.litmus";
    client.open(uri, &text);
    let diagnostics = client.diagnostics(uri);
    assert_eq!(diagnostics.len(), 1);
    assert!(at(&text, &diagnostics[0]["range"]).starts_with("exists"));
    let actions = client.actions(uri, &diagnostics[0]["range"]);
    let new = applied(&text, &actions[0]["edit"]["changes"][uri]);
    assert_eq!(new.matches("MFENCE").count(), 2, "{new}");
    client.replace(uri, 2, &new);
    client.save(uri);
    loop {
        if client.diagnostics(uri).is_empty() {
            break;
        }
    }
    client.end();
}

/// Errors of the front end are where they are, and changes arrive piece by piece.
#[test]
fn errors_stand_where_they_are() {
    let mut client = Client::ready(json!({}), json!({"checkOnOpen": false}));
    let uri = "file:///tmp/wrong.c";
    let text = "/* 𝕏 */ int main(void) { return nowhere; }\n";
    client.open(uri, text);
    client.save(uri);
    let diagnostics = client.diagnostics(uri);
    assert_eq!((diagnostics.len(), &diagnostics[0]["severity"]), (1, &1.into()));
    assert_eq!(at(text, &diagnostics[0]["range"]), "nowhere");
    let range = &diagnostics[0]["range"];
    let changes = json!([{"range": range, "text": "0"}, {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "#include <assert.h>\n"}]);
    client.notify(
        "textDocument/didChange",
        json!({"textDocument": {"uri": uri, "version": 2}, "contentChanges": changes}),
    );
    client.save(uri);
    assert_eq!(client.diagnostics(uri), Vec::<Value>::new(), "it can be read");
    for (uri, text, said) in [
        ("file:///tmp/part.fp", "shared int x;\nthread t { x = 1; }\n", "nothing to check"),
        ("file:///tmp/part.c", "int x;\nvoid f(void) { x = 1; }\n", "main"),
    ] {
        client.open(uri, text);
        client.save(uri);
        let diagnostics = client.diagnostics(uri);
        assert!(diagnostics[0]["message"].as_str().unwrap().contains(said), "{diagnostics:?}");
        assert_eq!(diagnostics[0]["severity"], 3, "a part of a program is nothing wrong");
    }
    client.end();
}

const ENDLESS: &str = "shared u32 x, y; thread t { u32 r; while (true) { r = r + 1; x = r; r = y; } }
thread u { u32 r; while (true) { r = r + 1; y = r; r = x; } } thread v { assert(x != 4000000000); }
";

/// A check that is no longer wanted is ended, and says nothing any more.
#[test]
fn a_check_is_cancelled_by_the_next() {
    let capabilities = json!({"window": {"workDoneProgress": true}});
    let mut client = Client::ready(capabilities, json!({"timeout": 300, "checkOnOpen": false}));
    let uri = "file:///tmp/endless.fp";
    client.open(uri, ENDLESS);
    client.save(uri);
    let create = client.wait("progress", |m| m["method"] == "window/workDoneProgress/create");
    client.send(&json!({"jsonrpc": "2.0", "id": create["id"], "result": null}));
    let token = create["params"]["token"].clone();
    let report = |kind: &'static str, token: Value| {
        move |m: &Value| {
            m["method"] == "$/progress"
                && m["params"]["token"] == token
                && m["params"]["value"]["kind"] == kind
        }
    };
    client.wait("a beginning", report("begin", token.clone()));
    client.wait("progress", report("report", token.clone()));
    let start = Instant::now();
    client.replace(uri, 2, "shared int x;\nthread t { x = 1; assert(x == 1); }\n");
    client.save(uri);
    let published = client.wait("diagnostics", |m| m["method"] == "textDocument/publishDiagnostics");
    assert_eq!(
        (&published["params"]["diagnostics"], &published["params"]["version"]),
        (&json!([]), &2.into())
    );
    if !client.seen.iter().any(report("end", token.clone())) {
        client.wait("an end", report("end", token));
    }
    assert!(start.elapsed() < Duration::from_secs(30));
    // Closing ends a check, too, and takes its diagnostics away.
    client.replace(uri, 3, ENDLESS);
    client.save(uri);
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    assert_eq!(client.diagnostics(uri), Vec::<Value>::new());
    client.end();
}

#[test]
fn what_is_not_known_is_information() {
    let mut client = Client::ready(json!({}), json!({"timeout": 0.2, "engine": "explicit"}));
    client.open("file:///tmp/slow.fp", ENDLESS);
    let diagnostics = client.diagnostics("file:///tmp/slow.fp");
    assert_eq!(diagnostics[0]["severity"], 3);
    assert!(diagnostics[0]["message"].as_str().unwrap().contains("time limit"));
    client.end();
}

/// Settings come with the initialization, on request, and when they change; wrong ones are told.
#[test]
fn settings() {
    let mut client =
        Client::ready(json!({"workspace": {"configuration": true}}), json!({"checkOnOpen": false}));
    let asked = client.wait("a request for settings", |m| m["method"] == "workspace/configuration");
    client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": [{"model": "sc"}]}));
    let (uri, text) = ("file:///tmp/sb.fp", example("sb.fp"));
    client.open(uri, &text);
    assert_eq!(client.diagnostics(uri), Vec::<Value>::new(), "safe under SC");
    client.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": {"fencepost": {"model": ["tso", "pso"]}}}),
    );
    client.save(uri);
    while client.diagnostics(uri).len() != 2 {}
    client.notify("workspace/didChangeConfiguration", json!({"settings": {"fencepost": {"model": "arm"}}}));
    let told = client.wait("a message", |m| m["method"] == "window/showMessage");
    assert!(told["params"]["message"].as_str().unwrap().contains("arm"), "{told}");
    let hints = json!({"settings": {"fencepost": {"model": "tso", "robustness": true}}});
    client.notify("workspace/didChangeConfiguration", hints);
    let overtaken =
        "shared int x, y;\nthread a { x = 1; int r = y; assert(r < 2); }\nthread b { y = 1; int r = x; }\n";
    client.open("file:///tmp/hint.fp", overtaken);
    let hints = loop {
        let hints = client.diagnostics("file:///tmp/hint.fp");
        if !hints.is_empty() {
            break hints;
        }
    };
    assert_eq!((hints.len(), &hints[0]["severity"], &hints[0]["code"]), (2, &4.into(), &"not-robust".into()));
    client.end();
}

/// What makes no sense is answered with an error, and the server continues.
#[test]
fn malformed_messages_do_no_harm() {
    let mut client = Client::start();
    let code = |answer: &Value| answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{answer}"));
    assert_eq!(code(&client.request("shutdown", Value::Null)), -32002);
    client.notify("textDocument/didOpen", json!({}));
    let answer = client.request("initialize", json!({"capabilities": {}}));
    assert!(answer["result"].is_object());
    assert_eq!(code(&client.request("initialize", json!({}))), -32600);
    assert_eq!(code(&client.request("textDocument/hover", json!({}))), -32601);
    assert_eq!(code(&client.request("textDocument/codeAction", json!({"range": 1}))), -32602);
    for bytes in [
        &b"Content-Length: 5\r\n\r\n{\"a\":"[..],
        b"Content-Length: 2\r\n\r\n[]",
        b"Content-Length: 4\r\n\r\nnull",
        b"Content-Length: 2\r\n\r\n\xff\xfe",
        b"No-Length: 2\r\n\r\n",
    ] {
        client.raw(bytes);
        let logged = client.wait("a message in the log", |m| m["method"] == "window/logMessage");
        let text = logged["params"]["message"].as_str().unwrap();
        assert!(text.starts_with("a message cannot be read"), "{:?}: {text}", String::from_utf8_lossy(bytes));
    }
    for (method, params) in [
        ("textDocument/didOpen", json!({"textDocument": {"uri": 7}})),
        ("textDocument/didChange", json!([1])),
        ("textDocument/didSave", json!(null)),
        ("textDocument/didClose", json!({"textDocument": []})),
    ] {
        client.notify(method, params);
        client.wait("a message in the log", |m| m["method"] == "window/logMessage");
    }
    client.open("file:///tmp/x.py", "print()");
    client.wait("a message in the log", |m| m["method"] == "window/logMessage");
    client.open("file:///tmp/x.fp", &example("sb.fp"));
    let change = json!([{"range": {"start": {"line": 5, "character": 0}, "end": {"line": 1, "character": 0}}, "text": ""}]);
    client.notify(
        "textDocument/didChange",
        json!({"textDocument": {"uri": "file:///tmp/x.fp", "version": 2}, "contentChanges": change}),
    );
    client.wait("a message in the log", |m| m["method"] == "window/logMessage");
    client.notify("textDocument/unknown", json!({}));
    client.save("file:///tmp/never-opened.fp");
    if !client.seen.iter().any(|m| m["params"]["uri"] == "file:///tmp/x.fp") {
        assert_eq!(client.diagnostics("file:///tmp/x.fp").len(), 1, "it still works");
    }
    client.end();
}

/// Without `shutdown` the end is no good end; a closed stream is one, too.
#[test]
fn ends() {
    let mut client = Client::start();
    client.notify("exit", Value::Null);
    assert_eq!(client.child.wait().unwrap().code(), Some(1));
    let Client { mut child, input, .. } = Client::start();
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let mut client = Client::ready(json!({}), json!(null));
    client.request("shutdown", Value::Null);
    let answer = client.request("textDocument/codeAction", json!({}));
    assert_eq!(answer["error"]["code"], -32600);
    client.notify("exit", Value::Null);
    assert_eq!(client.child.wait().unwrap().code(), Some(0));
}
