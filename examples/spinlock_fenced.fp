// The spin lock of spinlock.fp, safe under SC, TSO and PSO.
// The store-store fence keeps the release behind the stores of the critical section. The
// exchange needs no fence: it drains the buffer before it acts.

shared bool taken;
shared 0..1 owner;

process client(0..1 me) {
    while (true) {
        while (exchange(taken, true)) {}
        owner = me;
      critical:
        assert(owner == me);
        fence store_store;
        taken = false;
    }
}

start client(0), client(1);

at most 1 at critical;
