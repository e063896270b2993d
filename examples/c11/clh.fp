// The CLH lock: a thread spins on the node of the one before it. Node 2 is free at first.

shared 0..2 tail = 2;
shared bool locked[3];
shared 0..1 owner;

process client(0..1 me) {
    0..2 before;
    bool wait;
    locked[me]@relaxed = true;
    before = exchange(tail@acq_rel, me);
    do {
        wait = locked[before]@acquire;
    } while (wait);
  critical:
    owner = me;
    locked[me]@release = false;
}

start client(0), client(1);

at most 1 at critical;
