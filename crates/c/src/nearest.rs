//! The nearest name to one that is not known.

/// The name that differs least, if it differs in a third of its letters or less; the first in the alphabet of several.
pub fn nearest<'n>(name: &str, all: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    // Of one or two letters any other is near.
    let most = match name.chars().count() {
        0..=2 => return None,
        n => n / 3,
    };
    let near = all.filter(|other| !other.starts_with("__") || name.starts_with("__"));
    let near = near.filter(|other| other.len().abs_diff(name.len()) <= most && *other != name);
    let near = near.map(|other| (distance(name, other), other)).filter(|(d, _)| *d <= most);
    near.min().map(|(_, other)| other)
}

/// How many letters have to be added, left out, replaced or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before_last = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                let swapped: &Vec<usize> = &before_last;
                least = least.min(swapped[j - 2] + 1);
            }
            row.push(least);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance("counter", "counter"), 0);
        assert_eq!(distance("conuter", "counter"), 1);
        assert_eq!(distance("count", "counter"), 2);
        assert_eq!(distance("", "ab"), 2);
        assert_eq!(nearest("flga", ["flag", "turn"].into_iter()), Some("flag"));
        assert_eq!(nearest("x", ["turn"].into_iter()), None);
    }
}
