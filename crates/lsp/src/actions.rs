//! Quick fixes: the repairs of diagnostics that have something to do with a range.

use super::Server;
use super::document::{Document, QuickFix};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, Range, TextDocumentEdit, Uri, WorkspaceEdit,
};
use std::io::Write;

impl<W: Write> Server<W> {
    /// The quick fixes of a range.
    pub(crate) fn actions(&self, params: &CodeActionParams) -> Vec<CodeActionOrCommand> {
        let uri = &params.text_document.uri;
        let quick_fix = CodeActionKind::QUICKFIX;
        let wants = |kind: &CodeActionKind| quick_fix.as_str().starts_with(kind.as_str());
        if params.context.only.as_ref().is_some_and(|kinds| !kinds.iter().any(wants)) {
            return Vec::new();
        }
        let Some(document) = self.documents.get(uri.as_str()) else { return Vec::new() };
        // Edits are of the text that was checked, and of no other.
        let Some(checked) = document.checked.as_ref().filter(|checked| checked.text == document.text) else {
            return Vec::new();
        };
        let mut actions = Vec::new();
        for fix in &checked.fixes {
            let Some(diagnostic) = checked.diagnostics.get(fix.diagnostic) else { continue };
            let related = diagnostic.related_information.iter().flatten();
            let related = related.map(|related| &related.location).filter(|place| place.uri == *uri);
            let places = std::iter::once(diagnostic.range)
                .chain(fix.edits.iter().map(|edit| edit.range))
                .chain(related.map(|place| place.range));
            if places.into_iter().any(|place| meet(place, params.range)) {
                actions.push(CodeActionOrCommand::CodeAction(CodeAction {
                    title: fix.title.clone(),
                    kind: Some(CodeActionKind::QUICKFIX),
                    diagnostics: Some(vec![diagnostic.clone()]),
                    is_preferred: Some(actions.is_empty()),
                    edit: Some(self.edit(uri, document, fix)),
                    ..CodeAction::default()
                }));
            }
        }
        actions
    }

    fn edit(&self, uri: &Uri, document: &Document, fix: &QuickFix) -> WorkspaceEdit {
        match self.abilities.versioned_edits {
            true => {
                let text_document = OptionalVersionedTextDocumentIdentifier {
                    uri: uri.clone(),
                    version: Some(document.version),
                };
                let edits = fix.edits.iter().cloned().map(OneOf::Left).collect();
                let changes = DocumentChanges::Edits(vec![TextDocumentEdit { text_document, edits }]);
                WorkspaceEdit { document_changes: Some(changes), ..WorkspaceEdit::default() }
            }
            false => WorkspaceEdit::new([(uri.clone(), fix.edits.clone())].into()),
        }
    }
}

/// Whether two ranges have a line in common.
fn meet(a: Range, b: Range) -> bool {
    a.start.line <= b.end.line && b.start.line <= a.end.line
}
