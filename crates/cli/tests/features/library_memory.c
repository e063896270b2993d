#include <stdlib.h>
#include <string.h>
struct pair { int key; struct pair *next; char name[3]; };
static struct pair table[2];
static int numbers[100];
static int sign(int n) { return (n > 0) - (n < 0); }
static void copy_out(void *to, const void *from, unsigned long n) { memcpy(to, from, n * sizeof(int)); }
void test(void)
{
    int a[4] = {1, 2, 3, 4}, b[4];
    memcpy(b, a, sizeof a); out(b[0] + b[3]);
    memmove(b + 1, b, 3 * sizeof *b); out(b[0]); out(b[1]); out(b[3]);
    memset(a, 0, sizeof a); out(a[0] | a[1] | a[2] | a[3]);
    memset(a, 0x11, sizeof a); out(a[2]);
    struct pair p = {7, &table[1], "xy"}, q;
    memcpy(&q, &p, sizeof q); out(q.key); out(q.next == &table[1]); out(q.name[1]);
    out(memcmp(&p, &q, sizeof p)); q.key = 8;
    memset(&table, 0, sizeof table); out(table[0].key); out(table[1].next == NULL);
    table[0] = p; memcpy(&table[1], &table[0], sizeof table[0]); out(table[1].key);
    for (int i = 0; i < 100; i++) numbers[i] = i;
    copy_out(numbers, numbers + 50, 40); out(numbers[0]); out(numbers[39]); out(numbers[40]);
    memmove(numbers + 1, numbers, 99 * sizeof(int)); out(numbers[1]); out(numbers[99]);
    out(sign(memcmp("abc", "abd", 3))); out(memcmp("abc", "abd", 2));
    int *m = malloc(2 * sizeof(int)); m[0] = 5; m[1] = 6;
    m = realloc(m, 4 * sizeof(int)); m[3] = 9; out(m[0]); out(m[1]); out(m[3]);
    m = realloc(m, sizeof(int)); out(m[0]); free(m);
    int *fresh = realloc(NULL, sizeof(int)); *fresh = 3; out(*fresh); free(fresh);
}
