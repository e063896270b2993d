// Lamport's fast mutex for three threads, repaired: safe under SC, TSO and PSO.
// The fences are those of lamport2_fenced.fp: a full one after the store of x and after that
// of y, because a load of the other variable follows, and a store-store fence for PSO, so
// that y is free before `wants` goes down.

const N = 3;
const NOBODY = 0;

shared bool wants[N + 1];
shared NOBODY..N x, y;

process lamport(1..N me) {
    0..N other;
    while (true) {
      retry:
        wants[me] = true;
        x = me;
        fence;
        if (y != NOBODY) {
            wants[me] = false;
            while (y != NOBODY) {}
            goto retry;
        }
        y = me;
        fence;
        if (x != me) {
            wants[me] = false;
            other = N;
            while (other > 0) {
                while (wants[other]) {}
                other--;
            }
            if (y != me) {
                while (y != NOBODY) {}
                goto retry;
            }
        }
      critical:
        skip;
        y = NOBODY;
        fence store_store;
        wants[me] = false;
    }
}

start lamport(1), lamport(2), lamport(3);

at most 1 at critical;
