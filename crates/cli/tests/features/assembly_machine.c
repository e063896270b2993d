/* Assembly of several instructions: bits, pairs, moves, conditions, jumps, and operands of all kinds. */
#include <stdint.h>
#include <stdbool.h>

static uint64_t row[3] = { 0, 6, 0 };
static int word = 5;
static struct pair { void *first; uint64_t second; } pair __attribute__((aligned(16))) = { 0, 4 };
struct any { unsigned long bytes[16]; };

#define LOCK_PREFIX \
    ".pushsection .smp_locks,\"a\"\n" ".balign 4\n" ".long 671f - .\n" ".popsection\n" "671:" "\n\tlock; "

static bool set_bit(long n, uint64_t *p)
{
    bool was_clear;
    __asm__ __volatile__("lock; btsq %2, %0; setnc %1" : "+m"(*p), "=qm"(was_clear) : "ir"(n) : "memory", "cc");
    return was_clear;
}
static bool complement_bit(long n, uint64_t *p)
{
    bool old;
    __asm__ __volatile__(LOCK_PREFIX "btcq %2, %1\n\tsetc %0" : "=q"(old), "+m"(*(struct any *)p) : "r"(n) : "memory");
    return old;
}
static int reset_in_register(unsigned x, int n, int *old)
{
    __asm__("btrl %2, %0; sbbl %1, %1" : "+r"(x), "=r"(*old) : "r"(n) : "cc");
    return x;
}
static bool look(uint64_t *p, long n)
{
    bool set;
    __asm__("btq %2, %1" : "=@ccc"(set) : "m"(*p), "r"(n));
    return set;
}

static bool swap_pair(struct pair *p, struct pair *old, void *first, uint64_t second)
{
    bool done;
    __asm__ __volatile__("lock; cmpxchg16b %0; setz %3"
                         : "+m"(*p), "+a"(old->first), "+d"(old->second), "=q"(done)
                         : "b"(first), "c"(second) : "memory", "cc");
    return done;
}
static bool swap_numbers(uint64_t p[2], uint64_t old[2], uint64_t new[2])
{
    bool done;
    __asm__ __volatile__("lock cmpxchg16b (%[p])"
                         : "=@ccz"(done), "+a"(old[0]), "+d"(old[1])
                         : [p] "r"(p), "b"(new[0]), "c"(new[1]) : "memory", "cc");
    return done;
}

/* Registers that are no operands, and what they hold at first. */
static bool swap_at(uint64_t p[2], uint64_t old[2], uint64_t new[2])
{
    bool done;
    __asm__ __volatile__("movq 0(%4), %%rax; movq 8(%4), %%rdx; lock cmpxchg16b %0; setz %1"
                         : "+m"(*p), "=q"(done) : "b"(new[0]), "c"(new[1]), "q"(old)
                         : "memory", "cc", "%rax", "%rdx");
    return done;
}
static void load_both(const uint64_t p[2], uint64_t v[2])
{
    __asm__ __volatile__("movq %%rdx, %%rcx; movq %%rax, %%rbx; lock cmpxchg16b %2;"
                         : "=a"(v[0]), "=d"(v[1]) : "m"(*p) : "rbx", "rcx", "memory", "cc");
}
static bool swap_pointer(void *p, void *old, void *new, void *found)
{
    bool done;
    __asm__ __volatile__("lock cmpxchgq %3, %0; mov %% rax, %2; setz %1; /* all */"
                         : "+m"(*(char *)p), "=a"(done), "=m"(*(char *)found) : "q"(new), "a"(old) : "memory", "cc");
    return done;
}

static int exchange(int *p, int v) { __asm__ __volatile__("xchg %1, %0" : "+m"(*p), "+r"(v) : : "memory"); return v; }
static void *exchange_pointer(void **p, void *v)
{
    __asm__ __volatile__("xchgq %0, (%1)" : "+r"(v) : "r"(p) : "memory");
    return v;
}
static uint8_t exchange_byte(void *p, uint8_t v)
{
    __asm__ __volatile__("xchgb %b0, %1" : "+q"(v), "+m"(*(struct any *)p) : : "memory");
    return v;
}
static int swap_any(volatile void *p, int old, int new)
{
    int found;
    __asm__ __volatile__(LOCK_PREFIX "cmpxchgl %2, %1"
                         : "=a"(found), "+m"(*(volatile struct any *)p) : "r"(new), "0"(old) : "memory");
    return found;
}
static int unlocked(int *p, int v)
{
    __asm__("xaddl %0, %1; addl $2, %1; negl %1; notl %1" : "+r"(v), "+m"(*p) : : "memory", "cc");
    return v;
}
static long negated(long *p)
{
    bool some;
    __asm__ __volatile__("lock; negq %0; setc %1; lock; notq %0" : "+m"(*p), "=q"(some) : : "memory", "cc");
    return some;
}

static unsigned zero_extended(unsigned char *p)
{
    unsigned v;
    __asm__("movzbl %1, %0" : "=r"(v) : "m"(*p));
    return v;
}
static long sign_extended(int *p)
{
    long v;
    __asm__("movslq (%1), %0" : "=r"(v) : "r"(p));
    return v;
}
static int third(int *p)
{
    int v;
    __asm__("movl 8(%1), %0" : "=r"(v) : "r"(p) : "memory");
    return v;
}
static uint64_t parts(uint64_t x)
{
    __asm__("movb $0x7f, %b0; addw $1, %w0" : "+q"(x) : : "cc");
    return x;
}
static uint64_t upper_gone(uint64_t x)
{
    __asm__("movl %k0, %k0" : "+r"(x));
    return x;
}
static int larger(int a, int b)
{
    __asm__("cmpl %1, %0\n\tcmovl %1, %0" : "+r"(a) : "r"(b) : "cc");
    return a;
}
static unsigned smaller(unsigned a, unsigned b)
{
    __asm__("cmp %1, %0; cmova %1, %0" : "+r"(a) : "r"(b) : "cc");
    return a;
}

