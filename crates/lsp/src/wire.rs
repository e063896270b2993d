//! JSON-RPC over a stream: messages after a header with their length, as the Language Server Protocol has them.

use serde_json::{Value, json};
use std::io::{self, BufRead, Write};

/// Nobody sends a text of this size.
const LARGEST: usize = 64 << 20;

/// No header line is as long as this.
const LONGEST_LINE: u64 = 4096;

/// What comes in.
#[derive(Debug, PartialEq)]
pub enum Incoming {
    Message(Value),
    /// What is not a message; the next one can be read.
    Broken(&'static str),
    /// There is no more, or no way to find the next message.
    End,
}

/// Reads the next message.
pub fn read(stream: &mut impl BufRead) -> Incoming {
    let mut length = None;
    let mut first = true;
    loop {
        let mut line = Vec::new();
        let read = io::Read::take(&mut *stream, LONGEST_LINE).read_until(b'\n', &mut line);
        match read {
            Ok(0) | Err(_) => return Incoming::End,
            Ok(_) => {}
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() && first {
            // Some clients send empty lines between messages.
            continue;
        }
        if line.is_empty() {
            break;
        }
        first = false;
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<usize>().ok();
        }
    }
    let Some(length) = length else { return Incoming::Broken("a message without Content-Length") };
    if length > LARGEST {
        return Incoming::End;
    }
    let mut content = vec![0; length];
    if stream.read_exact(&mut content).is_err() {
        return Incoming::End;
    }
    match serde_json::from_slice(&content) {
        Ok(message) => Incoming::Message(message),
        Err(_) => Incoming::Broken("a message that is not JSON"),
    }
}

/// Writes a message. Nobody may be left to read it.
pub fn write(stream: &mut impl Write, message: &Value) -> io::Result<()> {
    let content = message.to_string();
    write!(stream, "Content-Length: {}\r\n\r\n{content}", content.len())?;
    stream.flush()
}

/// Why a request is not answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    NotJson,
    NoRequest,
    NoSuchMethod,
    WrongParameters,
    NotInitialized,
}

impl Refusal {
    fn code(self) -> i32 {
        match self {
            Refusal::NotJson => -32700,
            Refusal::NoRequest => -32600,
            Refusal::NoSuchMethod => -32601,
            Refusal::WrongParameters => -32602,
            Refusal::NotInitialized => -32002,
        }
    }
}

pub fn response(id: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

pub fn refusal(id: &Value, refusal: Refusal, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": refusal.code(), "message": message}})
}

pub fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

pub fn request(id: &str, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

#[cfg(test)]
mod tests {
    use super::{Incoming, read, write};
    use serde_json::json;

    #[test]
    fn messages_one_after_the_other() {
        let mut bytes = Vec::new();
        write(&mut bytes, &json!({"text": "ä"})).unwrap();
        bytes.extend(b"Content-Type: x\r\ncontent-length: 3\r\n\r\n{,}");
        bytes.extend(b"Wrong: header\r\n\r\n");
        bytes.extend(b"Content-Length: 4\r\n\r\nnull");
        bytes.extend(b"Content-Length: 40\r\n\r\n{}");
        let mut stream = &bytes[..];
        assert_eq!(read(&mut stream), Incoming::Message(json!({"text": "ä"})));
        assert!(matches!(read(&mut stream), Incoming::Broken(_)));
        assert!(matches!(read(&mut stream), Incoming::Broken(_)));
        assert_eq!(read(&mut stream), Incoming::Message(json!(null)));
        assert_eq!(read(&mut stream), Incoming::End, "the text ends too early");
        assert_eq!(read(&mut &b"Content-Length: 99999999999\r\n\r\n"[..]), Incoming::End);
    }
}
