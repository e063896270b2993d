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
/* The flag comes into the register that held what was expected. */
static _Bool cas_in_one_register(unsigned *p, unsigned old, unsigned new)
{
    unsigned char done;
    __asm__ __volatile__("lock cmpxchgl %3, %0; setz %1" : "+m"(*p), "=a"(done) : "a"(old), "q"(new) : "memory", "cc");
    return done;
}
static int set_bit(int nr, unsigned long *p)
{
    int old;
    __asm__ __volatile__("lock; btsq %2,%1\n\tsbbl %0,%0" : "=r"(old), "+m"(*p) : "Ir"((long)nr) : "memory");
    return old;
}
static unsigned char clear_bit(unsigned *p)
{
    unsigned char old;
    __asm__ __volatile__("lock btrl %2,%0; setc %1" : "+m"(*p), "=qm"(old) : "I"(4) : "memory", "cc");
    return old;
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
    unsigned long long_word = 1;
    unsigned flags = 0x11;
    out(set_bit(3, &long_word));
    out(set_bit(3, &long_word));
    out(long_word);
    unsigned long row[2] = {0, 4};
    out(set_bit(64 + 2, row));
    out(set_bit(64 + 5, row));
    out(row[0]);
    out(row[1]);
    out(clear_bit(&flags));
    out(clear_bit(&flags));
    out(flags);
    out(cas_in_one_register(&word, 6, 1));
    out(word);
    out(cas_in_one_register(&word, 7, 7));
    out(word);
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
