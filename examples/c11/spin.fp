// A spin lock by exchange: acquire to take it, release to give it back.

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
        taken@release = false;
    }
}

start client(0), client(1);

at most 1 at critical;
