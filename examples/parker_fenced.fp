// The parking of parker.fp with a fence on the fast path: safe under SC, TSO and PSO.
// The permit must be gone from memory before the thread looks at its condition again. The
// other paths need no fence: lock and unlock drain the buffer.

mutex guard;
shared bool permit, waiting;
shared bool work, finished;

void park() {
    bool lost;
    if (permit) {
        permit = false;
        fence;
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
