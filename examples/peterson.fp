// Peterson's mutual exclusion algorithm for two threads, as textbooks print it.
// Right under SC. Under TSO both threads can be critical at once: each reads the
// other's flag while its own store of `true` still waits in its buffer.

shared bool flag[2];
shared 0..1 turn;

process peterson(0..1 me) {
    while (true) {
        flag[me] = true;
        turn = 1 - me;
        while (flag[1 - me] && turn == 1 - me) {}
      critical:
        skip;
        flag[me] = false;
    }
}

start peterson(0), peterson(1);

at most 1 at critical;
