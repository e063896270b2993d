// The CLH queue lock, by Craig, Landin and Hagersten: each thread spins on the node of the one
// before it, and takes that node over for its next turn. Node N is free at the beginning.
// Safe under SC and TSO. Unsafe under PSO: the release can overtake the store to `owner`,
// which then hits the next holder.

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
        locked[node] = false;
        node = before;
    }
}

start client(0), client(1), client(2);

at most 1 at critical;
