static int x = 5;
static long w = 1;
static int exchange(volatile int *p, int v) { __asm__ __volatile__("xchgl %0, %1" : "+r"(v), "+m"(*p) : : "memory"); return v; }
static int swap(volatile int *p, int old, int new)
{
    int found;
    __asm__ __volatile__("lock; cmpxchgl %2, %1" : "=a"(found), "+m"(*p) : "r"(new), "0"(old) : "memory", "cc");
    return found;
}
static int fetch_add(volatile int *p, int v) { __asm__ __volatile__("lock xaddl %0, %1" : "+r"(v), "+m"(*p) :: "memory", "cc"); return v; }
void test(void)
{
    out(exchange(&x, 7)); out(x);
    out(swap(&x, 7, 9)); out(x); out(swap(&x, 7, 11)); out(x);
    out(fetch_add(&x, -3)); out(x);
    __asm__ __volatile__("lock; incq %0" : "+m"(w) :: "memory"); out(w);
    __asm__ __volatile__("lock; addq %1, %0" : "+m"(w) : "ir"(40L) : "memory"); out(w);
    __asm__ __volatile__("lock; subl %[by], %[at]" : [at] "+m"(x) : [by] "r"(2) : "memory"); out(x);
    __asm__ __volatile__("lock; orl $8, %0" : "+m"(x) :: "memory"); out(x);
}
