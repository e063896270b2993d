//! Sites in Memorax's format: where its parser passes between two statements.

use super::seen;
use fencepost_ir::tree::FenceKind;
use fencepost_text::fences::{FenceSyntax, Site, from_seen};

/// Fences in Memorax's format.
pub struct Fences;

impl FenceSyntax for Fences {
    fn sites(&self, _name: &str, text: &str) -> Vec<Site> {
        from_seen(text, &seen(text))
    }

    fn fence(&self, kind: FenceKind) -> &'static str {
        match kind {
            FenceKind::Full => "fence;",
            FenceKind::StoreStore => "ssfence;",
        }
    }

    fn after_last(&self, fence: &str) -> String {
        format!("; {}", fence.trim_end_matches(';'))
    }
}
