// Treiber's lock-free stack with nodes that are used again: the ABA problem.
// Unsafe under SC already, and so under TSO and PSO: while one thread is about to pop, the other
// pops two nodes and pushes the first one back. The cas finds the old top and succeeds, and
// puts on top a node that the other thread still holds.

const N = 2;
const NIL = -1;

shared NIL..N-1 top = 0, next[N] = {1, NIL};
shared bool held[N];

void push(0..N-1 node) {
    NIL..N-1 old;
    held[node] = false;
    do {
        old = top;
        next[node] = old;
    } while (!cas(top, old, node));
}

NIL..N-1 pop() {
    NIL..N-1 old;
    do {
        old = top;
        if (old == NIL) {
            return NIL;
        }
    } while (!cas(top, old, next[old]));
    assert(!exchange(held[old], true));
    return old;
}

process client() {
    while (true) {
        NIL..N-1 first = pop();
        NIL..N-1 second = pop();
        if (first != NIL) {
            push(first);
        }
        if (second != NIL) {
            push(second);
        }
    }
}

start client[2];
