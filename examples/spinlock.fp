// A spin lock taken by an atomic exchange and released by a plain store.
// Safe under SC and TSO: stores reach memory in order, so whoever sees the lock free sees
// all that was written under it. Unsafe under PSO: the release can overtake the store to
// `owner`, which then hits the next holder. spinlock_fenced.fp repairs that.

shared bool taken;
shared 0..1 owner;

process client(0..1 me) {
    while (true) {
        while (exchange(taken, true)) {}
        owner = me;
      critical:
        assert(owner == me);
        taken = false;
    }
}

start client(0), client(1);

at most 1 at critical;
