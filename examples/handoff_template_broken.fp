// A lock that is handed on, in the manner of CLH, for any number of threads with two cells: a thread
// that wants the lock closes the cell that is free and waits for the one before it to open.
// Closing the cell and taking the place in two steps lets two threads wait for the same cell.

shared bool open[2] = {true, false};
shared 0..1 tail;
shared bool queued;                 // somebody waits already: there are no more cells

thread worker[*] {
    0..1 before;
    bool is_open;
    while (true) {
        before = tail;
        open[1 - before] = false;
        tail = 1 - before;
        do { is_open = open[before]; } while (!is_open);
      critical:
        skip;
        open[1 - before] = true;
    }
}

at most 1 at critical;
