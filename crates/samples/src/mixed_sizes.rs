//! Random C programs in which two threads access one word as a whole, by halves and by bytes.

use crate::Rng;

/// A program but for what it asserts at its end of `out0` and `out1`.
pub struct MixedSizes {
    threads: [String; 2],
}

const BEGINNING: &str = "
    typedef unsigned long pthread_t;
    int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
    int pthread_join(pthread_t, void **);
    void __assert_fail(const char *, const char *, unsigned int, const char *);
    union { unsigned whole; unsigned short half[2]; unsigned char byte[4]; } u;
    unsigned y, out0, out1;
";

const STORES: [&str; 9] = [
    "u.whole = 0x01010101;",
    "u.whole = 0x02020202;",
    "u.half[0] = 0x0303;",
    "u.half[1] = 0x0303;",
    "u.byte[0] = 4;",
    "u.byte[3] = 4;",
    "*(unsigned short *)&u.byte[2] = 0x0505;",
    "*(unsigned *)(void *)u.half = 0x06060606;",
    "y = 1;",
];

const LOADS: [&str; 6] =
    ["r += u.whole;", "r += u.half[0];", "r += u.half[1];", "r += u.byte[3];", "r += u.byte[0];", "r += y;"];

const OTHERS: [&str; 4] = [
    "__sync_synchronize();",
    "__atomic_exchange_n(&u.half[1], 0x0707, 5);",
    "__sync_fetch_and_add(&u.whole, 1);",
    "__atomic_store_n(&u.half[0], 0x0808, 3);",
];

impl MixedSizes {
    /// Each thread stores, loads, and does one or two things more.
    pub fn new(seed: u64) -> MixedSizes {
        let mut rng = Rng::new(seed);
        let mut thread = || {
            let mut body = vec![rng.pick(&STORES), rng.pick(&LOADS)];
            for _ in 0..rng.below(3) {
                let kind: &[&str] = match rng.below(5) {
                    0 | 1 => &STORES,
                    2 | 3 => &LOADS,
                    _ => &OTHERS,
                };
                let at = rng.below(body.len() + 1);
                body.insert(at, rng.pick(kind));
            }
            body.join(" ")
        };
        MixedSizes { threads: [thread(), thread()] }
    }

    /// The program, in which both values together are an error.
    pub fn source(&self, out0: u32, out1: u32) -> String {
        let [a, b] = &self.threads;
        format!(
            "{BEGINNING}
    void *t0(void *arg) {{ unsigned r = 0; {a} out0 = r; return 0; }}
    void *t1(void *arg) {{ unsigned r = 0; {b} out1 = r; return 0; }}
    int main(void) {{
        pthread_t a, b;
        pthread_create(&a, 0, t0, 0);
        pthread_create(&b, 0, t1, 0);
        pthread_join(a, 0);
        pthread_join(b, 0);
        if (out0 == {out0}u && out1 == {out1}u) __assert_fail(\"\", \"\", 0, \"\");
        return 0;
    }}
"
        )
    }
}
