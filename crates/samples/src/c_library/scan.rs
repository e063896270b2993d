//! Calls of `sscanf`: texts, formats and what they assign.

use super::{Generator, Widths};

const TEXTS: &[&str] = &[
    "12 34",
    "-7,8",
    "0x1f 017",
    "abc 5",
    "300 70000",
    "",
    "  9",
    "5%6",
    "-129 1",
    "x9",
    "99999999999 1",
    "  ab cd",
    "a,b",
    "[x]y",
    "2147483648 2147483648",
    "-2147483649",
    "0x",
    "+",
    "- 5",
    "1\\t\\n2",
    "abcabc",
    "7:8:9",
    "0b1",
    "00012",
    "  ",
    "9223372036854775808",
];

/// A conversion, and what it is assigned to.
const CONVERSIONS: &[(&str, &str)] = &[
    ("%d", "&n"),
    ("%i", "&n"),
    ("%3d", "&n"),
    ("%1d", "&n"),
    ("%*d", ""),
    ("%*s", ""),
    ("%u", "&u"),
    ("%x", "&u"),
    ("%X", "&u"),
    ("%o", "&u"),
    ("%ld", "&l"),
    ("%li", "&l"),
    ("%lu", "&w"),
    ("%lx", "&w"),
    ("%lld", "&ll"),
    ("%jd", "&l"),
    ("%zu", "&w"),
    ("%td", "&l"),
    ("%hd", "&h"),
    ("%hi", "&h"),
    ("%hhd", "&c"),
    ("%hhi", "&c"),
    ("%c", "&c"),
    ("%s", "f"),
    ("%2s", "f"),
    ("%n", "&m"),
    ("%hhn", "&c"),
    ("%ln", "&l"),
    ("%3c", "f"),
    ("%[a-c]", "f"),
    ("%2[a-z]", "f"),
    ("%[^,:]", "f"),
    ("%[]x[]", "f"),
    ("%*[ab]", ""),
    ("%*2c", ""),
    ("%[^]]", "f"),
    ("%[0-9-]", "f"),
];

impl Generator {
    pub fn scan(&mut self) {
        let text = self.rng.pick(TEXTS);
        let (mut format, mut args) = (String::new(), String::new());
        for i in 0..1 + self.rng.below(3) {
            if i > 0 || self.rng.one_in(6) {
                format += self.rng.pick(&[" ", ",", "", "%%", ":", "\\t", "ab"]);
            }
            let (conversion, to) = self.rng.pick(CONVERSIONS);
            if self.widths == Widths::Any && matches!(to, "&l" | "&w" | "&n" | "&u") {
                continue;
            }
            format += conversion;
            if !to.is_empty() {
                args += &format!(", {to}");
            }
        }
        self.line("n = m = 77; u = 77; l = 77; h = 77; c = 77; w = 77; ll = 77; memset(f, 'z', sizeof f);");
        self.line(&format!("strcpy(b, \"{text}\"); k = sscanf(b, \"{format}\"{args});"));
        self.line(
            "out(k); out(n); out(u); out(l); out(h); out(c); out(m); out(w); out(ll); out(hash(f, 20));",
        );
    }
}
