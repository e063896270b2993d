// A lock that is handed on, in the manner of CLH, for any number of threads with two cells: a thread
// that wants the lock closes the cell that is free and waits for the one before it to open.
// Safe under SC, TSO and PSO for every number of threads.

shared bool open[2] = {true, false};
shared 0..1 tail;
shared bool queued;                 // somebody waits already: there are no more cells

thread worker[*] {
    0..1 before;
    bool is_open;
    while (true) {
        atomic {
            assume(!queued);
            queued = true;
            before = tail;
            tail = 1 - before;
            open[1 - before] = false;
        }
        do { is_open = open[before]; } while (!is_open);
      critical:
        skip;
        atomic { queued = false; open[1 - before] = true; }
    }
}

at most 1 at critical;
