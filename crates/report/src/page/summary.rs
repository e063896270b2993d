//! The page of many results: counts, a cactus plot, what needs a look, and all results.

use super::{page, sentences};
use crate::ResultKind;
use crate::picture::cactus;
use crate::picture::svg::escape;
use crate::summary::{Entry, Summary};
use fencepost_task::VerdictKind;
use std::fmt::Write;

/// The page.
pub fn summary(summary: &Summary) -> String {
    let headline = summary.headline();
    let mut body = format!("<header>\n<h1>{}</h1>\n</header>\n<main>\n", escape(&headline));
    for table in summary.counts() {
        let _ =
            write!(body, "<table class=\"grid\"><thead><tr><th scope=\"col\">{}</th>", escape(table.what));
        for head in &table.heads {
            let _ = write!(body, "<th scope=\"col\">{}</th>", head.replace('_', " "));
        }
        body += "</tr></thead>\n<tbody>\n";
        for (model, row) in &table.rows {
            let _ = write!(body, "<tr><th scope=\"row\">{}</th>", escape(model.name()));
            row.iter().for_each(|count| {
                let _ = write!(body, "<td>{count}</td>");
            });
            body += "</tr>\n";
        }
        body += "</tbody></table>\n";
    }
    let plot = cactus(&summary.series());
    if !plot.is_empty() {
        let _ = write!(
            body,
            "<h2>Answers within a time, for each engine</h2>\n\
             <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Cactus plot\">\n{plot}</div>\n"
        );
    }
    for (head, list) in summary.lists() {
        let mut head = head.to_string();
        if let Some(first) = head.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        body += &sentences(&head, &list);
    }
    body += "<h2>All results</h2>\n<div class=\"scroll tall\" tabindex=\"0\" role=\"region\" aria-label=\"All results\">\n\
             <table class=\"grid\"><thead><tr><th scope=\"col\">File</th><th scope=\"col\">Model</th>\
             <th scope=\"col\">Verdict</th><th scope=\"col\">Engine</th><th scope=\"col\">Seconds</th></tr></thead>\n<tbody>\n";
    summary.entries().for_each(|entry| body += &row(entry));
    body += "</tbody></table></div>\n</main>\n";
    page(&headline, &body)
}

fn row(entry: &Entry) -> String {
    let (verdict, class) = match (entry.verdict, entry.observation) {
        (_, Some(observation)) => (observation.name(), ""),
        (ResultKind::Checked(VerdictKind::Safe), None) if entry.bounded => ("safe within bounds", "good"),
        (ResultKind::Checked(VerdictKind::Safe), None) => ("safe", "good"),
        (ResultKind::Checked(VerdictKind::Unsafe), None) => ("unsafe", "bad"),
        (ResultKind::Checked(VerdictKind::Unknown), None) => ("unknown", "open"),
        (ResultKind::Robust, None) => ("robust", "good"),
        (ResultKind::NotRobust, None) => ("not robust", "bad"),
        (ResultKind::Race, None) => ("data race", "bad"),
        (ResultKind::Error, None) => ("error", "bad"),
    };
    format!(
        "<tr><td class=\"mono\">{}</td><td>{}</td><td class=\"{class}\">{}</td><td>{}</td><td>{:.3}</td></tr>\n",
        escape(&entry.file),
        escape(entry.model.map_or("", |model| model.name())),
        escape(verdict),
        escape(&entry.engine),
        entry.seconds
    )
}
