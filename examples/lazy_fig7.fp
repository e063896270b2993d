// Lamport's first fast mutex as Figure 7 of "Lazy TSO Reachability" (FASE 2015) draws a
// thread, for three threads. A thread that finds `x` changed goes back when `y` is not its
// own; the figure has no way on from there otherwise.
// Safe under SC. Under TSO and PSO two threads are critical at once: each reads `y` as 0 and
// its own `x` while the stores still wait in the buffers.

const N = 3;

shared 0..N x, y;

process lamport(1..N i) {
    0..N rx, ry;
    while (true) {
        x = i;
        ry = y;
        if (ry == 0) {
            y = i;
            rx = x;
            if (rx == i) {
              critical:
                skip;
                y = 0;
            } else {
                ry = y;
                assume(ry != i);
            }
        }
    }
}

start lamport(1), lamport(2), lamport(3);

at most 1 at critical;
