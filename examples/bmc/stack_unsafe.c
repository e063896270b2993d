/* A stack behind a mutex: one thread pushes, the other pops as soon as anything was ever pushed, and not just while
   there is something to pop. */
#include <assert.h>
#include <pthread.h>

#define SIZE 2

static int elements[SIZE], top, filled;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *producer(void *arg)
{
    (void)arg;
    for (int i = 0; i < SIZE; i++) {
        pthread_mutex_lock(&mutex);
        assert(top < SIZE);
        elements[top] = i;
        top++;
        filled = 1;
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

static void *consumer(void *arg)
{
    (void)arg;
    for (int i = 0; i < SIZE; i++) {
        pthread_mutex_lock(&mutex);
        if (filled) {
            assert(top > 0);
            top--;
        }
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, producer, NULL);
    pthread_create(&b, NULL, consumer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
