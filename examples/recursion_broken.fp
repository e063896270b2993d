// The recursion of recursion.fp with a lock that does not count how often it was entered.
// Unsafe under SC already, and so under TSO and PSO: the inner level frees the lock, the
// outer one updates `visited` without it, and an update can be lost.

const NOBODY = -1;

shared NOBODY..1 owner = NOBODY;
shared 0..4 visited;

void enter(0..1 me) {
    if (owner != me) {
        while (!cas(owner, NOBODY, me)) {}
    }
}

void leave() {
    fence store_store;
    owner = NOBODY;
}

void visit(0..1 me, 0..1 below) {
    enter(me);
    if (below > 0) {
        visit(me, below - 1);
    }
    visited++;
    leave();
}

process walker(0..1 me) {
    visit(me, 1);
}

start walker(0), walker(1);

final forall (visited == 4);
