//! Every JSON line that a test sees is checked against `docs/result.schema.json`: as strictly as JSON Schema can, and with
//! no keys that the schema does not have. The keywords of the schema are few; one that is not known here is a failure.

use super::root;
use serde_json::Value;
use std::sync::LazyLock;

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let text = std::fs::read_to_string(root().join("docs/result.schema.json")).unwrap();
    serde_json::from_str(&text).unwrap()
});

/// Keywords that say nothing about values.
const REMARKS: [&str; 6] = ["$schema", "$defs", "title", "description", "format", "default"];

/// Panics unless the line is a result.
pub fn check(line: &str) {
    let value: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
    if let Err(why) = fits(&value, &SCHEMA) {
        panic!("not as docs/result.schema.json says: {why}\n{}", &line[..line.len().min(2000)]);
    }
}

/// Checks what a run printed, if that was JSON.
pub fn check_output(arguments: &[&str], stdout: &str) {
    if arguments.windows(2).any(|pair| pair == ["--format", "json"]) || arguments.contains(&"--format=json") {
        stdout.lines().filter(|line| line.starts_with('{')).for_each(check);
    }
}

fn fits(value: &Value, schema: &Value) -> Result<(), String> {
    let Some(schema) = schema.as_object() else { return Err(format!("no schema: {schema}")) };
    for (keyword, wanted) in schema {
        let holds = match keyword.as_str() {
            "$ref" => {
                let name = wanted.as_str().unwrap().trim_start_matches("#/$defs/");
                fits(value, &SCHEMA["$defs"][name]).map_err(|why| format!("{name}: {why}"))?;
                true
            }
            "const" => value == wanted,
            "enum" => wanted.as_array().unwrap().contains(value),
            "type" => match wanted {
                Value::Array(types) => types.iter().any(|one| has_type(value, one)),
                one => has_type(value, one),
            },
            "anyOf" | "oneOf" => {
                let failures: Vec<String> =
                    wanted.as_array().unwrap().iter().filter_map(|one| fits(value, one).err()).collect();
                if failures.len() == wanted.as_array().unwrap().len() {
                    return Err(format!("none of these: {}", failures.join("; ")));
                }
                true
            }
            "minimum" => value.as_f64().is_none_or(|number| number >= wanted.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|number| number <= wanted.as_f64().unwrap()),
            "minItems" => value.as_array().is_none_or(|list| list.len() as u64 >= wanted.as_u64().unwrap()),
            "maxItems" => value.as_array().is_none_or(|list| list.len() as u64 <= wanted.as_u64().unwrap()),
            "required" => {
                let mut keys = wanted.as_array().unwrap().iter().map(|key| key.as_str().unwrap());
                if let Some(key) = keys.find(|key| value.is_object() && value.get(key).is_none()) {
                    return Err(format!("no key `{key}`"));
                }
                true
            }
            "properties" => {
                for (key, inner) in value.as_object().into_iter().flatten() {
                    let known = wanted.get(key).ok_or_else(|| format!("an unknown key `{key}`"))?;
                    fits(inner, known).map_err(|why| format!("`{key}`: {why}"))?;
                }
                true
            }
            "additionalProperties" => {
                let values = value.as_object().into_iter().flatten();
                for (key, inner) in values.filter(|_| wanted.is_object()) {
                    fits(inner, wanted).map_err(|why| format!("`{key}`: {why}"))?;
                }
                true
            }
            "items" => {
                for (number, inner) in value.as_array().into_iter().flatten().enumerate() {
                    fits(inner, wanted).map_err(|why| format!("element {}: {why}", number + 1))?;
                }
                true
            }
            "prefixItems" => {
                let places = wanted.as_array().unwrap();
                for (inner, place) in value.as_array().into_iter().flatten().zip(places) {
                    fits(inner, place)?;
                }
                true
            }
            remark => {
                assert!(REMARKS.contains(&remark), "the keyword {remark} is not checked");
                true
            }
        };
        if !holds {
            return Err(format!("{keyword} {wanted} does not allow {}", short(value)));
        }
    }
    Ok(())
}

fn has_type(value: &Value, name: &Value) -> bool {
    match name.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the type {other} is not known"),
    }
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(80).collect()
}

#[test]
fn what_is_no_result_is_refused() {
    let good = super::fencepost("check --format json examples/sb.fp").stdout;
    let good: Value = super::json(good.lines().next().unwrap());
    assert!(fits(&good, &SCHEMA).is_ok());
    for (key, wrong) in [
        ("verdict", Value::from("maybe")),
        ("extra", Value::from(1)),
        ("seconds", Value::from("soon")),
        ("schema", Value::from(2)),
        ("scope", serde_json::json!({"laps": 1})),
    ] {
        let mut changed = good.clone();
        changed[key] = wrong;
        assert!(fits(&changed, &SCHEMA).is_err(), "{key}");
    }
    let mut short = good;
    short.as_object_mut().unwrap().remove("engine");
    assert!(fits(&short, &SCHEMA).is_err());
}
