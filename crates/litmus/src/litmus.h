/* What the C of litmus tests may use without declaring it: the types of C11 and of the Linux kernel, and the kernel's words
   as the atomic functions that they are on x86. Only declarations and function-like macros stand here; no preprocessor
   reads it. */

typedef enum {
    memory_order_relaxed,
    memory_order_consume,
    memory_order_acquire,
    memory_order_release,
    memory_order_acq_rel,
    memory_order_seq_cst
} memory_order;

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef unsigned long size_t;
typedef long ssize_t;
typedef long ptrdiff_t;

typedef _Atomic(_Bool) atomic_bool;
typedef _Atomic(char) atomic_char;
typedef _Atomic(signed char) atomic_schar;
typedef _Atomic(unsigned char) atomic_uchar;
typedef _Atomic(short) atomic_short;
typedef _Atomic(unsigned short) atomic_ushort;
typedef _Atomic(int) atomic_int;
typedef _Atomic(unsigned) atomic_uint;
typedef _Atomic(long) atomic_long;
typedef _Atomic(unsigned long) atomic_ulong;
typedef _Atomic(long long) atomic_llong;
typedef _Atomic(unsigned long long) atomic_ullong;
typedef _Atomic(int8_t) atomic_int8_t;
typedef _Atomic(uint8_t) atomic_uint8_t;
typedef _Atomic(int16_t) atomic_int16_t;
typedef _Atomic(uint16_t) atomic_uint16_t;
typedef _Atomic(int32_t) atomic_int32_t;
typedef _Atomic(uint32_t) atomic_uint32_t;
typedef _Atomic(int64_t) atomic_int64_t;
typedef _Atomic(uint64_t) atomic_uint64_t;
typedef _Atomic(intptr_t) atomic_intptr_t;
typedef _Atomic(uintptr_t) atomic_uintptr_t;
typedef _Atomic(size_t) atomic_size_t;

typedef _Atomic(_Bool) atomic_flag;

/* The kernel's. Tests read them with READ_ONCE and compare them with numbers, so they are no structures. */
typedef int atomic_t;
typedef long atomic_long_t;
typedef long long atomic64_t;
typedef int spinlock_t;
struct srcu_struct { int readers; };
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long long s64;

/* C11's functions, as its header has them. Those that the kernel has as well are further below. */
#define ATOMIC_VAR_INIT(V) (V)
#define kill_dependency(V) (V)
#define atomic_init(X, V) __c11_atomic_init(X, V)
#define atomic_thread_fence(ORDER) __c11_atomic_thread_fence(ORDER)
#define atomic_signal_fence(ORDER) __c11_atomic_signal_fence(ORDER)
#define atomic_load(X) __c11_atomic_load(X, memory_order_seq_cst)
#define atomic_load_explicit(X, ORDER) __c11_atomic_load(X, ORDER)
#define atomic_store(X, V) __c11_atomic_store(X, V, memory_order_seq_cst)
#define atomic_store_explicit(X, V, ORDER) __c11_atomic_store(X, V, ORDER)
#define atomic_exchange(X, V) __c11_atomic_exchange(X, V, memory_order_seq_cst)
#define atomic_exchange_explicit(X, V, ORDER) __c11_atomic_exchange(X, V, ORDER)
#define atomic_compare_exchange_strong(X, EXPECTED, V) \
    __c11_atomic_compare_exchange_strong(X, EXPECTED, V, memory_order_seq_cst, memory_order_seq_cst)
#define atomic_compare_exchange_strong_explicit(X, EXPECTED, V, SUCCESS, FAILURE) \
    __c11_atomic_compare_exchange_strong(X, EXPECTED, V, SUCCESS, FAILURE)
#define atomic_compare_exchange_weak(X, EXPECTED, V) \
    __c11_atomic_compare_exchange_weak(X, EXPECTED, V, memory_order_seq_cst, memory_order_seq_cst)
#define atomic_compare_exchange_weak_explicit(X, EXPECTED, V, SUCCESS, FAILURE) \
    __c11_atomic_compare_exchange_weak(X, EXPECTED, V, SUCCESS, FAILURE)
