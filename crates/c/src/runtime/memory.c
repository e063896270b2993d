/* Memory of which nothing is known, and threads that are cancelled. */

/* Threads that have been cancelled, by their numbers. */
static _Bool __fencepost_cancelled[64];
static _Thread_local int __fencepost_cancel_state;

static int pthread_cancel(pthread_t thread)
{
    unsigned long number = (unsigned long)thread;
    if (number < sizeof __fencepost_cancelled)
        __atomic_store_n(&__fencepost_cancelled[number], 1, 5);
    else
        *(char *)&__fencepost_whole = 0;
    return 0;
}

static int pthread_setcancelstate(int state, int *old)
{
    if (old != 0)
        *old = __fencepost_cancel_state;
    __fencepost_cancel_state = state;
    return 0;
}

static _Thread_local int __fencepost_cancel_type;

static int pthread_setcanceltype(int type, int *old)
{
    if (old != 0)
        *old = __fencepost_cancel_type;
    __fencepost_cancel_type = type;
    return 0;
}

static void __fencepost_cancelled_here(void)
{
    unsigned long number = (unsigned long)__fencepost_self();
    if (__fencepost_cancel_state == 0 && number < sizeof __fencepost_cancelled && __fencepost_cancelled[number])
        pthread_exit((void *)-1);
}

/* Bytes are meant that are no whole element. */
static void __fencepost_not_whole(void)
{
    *(char *)&__fencepost_whole = 0;
}

/* What is known by its address only: in words, if there are only whole ones, or else in bytes. */
static void __fencepost_copy_raw(char *to, const char *from, unsigned long n)
{
    unsigned long low = __fencepost_low_bits(to) | __fencepost_low_bits(from) | n & 7;
    unsigned long step = low == 0 ? 8 : (low & 3) == 0 ? 4 : 1, i = 0;
    _Bool back = (unsigned long)(to - from) < n;
    while (i < n) {
        unsigned long at = back ? n - step - i : i;
        if (step == 8)
            *(unsigned long long *)(to + at) = *(unsigned long long *)(from + at);
        else if (step == 4)
            *(unsigned *)(to + at) = *(unsigned *)(from + at);
        else
            to[at] = from[at];
        i += step;
    }
}

static void __fencepost_fill_raw(char *to, unsigned long long value, unsigned long n)
{
    unsigned long low = __fencepost_low_bits(to) | n & 7;
    unsigned long step = low == 0 ? 8 : (low & 3) == 0 ? 4 : 1, i = 0;
    while (i < n) {
        if (step == 8)
            *(unsigned long long *)(to + i) = value;
        else if (step == 4)
            *(unsigned *)(to + i) = (unsigned)value;
        else
            to[i] = (char)value;
        i += step;
    }
}

/* Which of two different words comes first, by its bytes. */
static int __fencepost_order(unsigned long long a, unsigned long long b)
{
    unsigned long long x = a, y = b;
    while ((x & 255) == (y & 255)) {
        x >>= 8;
        y >>= 8;
    }
    return (x & 255) < (y & 255) ? -1 : 1;
}

static void *memchr(const void *s, int c, unsigned long n)
{
    const unsigned char *bytes = s;
    unsigned long i = 0;
    void *found = 0;
    while (i < n && bytes[i] != (unsigned char)c)
        i++;
    if (i < n)
        found = (void *)(bytes + i);
    return found;
}

/* What a pointer to `free` points to. */
void __fencepost_free(void *pointer)
{
    free(pointer);
}
