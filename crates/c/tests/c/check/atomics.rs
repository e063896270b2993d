//! Atomic operations, each with its order.

use super::typed;
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&typed(text));
}

#[test]
fn c11() {
    check(
        r#"_Atomic int a; int e; int o;
int main(void) {
__c11_atomic_load(&a, 2); __c11_atomic_store(&a, 1l, 3); __c11_atomic_exchange(&a, 2, 4); __c11_atomic_fetch_add(&a, 1, 0); __c11_atomic_compare_exchange_strong(&a, &e, 3, 5, 2); __c11_atomic_init(&a, 0); __c11_atomic_thread_fence(5); __c11_atomic_signal_fence(5); __c11_atomic_load(&a, o);
}"#,
        expect![[r#"
            a: _Atomic int
            e: int
            o: int
            main: int (void) () {
              atomic_load(a@acquire, acquire)
              atomic_store(a@release, 1, release)
              atomic_exchange(a@acq_rel, 2, acq_rel)
              atomic_fetch_add_old(a@relaxed, 1, relaxed)
              atomic_compare_exchange(a@seq_cst@acquire, e, 3, seq_cst, acquire)
              atomic_init(a, 0, relaxed)
              atomic_fence(seq_cst)
              atomic_signal_fence(seq_cst)
              atomic_load(a@seq_cst, o)
            }
        "#]],
    );
}

#[test]
fn gcc() {
    check(
        r#"long a; int b, c; char f;
int main(void) {
__atomic_load_n(&a, 5); __atomic_store_n(&a, 1, 3); __atomic_load(&b, &c, 2); __atomic_store(&b, &c, 3); __atomic_exchange(&b, &c, &c, 4); __atomic_add_fetch(&a, 1, 5); __atomic_fetch_nand(&b, 3, 0); __atomic_compare_exchange_n(&b, &c, 4, 1, 5, 0); __atomic_compare_exchange(&b, &c, &c, 0, 4, 2); __atomic_test_and_set(&f, 2); __atomic_clear(&f, 3);
}"#,
        expect![[r#"
            a: long
            b: int
            c: int
            f: char
            main: int (void) () {
              atomic_load(a@seq_cst, seq_cst)
              atomic_store(a@release, 1:long, release)
              (void)(c = atomic_load(b@acquire, acquire))
              atomic_store(b@release, c, release)
              (void)(c = atomic_exchange(b@acq_rel, c, acq_rel))
              atomic_fetch_add_new(a@seq_cst, 1:long, seq_cst)
              atomic_fetch_nand_old(b@relaxed, 3, relaxed)
              atomic_compare_exchange(b@seq_cst@relaxed, c, 4, seq_cst, relaxed)
              atomic_compare_exchange(b@acq_rel, c, c, acq_rel, acquire)
              atomic_test_and_set(f@acquire, acquire)
              atomic_clear(f@release, release)
            }
        "#]],
    );
}

#[test]
fn sync() {
    check(
        r#"int a; unsigned char l;
int main(void) {
__sync_fetch_and_add(&a, 1); __sync_or_and_fetch(&a, 2); __sync_val_compare_and_swap(&a, 1, 2); __sync_bool_compare_and_swap(&a, 1, 2); __sync_lock_test_and_set(&l, 1); __sync_lock_release(&l); __sync_synchronize();
}"#,
        expect![[r#"
            a: int
            l: unsigned char
            main: int (void) () {
              atomic_fetch_add_old(a@seq_cst, 1, seq_cst)
              atomic_fetch_or_new(a@seq_cst, 2, seq_cst)
              atomic_compare_swap_old(a@seq_cst, 1, 2, seq_cst)
              atomic_compare_swap_success(a@seq_cst, 1, 2, seq_cst)
              atomic_exchange(l@acquire, 1:unsigned char, acquire)
              atomic_clear(l@release, release)
              <FullFence>()
            }
        "#]],
    );
}

#[test]
fn pointers() {
    check(
        r#"_Atomic(int *) p; int *q; int x;
int main(void) {
__c11_atomic_fetch_add(&p, 2, 5); __atomic_fetch_add(&q, 8, 5); __c11_atomic_store(&p, &x, 5); __c11_atomic_store(&p, 0, 5); p++;
}"#,
        expect![[r#"
            p: int *_Atomic
            q: int *
            x: int
            main: int (void) () {
              atomic_fetch_add_old(p@seq_cst, 8:long, seq_cst)
              atomic_fetch_add_old(q@seq_cst, 8:long, seq_cst)
              atomic_store(p@seq_cst, &x, seq_cst)
              atomic_store(p@seq_cst, 0:int *, seq_cst)
              old p@seq_cst +={int *} 1:long
            }
        "#]],
    );
}

#[test]
fn structures() {
    check(
        r#"struct s { int a, b; }; _Atomic struct s x; struct flag { _Bool set; } f;
int main(void) {
struct s y = __c11_atomic_load(&x, 5); __c11_atomic_store(&x, y, 5); __atomic_test_and_set(&f, 5); __c11_atomic_exchange(&f, 1, 5); y = x;
}"#,
        expect![[r#"
            x: _Atomic struct s
            f: struct flag
            main: int (void) () {
              y: struct s = atomic_load(x@seq_cst, seq_cst)
              atomic_store(x@seq_cst, y, seq_cst)
              atomic_test_and_set(f.set@seq_cst, seq_cst)
              atomic_exchange(f.set@seq_cst, 1:_Bool, seq_cst)
              y = x@seq_cst
            }
        "#]],
    );
}
