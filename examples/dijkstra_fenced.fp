// Dijkstra's algorithm for two threads, repaired: safe under SC, TSO and PSO.
// The full fence makes a claim visible before the thread looks for another claim. No more is
// needed, under PSO either: mutual exclusion rests on the claims alone, and `turn` only
// decides who may claim first.

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
            fence;
        } while (flag[1 - me] == CLAIMING);
      critical:
        skip;
        flag[me] = IDLE;
    }
}

start dijkstra(0), dijkstra(1);

at most 1 at critical;
