/* A queue of work with a mutex and two condition variables: two items for two workers. */
#include <assert.h>
#include <pthread.h>

enum { CAPACITY = 1, ITEMS = 2 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static int queue[CAPACITY], count, done;

static void put(int item)
{
    pthread_mutex_lock(&mutex);
    while (count == CAPACITY)
        pthread_cond_wait(&not_full, &mutex);
    queue[count++] = item;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&mutex);
}

static int get(void)
{
    pthread_mutex_lock(&mutex);
    while (count == 0)
        pthread_cond_wait(&not_empty, &mutex);
    int item = queue[--count];
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&mutex);
    return item;
}

static void *worker(void *arg)
{
    (void)arg;
    int item = get();
    assert(item >= 1 && item <= ITEMS);
    pthread_mutex_lock(&mutex);
    done += item;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t workers[ITEMS];
    for (int i = 0; i < ITEMS; i++)
        pthread_create(&workers[i], NULL, worker, NULL);
    for (int i = 1; i <= ITEMS; i++)
        put(i);
    for (int i = 0; i < ITEMS; i++)
        pthread_join(workers[i], NULL);
    assert(done == 3);
    return 0;
}
