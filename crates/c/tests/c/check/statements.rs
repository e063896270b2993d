//! Statements.

use super::typed;
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&typed(text));
}

#[test]
fn loops() {
    check(
        r#"int a;
int main(void) {
while (a) a--; do a++; while (a < 3); for (int i = 0; i < a; i++) { if (i == 2) continue; break; } for (;;) break;
}"#,
        expect![[r#"
            a: int
            main: int (void) () {
              while a
                old a -={int} 1
              do while (a < 3)
                old a +={int} 1
              i: int = 0
              for (i < a); old i +={int} 1
                if (i == 2)
                  continue
                break
              for
                break
            }
        "#]],
    );
}

#[test]
fn switches() {
    check(
        r#"int a; unsigned char c;
int main(void) {
switch (a) { case 1: case 2 ... 4: a = 1; break; default: a = 2; } switch (c) { case -1: case 300: break; { case 5: a = 3; } }
}"#,
        expect![[r#"
            a: int
            c: unsigned char
            main: int (void) () {
              switch a 1 2...4 default
                case #0:
                case #1:
                a = 1
                break
                case #2:
                a = 2
              switch int:(c) -1 300 5
                case #0:
                case #1:
                break
                {
                  case #2:
                  a = 3
                }
            }
        "#]],
    );
}

#[test]
fn gotos() {
    check(
        r#"int a;
int main(void) {
again: if (a) goto out; a = 1; goto again; out: ; { __label__ out; goto out; out: a = 2; } __auto_type b = ({ if (a) goto in; in: a; });
}"#,
        expect![[r#"
            a: int
            main: int (void) () {
              again:
              if a
                goto out
              a = 1
              goto again
              out:
              {
                goto out
                out:
                a = 2
              }
              b: int = ({...; ...; a})
            }
        "#]],
    );
}

#[test]
fn computed_gotos() {
    check(
        r#"int a;
int main(void) {
void *t[] = {&&one, &&two}; static void *s[] = {&&two}; goto *t[a]; goto *s[0]; one: a = 1; two: a = 2;
}"#,
        expect![[r#"
            s: void *[1] = {[0] = &&two}
            a: int
            main: int (void) () {
              t: void *[2] = {[0] = &&one, [1] = &&two}
              goto *t[long:(a)]
              goto *s[0]
              one:
              a = 1
              two:
              a = 2
            }
        "#]],
    );
}

#[test]
fn constant_branches() {
    check(
        r#"int a;
int main(void) {
if (0) nothing(); else a = 1; if (1) a = 2; if (0) { in: a = 3; } goto in;
}"#,
        expect![[r#"
            a: int
            main: int (void) () {
              {
                a = 1
              }
              {
                a = 2
              }
              if 0
                in:
                a = 3
              goto in
            }
        "#]],
    );
}

#[test]
fn variable_lengths() {
    check(
        r#"int f(int n, int m, int a[n][m]) { return a[1][2] + sizeof *a; }
int main(void) {
int n = 3; int a[n], b[2][n]; typedef int row[n]; row c; int (*p)[n] = b; f(2, 3, (int (*)[3])p); n = sizeof a + sizeof(row) + sizeof(int[n + 1]); c[0] = a[0];
}"#,
        expect![[r#"
            main: int (void) () {
              n: int = 3
              %1: unsigned long = unsigned long:(n)
              a: int[%1]
              %3: unsigned long = unsigned long:(n)
              b: int[2][%3]
              %5: unsigned long = unsigned long:(n)
              c: row
              %7: unsigned long = unsigned long:(n)
              p: int (*)[%7] = int (*)[%7]:(&b[0])
              f(2, 3, int (*)[]:((int (*)[3])(p)))
              n = int:((((%1 * 4:unsigned long) + (%5 * 4:unsigned long)) + ({%9 = unsigned long:((n + 1)); (%9 * 4:unsigned long)})))
              c[0] = a[0]
            }
            f: int (int, int, int (*)[]) (n: int, m: int, a: int (*)[%3]) {
              %3: unsigned long = unsigned long:(m)
              return int:((unsigned long:((*(a +> 1))[2]) + (%3 * 4:unsigned long)))
            }
        "#]],
    );
}

#[test]
fn assembly() {
    check(
        r#"int x, y;
int main(void) {
__asm__ volatile("mfence" ::: "memory"); __asm__("xchg %0, %1" : "+r"(x), "+m"(y)); __asm__("" :: "r"(x), "m"(y));
}"#,
        expect![[r#"
            x: int
            y: int
            main: int (void) () {
              asm "mfence" "memory"
              asm "xchg %0, %1" "+r" x "+m" y
              asm "" "r" x "m" y
            }
        "#]],
    );
}

#[test]
fn returns() {
    check(
        r#"void f(void) { return; } void g(void) { return f(); } int h(void) { return; }
int main(void) {
g(); return h();
}"#,
        expect![[r#"
            main: int (void) () {
              g()
              return h()
            }
            g: void (void) () {
              return f()
            }
            h: int (void) () {
              return
            }
            f: void (void) () {
              return
            }
        "#]],
    );
}

#[test]
fn blocks_and_scopes() {
    check(
        r#"int x;
int main(void) {
int x = 1; { int x = x; x++; { extern int x; x = 3; } } for (int x = 0; x < 2; x++) { int x = 5; }
}"#,
        expect![[r#"
            x: int
            main: int (void) () {
              x: int = 1
              {
                x: int = x
                old x +={int} 1
                {
                  x = 3
                }
              }
              x: int = 0
              for (x < 2); old x +={int} 1
                x: int = 5
            }
        "#]],
    );
}

#[test]
fn threads_of_cbmc() {
    check(
        r#"int x; void f(int a) { x = a; }
int main(void) {
__CPROVER_ASYNC_1: f(1); x = 2;
}"#,
        expect![[r#"
            x: int
            main: int (void) () {
              __CPROVER_ASYNC_1:
              start f(1)
              x = 2
            }
            f: void (int) (a: int) {
              x = a
            }
        "#]],
    );
}
