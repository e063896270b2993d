//! What the standard demands of a SARIF 2.1.0 log, as far as our logs go: required properties, their types and allowed
//! values, indices that point to something, places that count from 1, URIs. An object may only have the properties that
//! are named here: one that the standard does not know would make the log invalid.

use serde_json::Value;

/// Checks a log; gives its only run.
pub fn check(log: &Value) -> &Value {
    let at = "log";
    object(at, log, &["version", "runs"], &["$schema"]);
    assert_eq!(log["version"], "2.1.0");
    uri(at, &log["$schema"]);
    let [run] = &array(at, &log["runs"])[..] else { panic!("one run") };
    self::run(run);
    run
}

fn run(run: &Value) {
    let known = ["language", "columnKind", "originalUriBaseIds", "invocations", "artifacts", "results"];
    object("run", run, &["tool"], &known);
    assert!(["utf16CodeUnits", "unicodeCodePoints"].contains(&text("run.columnKind", &run["columnKind"])));
    language(&run["language"]);
    object("tool", &run["tool"], &["driver"], &[]);
    let driver = &run["tool"]["driver"];
    let known = ["version", "semanticVersion", "shortDescription", "language", "rules", "notifications"];
    object("driver", driver, &["name"], &known);
    for key in ["name", "version", "semanticVersion"] {
        text(key, &driver[key]);
    }
    message("driver.shortDescription", &driver["shortDescription"]);
    language(&driver["language"]);
    for list in ["rules", "notifications"] {
        let mut ids: Vec<&str> = array(list, &driver[list]).iter().map(descriptor).collect();
        ids.sort();
        let all = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), all, "ids of {list} are unique");
    }
    for (name, base) in run["originalUriBaseIds"].as_object().unwrap() {
        object(name, base, &[], &["uri", "description"]);
        // What others are relative to is absolute, and ends with a slash.
        assert!(text(name, &base["uri"]).starts_with("file:///") && text(name, &base["uri"]).ends_with('/'));
        message(name, &base["description"]);
    }
    for artifact in array("artifacts", &run["artifacts"]) {
        let known = ["length", "roles", "encoding", "hashes", "sourceLanguage"];
        object("artifact", artifact, &["location"], &known);
        place_of_file(run, &artifact["location"]);
        assert!(artifact["location"].get("index").is_none());
        assert!(artifact["length"].is_u64());
        assert_eq!(artifact["roles"], serde_json::json!(["analysisTarget"]));
        let hash = text("hash", &artifact["hashes"]["sha-256"]);
        assert!(hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit()));
    }
    for invocation in array("invocations", &run["invocations"]) {
        self::invocation(run, invocation);
    }
    for result in array("results", &run["results"]) {
        self::result(run, result);
    }
}

fn descriptor(descriptor: &Value) -> &str {
    let known = ["name", "shortDescription", "fullDescription", "help", "defaultConfiguration", "properties"];
    object("descriptor", descriptor, &["id"], &known);
    for key in ["shortDescription", "fullDescription", "help"] {
        if let Some(described) = descriptor.get(key) {
            message(key, described);
        }
    }
    if let Some(configuration) = descriptor.get("defaultConfiguration") {
        object("configuration", configuration, &[], &["level"]);
        level(&configuration["level"]);
    }
    text("id", &descriptor["id"])
}

fn invocation(run: &Value, invocation: &Value) {
    let known = [
        "exitCode",
        "commandLine",
        "arguments",
        "workingDirectory",
        "startTimeUtc",
        "endTimeUtc",
        "toolExecutionNotifications",
    ];
    object("invocation", invocation, &["executionSuccessful"], &known);
    assert!(invocation["executionSuccessful"].is_boolean() && invocation["exitCode"].is_u64());
    array("arguments", &invocation["arguments"]).iter().for_each(|a| assert!(a.is_string()));
    for key in ["startTimeUtc", "endTimeUtc"] {
        let time = text(key, &invocation[key]);
        let shape: String = time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        assert_eq!(shape, "0000-00-00T00:00:00Z");
    }
    for notification in array("notifications", &invocation["toolExecutionNotifications"]) {
        object("notification", notification, &["message"], &["descriptor", "level", "locations"]);
        message("notification", &notification["message"]);
        level(&notification["level"]);
        let descriptor = &notification["descriptor"];
        let known = array("notifications", &run["tool"]["driver"]["notifications"]);
        let found = &known[descriptor["index"].as_u64().unwrap() as usize];
        assert_eq!(found["id"], descriptor["id"]);
        if let Some(locations) = notification.get("locations") {
            array("locations", locations).iter().for_each(|l| location(run, l));
        }
    }
}

