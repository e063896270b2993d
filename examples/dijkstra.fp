// Dijkstra's mutual exclusion algorithm, of 1965, for two threads.
// Right under SC. Under TSO and PSO both threads can be critical at once: each claims, and
// loads the other's flag while its own claim still waits in its buffer. `turn` does not
// prevent that: both can find it theirs, one after the other.

const IDLE = 0;
const TRYING = 1;
const CLAIMING = 2;

shared IDLE..CLAIMING flag[2];
shared 0..1 turn;

process dijkstra(0..1 me) {
    0..1 holder;
    while (true) {
        do {
            flag[me] = TRYING;
            holder = turn;
            while (holder != me) {
                if (flag[holder] == IDLE) {
                    turn = me;
                }
                holder = turn;
            }
            flag[me] = CLAIMING;
        } while (flag[1 - me] == CLAIMING);
      critical:
        skip;
        flag[me] = IDLE;
    }
}

start dijkstra(0), dijkstra(1);

at most 1 at critical;
