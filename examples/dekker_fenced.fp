// Dekker's algorithm repaired: safe under SC, TSO and PSO.
// Each time a thread raises its flag, a full fence lets the flag reach memory before the
// thread reads the other's. Both places need it. PSO needs no more: mutual exclusion
// rests on the flags alone, and `turn` only decides who gives way.

shared bool flag[2];
shared 0..1 turn;

process dekker(0..1 me) {
    while (true) {
        flag[me] = true;
        fence;
        while (flag[1 - me]) {
            if (turn != me) {
                flag[me] = false;
                while (turn != me) {}
                flag[me] = true;
                fence;
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
