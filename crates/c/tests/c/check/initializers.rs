//! Initialisers: which value is for which part.

use super::typed;
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&typed(text));
}

#[test]
fn nested_and_flat_braces() {
    check(
        r#"struct s { int a, b[2]; struct { char c, d; } e; }; struct s x = {1, {2, 3}, {4, 5}}; struct s y = {1, 2, 3, 4, 5}; struct s z[2] = {1, 2, 3, 4, 5, {6}};
int main(void) {
x = y; x = z[0];
}"#,
        expect![[r#"
            x: struct s = {.a = 1, .b[0] = 2, .b[1] = 3, .e.c = 4:char, .e.d = 5:char}
            y: struct s = {.a = 1, .b[0] = 2, .b[1] = 3, .e.c = 4:char, .e.d = 5:char}
            z: struct s[2] = {[0].a = 1, [0].b[0] = 2, [0].b[1] = 3, [0].e.c = 4:char, [0].e.d = 5:char, [1].a = 6}
            main: int (void) () {
              x = y
              x = z[0]
            }
        "#]],
    );
}

#[test]
fn designators() {
    check(
        r#"struct s { int a, b[4]; struct { int c; } d; } x = {.b[1] = 2, 3, .d.c = 4, .a = 5}; int y[] = {[3] = 1, 2, [1] = 4}; int z[8] = {[2 ... 4] = 7, 8};
int main(void) {
x.a = y[0] + z[0];
}"#,
        expect![[r#"
            x: struct s = {.b[1] = 2, .b[2] = 3, .d.c = 4, .a = 5}
            y: int[5] = {[3] = 1, [4] = 2, [1] = 4}
            z: int[8] = {[2...4] = 7, [5] = 8}
            main: int (void) () {
              x.a = (y[0] + z[0])
            }
        "#]],
    );
}

#[test]
fn strings() {
    check(
        r#"char a[] = "ab", b[2] = "ab", c[5] = {"ab"}; char d[][3] = {"a", "bc"}; const char *e[] = {"x", "y"}; int f[] = L"ab";
int main(void) {
a[0] = b[0] + c[0] + d[0][0] + *e[0] + f[0];
}"#,
        expect![[r#"
            a: char[3] = {"ab\0"}
            b: char[2] = {"ab"}
            c: char[5] = {"ab\0"}
            d: char[2][3] = {[0] = "a\0", [1] = "bc\0"}
            e: const char *[2] = {[0] = const char *:(&"x\0"[0]), [1] = const char *:(&"y\0"[0])}
            f: int[3] = {"ab\0"}
            main: int (void) () {
              a[0] = char:(((((int:(b[0]) + int:(c[0])) + int:(d[0][0])) + int:((*e[0]))) + f[0]))
            }
        "#]],
    );
}

#[test]
fn unions() {
    check(
        r#"union u { int a; char b[4]; }; union u x = {1}, y = {.b = {2, 3}}; struct { union u u; int z; } w = {4, 5}, v = {{.b = "ab"}, 6};
int main(void) {
x = y; w.z = v.z;
}"#,
        expect![[r#"
            x: union u = {.a = 1}
            y: union u = {.b[0] = 2:char, .b[1] = 3:char}
            w: struct unnamed = {.u.a = 4, .z = 5}
            v: struct unnamed = {.u.b = "ab\0", .z = 6}
            main: int (void) () {
              x = y
              w.z = v.z
            }
        "#]],
    );
}

#[test]
fn unnamed_members() {
    check(
        r#"struct s { struct { int a, b; }; union { int c; long d; }; int e; } x = {1, 2, 3, 4}, y = {.b = 5, .d = 6, 7};
int main(void) {
x.a = y.e;
}"#,
        expect![[r#"
            x: struct s = {.0.a = 1, .0.b = 2, .1.c = 3, .e = 4}
            y: struct s = {.0.b = 5, .1.d = 6:long, .e = 7}
            main: int (void) () {
              x.0.a = y.e
            }
        "#]],
    );
}

#[test]
fn records_among_the_items() {
    check(
        r#"struct in { int a, b; }; struct s { struct in i; int c; };
int main(void) {
struct in n = {1, 2}; struct s x = {n, 3}; struct s y = {n.a, n.b, 4}; struct s z[2] = {x, {n}}; struct s w = (struct s){{5, 6}, 7}; y = z[0]; w = y;
}"#,
        expect![[r#"
            main: int (void) () {
              n: struct in = {.a = 1, .b = 2}
              x: struct s = {.i = n, .c = 3}
              y: struct s = {.i.a = n.a, .i.b = n.b, .c = 4}
              z: struct s[2] = {[0] = x, [1].i = n}
              w: struct s = {.i.a = 5, .i.b = 6, .c = 7}
              y = z[0]
              w = y
            }
        "#]],
    );
}

#[test]
fn scalars_in_braces() {
    check(
        r#"int a = {1}; int *p = {&a};
int main(void) {
int b = {2}; b = *p;
}"#,
        expect![[r#"
            p: int * = &a
            a: int = 1
            main: int (void) () {
              b: int = 2
              b = (*p)
            }
        "#]],
    );
}

#[test]
fn addresses() {
    check(
        r#"int x[3]; struct s { int a, b; } s; int f(void) { return 0; } int *p = x + 1, *q = &x[2], *r = &s.b, (*g)(void) = f; long l = (long)&s; char *t = "abc" + 1;
int main(void) {
*p = *q = *r = g(); l = *t;
}"#,
        expect![[r#"
            p: int * = (&x[0] +> 1)
            q: int * = &x[2]
            r: int * = &s.b
            g: int (*)(void) = f
            l: long = (long)(&s)
            t: char * = (&"abc\0"[0] +> 1)
            x: int[3]
            s: struct s
            main: int (void) () {
              (*p) = (*q) = (*r) = (*g)()
              l = long:((*t))
            }
            f: int (void) () {
              return 0
            }
        "#]],
    );
}

#[test]
fn bit_fields() {
    check(
        r#"struct { int a : 3, : 2, b : 4; } s = {1, 2};
int main(void) {
s.a = 3;
}"#,
        expect![[r#"
            s: struct unnamed = {.a = 1, .b = 2}
            main: int (void) () {
              s.a<0:3 of 2> = 3
            }
        "#]],
    );
}

#[test]
fn flexible_members() {
    check(
        r#"struct s { int n; int a[]; } x = {2, {3, 4}};
int main(void) {
x.n = 1;
}"#,
        expect![[r#"
            x: struct s = {.n = 2, .a[0] = 3, .a[1] = 4}
            main: int (void) () {
              x.n = 1
            }
        "#]],
    );
}

#[test]
fn empty() {
    check(
        r#"struct s { int a; } x = {}; int y[3] = {};
int main(void) {
struct s z = {}; z = x; y[0] = 1;
}"#,
        expect![[r#"
            x: struct s = {}
            y: int[3] = {}
            main: int (void) () {
              z: struct s = {}
              z = x
              y[0] = 1
            }
        "#]],
    );
}

#[test]
fn compound_literals_outside_of_functions() {
    check(
        r#"struct s { int *p; } x = {(int[]){1, 2}}; int *q = &(int){3};
int main(void) {
*q = *x.p;
}"#,
        expect![[r#"
            q: int * = &%literal
            x: struct s = {.p = &%literal[0]}
            main: int (void) () {
              (*q) = (*x.p)
            }
        "#]],
    );
}