static int flags_of(int a, int b)
{
    unsigned char less, below, equal, sign, above, greater;
    __asm__("cmpl %7, %6; setl %0; setb %1; sete %2; sets %3; seta %4; setg %5"
            : "=q"(less), "=q"(below), "=q"(equal), "=q"(sign), "=q"(above), "=q"(greater)
            : "r"(a), "r"(b) : "cc");
    return less | below << 1 | equal << 2 | sign << 3 | above << 4 | greater << 5;
}
static int flags_of_sum(int a, int b)
{
    bool carry, zero;
    __asm__("addl %3, %2" : "=@ccc"(carry), "=@ccz"(zero), "+r"(a) : "r"(b));
    return carry | zero << 1;
}

/* A spin lock that waits in assembly. */
static int locked_word;
static void lock(void)
{
    int taken = 1;
    __asm__ __volatile__("1:\n"
                         "xchg %[locked], %[taken]\n"
                         "test %[taken], %[taken]\n"
                         "jz 3f\n"
                         "2:\n"
                         "pause\n"
                         "cmpl $0, %[locked]\n"
                         "jnz 2b\n"
                         "jmp 1b\n"
                         "3:\n"
                         : [locked] "=m"(locked_word), [taken] "=q"(taken) : "[taken]"(taken) : "memory");
    out(taken);
}
static unsigned long long sum_to(unsigned n)
{
    unsigned long long sum = 0, count = n;
    __asm__("xorl %k0, %k0\n.Lagain%=:\n\taddq %1, %0\n\tdecq %1\n\tjne .Lagain%=" : "+r"(sum), "+r"(count) : : "cc");
    return sum * 1000 + count;
}
static int jumps(int *p)
{
    __asm__ goto("lock; decl %0; js %l[negative]" : : "m"(*p) : "memory", "cc" : negative);
    return 1;
negative:
    return 2;
}

void test(void)
{
    out(set_bit(3, row));
    out(set_bit(3, row));
    out(set_bit(128, row));
    out(set_bit(64, row + 1));
    for (int i = 0; i < 3; i++) out(row[i]);
    out(complement_bit(65, row));
    out(complement_bit(65, row));
    out(complement_bit(1, row));
    out(row[0]); out(row[1]);
    int old;
    out(reset_in_register(0xff, 4, &old)); out(old);
    out(reset_in_register(0xff, 36, &old)); out(old);
    out(reset_in_register(0x0f, 4, &old)); out(old);
    out(look(row, 66)); out(look(row, 67));

    struct pair wanted = { 0, 4 };
    out(swap_pair(&pair, &wanted, &word, 5));
    out(pair.first == &word); out(pair.second);
    out(swap_pair(&pair, &wanted, 0, 6));
    out(wanted.first == &word); out(wanted.second);
    out(swap_pair(&pair, &wanted, 0, 6)); out(pair.second);
    static uint64_t numbers[2] __attribute__((aligned(16))) = { 1, 2 };
    uint64_t known[2] = { 1, 3 }, new[2] = { 7, 8 };
    out(swap_numbers(numbers, known, new)); out(known[1]); out(numbers[0]);
    out(swap_numbers(numbers, known, new)); out(numbers[0]); out(numbers[1]);

    out(swap_at(numbers, known, new)); out(numbers[0]);
    known[0] = 7; known[1] = 8; new[0] = 9;
    out(swap_at(numbers, known, new)); out(numbers[0]);
    load_both(numbers, known); out(known[0]); out(known[1]);

    out(exchange(&word, 9)); out(word);
    static void *pointer = &word;
    void *found;
    out(swap_pointer(&pointer, row, &pair, &found)); out(found == &word);
    out(swap_pointer(&pointer, found, &pair, &found)); out(pointer == &pair);
    pointer = &word;
    out(exchange_pointer(&pointer, row) == &word); out(pointer == row);
    uint32_t bytes = 0x11223344;
    out(exchange_byte(&bytes, 0x55)); out(bytes);
    out(swap_any(&bytes, 0x11223355, 4)); out(bytes);
    out(swap_any(&bytes, 0x11223355, 5)); out(bytes);
    out(unlocked(&word, 3)); out(word);
    long minus = 6;
    out(negated(&minus)); out(minus);
    minus = 0;
    out(negated(&minus)); out(minus);

    unsigned char byte = 0xfe;
    out(zero_extended(&byte));
    int three[] = { -7, 2, 3 };
    out(sign_extended(three));
    out(third(three));
    out(parts(0x1234567890ull));
    out(upper_gone(0x1234567890ull));
    out(larger(3, -4)); out(larger(-4, 3)); out(smaller(3, -4)); out(smaller(-4, 3));
    out(flags_of(1, 2)); out(flags_of(-1, 2)); out(flags_of(2, 2)); out(flags_of(-2147483647 - 1, 1));
    out(flags_of_sum(-1, 1)); out(flags_of_sum(-1, 2)); out(flags_of_sum(1, 2));

    lock();
    out(locked_word);
    out(sum_to(5));
    int count = 1;
    out(jumps(&count)); out(jumps(&count)); out(count);
    __asm__ __volatile__("lock; addl $0,0(%%rsp)" : : : "memory");
    __asm__ __volatile__("lock; orl $0, (%%rsp)\n\trep; nop" : : : "memory", "cc");
    int kept = 4, other;
    __asm__("" : "+r"(kept));
    __asm__("" : "=r"(other) : "0"(kept + 1));
    out(kept); out(other);
}
