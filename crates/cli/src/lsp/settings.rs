//! What the editor's user wants: the options of `fencepost check`, under the names of settings.

use crate::options::{CheckOptions, Cli, Command};
use clap::Parser;
use serde_json::Value;
use std::sync::Arc;

/// Seconds for each memory model, where nobody says more.
const TIMEOUT: f64 = 10.0;

/// Seconds for the search for fences.
const FENCE_TIME: f64 = 10.0;

/// What is wanted.
#[derive(Clone)]
pub struct Settings {
    pub options: Arc<CheckOptions>,
    pub fence_time: f64,
    pub check_on_open: bool,
    /// Whether stores that a load can overtake are shown even if nothing breaks.
    pub robustness: bool,
}

impl Settings {
    /// Reads settings; a missing one has its default. Or what is wrong with them.
    pub fn read(settings: &Value) -> Result<Settings, String> {
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
        let mut arguments = vec!["fencepost".to_string(), "check".to_string()];
        for model in words("model")? {
            arguments.extend(["--model".to_string(), model]);
        }
        for engine in words("engine")? {
            arguments.extend(["--engine".to_string(), engine]);
        }
        arguments.extend(["--timeout".to_string(), seconds("timeout", TIMEOUT)?.to_string()]);
        arguments.extend(words("arguments")?);
        arguments.push("-".to_string());
        let options = match Cli::try_parse_from(arguments) {
            Ok(Cli { command: Command::Check(options), .. }) => options,
            Ok(_) => return Err("`arguments` are options of `fencepost check`".to_string()),
            Err(error) => return Err(first_line(&error.to_string())),
        };
        if options.input.link || options.files.len() > 1 || options.print.is_some() {
            return Err("`arguments` are options for one file, without --link and --print".to_string());
        }
        Ok(Settings {
            options: Arc::new(options),
            fence_time: seconds("fenceTime", FENCE_TIME)?,
            check_on_open: flag("checkOnOpen", true)?,
            robustness: flag("robustness", false)?,
        })
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_string()
}

#[cfg(test)]
mod tests {
    use super::Settings;
    use crate::options::ModelName;
    use serde_json::{Value, json};

    #[test]
    fn settings_are_options_of_check() {
        let defaults = Settings::read(&Value::Null).ok().unwrap();
        assert_eq!(defaults.options.models, [ModelName::Tso]);
        assert!(defaults.check_on_open && !defaults.robustness);
        let given = json!({
            "model": ["sc", "pso"], "engine": "explicit", "timeout": 2.5, "checkOnOpen": false,
            "arguments": ["-I", "include", "-D", "N=2"],
        });
        let given = Settings::read(&given).ok().unwrap();
        assert_eq!(given.options.models, [ModelName::Sc, ModelName::Pso]);
        assert_eq!((given.options.timeout, given.options.input.define.len()), (Some(2.5), 1));
        for wrong in [
            json!({"model": "arm"}),
            json!({"models": "tso"}),
            json!({"timeout": -1}),
            json!({"timeout": "soon"}),
            json!({"arguments": ["--nonsense"]}),
            json!({"arguments": ["--link"]}),
            json!({"arguments": ["other.c"]}),
            json!({"robustness": 1}),
            json!({"model": [1]}),
        ] {
            assert!(Settings::read(&wrong).is_err(), "{wrong}");
        }
    }
}
