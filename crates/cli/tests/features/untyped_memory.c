/* Memory whose bytes are seen through `void *`: arenas, generic containers, checksums, copies of run-time size. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct point { int32_t x; int64_t y; };
struct packet { uint32_t id; uint16_t length; uint8_t data[2]; };
struct node { int value; struct node *next; };

static char pool[128];
static size_t used;

static void *take(size_t n)
{
    void *p = pool + used;
    used += (n + 7) & ~(size_t)7;
    return p;
}

static unsigned sum(const void *p, size_t n)
{
    const unsigned char *b = p;
    unsigned s = 0;
    for (size_t i = 0; i < n; i++)
        s = s * 31 + b[i];
    return s;
}

static void exchange(void *a, void *b, size_t n)
{
    unsigned char *p = a, *q = b;
    while (n--) {
        unsigned char t = *p;
        *p++ = *q;
        *q++ = t;
    }
}

static void exchange_copied(void *a, void *b, size_t n)
{
    char kept[16];
    memcpy(kept, a, n);
    memcpy(a, b, n);
    memcpy(b, kept, n);
}

struct ring { char *slots; size_t size, count, first, last; };

static void put(struct ring *r, const void *e) { memcpy(r->slots + r->last++ % r->count * r->size, e, r->size); }
static void get(struct ring *r, void *e) { memcpy(e, r->slots + r->first++ % r->count * r->size, r->size); }

static void clear(void *p, size_t n) { memset(p, 0, n); }

void test(void)
{
    struct node *list = 0;
    for (int i = 0; i < 3; i++) {
        struct node *n = take(sizeof *n);
        n->value = i * i;
        n->next = list;
        list = n;
    }
    int32_t *small = take(sizeof *small);
    *small = -7;
    for (struct node *n = list; n; n = n->next)
        out(n->value);
    out(*small);

    struct packet *packet = calloc(1, sizeof *packet);
    packet->id = 0x01020304;
    packet->length = 0x0506;
    packet->data[1] = 9;
    out(sum(packet, sizeof *packet));
    struct packet other = { 1, 2, { 3, 4 } };
    out(sum(&other, sizeof other));
    exchange(packet, &other, sizeof other);
    out(packet->id);
    out(other.length);
    free(packet);

    int a = 0x01020304, b = 5;
    exchange_copied(&a, &b, sizeof a);
    out(a);
    out(b);
    short c = 1, d = 2;
    exchange_copied(&c, &d, sizeof c);
    out(c * 10 + d);

    struct ring ints = { malloc(3 * sizeof(int)), sizeof(int), 3 };
    struct ring points = { malloc(2 * sizeof(struct point)), sizeof(struct point), 2 };
    struct ring letters = { malloc(3), 1, 3 };
    for (int i = 1; i < 6; i++) {
        struct point p = { i, -i };
        char letter = 'a' + i;
        put(&ints, &i);
        put(&points, &p);
        put(&letters, &letter);
        int taken;
        struct point q;
        get(&ints, &taken);
        get(&points, &q);
        get(&letters, &letter);
        out(taken);
        out(q.x);
        out(q.y);
        out(letter);
    }
    struct point cleared = { 3, 4 };
    clear(&cleared.y, sizeof cleared.y);
    out(cleared.x);
    out(cleared.y);

    unsigned char buffer[16];
    struct { uint16_t kind, size; } head = { 7, 12 }, back;
    memcpy(buffer, &head, sizeof head);
    memcpy(&back, buffer, sizeof back);
    out(back.size);
    out(buffer[2]);
    struct { int a, b; long c; char *d; } half = { 1, 2, 3, "x" };
    memset(&half, 0, offsetof(__typeof__(half), c));
    out(half.a + half.b);
    out(half.c);

    char *raw = malloc(12);
    int *words = (int *)raw;
    words[0] = 1;
    words[2] = 0x0708;
    out(words[2]);
    free(raw);
}
