/* Runs a program that `sequentialize` has made, without a verifier: first with random choices, then with all of them.
   Prints `fails`, `holds` if all choices were tried, or `unknown`. The program is compiled with -DDRIVER and its `main`
   renamed. Between two runs all its variables get their first values again: the data segment is copied. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 100000, WIDE = 64 };
enum { BACK = 1, FAILED = 2 };

/* What survives a run. */
static struct {
    jmp_buf end;
    unsigned long long seed;
    int is_random, is_partial, depth, length;
    struct { long long lo, hi, chosen; } choices[MOST];
} *all;

extern char __data_start[], _end[];
int sequential_main(void);

void __CPROVER_assume(_Bool condition) { if (!condition) longjmp(all->end, BACK); }
void __VERIFIER_assume(int condition) { if (!condition) longjmp(all->end, BACK); }
void __CPROVER_assert(_Bool condition, const char *what) { (void)what; if (!condition) longjmp(all->end, FAILED); }
void __assert_fail(const char *text, const char *file, unsigned line, const char *function)
{
    (void)text, (void)file, (void)line, (void)function;
    longjmp(all->end, FAILED);
}

long long driver(long long lo, long long hi)
{
    if (lo > hi || all->depth == MOST)
        longjmp(all->end, BACK);
    if ((unsigned long long)hi - (unsigned long long)lo >= WIDE) {
        /* Values around zero stand for all. */
        all->is_partial = 1;
        lo = lo < -4 ? -4 : lo;
        hi = hi > lo + 8 ? lo + 8 : hi;
    }
    if (all->is_random) {
        all->seed ^= all->seed << 13, all->seed ^= all->seed >> 7, all->seed ^= all->seed << 17;
        return lo + (long long)(all->seed % (unsigned long long)(hi - lo + 1));
    }
    if (all->depth == all->length) {
        all->choices[all->length].lo = all->choices[all->length].chosen = lo;
        all->choices[all->length].hi = hi;
        all->length++;
    }
    return all->choices[all->depth++].chosen;
}

int main(int argc, char **argv)
{
    long randomly = argc > 1 ? atol(argv[1]) : 1000, limit = argc > 2 ? atol(argv[2]) : 1000000;
    all = calloc(1, sizeof *all);
    all->seed = 88172645463325252ULL;
    size_t size = (size_t)(_end - __data_start);
    char *copy = malloc(size);
    memcpy(copy, __data_start, size);
    for (volatile long run = 0; run < randomly + limit; run++) {
        memcpy(__data_start, copy, size);
        all->is_random = run < randomly;
        all->depth = 0;
        switch (setjmp(all->end)) {
        case 0: sequential_main(); break;
        case FAILED: puts("fails"); return 0;
        }
        if (all->is_random)
            continue;
        /* The next choices: the last that can be another is, and those behind it are forgotten. */
        all->length = all->depth;
        while (all->length > 0 && all->choices[all->length - 1].chosen == all->choices[all->length - 1].hi)
            all->length--;
        if (all->length == 0) {
            puts(all->is_partial ? "unknown" : "holds");
            return 0;
        }
        all->choices[all->length - 1].chosen++;
    }
    puts("unknown");
    return 0;
}