#define atomic_fetch_add_explicit(X, V, ORDER) __c11_atomic_fetch_add(X, V, ORDER)
#define atomic_fetch_sub_explicit(X, V, ORDER) __c11_atomic_fetch_sub(X, V, ORDER)
#define atomic_fetch_and_explicit(X, V, ORDER) __c11_atomic_fetch_and(X, V, ORDER)
#define atomic_fetch_or_explicit(X, V, ORDER) __c11_atomic_fetch_or(X, V, ORDER)
#define atomic_fetch_xor_explicit(X, V, ORDER) __c11_atomic_fetch_xor(X, V, ORDER)
#define atomic_flag_test_and_set(X) __c11_atomic_exchange(X, 1, memory_order_seq_cst)
#define atomic_flag_test_and_set_explicit(X, ORDER) __c11_atomic_exchange(X, 1, ORDER)
#define atomic_flag_clear(X) __c11_atomic_store(X, 0, memory_order_seq_cst)
#define atomic_flag_clear_explicit(X, ORDER) __c11_atomic_store(X, 0, ORDER)

/* Accesses of the kernel. */
#define READ_ONCE(X) __atomic_load_n(&(X), memory_order_relaxed)
#define WRITE_ONCE(X, V) __atomic_store_n(&(X), V, memory_order_relaxed)
#define ACCESS_ONCE(X) __atomic_load_n(&(X), memory_order_relaxed)
#define smp_load_acquire(X) __atomic_load_n(X, memory_order_acquire)
#define smp_store_release(X, V) __atomic_store_n(X, V, memory_order_release)
#define smp_store_mb(X, V) (__atomic_store_n(&(X), V, memory_order_relaxed), smp_mb())
#define lockless_dereference(X) __atomic_load_n(&(X), memory_order_relaxed)

/* Fences. Those around atomic functions and locks are nothing on x86, where these are fences themselves. */
#define smp_mb() __sync_synchronize()
#define smp_wmb() _mm_sfence()
#define smp_rmb() __c11_atomic_thread_fence(memory_order_acquire)
#define barrier() ((void)0)
#define smp_read_barrier_depends() ((void)0)
#define smp_mb__before_atomic() ((void)0)
#define smp_mb__after_atomic() ((void)0)
#define smp_mb__after_spinlock() ((void)0)
#define smp_mb__after_unlock_lock() ((void)0)
#define smp_mb__after_srcu_read_unlock() ((void)0)

/* Exchanges. */
#define xchg(X, V) __atomic_exchange_n(X, V, memory_order_seq_cst)
#define xchg_relaxed(X, V) __atomic_exchange_n(X, V, memory_order_relaxed)
#define xchg_acquire(X, V) __atomic_exchange_n(X, V, memory_order_acquire)
#define xchg_release(X, V) __atomic_exchange_n(X, V, memory_order_release)
#define cmpxchg(X, V, W) __atomic_compare_swap_n(X, V, (W), memory_order_seq_cst)
#define cmpxchg_relaxed(X, V, W) __atomic_compare_swap_n(X, V, (W), memory_order_relaxed)
#define cmpxchg_acquire(X, V, W) __atomic_compare_swap_n(X, V, (W), memory_order_acquire)
#define cmpxchg_release(X, V, W) __atomic_compare_swap_n(X, V, (W), memory_order_release)

/* Locks. Runs in which a thread finds a lock taken and goes on trying end as those in which it comes later. */
#define spin_lock(X) __VERIFIER_assume(__atomic_compare_swap_n(X, 0, 1, memory_order_acquire) == 0)
#define spin_unlock(X) __atomic_store_n(X, 0, memory_order_release)
#define spin_trylock(X) (__atomic_compare_swap_n(X, 0, 1, memory_order_acquire) == 0)
#define spin_is_locked(X) (__atomic_load_n(X, memory_order_relaxed) != 0)
#define spin_unlock_wait(X) (spin_lock(X), spin_unlock(X))

