//! Names of the sequential program's variables: those of the user's program, so far as C takes them, each made different
//! from all others.

use std::collections::BTreeMap;

/// Names that have been given.
#[derive(Default)]
pub struct Names {
    taken: BTreeMap<String, usize>,
}

impl Names {
    /// An unused name like `prefix` followed by `wish`.
    pub fn give(&mut self, prefix: &str, wish: &str) -> String {
        let mut name = String::from(prefix);
        for c in wish.chars() {
            match c {
                c if c.is_ascii_alphanumeric() => name.push(c),
                ']' | ')' => {}
                '%' => name.push_str("tmp"),
                _ if name.ends_with('_') => {}
                _ => name.push('_'),
            }
        }
        let used = self.taken.entry(name.clone()).or_default();
        *used += 1;
        match *used {
            1 => name,
            // A number of its own after two underscores, which no other name has.
            n => format!("{name}__{n}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn names_are_names_and_all_different() {
        let mut names = Names::default();
        assert_eq!(names.give("v_", "flag[1]"), "v_flag_1");
        assert_eq!(names.give("v_", "flag_1"), "v_flag_1__2");
        assert_eq!(names.give("t1_", "%3"), "t1_tmp3");
        assert_eq!(names.give("v_", "node#1.next"), "v_node_1_next");
    }
}
