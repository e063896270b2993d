// A ticket lock for any number of threads with three tickets: a thread takes one only if there is one
// left. Taking a ticket by a load and a store is no lock at all.

const TICKETS = 3;

shared 0..TICKETS-1 next, serving;

thread worker[*] {
    0..TICKETS-1 mine, now;
    while (true) {
        mine = next;
        next = (mine + 1) % TICKETS;
        do { now = serving; } while (now != mine);
      critical:
        skip;
        serving = (mine + 1) % TICKETS;
    }
}

at most 1 at critical;
