//! A language server over standard input and output. Programs are checked when they are opened and
//! saved; a violation is a diagnostic with its run as related information, and the fences that repair it are a quick
//! fix.
//!
//! One thread reads messages, one thread works on each check, and this one handles what both send, so that nothing waits for
//! a check and only one writes. A check that is no longer wanted is cancelled; whatever it still sends is known by
//! its number and dropped.
//!
//! ```no_run
//! // Options that a user has set in the editor are refused here; the command line reads them as `check` does.
//! fencepost_lsp::run(|_| Err("no options".into()));
//! ```

mod document;
mod position;
mod settings;
mod wire;
mod work;

use document::{Checked, Document, Running};
use position::Positions;
use serde_json::{Value, json};
use settings::Settings;
pub use settings::{ReadArguments, Wanted};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};
use wire::{Incoming, Refusal};
use work::{Told, Work};

/// Progress is told this often.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(300);

/// How the server ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The editor has said so.
    ShutDown,
    /// The editor was gone.
    Abandoned,
}

/// What the server reacts to.
enum Event {
    Incoming(Incoming),
    /// Of the check of that number.
    Told(u64, Told),
    /// The check of that number is done; with a message if it broke down.
    Ended(u64, Option<String>),
}

/// Where the server is in its life.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Waiting,
    Running,
    ShutDown,
}

/// What the editor can do.
#[derive(Clone, Copy, Default)]
struct Abilities {
    progress: bool,
    configuration: bool,
    versioned_edits: bool,
}

struct Server<W: Write> {
    out: W,
    events: Sender<Event>,
    phase: Phase,
    abilities: Abilities,
    settings: Settings,
    arguments: ReadArguments,
    documents: BTreeMap<String, Document>,
    /// The document of each check that is running.
    checks: BTreeMap<u64, String>,
    next_check: u64,
    next_request: u64,
}

/// Serves an editor over standard input and output until it ends. `arguments` reads what its user writes as options.
pub fn run(arguments: ReadArguments) -> Ended {
    let (sender, events) = channel();
    let reader = sender.clone();
    // It ends with the process: nothing can make a read return.
    std::thread::spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            let incoming = wire::read(&mut input);
            let last = incoming == Incoming::End;
            if reader.send(Event::Incoming(incoming)).is_err() || last {
                break;
            }
        }
    });
    let settings = match Settings::read(&Value::Null, arguments) {
        Ok(settings) => settings,
        Err(message) => panic!("internal error: the default settings are wrong: {message}"),
    };
    let mut server = Server {
        out: io::stdout().lock(),
        events: sender,
        phase: Phase::Waiting,
        abilities: Abilities::default(),
        settings,
        arguments,
        documents: BTreeMap::new(),
        checks: BTreeMap::new(),
        next_check: 0,
        next_request: 0,
    };
    server.serve(&events)
}

impl<W: Write> Server<W> {
    fn serve(&mut self, events: &Receiver<Event>) -> Ended {
        while let Ok(event) = events.recv() {
            match event {
                Event::Incoming(Incoming::Message(message)) => {
                    if message["method"] == "exit" {
                        break;
                    }
                    self.message(&message);
                }
                Event::Incoming(Incoming::Broken(why)) => {
                    self.send(&wire::refusal(&Value::Null, Refusal::NotJson, why));
                }
                Event::Incoming(Incoming::End) => break,
                Event::Told(check, told) => self.told(check, told),
                Event::Ended(check, broken) => self.ended(check, broken),
            }
        }
        for document in self.documents.values() {
            cancel(document);
        }
        if self.phase == Phase::ShutDown { Ended::ShutDown } else { Ended::Abandoned }
    }

    fn send(&mut self, message: &Value) {
        // An editor that is gone ends the server by closing its input.
        let _ = wire::write(&mut self.out, message);
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(&wire::notification(method, params));
    }

    fn log(&mut self, message: &str) {
        self.notify("window/logMessage", json!({"type": 1, "message": message}));
    }

