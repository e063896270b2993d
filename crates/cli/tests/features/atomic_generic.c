#include <stdatomic.h>
#include <stdbool.h>
static atomic_int a; static atomic_flag fl = ATOMIC_FLAG_INIT; static int plain = 3;
void test(void)
{
    atomic_init(&a, 5);
    out(atomic_load(&a)); atomic_store(&a, 6);
    out(atomic_load_explicit(&a, memory_order_acquire)); atomic_store_explicit(&a, 7, memory_order_release);
    out(a);
    out(atomic_exchange(&a, 9));
    out(atomic_exchange_explicit(&a, 10, memory_order_acq_rel));
    out(atomic_fetch_add(&a, 3));
    out(atomic_fetch_sub(&a, 1));
    out(atomic_fetch_or(&a, 3));
    out(atomic_fetch_and(&a, 6));
    out(atomic_fetch_xor(&a, 15));
    out(a);
    out(atomic_fetch_add_explicit(&a, 1, memory_order_relaxed));
    out(atomic_fetch_sub_explicit(&a, 2, memory_order_release));
    out(atomic_fetch_or_explicit(&a, 16, memory_order_seq_cst));
    out(atomic_fetch_and_explicit(&a, ~1, memory_order_acquire));
    out(atomic_fetch_xor_explicit(&a, 1, memory_order_consume));
    out(a);
    int e = a;
    out(atomic_compare_exchange_strong(&a, &e, 100));
    out(a);
    out(e);
    out(atomic_compare_exchange_strong(&a, &e, 200));
    out(e);
    out(a);
    out(atomic_compare_exchange_strong_explicit(&a, &e, 300, memory_order_acq_rel, memory_order_acquire));
    out(a); e = 1;
    out(atomic_compare_exchange_weak(&a, &e, 4));
    out(e); while (!atomic_compare_exchange_weak(&a, &e, e + 1)) ;
    out(a); while (!atomic_compare_exchange_weak_explicit(&a, &e, e * 2, memory_order_relaxed, memory_order_relaxed)) ;
    out(a);
    out(e);
    out(atomic_flag_test_and_set(&fl));
    out(atomic_flag_test_and_set(&fl)); atomic_flag_clear(&fl);
    out(atomic_flag_test_and_set_explicit(&fl, memory_order_acquire)); atomic_flag_clear_explicit(&fl, memory_order_release);
    out(atomic_flag_test_and_set(&fl)); atomic_thread_fence(memory_order_seq_cst); atomic_signal_fence(memory_order_acquire);
    out(atomic_is_lock_free(&a));
    out(ATOMIC_INT_LOCK_FREE); bool ok = atomic_compare_exchange_strong(&a, &(int){1}, 2);
    out(ok);
    out(memory_order_relaxed < memory_order_seq_cst); memory_order mo = memory_order_seq_cst;
    out(mo == memory_order_seq_cst);
    out(kill_dependency(plain));
}
