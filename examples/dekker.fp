// Dekker's mutual exclusion algorithm for two threads, without fences.
// Right under SC. Under TSO and PSO both threads can be critical at once: each reads the
// other's flag while its own store of `true` still waits in its buffer.

shared bool flag[2];
shared 0..1 turn;

process dekker(0..1 me) {
    while (true) {
        flag[me] = true;
        while (flag[1 - me]) {
            if (turn != me) {
                flag[me] = false;
                while (turn != me) {}
                flag[me] = true;
            }
        }
      critical:
        skip;
        turn = 1 - me;
        flag[me] = false;
    }
}

start dekker(0), dekker(1);

at most 1 at critical;
