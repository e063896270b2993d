//! Certificates as JSON, and back. Lists that can be long have an element a line, so that two
//! certificates can be compared line by line.
//!
//! Cells, values, threads, procedures, nodes and states are numbers; names are there for people and
//! are not read back. An operation is `["nop"]`, `["fence"]`, `["read",cell,value]`,
//! `["write",cell,value]` or `["atomic",[[cell,value],...],[[cell,value],...]]`, where a value is its number
//! in the cell's list. A place is `[frames,registers,held,life]`, a frame `[procedure,node,call]`. An element of
//! the basis is `[memory,threads]`: open cells are null, a thread is `[group,state,buffer]`, and a message
//! `[cell,value]`, own ones `[cell,value,"own"]`. An element of the invariant is `[states,memory,readable]`, where
//! `readable` has for each thread and each cell the list of values. Where the program starts threads, the certificate speaks
//! of the program in which `slots` threads wait from the beginning to be started.

use fencepost_ir::cfg::{Loc, Program};
use fencepost_task::certificate::{
    CertifiedConfiguration, CertifiedFrame, CertifiedGroup, CertifiedLife, CertifiedMessage, CertifiedOp,
    CertifiedPlace, CertifiedProcess, CertifiedReachable, CertifiedVariable,
};
use fencepost_task::{Certificate, EngineId, Model};
use serde_json::{Value, json};
use std::fmt::Write;

/// A certificate as text.
pub fn write(file: &str, engine: EngineId, program: &Program, certificate: &Certificate) -> String {
    let mut text = String::from("{\n");
    let head = [
        ("schema", json!(1)),
        ("kind", json!("certificate")),
        ("file", json!(file)),
        ("model", json!(Model::Tso.name())),
        ("engine", json!(engine.name())),
        ("slots", json!(certificate.slots)),
    ];
    for (key, value) in head {
        let _ = writeln!(text, "{}:{value},", json!(key));
    }
    let variables = certificate.variables.iter().enumerate().map(|(i, v)| variable(program, i as u32, v));
    lines(&mut text, "variables", variables);
    text.push_str(",\n\"groups\":[");
    for (i, group) in certificate.groups.iter().enumerate() {
        let names = group.starts.iter().filter_map(|s| program.threads.get(*s as usize)).map(|t| &t.name);
        let names: Vec<_> = names.collect();
        text.push_str(if i == 0 { "\n{" } else { ",\n{" });
        let head = [
            ("threads", json!(names)),
            ("starts", json!(group.starts)),
            ("count", json!(group.count)),
            ("states", json!(group.states)),
        ];
        for (key, value) in head {
            let _ = write!(text, "{}:{value},", json!(key));
        }
        text.push('\n');
        lines(
            &mut text,
            "transitions",
            group.transitions.iter().map(|(a, op, b)| json!([a, operation(op), b])),
        );
        text.push_str(",\n");
        lines(&mut text, "relation", group.relation.iter().map(|(p, s)| json!([place(p), s])));
        text.push('}');
    }
    text.push_str("\n],\n");
    lines(&mut text, "basis", certificate.basis.iter().map(configuration));
    text.push_str(",\n");
    let reachable = |r: &CertifiedReachable| json!([r.states, r.memory, r.readable]);
    lines(&mut text, "invariant", certificate.invariant.iter().map(reachable));
    text.push_str("\n}\n");
    text
}

fn lines(text: &mut String, key: &str, items: impl Iterator<Item = Value>) {
    let _ = write!(text, "{}:[", json!(key));
    for (i, item) in items.enumerate() {
        let _ = write!(text, "{}\n{item}", if i == 0 { "" } else { "," });
    }
    text.push_str("\n]");
}

fn variable(program: &Program, number: u32, variable: &CertifiedVariable) -> Value {
    // Cells of slots, which come last, are none of the program's.
    let own = number < program.cell_bases()[program.objects.len()];
    let name = own.then(|| program.cell_name(Loc::cell(number))).flatten();
    json!({"name": name, "values": variable.values, "initial": variable.initial})
}

