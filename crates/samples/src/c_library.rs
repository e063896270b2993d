//! Random C programs that call functions of the standard library on texts, numbers and formats, many of them odd, so that
//! the system's own library is a judge of the models of these functions.
//!
//! A program is a function `test` that hands integers to `out`, as in [`crate::c_program`].

use crate::Rng;
use std::fmt::Write;

const HEAD: &str = "#include <ctype.h>\n#include <errno.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
    #include <strings.h>\n\
    static long hash(const char *s, int n) { unsigned long h = 7; for (int i = 0; i < n; i++) h = h * 31 + (unsigned char)s[i]; return (long)(h & 0xffffffff); }\n\
    static int sign(int n) { return (n > 0) - (n < 0); }\n\
    static long place(const char *s, const char *p) { return p == 0 ? -1 : (long)(p - s); }\n\
    static int ascending(const void *a, const void *b) { return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b); }\n";

const TEXTS: [&str; 16] = [
    "",
    "a",
    "abc",
    "abcabc",
    "ABC",
    "aBcD",
    "a b c",
    "  xyz",
    "x,y;;z",
    ",,",
    "abd",
    "ab",
    "zzz",
    "\\xff\\x80",
    "a\\tb\\n",
    "0",
];

const NUMBERS: [&str; 24] = [
    "",
    "0",
    "-0",
    "+5",
    "42",
    "-42",
    "  17",
    "\\t-8x",
    "0x1F",
    "0X",
    "0xg",
    "-0x10",
    "077",
    "08",
    "9999999999",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "-1",
    "z",
    "1z2",
];

const INTEGERS: [&str; 14] = [
    "0",
    "1",
    "-1",
    "7",
    "10",
    "255",
    "-128",
    "300",
    "65535",
    "-40000",
    "2147483647",
    "-2147483647 - 1",
    "123456789012",
    "-9223372036854775807 - 1",
];

struct Generator {
    rng: Rng,
    text: String,
}

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let mut generator = Generator { rng: Rng::new(seed), text: HEAD.to_string() };
    generator.text += "static char b[64];\nstatic void test(void)\n{\n    char *p = 0, *q = 0; int n = 0, m = 0, k = 0; long l = 0; short h = 0; \
        signed char c = 0; unsigned u = 0; unsigned long w = 0; long long ll = 0;\n";
    let kinds: [fn(&mut Generator); 9] = [
        Generator::compare,
        Generator::find,
        Generator::copy,
        Generator::characters,
        Generator::number,
        Generator::print,
        Generator::print,
        Generator::scan,
        Generator::others,
    ];
    for _ in 0..12 {
        let kind = generator.rng.pick(&kinds);
        kind(&mut generator);
    }
    generator.text += "}\n";
    generator.text
}

impl Generator {
    fn line(&mut self, line: String) {
        let _ = writeln!(self.text, "    {line}");
    }

    fn literal(&mut self) -> String {
        format!("\"{}\"", self.rng.pick(&TEXTS))
    }

    fn compare(&mut self) {
        let (a, b, n) = (self.literal(), self.literal(), self.rng.below(5));
        let call = match self.rng.below(8) {
            0 => format!("sign(strcmp({a}, {b}))"),
            1 => format!("sign(strncmp({a}, {b}, {n}))"),
            2 => format!("sign(strcasecmp({a}, {b}))"),
            3 => format!("sign(strncasecmp({a}, {b}, {n}))"),
            4 => format!("strlen({a}) + strnlen({b}, {n})"),
            5 => format!("strspn({a}, {b})"),
            6 => format!("strcspn({a}, {b})"),
            _ => format!("sign(memcmp({a} \"pad..\", {b} \"pad..\", {n}))"),
        };
        self.line(format!("out({call});"));
    }

    fn find(&mut self) {
        let (a, b, n) = (self.literal(), self.literal(), self.rng.below(6));
        let c = self.rng.pick(&["'a'", "'b'", "'z'", "0", "','", "0xff", "'a' + 256"]);
        self.line(format!("strcpy(b, {a});"));
        let call = match self.rng.below(8) {
            0 => format!("strchr(b, {c})"),
            1 => format!("strrchr(b, {c})"),
            2 => format!("strstr(b, {b})"),
            3 => format!("strpbrk(b, {b})"),
            4 => format!("memchr(b, {c}, strlen(b) < {n} ? strlen(b) : {n})"),
            5 => "strtok(b, \",; \")".to_string(),
            6 => format!("index(b, {c})"),
            _ => "(q = b, strsep(&q, \",; \"))".to_string(),
        };
        self.line(format!("p = {call}; out(place(b, p)); out(hash(b, 1));"));
        if call.starts_with("strtok") {
            self.line("p = strtok(0, \",; \"); out(place(b, p)); out(p ? strlen(p) : 0);".to_string());
        }
    }

    fn copy(&mut self) {
        let (a, b, n) = (self.literal(), self.literal(), self.rng.below(8));
        self.line(format!("memset(b, 'z', sizeof b); p = strcpy(b, {a}); out(p == b);"));
        match self.rng.below(8) {
            0 => self.line(format!("p = strcat(b, {b}); out(p == b);")),
            1 => self.line(format!("p = strncat(b, {b}, {n}); out(p == b);")),
            2 => self.line(format!("p = strncpy(b + 1, {b}, {n}); out(p == b + 1);")),
            3 => self.line(format!("p = stpcpy(b + 2, {b}); out(p - b);")),
            4 => self.line(format!("p = memmove(b + {n}, b + 2, 9); out(p - b);")),
            5 => self.line(format!("p = memcpy(b + 20, b + {n}, 7); out(p - b);")),
            6 => self.line(format!("p = memset(b + {n}, 0x141, {n}); out(p - b);")),
            _ => self.line(format!("p = strdup({b}); strcpy(b, p); free(p);")),
        }
        self.line("out(hash(b, 40));".to_string());
    }

