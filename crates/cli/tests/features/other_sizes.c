/* Variables that are looked at as something of another size. */
#include <stdint.h>
#include <string.h>

static uint32_t word = 0x11223344;
static struct pair { uint32_t index, tag; } pair = { 5, 7 };
static uint16_t halves[4] = { 1, 2, 3, 4 };

static unsigned sum(const unsigned char *p, int n)
{
    unsigned s = 0;
    while (n--)
        s = s * 31 + *p++;
    return s;
}

void test(void)
{
    unsigned char *bytes = (unsigned char *)&word;
    out(bytes[0]);
    out(bytes[3]);
    bytes[1] = 0;
    out(word);
    word = 0x01020304;
    out(*(uint16_t *)&word);
    out(((uint16_t *)&word)[1]);
    out(sum((unsigned char *)&word, sizeof word));
    uint64_t both = *(uint64_t *)&pair;
    out(both);
    *(uint64_t *)&pair = 0x900000003ull;
    out(pair.index);
    out(pair.tag);
    struct pair local = *(struct pair *)&both;
    out(local.tag);
    local.tag++;
    out(*(uint64_t *)&local);
    int one = 1;
    out(*(char *)&one);
    out(*(uint64_t *)halves);
    out(*(uint32_t *)&halves[2]);
    unsigned char copy[4];
    memcpy(copy, &word, sizeof word);
    out(copy[2]);
    copy[3] = 9;
    memcpy(&word, copy, 4);
    out(word);
    short s = -2;
    out(((signed char *)&s)[0] + ((unsigned char *)&s)[1]);
}
