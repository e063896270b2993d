//! Messages about the user's input, with the source line.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use fencepost_ir::{Sources, Span};
use fencepost_text::Diagnostic;

/// Whether to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    /// Terminal colours.
    On,
    /// Plain text.
    Off,
}

/// A diagnostic as text: file, line and column, the line itself, and what to do.
pub fn render(sources: &Sources, diagnostic: &Diagnostic, colour: Colour) -> String {
    let text = sources.text(diagnostic.span.file);
    let range = byte_range(text, diagnostic.span);
    let annotation = AnnotationKind::Primary.span(range).label(diagnostic.label.as_str());
    let snippet = Snippet::source(text).path(sources.name(diagnostic.span.file)).annotation(annotation);
    let mut group = Level::ERROR.primary_title(diagnostic.message.as_str()).element(snippet);
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(&**help));
    }
    let mut groups = vec![group];
    for related in &diagnostic.also {
        let text = sources.text(related.span.file);
        let annotation = AnnotationKind::Context.span(byte_range(text, related.span));
        let snippet = Snippet::source(text).path(sources.name(related.span.file)).annotation(annotation);
        groups.push(Level::NOTE.secondary_title(related.message.as_str()).element(snippet));
    }
    let renderer = match colour {
        Colour::On => Renderer::styled(),
        Colour::Off => Renderer::plain(),
    };
    renderer.render(&groups).to_string()
}

/// The bytes of a span; empty at the end of the text if the span lies outside.
fn byte_range(text: &str, span: Span) -> std::ops::Range<usize> {
    let line_start = match span.line {
        0 | 1 => 0,
        n => text.match_indices('\n').nth(n as usize - 2).map_or(text.len(), |(i, _)| i + 1),
    };
    let line = &text[line_start..];
    let line = &line[..line.find('\n').unwrap_or(line.len())];
    let offset =
        |column: u32| line.char_indices().nth(column as usize).map_or(line.len(), |(i, _)| i) + line_start;
    let start = span.column.saturating_sub(1);
    offset(start)..offset(start + span.length)
}
