//! Declarations: what names are, and of which type.

use super::typed;
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&typed(text));
}

#[test]
fn variables() {
    check(
        r#"int a; static long b = 3; extern int c; int c; unsigned char d[4]; const char *e = "text"; _Thread_local int f = 1;
int main(void) {
a = b + c + d[0] + *e + f;
}"#,
        expect![[r#"
            a: int
            b: long = 3:long
            c: int
            d: unsigned char[4]
            e: const char * = const char *:(&"text\0"[0])
            thread_local f: int = 1
            main: int (void) () {
              a = int:(((((b + long:(c)) + long:(int:(d[0]))) + long:(int:((*e)))) + long:(f)))
            }
        "#]],
    );
}

#[test]
fn tentative_and_later_lengths() {
    check(
        r#"extern int a[]; int a[3]; int b[]; int c[] = {1, 2, 3};
int main(void) {
a[0] = b[0] = sizeof c;
}"#,
        expect![[r#"
            a: int[3]
            b: int[1]
            main: int (void) () {
              a[0] = b[0] = 12
            }
        "#]],
    );
}

#[test]
fn typedef_names_are_kept() {
    check(
        r#"typedef unsigned long size; typedef size *sizes; typedef const int fixed;
int main(void) {
size a = 1; sizes b = &a; fixed c = 2; *b += c;
}"#,
        expect![[r#"
            main: int (void) () {
              a: size = 1:size
              b: sizes = &a
              c: fixed = 2
              (*b) +={size} size:(c)
            }
        "#]],
    );
}

#[test]
fn pointers_arrays_functions() {
    check(
        r#"int *(*f[3])(void); int (*g)[4]; int *h[4]; void (*signal(int, void (*)(int)))(int) { return 0; }
int main(void) {
f[0]; g; h[0]; signal(1, 0);
}"#,
        expect![[r#"
            f: int *(*[3])(void)
            g: int (*)[4]
            h: int *[4]
            main: int (void) () {
              f[0]
              g
              h[0]
              signal(1, 0:void (*)(int))
            }
            signal: void (*(int, void (*)(int)))(int) (: int, : void (*)(int)) {
              return 0:void (*)(int)
            }
        "#]],
    );
}

#[test]
fn structures() {
    check(
        r#"struct s { int a; struct { char b, c; }; union { long d; char e[8]; } u; struct s *next; };
int main(void) {
struct s x; x.a = x.b; x.c = x.u.e[1]; x.next = &x; x.next->u.d = x.next->next->a;
}"#,
        expect![[r#"
            main: int (void) () {
              x: struct s
              x.a = int:(x.1.b)
              x.1.c = x.u.e[1]
              x.next = &x
              (*x.next).u.d = long:((*(*x.next).next).a)
            }
        "#]],
    );
}

#[test]
fn a_structure_of_a_block_hides_another() {
    check(
        r#"struct s { int a; };
int main(void) {
struct s x; { struct s { long b; } y; y.b = 1; } x.a = sizeof(struct s);
}"#,
        expect![[r#"
            main: int (void) () {
              x: struct s
              {
                y: struct s
                y.b = 1:long
              }
              x.a = 4
            }
        "#]],
    );
}

#[test]
fn enumerations() {
    check(
        r#"enum color { RED, GREEN = 5, BLUE }; enum { MINUS = -1 }; enum big { BIG = 0x100000000 };
int main(void) {
enum color c = BLUE; c = MINUS; long d = BIG; c = RED | GREEN;
}"#,
        expect![[r#"
            main: int (void) () {
              c: enum color = 6:enum color
              c = 4294967295:enum color
              d: long = 4294967296:long
              c = 5:enum color
            }
        "#]],
    );
}

#[test]
fn qualifiers_say_what_an_access_is() {
    check(
        r#"volatile int v; _Atomic int a; _Atomic(long) b; volatile struct { int x; } s; const volatile int *p;
int main(void) {
v = a; b = v; s.x = *p; a += 2; v++;
}"#,
        expect![[r#"
            v: volatile int
            a: _Atomic int
            b: _Atomic long
            s: volatile struct unnamed
            p: const volatile int *
            main: int (void) () {
              v@volatile = a@seq_cst
              b@seq_cst = long:(v@volatile)
              s.x@volatile = (*p)@volatile
              a@seq_cst +={int} 2
              old v@volatile +={int} 1
            }
        "#]],
    );
}

#[test]
fn only_what_is_reached_is_checked() {
    check(
        r#"int unused(void) { return nothing; } int odd = &&nowhere; static int used(void) { return 1; }
int main(void) {
return used();
}"#,
        expect![[r#"
            main: int (void) () {
              return used()
            }
            used: int (void) () {
              return 1
            }
        "#]],
    );
}

#[test]
fn static_locals_and_local_externs() {
    check(
        r#"int shared = 1;
int main(void) {
static int count = 2; extern int shared; { static int count = 3; count++; } count += shared;
}"#,
        expect![[r#"
            count: int = 2
            count: int = 3
            shared: int = 1
            main: int (void) () {
              {
                old count +={int} 1
              }
              count +={int} shared
            }
        "#]],
    );
}

#[test]
fn old_style_definitions() {
    check(
        r#"int add(a, b) int a; char b; { return a + b; }
int main(void) {
return add(1, 2);
}"#,
        expect![[r#"
            main: int (void) () {
              return add(1, 2:char)
            }
            add: int (int, char) (a: int, b: char) {
              return (a + int:(b))
            }
        "#]],
    );
}

#[test]
fn parameters_are_adjusted() {
    check(
        r#"int f(int a[3], int g(int), const int b[const]) { return a[0] + g(b[1]); } int id(int x) { return x; }
int main(void) {
int x[3]; return f(x, id, x);
}"#,
        expect![[r#"
            main: int (void) () {
              x: int[3]
              return f(&x[0], id, const int *:(&x[0]))
            }
            id: int (int) (x: int) {
              return x
            }
            f: int (int *, int (*)(int), const int *const) (a: int *, g: int (*)(int), b: const int *const) {
              return ((*a) + (*g)((*(b +> 1))))
            }
        "#]],
    );
}

#[test]
fn constructors_and_destructors() {
    check(
        r#"__attribute__((constructor(200))) void late(void) {} __attribute__((constructor(101))) void early(void) {} __attribute__((destructor)) void end(void) {}
int main(void) {

}"#,
        expect![[r#"
            main: int (void) () {
            }
            early: void (void) () {
            }
            late: void (void) () {
            }
            end: void (void) () {
            }
            before main: early
            before main: late
            after main: end
        "#]],
    );
}

#[test]
fn cleanup() {
    check(
        r#"void gone(int *p) { *p = 0; }
int main(void) {
__attribute__((cleanup(gone))) int x = 1;
}"#,
        expect![[r#"
            main: int (void) () {
              x: int = 1 cleanup gone
            }
            gone: void (int *) (p: int *) {
              (*p) = 0
            }
        "#]],
    );
}

#[test]
fn modes() {
    check(
        r#"typedef int word __attribute__((mode(DI))); word w;
int main(void) {
w = 1;
}"#,
        expect![[r#"
            w: word
            main: int (void) () {
              w = 1:word
            }
        "#]],
    );
}

#[test]
fn several_declarations_of_a_function() {
    check(
        r#"int f(); int f(int, long); static int f(int a, long b) { return a + b; }
int main(void) {
return f(1, 2);
}"#,
        expect![[r#"
            main: int (void) () {
              return f(1, 2:long)
            }
            f: int (int, long) (a: int, b: long) {
              return int:((long:(a) + b))
            }
        "#]],
    );
}

#[test]
fn auto_types() {
    check(
        r#"int main(void) {
__auto_type x = 3ul; __typeof__(x) y = x; typeof(int *) p = 0; p = &(int){1};
}"#,
        expect![[r#"
            main: int (void) () {
              x: unsigned long = 3:unsigned long
              y: unsigned long = x
              p: int * = 0:int *
              p = &(int){1}
            }
        "#]],
    );
}
