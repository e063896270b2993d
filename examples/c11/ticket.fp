// A ticket lock: whoever waits may see old values of `serving`, which does no harm. Right on every machine.

shared 0..2 next, serving;
shared 0..1 owner;

process client(0..1 me) {
    0..2 mine, now;
    mine = fetch_add(next@relaxed, 1);
    do {
        now = serving@acquire;
    } while (now != mine);
  critical:
    owner = me;
    serving@release = mine + 1;
}

start client(0), client(1);

at most 1 at critical;
