//! The reference of results, made from their types: `docs/result.schema.json` and `docs/json.md`. After a change of the types,
//! `UPDATE_EXPECT=1 cargo test -p fencepost-report reference`, then read the difference.

use super::*;
use expect_test::expect_file;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::fmt::Write;

macro_rules! inline_schema {
    ([$($generics:tt)*] $type:ty, |$generator:ident| $schema:expr) => {
        impl<$($generics)*> JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }

            fn schema_id() -> Cow<'static, str> {
                std::any::type_name::<Self>().into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema($generator: &mut SchemaGenerator) -> schemars::Schema {
                $schema
            }
        }
    };
}

inline_schema!([] Schema, |_generator| json_schema!({"const": 1}));
inline_schema!([] Integer, |_generator| json_schema!({"type": "integer"}));
inline_schema!([T: Vocabulary] Word<T>, |_generator| {
    let mut words: Vec<_> = T::all().into_iter().map(Vocabulary::word).collect();
    let mut seen = std::collections::BTreeSet::new();
    words.retain(|word| seen.insert(*word));
    json_schema!({"enum": words})
});
inline_schema!([K, V: JsonSchema] Ordered<K, V>, |generator| {
    let values = generator.subschema_for::<V>();
    json_schema!({"type": "object", "additionalProperties": values})
});
inline_schema!([] Steps<'_>, |generator| {
    let step = generator.subschema_for::<Step>();
    json_schema!({"type": "array", "items": step})
});
inline_schema!([] ScopeResult, |_generator| {
    let bound = |name: &str| (name.to_string(), json!({"type": "integer", "minimum": 0}));
    let bounds: Map<String, Value> = fencepost_task::Bounds::NAMES.into_iter().map(bound).collect();
    json_schema!({"anyOf": [{"const": "complete"}, {"type": "object", "properties": bounds}]})
});

/// What makes the schema of a type.
type Make = fn(&mut SchemaGenerator) -> schemars::Schema;

/// The kinds of objects: a title, the name of the type, and its schema.
const KINDS: [(&str, &str, Make); 20] = [
    ("`check`, `explain`, `--trace`", "CheckResult", |g| g.subschema_for::<CheckResult<'static>>()),
    ("Files that cannot be read", "ErrorResult", |g| g.subschema_for::<ErrorResult>()),
    ("`litmus`", "LitmusResult", |g| g.subschema_for::<LitmusResult>()),
    ("`litmus`, out of time", "Untold", |g| g.subschema_for::<Untold>()),
    ("`litmus --compare`", "Comparison", |g| g.subschema_for::<Comparison>()),
    ("`litmus --expect`", "RecordedAnswer", |g| g.subschema_for::<RecordedAnswer>()),
    ("`robust`", "RobustResult", |g| g.subschema_for::<RobustResult>()),
    ("`robust --model c11`", "RobustC11Result", |g| g.subschema_for::<RobustC11Result>()),
    ("`fences`", "FencesResult", |g| g.subschema_for::<FencesResult>()),
    ("`fences --audit`", "AuditResult", |g| g.subschema_for::<AuditResult>()),
    ("`merge`", "SummaryResult", |g| g.subschema_for::<SummaryResult>()),
    ("`--certificate`", "CertificateResult", |g| g.subschema_for::<CertificateResult>()),
    ("`bench auto`", "AutoRow", |g| g.subschema_for::<AutoRow>()),
    ("`bench bmc`", "BmcRow", |g| g.subschema_for::<BmcRow>()),
    ("`bench dual`", "DualRow", |g| g.subschema_for::<DualRow>()),
    ("`bench explore`", "ExploreRow", |g| g.subschema_for::<ExploreRow>()),
    ("`bench lazy`", "LazyRow", |g| g.subschema_for::<LazyRow>()),
    ("`bench litmus`", "LitmusRow", |g| g.subschema_for::<LitmusRow>()),
    ("`bench translate`", "TranslateRow", |g| g.subschema_for::<TranslateRow>()),
    ("`bench`, tools that are missing", "MissingPeer", |g| g.subschema_for::<MissingPeer>()),
];

fn schema() -> Value {
    let mut generator = SchemaGenerator::new(SchemaSettings::draft2020_12().for_serialize());
    let kinds: Vec<Value> = KINDS.iter().map(|(_, _, make)| make(&mut generator).to_value()).collect();
    let definitions = generator.take_definitions(true);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Results of Fencepost, schema 1",
        "description": "One object of any command. Readers ignore keys that are not listed.",
        "anyOf": kinds,
        "$defs": definitions,
    })
}

