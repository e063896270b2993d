/* Memory, for elements of any type: the pointers have the type that lowering has found. Bytes that are
   no whole element are accessed as such, which memory refuses unless they are elements. */

static void __fencepost_copy(char *to, const char *from, unsigned long n)
{
    unsigned long count = n / sizeof *to, i = 0;
    if ((unsigned long)(to - from) < count) {
        i = count;
        while (i > 0) {
            i--;
            to[i] = from[i];
        }
    } else {
        while (i < count) {
            to[i] = from[i];
            i++;
        }
    }
    if (n % sizeof *to != 0)
        ((char *)to)[count * sizeof *to] = ((char *)from)[count * sizeof *to];
}

static void __fencepost_fill(char *to, char value, unsigned long n)
{
    unsigned long count = n / sizeof *to, i = 0;
    while (i < count) {
        to[i] = value;
        i++;
    }
    if (n % sizeof *to != 0)
        ((char *)to)[count * sizeof *to] = (char)value;
}

static void __fencepost_clear(char *to, unsigned long n)
{
    unsigned long count = n / sizeof *to, i = 0;
    __typeof__(*to) zero = {0};
    while (i < count) {
        to[i] = zero;
        i++;
    }
    if (n % sizeof *to != 0)
        ((char *)to)[count * sizeof *to] = 0;
}

static int __fencepost_compare(const char *a, const char *b, unsigned long n)
{
    unsigned long count = n / sizeof *a, i = 0;
    int result = 0;
    while (i < count && a[i] == b[i])
        i++;
    if (i < count) {
        unsigned long x = (unsigned long)a[i], y = (unsigned long)b[i];
        while ((x & 255) == (y & 255)) {
            x >>= 8;
            y >>= 8;
        }
        result = (x & 255) < (y & 255) ? -1 : 1;
    }
    if (n % sizeof *a != 0 && i == count)
        result = ((char *)a)[count * sizeof *a] - ((char *)b)[count * sizeof *a];
    return result;
}

static void *memchr(const void *s, int c, unsigned long n)
{
    const unsigned char *bytes = s;
    unsigned long i = 0;
    void *found = 0;
    while (i < n && bytes[i] != (unsigned char)c)
        i++;
    if (i < n)
        found = (void *)(bytes + i);
    return found;
}

/* Sorting, by insertion: what is equal stays in its order, which nobody may rely on. */

static void __fencepost_sort(char *base, unsigned long n, int (*compare)(const void *, const void *))
{
    unsigned long i = 1;
    while (i < n) {
        unsigned long j = i;
        while (j > 0 && compare(base + j - 1, base + j) > 0) {
            __typeof__(*base) later = base[j];
            base[j] = base[j - 1];
            base[j - 1] = later;
            j--;
        }
        i++;
    }
}

static void *__fencepost_search(const void *key, char *base, unsigned long n,
                                int (*compare)(const void *, const void *))
{
    unsigned long low = 0, high = n;
    void *found = 0;
    while (low < high) {
        unsigned long middle = low + (high - low) / 2;
        int order = compare(key, base + middle);
        if (order == 0) {
            found = (void *)(base + middle);
            low = high;
        } else if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return found;
}
