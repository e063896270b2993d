// Lamport's bakery for two threads, repaired: safe under SC, TSO and PSO.
// `choosing` must be seen before the thread reads the other's ticket, and its ticket before it
// looks whether the other is choosing. PSO needs the store-store fence, so that the end of
// choosing does not overtake the ticket. A thread whose ticket would be above LAST stops.

const LAST = 3;

shared bool choosing[2];
shared 0..LAST number[2];   // 0: has no ticket

process bakery(0..1 me) {
    0..LAST mine, theirs;
    while (true) {
        choosing[me] = true;
        fence;
        mine = number[1 - me];
        assume(mine < LAST);
        mine++;
        number[me] = mine;
        fence store_store;
        choosing[me] = false;
        fence;
        while (choosing[1 - me]) {}
        do {
            theirs = number[1 - me];
        } while (theirs != 0 && (theirs < mine || theirs == mine && me == 1));
      critical:
        skip;
        number[me] = 0;
    }
}

start bakery(0), bakery(1);

at most 1 at critical;