fn result(run: &Value, result: &Value) {
    let known = [
        "ruleId",
        "ruleIndex",
        "kind",
        "level",
        "locations",
        "partialFingerprints",
        "properties",
        "relatedLocations",
        "codeFlows",
        "fixes",
    ];
    object("result", result, &["message"], &known);
    message("result", &result["message"]);
    let rules = array("rules", &run["tool"]["driver"]["rules"]);
    let rule = &rules[result["ruleIndex"].as_u64().unwrap() as usize];
    assert_eq!(rule["id"], result["ruleId"]);
    let (kind, level) = (text("kind", &result["kind"]), text("level", &result["level"]));
    assert!(["fail", "pass", "open"].contains(&kind));
    self::level(&result["level"]);
    assert_eq!(kind != "fail", level == "none", "only what is a problem has a level");
    // The standard allows none, but code scanning does not.
    assert!(!array("locations", &result["locations"]).is_empty());
    array("locations", &result["locations"]).iter().for_each(|l| location(run, l));
    let mut ids = Vec::new();
    for related in result.get("relatedLocations").map_or(&Vec::new(), |r| array("related", r)) {
        location(run, related);
        ids.push(related["id"].as_u64().unwrap());
    }
    let all = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), all, "ids of locations are unique");
    for (key, fingerprint) in result["partialFingerprints"].as_object().unwrap() {
        text(key, fingerprint);
    }
    for flow in result.get("codeFlows").map_or(&Vec::new(), |f| array("flows", f)) {
        code_flow(run, flow);
    }
    for fix in result.get("fixes").map_or(&Vec::new(), |f| array("fixes", f)) {
        self::fix(run, fix);
    }
}

fn code_flow(run: &Value, flow: &Value) {
    object("code flow", flow, &["threadFlows"], &["message"]);
    message("code flow", &flow["message"]);
    let mut orders = Vec::new();
    assert!(!array("thread flows", &flow["threadFlows"]).is_empty());
    for thread in array("thread flows", &flow["threadFlows"]) {
        object("thread flow", thread, &["locations"], &["id", "message", "initialState"]);
        text("thread flow", &thread["id"]);
        message("thread flow", &thread["message"]);
        state(&thread["initialState"]);
        let steps = array("thread flow", &thread["locations"]);
        assert!(!steps.is_empty());
        for step in steps {
            let known = ["executionOrder", "kinds", "importance", "nestingLevel", "location", "state"];
            object("step", step, &[], &known);
            orders.push(step["executionOrder"].as_u64().unwrap());
            assert!(step["nestingLevel"].is_u64());
            array("kinds", &step["kinds"]).iter().for_each(|k| assert!(k.is_string()));
            assert!(["essential", "important", "unimportant"].contains(&text("step", &step["importance"])));
            location(run, &step["location"]);
            state(&step["state"]);
        }
        let last = orders.len() - steps.len();
        assert!(orders[last..].is_sorted(), "a thread's steps are in the run's order");
    }
    orders.sort();
    assert!(orders.windows(2).all(|w| w[0] < w[1]), "a step of the run is there once");
}

fn state(state: &Value) {
    for (name, value) in state.as_object().unwrap() {
        message(name, value);
    }
}

fn fix(run: &Value, fix: &Value) {
    object("fix", fix, &["artifactChanges"], &["description"]);
    message("fix", &fix["description"]);
    assert!(!array("changes", &fix["artifactChanges"]).is_empty());
    for change in array("changes", &fix["artifactChanges"]) {
        object("change", change, &["artifactLocation", "replacements"], &[]);
        place_of_file(run, &change["artifactLocation"]);
        assert!(!array("replacements", &change["replacements"]).is_empty());
        for replacement in array("replacements", &change["replacements"]) {
            object("replacement", replacement, &["deletedRegion"], &["insertedContent"]);
            region(&replacement["deletedRegion"]);
            object("content", &replacement["insertedContent"], &[], &["text"]);
            text("content", &replacement["insertedContent"]["text"]);
        }
    }
}