/* Reading under RCU means nothing where nobody waits for readers; waiting for them is refused. */
#define rcu_read_lock() ((void)0)
#define rcu_read_unlock() ((void)0)
#define srcu_read_lock(X) 0
#define srcu_read_unlock(X, I) ((void)(I))
#define rcu_dereference(X) __atomic_load_n(&(X), memory_order_relaxed)
#define rcu_dereference_protected(X, C) __atomic_load_n(&(X), memory_order_relaxed)
#define rcu_assign_pointer(X, V) __atomic_store_n(&(X), V, memory_order_release)

/* Atomic variables. */
#define atomic_read(X) __atomic_load_n(X, memory_order_relaxed)
#define atomic_set(X, V) __atomic_store_n(X, V, memory_order_relaxed)
#define atomic_read_acquire(X) __atomic_load_n(X, memory_order_acquire)
#define atomic_set_release(X, V) __atomic_store_n(X, V, memory_order_release)

#define atomic_add(V, X) ((void)__atomic_fetch_add(X, V, memory_order_relaxed))
#define atomic_sub(V, X) ((void)__atomic_fetch_sub(X, V, memory_order_relaxed))
#define atomic_and(V, X) ((void)__atomic_fetch_and(X, V, memory_order_relaxed))
#define atomic_or(V, X) ((void)__atomic_fetch_or(X, V, memory_order_relaxed))
#define atomic_xor(V, X) ((void)__atomic_fetch_xor(X, V, memory_order_relaxed))
#define atomic_inc(X) ((void)__atomic_fetch_add(X, 1, memory_order_relaxed))
#define atomic_dec(X) ((void)__atomic_fetch_sub(X, 1, memory_order_relaxed))

#define atomic_add_return(V, X) __atomic_add_fetch(X, V, memory_order_seq_cst)
#define atomic_add_return_relaxed(V, X) __atomic_add_fetch(X, V, memory_order_relaxed)
#define atomic_add_return_acquire(V, X) __atomic_add_fetch(X, V, memory_order_acquire)
#define atomic_add_return_release(V, X) __atomic_add_fetch(X, V, memory_order_release)
#define atomic_sub_return(V, X) __atomic_sub_fetch(X, V, memory_order_seq_cst)
#define atomic_sub_return_relaxed(V, X) __atomic_sub_fetch(X, V, memory_order_relaxed)
#define atomic_sub_return_acquire(V, X) __atomic_sub_fetch(X, V, memory_order_acquire)
#define atomic_sub_return_release(V, X) __atomic_sub_fetch(X, V, memory_order_release)
#define atomic_inc_return(X) __atomic_add_fetch(X, 1, memory_order_seq_cst)
#define atomic_inc_return_relaxed(X) __atomic_add_fetch(X, 1, memory_order_relaxed)
#define atomic_inc_return_acquire(X) __atomic_add_fetch(X, 1, memory_order_acquire)
#define atomic_inc_return_release(X) __atomic_add_fetch(X, 1, memory_order_release)
#define atomic_dec_return(X) __atomic_sub_fetch(X, 1, memory_order_seq_cst)
#define atomic_dec_return_relaxed(X) __atomic_sub_fetch(X, 1, memory_order_relaxed)
#define atomic_dec_return_acquire(X) __atomic_sub_fetch(X, 1, memory_order_acquire)
#define atomic_dec_return_release(X) __atomic_sub_fetch(X, 1, memory_order_release)

/* C11 has the variable first, the kernel last: what is a number tells. */
#define __by_order(A, KERNEL, C11) \
    _Generic((A) + 0LL, long long: KERNEL, unsigned long long: KERNEL, default: C11)
#define atomic_fetch_add(A, B) \
    __by_order(A, __atomic_fetch_add(B, A, memory_order_seq_cst), __c11_atomic_fetch_add(A, B, memory_order_seq_cst))
#define atomic_fetch_sub(A, B) \
    __by_order(A, __atomic_fetch_sub(B, A, memory_order_seq_cst), __c11_atomic_fetch_sub(A, B, memory_order_seq_cst))
