// A spin lock that is given back by a relaxed store. Wrong: nothing orders one critical section before the next.

shared bool taken;
shared 0..1 owner;

process client(0..1 me) {
    bool was;
    while (true) {
        do {
            was = exchange(taken@acquire, true);
        } while (was);
      critical:
        owner = me;
        taken@relaxed = false;
    }
}

start client(0), client(1);

at most 1 at critical;
