// The sum of spawn.fp without the mutex.
// Unsafe under SC already, and so under TSO and PSO: `sum += amount` is a load and a store,
// and a worker that runs between the two loses its update.

const WORKERS = 3;

shared int sum;

process worker(int amount) {
    sum += amount;
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
