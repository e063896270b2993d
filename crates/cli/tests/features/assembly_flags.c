/* Locked instructions that say what came of them, and moves. */
static int counter = 2;
static unsigned char dec_and_test(int *p)
{
    unsigned char zero;
    __asm__ __volatile__("lock; decl %0; sete %1" : "+m"(*p), "=qm"(zero) : : "memory");
    return zero;
}
static char add_negative(int i, int *p)
{
    char negative;
    __asm__ __volatile__("lock addl %2,%0\n\tsets %1" : "+m"(*p), "=qm"(negative) : "ir"(i) : "memory");
    return negative;
}
static _Bool cas(unsigned *p, unsigned old, unsigned new)
{
    _Bool done;
    __asm__ __volatile__("lock; cmpxchgl %3, %1; setz %0" : "=q"(done), "+m"(*p), "+a"(old) : "r"(new) : "memory", "cc");
    return done;
}
static int load(int *p)
{
    int v;
    __asm__ __volatile__("movl %1, %0" : "=r"(v) : "m"(*p));
    return v;
}
static void store(int *p, int v)
{
    __asm__ __volatile__("movl %1, %0" : "=m"(*p) : "r"(v) : "memory");
}
static void clear(int *p)
{
    __asm__ __volatile__("movl $0, %0" : "+m"(*p));
}

void test(void)
{
    unsigned word = 7;
    out(dec_and_test(&counter));
    out(dec_and_test(&counter));
    out(counter);
    out(add_negative(-3, &counter));
    out(add_negative(5, &counter));
    out(counter);
    out(cas(&word, 7, 9));
    out(word);
    out(cas(&word, 7, 11));
    out(word);
    store(&counter, 41);
    out(load(&counter));
    clear(&counter);
    out(counter);
}
