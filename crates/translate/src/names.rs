//! Names that the translation makes of those of the program.

/// A name without what only front ends can write.
pub fn plain(name: &str) -> String {
    let plain: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    plain.trim_start_matches('_').to_string()
}
