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

mod actions;
mod document;
mod position;
mod settings;
mod work;

use document::{Checked, Document, Running};
use fencepost_verify::internal;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{
    DidChangeConfiguration, DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument,
    DidSaveTextDocument, Exit, Initialized, LogMessage, Notification as Method, Progress, PublishDiagnostics,
    ShowMessage,
};
use lsp_types::request::{
    CodeActionRequest, Initialize, Request as Question, Shutdown, WorkDoneProgressCreate,
    WorkspaceConfiguration,
};
use lsp_types::{
    CodeActionKind, CodeActionOptions, ConfigurationItem, ConfigurationParams, Diagnostic,
    DidChangeConfigurationParams, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, InitializeParams, InitializeResult,
    LogMessageParams, MessageType, NumberOrString, PositionEncodingKind, ProgressParams, ProgressParamsValue,
    PublishDiagnosticsParams, SaveOptions, ServerCapabilities, ServerInfo, ShowMessageParams,
    TextDocumentSyncKind, TextDocumentSyncOptions, Uri, WorkDoneProgress, WorkDoneProgressBegin,
    WorkDoneProgressCreateParams, WorkDoneProgressEnd, WorkDoneProgressReport,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use settings::Settings;
pub use settings::{ReadArguments, Wanted};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};
use work::{Told, Work};

/// Progress is told this often.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(300);

/// The id of the request for settings.
const SETTINGS: &str = "settings";

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
    Message(Message),
    /// What is no message; the next one can be read.
    Broken(io::Error),
    /// There are no more messages.
    End,
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

/// Why a request is refused.
type Refusal = (ErrorCode, String);

