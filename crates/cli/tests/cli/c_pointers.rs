//! Pointers of both sizes: no object is too large or too late for one, and where a conversion to an integer has no room for
//! it, the answer is unknown.

use crate::check;

/// The exit code for a program in a data model.
fn code(model: &str, text: &str) -> i32 {
    let ran = check(&format!("pointers_{model}.c"), text, &["-q", "--model", "sc", "--data-model", model]);
    assert!(ran.code == 0 || ran.code == 1 || ran.code == 3, "{model}: {text}\n{}{}", ran.stdout, ran.stderr);
    ran.code
}

const HEAD: &str = "#include <assert.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n";

#[test]
fn large_objects_have_pointers_to_all_their_bytes() {
    let programs = [
        (
            "int a[40000]; int get(int *p, int i) { return p[i]; }",
            "a[39999] = 5; assert(get(a, 39999) == V);",
        ),
        ("char a[70000]; char *last(char *p) { return p + 69999; }", "*last(a) = 5; assert(a[69999] == V);"),
        (
            "struct s { int x[20000]; int y; } g; void set(struct s *p) { p->y = 5; }",
            "set(&g); assert(g.y == V);",
        ),
        (
            "int a[40000];",
            "int *p = &a[39990], *q = &a[10]; *p = 5; assert(p - q == 39980 && q < p); assert(q[39980] == V);",
        ),
        (
            "",
            "int *p = malloc(40000 * sizeof *p); if (p) { p[39999] = 5; int *q = p + 39999; assert(*q == V); free(p); }",
        ),
        (
            "int a[3][20000]; int (*row(int i))[20000] { return &a[i]; }",
            "(*row(2))[19999] = 5; assert(a[2][19999] == V);",
        ),
    ];
    for (declared, body) in programs {
        for (value, expected) in [("5", 0), ("6", 1)] {
            let body = body.replace('V', value);
            let text = format!("{HEAD}{declared}\nint main(void) {{ {body} return 0; }}\n");
            for model in ["ilp32", "lp64"] {
                assert_eq!(code(model, &text), expected, "{model}: {text}");
            }
        }
    }
}

#[test]
fn accesses_outside_of_large_objects_are_found() {
    let text = format!(
        "{HEAD}int a[40000], b[40000]; int get(int *p, int i) {{ return p[i]; }}\n\
         int main(void) {{ return get(a, 40000) + b[0]; }}\n"
    );
    for model in ["ilp32", "lp64"] {
        assert_eq!(code(model, &text), 1, "{model}");
    }
}

/// The 32767th object is one, and no function.
#[test]
fn many_objects_have_pointers() {
    let names: Vec<_> = (0..33000).map(|i| format!("v{i}")).collect();
    let text = format!(
        "{HEAD}int {};\nint *all[] = {{ &{} }};\nint f(void) {{ return 4; }} int (*g)(void) = f;\n\
         int main(void) {{ int *p = all[32999], *q = all[32766]; *p = 7; *q = 5;\n\
         assert(v32999 == 7 && v32766 == 5 && g() == 4); return 0; }}\n",
        names.join(", "),
        names.join(", &")
    );
    for model in ["ilp32", "lp64"] {
        assert_eq!(code(model, &text), 0, "{model}");
    }
}

#[test]
fn pointers_become_integers_and_come_back() {
    let body = "int a[8] = { 0 }, *p = &a[3]; uintptr_t n = (uintptr_t)p; assert((int *)n == p); *(int *)n = 5; \
        assert(a[3] == 5); n |= 1; assert((n & 1) && *(int *)(n & ~(uintptr_t)1) == 5); \
        assert((void *)(intptr_t)-1 == (void *)-1 && (intptr_t)(void *)-1 == -1); assert((uintptr_t)(void *)0 == 0); \
        void *small = (void *)17; assert((int)(intptr_t)small == 17); assert((uintptr_t)&a[4] - (uintptr_t)p == 4); \
        int (*h)(void) = f; assert(((int (*)(void))(uintptr_t)h)() == 4); unsigned x = any(); \
        assert((unsigned)(uintptr_t)(void *)(uintptr_t)x == x);";
    let any = "unsigned choices[] = { 0, 1, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffff8000, 0xffffffff };\n\
        unsigned char __VERIFIER_nondet_uchar(void); void __VERIFIER_assume(int);\n\
        unsigned any(void) { unsigned char i = __VERIFIER_nondet_uchar(); __VERIFIER_assume(i < 10); return choices[i]; }\n";
    let text = format!("{HEAD}int f(void) {{ return 4; }}\n{any}int main(void) {{ {body} return 0; }}\n");
    for model in ["ilp32", "lp64"] {
        assert_eq!(code(model, &text), 0, "{model}");
    }
}

/// More bytes than a pointer tells apart are refused, and not taken for an error of the program.
#[test]
fn objects_beyond_all_pointers_are_refused() {
    let text = format!(
        "{HEAD}struct s {{ char x[4096]; }} a[1 << 20];\nint main(void) {{ a[(1 << 20) - 1].x[0] = 1; return 0; }}\n"
    );
    for model in ["ilp32", "lp64"] {
        let ran = check("beyond.c", &text, &["-q", "--data-model", model]);
        assert_eq!(ran.code, 2, "{model}: {}", ran.stdout);
        assert!(
            ran.stderr.contains("an object of 4294967296 bytes is not supported"),
            "{model}: {}",
            ran.stderr
        );
    }
}

/// An address that has no 32 bits ends in unknown; where it is never asked for as an integer, nothing is lost.
#[test]
fn what_has_no_narrow_form_is_unknown() {
    let text = format!(
        "{HEAD}int a[40000];\nint main(void) {{ int *p = &a[39999]; *p = 1; uintptr_t n = (uintptr_t)p; \
         assert(*(int *)n == 1); return 0; }}\n"
    );
    assert_eq!(code("ilp32", &text), 3);
    assert_eq!(code("lp64", &text), 0);
}