    fn message(&mut self, message: &Value) {
        let id = message.get("id").filter(|id| id.is_string() || id.is_number());
        let Some(method) = message["method"].as_str() else {
            let answers = message.get("result").is_some() || message.get("error").is_some();
            return match id {
                Some(id) if answers => self.answer(&id.clone(), &message["result"]),
                _ => {
                    let id = id.cloned().unwrap_or(Value::Null);
                    self.send(&wire::refusal(&id, Refusal::NoRequest, "neither a request nor an answer"));
                }
            };
        };
        let (method, params) = (method.to_string(), &message["params"]);
        match id {
            Some(id) => {
                let answer = match self.request(&method, params) {
                    Ok(result) => wire::response(id, result),
                    Err((refusal, why)) => wire::refusal(id, refusal, &why),
                };
                self.send(&answer);
            }
            None if self.phase != Phase::Running => {}
            None => {
                if self.notified(&method, params).is_none() {
                    self.log(&format!("the parameters of {method} make no sense"));
                }
            }
        }
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value, (Refusal, String)> {
        match (self.phase, method) {
            (Phase::Waiting, "initialize") => Ok(self.initialize(params)),
            (Phase::Waiting, _) => Err((Refusal::NotInitialized, "initialize comes first".to_string())),
            (Phase::ShutDown, _) => Err((Refusal::NoRequest, "the server is shut down".to_string())),
            (Phase::Running, "initialize") => {
                Err((Refusal::NoRequest, "the server is initialized already".to_string()))
            }
            (Phase::Running, "shutdown") => {
                self.phase = Phase::ShutDown;
                Ok(Value::Null)
            }
            (Phase::Running, "textDocument/codeAction") => {
                let wrong =
                    || (Refusal::WrongParameters, "a code action is of a range of a document".to_string());
                self.actions(params).ok_or_else(wrong)
            }
            (Phase::Running, _) => Err((Refusal::NoSuchMethod, format!("there is no method {method}"))),
        }
    }

    fn initialize(&mut self, params: &Value) -> Value {
        self.phase = Phase::Running;
        let able = |pointer: &str| params["capabilities"].pointer(pointer).is_some_and(|v| *v == true);
        self.abilities = Abilities {
            progress: able("/window/workDoneProgress"),
            configuration: able("/workspace/configuration"),
            versioned_edits: able("/workspace/workspaceEdit/documentChanges"),
        };
        self.configure(&params["initializationOptions"]);
        json!({
            "capabilities": {
                "positionEncoding": "utf-16",
                "textDocumentSync": {"openClose": true, "change": 2, "save": {"includeText": true}},
                "codeActionProvider": {"codeActionKinds": ["quickfix"]},
            },
            "serverInfo": {"name": "fencepost", "version": env!("CARGO_PKG_VERSION")},
        })
    }

    /// Takes over settings, or says what is wrong with them.
    fn configure(&mut self, settings: &Value) {
        match Settings::read(settings, self.arguments) {
            Ok(settings) => self.settings = settings,
            Err(message) => {
                let message = format!("fencepost's settings: {message}");
                self.notify("window/showMessage", json!({"type": 1, "message": message}));
            }
        }
    }

    /// Asks the editor for settings.
    fn ask_for_settings(&mut self) {
        if self.abilities.configuration {
            let params = json!({"items": [{"section": "fencepost"}]});
            self.send(&wire::request("settings", "workspace/configuration", params));
        }
    }

    /// The answer to a request of ours.
    fn answer(&mut self, id: &Value, result: &Value) {
        if id == "settings"
            && let Some(settings) = result.get(0).filter(|s| s.is_object())
        {
            self.configure(&settings.clone());
        }
    }

    /// Handles a notification; `None` if its parameters make no sense.
    fn notified(&mut self, method: &str, params: &Value) -> Option<()> {
        let document = &params["textDocument"];
        let uri = || document["uri"].as_str().map(str::to_string);
        match method {
            "initialized" => self.ask_for_settings(),
            "workspace/didChangeConfiguration" => match &params["settings"]["fencepost"] {
                Value::Object(_) => self.configure(&params["settings"]["fencepost"]),
                _ => self.ask_for_settings(),
            },
            "textDocument/didOpen" => {
                let (uri, text) = (uri()?, document["text"].as_str()?);
                let language = document["languageId"].as_str().unwrap_or("");
                let Some(format) = document::format(&uri, language) else {
                    self.log(&format!("{uri} is no program that fencepost reads"));
                    return Some(());
                };
                self.forget(&uri);
                let (text, version) = (Arc::new(text.to_string()), document["version"].clone());
                let new = Document { text, version, format, running: None, checked: None };
                self.documents.insert(uri.clone(), new);
                if self.settings.check_on_open {
                    self.check(&uri);
                }
            }
            "textDocument/didChange" => {
                let (uri, changes) = (uri()?, params["contentChanges"].as_array()?);
                // What is not a program of ours is not kept.
                let Some(open) = self.documents.get_mut(&uri) else { return Some(()) };
                open.change(changes)?;
                open.version = document["version"].clone();
            }
            "textDocument/didSave" => {
                let uri = uri()?;
                let Some(open) = self.documents.get_mut(&uri) else { return Some(()) };
                if let Some(text) = params["text"].as_str()
                    && *text != **open.text
                {
                    open.text = Arc::new(text.to_string());
                }
                self.check(&uri);
            }
            "textDocument/didClose" => {
                let uri = uri()?;
                if self.forget(&uri) {
                    self.publish(&uri, &Value::Null, json!([]));
                }
            }
            // Others are for other servers.
            _ => {}
        }
        Some(())
    }

    /// Ends what is known of a document; says whether anything was.
    fn forget(&mut self, uri: &str) -> bool {
        let known = self.documents.remove(uri);
        known.iter().for_each(cancel);
        known.is_some()
    }

    fn publish(&mut self, uri: &str, version: &Value, diagnostics: Value) {
        let mut params = json!({"uri": uri, "diagnostics": diagnostics});
        if version.is_i64() {
            params["version"] = version.clone();
        }
        self.notify("textDocument/publishDiagnostics", params);
    }

    /// Starts a check; one that is running is cancelled.
    fn check(&mut self, uri: &str) {
        let Some(document) = self.documents.get_mut(uri) else { return };
        cancel(document);
        self.next_check += 1;
        let number = self.next_check;
        let cancelled = Arc::new(AtomicBool::new(false));
        document.running = Some(Running { number, cancelled: cancelled.clone() });
        document.checked = Some(Checked { text: document.text.clone(), ..Checked::default() });
        let name = document::path(uri).display().to_string();
        let work = Work {
            uri: uri.to_string(),
            name: name.clone(),
            text: document.text.clone(),
            format: document.format,
            settings: self.settings.clone(),
            cancelled,
        };
        self.checks.insert(number, uri.to_string());
        self.begin_progress(number, &name);
        let events = self.events.clone();
        std::thread::spawn(move || {
            let mut last = Instant::now();
            let mut tell = |told: Told| {
                if let Told::Progress(_) = told {
                    if last.elapsed() < PROGRESS_INTERVAL {
                        return;
                    }
                    last = Instant::now();
                }
                // The server may have ended.
                let _ = events.send(Event::Told(number, told));
            };
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work.run(&mut tell)));
            let broken = done.err().map(|panic| {
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()));
                text.unwrap_or_else(|| "internal error".to_string())
            });
            let _ = events.send(Event::Ended(number, broken));
        });
    }

    fn begin_progress(&mut self, check: u64, name: &str) {
        if !self.abilities.progress {
            return;
        }
        self.next_request += 1;
        let (id, token) = (format!("progress-{}", self.next_request), token(check));
        self.send(&wire::request(&id, "window/workDoneProgress/create", json!({"token": token})));
        let name = name.rsplit('/').next().unwrap_or(name);
        let value = json!({"kind": "begin", "title": "fencepost", "message": name, "cancellable": false});
        self.notify("$/progress", json!({"token": token, "value": value}));
    }

    /// The document of a check, if its result is still wanted.
    fn wanted(&mut self, check: u64) -> Option<(String, &mut Document)> {
        let uri = self.checks.get(&check)?.clone();
        let document = self.documents.get_mut(&uri)?;
        let wanted = document.running.as_ref().is_some_and(|running| running.number == check);
        wanted.then_some((uri, document))
    }

    fn told(&mut self, check: u64, told: Told) {
        let Some((uri, document)) = self.wanted(check) else { return };
        let (version, same) = (document.version.clone(), {
            let checked = document.checked.as_ref();
            checked.is_some_and(|checked| checked.text == document.text)
        });
        let Some(checked) = &mut document.checked else { return };
        match told {
            Told::Diagnostics(diagnostics) => {
                checked.diagnostics.clone_from(&diagnostics);
                // Places of another text than the editor's would be said to be of its version.
                let version = if same { version } else { Value::Null };
                self.publish(&uri, &version, json!(diagnostics));
            }
            Told::Fix(number, title, edits) => checked.fixes.push((number, title, edits)),
            Told::Progress(message) if self.abilities.progress => {
                let value = json!({"kind": "report", "message": message});
                self.notify("$/progress", json!({"token": token(check), "value": value}));
            }
            Told::Progress(_) => {}
        }
    }

    fn ended(&mut self, check: u64, broken: Option<String>) {
        if let Some(message) = broken {
            self.log(&message);
        }
        if let Some((_, document)) = self.wanted(check) {
            document.running = None;
        }
        if self.checks.remove(&check).is_some() && self.abilities.progress {
            self.notify("$/progress", json!({"token": token(check), "value": {"kind": "end"}}));
        }
    }

    /// The quick fixes of a range; `None` if the parameters make no sense.
    fn actions(&self, params: &Value) -> Option<Value> {
        let uri = params["textDocument"]["uri"].as_str()?;
        let Some(document) = self.documents.get(uri) else { return Some(json!([])) };
        let positions = Positions::new(&document.text);
        positions.offset(&params["range"]["start"])?;
        positions.offset(&params["range"]["end"])?;
        let wants = |kind: &Value| kind.as_str().is_some_and(|k| k.is_empty() || "quickfix".starts_with(k));
        let only = params["context"]["only"].as_array();
        // Edits are of the text that was checked, and of no other.
        let Some(checked) = document.checked.as_ref().filter(|checked| checked.text == document.text) else {
            return Some(json!([]));
        };
        if only.is_some_and(|kinds| !kinds.iter().any(wants)) {
            return Some(json!([]));
        }
        let mut actions = Vec::new();
        for (number, title, edits) in &checked.fixes {
            let Some(diagnostic) = checked.diagnostics.get(*number) else { continue };
            let places =
                std::iter::once(&diagnostic["range"]).chain(edits.as_array()?.iter().map(|e| &e["range"]));
            let related = diagnostic["relatedInformation"].as_array();
            let related = related.into_iter().flatten().filter(|r| r["location"]["uri"] == uri);
            let places = places.chain(related.map(|r| &r["location"]["range"]));
            if !places.into_iter().any(|place| meet(place, &params["range"])) {
                continue;
            }
            let edit = match self.abilities.versioned_edits {
                true => json!({"documentChanges": [{
                    "textDocument": {"uri": uri, "version": document.version},
                    "edits": edits,
                }]}),
                false => json!({"changes": {uri: edits}}),
            };
            actions.push(json!({
                "title": title,
                "kind": "quickfix",
                "diagnostics": [diagnostic],
                "isPreferred": actions.is_empty(),
                "edit": edit,
            }));
        }
        Some(json!(actions))
    }
}

fn cancel(document: &Document) {
    if let Some(running) = &document.running {
        running.cancelled.store(true, Ordering::Relaxed);
    }
}

/// What progress of a check is known by.
fn token(check: u64) -> String {
    format!("fencepost-{check}")
}

/// Whether two ranges have a line in common.
fn meet(a: &Value, b: &Value) -> bool {
    let line = |range: &Value, end: &str| range[end]["line"].as_u64().unwrap_or(0);
    line(a, "start") <= line(b, "end") && line(b, "start") <= line(a, "end")
}
