//! Random C programs of one thread that access memory in several sizes: unions, halves and bytes of words, structures that
//! are copied by `memcpy` and seen as others, casts through `void *`, pointers that are read as numbers. No byte is padding,
//! all are set, and the machine is little-endian, so the compiled program is a judge.
//!
//! A program is a function `test` that hands integers to `out`, for a harness to print or to compare.

use crate::Rng;

const BEGINNING: &str = "
#include <stdint.h>
#include <string.h>
union u { uint64_t w; uint32_t d[2]; uint16_t h[4]; uint8_t b[8]; struct { uint8_t c, e; int16_t m; uint32_t n; } s; };
struct in { uint16_t x; uint8_t y[2]; int32_t z; };
struct record { uint32_t a; struct in i; uint16_t t; int16_t r; union u u; };
struct opaque { uint64_t hidden[3]; };
static union u g; static struct record o1, o2; static uint32_t words[6]; static unsigned char text[24];
static uint32_t *first = &words[1];
static uint16_t half(void *p) { return *(uint16_t *)p; }
static void put(void *p, uint32_t v) { *(uint32_t *)p = v; }
static void hide(struct opaque *o, uint64_t v) { o->hidden[1] += v; }
static uint64_t sum(const unsigned char *p, int n) { uint64_t s = 0; for (int i = 0; i < n; i++) s = s * 31 + p[i]; return s; }
";

/// Objects and their sizes.
const OBJECTS: [(&str, usize); 8] =
    [("g", 8), ("l", 8), ("o1", 24), ("o2", 24), ("p", 24), ("words", 24), ("text", 24), ("o1.u", 8)];

/// Types and their sizes.
const TYPES: [(&str, usize); 8] = [
    ("uint8_t", 1),
    ("int8_t", 1),
    ("uint16_t", 2),
    ("int16_t", 2),
    ("uint32_t", 4),
    ("int32_t", 4),
    ("uint64_t", 8),
    ("int64_t", 8),
];

const MEMBERS: [&str; 18] = [
    "g.w",
    "g.d[1]",
    "g.h[k & 3]",
    "g.b[k & 7]",
    "g.s.m",
    "g.s.n",
    "l.w",
    "l.h[2]",
    "l.b[5]",
    "o1.a",
    "o1.i.z",
    "o1.i.y[k & 1]",
    "o2.u.d[0]",
    "o2.t",
    "p.i.x",
    "p.u.s.c",
    "words[k & 3]",
    "text[k & 15]",
];

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let mut text = format!(
        "{BEGINNING}static void test(void)\n{{\n    union u l = {{0}}; struct record p = {{1, {{2, {{3, 4}}, 5}}, 6, 7, {{8}}}}; uint32_t k = {};\n",
        rng.below(8)
    );
    for _ in 0..8 + rng.below(8) {
        text += "    ";
        text += &statement(&mut rng);
        text += "\n";
    }
    for (object, size) in OBJECTS {
        text += &format!("    out(sum((unsigned char *)&{object}, {size}));\n");
    }
    text + "    out(*first); out(k);\n}\n"
}

/// Bytes of an object, as a value of a type.
fn view(rng: &mut Rng) -> String {
    if rng.one_in(3) {
        return rng.pick(&MEMBERS).to_string();
    }
    let (object, size) = rng.pick(&OBJECTS);
    let (ty, width) = rng.pick(&TYPES);
    let aligned = rng.below(size / width) * width;
    let offset = if rng.one_in(8) { rng.below(size - width + 1) } else { aligned };
    match rng.below(4) {
        0 => format!("((({ty} *)(void *)&{object})[{}])", aligned / width),
        1 if size == 24 => {
            format!("(*({ty} *)((char *)&{object} + (k & 1) * {}))", aligned.min(size - width - 8).max(width))
        }
        _ => format!("(*({ty} *)((char *)&{object} + {offset}))"),
    }
}

fn statement(rng: &mut Rng) -> String {
    let constant = rng.pick(&[
        "0x01020304u",
        "0xfffefdfcu",
        "0x80u",
        "0xffu",
        "0x1122334455667788ull",
        "-1",
        "-300",
        "7",
    ]);
    let (one, other) = (view(rng), view(rng));
    let record = |rng: &mut Rng| rng.pick(&["o1", "o2", "p"]);
    match rng.below(18) {
        0 | 1 => format!("{one} = {constant};"),
        2 | 3 => format!("{one} = {other};"),
        4 => format!("{one} {} {other};", rng.pick(&["+=", "^=", "|=", "-="])),
        5 | 6 => format!("out({one});"),
        7 => {
            let (to, from) = (record(rng), record(rng));
            let size = rng.pick(&["24", "8", "12", "sizeof(uint32_t)", "3"]);
            if to == from { format!("k += {one} & 3;") } else { format!("memcpy(&{to}, &{from}, {size});") }
        }
        8 => format!(
            "memcpy({}, {}, 8);",
            rng.pick(&["&g", "&l", "text + 4", "words + 2"]),
            rng.pick(&["&o1.u", "&p.i", "&o2.i"])
        ),
        9 => format!("{} = {};", record(rng), record(rng)),
        10 => format!(
            "put({}, {constant});",
            rng.pick(&["&g", "&o1.i", "&text[8]", "&words[k & 3]", "&l.h[2]", "(char *)&p + 16"])
        ),
        11 => format!(
            "out(half({}));",
            rng.pick(&["&g.b[2]", "&o1.i.y", "&words[1]", "text + (k & 14)", "&p.a"])
        ),
        12 => format!("hide((struct opaque *)&{}, {constant});", record(rng)),
        13 => format!(
            "{{ void *slot = &first; uint64_t n = *(uint64_t *)slot; *(uint32_t *)n = {one}; first = &words[{}]; }}",
            rng.below(6)
        ),
        14 => format!(
            "memset((char *){} + {}, {}, {});",
            rng.pick(&["&g", "&o2", "text"]),
            rng.below(4),
            rng.pick(&["0", "1", "0xff"]),
            1 + rng.below(4)
        ),
        15 => format!(
            "memset(&{}, {}, {});",
            rng.pick(&["g", "o1", "p"]),
            rng.pick(&["0", "3"]),
            1 + rng.below(7)
        ),
        16 => format!("out(memcmp(&{}, &{}, 24) == 0);", record(rng), record(rng)),
        _ => format!("k = (k + {one}) & 15;"),
    }
}
