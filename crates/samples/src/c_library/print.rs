//! Formats, and calls that print by them to memory and elsewhere.

use super::{Generator, INTEGERS, Widths};

/// Functions that hand a list of arguments on: as it is, twice, and without its first argument.
pub const LISTS: &[(&str, &str)] = &[
    (
        "by_list",
        "static int by_list(char *to, size_t n, const char *f, ...) { va_list a; va_start(a, f); int r = vsnprintf(to, n, f, a); va_end(a); return r; }",
    ),
    (
        "without_limit",
        "static int without_limit(char *to, const char *f, ...) { va_list a; va_start(a, f); int r = vsprintf(to, f, a); va_end(a); return r; }",
    ),
    (
        "twice",
        "static int twice(char *to, const char *f, ...) { va_list a, c; va_start(a, f); va_copy(c, a); int r = vsnprintf(0, 0, f, a); va_end(a); \
         r += vsnprintf(to, 64, f, c) * 1000; va_end(c); return r; }",
    ),
    (
        "behind",
        "static int behind(char *to, const char *f, ...) { va_list a; va_start(a, f); int n = va_arg(a, int); char *s = va_arg(a, char *); \
         int r = vsnprintf(to, n, f, a); va_end(a); return r + (int)strlen(s); }",
    ),
    (
        "shown",
        "static int shown(const char *f, ...) { va_list a, c, d; va_start(a, f); va_copy(c, a); va_copy(d, a); int r = vprintf(f, a); va_end(a); \
         r += vfprintf(stdout, f, c) * 1000; va_end(c); r += vsnprintf(0, 0, f, d) * 1000000; va_end(d); return r; }",
    ),
];

impl Generator {
    /// A format's piece, and its argument.
    fn piece(&mut self) -> (String, String) {
        let mut format = "%".to_string();
        let mut arg = String::new();
        for flag in ["-", "+", " ", "#", "0"] {
            if self.rng.one_in(4) {
                format += flag;
            }
        }
        match self.rng.below(4) {
            0 => format += &(1 + self.rng.below(12)).to_string(),
            1 => {
                format += "*";
                arg += &format!("{}, ", self.rng.below(15) as i64 - 7);
            }
            _ => {}
        }
        match self.rng.below(5) {
            0 => format += &format!(".{}", self.rng.below(9)),
            1 => {
                format += ".*";
                arg += &format!("{}, ", self.rng.below(8) as i64 - 2);
            }
            2 => format += ".",
            _ => {}
        }
        let value = self.rng.pick(&INTEGERS);
        let lengths = [
            ("hh", "int"),
            ("h", "int"),
            ("", "int"),
            ("ll", "long long"),
            ("l", "long"),
            ("z", "long"),
            ("j", "long"),
            ("t", "long"),
        ];
        match self.rng.below(8) {
            0 => {
                let text = self.literal();
                (plain(&format) + "s", arg + &text)
            }
            1 => {
                let side = self.rng.pick(&["", "-"]);
                (
                    format!("%{side}{}c", self.rng.below(6) + 1),
                    self.rng.pick(&["'q'", "65 + 256"]).to_string(),
                )
            }
            kind => {
                let some = if self.widths == Widths::Any { 4 } else { lengths.len() };
                let (length, ty) = self.rng.pick(&lengths[..some]);
                let conversion = ["d", "i", "u", "x", "X", "o"][kind - 2];
                (format!("{format}{length}{conversion}"), format!("{arg}({ty})({value})"))
            }
        }
    }

    pub fn print(&mut self) {
        let (mut format, mut args) = (String::new(), String::new());
        for _ in 0..1 + self.rng.below(3) {
            let (piece, arg) = self.piece();
            format += &format!("{}{piece}", self.rng.pick(&["", "a", "%%", " = "]));
            args += &format!(", {arg}");
        }
        let size = self.rng.pick(&["sizeof b", "5", "1", "12", "0"]);
        let call = match self.rng.below(10) {
            0 => format!("sprintf(b, \"{format}\"{args})"),
            1 => format!("(strcpy(f, \"{format}\"), snprintf(b, {size}, f{args}))"),
            2 => format!("by_list(b, {size}, \"{format}\"{args})"),
            3 => format!("without_limit(b, \"{format}\"{args})"),
            4 => format!("twice(b, \"{format}\"{args})"),
            5 => format!("behind(b, \"{format}\", {size}, \"first\"{args})"),
            6 => format!("printf(\"{format}\"{args})"),
            7 => format!("fprintf(stdout, \"{format}\"{args}) + dprintf(1, \"{format}\"{args})"),
            8 => format!("shown(\"{format}\"{args})"),
            _ => format!("snprintf(b, {size}, \"{format}\"{args})"),
        };
        self.line(&format!("memset(b, 'z', sizeof b); n = {call}; out(n); out(hash(b, 60));"));
    }
}

/// A format's beginning without the flags that mean nothing for texts.
fn plain(format: &str) -> String {
    format.replace(['+', ' ', '#'], "").replacen("%0", "%", 1).replace("-0", "-").replace("%0", "%")
}
