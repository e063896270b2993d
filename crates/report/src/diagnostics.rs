//! Messages about the user's input, with the source line.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use fencepost_ir::{Sources, Span};
use fencepost_text::Diagnostic;
use std::ops::Range;

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
    let (snippet, range) = lines(sources, diagnostic.span);
    let annotation = AnnotationKind::Primary.span(range).label(diagnostic.label.as_str());
    let snippet = snippet.annotation(annotation);
    let mut group = Level::ERROR.primary_title(diagnostic.message.as_str()).element(snippet);
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(&**help));
    }
    let mut groups = vec![group];
    for related in &diagnostic.also {
        let (snippet, range) = lines(sources, related.span);
        let snippet = snippet.annotation(AnnotationKind::Context.span(range));
        groups.push(Level::NOTE.secondary_title(related.message.as_str()).element(snippet));
    }
    let renderer = match colour {
        Colour::On => Renderer::styled(),
        Colour::Off => Renderer::plain(),
    };
    renderer.render(&groups).to_string()
}

/// The line that a span is in, so that what is shown of a long text costs no more than of a short one, and the bytes of the
/// span in it. Outside of the text it is the end of the text.
fn lines<'s, A: Clone>(sources: &'s Sources, span: Span) -> (Snippet<'s, A>, Range<usize>) {
    let number = span.line.max(1);
    let (snippet, range) = match sources.line(Span { line: number, ..span }) {
        Some(line) => {
            let offset =
                |column: u32| line.char_indices().nth(column as usize).map_or(line.len(), |(i, _)| i);
            let start = span.column.saturating_sub(1);
            (Snippet::source(line).line_start(number as usize), offset(start)..offset(start + span.length))
        }
        None => {
            let text = sources.text(span.file);
            (Snippet::source(text), text.len()..text.len())
        }
    };
    (snippet.path(sources.name(span.file)), range)
}
