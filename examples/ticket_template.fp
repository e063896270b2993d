// A ticket lock for any number of threads with three tickets: a thread takes one only if there is one
// left. Safe under SC, TSO and PSO for every number of threads.

const TICKETS = 3;

shared 0..TICKETS-1 next, serving;

thread worker[*] {
    0..TICKETS-1 mine, now;
    while (true) {
        atomic {
            mine = next;
            now = serving;
            assume((mine + 1) % TICKETS != now);        // one is kept back: full and empty differ
            next = (mine + 1) % TICKETS;
        }
        do { now = serving; } while (now != mine);
      critical:
        skip;
        serving = (mine + 1) % TICKETS;
    }
}

at most 1 at critical;
