// The MCS lock of mcs.fp, safe under SC, TSO and PSO.
// The store-store fence keeps the hand-over behind the stores of the critical section. Where
// nobody waits, the cas drains the buffer; so does the exchange, after the node is prepared.

const N = 2;
const NOBODY = -1;

shared NOBODY..N-1 tail = NOBODY, next[N] = NOBODY;
shared bool locked[N];
shared 0..N-1 owner;

process client(0..N-1 me) {
    NOBODY..N-1 before, after;
    while (true) {
        next[me] = NOBODY;
        locked[me] = true;
        before = exchange(tail, me);
        if (before != NOBODY) {
            next[before] = me;
            while (locked[me]) {}
        }
        owner = me;
      critical:
        assert(owner == me);
        if (next[me] != NOBODY || !cas(tail, me, NOBODY)) {
            do {
                after = next[me];
            } while (after == NOBODY);
            fence store_store;
            locked[after] = false;
        }
    }
}

start client(0), client(1);

at most 1 at critical;
