//! What the editor's user wants: the options of `fencepost check`, under the names of settings. Who reads these options is
//! whoever starts the server.

use fencepost_task::Model;
use fencepost_verify::{CheckOptions, Limits, ReadOptions};
use serde_json::Value;
use std::sync::Arc;

/// Default number of seconds for each memory model.
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
pub struct Settings {
    pub options: Arc<Wanted>,
    pub fence_time: f64,
    pub check_on_open: bool,
    /// Whether stores that a load can overtake are shown even if nothing breaks.
    pub robustness: bool,
}

impl Settings {
    /// Reads settings; a missing one has its default. Or what is wrong with them.
    pub fn read(settings: &Value, read: ReadArguments) -> Result<Settings, String> {
        let known = ["model", "engine", "timeout", "fenceTime", "checkOnOpen", "robustness", "arguments"];
        if let Some(map) = settings.as_object()
            && let Some(name) = map.keys().find(|name| !known.contains(&name.as_str()))
        {
            return Err(format!("there is no setting `{name}`; there are {}", known.join(", ")));
        }
        let words = |key: &str| -> Result<Vec<String>, String> {
            match &settings[key] {
                Value::Null => Ok(Vec::new()),
                Value::String(word) => Ok(vec![word.clone()]),
                Value::Array(list) => {
                    let words = list.iter().map(|word| word.as_str().map(str::to_string));
                    words.collect::<Option<_>>().ok_or_else(|| format!("`{key}` is a list of words"))
                }
                _ => Err(format!("`{key}` is a word or a list of words")),
            }
        };
        let seconds = |key: &str, default: f64| match &settings[key] {
            Value::Null => Ok(default),
            value => {
                let seconds = value.as_f64().filter(|s| *s > 0.0 && *s < 1e6);
                seconds.ok_or_else(|| format!("`{key}` is a positive number of seconds"))
            }
        };
        let flag = |key: &str, default: bool| match &settings[key] {
            Value::Null => Ok(default),
            value => value.as_bool().ok_or_else(|| format!("`{key}` is true or false")),
        };
        let mut arguments = Vec::new();
        for model in words("model")? {
            arguments.extend(["--model".to_string(), model]);
        }
        for engine in words("engine")? {
            arguments.extend(["--engine".to_string(), engine]);
        }
        arguments.extend(["--timeout".to_string(), seconds("timeout", TIMEOUT)?.to_string()]);
        arguments.extend(words("arguments")?);
        Ok(Settings {
            options: Arc::new(read(arguments)?),
            fence_time: seconds("fenceTime", FENCE_TIME)?,
            check_on_open: flag("checkOnOpen", true)?,
            robustness: flag("robustness", false)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{ReadArguments, Settings, Wanted};
    use fencepost_task::Model;
    use fencepost_verify::{CheckOptions, Limits, ReadOptions};
    use serde_json::{Value, json};

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
        let defaults = Settings::read(&Value::Null, WORDS).ok().unwrap();
        assert!(defaults.check_on_open && !defaults.robustness);
        assert_eq!(defaults.options.read.c.flags, ["--timeout", "10"]);
        let given = json!({
            "model": ["sc", "pso"], "engine": "explicit", "timeout": 2.5, "checkOnOpen": false,
            "arguments": ["-I", "include"],
        });
        let given = Settings::read(&given, WORDS).ok().unwrap();
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
            assert!(Settings::read(&wrong, WORDS).is_err(), "{wrong}");
        }
    }
}