struct Server<W: Write> {
    out: W,
    events: Sender<Event>,
    phase: Phase,
    abilities: Abilities,
    settings: Settings,
    arguments: ReadArguments,
    /// By their addresses.
    documents: BTreeMap<String, Document>,
    /// The document of each check that is running.
    checks: BTreeMap<u64, Uri>,
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
            let event = match Message::read(&mut input) {
                Ok(Some(message)) => Event::Message(message),
                // Its bytes have been read, as far as a header said how many they are.
                Err(error) if error.kind() == io::ErrorKind::InvalidData => Event::Broken(error),
                Ok(None) | Err(_) => Event::End,
            };
            let last = matches!(event, Event::End);
            if reader.send(event).is_err() || last {
                break;
            }
        }
    });
    let settings = match Settings::read(None, arguments) {
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

/// Parameters of a type; or what is wrong with them.
fn read<T: DeserializeOwned>(params: Value) -> Result<T, String> {
    serde_json::from_value(params).map_err(|error| error.to_string())
}

impl<W: Write> Server<W> {
    fn serve(&mut self, events: &Receiver<Event>) -> Ended {
        while let Ok(event) = events.recv() {
            match event {
                Event::Message(Message::Notification(told)) if told.method == Exit::METHOD => break,
                Event::Message(message) => self.message(message),
                Event::Broken(error) => self.log(&format!("a message cannot be read: {error}")),
                Event::End => break,
                Event::Told(check, told) => self.told(check, told),
                Event::Ended(check, broken) => self.ended(check, broken),
            }
        }
        for document in self.documents.values() {
            cancel(document);
        }
        if self.phase == Phase::ShutDown { Ended::ShutDown } else { Ended::Abandoned }
    }

    fn send(&mut self, message: impl Into<Message>) {
        // An editor that is gone ends the server by closing its input.
        let _ = message.into().write(&mut self.out);
    }

    fn notify<M: Method>(&mut self, params: M::Params) {
        self.send(Notification::new(M::METHOD.to_string(), params));
    }

    fn ask<Q: Question>(&mut self, id: String, params: Q::Params) {
        self.send(Request::new(RequestId::from(id), Q::METHOD.to_string(), params));
    }

    fn log(&mut self, message: &str) {
        self.notify::<LogMessage>(LogMessageParams { typ: MessageType::ERROR, message: message.to_string() });
    }

    fn message(&mut self, message: Message) {
        match message {
            Message::Request(request) => {
                let answer = match self.request(&request.method, request.params) {
                    Ok(result) => Response::new_ok(request.id, result),
                    Err((code, why)) => Response::new_err(request.id, code as i32, why),
                };
                self.send(answer);
            }
            Message::Response(response) => self.answer(response),
            Message::Notification(_) if self.phase != Phase::Running => {}
            Message::Notification(Notification { method, params }) => {
                if let Err(why) = self.notified(&method, params) {
                    self.log(&format!("the parameters of {method} make no sense: {why}"));
                }
            }
        }
    }

    fn request(&mut self, method: &str, params: Value) -> Result<Value, Refusal> {
        let wrong = |why| (ErrorCode::InvalidParams, why);
        let shown =
            |result: serde_json::Result<Value>| result.map_err(|e| (ErrorCode::InternalError, e.to_string()));
        match (self.phase, method) {
            (Phase::Waiting, Initialize::METHOD) => {
                let params = read(params).map_err(wrong)?;
                shown(serde_json::to_value(self.initialize(params)))
            }
            (Phase::Waiting, _) => {
                Err((ErrorCode::ServerNotInitialized, "initialize comes first".to_string()))
            }
            (Phase::ShutDown, _) => Err((ErrorCode::InvalidRequest, "the server is shut down".to_string())),
            (Phase::Running, Initialize::METHOD) => {
                Err((ErrorCode::InvalidRequest, "the server is initialized already".to_string()))
            }
            (Phase::Running, Shutdown::METHOD) => {
                self.phase = Phase::ShutDown;
                Ok(Value::Null)
            }
            (Phase::Running, CodeActionRequest::METHOD) => {
                let params = read(params).map_err(wrong)?;
                shown(serde_json::to_value(self.actions(&params)))
            }
            (Phase::Running, _) => Err((ErrorCode::MethodNotFound, format!("there is no method {method}"))),
        }
    }

    fn initialize(&mut self, params: InitializeParams) -> InitializeResult {
        self.phase = Phase::Running;
        let (window, workspace) = (params.capabilities.window, params.capabilities.workspace);
        let edits = workspace.as_ref().and_then(|workspace| workspace.workspace_edit.as_ref());
        self.abilities = Abilities {
            progress: window.and_then(|window| window.work_done_progress) == Some(true),
            configuration: workspace.as_ref().and_then(|workspace| workspace.configuration) == Some(true),
            versioned_edits: edits.and_then(|edits| edits.document_changes) == Some(true),
        };
        self.configure(params.initialization_options);
        let sync = TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(SaveOptions { include_text: Some(true) }.into()),
            ..TextDocumentSyncOptions::default()
        };
        let actions = CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        };
        InitializeResult {
            capabilities: ServerCapabilities {
                position_encoding: Some(PositionEncodingKind::UTF16),
                text_document_sync: Some(sync.into()),
                code_action_provider: Some(actions.into()),
                ..ServerCapabilities::default()
            },
            server_info: Some(ServerInfo {
                name: "fencepost".to_string(),
                version: Some(env!("CARGO_PKG_VERSION").to_string()),
            }),
        }
    }

    /// Takes over settings, or says what is wrong with them.
    fn configure(&mut self, settings: Option<Value>) {
        match Settings::read(settings, self.arguments) {
            Ok(settings) => self.settings = settings,
            Err(message) => {
                let message = format!("fencepost's settings: {message}");
                self.notify::<ShowMessage>(ShowMessageParams { typ: MessageType::ERROR, message });
            }
        }
    }

    /// Asks the editor for settings.
    fn ask_for_settings(&mut self) {
        if self.abilities.configuration {
            let item = ConfigurationItem { scope_uri: None, section: Some("fencepost".to_string()) };
            let params = ConfigurationParams { items: vec![item] };
            self.ask::<WorkspaceConfiguration>(SETTINGS.to_string(), params);
        }
    }

    /// The answer to a request of ours.
    fn answer(&mut self, response: Response) {
        if response.id == RequestId::from(SETTINGS.to_string())
            && let Some(settings) = response.response_result.ok().and_then(|result| result.get(0).cloned())
            && settings.is_object()
        {
            self.configure(Some(settings));
        }
    }

    /// Handles a notification; or says what is wrong with its parameters.
    fn notified(&mut self, method: &str, params: Value) -> Result<(), String> {
        match method {
            Initialized::METHOD => self.ask_for_settings(),
            DidChangeConfiguration::METHOD => {
                let DidChangeConfigurationParams { settings } = read(params)?;
                match settings.get("fencepost").filter(|settings| settings.is_object()) {
                    Some(settings) => self.configure(Some(settings.clone())),
                    None => self.ask_for_settings(),
                }
            }
            DidOpenTextDocument::METHOD => self.open(read(params)?),
            DidChangeTextDocument::METHOD => {
                let DidChangeTextDocumentParams { text_document, content_changes } = read(params)?;
                // What is no program of ours is not kept.
                let Some(open) = self.documents.get_mut(text_document.uri.as_str()) else { return Ok(()) };
                open.change(content_changes)?;
                open.version = text_document.version;
            }
            DidSaveTextDocument::METHOD => {
                let DidSaveTextDocumentParams { text_document, text } = read(params)?;
                let Some(open) = self.documents.get_mut(text_document.uri.as_str()) else { return Ok(()) };
                if let Some(text) = text.filter(|text| *text != *open.text) {
                    open.text = Arc::new(text);
                }
                self.check(&text_document.uri);
            }
            DidCloseTextDocument::METHOD => {
                let DidCloseTextDocumentParams { text_document } = read(params)?;
                if self.forget(&text_document.uri) {
                    self.publish(&text_document.uri, None, Vec::new());
                }
            }
            // Others are for other servers.
            _ => {}
        }
        Ok(())
    }

    fn open(&mut self, params: DidOpenTextDocumentParams) {
        let item = params.text_document;
        let Some(format) = document::format(item.uri.as_str(), &item.language_id) else {
            self.log(&format!("{} is no program that fencepost reads", item.uri.as_str()));
            return;
        };
        self.forget(&item.uri);
        let text = Arc::new(item.text);
        let new = Document { text, version: item.version, format, running: None, checked: None };
        self.documents.insert(item.uri.as_str().to_string(), new);
        if self.settings.check_on_open {
            self.check(&item.uri);
        }
    }

    /// Ends what is known of a document; says whether anything was.
    fn forget(&mut self, uri: &Uri) -> bool {
        let known = self.documents.remove(uri.as_str());
        known.iter().for_each(cancel);
        known.is_some()
    }

    fn publish(&mut self, uri: &Uri, version: Option<i32>, diagnostics: Vec<Diagnostic>) {
        self.notify::<PublishDiagnostics>(PublishDiagnosticsParams {
            uri: uri.clone(),
            diagnostics,
            version,
        });
    }

    /// Starts a check; one that is running is cancelled.
    fn check(&mut self, uri: &Uri) {
        let Some(document) = self.documents.get_mut(uri.as_str()) else { return };
        cancel(document);
        self.next_check += 1;
        let number = self.next_check;
        let cancelled = Arc::new(AtomicBool::new(false));
        document.running = Some(Running { number, cancelled: cancelled.clone() });
        document.checked = Some(Checked { text: document.text.clone(), ..Checked::default() });
        let name = document::path(uri.as_str()).display().to_string();
        let work = Work {
            uri: uri.clone(),
            name: name.clone(),
            text: document.text.clone(),
            format: document.format,
            settings: self.settings.clone(),
            cancelled,
        };
        self.checks.insert(number, uri.clone());
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
            let broken = internal::guard(|| work.run(&mut tell)).err();
            let _ = events.send(Event::Ended(number, broken));
        });
    }

    fn begin_progress(&mut self, check: u64, name: &str) {
        if !self.abilities.progress {
            return;
        }
        self.next_request += 1;
        let (id, token) = (format!("progress-{}", self.next_request), token(check));
        self.ask::<WorkDoneProgressCreate>(id, WorkDoneProgressCreateParams { token });
        let name = name.rsplit('/').next().unwrap_or(name);
        let begin = WorkDoneProgressBegin {
            title: "fencepost".to_string(),
            message: Some(name.to_string()),
            cancellable: Some(false),
            percentage: None,
        };
        self.progress(check, WorkDoneProgress::Begin(begin));
    }

    fn progress(&mut self, check: u64, progress: WorkDoneProgress) {
        let value = ProgressParamsValue::WorkDone(progress);
        self.notify::<Progress>(ProgressParams { token: token(check), value });
    }

    /// The document of a check, if its result is still wanted.
    fn wanted(&mut self, check: u64) -> Option<(Uri, &mut Document)> {
        let uri = self.checks.get(&check)?.clone();
        let document = self.documents.get_mut(uri.as_str())?;
        let wanted = document.running.as_ref().is_some_and(|running| running.number == check);
        wanted.then_some((uri, document))
    }

    fn told(&mut self, check: u64, told: Told) {
        let Some((uri, document)) = self.wanted(check) else { return };
        let Some(checked) = &mut document.checked else { return };
        match told {
            Told::Diagnostics(diagnostics) => {
                checked.diagnostics.clone_from(&diagnostics);
                // Places of another text than the editor's would be said to be of its version.
                let version = (checked.text == document.text).then_some(document.version);
                self.publish(&uri, version, diagnostics);
            }
            Told::Fix(fix) => checked.fixes.push(fix),
            Told::Progress(message) if self.abilities.progress => {
                let report = WorkDoneProgressReport { message: Some(message), ..Default::default() };
                self.progress(check, WorkDoneProgress::Report(report));
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
            self.progress(check, WorkDoneProgress::End(WorkDoneProgressEnd { message: None }));
        }
    }
}

fn cancel(document: &Document) {
    if let Some(running) = &document.running {
        running.cancelled.store(true, Ordering::Relaxed);
    }
}

/// What progress of a check is known by.
fn token(check: u64) -> NumberOrString {
    NumberOrString::String(format!("fencepost-{check}"))
}
