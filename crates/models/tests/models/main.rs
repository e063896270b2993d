//! The readers of models: messages, and other tools' files. One binary for all of it.

mod diagnostics;
mod importers;
