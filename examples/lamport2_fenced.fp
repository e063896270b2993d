// Lamport's fast mutex for two threads, repaired: safe under SC, TSO and PSO.
// A full fence stands after the store of x and after that of y, for each is followed by a
// load that tells whether the other thread came in between. PSO needs the store-store fence:
// a thread that sees `wants` go down can enter because y is its own, and a late reset of y
// would wipe that out and let the old holder in again.

const N = 2;
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

start lamport(1), lamport(2);

at most 1 at critical;
