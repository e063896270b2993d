#include <stdlib.h>
static int many[4] = {1, 2, 3, 4};
static int sum(int *from, int *to)
{
    int s = 0;
    for (int *p = from; p < to; p++)
        s += *p;
    return s;
}
void test(void)
{
    int local[3] = {5, 6, 7};
    int s = 0;
    for (int *p = local; p < local + 3; p++)
        s += *p;
    out(s);
    for (int *p = &local[2]; p >= local; p--)
        s = s * 3 + *p;
    out(s);
    for (int *p = many; p != many + 4 && p <= &many[2]; ++p)
        s -= *p;
    out(s);
    out(sum(many, many + 4) + sum(local + 1, local + 3));
    int *heap = malloc(4 * sizeof *heap);
    for (int *p = heap, *end = heap + 4; p < end; p++)
        *p = (int)(p - heap) + 1;
    out(sum(heap, heap + 4));
    out(heap + 1 > heap);
    out(heap > (int *)0);
    out((int)(&heap[3] - heap) + (int)(&local[0] - &local[2]));
    free(heap);
}
