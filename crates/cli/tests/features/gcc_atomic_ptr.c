static int arr[4] = {1, 2, 3, 4}; static int *p = arr;
void test(void) { out(__atomic_fetch_add(&p, sizeof(int), __ATOMIC_SEQ_CST) == arr);
    out(*p);
    out(__sync_add_and_fetch(&p, 2 * sizeof(int)) == arr + 3);
    out(*p);
    out(*__sync_fetch_and_sub(&p, 4));
    out(*p); }
