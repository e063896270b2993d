/* Functions on memory, for elements of many types: few and many, known and unknown numbers, overlapping. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct point { short x; long y; };
union word { unsigned whole; unsigned char bytes[4]; };
struct mixed { union word w; struct point *p; _Bool b; struct point in[2]; };

static struct point points[60], others[60];
static struct mixed many[40];
static int numbers[50];
static volatile unsigned long n = 45;

static int by_x(const void *a, const void *b)
{
    const struct point *l = a, *r = b;
    return l->x < r->x ? -1 : l->x > r->x;
}

static int by_key(const void *key, const void *element)
{
    return *(const short *)key - ((const struct point *)element)->x;
}

static void copies(void)
{
    for (int i = 0; i < 60; i++) {
        points[i].x = i * 7 % 13;
        points[i].y = i;
    }
    memcpy(others, points, sizeof points);
    out(others[59].x);
    out(others[59].y);
    memmove(points + 5, points, n * sizeof *points);
    out(points[49].y);
    out(points[5].y);
    memmove(points, points + 3, 20 * sizeof *points);
    out(points[0].y);
    out(points[19].y);
    memmove(points + 1, points, 2 * sizeof *points);
    out(points[2].y);
    out((char *)mempcpy(others, points, n * sizeof *points) - (char *)others);
    out(others[44].y);
    memcpy(&others[1], &points[30], sizeof(short));
    out(others[1].x == points[30].x);
    out(others[1].y == points[30].y);
}

static void fills(void)
{
    memset(many, 0xff, sizeof many);
    out(many[39].w.whole);
    out(many[17].in[1].y);
    memset(many + 1, 0, 38 * sizeof *many);
    out(many[38].w.whole);
    out(many[38].p == 0);
    out(many[38].b);
    out(many[39].w.bytes[2]);
    memset(&many[5], 0x12, sizeof(union word));
    out(many[5].w.whole);
    out(many[5].p == 0);
    memset(numbers, 3, n * sizeof(int));
    out(numbers[44]);
    out(numbers[45]);
    bzero(numbers + 1, 4 * n / 5);
    out(numbers[9]);
    out(numbers[10]);
}

static void comparisons(void)
{
    int left[40] = { 1, 2, 3 }, right[40] = { 1, 2, 3 };
    out(memcmp(left, right, sizeof left));
    right[39] = 256;
    out(memcmp(left, right, sizeof left) < 0);
    left[39] = 1;
    out(memcmp(left, right, sizeof left) > 0);
    out(memcmp(left, right, 39 * sizeof(int)));
    struct { int a, b; } p = { 1, -2 }, q = { 1, 2 };
    out(memcmp(&p, &q, sizeof p) > 0);
    out(memcmp(&p, &q, sizeof p.a));
    out(memcmp("abc", "abd", 3) < 0);
}

static void sorting(void)
{
    struct point some[7];
    for (int i = 0; i < 7; i++) {
        some[i].x = i * 5 % 7;
        some[i].y = 100 + i;
    }
    int (*compare)(const void *, const void *) = by_x;
    qsort(some, 7, sizeof *some, n > 40 ? compare : 0);
    for (int i = 0; i < 7; i++)
        out(some[i].y);
    short key = 4, none = 9;
    struct point *found = bsearch(&key, some, 7, sizeof *some, by_key);
    out(found - some);
    out(bsearch(&none, some, 7, sizeof *some, by_key) == 0);
    long words[] = { 5, -1, 3 };
    int less(const void *, const void *);
    qsort(words, 3, sizeof *words, less);
    out(words[0]);
    out(words[2]);
}

int less(const void *a, const void *b)
{
    return *(const long *)a < *(const long *)b ? -1 : 1;
}

static void set(int *p)
{
    *p = 5;
}

static void growing(void)
{
    int *z = malloc(sizeof *z);
    if (z)
        set(z);
    memset(z, 0, sizeof *z);
    out(*z);
    free(z);
    int *p = calloc(3, sizeof *p);
    p[1] = 7;
    p = reallocarray(p, 50, sizeof *p);
    out(p[1]);
    memcpy(p, numbers, 50 * sizeof *p);
    out(p[46]);
    free(p);
    void *q;
    out(posix_memalign(&q, 64, 3 * sizeof(struct point)));
    struct point *r = q;
    r[2] = points[2];
    out(r[2].y);
    out(posix_memalign(&q, 3, 8));
    free(r);
}

void test(void)
{
    copies();
    fills();
    comparisons();
    sorting();
    growing();
}
