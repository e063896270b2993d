/* The lists of sys/queue.h, aligned memory, formats with widths. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/queue.h>

void *mempcpy(void *, const void *, unsigned long);

struct item {
    int value;
    SLIST_ENTRY(item) single;
    LIST_ENTRY(item) twofold;
    STAILQ_ENTRY(item) queue;
    TAILQ_ENTRY(item) both;
};

SLIST_HEAD(singles, item) singles = SLIST_HEAD_INITIALIZER(singles);
LIST_HEAD(twofolds, item) twofolds = LIST_HEAD_INITIALIZER(twofolds);
STAILQ_HEAD(queues, item) queue = STAILQ_HEAD_INITIALIZER(queue);
TAILQ_HEAD(boths, item) both = TAILQ_HEAD_INITIALIZER(both);

static void show(void)
{
    struct item *i;
    int sum = 0;
    SLIST_FOREACH(i, &singles, single) sum = sum * 10 + i->value;
    out(sum);
    sum = 0;
    LIST_FOREACH(i, &twofolds, twofold) sum = sum * 10 + i->value;
    out(sum);
    sum = 0;
    STAILQ_FOREACH(i, &queue, queue) sum = sum * 10 + i->value;
    out(sum);
    sum = 0;
    TAILQ_FOREACH(i, &both, both) sum = sum * 10 + i->value;
    out(sum);
    sum = 0;
    TAILQ_FOREACH_REVERSE(i, &both, boths, both) sum = sum * 10 + i->value;
    out(sum);
}

void test(void)
{
    struct item items[5];
    for (int i = 0; i < 4; i++) {
        items[i].value = i + 1;
        SLIST_INSERT_HEAD(&singles, &items[i], single);
        LIST_INSERT_HEAD(&twofolds, &items[i], twofold);
        STAILQ_INSERT_TAIL(&queue, &items[i], queue);
        TAILQ_INSERT_TAIL(&both, &items[i], both);
        show();
    }
    items[4].value = 5;
    SLIST_INSERT_AFTER(&items[2], &items[4], single);
    LIST_INSERT_BEFORE(&items[2], &items[4], twofold);
    STAILQ_INSERT_HEAD(&queue, &items[4], queue);
    TAILQ_INSERT_AFTER(&both, &items[1], &items[4], both);
    show();
    SLIST_REMOVE(&singles, &items[1], item, single);
    LIST_REMOVE(&items[1], twofold);
    STAILQ_REMOVE_HEAD(&queue, queue);
    TAILQ_REMOVE(&both, &items[3], both);
    show();
    SLIST_REMOVE_HEAD(&singles, single);
    TAILQ_INSERT_HEAD(&both, &items[3], both);
    LIST_INSERT_AFTER(&items[0], &items[1], twofold);
    show();
    out(TAILQ_LAST(&both, boths)->value);
    out(STAILQ_EMPTY(&queue));

    int *p = aligned_alloc(64, 3 * sizeof *p), *q;
    p[2] = 7;
    out((unsigned long)p % 64);
    out(posix_memalign((void **)&q, 32, 2 * sizeof *q));
    q[1] = 8;
    p = reallocarray(p, 5, sizeof *p);
    p[4] = 9;
    out(p[2] * 100 + q[1] * 10 + p[4]);
    free(p);
    free(q);
    long *mapped = mmap(0, 2 * sizeof *mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    out(mapped != MAP_FAILED);
    mapped[1] += 4;
    out(mapped[0] + mapped[1]);
    munmap(mapped, 2 * sizeof *mapped);

    char text[32];
    const char *format = "%s=%-4d|%x";
    out(snprintf(text, sizeof text, format, "n", 12, 255));
    out(strcmp(text, "n=12  |ff"));
    out(sprintf(text, "%04x %5d", 0xabc, -3));
    out(text[0] + text[6] + text[8]);
    char *end = mempcpy(text, "abc", 3);
    out(end - text);
}
