//! Implicit conversions.

use super::typed;
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&typed(text));
}

#[test]
fn assignment() {
    check(
        r#"char c; _Bool b; unsigned u; float f; int *p; void *v; long l;
int main(void) {
c = 300; b = 2; b = p; u = -1; f = 1; p = v; v = p; p = 0; l = f; c = u;
}"#,
        expect![[r#"
            c: char
            b: _Bool
            p: int *
            u: unsigned
            f: float
            v: void *
            l: long
            main: int (void) () {
              c = 44:char
              b = 1:_Bool
              b = _Bool:(p)
              u = 4294967295:unsigned
              f = float:(1)
              p = int *:(v)
              v = void *:(p)
              p = 0:int *
              l = long:(f)
              c = char:(u)
            }
        "#]],
    );
}

#[test]
fn returned_values_and_arguments() {
    check(
        r#"char f(short s) { return s; } void *g(void) { return 0; }
int main(void) {
f(70000); g();
}"#,
        expect![[r#"
            main: int (void) () {
              f(4464:short)
              g()
            }
            f: char (short) (s: short) {
              return char:(s)
            }
            g: void *(void) () {
              return 0:void *
            }
        "#]],
    );
}

#[test]
fn usual_arithmetic() {
    check(
        r#"signed char c; unsigned short s; int i; unsigned u; long l; unsigned long m; double d;
int main(void) {
c + s; i + u; u + l; l + m; i + d; c == s; u < i;
}"#,
        expect![[r#"
            c: signed char
            s: unsigned short
            i: int
            u: unsigned
            l: long
            m: unsigned long
            d: double
            main: int (void) () {
              (int:(c) + int:(s))
              (unsigned:(i) + u)
              (long:(u) + l)
              (unsigned long:(l) + m)
              (double:(i) + d)
              (int:(c) == int:(s))
              (u < unsigned:(i))
            }
        "#]],
    );
}

#[test]
fn bit_fields_promote() {
    check(
        r#"struct { unsigned a : 3; unsigned b : 32; _Bool c : 1; long d : 20; } s;
int main(void) {
s.a + 1; s.b + 1; s.c + 1; s.d + 1; -s.a; s.a < -1;
}"#,
        expect![[r#"
            s: struct unnamed
            main: int (void) () {
              (int:(s.a<0:3 of 1>) + 1)
              (s.b<0:32 of 4> + 1:unsigned)
              (int:(s.c<0:1 of 3>) + 1)
              (int:(s.d<1:20 of 3>) + 1)
              -(int:(s.a<0:3 of 1>))
              (int:(s.a<0:3 of 1>) < -1)
            }
        "#]],
    );
}

#[test]
fn enumerations_are_integers() {
    check(
        r#"enum e { A } x; enum n { B = -1 } y;
int main(void) {
x + 1; y + 1; x = 3; x == A; y < 0u;
}"#,
        expect![[r#"
            x: enum e
            y: enum n
            main: int (void) () {
              (unsigned:(x) + 1:unsigned)
              (int:(y) + 1)
              x = 3:enum e
              (unsigned:(x) == 0:unsigned)
              (unsigned:(int:(y)) < 0:unsigned)
            }
        "#]],
    );
}

#[test]
fn transparent_unions() {
    check(
        r#"union u { int *i; char *c; } __attribute__((transparent_union)); int f(union u u) { return *u.i; }
int main(void) {
int x; char y; return f(&x) + f(&y);
}"#,
        expect![[r#"
            main: int (void) () {
              x: int
              y: char
              return (f((union u){.i = &x}) + f((union u){.c = &y}))
            }
            f: int (union u) (u: union u) {
              return (*u.i)
            }
        "#]],
    );
}