fn operation(op: &CertifiedOp) -> Value {
    match op {
        CertifiedOp::Nop => json!(["nop"]),
        CertifiedOp::Read(x, v) => json!(["read", x, v]),
        CertifiedOp::Write(x, v) => json!(["write", x, v]),
        CertifiedOp::Fence => json!(["fence"]),
        CertifiedOp::Atomic(guard, update) => json!(["atomic", guard, update]),
    }
}

fn life_name(life: CertifiedLife) -> &'static str {
    match life {
        CertifiedLife::Running => "running",
        CertifiedLife::Ended => "ended",
        CertifiedLife::Failed => "failed",
    }
}

fn place(place: &CertifiedPlace) -> Value {
    let frames: Vec<_> = place.frames.iter().map(|f| json!([f.procedure, f.node, f.call])).collect();
    json!([frames, place.registers, place.held, life_name(place.life)])
}

fn configuration(configuration: &CertifiedConfiguration) -> Value {
    let message = |m: &CertifiedMessage| match m.own {
        true => json!([m.variable, m.value, "own"]),
        false => json!([m.variable, m.value]),
    };
    let process =
        |p: &CertifiedProcess| json!([p.group, p.state, p.buffer.iter().map(message).collect::<Vec<_>>()]);
    json!([configuration.memory, configuration.processes.iter().map(process).collect::<Vec<_>>()])
}

/// A certificate that was saved.
#[derive(Clone, Debug)]
pub struct SavedCertificate {
    /// The memory model that it speaks of.
    pub model: Model,
    /// The proof.
    pub certificate: Certificate,
}

/// Reads a certificate that `check` saved.
pub fn read(text: &str) -> Result<SavedCertificate, String> {
    let value: Value = serde_json::from_str(text).map_err(|e| format!("not a JSON object: {e}"))?;
    if value.get("schema").is_some_and(|schema| *schema != 1) {
        return Err("this certificate has another schema than 1".to_string());
    }
    let model = value.get("model").and_then(Value::as_str).and_then(Model::from_name);
    let model = model.ok_or("no memory model: the key `model` is `sc`, `tso` or `pso`")?;
    let slots = value.get("slots").map_or(Some(0), Value::as_u64).and_then(|n| u32::try_from(n).ok());
    let certificate = Certificate {
        slots: slots.ok_or("the key `slots` is no number of threads")?,
        variables: keyed(&value, "variables", read_variable)?,
        groups: keyed(&value, "groups", read_group)?,
        basis: keyed(&value, "basis", read_configuration)?,
        invariant: keyed(&value, "invariant", read_reachable)?,
    };
    Ok(SavedCertificate { model, certificate })
}

/// A list under a key, each element read.
fn keyed<T>(object: &Value, key: &str, read: impl Fn(&Value) -> Result<T, String>) -> Result<Vec<T>, String> {
    let list = object.get(key).and_then(Value::as_array).ok_or_else(|| format!("no list `{key}`"))?;
    let numbered = list.iter().enumerate();
    numbered.map(|(i, item)| read(item).map_err(|m| format!("`{key}`, {}: {m}", i + 1))).collect()
}

/// The elements of a list.
fn items<T>(value: &Value, read: impl Fn(&Value) -> Result<T, String>) -> Result<Vec<T>, String> {
    value.as_array().ok_or("expected a list")?.iter().map(read).collect()
}

fn number(value: &Value) -> Result<u32, String> {
    let number = value.as_u64().and_then(|n| u32::try_from(n).ok());
    number.ok_or_else(|| format!("expected a number, not {}", short(value)))
}

fn integer(value: &Value) -> Result<i64, String> {
    value.as_i64().ok_or_else(|| format!("expected an integer, not {}", short(value)))
}

fn optional(value: &Value) -> Result<Option<u32>, String> {
    if value.is_null() { Ok(None) } else { number(value).map(Some) }
}

/// What is there, cut off.
fn short(value: &Value) -> String {
    let text = value.to_string();
    let start: String = text.chars().take(40).collect();
    if start.len() < text.len() { format!("{start}...") } else { start }
}

fn read_variable(value: &Value) -> Result<CertifiedVariable, String> {
    Ok(CertifiedVariable {
        values: keyed(value, "values", integer)?,
        initial: number(value.get("initial").unwrap_or(&Value::Null))
            .map_err(|m| format!("`initial`: {m}"))?,
    })
}

