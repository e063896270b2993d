// Treiber's lock-free stack, with array elements for nodes: each thread pushes its own node and
// pops one. Nodes are not used again, so the stack is right; see stack_aba.fp for the opposite.
// Safe under SC, TSO and PSO without a fence: the cas that publishes a node drains the buffer,
// and so the node's contents are in memory before anyone finds it.

const N = 3;
const NIL = -1;

shared NIL..N-1 top = NIL, next[N] = NIL;
shared 0..N value[N];
shared bool popped[N];

void push(0..N-1 node) {
    NIL..N-1 old;
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
    return old;
}

process client(0..N-1 me) {
    value[me] = me + 1;
    push(me);
    NIL..N-1 node = pop();
    assert(node != NIL);
    assert(value[node] == node + 1);
    assert(!exchange(popped[node], true));
}

start client(0), client(1), client(2);

final forall (top == NIL && popped[0] && popped[1] && popped[2]);
