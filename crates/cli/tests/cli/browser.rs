//! A real browser: headless Chromium, spoken to over two pipes in its DevTools protocol. Messages are JSON, each
//! ended by a zero byte. Whatever the page complains of is kept.

use fencepost_samples::programs;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(90);

/// The name of the browser here; `None` where there is none.
pub fn installed() -> Option<&'static str> {
    programs::any_of("chromium", &["chromium", "chromium-browser", "google-chrome"])
}

/// A browser with one page.
pub struct Browser {
    child: Child,
    folder: PathBuf,
    to: File,
    from: Receiver<Value>,
    session: String,
    number: u64,
    events: Vec<Value>,
}

impl Browser {
    /// Starts one; `folder` is for its pipes and its profile.
    pub fn start(name: &str, folder: &Path) -> Browser {
        let _ = std::fs::remove_dir_all(folder);
        std::fs::create_dir_all(folder).unwrap();
        let (input, output) = (folder.join("to"), folder.join("from"));
        let made = Command::new("mkfifo").args([&input, &output]).status().unwrap();
        assert!(made.success(), "pipes can be made");
        // The browser reads its commands from descriptor 3 and answers on 4.
        let script = "exec \"$0\" --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
                      --hide-scrollbars --user-data-dir=\"$1\" --remote-debugging-pipe about:blank 3<\"$2\" 4>\"$3\"";
        let child = Command::new("sh")
            .args(["-c", script, name])
            .args([&folder.join("profile"), &input, &output])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let to = File::options().write(true).open(&input).unwrap();
        let answers = BufReader::new(File::open(&output).unwrap());
        let (send, from) = channel();
        std::thread::spawn(move || {
            for message in answers.split(0) {
                let Ok(message) = message else { break };
                let Ok(value) = serde_json::from_slice(&message) else { break };
                if send.send(value).is_err() {
                    break;
                }
            }
        });
        let mut browser = Browser {
            child,
            folder: folder.to_path_buf(),
            to,
            from,
            session: String::new(),
            number: 0,
            events: Vec::new(),
        };
        let target = browser.ask("Target.createTarget", json!({"url": "about:blank"}))["targetId"].clone();
        let attached = browser.ask("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        browser.session = attached["sessionId"].as_str().unwrap().to_string();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.ask(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    fn receive(&mut self) -> Value {
        match self.from.recv_timeout(PATIENCE) {
            Ok(value) => value,
            Err(RecvTimeoutError::Timeout) => panic!("the browser does not answer"),
            Err(RecvTimeoutError::Disconnected) => panic!("the browser has ended"),
        }
    }

    /// Sends a command and waits for its result.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        let mut message = json!({"id": self.number, "method": method, "params": params});
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let answer = self.receive();
            if answer["id"] == self.number {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    /// Width and height in pixels, and whether dark colours are wanted.
    pub fn screen(&mut self, width: u32, height: u32, dark: bool) {
        let mobile = width < 760;
        let scale = 1;
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": scale, "mobile": mobile});
        self.ask("Emulation.setDeviceMetricsOverride", metrics);
        let scheme = if dark { "dark" } else { "light" };
        let features = json!([
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]);
        self.ask("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// Loads a file and waits until it is there.
    pub fn load(&mut self, path: &Path) {
        self.events.clear();
        let url = format!("file://{}", path.canonicalize().unwrap().display());
        self.ask("Page.navigate", json!({"url": url}));
        while !self.events.iter().any(|e| e["method"] == "Page.loadEventFired") {
            let event = self.receive();
            self.events.push(event);
        }
    }

    /// The value of an expression in the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let result = self.ask("Runtime.evaluate", params);
        assert!(result.get("exceptionDetails").is_none(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// Presses a key.
    pub fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.ask("Input.dispatchKeyEvent", json!({"type": kind, "key": key, "code": key}));
        }
    }

    /// What the page complained of, and what it wanted from elsewhere.
    pub fn complaints(&self) -> Vec<String> {
        let bad = |event: &&Value| match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => true,
            Some("Log.entryAdded") => event["params"]["entry"]["level"] != "verbose",
            Some("Network.requestWillBeSent") => {
                let url = event["params"]["request"]["url"].as_str().unwrap_or("");
                !url.starts_with("file://") && !url.starts_with("data:")
            }
            _ => false,
        };
        self.events.iter().filter(bad).map(Value::to_string).collect()
    }

    /// A picture of what can be seen, as a PNG file.
    pub fn picture(&mut self, path: &Path) {
        let data = self.ask("Page.captureScreenshot", json!({"format": "png"}));
        std::fs::write(path, decode(data["data"].as_str().unwrap())).unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended already.
        let message = json!({"id": 0, "method": "Browser.close"});
        let _ = self.to.write_all(format!("{message}\0").as_bytes());
        for _ in 0..50 {
            if self.child.try_wait().is_ok_and(|status| status.is_some()) {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Base64.
fn decode(text: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => u32::from(c - b'A'),
        b'a'..=b'z' => u32::from(c - b'a') + 26,
        b'0'..=b'9' => u32::from(c - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut out = Vec::new();
    for four in text.trim_end_matches('=').as_bytes().chunks(4) {
        let bits = four.iter().fold(0, |bits, c| bits << 6 | digit(*c)) << (6 * (4 - four.len()));
        out.extend(&bits.to_be_bytes()[1..four.len()]);
    }
    out
}
