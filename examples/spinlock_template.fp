// A test-and-set spin lock for any number of threads: `[*]` makes `worker` a template.
// Safe under SC, TSO and PSO for every number of threads: the exchange drains the buffer
// and takes the lock in one step. Under TSO this is proved for any number at once; under SC
// and PSO a number is needed, `--threads N`, and without one the answer is unknown.

shared bool taken;

thread worker[*] {
    while (true) {
        while (exchange(taken, true)) {}
      critical:
        skip;
        taken = false;
    }
}

at most 1 at critical;