#[test]
fn schema_is_that_of_the_types() {
    expect_file!["../../../../docs/result.schema.json"].assert_eq(&format!("{:#}\n", schema()));
}

const OPENING: &str = "# JSON

`--format json` prints one object a line; `--results`, `--trace` and `--certificate` write such objects to files, and `merge`, `replay`,
`certify` and `litmus --expect` read them. [result.schema.json](result.schema.json) is a JSON Schema for all of them. Both files are made from the types
in `crates/report/src/results/`, which write and read the objects; a test compares them.

Keys stand in the order of these tables. A key that is marked *optional* is left out where it does not apply. New versions may add keys
and words, so readers should ignore what they do not know; a change of what is there would change `schema`.

```console
$ fencepost robust --format json examples/sb_fenced.fp
{\"schema\":1,\"file\":\"examples/sb_fenced.fp\",\"model\":\"tso\",\"criterion\":\"traces\",\"verdict\":\"robust\"
...
```
";

#[test]
fn every_key_is_in_the_reference() {
    let schema = schema();
    let definitions = schema["$defs"].as_object().unwrap();
    let mut out = OPENING.to_string();
    for (title, name, _) in KINDS.iter() {
        let _ = write!(out, "\n## {title}\n\n{}", table(&definitions[*name]));
    }
    out += "\n## Parts\n";
    let is_kind = |name: &str| KINDS.iter().any(|(_, kind, _)| *kind == name);
    for (name, part) in definitions.iter().filter(|(name, _)| !is_kind(name)) {
        let _ = write!(out, "\n### {name}\n\n{}", table(part));
    }
    expect_file!["../../../../docs/json.md"].assert_eq(&out);
}

/// A description, and a row for each key.
fn table(definition: &Value) -> String {
    let mut out = String::new();
    if let Some(text) = definition["description"].as_str() {
        let _ = writeln!(out, "{}", one_line(text));
    }
    let Some(properties) = definition["properties"].as_object() else {
        let _ = writeln!(out, "\nIt is {}.", kind(definition));
        return out;
    };
    out += "\n| key | value | meaning |\n|---|---|---|\n";
    let required = definition["required"].as_array().cloned().unwrap_or_default();
    for (key, value) in properties {
        let optional = if required.contains(&json!(key)) { "" } else { ", *optional*" };
        let meaning =
            one_line(value["description"].as_str().unwrap_or_else(|| panic!("{key} is documented")));
        let _ = writeln!(out, "| `{key}` | {}{optional} | {meaning} |", kind(value));
    }
    out
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a value can be, in words.
fn kind(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap_or(reference);
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(constant) = schema.get("const") {
        return word(constant);
    }
    if let Some(words) = schema["enum"].as_array() {
        return words.iter().map(word).collect::<Vec<_>>().join(", ");
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(kinds) = schema[key].as_array() {
            return kinds.iter().map(kind).collect::<Vec<_>>().join(" or ");
        }
    }
    let types = match &schema["type"] {
        Value::String(one) => vec![one.as_str()],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => panic!("a schema without a type: {schema}"),
    };
    let shown = types.into_iter().map(|name| match name {
        "array" => match (schema["prefixItems"].as_array(), schema.get("items")) {
            (Some(items), _) => format!("[{}]", items.iter().map(kind).collect::<Vec<_>>().join(", ")),
            (None, Some(items)) => format!("list of {}", kind(items)),
            (None, None) => panic!("a list of anything: {schema}"),
        },
        "object" => match (schema["properties"].as_object(), schema.get("additionalProperties")) {
            (Some(keys), _) => {
                let keys: Vec<_> = keys.keys().map(|key| format!("`{key}`")).collect();
                format!("object with any of {}", keys.join(", "))
            }
            (None, Some(values)) => format!("object of {}", kind(values)),
            (None, None) => panic!("an object of anything: {schema}"),
        },
        name => name.to_string(),
    });
    shown.collect::<Vec<_>>().join(" or ")
}

fn word(value: &Value) -> String {
    match value {
        Value::String(text) => format!("`{text}`"),
        Value::Null => "null".to_string(),
        other => format!("`{other}`"),
    }
}
