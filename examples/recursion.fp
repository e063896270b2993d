// A recursive function under a re-entrant lock: each level enters the lock again, and the
// lock is free only when the outermost level has left it.
// Safe under SC, TSO and PSO. The store-store fence is for PSO, where the release could
// otherwise overtake the last store to `visited` and the other thread would lose an update.

const NOBODY = -1;

shared NOBODY..1 owner = NOBODY;
shared 0..4 visited;
local 0..2 depth;

void enter(0..1 me) {
    if (owner != me) {
        while (!cas(owner, NOBODY, me)) {}
    }
    depth++;
}

void leave(0..1 me) {
    depth--;
    if (depth == 0) {
        fence store_store;
        owner = NOBODY;
    }
}

void visit(0..1 me, 0..1 below) {
    enter(me);
    if (below > 0) {
        visit(me, below - 1);
    }
    visited++;
    leave(me);
}

process walker(0..1 me) {
    visit(me, 1);
}

start walker(0), walker(1);

final forall (visited == 4);