fn read_group(value: &Value) -> Result<CertifiedGroup, String> {
    let at = |key: &str| value.get(key).unwrap_or(&Value::Null);
    if value.get("count").is_none() {
        return Err("no `count`".into());
    }
    Ok(CertifiedGroup {
        starts: keyed(value, "starts", number)?,
        count: optional(at("count")).map_err(|m| format!("`count`: {m}"))?,
        states: number(at("states")).map_err(|m| format!("`states`: {m}"))?,
        transitions: keyed(value, "transitions", |t| match parts(t)? {
            [from, op, to] => Ok((number(from)?, read_operation(op)?, number(to)?)),
            _ => Err("expected [state,operation,state]".into()),
        })?,
        relation: keyed(value, "relation", |r| match parts(r)? {
            [place, state] => Ok((read_place(place)?, number(state)?)),
            _ => Err("expected [place,state]".into()),
        })?,
    })
}

fn parts(value: &Value) -> Result<&[Value], String> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| format!("expected a list, not {}", short(value)))
}

fn read_operation(value: &Value) -> Result<CertifiedOp, String> {
    let pair = |value: &Value| match parts(value)? {
        [x, v] => Ok((number(x)?, number(v)?)),
        _ => Err("expected [cell,value]".into()),
    };
    let list = parts(value)?;
    match (list.first().and_then(Value::as_str), &list[1.min(list.len())..]) {
        (Some("nop"), []) => Ok(CertifiedOp::Nop),
        (Some("fence"), []) => Ok(CertifiedOp::Fence),
        (Some("read"), [x, v]) => Ok(CertifiedOp::Read(number(x)?, number(v)?)),
        (Some("write"), [x, v]) => Ok(CertifiedOp::Write(number(x)?, number(v)?)),
        (Some("atomic"), [guard, update]) => {
            Ok(CertifiedOp::Atomic(items(guard, pair)?, items(update, pair)?))
        }
        _ => Err(format!("no such operation: {}", short(value))),
    }
}

fn read_place(value: &Value) -> Result<CertifiedPlace, String> {
    let [frames, registers, held, life] = parts(value)? else {
        return Err("expected [frames,registers,held,life]".into());
    };
    let frame = |value: &Value| match parts(value)? {
        [procedure, node, call] => {
            Ok(CertifiedFrame { procedure: number(procedure)?, node: number(node)?, call: optional(call)? })
        }
        _ => Err("expected [procedure,node,call]".to_string()),
    };
    let lives = [CertifiedLife::Running, CertifiedLife::Ended, CertifiedLife::Failed];
    let life = lives.into_iter().find(|l| life.as_str() == Some(life_name(*l)));
    Ok(CertifiedPlace {
        frames: items(frames, frame)?,
        registers: items(registers, integer)?,
        held: items(held, number)?,
        life: life.ok_or("a place is `running`, `ended` or `failed`")?,
    })
}

fn read_reachable(value: &Value) -> Result<CertifiedReachable, String> {
    let [states, memory, readable] = parts(value)? else {
        return Err("expected [states,memory,readable]".into());
    };
    Ok(CertifiedReachable {
        states: items(states, number)?,
        memory: items(memory, number)?,
        readable: items(readable, |thread| items(thread, |cell| items(cell, number)))?,
    })
}

fn read_configuration(value: &Value) -> Result<CertifiedConfiguration, String> {
    let [memory, processes] = parts(value)? else { return Err("expected [memory,threads]".into()) };
    let message = |value: &Value| match parts(value)? {
        [x, v] => Ok(CertifiedMessage { variable: number(x)?, value: optional(v)?, own: false }),
        [x, v, own] if own == "own" => {
            Ok(CertifiedMessage { variable: number(x)?, value: optional(v)?, own: true })
        }
        _ => Err("expected [cell,value] or [cell,value,\"own\"]".to_string()),
    };
    let process = |value: &Value| match parts(value)? {
        [group, state, buffer] => Ok(CertifiedProcess {
            group: number(group)?,
            state: number(state)?,
            buffer: items(buffer, message)?,
        }),
        _ => Err("expected [group,state,buffer]".to_string()),
    };
    Ok(CertifiedConfiguration { memory: items(memory, optional)?, processes: items(processes, process)? })
}
