//! What is wrong with an input, where, and what to do about it.

use fencepost_ir::Span;

/// A message about the user's input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Where.
    pub span: Span,
    /// What is wrong, in a sentence.
    pub message: String,
    /// A few words at the place itself.
    pub label: String,
    /// What to do.
    pub help: Option<Box<str>>,
    /// Other places that it has to do with.
    pub also: Vec<Related>,
    /// A text for the user to start from.
    pub draft: Option<Box<str>>,
}

/// Another place that a message has to do with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Related {
    /// Where.
    pub span: Span,
    /// What is there.
    pub message: String,
}

impl Diagnostic {
    /// A message without help.
    pub fn new(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            span,
            message: message.into(),
            label: String::new(),
            help: None,
            also: Vec::new(),
            draft: None,
        }
    }

    /// Adds words at the place.
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    /// Adds a text to start from.
    pub fn draft(mut self, draft: impl Into<Box<str>>) -> Diagnostic {
        self.draft = Some(draft.into());
        self
    }

    /// Adds what to do.
    pub fn help(mut self, help: impl Into<Box<str>>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
}
