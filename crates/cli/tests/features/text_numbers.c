/* Numbers in texts: their ends, their limits, and formats that read them. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void number(const char *text, int base)
{
    char *end;
    errno = 0;
    out(strtol(text, &end, base));
    out(end - text);
    out(errno == ERANGE);
    errno = 0;
    out(strtoul(text, &end, base) == strtoull(text, &end, base));
    out((long long)strtoull(text, &end, base));
    out(end - text);
    out(errno == ERANGE);
    out(strtoll(text, 0, base));
}

void test(void)
{
    number("123abc", 10);
    number("  -42", 10);
    number("+7", 0);
    number("0x1fg", 0);
    number("0xg", 16);
    number("0", 0);
    number("017", 0);
    number("zz", 36);
    number("", 10);
    number("-", 10);
    number("9223372036854775807", 10);
    number("9223372036854775808", 10);
    number("-9223372036854775808", 10);
    number("-9223372036854775809", 10);
    number("18446744073709551615", 10);
    number("18446744073709551616", 10);
    number("99999999999999999999999", 10);
    number("-99999999999999999999999", 10);
    number("ffffffffffffffff", 16);
    out(atoi(" 12"));
    out(atoi("-3x"));
    out(atol("5000000000"));
    int a = -1, b = -1, n = -1;
    long l = -1;
    unsigned u = 1;
    short s = -1;
    unsigned char c8 = 9;
    char c = '?', word[8] = "unset";
    int sscanf(const char *, const char *, ...);
    out(sscanf("3,4", "%d,%d", &a, &b));
    out(a * 100 + b);
    out(sscanf("10 20", "%d%d", &a, &b));
    out(a * 100 + b);
    out(sscanf("10;20", "%d,%d", &a, &b));
    out(a);
    out(sscanf("x", "%d", &a));
    out(sscanf("", "%d", &a));
    out(sscanf("   ", "%d", &a));
    out(sscanf("", "x%d", &a));
    out(sscanf("y", "x%d", &a));
    out(sscanf("12345", "%2d%3d", &a, &b));
    out(a * 1000 + b);
    out(sscanf("ff 0x10 17", "%x %x %o", &u, (unsigned *)&a, (unsigned *)&b));
    out(u + a + b);
    out(sscanf("-5000000000", "%ld", &l));
    out(l);
    out(sscanf("70000 300", "%hd %hhu", &s, &c8));
    out(s);
    out(c8);
    out(sscanf(" a", "%c", &c));
    out(c);
    out(sscanf(" a", " %c", &c));
    out(c);
    out(sscanf("key = value", "%7s = %c", word, &c));
    out(strlen(word) * 1000 + c);
    out(sscanf("toolongword", "%4s", word));
    out(strcmp(word, "tool"));
    out(sscanf("1 2 3", "%*d %d %n", &a, &n));
    out(a * 10 + n);
    out(sscanf("50%", "%d%%", &a));
    out(a);
    out(sscanf("0x1F 010 9", "%i %i %i", &a, &b, &n));
    out(a * 10000 + b * 100 + n);
    out(sscanf("1 ", "%d %d", &a, &b));
}
