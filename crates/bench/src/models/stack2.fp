// Treiber's lock-free stack as in examples/stack.fp, with two threads.
const N = 2;
const NIL = -1;

shared NIL..N-1 top = NIL, next[N] = NIL;
shared 0..N value[N];
shared bool popped[N];

process client(0..N-1 me) {
    NIL..N-1 old;
    value[me] = me + 1;
    do {
        old = top;
        next[me] = old;
    } while (!cas(top, old, me));
    do {
        old = top;
        assert(old != NIL);
    } while (!cas(top, old, next[old]));
    assert(value[old] == old + 1);
    assert(!exchange(popped[old], true));
}

start client(0), client(1);

final forall (top == NIL && popped[0] && popped[1]);
