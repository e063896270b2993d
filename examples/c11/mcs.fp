// The MCS lock with its published orders: right on every machine.

const NOBODY = -1;

shared NOBODY..1 tail = NOBODY, next[2] = NOBODY;
shared bool locked[2];
shared 0..1 owner;

process client(0..1 me) {
    NOBODY..1 before, after;
    bool wait, last;
    next[me]@relaxed = NOBODY;
    locked[me]@relaxed = true;
    before = exchange(tail@acq_rel, me);
    if (before != NOBODY) {
        next[before]@release = me;
        do {
            wait = locked[me]@acquire;
        } while (wait);
    }
  critical:
    owner = me;
    after = next[me]@acquire;
    last = false;
    if (after == NOBODY) {
        last = cas(tail@release@relaxed, me, NOBODY);
        if (!last) {
            do {
                after = next[me]@acquire;
            } while (after == NOBODY);
        }
    }
    if (!last) {
        locked[after]@release = false;
    }
}

start client(0), client(1);

at most 1 at critical;
