#include <string.h>
static char g[] = "hello"; static char fixed[8] = "abc"; static char exact[3] = "xyz"; static const char *p = "point" "er"; static char two[2][4] = {"ab", "cde"}; static const char *names[] = {"one", "two", "three"};
static int len(const char *s) { int n = 0; while (s[n]) n++; return n; } static int cmp(const char *a, const char *b) { while (*a && *a == *b) a++, b++; return (unsigned char)*a - (unsigned char)*b; }
static void copy(char *d, const char *s) { while ((*d++ = *s++)) ; }
void test(void)
{
    out(sizeof g);
    out(len(g));
    out(fixed[3]);
    out(fixed[7]);
    out(exact[2]);
    out(sizeof exact);
    out(len(p));
    out(p[5]);
    out(two[1][2]);
    out(two[0][3]);
    out(len(names[2]));
    out(cmp("abc", "abd"));
    out(cmp("b", "a"));
    out(cmp(g, "hello")); g[0] = 'j';
    out(g[0]); char buf[16]; copy(buf, names[2]);
    out(buf[4]);
    out(buf[5]);
    out(cmp(buf, "three")); char loc[] = {"in braces"};
    out(sizeof loc);
    out(sizeof("a\0b"));
    out("a\0b"[2]);
    out("\x41\102\n"[1]); const char *q = "tail" + 2;
    out(*q);
    out(len("")); for (const char *s = "ok"; *s; s++) out(*s);
    out("abc" == 0);
    out(*("x" "y" + 1)); char e[4] = "";
    out(e[3]);
    out(len(__func__));
    out(__func__[0]);
    out(sizeof("x" "yz")); char un[] = "\xff";
    out(un[0]);
}
