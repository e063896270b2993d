//! Unified diffs of texts, line by line.

use similar::TextDiff;

/// Lines shown around a change.
const CONTEXT: usize = 3;

/// The diff, or nothing if the texts are equal.
pub fn unified(old_name: &str, new_name: &str, old: &str, new: &str) -> String {
    let diff = TextDiff::from_lines(old, new);
    diff.unified_diff().context_radius(CONTEXT).header(old_name, new_name).to_string()
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn insertions_and_replacements() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\n";
        assert_eq!(unified("o", "n", old, old), "");
        let new = old.replace("b\n", "b\nfence\n").replace("k\n", "{ k }\n");
        let expected = "--- o\n+++ n\n@@ -1,5 +1,6 @@\n a\n b\n+fence\n c\n d\n e\n\
                        @@ -8,4 +9,4 @@\n h\n i\n j\n-k\n+{ k }\n";
        assert_eq!(unified("o", "n", old, &new), expected);
        assert_eq!(unified("o", "n", "", "x\n"), "--- o\n+++ n\n@@ -0,0 +1 @@\n+x\n");
        assert_eq!(
            unified("o", "n", "x", "x\n"),
            "--- o\n+++ n\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n"
        );
    }
}