fn location(run: &Value, location: &Value) {
    object("location", location, &[], &["id", "physicalLocation", "logicalLocations", "message"]);
    if let Some(physical) = location.get("physicalLocation") {
        object("physical location", physical, &["artifactLocation"], &["region"]);
        place_of_file(run, &physical["artifactLocation"]);
        if let Some(region) = physical.get("region") {
            self::region(region);
        }
    }
    for logical in location.get("logicalLocations").map_or(&Vec::new(), |l| array("logical", l)) {
        object("logical location", logical, &[], &["name", "kind"]);
        text("logical location", &logical["name"]);
    }
    if let Some(said) = location.get("message") {
        message("location", said);
    }
}

fn place_of_file(run: &Value, place: &Value) {
    object("artifact location", place, &[], &["uri", "uriBaseId", "index"]);
    let address = text("uri", &place["uri"]);
    let base = place.get("uriBaseId").map(|b| text("base", b));
    match base {
        Some(base) => {
            assert!(run["originalUriBaseIds"].get(base).is_some(), "{base} is defined");
            assert!(
                !address.contains(':') && !address.starts_with('/') && !address.contains(".."),
                "{address}"
            );
        }
        None => assert!(address.starts_with("file:///"), "{address}"),
    }
    uri("artifact location", &place["uri"]);
    if let Some(index) = place.get("index") {
        let artifact = &array("artifacts", &run["artifacts"])[index.as_u64().unwrap() as usize];
        assert_eq!(artifact["location"]["uri"], place["uri"]);
        assert_eq!(artifact["location"]["uriBaseId"], place["uriBaseId"]);
    }
}

fn region(region: &Value) {
    let known = ["startColumn", "endLine", "endColumn", "snippet", "message"];
    object("region", region, &["startLine"], &known);
    let number = |key: &str| region.get(key).map(|n| n.as_u64().unwrap());
    let start = (number("startLine").unwrap(), number("startColumn").unwrap_or(1));
    let end = (number("endLine").unwrap_or(start.0), number("endColumn").unwrap_or(u64::MAX));
    assert!(start.0 >= 1 && start.1 >= 1 && start <= end, "{region}");
    if let Some(snippet) = region.get("snippet") {
        object("snippet", snippet, &[], &["text"]);
        text("snippet", &snippet["text"]);
    }
}

fn object(at: &str, value: &Value, required: &[&str], known: &[&str]) {
    let map = value.as_object().unwrap_or_else(|| panic!("{at} is an object: {value}"));
    for key in required {
        assert!(map.contains_key(*key), "{at} has {key}: {value}");
    }
    for key in map.keys() {
        let key = key.as_str();
        assert!(required.contains(&key) || known.contains(&key), "{at} may have {key}");
    }
}

fn array<'v>(at: &str, value: &'v Value) -> &'v Vec<Value> {
    value.as_array().unwrap_or_else(|| panic!("{at} is an array: {value}"))
}

fn text<'v>(at: &str, value: &'v Value) -> &'v str {
    let text = value.as_str().unwrap_or_else(|| panic!("{at} is a string: {value}"));
    assert!(!text.is_empty(), "{at} says something");
    text
}

fn message(at: &str, value: &Value) {
    object(at, value, &["text"], &["markdown"]);
    text(at, &value["text"]);
}

fn level(value: &Value) {
    assert!(["none", "note", "warning", "error"].contains(&text("level", value)), "{value}");
}

fn language(value: &Value) {
    assert_eq!(value, "en-US");
}

/// Only characters that a URI may have, and escapes that are whole.
fn uri(at: &str, value: &Value) {
    let uri = text(at, value);
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&b);
    assert!(uri.bytes().all(allowed), "{uri}");
    for (i, _) in uri.match_indices('%') {
        let escape = uri.get(i + 1..i + 3).unwrap_or("");
        assert!(escape.len() == 2 && escape.bytes().all(|b| b.is_ascii_hexdigit()), "{uri}");
    }
}
