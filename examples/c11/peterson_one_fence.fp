// Peterson's algorithm with one seq_cst fence, after the store to `turn`. It is enough on x86; in C11 the stores to `turn` may be ordered
// the other way round.
// The critical section stores to a plain variable: if both threads are in it, that is a data race, too.

shared bool flag[2];
shared 0..1 turn, owner;

process peterson(0..1 me) {
    bool other;
    0..1 whose;
    while (true) {
        flag[me]@release = true;
        turn@release = 1 - me;
        fence seq_cst;
        do {
            other = flag[1 - me]@acquire;
            whose = turn@acquire;
        } while (other && whose == 1 - me);
      critical:
        owner = me;
        flag[me]@release = false;
    }
}

start peterson(0), peterson(1);

at most 1 at critical;
