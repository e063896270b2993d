/* Two threads that add to each other's number, 6 times each: what they come to at most. */
#include <assert.h>
#include <pthread.h>

static int i = 1, j = 1;

static void *first(void *arg)
{
    (void)arg;
    for (int k = 0; k < 6; k++)
        i += j;
    return NULL;
}

static void *second(void *arg)
{
    (void)arg;
    for (int k = 0; k < 6; k++)
        j += i;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(i < 377 && j < 377);
    return 0;
}
