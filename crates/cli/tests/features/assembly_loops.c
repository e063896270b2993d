typedef struct { unsigned long low, high; } __attribute__((aligned(16))) two_words;
typedef struct { unsigned long words[16]; } any_words;
static two_words pair = {1, 2};
static unsigned long bits[2], word = 7;
static int gate, turns = 2;
static int set_bit(unsigned long *at, unsigned long bit)
{
    _Bool was_clear;
    __asm__ __volatile__("lock; btsq %2, %0; setnc %1" : "+m"(*at), "=q"(was_clear) : "q"(bit) : "memory", "cc");
    return was_clear;
}
static int swap_pair(two_words *at, two_words *old, two_words new)
{
    _Bool done;
    __asm__ __volatile__("lock cmpxchg16b %[at]; setz %[done]"
        : [at] "+m"(*at), [done] "=q"(done), "+a"(old->low), "+d"(old->high)
        : "b"(new.low), "c"(new.high) : "memory", "cc");
    return done;
}
static unsigned long exchange_words(void *at, unsigned long new)
{
    unsigned long found;
    __asm__ __volatile__("xchgq %0, %1" : "=r"(found), "+m"(*(any_words *)at) : "0"(new) : "memory");
    return found;
}
static int spin(int *at)
{
    int taken = 1;
    __asm__ __volatile__("1: mov $1, %[taken]\n\txchg %[taken], %[at]\n\ttest %[taken], %[taken]\n\tjz 3f\n"
        "2: pause\n\tcmpl $0, %[at]\n\tjnz 2b\n\tjmp 1b\n3:"
        : [at] "+m"(*at), [taken] "+q"(taken) : : "memory", "cc");
    return taken;
}
#define LOCKED ".pushsection .marks,\"a\"\n.balign 4\n.long 671f - .\n.popsection\n671:\n\tlock; "
static int take_turn(int *at)
{
    _Bool is_zero;
    __asm__ __volatile__(LOCKED "decl %[at]" : [at] "+m"(*at), "=@ccz"(is_zero) : : "memory");
    return is_zero;
}
static unsigned low_half(unsigned long from)
{
    unsigned to;
    __asm__("movl %k1, %0" : "=r"(to) : "r"(from));
    return to;
}
static void or_byte(unsigned char *at, int with) { __asm__ __volatile__(LOCKED "orb %b1, %0" : "+m"(*at) : "iq"(with) : "memory"); }
void test(void)
{
    out(set_bit(&bits[0], 3)); out(set_bit(&bits[0], 3)); out(bits[0]);
    out(set_bit(&bits[0], 65)); out(bits[1]);
    two_words old = {1, 2}, new = {3, 4};
    out(swap_pair(&pair, &old, new)); out(pair.low); out(pair.high);
    old.low = 9;
    out(swap_pair(&pair, &old, new)); out(old.low); out(old.high);
    out(exchange_words(&word, 12)); out(word);
    out(spin(&gate)); out(gate);
    out(take_turn(&turns)); out(take_turn(&turns)); out(turns);
    out(low_half(0x100000002ul));
    unsigned char byte = 1;
    or_byte(&byte, 0x12); out(byte);
}
