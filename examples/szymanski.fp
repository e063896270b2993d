// Szymanski's mutual exclusion algorithm for two threads: a waiting room with two doors.
// Right under SC. Under TSO and PSO both threads can be critical at once: a thread loads the
// other's flag while its own still waits in its buffer. PSO adds nothing to TSO here, as each
// thread stores to one cell only.

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
        while (flag[1 - me] >= ENTERING) {}
        flag[me] = ENTERING;
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
