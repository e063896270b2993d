//! Random C programs that call functions of the standard library on texts, numbers and formats, many of them odd, so that
//! the system's own library is a judge of the models of these functions.
//!
//! A program is a function `test` that hands integers to `out`, as in [`crate::c_program`]. Seeds go through the whole
//! catalogue of calls, one after the other; what they are called with is drawn.

mod calls;
mod print;
mod scan;

use crate::Rng;

const HEAD: &str = "#define _GNU_SOURCE\n#include <alloca.h>\n#include <arpa/inet.h>\n#include <byteswap.h>\n#include <ctype.h>\n#include <endian.h>\n\
    #include <errno.h>\n#include <inttypes.h>\n#include <locale.h>\n#include <malloc.h>\n#include <pthread.h>\n#include <sched.h>\n\
    #include <semaphore.h>\n#include <stdarg.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <strings.h>\n\
    #include <threads.h>\n#include <time.h>\n#include <unistd.h>\n\
    static char b[64], f[64];\n\
    static const struct timespec moment = {1, 0};\n\
    static int counted;\n\
    static void count(void) { counted++; }\n\
    static long long hash(const char *s, int n) { unsigned long long h = 7; for (int i = 0; i < n; i++) h = h * 31 + (unsigned char)s[i]; return (long long)(h & 0xffffffff); }\n\
    static int sign(int n) { return (n > 0) - (n < 0); }\n\
    static long place(const char *s, const char *p) { return p == 0 ? -1 : (long)(p - s); }\n\
    static void fresh(char *to, const char *s) { memset(to, 'z', 64); strcpy(to, s); }\n\
    static int ascending(const void *a, const void *b) { return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b); }\n\
    static int by_character(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }\n\
    static int by_key(const void *a, const void *b) { return (*(const long *)a > *(const long *)b) - (*(const long *)a < *(const long *)b); }\n";

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

/// How many calls a program has.
const CALLS: usize = 12;

struct Generator {
    rng: Rng,
    text: String,
    widths: Widths,
}

/// Whether a program's values depend on the width of `long`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Widths {
    /// They do.
    OfLong,
    /// They do not, so that programs for 64 bits are judges of 32 bits, too.
    Any,
}

