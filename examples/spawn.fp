// A main thread starts workers, waits for them and checks their common sum.
// Safe under SC, TSO and PSO: `lock` and `unlock` drain the buffer, so each worker sees
// the sum so far, and a joined thread has no stores left in its buffer.

const WORKERS = 3;

mutex guard;
shared int sum;

process worker(int amount) {
    lock(guard);
    sum += amount;
    unlock(guard);
}

process main() {
    thread_id workers[WORKERS];
    0..WORKERS i = 0;
    while (i < WORKERS) {
        workers[i] = spawn worker(i + 1);
        i++;
    }
    while (i > 0) {
        i--;
        join(workers[i]);
    }
    assert(sum == 1 + 2 + 3);
}
