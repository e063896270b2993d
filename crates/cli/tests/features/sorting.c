#include <stdlib.h>
#include <string.h>

struct entry {
    int key;
    const char *name;
};

static int calls;

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    calls = 1;
    return (x > y) - (x < y);
}

static int by_key(const void *a, const void *b)
{
    return ((const struct entry *)a)->key - ((const struct entry *)b)->key;
}

static int backwards(const void *a, const void *b)
{
    return *(const unsigned char *)b - *(const unsigned char *)a;
}

static void test(void)
{
    int numbers[] = {5, -1, 3, 9, 2, 3};
    struct entry entries[] = {{3, "c"}, {1, "a"}, {2, "b"}};
    unsigned char bytes[] = {1, 200, 30};
    qsort(numbers, 6, sizeof numbers[0], by_value);
    for (int i = 0; i < 6; i++)
        out(numbers[i]);
    out(calls);
    int key = 9;
    int *found = bsearch(&key, numbers, 6, sizeof(int), by_value);
    out(found - numbers);
    key = 4;
    out(bsearch(&key, numbers, 6, sizeof(int), by_value) == 0);
    qsort(entries, 3, sizeof *entries, by_key);
    for (int i = 0; i < 3; i++)
        out(entries[i].key * 1000 + entries[i].name[0]);
    struct entry wanted = {2, 0};
    out(((struct entry *)bsearch(&wanted, entries, 3, sizeof *entries, by_key))->name[0]);
    qsort(bytes, 3, 1, backwards);
    out(bytes[0] * 1000000 + bytes[1] * 1000 + bytes[2]);
    qsort(numbers, 0, sizeof(int), by_value);
    struct entry *many = malloc(40 * sizeof *many);
    void **pointers = malloc(50 * sizeof *pointers);
    memset(many, 0, 40 * sizeof *many);
    memset(pointers, 0, 50 * sizeof *pointers);
    out(many[39].key == 0 && many[20].name == 0 && pointers[49] == 0);
    free(many);
    free(pointers);
}
