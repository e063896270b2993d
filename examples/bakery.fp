// Lamport's bakery for two threads: take a ticket above the other's; the lower one goes first.
// Right under SC. Under TSO and PSO both threads can be critical at once: a thread loads the
// other's variables while its own ticket still waits in its buffer. Tickets are bounded:
// a thread whose ticket would be above LAST stops for good.

const LAST = 3;

shared bool choosing[2];
shared 0..LAST number[2];   // 0: has no ticket

process bakery(0..1 me) {
    0..LAST mine, theirs;
    while (true) {
        choosing[me] = true;
        mine = number[1 - me];
        assume(mine < LAST);
        mine++;
        number[me] = mine;
        choosing[me] = false;
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
