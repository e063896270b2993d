/* Waiting for a change of a word. A wait may end for no reason, so it need not wait at all; where deadlocks are looked
   for, it may also wait until it is woken: each thread that does notes the word. Operations that change the word by
   themselves fail, as with a kernel that has none. */

enum { __FENCEPOST_WAITERS = 64, __FENCEPOST_ENOSYS = 38 };

static int *__fencepost_waits_for[__FENCEPOST_WAITERS];

static long __fencepost_futex(int *word, int operation, int value)
{
    int command = operation & 127;
    long result = 0;
    if (command == 0 || command == 9) {
        unsigned long self = (unsigned long)__fencepost_self() & (__FENCEPOST_WAITERS - 1);
        _Bool differs;
        _Bool waits = __fencepost_blocking() && __VERIFIER_nondet_bool();
        __VERIFIER_atomic_begin();
        differs = *word != value;
        if (waits && !differs)
            __fencepost_waits_for[self] = word;
        __VERIFIER_atomic_end();
        if (differs) {
            __fencepost_errno = __FENCEPOST_EAGAIN;
            result = -1;
        } else if (waits) {
            __VERIFIER_atomic_begin();
            __VERIFIER_assume(__fencepost_waits_for[self] == 0);
            __VERIFIER_atomic_end();
        }
    } else if (command == 1 || command == 10) {
        __VERIFIER_atomic_begin();
        if (__fencepost_blocking()) {
            unsigned long i = 0, left = 0;
            while (i < __FENCEPOST_WAITERS) {
                left += __fencepost_waits_for[i] == word;
                i++;
            }
            while (left > 0 && result < value) {
                unsigned char chosen = __VERIFIER_nondet_uchar();
                __VERIFIER_assume(chosen < __FENCEPOST_WAITERS);
                __VERIFIER_assume(__fencepost_waits_for[chosen] == word);
                __fencepost_waits_for[chosen] = 0;
                left--;
                result++;
            }
        } else {
            /* How many slept nobody can know; most wake one, and two values are fewer than many. */
            if (value == 1) {
                result = __VERIFIER_nondet_bool();
            } else {
                unsigned char woken = __VERIFIER_nondet_uchar();
                __VERIFIER_assume(woken < __FENCEPOST_WAITERS && woken <= value);
                result = woken;
            }
        }
        __VERIFIER_atomic_end();
    } else {
        __fencepost_errno = __FENCEPOST_ENOSYS;
        result = -1;
    }
    return result;
}
