/* Atomics. The generic functions are the front end's builtins `__c11_atomic_...`, which take the
   object's type from its pointer. */
#ifndef _FENCEPOST_STDATOMIC_H
#define _FENCEPOST_STDATOMIC_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    memory_order_relaxed,
    memory_order_consume,
    memory_order_acquire,
    memory_order_release,
    memory_order_acq_rel,
    memory_order_seq_cst
} memory_order;

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
typedef _Atomic(__CHAR16_TYPE__) atomic_char16_t;
typedef _Atomic(__CHAR32_TYPE__) atomic_char32_t;
typedef _Atomic(wchar_t) atomic_wchar_t;
typedef _Atomic(__INT_LEAST8_TYPE__) atomic_int_least8_t;
typedef _Atomic(__INT_LEAST16_TYPE__) atomic_int_least16_t;
typedef _Atomic(__INT_LEAST32_TYPE__) atomic_int_least32_t;
typedef _Atomic(__INT_LEAST64_TYPE__) atomic_int_least64_t;
typedef _Atomic(__INT_FAST8_TYPE__) atomic_int_fast8_t;
typedef _Atomic(__INT_FAST16_TYPE__) atomic_int_fast16_t;
typedef _Atomic(__INT_FAST32_TYPE__) atomic_int_fast32_t;
typedef _Atomic(__INT_FAST64_TYPE__) atomic_int_fast64_t;
typedef _Atomic(__UINT_LEAST8_TYPE__) atomic_uint_least8_t;
typedef _Atomic(__UINT_LEAST16_TYPE__) atomic_uint_least16_t;
typedef _Atomic(__UINT_LEAST32_TYPE__) atomic_uint_least32_t;
typedef _Atomic(__UINT_LEAST64_TYPE__) atomic_uint_least64_t;
typedef _Atomic(__UINT_FAST8_TYPE__) atomic_uint_fast8_t;
typedef _Atomic(__UINT_FAST16_TYPE__) atomic_uint_fast16_t;
typedef _Atomic(__UINT_FAST32_TYPE__) atomic_uint_fast32_t;
typedef _Atomic(__UINT_FAST64_TYPE__) atomic_uint_fast64_t;
typedef _Atomic(__INTPTR_TYPE__) atomic_intptr_t;
typedef _Atomic(__UINTPTR_TYPE__) atomic_uintptr_t;
typedef _Atomic(size_t) atomic_size_t;
typedef _Atomic(ptrdiff_t) atomic_ptrdiff_t;
typedef _Atomic(__INTMAX_TYPE__) atomic_intmax_t;
typedef _Atomic(__UINTMAX_TYPE__) atomic_uintmax_t;

#define ATOMIC_BOOL_LOCK_FREE 2
#define ATOMIC_CHAR_LOCK_FREE 2
#define ATOMIC_CHAR16_T_LOCK_FREE 2
#define ATOMIC_CHAR32_T_LOCK_FREE 2
#define ATOMIC_WCHAR_T_LOCK_FREE 2
#define ATOMIC_SHORT_LOCK_FREE 2
#define ATOMIC_INT_LOCK_FREE 2
#define ATOMIC_LONG_LOCK_FREE 2
#define ATOMIC_LLONG_LOCK_FREE 2
#define ATOMIC_POINTER_LOCK_FREE 2

#define ATOMIC_VAR_INIT(value) (value)
#define atomic_init(object, value) __c11_atomic_init(object, value)
#define kill_dependency(value) (value)
#define atomic_is_lock_free(object) (sizeof(*(object)) <= 8)
#define atomic_thread_fence(order) __c11_atomic_thread_fence(order)
#define atomic_signal_fence(order) __c11_atomic_signal_fence(order)

#define atomic_store_explicit(object, value, order) __c11_atomic_store(object, value, order)
#define atomic_load_explicit(object, order) __c11_atomic_load(object, order)
#define atomic_exchange_explicit(object, value, order) __c11_atomic_exchange(object, value, order)
#define atomic_compare_exchange_strong_explicit(object, expected, desired, success, failure) \
    __c11_atomic_compare_exchange_strong(object, expected, desired, success, failure)
#define atomic_compare_exchange_weak_explicit(object, expected, desired, success, failure) \
    __c11_atomic_compare_exchange_weak(object, expected, desired, success, failure)
#define atomic_fetch_add_explicit(object, value, order) __c11_atomic_fetch_add(object, value, order)
#define atomic_fetch_sub_explicit(object, value, order) __c11_atomic_fetch_sub(object, value, order)
#define atomic_fetch_or_explicit(object, value, order) __c11_atomic_fetch_or(object, value, order)
#define atomic_fetch_xor_explicit(object, value, order) __c11_atomic_fetch_xor(object, value, order)
#define atomic_fetch_and_explicit(object, value, order) __c11_atomic_fetch_and(object, value, order)

#define atomic_store(object, value) __c11_atomic_store(object, value, memory_order_seq_cst)
#define atomic_load(object) __c11_atomic_load(object, memory_order_seq_cst)
#define atomic_exchange(object, value) __c11_atomic_exchange(object, value, memory_order_seq_cst)
#define atomic_compare_exchange_strong(object, expected, desired) \
    __c11_atomic_compare_exchange_strong(object, expected, desired, memory_order_seq_cst, \
                                         memory_order_seq_cst)
#define atomic_compare_exchange_weak(object, expected, desired) \
    __c11_atomic_compare_exchange_weak(object, expected, desired, memory_order_seq_cst, \
                                       memory_order_seq_cst)
#define atomic_fetch_add(object, value) __c11_atomic_fetch_add(object, value, memory_order_seq_cst)
#define atomic_fetch_sub(object, value) __c11_atomic_fetch_sub(object, value, memory_order_seq_cst)
#define atomic_fetch_or(object, value) __c11_atomic_fetch_or(object, value, memory_order_seq_cst)
#define atomic_fetch_xor(object, value) __c11_atomic_fetch_xor(object, value, memory_order_seq_cst)
#define atomic_fetch_and(object, value) __c11_atomic_fetch_and(object, value, memory_order_seq_cst)

typedef struct {
    _Atomic(_Bool) __value;
} atomic_flag;

#define ATOMIC_FLAG_INIT {0}
#define atomic_flag_test_and_set_explicit(flag, order) __c11_atomic_exchange(&(flag)->__value, 1, order)
#define atomic_flag_test_and_set(flag) atomic_flag_test_and_set_explicit(flag, memory_order_seq_cst)
#define atomic_flag_clear_explicit(flag, order) __c11_atomic_store(&(flag)->__value, 0, order)
#define atomic_flag_clear(flag) atomic_flag_clear_explicit(flag, memory_order_seq_cst)

#endif
