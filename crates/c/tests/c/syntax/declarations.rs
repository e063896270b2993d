//! Declarations, and which names are types.

use super::{statements, unit};
use expect_test::expect;

#[test]
fn names_that_are_types() {
    statements(
        "
        T a; T *b; T (c); T (*d)(T);
        { int T = 1; T * a; T = 2; (T) - 1; }
        T e = (T) - 1;
        { enum { T, V }; T * a; }
        { typedef int V; V x; { V V = 1; V * x; } V y; }
        for (int T = 0; T < 3; T++) T * a;
        T f;
        struct T { T T; } g;
        x.T = y->T;
        sizeof(T), ({ int T; T; }), sizeof(T);
        int h(int T, int (*)[sizeof T]);
        T i(T);
        unsigned T;
        T + 1;
        ",
        expect![[r#"
            a: T;
            b: * T;
            c: T;
            d: * fn(T) T;
            { T: int = 1; (* T a); (= T 2); (- T 1); }
            e: T = (cast <T> (minus 1));
            { enum {T, V}; (* T a); }
            { typedef V: int; x: V; { V: V = 1; (* V x); } y: V; }
            (for T: int = 0; (< T 3) (PostIncrement T) (* T a);)
            f: T;
            g: struct T {T: T};
            (= (. x T) (-> y T));
            (, (, (sizeof <T>) (statements { T: int; T; })) (sizeof <T>));
            h: fn(T: int, * [(sizeof T)] int) int;
            i: fn(T) T;
            T: unsigned;
            (+ T 1);"#]],
    );
    unit(
        "
        typedef int T;
        int f(T T) { return T * 1; }
        int g(a) T a; { return a; }
        T h(T (*)(T), int (T), int (*U)(T)) { T x; return x; }
        int k(void) { T: ; T x; goto T; }
        typedef T U, *V;
        V v; U u;
        const T w; T const x; T static y;
        ",
        expect![[r#"
            typedef T: int;
            f: fn(T: T) int { return (* T 1); }
            g: fn(names a) int where a: T; { return a; }
            h: fn(* fn(T) T, fn(T) int, U: * fn(T) int) T { x: T; return x; }
            k: fn(void) int { T: ; x: T; goto T; }
            typedef U: T; typedef V: * T;
            v: V;
            u: U;
            w: const T;
            x: const T;
            static y: T;"#]],
    );
}

#[test]
fn declarators() {
    unit(
        "
        int *p, a[3], *q[3], (*r)[3], f(void), *g(), (*h)(int), (*(*i[2])(char))[4];
        int *const volatile *restrict j;
        int (*signal(int sig, void (*handler)(int)))(int);
        int k(int a[static 3], int b[const], int c[*], int d[const static 4], int n, int e[n]);
        int variadic(const char *, ...), none(), old(...);
        int z[0], fl[];
        char *(*(**foo[][8])())[];
        int ((((w))));
        int __attribute__((aligned(8))) *x, * __attribute__((aligned(16))) y, __attribute__((weak)) zz;
        void (*(vv))(void);
        int (f1)(int), (*f2(void))(void);
        void (__attribute__((noreturn)) *ff)(void);
        ",
        expect![[r#"
            p: * int; a: [3] int; q: [3] * int; r: * [3] int; f: fn(void) int; g: fn() * int; h: * fn(int) int; i: [2] * fn(char) * [4] int;
            j: *restrict *const volatile int;
            signal: fn(sig: int, handler: * fn(int) void) * fn(int) int;
            k: fn(a: [static 3] int, b: [const ] int, c: [*] int, d: [static const 4] int, n: int, e: [n] int) int;
            variadic: fn(* const char, ...) int; none: fn() int; old: fn(...) int;
            z: [0] int; fl: [] int;
            foo: [] [8] * * fn() * [] * char;
            w: int;
            @aligned(8) x: * int; @aligned(8) @aligned(16) y: * int; @aligned(8) @weak zz: int;
            vv: * fn(void) void;
            f1: fn(int) int; f2: fn(void) * fn(void) int;
            @noreturn ff: * fn(void) void;"#]],
    );
}

#[test]
fn specifiers() {
    unit(
        "
        static inline int f(void); extern __inline__ __attribute__((gnu_inline)) int g(void) { return 1; }
        static __thread int a; extern _Thread_local int b; register int r;
        unsigned u; long long int c; int long unsigned d; signed char e; char e2; short unsigned e3;
        const int __const cc; volatile __volatile__ int v; int *__restrict rp, *__restrict__ rq;
        _Atomic int x; _Atomic(int) y; int _Atomic *z; _Atomic(int *) w;
        _Noreturn void die(void); _Alignas(16) int al; _Alignas(double) char am;
        __signed__ int si; __extension__ typedef long long ll; __extension__ ll lx;
        __auto_type at = 1; typeof(at) at2; __builtin_va_list va;
        _Bool bo; float fl; double db; long double ld; _Float64x fx; typedef float _Float32; _Float32 f32;
        static x1; const y1 = 3; auto z1;
        typedef unsigned char bool; bool t1;
        [[noreturn]] void nr(void); [[gnu::packed, deprecated(\"no\")]] int gp;
        typedef int word __attribute__((__mode__(__word__))), di __attribute__((mode(DI)));
        typedef float v4 __attribute__((vector_size(16)));
        int ctor(void) __attribute__((constructor(101), unused)), al2 __attribute__((alias(\"al\")));
        int nk(void) __attribute__((naked, nonnull(1, 2), format(printf, 1, 2)));
        ",
        expect![[r#"
            static inline f: fn(void) int;
            @gnu_inline extern inline g: fn(void) int { return 1; }
            static thread_local a: int;
            extern thread_local b: int;
            register r: int;
            u: unsigned;
            c: longlong;
            d: unsignedlong;
            e: signedchar;
            e2: char;
            e3: unsignedshort;
            cc: const int;
            v: volatile int;
            rp: *restrict int; rq: *restrict int;
            x: atomic int;
            y: Atomic(int);
            z: * atomic int;
            w: Atomic(* int);
            noreturn die: fn(void) void;
            alignas(16) al: int;
            alignas(<floating(double)>) am: char;
            si: int;
            typedef ll: longlong;
            lx: ll;
            at: auto_type = 1;
            at2: typeof(at);
            va: va_list;
            bo: bool;
            fl: floating(float);
            db: floating(double);
            ld: floating(longdouble);
            fx: floating(float64x);
            typedef _Float32: floating(float);
            f32: floating(float32);
            static x1: int;
            y1: const int = 3;
            auto z1: int;
            typedef bool: unsignedchar;
            t1: bool;
            @noreturn nr: fn(void) void;
            @packed gp: int;
            typedef @mode(word) word: int; typedef @mode(DI) di: int;
            typedef @vector_size(16) v4: floating(float);
            @constructor(101) ctor: fn(void) int; @alias("al") al2: int;
            @other(naked) nk: fn(void) int;"#]],
    );
}

#[test]
fn records_and_enumerations() {
    unit(
        "
        struct s; union u; enum e { A, B = 3, C, };
        struct empty {}; struct { int x; } anonymous;
        struct s { int a, *b; unsigned c : 3, : 0, d : 1 + 1; struct { int e; }; union { int f; char g; } h; int fl[]; };
        struct __attribute__((packed)) p { char a; int b __attribute__((aligned(4))); } __attribute__((aligned(8))) pv;
        union { int i; float f; } __attribute__((__transparent_union__)) tu;
        enum __attribute__((packed)) small { X __attribute__((deprecated)), Y } sm;
        struct list { struct list *next; _Static_assert(sizeof(int) == 4, \"int\"); ; int last };
        typedef struct t t; struct t { t *t; };
        const struct { volatile _Atomic int x; } cs;
        struct { __extension__ union { int q; }; } ex;
        ",
        expect![[r#"
            struct s;
            union u;
            enum e {A, B=3, C};
            struct empty {};
            anonymous: struct {x: int};
            struct s {a: int; b: * int; c: unsigned : 3; : unsigned : 0; d: unsigned : (+ 1 1); struct {e: int}; h: union {f: int; g: char}; fl: [] int};
            pv: @packed @aligned(8) struct p {a: char; @aligned(4) b: int};
            tu: @transparent_union union {i: int; f: floating(float)};
            sm: @packed enum small {X, Y};
            struct list {next: * struct list; (static_assert (== (sizeof <int>) 4) "int"); last: int};
            typedef t: struct t;
            struct t {t: * t};
            cs: const struct {x: volatile atomic int};
            ex: struct {union {q: int}};"#]],
    );
}

#[test]
fn initialisers() {
    unit(
        "
        int a = 1, b[] = {1, 2, 3,}, c[2][2] = {{1}, {}}, d = {4};
        struct s x = {.a = 1, .b[2] = 3, .c.d = {5}, e: 6, 7};
        int y[10] = {[0] = 1, [2 ... 4] = 5, [6] 7, [A] = {1}, [1][2].z = 8};
        char s[] = \"abc\", *t = \"a\" \"b\";
        int (*f)(void) = &g, z = ({ 1; });
        struct s v = (struct s){1};
        ",
        expect![[r#"
            a: int = 1; b: [] int = {1, 2, 3}; c: [2] [2] int = {{1}, {}}; d: int = {4};
            x: struct s = {.a=1, .b[2]=3, .c.d={5}, .e=6, 7};
            y: [10] int = {[0]=1, [2...4]=5, [6]=7, [A]={1}, [1][2].z=8};
            s: [] char = "abc"; t: * char = "ab";
            f: * fn(void) int = (address g); z: int = (statements { 1; });
            v: struct s = (literal <struct s> {1});"#]],
    );
}

#[test]
fn functions() {
    unit(
        "
        int main() { return 0; }
        main(argc, argv) char **argv; { }
        f(a, b, c) int a, *b; register char c; { return a; }
        void g(void) { int h(void); extern int x; static int y = 1; }
        static int *(*fp(int a))(int b) { return a; }
        __attribute__((constructor)) static void init(void) { }
        void k(int n, int a[n][n]) { int v[n + 1]; __attribute__((cleanup(done))) int c; }
        void m(register int, int unused) { };
        old = 3; arr[2];
        _Static_assert(1);
        inline int in(void) __attribute__((noreturn));
        void late(void) __attribute__((destructor)) { }
        ",
        expect![[r#"
            main: fn() int { return 0; }
            main: fn(names argc, argv) int where argv: * * char; {}
            f: fn(names a, b, c) int where a: int; b: * int; where register c: char; { return a; }
            g: fn(void) void { h: fn(void) int; extern x: int; static y: int = 1; }
            static fp: fn(a: int) * fn(b: int) * int { return a; }
            @constructor static init: fn(void) void {}
            k: fn(n: int, a: [n] [n] int) void { v: [(+ n 1)] int; @cleanup(done) c: int; }
            m: fn(register int, unused: int) void {}
            old: int = 3;
            arr: [2] int;
            (static_assert 1);
            inline @noreturn in: fn(void) int;
            @destructor late: fn(void) void {}"#]],
    );
}
