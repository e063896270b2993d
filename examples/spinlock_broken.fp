// A spin lock that tests with a load and sets with a separate store.
// Unsafe under SC already, and so under TSO and PSO: both threads can find the lock free
// before either takes it. No fence repairs this; test and set must be one step.

shared bool taken;

process client() {
    while (true) {
        while (taken) {}
        taken = true;
      critical:
        skip;
        taken = false;
    }
}

start client[2];

at most 1 at critical;