    fn characters(&mut self) {
        let functions = [
            "isdigit", "isupper", "islower", "isalpha", "isalnum", "isspace", "isxdigit", "isblank",
            "iscntrl", "isprint", "isgraph", "ispunct",
        ];
        let from = self.rng.below(257) as i64 - 1;
        let (name, to) = (self.rng.pick(&functions), (from + 24).min(255));
        let change = self.rng.pick(&["toupper", "tolower"]);
        self.line(format!("n = 0; for (k = {from}; k <= {to}; k++) n = n * 2 + !!{name}(k); out(n);"));
        self.line(format!(
            "l = 0; for (k = {from}; k <= {to}; k++) l = l * 3 + {change}(k); out(l & 0xffffffff);"
        ));
    }

    fn number(&mut self) {
        let (text, base) = (self.rng.pick(&NUMBERS), self.rng.pick(&[0, 2, 8, 10, 16, 36]));
        let name = self.rng.pick(&["strtol", "strtoul", "strtoll", "strtoull"]);
        self.line(format!("strcpy(b, \"{text}\"); errno = 0; ll = {name}(b, &p, {base});"));
        // A call without anything to convert may or may not say so.
        self.line("out(ll); out(place(b, p)); out(p == b || errno);".to_string());
        if text.len() < 10 {
            let name = self.rng.pick(&["atoi", "atol", "atoll"]);
            self.line(format!("out({name}(b));"));
        }
    }

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
            ("l", "long"),
            ("ll", "long long"),
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
                let (length, ty) = self.rng.pick(&lengths);
                let conversion = ["d", "i", "u", "x", "X", "o"][kind - 2];
                (format!("{format}{length}{conversion}"), format!("{arg}({ty})({value})"))
            }
        }
    }

    fn print(&mut self) {
        let (mut format, mut args) = (String::new(), String::new());
        for _ in 0..1 + self.rng.below(2) {
            let (piece, arg) = self.piece();
            format += &format!("{}{piece}", self.rng.pick(&["", "a", "%%", " = "]));
            args += &format!(", {arg}");
        }
        let size = self.rng.pick(&["sizeof b", "5", "1", "12"]);
        self.line("memset(b, 'z', sizeof b);".to_string());
        match self.rng.below(3) {
            0 => self.line(format!("n = sprintf(b, \"{format}\"{args});")),
            _ => self.line(format!("n = snprintf(b, {size}, \"{format}\"{args});")),
        }
        self.line("out(n); out(hash(b, 40));".to_string());
    }

    fn scan(&mut self) {
        let text = self.rng.pick(&[
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
        ]);
        let first = self.rng.pick(&["%d", "%i", "%u", "%x", "%3d", "%*d", "%ld", "%o"]);
        let between = self.rng.pick(&[" ", ",", "", "%%"]);
        let second = self.rng.pick(&["%hd", "%hhd", "%hi"]);
        let out = match first {
            "%d" | "%i" | "%3d" => "&n, ",
            "%u" | "%x" | "%o" => "&u, ",
            "%ld" => "&l, ",
            _ => "",
        };
        let narrow = if second == "%hhd" { "&c" } else { "&h" };
        self.line("n = m = 77; u = 77; l = 77; h = 77; c = 77;".to_string());
        self.line(format!(
            "strcpy(b, \"{text}\"); k = sscanf(b, \"{first}{between}{second}%n\", {out}{narrow}, &m);"
        ));
        self.line("out(k); out(n); out(u); out(l); out(h); out(c); out(m);".to_string());
    }

    fn others(&mut self) {
        let v = self.rng.pick(&INTEGERS[..12]);
        match self.rng.below(4) {
            0 => self.line(format!("out(abs({v} + 1)); out(labs({v}L)); out(llabs({v}));")),
            1 => self.line(format!(
                "u = (unsigned)({v}); w = (unsigned long)({v}); out(__builtin_popcount(u)); out(__builtin_parityl(w)); \
                 out(__builtin_ffs((int)u)); out(__builtin_clzl(w | 1)); out(__builtin_ctz(u | 256)); \
                 out(__builtin_bswap32(u)); out(__builtin_bswap16((unsigned short)u));"
            )),
            2 => {
                let items: Vec<_> = (0..5).map(|_| (self.rng.below(9) as i64 - 4).to_string()).collect();
                let key = self.rng.below(9) as i64 - 4;
                self.line(format!(
                    "{{ int a[5] = {{{}}}, key = {key}; qsort(a, 5, sizeof *a, ascending); for (k = 0; k < 5; k++) out(a[k]); \
                     int *f = bsearch(&key, a, 5, sizeof *a, ascending); out(f == 0 ? 99 : *f); }}",
                    items.join(", ")
                ));
            }
            _ => {
                let (a, n) = (self.literal(), self.rng.below(4));
                self.line(format!("p = strndup({a}, {n}); out(strlen(p)); out(hash(p, (int)strlen(p))); free(p);"));
            }
        }
    }
}

/// A format's beginning without the flags that mean nothing for texts.
fn plain(format: &str) -> String {
    format.replace(['+', ' ', '#'], "").replacen("%0", "%", 1).replace("-0", "-").replace("%0", "%")
}
