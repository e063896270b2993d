// The lost wake-up that was in the JVM's LockSupport.park: a thread parks until there is work,
// and takes the fast path, without the mutex, if it finds a permit.
// Right under SC. Under TSO and PSO the fast path's `permit = false` can wait in the buffer
// while the thread finds no work, then wipe out the permit that came with the work: the
// thread sleeps though nobody will wake it any more.

mutex guard;
shared bool permit, waiting;
shared bool work, finished;

void park() {
    bool lost;
    if (permit) {
        permit = false;
        return;
    }
    lock(guard);
    if (!permit) {
        waiting = true;             // waits for the signal, without the mutex
        unlock(guard);
        while (waiting) {
            atomic {
                lost = finished && waiting;
            }
            assert(!lost);
        }
        lock(guard);
    }
    permit = false;
    unlock(guard);
}

void unpark() {
    lock(guard);
    bool had = permit;
    permit = true;
    unlock(guard);
    if (!had) {
        waiting = false;            // the signal
    }
}

thread parker {
    while (!work) {
        park();
    }
}

thread unparker {
    unpark();                       // a permit from an earlier use
    work = true;
    unpark();
    atomic {
        finished = true;
    }
}
