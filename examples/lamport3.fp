// Lamport's fast mutex for three threads: without contention a thread passes with two loads.
// Right under SC. Under TSO and PSO a thread can load y while its x, or load x while its y,
// still waits in its buffer, so that two threads do not notice each other. Under PSO,
// besides, the last two stores can change places.

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
        if (y != NOBODY) {
            wants[me] = false;
            while (y != NOBODY) {}
            goto retry;
        }
        y = me;
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
        wants[me] = false;
    }
}

start lamport(1), lamport(2), lamport(3);

at most 1 at critical;
