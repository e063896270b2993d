// Peterson's algorithm with seq_cst accesses: robust, so it is right on every machine.
// The critical section stores to a plain variable: if both threads are in it, that is a data race, too.

shared bool flag[2];
shared 0..1 turn, owner;

process peterson(0..1 me) {
    bool other;
    0..1 whose;
    while (true) {
        flag[me]@seq_cst = true;
        turn@seq_cst = 1 - me;
        do {
            other = flag[1 - me]@seq_cst;
            whose = turn@seq_cst;
        } while (other && whose == 1 - me);
      critical:
        owner = me;
        flag[me]@seq_cst = false;
    }
}

start peterson(0), peterson(1);

at most 1 at critical;
