//! Verdicts as JUnit's XML, which CI servers read: a suite for each file, a case for each memory model. What is wrong is a
//! failure; what cannot be read or is not known is an error, or skipped if the user says that this is no harm.

use crate::clock::utc;
use std::fmt::Write;
use std::time::SystemTime;

/// How a case ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// As it should.
    Passed,
    /// The program is wrong: in a few words, and in more.
    Failed(String, String),
    /// There is no answer.
    Error(String, String),
    /// There is no answer, which is no harm.
    Skipped(String),
}

/// A file under a memory model.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// The file as the user named it; cases of one file that come one after the other are a suite.
    pub file: String,
    /// What was asked of it.
    pub name: String,
    /// How it ended.
    pub ended: Ended,
    /// What is said of it.
    pub output: String,
    /// Wall-clock time.
    pub seconds: f64,
}

/// The cases of a run of the command `command`, which started at a time.
pub fn xml(command: &str, started: SystemTime, cases: &[Case]) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let name = format!("fencepost {command}");
    let _ = writeln!(out, "<testsuites name=\"{}\" {}>", attribute(&name), counts(cases));
    let timestamp = utc(started);
    let timestamp = timestamp.trim_end_matches('Z');
    for suite in cases.chunk_by(|a, b| a.file == b.file) {
        let file = attribute(&suite[0].file);
        let counts = counts(suite);
        let _ = writeln!(out, "  <testsuite name=\"{file}\" {counts} timestamp=\"{timestamp}\">");
        for case in suite {
            write_case(&mut out, &name, case);
        }
        out += "  </testsuite>\n";
    }
    out += "</testsuites>\n";
    out
}

fn counts(cases: &[Case]) -> String {
    let count = |fits: fn(&Ended) -> bool| cases.iter().filter(|case| fits(&case.ended)).count();
    format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3}\"",
        cases.len(),
        count(|e| matches!(e, Ended::Failed(..))),
        count(|e| matches!(e, Ended::Error(..))),
        count(|e| matches!(e, Ended::Skipped(_))),
        cases.iter().map(|case| case.seconds).sum::<f64>()
    )
}

fn write_case(out: &mut String, class: &str, case: &Case) {
    let class = class.replace(' ', ".");
    let (name, seconds) = (attribute(&case.name), case.seconds);
    let _ = writeln!(
        out,
        "    <testcase classname=\"{}\" name=\"{name}\" time=\"{seconds:.3}\">",
        attribute(&class)
    );
    let mut ended = |element: &str, kind: &str, message: &str, text: &str| {
        let (message, text) = (attribute(message), content(text));
        let _ = writeln!(out, "      <{element} type=\"{kind}\" message=\"{message}\">{text}</{element}>");
    };
    match &case.ended {
        Ended::Passed => {}
        Ended::Failed(message, text) => ended("failure", "violation", message, text),
        Ended::Error(message, text) => ended("error", "no-answer", message, text),
        Ended::Skipped(message) => {
            let _ = writeln!(out, "      <skipped message=\"{}\"/>", attribute(message));
        }
    }
    if !case.output.is_empty() {
        let _ = writeln!(out, "      <system-out>{}</system-out>", content(&case.output));
    }
    out.push_str("    </testcase>\n");
}

/// Text between tags.
fn content(text: &str) -> String {
    escaped(text, |c| matches!(c, '\n' | '\t'))
}

/// Text in quotes: there, white space of other kinds would become blanks.
fn attribute(text: &str) -> String {
    escaped(text, |_| false)
}

fn escaped(text: &str, keeps: impl Fn(char) -> bool) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' | '\t' if keeps(c) => out.push(c),
            '\n' | '\t' | '\r' => {
                let _ = write!(out, "&#{};", c as u32);
            }
            // XML has no way to write these.
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Case, Ended, attribute, content, xml};
    use std::time::UNIX_EPOCH;

    #[test]
    fn characters() {
        assert_eq!(attribute("a<b & \"c\"\n'd'"), "a&lt;b &amp; &quot;c&quot;&#10;'d'");
        assert_eq!(content("]]>\n\u{1b}[1mä\r"), "]]&gt;\n\u{fffd}[1mä&#13;");
    }

    #[test]
    fn suites_by_file() {
        let case = |file: &str, model: &str, ended| Case {
            file: file.into(),
            name: format!("{file} under {model}"),
            ended,
            output: String::new(),
            seconds: 0.25,
        };
        let cases = [
            case("a.fp", "SC", Ended::Passed),
            case("a.fp", "TSO", Ended::Failed("bad".into(), "1 < 2".into())),
            case("b.fp", "TSO", Ended::Skipped("time".into())),
        ];
        let expected = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<testsuites name=\"fencepost check\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"0.750\">
  <testsuite name=\"a.fp\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\" time=\"0.500\" timestamp=\"1970-01-01T00:00:00\">
    <testcase classname=\"fencepost.check\" name=\"a.fp under SC\" time=\"0.250\">
    </testcase>
    <testcase classname=\"fencepost.check\" name=\"a.fp under TSO\" time=\"0.250\">
      <failure type=\"violation\" message=\"bad\">1 &lt; 2</failure>
    </testcase>
  </testsuite>
  <testsuite name=\"b.fp\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\" time=\"0.250\" timestamp=\"1970-01-01T00:00:00\">
    <testcase classname=\"fencepost.check\" name=\"b.fp under TSO\" time=\"0.250\">
      <skipped message=\"time\"/>
    </testcase>
  </testsuite>
</testsuites>
";
        assert_eq!(xml("check", UNIX_EPOCH, &cases), expected);
    }
}
