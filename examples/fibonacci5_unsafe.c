/* Two threads that add to each other's number, 5 times each: what they come to at most. */
#include <assert.h>
#include <pthread.h>

static int i = 1, j = 1;

static void *first(void *arg)
{
    (void)arg;
    for (int k = 0; k < 5; k++)
        i += j;
    return NULL;
}

static void *second(void *arg)
{
    (void)arg;
    for (int k = 0; k < 5; k++)
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
    assert(i < 144 && j < 144);
    return 0;
}
