// A ticket lock whose waiting is relaxed. Wrong: nothing orders one critical section before the next.

shared 0..2 next, serving;
shared 0..1 owner;

process client(0..1 me) {
    0..2 mine, now;
    mine = fetch_add(next@relaxed, 1);
    do {
        now = serving@relaxed;
    } while (now != mine);
  critical:
    owner = me;
    serving@release = mine + 1;
}

start client(0), client(1);

at most 1 at critical;
