//! Unified diffs of texts, line by line, by longest common subsequence.

use std::fmt::Write;

/// Lines shown around a change.
const CONTEXT: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Same,
    Removed,
    Added,
}

/// The diff, or nothing if the texts are equal.
pub fn unified(old_name: &str, new_name: &str, old: &str, new: &str) -> String {
    let (a, b): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let script = script(&a, &b);
    if script.iter().all(|(change, _)| *change == Change::Same) {
        return String::new();
    }
    let mut out = format!("--- {old_name}\n+++ {new_name}\n");
    // Old and new line numbers before each step of the script.
    let mut numbers = vec![(1, 1)];
    for (change, _) in &script {
        let (o, n) = numbers[numbers.len() - 1];
        numbers.push(match change {
            Change::Same => (o + 1, n + 1),
            Change::Removed => (o + 1, n),
            Change::Added => (o, n + 1),
        });
    }
    let mut at = 0;
    while let Some(first) = (at..script.len()).find(|&i| script[i].0 != Change::Same) {
        let start = first.saturating_sub(CONTEXT).max(at);
        let mut end = first;
        // Changes that are close are in one piece.
        while let Some(next) =
            (end..script.len().min(end + 2 * CONTEXT + 1)).find(|&i| script[i].0 != Change::Same)
        {
            end = next + 1;
        }
        let end = (end + CONTEXT).min(script.len());
        let ((o1, n1), (o2, n2)) = (numbers[start], numbers[end]);
        let _ = writeln!(out, "@@ -{} +{} @@", range(o1, o2), range(n1, n2));
        for (change, line) in &script[start..end] {
            let sign = match change {
                Change::Same => ' ',
                Change::Removed => '-',
                Change::Added => '+',
            };
            let _ = writeln!(out, "{sign}{}", line.trim_end_matches(['\n', '\r']));
            if !line.ends_with('\n') {
                out += "\\ No newline at end of file\n";
            }
        }
        at = end;
    }
    out
}

fn range(from: usize, to: usize) -> String {
    match to - from {
        0 => format!("{},0", from - 1),
        1 => from.to_string(),
        n => format!("{from},{n}"),
    }
}

fn script<'a>(a: &[&'a str], b: &[&'a str]) -> Vec<(Change, &'a str)> {
    let same_start = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (rest_a, rest_b) = (&a[same_start..], &b[same_start..]);
    let same_end = rest_a.iter().rev().zip(rest_b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (mid_a, mid_b) = (&rest_a[..rest_a.len() - same_end], &rest_b[..rest_b.len() - same_end]);
    // Length of the longest common subsequence of what is left from each pair of places on.
    let mut longest = vec![vec![0u32; mid_b.len() + 1]; mid_a.len() + 1];
    for i in (0..mid_a.len()).rev() {
        for j in (0..mid_b.len()).rev() {
            longest[i][j] = if mid_a[i] == mid_b[j] {
                longest[i + 1][j + 1] + 1
            } else {
                longest[i + 1][j].max(longest[i][j + 1])
            };
        }
    }
    let mut script: Vec<_> = a[..same_start].iter().map(|l| (Change::Same, *l)).collect();
    let (mut i, mut j) = (0, 0);
    while i < mid_a.len() || j < mid_b.len() {
        if i < mid_a.len() && j < mid_b.len() && mid_a[i] == mid_b[j] {
            script.push((Change::Same, mid_a[i]));
            i += 1;
            j += 1;
        } else if i < mid_a.len() && (j == mid_b.len() || longest[i + 1][j] >= longest[i][j + 1]) {
            script.push((Change::Removed, mid_a[i]));
            i += 1;
        } else {
            script.push((Change::Added, mid_b[j]));
            j += 1;
        }
    }
    script.extend(a[a.len() - same_end..].iter().map(|l| (Change::Same, *l)));
    script
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
