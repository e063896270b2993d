// Peterson's algorithm repaired: safe under SC, TSO and PSO.
// The full fence lets a thread's own stores reach memory before it looks at the other
// thread; TSO needs no more. PSO needs the store-store fence too: if `turn` overtook
// `flag`, the other thread could enter because it sees no flag, and then this one because
// it sees the other give way.

shared bool flag[2];
shared 0..1 turn;

process peterson(0..1 me) {
    while (true) {
        flag[me] = true;
        fence store_store;
        turn = 1 - me;
        fence;
        while (flag[1 - me] && turn == 1 - me) {}
      critical:
        skip;
        flag[me] = false;
    }
}

start peterson(0), peterson(1);

at most 1 at critical;
