// The MCS queue lock, by Mellor-Crummey and Scott: a thread appends its node to the queue and
// spins on it until the one before it hands the lock over. Thread i has node i.
// Safe under SC and TSO. Unsafe under PSO: the hand-over can overtake the store to `owner`,
// which then hits the next holder.

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
            locked[after] = false;
        }
    }
}

start client(0), client(1);

at most 1 at critical;
