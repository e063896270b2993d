// Szymanski's algorithm for two threads, repaired: safe under SC, TSO and PSO.
// KNOCKING must be seen before the thread looks whether the door is open, and ENTERING before
// it looks who knocks. The later stores need no fence with two threads: to the last check of
// thread 1, ENTERING and WAITING are the same as INSIDE, and thread 0 does not leave before
// it sees that thread 1 has gone from WAITING to INSIDE.

const OUTSIDE = 0;          // not interested
const KNOCKING = 1;         // wants to enter the waiting room
const WAITING = 2;          // in the waiting room, lets others come in
const ENTERING = 3;         // in its doorway
const INSIDE = 4;           // the door is closed behind it

shared OUTSIDE..INSIDE flag[2];

process szymanski(0..1 me) {
    OUTSIDE..INSIDE theirs;
    while (true) {
        flag[me] = KNOCKING;
        fence;
        while (flag[1 - me] >= ENTERING) {}
        flag[me] = ENTERING;
        fence;
        if (flag[1 - me] == KNOCKING) {
            flag[me] = WAITING;
            while (flag[1 - me] != INSIDE) {}
        }
        flag[me] = INSIDE;
        if (me == 1) {
            while (flag[0] >= WAITING) {}
        }
      critical:
        skip;
        if (me == 0) {
            do {
                theirs = flag[1];
            } while (theirs == WAITING || theirs == ENTERING);
        }
        flag[me] = OUTSIDE;
    }
}

start szymanski(0), szymanski(1);

at most 1 at critical;
