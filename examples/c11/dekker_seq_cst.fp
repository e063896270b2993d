// Dekker's algorithm with seq_cst accesses: right on every machine.

shared bool flag[2];
shared 0..1 turn, owner;

process dekker(0..1 me) {
    bool other;
    0..1 whose;
    while (true) {
        flag[me]@seq_cst = true;
        other = flag[1 - me]@seq_cst;
        while (other) {
            whose = turn@seq_cst;
            if (whose != me) {
                flag[me]@seq_cst = false;
                do {
                    whose = turn@seq_cst;
                } while (whose != me);
                flag[me]@seq_cst = true;
            }
            other = flag[1 - me]@seq_cst;
        }
      critical:
        owner = me;
        turn@seq_cst = 1 - me;
        flag[me]@seq_cst = false;
    }
}

start dekker(0), dekker(1);

at most 1 at critical;
