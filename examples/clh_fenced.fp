// The CLH lock of clh.fp, for three threads, safe under SC, TSO and PSO.
// The store-store fence keeps the release behind the stores of the critical section. The node
// is prepared without a fence: the exchange drains the buffer.

const N = 3;

shared bool locked[N + 1];
shared 0..N tail = N;
shared 0..N-1 owner;

process client(0..N-1 me) {
    0..N node = me, before;
    while (true) {
        locked[node] = true;
        before = exchange(tail, node);
        while (locked[before]) {}
        owner = me;
      critical:
        assert(owner == me);
        fence store_store;
        locked[node] = false;
        node = before;
    }
}

start client(0), client(1), client(2);

at most 1 at critical;
