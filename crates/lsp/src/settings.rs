//! What the editor's user wants: the options of `fencepost check`, under the names of settings. Who reads these options is
//! whoever starts the server.

use fencepost_task::Model;
use fencepost_verify::{CheckOptions, Limits, ReadOptions};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

/// Seconds for each memory model, by default.
const TIMEOUT: f64 = 10.0;

/// Seconds for the search for fences.
const FENCE_TIME: f64 = 10.0;

/// What is wanted of a check.
#[derive(Clone, PartialEq, Debug)]
pub struct Wanted {
    /// The memory models.
    pub models: Vec<Model>,
    /// How texts become programs.
    pub read: ReadOptions,
    /// How programs are checked.
    pub check: CheckOptions,
    /// Time and memory for each model.
    pub limits: Limits,
}

/// Reads options of `fencepost check`, without a file; or says what is wrong with them.
pub type ReadArguments = fn(Vec<String>) -> Result<Wanted, String>;

/// What is wanted.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) options: Arc<Wanted>,
    pub(crate) fence_time: f64,
    pub(crate) check_on_open: bool,
    /// Whether stores that a load can overtake are shown even if nothing breaks.
    pub(crate) robustness: bool,
}

/// Settings as an editor sends them; each may be missing.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Given {
    model: Words,
    engine: Words,
    timeout: Option<f64>,
    fence_time: Option<f64>,
    check_on_open: Option<bool>,
    robustness: Option<bool>,
    arguments: Words,
}

/// A word or several.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a word or a list of words")]
enum Words {
    One(String),
    Several(Vec<String>),
}

impl Default for Words {
    fn default() -> Words {
        Words::Several(Vec::new())
    }
}

impl Words {
    fn list(self) -> Vec<String> {
        match self {
            Words::One(word) => vec![word],
            Words::Several(words) => words,
        }
    }
}

impl Settings {
    /// Reads settings; a missing one has its default. Or what is wrong with them.
    pub(crate) fn read(settings: Option<Value>, read: ReadArguments) -> Result<Settings, String> {
        let given = settings.filter(|settings| !settings.is_null());
        let given: Given =
            given.map_or_else(|| Ok(Given::default()), serde_json::from_value).map_err(|e| e.to_string())?;
        let seconds = |key: &str, value: Option<f64>, default: f64| match value.unwrap_or(default) {
            seconds if seconds > 0.0 && seconds < 1e6 => Ok(seconds),
            _ => Err(format!("`{key}` is a positive number of seconds")),
        };
        let mut arguments = Vec::new();
        for model in given.model.list() {
            arguments.extend(["--model".to_string(), model]);
        }
        for engine in given.engine.list() {
            arguments.extend(["--engine".to_string(), engine]);
        }
        arguments.extend(["--timeout".to_string(), seconds("timeout", given.timeout, TIMEOUT)?.to_string()]);
        arguments.extend(given.arguments.list());
        Ok(Settings {
            options: Arc::new(read(arguments)?),
            fence_time: seconds("fenceTime", given.fence_time, FENCE_TIME)?,
            check_on_open: given.check_on_open.unwrap_or(true),
            robustness: given.robustness.unwrap_or(false),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{ReadArguments, Settings, Wanted};
    use fencepost_task::Model;
    use fencepost_verify::{CheckOptions, Limits, ReadOptions};
    use serde_json::json;

    /// Takes words as they come, and keeps them where they can be looked at.
    const WORDS: ReadArguments = |words| {
        let read = ReadOptions {
            c: fencepost_verify::COptions { flags: words, ..Default::default() },
            ..Default::default()
        };
        Ok(Wanted {
            models: vec![Model::Tso],
            read,
            check: CheckOptions::default(),
            limits: Limits::default(),
        })
    };

    #[test]
    fn settings_are_options_of_check() {
        let defaults = Settings::read(None, WORDS).ok().unwrap();
        assert!(defaults.check_on_open && !defaults.robustness);
        assert_eq!(defaults.options.read.c.flags, ["--timeout", "10"]);
        let given = json!({
            "model": ["sc", "pso"], "engine": "explicit", "timeout": 2.5, "checkOnOpen": false,
            "arguments": ["-I", "include"],
        });
        let given = Settings::read(Some(given), WORDS).ok().unwrap();
        let expected = "--model sc --model pso --engine explicit --timeout 2.5 -I include";
        assert_eq!(given.options.read.c.flags.join(" "), expected);
        assert!(!given.check_on_open);
        for wrong in [
            json!({"models": "tso"}),
            json!({"timeout": -1}),
            json!({"timeout": "soon"}),
            json!({"robustness": 1}),
            json!({"model": [1]}),
        ] {
            assert!(Settings::read(Some(wrong.clone()), WORDS).is_err(), "{wrong}");
        }
    }
}
