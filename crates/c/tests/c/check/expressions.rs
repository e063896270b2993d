//! Expressions and their types.

use super::typed;
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&typed(text));
}

#[test]
fn arithmetic() {
    check(
        r#"char c; short s; unsigned u; long l; unsigned long long q; float f;
int main(void) {
c + s; s * u; u - l; l / q; c % 3; f * 2; -c; ~s; +c; c << l; u >> c; c & s | u ^ l;
}"#,
        expect![[r#"
            c: char
            s: short
            u: unsigned
            l: long
            q: unsigned long long
            f: float
            main: int (void) () {
              (int:(c) + int:(s))
              (unsigned:(int:(s)) * u)
              (long:(u) - l)
              (unsigned long long:(l) / q)
              (int:(c) % 3)
              (f * float:(2))
              -(int:(c))
              ~(int:(s))
              int:(c)
              (int:(c) << l)
              (u >> int:(c))
              (long:((int:(c) & int:(s))) | (long:(u) ^ l))
            }
        "#]],
    );
}

#[test]
fn comparisons() {
    check(
        r#"int i; unsigned u; long l; char *p; void *v;
int main(void) {
i < u; l >= u; p == 0; p != v; v == p; i == l; !p; !i;
}"#,
        expect![[r#"
            i: int
            u: unsigned
            l: long
            p: char *
            v: void *
            main: int (void) () {
              (unsigned:(i) < u)
              (l >= long:(u))
              (p == 0:char *)
              (p != char *:(v))
              (char *:(v) == p)
              (long:(i) == l)
              !(p)
              !(i)
            }
        "#]],
    );
}

#[test]
fn logic() {
    check(
        r#"int a, *p;
int main(void) {
a && p; a || !p; 1 && a; 0 && a; 1 || a; a && 1;
}"#,
        expect![[r#"
            a: int
            p: int *
            main: int (void) () {
              (a && p)
              (a || !(p))
              (1 && a)
              0
              1
              (a && 1)
            }
        "#]],
    );
}

#[test]
fn conditionals() {
    check(
        r#"int a; long b; int *p; void *v; const int *c; struct s { int x; } s, t;
int main(void) {
a ? a : b; a ? p : 0; a ? p : v; a ? p : c; a ? s : t; a ? (void)a : (void)b; 1 ? a : b; a ?: b;
}"#,
        expect![[r#"
            a: int
            b: long
            p: int *
            v: void *
            c: const int *
            s: struct s
            t: struct s
            main: int (void) () {
              (a ? long:(a) : b)
              (a ? p : 0:int *)
              (a ? void *:(p) : v)
              (a ? const int *:(p) : c)
              (a ? s : t)
              (a ? (void)(a) : (void)(b))
              long:(a)
              (long:(a) ?: b)
            }
        "#]],
    );
}

#[test]
fn pointers() {
    check(
        r#"int a[4], *p, *q; char *c; void *v;
int main(void) {
p = a + 1; q = 2 + p; p - q; p - 1; c += 2; v + 1; p[1] = 1[p]; *p++ = *--q; &*p; &a[2]; *a = 1; &a; a[1];
}"#,
        expect![[r#"
            p: int *
            a: int[4]
            q: int *
            c: char *
            v: void *
            main: int (void) () {
              p = (&a[0] +> 1)
              q = (p +> 2)
              (p <-> q)
              (p <- 1)
              c +={char *} 2:long
              (v +> 1)
              (*(p +> 1)) = (*(p +> 1))
              (*old p +={int *} 1:long) = (*q -={int *} 1:long)
              p
              &a[2]
              a[0] = 1
              &a
              a[1]
            }
        "#]],
    );
}

#[test]
fn members() {
    check(
        r#"struct in { int x; }; struct s { struct in i; struct in *p; int a[2]; }; struct s f(void) { struct s s; return s; }
int main(void) {
struct s s; s.i.x = s.p->x; s.a[1] = f().i.x; (&s)->a[0] = (*&s).i.x; f().a[1];
}"#,
        expect![[r#"
            main: int (void) () {
              s: struct s
              s.i.x = (*s.p).x
              s.a[1] = (f()).i.x
              s.a[0] = s.i.x
              (f()).a[1]
            }
            f: struct s (void) () {
              s: struct s
              return s
            }
        "#]],
    );
}

#[test]
fn assignments() {
    check(
        r#"char c; long l; struct { unsigned a : 3; int b : 5; long long c : 40; } s;
int main(void) {
c = l; c += l; c <<= l; l = c = 3; s.a = 9; s.b += s.a; s.c++; --c; s.a + s.b; s.c + 1;
}"#,
        expect![[r#"
            c: char
            l: long
            s: struct unnamed
            main: int (void) () {
              c = char:(l)
              c +={long} l
              c <<={int} l
              l = long:(c = 3:char)
              s.a<0:3 of 1> = 9:unsigned
              s.b<3:5 of 1> +={int} int:(s.a<0:3 of 1>)
              old s.c<0:40 of 5> +={long long} 1:long long
              c -={int} 1
              (int:(s.a<0:3 of 1>) + s.b<3:5 of 1>)
              (s.c<0:40 of 5> + 1:long long)
            }
        "#]],
    );
}

#[test]
fn literals() {
    check(
        r#"int main(void) {
1; 1u; 1l; 1ull; 0x80000000; 2147483648; 0xffffffffffffffff; 'a'; L'a'; "text"; L"wide"; 1.5; 1.5f; 1.5L; 017; 0b11;
}"#,
        expect![[r#"
            main: int (void) () {
              1
              1:unsigned
              1:long
              1:unsigned long long
              2147483648:unsigned
              2147483648:long
              18446744073709551615:unsigned long
              97
              97
              &"text\0"[0]
              &"wide\0"[0]
              1.5
              1.5f
              1.5L
              15
              3
            }
        "#]],
    );
}

#[test]
fn calls() {
    check(
        r#"int f(int a, char b) { return a + b; } int v(const char *t, ...) { return 0; } int (*p)(int, char) = f;
int main(void) {
f(1l, 2); v("x", 'c', 1.5f, p); p(1, 2); (*p)(1, 2); (&f)(3, 4); (**f)(5, 6);
}"#,
        expect![[r#"
            p: int (*)(int, char) = f
            main: int (void) () {
              f(1, 2:char)
              v(const char *:(&"x\0"[0]), 99, double:(1.5f), p)
              (*p)(1, 2:char)
              (*p)(1, 2:char)
              f(3, 4:char)
              f(5, 6:char)
            }
            f: int (int, char) (a: int, b: char) {
              return (a + int:(b))
            }
            v: int (const char *, ...) (t: const char *) {
              return 0
            }
        "#]],
    );
}

#[test]
fn casts() {
    check(
        r#"int *p; long l;
int main(void) {
(char)l; (int)p; (void *)l; (void)l; (unsigned char)300; (_Bool)4; (int)1.9; (float)1; (int)(char)-1;
}"#,
        expect![[r#"
            l: long
            p: int *
            main: int (void) () {
              (char)(l)
              (int)(p)
              (void *)(l)
              (void)(l)
              44:unsigned char
              1:_Bool
              1
              (float)(1)
              -1
            }
        "#]],
    );
}

#[test]
fn sizes() {
    check(
        r#"struct s { char a; long b; } s; int x[3]; void f(void) {}
int main(void) {
sizeof(struct s); sizeof s.a; sizeof x; sizeof(x + 1); sizeof "abc"; sizeof(void); sizeof f; _Alignof(long); sizeof(int[4]); __builtin_offsetof(struct s, b);
}"#,
        expect![[r#"
            main: int (void) () {
              16:unsigned long
              1:unsigned long
              12:unsigned long
              8:unsigned long
              4:unsigned long
              1:unsigned long
              1:unsigned long
              8:unsigned long
              16:unsigned long
              8:unsigned long
            }
        "#]],
    );
}

#[test]
fn generic_choice() {
    check(
        r#"int a; char *p; const int c; int arr[2];
int main(void) {
_Generic(a, long: 1, int: 2); _Generic(p, char *: 1, default: 2); _Generic(c, int: 1, default: 2); _Generic(arr, int *: 1, default: 2); _Generic((char)1, int: 1, char: 2); __builtin_types_compatible_p(int, const int); __builtin_types_compatible_p(int *, const int *); __builtin_choose_expr(0, nothing, a);
}"#,
        expect![[r#"
            a: int
            main: int (void) () {
              2
              1
              1
              1
              2
              1
              0
              a
            }
        "#]],
    );
}

#[test]
fn offsets_by_hand_are_constants() {
    check(
        r#"struct s { int a; struct { int b[3]; } c; }; int x[(long)&((struct s *)0)->c.b[1]];
int main(void) {
sizeof x;
}"#,
        expect![[r#"
            main: int (void) () {
              32:unsigned long
            }
        "#]],
    );
}

#[test]
fn statement_expressions() {
    check(
        r#"int a;
int main(void) {
int b = ({ int c = a; c + 1; }); ({ a = 1; }); ({ if (a) a = 2; }); b;
}"#,
        expect![[r#"
            a: int
            main: int (void) () {
              b: int = ({c = a; (c + 1)})
              ({a = 1})
              ({...; })
              b
            }
        "#]],
    );
}

#[test]
fn compound_literals() {
    check(
        r#"struct s { int x, y; }; int f(struct s *p) { return p->x; }
int main(void) {
f(&(struct s){1, 2}); (int[]){1, 2, 3}[1]; (struct s){.y = 4}.y; (int){3}; sizeof((char[]){"abc"});
}"#,
        expect![[r#"
            main: int (void) () {
              f(&(struct s){.x = 1, .y = 2})
              (int[3]){[0] = 1, [1] = 2, [2] = 3}[1]
              (struct s){.y = 4}.y
              (int){3}
              4:unsigned long
            }
            f: int (struct s *) (p: struct s *) {
              return (*p).x
            }
        "#]],
    );
}

#[test]
fn comma() {
    check(
        r#"int a, b;
int main(void) {
a = (b, 2); (a, b) = 3; a++, b--;
}"#,
        expect![[r#"
            a: int
            b: int
            main: int (void) () {
              a = (b , 2)
              (*(a , &b)) = 3
              (old a +={int} 1 , old b -={int} 1)
            }
        "#]],
    );
}

#[test]
fn variable_arguments() {
    check(
        r#"int sum(int n, ...) { __builtin_va_list l, k; __builtin_va_start(l, n); __builtin_va_copy(k, l); int s = __builtin_va_arg(l, int); __builtin_va_end(l); return s; }
int main(void) {
return sum(1, 2);
}"#,
        expect![[r#"
            main: int (void) () {
              return sum(1, 2)
            }
            sum: int (int, ...) (n: int) {
              l: va_list
              k: va_list
              VaStart(&l)
              VaCopy(&k, l)
              s: int = va_arg(l, int)
              VaEnd(&l)
              return s
            }
        "#]],
    );
}

#[test]
fn wide_integers() {
    check(
        r#"__int128 w; unsigned __int128 u; long l;
int main(void) {
w = l; u = w * 2; l = u >> 64; w += l;
}"#,
        expect![[r#"
            w: __int128
            l: long
            u: unsigned __int128
            main: int (void) () {
              w = __int128:(l)
              u = unsigned __int128:((w * 2:__int128))
              l = long:((u >> 64))
              w +={__int128} __int128:(l)
            }
        "#]],
    );
}

#[test]
fn builtins() {
    check(
        r#"int a; unsigned u; long l;
int main(void) {
__builtin_expect(a, 1); __builtin_add_overflow(a, l, &u); __builtin_mul_overflow_p(a, a, (char)0); __builtin_constant_p(3); __builtin_constant_p(a); __builtin_bswap32(1); __builtin_bswap16(a); __builtin_unreachable(); __builtin_popcount(u);
}"#,
        expect![[r#"
            a: int
            l: long
            u: unsigned
            main: int (void) () {
              long:(a)
              Overflow(Add, Yes)(a, l, &u)
              Overflow(Mul, No)(a, a, 0:char)
              1
              0
              __builtin_bswap32(1:unsigned)
              __builtin_bswap16(unsigned short:(a))
              <Fail>()
              __builtin_popcount(u)
            }
        "#]],
    );
}

#[test]
fn library() {
    check(
        r#"void *malloc(unsigned long); void free(void *); int printf(const char *, ...);
int main(void) {
int *p = malloc(sizeof *p); printf("%d", *p); free(p);
}"#,
        expect![[r#"
            main: int (void) () {
              p: int * = int *:(<Malloc>(4:unsigned long))
              <Print(0)>(const char *:(&"%d\0"[0]), (*p))
              <Free>(void *:(p))
            }
        "#]],
    );
}
