//! Whole programs: several units, options, the library.

use super::{show, typed, typed_with};
use expect_test::{Expect, expect};
use fencepost_c::{DataModel, Options, hir_text};

fn linked(files: &[(&str, &str)], expected: Expect) {
    expected.assert_eq(&show(hir_text(files, &Options::default())));
}

#[test]
fn units_share_what_is_not_static() {
    let main = "int shared; static int own = 1; int f(void); extern int length[]; typedef int here;
        int main(void) { here x = own; return f() + shared + sizeof length + x; }";
    let other = "extern int shared; static long own = 2; static int g(void) { return own; } int length[4];
        typedef long here; int f(void) { here x = g(); shared = x; return 0; }";
    linked(
        &[("main.i", main), ("other.i", other)],
        expect![[r#"
        own: int = 1
        shared: int
        own: long = 2:long
        main: int (void) () {
          x: here = own
          return int:(((unsigned long:((f() + shared)) + 16:unsigned long) + unsigned long:(x)))
        }
        f: int (void) () {
          x: here = here:(g())
          shared = int:(x)
          return 0
        }
        g: int (void) () {
          return int:(own)
        }
    "#]],
    );
}

#[test]
fn errors_of_all_units() {
    let main = "int f(void);\nint main(void) { wrong = 1; return f(); }";
    let other = "int f(void) { return worse; }\nint main(void) { return 0; }";
    linked(
        &[("main.i", main), ("other.i", other)],
        expect![[r#"
            2:18: `wrong` is not declared [declare it, or include the header that does]
            1:22: `worse` is not declared [declare it, or include the header that does]
            2:5: `main` is defined twice (first in line 2)
        "#]],
    );
}

#[test]
fn functions_without_bodies() {
    let text = "int f(int); long g(void);\nint main(void) { return f(1) + g(); }";
    let options = Options { havoc_externs: true, ..Options::default() };
    expect![[r#"
        main: int (void) () {
          return int:((long:(f(1)) + g()))
        }
        f: int (int)
        g: long (void)
    "#]]
    .assert_eq(&typed_with(text, &options));
}

#[test]
fn overflow_is_left_to_the_run() {
    let text = "int main(void) { 2147483647 + 1; -(-2147483647 - 1); 2147483647u + 2147483647u + 2u; }";
    let options = Options { overflow: true, ..Options::default() };
    expect![[r#"
        main: int (void) () {
          (2147483647 + 1)
          -(-2147483648)
          0:unsigned
        }
    "#]]
    .assert_eq(&typed_with(text, &options));
    expect![[r#"
        main: int (void) () {
          -2147483648
          -2147483648
          0:unsigned
        }
    "#]]
    .assert_eq(&typed(text));
}

#[test]
fn thirty_two_bits() {
    let text =
        "long l; int *p, a[2];\nint main(void) { l = sizeof l; p = a + l; l = p - a; l = 4000000000; }";
    let options = Options { data_model: DataModel::Ilp32, ..Options::default() };
    expect![[r#"
        l: long
        p: int *
        a: int[2]
        main: int (void) () {
          l = 4:long
          p = (&a[0] +> int:(l))
          l = long:((p <-> &a[0]))
          l = -294967296:long
        }
    "#]]
    .assert_eq(&typed_with(text, &options));
}

#[test]
fn main_by_another_name() {
    expect![[r#"
        x: int
        user_main: void (int, char **) (argc: int, argv: char **) {
          x = argc
        }
    "#]]
    .assert_eq(&typed("int x;\nvoid user_main(int argc, char **argv) { x = argc; }"));
}

#[test]
fn types_of_thread_libraries() {
    let text = "typedef struct { int a[10]; } pthread_mutex_t; typedef unsigned long pthread_t;
        int pthread_mutex_lock(pthread_mutex_t *); int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
        pthread_mutex_t m = {{0}};
        void *run(void *a) { pthread_mutex_lock(&m); return a; }
        int main(void) { pthread_t t; pthread_create(&t, 0, run, &m); return t == 0; }";
    expect![[r#"
        m: pthread_mutex_t = {}
        main: int (void) () {
          t: pthread_t
          <Create>(&t, 0:const void *, run, void *:(&m))
          return (t == 0:pthread_t)
        }
        run: void *(void *) (a: void *) {
          pthread_mutex_lock(&m)
          return a
        }
    "#]]
    .assert_eq(&typed(text));
}

#[test]
fn functions_whose_address_is_taken() {
    let text =
        "int f(int x) { return x; } int g(int x) { return -x; } int unused(int x) { return x + nothing; }
        int (*table[])(int) = {f, g};\nint main(void) { return table[1](3); }";
    expect![[r#"
        table: int (*[2])(int) = {[0] = f, [1] = g}
        main: int (void) () {
          return (*table[1])(3)
        }
        f: int (int) (x: int) {
          return x
        }
        g: int (int) (x: int) {
          return -(x)
        }
    "#]]
    .assert_eq(&typed(text));
}

#[test]
fn packed_by_pragma() {
    let text =
        "struct a { char c; int i; };\n#pragma pack(push, 1)\nstruct b { char c; int i; };\n#pragma pack(pop)
struct c { char c; int i; };\nint main(void) { sizeof(struct a); sizeof(struct b); sizeof(struct c); }";
    expect![[r#"
        main: int (void) () {
          8:unsigned long
          5:unsigned long
          8:unsigned long
        }
    "#]]
    .assert_eq(&typed(text));
}

#[test]
fn variables_of_the_library() {
    let text = "typedef struct file FILE; extern FILE *stderr; int *__errno_location(void); int fprintf(FILE *, const char *, ...);
        typedef struct { int x; } sem_t; sem_t *sem_open(const char *, int, ...);
        int main(void) { fprintf(stderr, \"x\"); *__errno_location() = 3; sem_t *s = sem_open(\"s\", 64, 0600, 1); sem_open(\"s\", 0); }";
    expect![[r#"
        main: int (void) () {
          <Print(1)>(FILE *:(&__fencepost_file), const char *:(&"x\0"[0]))
          __fencepost_errno = 3
          s: sem_t * = __fencepost_sem_open(const char *:(&"s\0"[0]), 64, 1:unsigned)
          __fencepost_sem_open(const char *:(&"s\0"[0]), 0, 0:unsigned)
        }
    "#]]
    .assert_eq(&typed(text));
}

#[test]
fn macros_of_our_headers() {
    let text = "#include <stdatomic.h>\n#include <pthread.h>\n#include <assert.h>\n#include <stdarg.h>\n#include <errno.h>
        atomic_flag f = ATOMIC_FLAG_INIT; atomic_int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        int main(void) { while (atomic_flag_test_and_set_explicit(&f, memory_order_acquire)) ; assert(x == 0);
            atomic_flag_clear(&f); int e = 0; atomic_compare_exchange_weak(&x, &e, 1); errno = 2; pthread_mutex_lock(&m); }";
    expect![[r#"
        f: atomic_flag = {.__value = 0:_Bool}
        x: atomic_int
        m: pthread_mutex_t = {}
        main: int (void) () {
          while atomic_exchange(f.__value@acquire, 1:_Bool, acquire)
          <Assert>((x@seq_cst == 0))
          atomic_store(f.__value@seq_cst, 0:_Bool, seq_cst)
          e: int = 0
          atomic_compare_exchange(x@seq_cst, e, 1, seq_cst, seq_cst)
          __fencepost_errno = 2
          pthread_mutex_lock(&m)
        }
    "#]]
    .assert_eq(&show(hir_text(&[("test.c", text)], &Options::default())));
}