/// What a program may do.
enum Call {
    Template(&'static str),
    Characters(&'static str),
    Print,
    Scan,
}

/// All of it; formats take several places, for there are many.
fn catalogue(widths: Widths) -> Vec<Call> {
    let templates = match widths {
        Widths::OfLong => {
            [calls::TEXTS, calls::NUMBERS, calls::MEMORY, calls::OUTPUT, calls::THREADS].concat()
        }
        Widths::Any => [calls::TEXTS, calls::OUTPUT, calls::THREADS].concat(),
    };
    let mut all: Vec<Call> = templates.into_iter().map(Call::Template).collect();
    all.extend(calls::CHARACTERS.iter().map(|name| Call::Characters(name)));
    all.extend((0..40).flat_map(|_| [Call::Print, Call::Scan]));
    all
}

/// How many seeds go through the whole catalogue.
pub fn round() -> u64 {
    catalogue(Widths::OfLong).len().div_ceil(CALLS) as u64
}

/// The program of a seed.
pub fn program(seed: u64, widths: Widths) -> String {
    let catalogue = catalogue(widths);
    let mut generator = Generator { rng: Rng::new(seed), text: String::new(), widths };
    for i in 0..CALLS {
        // A step that has no divisor in common with the catalogue's length mixes what is together.
        let at = (seed as usize * CALLS + i) * 59 % catalogue.len();
        match catalogue[at] {
            Call::Template(template) => generator.fill(template),
            Call::Characters(name) => generator.characters(name),
            Call::Print => generator.print(),
            Call::Scan => generator.scan(),
        }
    }
    let body = generator.text;
    let called = |name: &str| body.contains(&format!("{name}("));
    let lists: String =
        print::LISTS.iter().filter(|(name, _)| called(name)).map(|(_, text)| format!("{text}\n")).collect();
    format!(
        "{HEAD}{lists}static void test(void)\n{{\n    char *p = 0, *q = 0; int n = 0, m = 0, k = 0; long l = 0; short h = 0; \
         signed char c = 0; unsigned u = 0; unsigned long w = 0; long long ll = 0;\n{body}}}\n"
    )
}

impl Generator {
    fn line(&mut self, line: &str) {
        self.text += &format!("    {line}\n");
    }

    fn literal(&mut self) -> String {
        format!("\"{}\"", self.rng.pick(&TEXTS))
    }

    /// A call with something drawn for each letter after a `$`: `t` a text, `s` separators, `c` a character, `n` a number
    /// up to 7, `m` one up to 3, `v` 0 or 1, `i` an `int`, `l` a `long`, `d` and `a` the text of a number, `a` of one that fits
    /// an `int`, `b` a base, `f` a format of dates, `k` a kind of mutexes.
    fn fill(&mut self, template: &str) {
        let mut parts = template.split('$');
        let mut line = parts.next().unwrap_or_default().to_string();
        for part in parts {
            line += &match &part[..1] {
                "t" => self.literal(),
                "s" => format!("\"{}\"", self.rng.pick(&[",; ", ",", "", "abc", " ;"])),
                "c" => {
                    self.rng.pick(&["'a'", "'b'", "'z'", "0", "','", "0xff", "'a' + 256", "-1"]).to_string()
                }
                "n" => self.rng.below(8).to_string(),
                "m" => self.rng.below(4).to_string(),
                "v" => self.rng.below(2).to_string(),
                "i" => format!("({})", self.rng.pick(&INTEGERS[..11])),
                "l" => format!("({}l)", self.rng.pick(&INTEGERS[..13])),
                "d" => self.number(),
                "a" => format!("\"{}\"", self.rng.pick(&NUMBERS[..14])),
                "b" => match self.rng.below(3) {
                    0 => (2 + self.rng.below(35)).to_string(),
                    _ => self.rng.pick(&["0", "2", "8", "10", "16", "36"]).to_string(),
                },
                "f" => {
                    let formats = [
                        "%F %T", "%D", "%R", "%H:%M:%S", "%y%j", "%e|%I%p", "%a %b %h", "%c", "100%%",
                        "%u%w%n%t", "%x %X", "",
                    ];
                    format!("\"{}\"", self.rng.pick(&formats))
                }
                "k" => {
                    let kinds = ["NORMAL", "RECURSIVE", "ERRORCHECK", "DEFAULT"];
                    format!("PTHREAD_MUTEX_{}", self.rng.pick(&kinds))
                }
                letter => panic!("nothing is drawn for `{letter}`"),
            };
            line += &part[1..];
        }
        self.line(&line);
    }

    /// The text of a number: one of those at the limits, or digits of some base.
    fn number(&mut self) -> String {
        if self.rng.one_in(2) {
            return format!("\"{}\"", self.rng.pick(&NUMBERS));
        }
        let mut text = self.rng.pick(&["", "-", "+", " ", "0x", "0", "\\n -"]).to_string();
        for _ in 0..1 + self.rng.below(22) {
            text.push(self.rng.pick(&['0', '1', '1', '7', '8', 'a', 'F', 'z', 'Z', '9']));
        }
        format!("\"{text}\"")
    }

    fn characters(&mut self, name: &str) {
        let from = self.rng.below(257) as i64 - 1;
        let to = (from + 24).min(255);
        let value = if name.starts_with("to") { format!("{name}(k)") } else { format!("!!{name}(k)") };
        self.line(&format!(
            "ll = 0; for (k = {from}; k <= {to}; k++) ll = ll * 3 + {value}; out(ll & 0xffffffff);"
        ));
    }
}
