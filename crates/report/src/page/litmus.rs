//! The page of many litmus tests: a table of tests and models, and the runs that tell models apart.

use super::{facts, page};
use crate::litmus::{Apart, Observation, ShownAnswer, ShownTest};
use crate::picture::svg::escape;
use crate::picture::{Form, Frame, Picture};
use fencepost_certify::Replay;
use fencepost_ir::cfg::Program;
use fencepost_task::{Budget, Model, Reason, Stop};
use std::fmt::Write;

/// More runs than these are not drawn.
const MOST_DRAWN: usize = 300;

/// The page.
pub fn litmus(models: &[Model], tests: &[ShownTest], seconds: f64, budget: &Budget) -> String {
    let names: Vec<String> = models.iter().map(|m| m.name().to_uppercase()).collect();
    let apart = tests.iter().filter(|t| !t.apart.is_empty()).count();
    let mut body = format!(
        "<header>\n<h1>{} litmus tests under {}</h1>\n<p>{apart} of them tell models apart.</p>\n</header>\n<main>\n",
        tests.len(),
        names.join(", ")
    );
    body += "<h2>Tests</h2>\n<div class=\"scroll tall\" tabindex=\"0\" role=\"region\" aria-label=\"Table of tests\">\n\
             <table class=\"grid\"><thead><tr><th scope=\"col\">Test</th><th scope=\"col\">Condition</th>";
    for name in &names {
        let _ = write!(body, "<th scope=\"col\">{name}</th>");
    }
    body += "</tr></thead>\n<tbody>\n";
    for (i, test) in tests.iter().enumerate() {
        body += &row(test, i);
    }
    body += "</tbody></table></div>\n";
    let mut drawn = 0;
    if apart > 0 {
        body += "<h2>What tells models apart</h2>\n";
    }
    for (i, test) in tests.iter().enumerate().filter(|(_, t)| !t.apart.is_empty()) {
        let _ = writeln!(
            body,
            "<section class=\"apart\" id=\"t{i}\"><h3>{} <span class=\"quiet mono\">{}</span></h3>",
            escape(&test.name),
            escape(&test.file)
        );
        for one in &test.apart {
            let draws = drawn < MOST_DRAWN;
            drawn += usize::from(draws && one.run.is_some());
            body += &difference(one, draws, budget);
        }
        body += "</section>\n";
    }
    if drawn >= MOST_DRAWN {
        let _ = writeln!(body, "<p class=\"quiet\">Only the first {MOST_DRAWN} runs are drawn.</p>");
    }
    body += &facts(&[("Tests", tests.len().to_string()), ("Time", format!("{seconds:.2} s"))]);
    body += "</main>\n";
    page(&format!("{} litmus tests under {}", tests.len(), names.join(", ")), &body)
}

fn row(test: &ShownTest, number: usize) -> String {
    let name = match test.apart.is_empty() {
        true => escape(&test.name),
        false => format!("<a href=\"#t{number}\">{}</a>", escape(&test.name)),
    };
    let mut out =
        format!("<tr><th scope=\"row\">{name}</th><td class=\"mono\">{}</td>", escape(&test.condition));
    for (_, answer) in &test.answers {
        let _ = match answer {
            ShownAnswer::Final { observation, states } => {
                let class = if *observation == Observation::Never { "quiet" } else { "" };
                write!(out, "<td class=\"{class}\">{observation}, {} states</td>", states.len())
            }
            ShownAnswer::Unknown(reason) => {
                write!(out, "<td class=\"open\">unknown: {}</td>", escape(reason))
            }
        };
    }
    out + "</tr>\n"
}

fn difference(apart: &Apart, draws: bool, budget: &Budget) -> String {
    let Apart { state, without, with, run } = apart;
    let (without, with) = (without.name().to_uppercase(), with.name().to_uppercase());
    let mut out = format!(
        "<p><span class=\"mono\">{}</span> is possible under {with}, and not under {without}.</p>\n",
        escape(state)
    );
    if let (Some((program, replay)), true) = (run, draws) {
        out += &drawn(program, replay, state, budget).unwrap_or_else(|stop| {
            format!("<p class=\"quiet\">The run is not drawn: {}.</p>\n", Reason::from(stop))
        });
    }
    out
}

fn drawn(program: &Program, replay: &Replay, end: &str, budget: &Budget) -> Result<String, Stop> {
    let frame = Frame { end: Some(end), ..Frame::default() };
    let picture = Picture::new(program, replay, budget)?;
    Ok(format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Drawing of the run\">\n{}{}</div>\n",
        picture.drawing(Form::Wide, frame, budget)?,
        picture.drawing(Form::Narrow, frame, budget)?
    ))
}
