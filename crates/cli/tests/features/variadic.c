#include <stdarg.h>
#include <string.h>

struct pair {
    int first;
    long second;
};

static int sum(int n, ...)
{
    va_list list;
    int total = 0;
    va_start(list, n);
    while (n-- > 0)
        total += va_arg(list, int);
    va_end(list);
    return total;
}

static long twice(int n, ...)
{
    va_list list, again;
    long total = 0;
    va_start(list, n);
    va_copy(again, list);
    for (int i = 0; i < n; i++)
        total = total * 10 + va_arg(list, long);
    for (int i = 0; i < n; i++)
        total = total * 10 + va_arg(again, long);
    va_end(again);
    va_end(list);
    return total;
}

static unsigned lengths(const char *first, ...)
{
    va_list list;
    unsigned n = strlen(first);
    const char *text;
    va_start(list, first);
    while ((text = va_arg(list, const char *)) != 0)
        n = n * 10 + strlen(text);
    va_end(list);
    return n;
}

static int from_list(int n, va_list list)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total = total * 3 + va_arg(list, int);
    return total;
}

static int passed_on(int n, ...)
{
    va_list list;
    va_start(list, n);
    int total = from_list(n, list);
    va_end(list);
    return total;
}

static long mixed(const char *kinds, ...)
{
    va_list list;
    long total = 0;
    va_start(list, kinds);
    for (; *kinds; kinds++) {
        switch (*kinds) {
        case 'c': total += (char)va_arg(list, int); break;
        case 'u': total += va_arg(list, unsigned); break;
        case 'l': total += va_arg(list, long long); break;
        case 'p': total += *va_arg(list, int *); break;
        case 's': {
            struct pair pair = va_arg(list, struct pair);
            total += pair.first * pair.second;
            break;
        }
        case 'd': (void)va_arg(list, double); break;
        }
    }
    va_end(list);
    return total;
}

static int formatted(char *to, unsigned long size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(to, size, format, list);
    va_end(list);
    return n;
}

static void test(void)
{
    int seven = 7;
    struct pair pair = {3, 5};
    int (*pointer)(int, ...) = sum;
    char text[32];
    const char *formats[] = {"%d-%u", "%5d|%-4u|", "%05d%c%%", "%s %lx", "%3s%-3s."};
    out(sum(0));
    out(sum(3, 1, -2, 30));
    out(pointer(2, 40, 2));
    out(twice(2, 1L, 2L));
    out(lengths("ab", "c", "def", (char *)0));
    out(passed_on(3, 1, 2, 0));
    out(mixed("culpsd", 'a', 4000000000u, -5LL, &seven, pair, 1.5));
    out(formatted(text, sizeof text, formats[0], -12, 34u));
    out(formatted(text, sizeof text, "%d|%7p|%-6p|", -5, (void *)0, (void *)0));
    out(text[3]);
    out(text[5]);
    out(text[9]);
    out(strcmp(text, "-12-34"));
    out(formatted(text, sizeof text, formats[1], 42, 7u));
    out(strcmp(text, "   42|7   |"));
    out(formatted(text, sizeof text, formats[2], -42, 'x'));
    out(strcmp(text, "-0042x%"));
    out(formatted(text, 6, formats[3], "hello", 255L));
    out(strcmp(text, "hello"));
    out(formatted(text, sizeof text, formats[4], "a", "b"));
    out(strcmp(text, "  ab  ."));
}
