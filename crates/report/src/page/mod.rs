//! Reports as pages: one file that needs nothing else, with style and script inside.
//!
//! The drawing is the one of [`crate::picture`], in both forms; the script only moves through it and fills in
//! buffers, memory and the place of each thread in the source. Without a script the page still has the drawing,
//! the story and the list of steps. Nothing is loaded from anywhere, and the page says so to the browser.

mod check;
mod data;
mod litmus;
mod robust;
mod summary;

pub use check::{Recheck, check};
pub use litmus::litmus;
pub use robust::robust;
pub use summary::summary;

use crate::picture::{self, Form, Frame, Picture};
use crate::rows::left_out;
use fencepost_certify::Replay;
use fencepost_ir::cfg::Program;
use fencepost_task::{Budget, Pace, Reason, Stop};
use picture::svg::escape;
use std::fmt::Write;

const STYLE: &str = include_str!("../../assets/page.css");
const SCRIPT: &str = include_str!("../../assets/page.js");

/// A whole page.
fn page(title: &str, body: &str) -> String {
    let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>{}</title>\n<style>\n{}{STYLE}</style>\n</head>\n<body>\n{body}\
         <footer>Made by Fencepost {}. Every run on this page was replayed on the reference semantics.</footer>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        escape(title),
        picture::STYLE,
        env!("CARGO_PKG_VERSION")
    )
}

/// Both forms of a drawing, in a box that scrolls.
fn drawings(picture: &Picture<'_>, frame: Frame<'_>, label: &str, budget: &Budget) -> Result<String, Stop> {
    Ok(format!(
        "<div class=\"scroll tall\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n{}{}{}{}</div>\n",
        escape(label),
        picture.heads(Form::Wide),
        picture.heads(Form::Narrow),
        picture.drawing(Form::Wide, frame, budget)?,
        picture.drawing(Form::Narrow, frame, budget)?
    ))
}

/// What is in the place of a run that there was no time or memory to draw.
fn not_drawn(stop: Stop, story: &str) -> String {
    let reason = escape(&Reason::from(stop).to_string());
    format!(
        "<section aria-label=\"The run\">\n<p class=\"quiet\">The run is not drawn: {reason}.</p>\n{story}</section>\n"
    )
}

/// A run to be stepped through, with `beside` shown on demand and `story` below.
fn run_section(
    program: &Program,
    replay: &Replay,
    frame: Frame<'_>,
    beside: Option<&str>,
    story: &str,
    budget: &Budget,
) -> Result<String, Stop> {
    let picture = Picture::new(program, replay, budget)?;
    let rows = &picture.rows;
    let mut out = String::from("<section class=\"run\" aria-label=\"The run\">\n<div class=\"columns\">\n");
    let _ = write!(
        out,
        "<div class=\"picture\"><div class=\"pair\"><div class=\"stepped\">\n<h3 class=\"run-name\">The run under {}</h3>\n{}</div>\n",
        replay.model.name().to_uppercase(),
        drawings(&picture, frame, "Drawing of the run", budget)?
    );
    let gap = left_out(replay);
    if !gap.is_empty() {
        let _ = writeln!(
            out,
            "<p class=\"quiet\">The run is long: steps {} to {} are left out here; <code>--format json</code> has all.</p>",
            gap.start + 1,
            gap.end
        );
    }
    if let Some(beside) = beside {
        let _ = write!(out, "<div class=\"beside\" hidden>\n{beside}</div>\n");
    }
    let _ = write!(out, "</div>\n<div class=\"told\">{story}</div>\n</div>\n<div class=\"side\">\n");
    out += "<p class=\"now-text\" aria-live=\"polite\"></p>\n";
    let _ = writeln!(
        out,
        "<div class=\"controls\"><button type=\"button\" class=\"back\" aria-label=\"One step back\">◀</button>\
         <input class=\"slider\" type=\"range\" min=\"0\" max=\"{}\" value=\"{0}\" aria-label=\"Step of the run\">\
         <button type=\"button\" class=\"on\" aria-label=\"One step on\">▶</button></div>",
        rows.len()
    );
    if beside.is_some() {
        out += "<p><button type=\"button\" class=\"toggle\" aria-expanded=\"false\">Show the SC run beside it</button></p>\n";
    }
    out += "<div class=\"states\">\n<div><h3>Store buffers, oldest first</h3><table class=\"state\"><tbody class=\"buffers\">\
            </tbody></table></div>\n\
            <div><h3>Memory</h3><div class=\"cells\"><table class=\"state\"><tbody class=\"memory\"></tbody></table></div></div>\n\
            </div>\n<h3>Source</h3>\n";
    let data = data::data(program, replay, rows, budget)?;
    let longest = replay.threads.iter().map(|t| t.chars().count()).max().unwrap_or(0).clamp(4, 16);
    let mut pace = Pace::new(budget);
    for file in &data.files {
        let _ = writeln!(out, "<p class=\"quiet mono\">{}</p>", escape(program.sources.name(*file)));
        let _ = write!(
            out,
            "<div class=\"source\" style=\"--names:{}ch\" data-file=\"{}\" tabindex=\"0\" role=\"region\" aria-label=\"Source of {}\">",
            longest + 5,
            file.0,
            escape(program.sources.name(*file))
        );
        for (i, text) in program.sources.text(*file).lines().enumerate() {
            pace.take(2 * text.len() as u64, || out.len() as u64)?;
            let _ = write!(
                out,
                "<div class=\"l\"><span class=\"w\"></span><span class=\"n\">{}</span><span>{}</span></div>",
                i + 1,
                escape(text)
            );
        }
        out += "</div>\n";
    }
    out += "</div>\n</div>\n<details><summary>The steps as text</summary>\n<ol>\n";
    for text in &data.sentences {
        let _ = writeln!(out, "<li>{}</li>", escape(text));
    }
    out += "</ol>\n</details>\n";
    let _ = write!(
        out,
        "<script type=\"application/json\" class=\"data\">{}</script>\n</section>\n",
        data.json.replace('<', "\\u003c")
    );
    Ok(out)
}

/// A list of names and values.
fn facts(list: &[(&str, String)]) -> String {
    let mut out = String::from("<dl>");
    for (name, value) in list {
        let _ = write!(out, "<dt>{}</dt><dd>{}</dd>", escape(name), escape(value));
    }
    out + "</dl>\n"
}

/// Sentences as a list; nothing where there are none.
fn sentences(head: &str, list: &[String]) -> String {
    if list.is_empty() {
        return String::new();
    }
    let items: String = list.iter().map(|s| format!("<li>{}</li>\n", escape(s))).collect();
    format!("<h2>{}</h2>\n<ul class=\"story\">\n{items}</ul>\n", escape(head))
}