#define atomic_fetch_and(A, B) \
    __by_order(A, __atomic_fetch_and(B, A, memory_order_seq_cst), __c11_atomic_fetch_and(A, B, memory_order_seq_cst))
#define atomic_fetch_or(A, B) \
    __by_order(A, __atomic_fetch_or(B, A, memory_order_seq_cst), __c11_atomic_fetch_or(A, B, memory_order_seq_cst))
#define atomic_fetch_xor(A, B) \
    __by_order(A, __atomic_fetch_xor(B, A, memory_order_seq_cst), __c11_atomic_fetch_xor(A, B, memory_order_seq_cst))
#define atomic_fetch_add_relaxed(V, X) __atomic_fetch_add(X, V, memory_order_relaxed)
#define atomic_fetch_add_acquire(V, X) __atomic_fetch_add(X, V, memory_order_acquire)
#define atomic_fetch_add_release(V, X) __atomic_fetch_add(X, V, memory_order_release)
#define atomic_fetch_sub_relaxed(V, X) __atomic_fetch_sub(X, V, memory_order_relaxed)
#define atomic_fetch_sub_acquire(V, X) __atomic_fetch_sub(X, V, memory_order_acquire)
#define atomic_fetch_sub_release(V, X) __atomic_fetch_sub(X, V, memory_order_release)
#define atomic_fetch_inc(X) __atomic_fetch_add(X, 1, memory_order_seq_cst)
#define atomic_fetch_inc_relaxed(X) __atomic_fetch_add(X, 1, memory_order_relaxed)
#define atomic_fetch_inc_acquire(X) __atomic_fetch_add(X, 1, memory_order_acquire)
#define atomic_fetch_inc_release(X) __atomic_fetch_add(X, 1, memory_order_release)
#define atomic_fetch_dec(X) __atomic_fetch_sub(X, 1, memory_order_seq_cst)
#define atomic_fetch_dec_relaxed(X) __atomic_fetch_sub(X, 1, memory_order_relaxed)
#define atomic_fetch_dec_acquire(X) __atomic_fetch_sub(X, 1, memory_order_acquire)
#define atomic_fetch_dec_release(X) __atomic_fetch_sub(X, 1, memory_order_release)

#define atomic_xchg(X, V) __atomic_exchange_n(X, V, memory_order_seq_cst)
#define atomic_xchg_relaxed(X, V) __atomic_exchange_n(X, V, memory_order_relaxed)
#define atomic_xchg_acquire(X, V) __atomic_exchange_n(X, V, memory_order_acquire)
#define atomic_xchg_release(X, V) __atomic_exchange_n(X, V, memory_order_release)
#define atomic_cmpxchg(X, V, W) __atomic_compare_swap_n(X, V, (W), memory_order_seq_cst)
#define atomic_cmpxchg_relaxed(X, V, W) __atomic_compare_swap_n(X, V, (W), memory_order_relaxed)
#define atomic_cmpxchg_acquire(X, V, W) __atomic_compare_swap_n(X, V, (W), memory_order_acquire)
#define atomic_cmpxchg_release(X, V, W) __atomic_compare_swap_n(X, V, (W), memory_order_release)

#define atomic_sub_and_test(V, X) (__atomic_sub_fetch(X, V, memory_order_seq_cst) == 0)
#define atomic_dec_and_test(X) (__atomic_sub_fetch(X, 1, memory_order_seq_cst) == 0)
#define atomic_inc_and_test(X) (__atomic_add_fetch(X, 1, memory_order_seq_cst) == 0)
#define atomic_add_negative(V, X) (__atomic_add_fetch(X, V, memory_order_seq_cst) < 0)

/* Whether it was added: not to a value that is left alone. Runs in which somebody comes between are those of later tries. */
#define atomic_add_unless(X, V, U) ({ \
    __auto_type __seen = __atomic_load_n(X, memory_order_relaxed); \
    int __added = __seen != (U); \
    if (__added) \
        __VERIFIER_assume(__atomic_compare_swap_n(X, __seen, __seen + (V), memory_order_seq_cst) == __seen); \
    __added; })
#define atomic_inc_not_zero(X) atomic_add_unless(X, 1, 0)
